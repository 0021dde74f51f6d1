//! The report page: one file, no network.

use crate::document::Analysis;
use crate::escape;

/// The page without its data, built from `web/` by `web/build.sh`.
const PAGE: &str = include_str!("../assets/report.html");

/// Where the data goes.
const SLOT: &str = "<script type=\"application/json\" id=\"data\">null</script>";

/// The page with the analysis in it.
pub fn html(analysis: &Analysis) -> String {
    let data = serde_json::to_string(analysis).unwrap_or_else(|_| "null".into());
    let slot = SLOT.replace("null", &in_a_script(&data));
    let title = format!("{} {}", analysis.program.module, analysis.program.entry);
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
