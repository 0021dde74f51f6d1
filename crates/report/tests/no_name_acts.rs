//! Every text of every document replaced by one that wants to act: no rendering lets it.

use pessimum_report::ci::{Inconclusive, github_annotations, junit, sarif_of_check};
use pessimum_report::document::{Analysis, Check, Diff, Exploration, Input, Replay};
use pessimum_report::escape::{acts, visible};
use pessimum_report::export::{
    Argument, Call, Content, Kind, Member, MemberType, Node, Passed, Scalar, Structure,
    analysis_inputs, exploration_inputs,
};
use pessimum_report::{
    Stack, TerminalStyle, folded, graphviz, html, html_check, html_diff, markdown_check,
    markdown_diff, mermaid, pprof, render_analysis, render_check, render_diff, render_exploration,
    render_replay, speedscope,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A document of the fixtures in which `text` stands at the end of every string, and for it where
/// `instead`. Words that are one of a few stay.
fn altered<T: DeserializeOwned>(name: &str, text: &str, instead: bool) -> T {
    let file = format!("{}/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let kept = std::fs::read(file).expect("the fixture is there");
    let mut value: Value = serde_json::from_slice(&kept).expect("the fixture is JSON");
    alter(&mut value, text, instead);
    serde_json::from_value(value).expect("still such a document")
}

/// Fields whose text is one of a few words, which reading holds it to.
const WORDS: [&str; 9] = [
    "verdict",
    "policy",
    "method",
    "basis",
    "bound",
    "confidence",
    "replayed",
    "cut_by",
    "cost_independent_of_input",
];

fn alter(value: &mut Value, text: &str, instead: bool) {
    match value {
        Value::String(old) if instead => text.clone_into(old),
        Value::String(old) => old.push_str(text),
        Value::Array(all) => all.iter_mut().for_each(|v| alter(v, text, instead)),
        Value::Object(all) => {
            for (key, value) in all.iter_mut() {
                let word = value.is_string() && WORDS.contains(&key.as_str());
                if !word {
                    alter(value, text, instead);
                }
            }
        }
        _ => {}
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("\u{1b}[2J"),
        Just("\n"),
        Just("\r"),
        Just("\t"),
        Just("\u{7f}"),
        Just("\u{9b}31m"),
        Just("\u{202e}"),
        Just("\u{2066}"),
        Just("\u{2028}"),
        Just("::error::"),
        Just("\"]"),
        Just("</script>"),
        Just("%0A"),
        Just("\\"),
        Just("a b"),
        Just("文"),
    ];
    prop::collection::vec(part, 1..8).prop_map(|parts| parts.concat())
}

/// Nothing acts but our own line breaks.
fn harmless(what: &str, text: &str) -> Result<(), TestCaseError> {
    let raw = text.chars().find(|c| acts(*c) && *c != '\n');
    prop_assert_eq!(raw, None, "{}: {:?}", what, text);
    Ok(())
}

/// A call whose every name is this.
fn called(text: &str) -> Call {
    let member = Member { name: text.to_owned(), ty: MemberType::Number(Scalar::I32) };
    let node = Node { kind: 0, members: vec![Content::Number("1".to_owned())] };
    let kinds = vec![Kind { name: text.to_owned(), members: vec![member] }];
    let structure = Structure { kinds, root: 0, nodes: vec![node] };
    let argument = |passed| Argument { name: text.to_owned(), c_type: None, passed };
    Call {
        function: text.to_owned(),
        arguments: vec![argument(Passed::Structure(structure)), argument(Passed::Size(1))],
        result: None,
        rust: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn in_an_analysis(text in hostile(), instead in any::<bool>(), width in 20usize..120) {
        let style = TerminalStyle { width, ..TerminalStyle::default() };
        for name in ["insertion_sort", "merge_sort", "trap_division", "wat_br_table"] {
            let analysis: Analysis = altered(name, &text, instead);
            harmless("terminal", &render_analysis(&analysis, &style))?;
            harmless("graphviz", &graphviz(&analysis.graphs))?;
            harmless("mermaid", &mermaid(&analysis.graphs))?;
            let page = html(&analysis);
            let data = page.split("id=\"data\">").nth(1).expect("the page has data");
            harmless("page", data.split("</script>").next().unwrap_or_default())?;
            let calls = |_: u64, _: &Input| Some(called(&text));
            let files = analysis_inputs(&analysis, |_| true, &calls);
            for file in files.iter().filter(|f| !f.name.starts_with("raw/")) {
                harmless(&file.name, &String::from_utf8_lossy(&file.bytes))?;
            }
        }
    }

    #[test]
    fn in_a_check(text in hostile(), instead in any::<bool>()) {
        for name in ["check_ok", "check_worse", "check_inconclusive"] {
            let check: Check = altered(name, &text, instead);
            harmless("terminal", &render_check(&check, &TerminalStyle::default()))?;
            for inconclusive in [Inconclusive::Pass, Inconclusive::Fail] {
                harmless("junit", &junit(&check, inconclusive))?;
                harmless("sarif", &sarif_of_check(&check, "0"))?;
                harmless("markdown", &markdown_check(&check))?;
                let page = html_check(&check, None);
                let data = page.split("id=\"data\">").nth(1).expect("the page has data");
                harmless("page", data.split("</script>").next().unwrap_or_default())?;
                let lines = github_annotations(&check, inconclusive);
                harmless("annotations", &lines)?;
                for line in lines.lines() {
                    let ours = ["::notice ", "::warning ", "::error "];
                    prop_assert!(ours.iter().any(|c| line.starts_with(c)), "{}", lines);
                }
            }
        }
    }

    #[test]
    fn in_a_comparison_and_a_profile(text in hostile(), instead in any::<bool>()) {
        let diff: Diff = altered("diff_worse", &text, instead);
        harmless("terminal", &render_diff(&diff, &TerminalStyle::default()))?;
        harmless("markdown", &markdown_diff(&diff))?;
        let page = html_diff(&diff, None);
        let data = page.split("id=\"data\">").nth(1).expect("the page has data");
        harmless("page", data.split("</script>").next().unwrap_or_default())?;
        let stacks = [Stack { frames: vec![text.clone(), text.clone()], line: None, cost: 1 }];
        harmless("folded", &folded(&stacks))?;
        prop_assert_eq!(folded(&stacks).lines().count(), 1);
        harmless("speedscope", &speedscope(&text, &stacks))?;
        // Beside its own bytes the profile holds names, and these are written as they are elsewhere.
        let shown = visible(&text);
        let profile = pprof("conditionals", &stacks);
        let named = profile.windows(shown.len().max(1)).any(|part| part == shown.as_bytes());
        prop_assert!(named || shown.is_empty(), "{}", shown);
    }

    #[test]
    fn in_an_exploration_and_a_replay(text in hostile(), instead in any::<bool>()) {
        let style = TerminalStyle::default();
        for name in ["explore_4", "explore_trap", "explore_cut"] {
            let found: Exploration = altered(name, &text, instead);
            harmless("terminal", &render_exploration(&found, &style))?;
            let check: Check = altered("check_ok", &text, instead);
            for file in exploration_inputs(&check.program, &text, &found, &|_, _| None) {
                if !file.name.starts_with("raw/") {
                    harmless(&file.name, &String::from_utf8_lossy(&file.bytes))?;
                }
            }
        }
        for name in ["replay", "replay_trap"] {
            let run: Replay = altered(name, &text, instead);
            harmless("terminal", &render_replay(&run, &style))?;
        }
    }
}
