//! The report page: one file, no network.

use crate::document::{Analysis, Check, Diff, Program};
use crate::{escape, page};
use serde_json::Value;

/// The page without its data, built from `web/` by `web/build.sh`.
const PAGE: &str = include_str!("../assets/report.html");

/// Where the data goes.
const SLOT: &str = "<script type=\"application/json\" id=\"data\">null</script>";

/// The page of an analysis.
pub fn html(analysis: &Analysis) -> String {
    with_data(&page::of_analysis(analysis), &analysis.program, "")
}

/// The page of a check; with the analysis it was made from, where that is at hand, it shows that as well.
pub fn html_check(check: &Check, analysis: Option<&Analysis>) -> String {
    with_data(&page::of_check(check, analysis), &check.program, "check of ")
}

/// The page of a comparison; with the analysis of the new build, it shows that as well.
pub fn html_diff(diff: &Diff, analysis: Option<&Analysis>) -> String {
    with_data(&page::of_diff(diff, analysis), &diff.new.program, "change of ")
}

fn with_data(data: &Value, program: &Program, what: &str) -> String {
    let slot = SLOT.replace("null", &in_a_script(&data.to_string()));
    let title = format!("{what}{} {}", program.module, program.entry);
    PAGE.replacen(SLOT, &slot, 1).replacen(
        "<title>pessimum</title>",
        &format!("<title>{} · pessimum</title>", text(&title)),
        1,
    )
}

/// JSON that no HTML parser can find an end tag or a comment in: `<` occurs only inside strings,
/// where `\u003c` is the same.
fn in_a_script(json: &str) -> String {
    escape::json(json).replace('<', "\\u003c")
}

/// Text between tags.
fn text(text: &str) -> String {
    escape::visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_page_has_one_slot_and_one_title() {
        assert_eq!(PAGE.matches(SLOT).count(), 1);
        assert_eq!(PAGE.matches("<title>pessimum</title>").count(), 1);
    }

    #[test]
    fn the_page_asks_nothing_of_the_network() {
        for word in ["src=\"", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
            assert!(!PAGE.contains(word), "{word}");
        }
    }

    proptest! {
        #[test]
        fn escaped_json_is_the_same_json_without_an_angle(s in ".*(</script>|<!--|\u{2028})?.*") {
            let json = serde_json::to_string(&s).expect("a string is JSON");
            let escaped = in_a_script(&json);
            prop_assert!(!escaped.contains('<'));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).expect("still JSON"), s);
        }
    }
}
