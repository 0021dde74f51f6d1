//! JUnit XML, as GitLab, Jenkins and most others read it.

use super::Inconclusive;
use crate::document::{Check, Verdict};
use crate::escape::visible;

/// One test case per rule, and one per size that is judged by none of its own.
pub fn junit(check: &Check, inconclusive: Inconclusive) -> String {
    let mut cases = Vec::new();
    for rule in &check.rules {
        cases.push(Case {
            name: &rule.rule,
            verdict: rule.verdict,
            reason: &rule.reason,
            seconds: 0.0,
        });
    }
    let has_rule = |n: u64| check.rules.iter().any(|rule| rule.n == Some(n));
    let sizes = check.sizes.iter().filter(|size| !has_rule(size.n));
    let judged: Vec<_> = sizes.filter_map(|s| Some((s, s.verdict?))).collect();
    let names: Vec<String> = judged.iter().map(|(s, _)| format!("n = {}", s.n)).collect();
    let reasons: Vec<String> = judged
        .iter()
        .map(|(s, _)| s)
        .map(|s| {
            let cost =
                s.worst_cost.map_or("no cost was found".into(), |c| format!("worst cost {c}"));
            let limit = s.limit.map_or(String::new(), |l| format!(", allowed {l}"));
            let reason =
                if s.reason.is_empty() { String::new() } else { format!(": {}", s.reason) };
            format!("{cost}{limit}{reason}")
        })
        .collect();
    for (((size, verdict), name), reason) in judged.iter().zip(&names).zip(&reasons) {
        cases.push(Case { name, verdict: *verdict, reason, seconds: size.seconds });
    }
    let count = |verdict| cases.iter().filter(|c| c.verdict == verdict).count();
    let (errors, skipped) = match inconclusive {
        Inconclusive::Fail => (count(Verdict::Inconclusive), 0),
        Inconclusive::Pass => (0, count(Verdict::Inconclusive)),
    };
    let suite = escape(&format!("pessimum {} {}", check.program.module, check.program.entry));
    let time: f64 = cases.iter().map(|c| c.seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    out.push_str(&format!(
        "  <testsuite name=\"{suite}\" tests=\"{}\" failures=\"{}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{time:.3}\">\n",
        cases.len(),
        count(Verdict::Worse),
    ));
    for case in &cases {
        let (name, reason) = (escape(case.name), escape(case.reason));
        out.push_str(&format!(
            "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{:.3}\"",
            case.seconds
        ));
        let outcome = match (case.verdict, inconclusive) {
            (Verdict::Ok, _) => None,
            (Verdict::Worse, _) => Some("failure"),
            (Verdict::Inconclusive, Inconclusive::Fail) => Some("error"),
            (Verdict::Inconclusive, Inconclusive::Pass) => Some("skipped"),
        };
        match outcome {
            None => out.push_str("/>\n"),
            Some(tag) => {
                out.push_str(&format!(">\n      <{tag} message=\"{reason}\"/>\n    </testcase>\n"));
            }
        }
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

struct Case<'a> {
    name: &'a str,
    verdict: Verdict,
    reason: &'a str,
    seconds: f64,
}

/// Text inside an attribute. XML 1.0 has no way to write most control characters: they are shown by
/// their number, as everywhere.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_an_attribute() {
        assert_eq!(escape("a<b> & \"c\"\n\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;\\n\\u{1}");
    }
}
