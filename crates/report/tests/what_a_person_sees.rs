//! Snapshots of everything that is printed, from real results: `fixtures/make.sh` makes them anew.

use pessimum_report::document::{
    Analysis, Bound, Check, Cut, Diff, Exploration, Heat, Method, Replay, SourceFile,
};
use pessimum_report::{
    TerminalStyle, markdown_diff, render_analysis, render_annotated, render_check, render_diff,
    render_exploration, render_explorations, render_replay,
};
use serde::de::DeserializeOwned;

const WIDE: TerminalStyle = TerminalStyle { width: 100, color: false, unicode: true };
const NARROW: TerminalStyle = TerminalStyle { width: 60, color: false, unicode: true };
const PLAIN: TerminalStyle = TerminalStyle { width: 80, color: false, unicode: false };
const COLOR: TerminalStyle = TerminalStyle { width: 100, color: true, unicode: true };

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn analysis(name: &str, style: &TerminalStyle) -> String {
    render_analysis(&read::<Analysis>(name), style)
}

/// Escape codes made visible.
fn visible(text: &str) -> String {
    text.replace('\x1b', "␛")
}

#[test]
fn a_validated_analysis() {
    insta::assert_snapshot!(analysis("insertion_sort", &WIDE));
}

#[test]
fn a_validated_analysis_in_a_narrow_terminal() {
    insta::assert_snapshot!(analysis("insertion_sort", &NARROW));
}

#[test]
fn a_validated_analysis_in_ascii() {
    let text = analysis("insertion_sort", &PLAIN);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn a_validated_analysis_in_colour() {
    insta::assert_snapshot!(visible(&analysis("insertion_sort", &COLOR)));
}

#[test]
fn an_analysis_without_debug_information() {
    insta::assert_snapshot!(analysis("wat_br_table", &WIDE));
}

#[test]
fn an_analysis_that_is_not_validated() {
    insta::assert_snapshot!(analysis("merge_sort", &WIDE));
}

#[test]
fn advice_is_given_on_inputs_that_were_found_by_it() {
    let mut found: Analysis = read("insertion_sort");
    let advice =
        found.policy.as_ref().and_then(|p| p.sites.first()).map(|site| site.advice.clone());
    let advice = advice.expect("the policy says something");
    assert!(render_analysis(&found, &WIDE).contains(&advice));
    found.policy.iter_mut().for_each(|policy| policy.validated = false);
    for (method, how) in [(Method::Search, "found by a search"), (Method::Synth, "found by synth")]
    {
        found.sizes.iter_mut().for_each(|size| size.method = method);
        let text = render_analysis(&found, &WIDE);
        assert!(!text.contains(&advice) && text.contains(how), "{text}");
    }
    // A staged policy is the policy that is shown.
    found.sizes.iter_mut().for_each(|size| size.method = Method::Staged);
    let text = render_analysis(&found, &WIDE);
    assert!(text.contains(&advice) && text.contains("(staged)"), "{text}");
}

/// A merged size was not walked path by path, whatever the answer is.
#[test]
fn merged_paths_are_told_apart_from_explored_ones() {
    let mut found: Analysis = read("merge_sort");
    assert!(!render_analysis(&found, &WIDE).contains("has the future"));
    let exact = found.training.iter_mut().chain(&mut found.sizes).filter(|size| size.exact);
    exact.for_each(|size| size.method = Method::Merged);
    let text = render_analysis(&found, &WIDE).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Every path was explored, or has the future of one that was, at n = 1..=6.";
    assert!(text.contains(said), "{text}");
}

#[test]
fn an_analysis_with_a_trap() {
    insta::assert_snapshot!(analysis("trap_division", &WIDE));
}

#[test]
fn a_cost_that_does_not_depend_on_the_input() {
    insta::assert_snapshot!(analysis("constant_cost", &WIDE));
}

#[test]
fn an_exponential_cost_has_a_logarithmic_axis() {
    insta::assert_snapshot!(analysis("regex_backtrack", &WIDE));
}

#[test]
fn a_check_is_offered_where_it_can_hold() {
    let offered = |analysis: &Analysis| render_analysis(analysis, &WIDE).contains("pessimum check");
    let mut analysis: Analysis = read("insertion_sort");
    assert!(offered(&analysis));
    analysis.fit.bound = Bound::AtLeast;
    assert!(!offered(&analysis), "a check does not pass on inputs that were found");
    let mut analysis: Analysis = read("insertion_sort");
    analysis.cut_by = Some(Cut::Time);
    assert!(!offered(&analysis), "a check does not pass on a run that was cut");
    let mut analysis: Analysis = read("insertion_sort");
    analysis.parameters.command.push("--vary=n,m".to_owned());
    assert!(!offered(&analysis), "a check knows n alone");
}

#[test]
fn an_exploration() {
    insta::assert_snapshot!(render_exploration(&read::<Exploration>("explore_4"), &WIDE));
}

#[test]
fn an_exploration_that_was_cut() {
    insta::assert_snapshot!(render_exploration(&read::<Exploration>("explore_cut"), &WIDE));
}

#[test]
fn an_exploration_with_traps() {
    insta::assert_snapshot!(render_exploration(&read::<Exploration>("explore_trap"), &WIDE));
}

#[test]
fn explorations_of_several_sizes() {
    #[derive(serde::Deserialize)]
    struct Range {
        results: Vec<Exploration>,
    }
    let range = read::<Range>("explore_range").results;
    insta::assert_snapshot!(render_explorations(&range, &WIDE));
}

#[test]
fn a_replay() {
    insta::assert_snapshot!(render_replay(&read::<Replay>("replay"), &WIDE));
}

#[test]
fn a_replay_that_trapped() {
    insta::assert_snapshot!(render_replay(&read::<Replay>("replay_trap"), &WIDE));
}

#[test]
fn a_check_that_passes() {
    insta::assert_snapshot!(render_check(&read::<Check>("check_ok"), &WIDE));
}

#[test]
fn a_check_that_fails() {
    insta::assert_snapshot!(render_check(&read::<Check>("check_worse"), &WIDE));
}

#[test]
fn a_check_that_cannot_tell() {
    insta::assert_snapshot!(render_check(&read::<Check>("check_inconclusive"), &WIDE));
}

#[test]
fn without_colour_there_is_no_escape_code_and_with_it_the_text_is_the_same() {
    let strip = |text: &str| {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('\x1b') {
            out.push_str(&rest[..at]);
            rest = rest[at..].split_once('m').expect("an escape code ends").1;
        }
        out + rest
    };
    for name in
        ["insertion_sort", "merge_sort", "trap_division", "constant_cost", "regex_backtrack"]
    {
        let plain = analysis(name, &WIDE);
        assert!(!plain.contains('\x1b'));
        assert_eq!(strip(&analysis(name, &COLOR)), plain);
    }
}

#[test]
fn a_comparison_of_two_builds() {
    insta::assert_snapshot!(render_diff(&read::<Diff>("diff_worse"), &TerminalStyle::default()));
}

#[test]
fn a_comparison_for_a_pull_request() {
    insta::assert_snapshot!(markdown_diff(&read::<Diff>("diff_worse")));
}

#[test]
fn source_with_costs() {
    let lines = (1..=30).map(|line| format!("line {line};"));
    let file = SourceFile {
        hottest: None,
        name: "sort.c".to_owned(),
        lines: lines.collect(),
        not_read: None,
        counted: String::new(),
        heat: vec![Heat { n: 9, lines: vec![(4, 900), (5, 1_100), (20, 3)] }],
    };
    insta::assert_snapshot!(render_annotated(&[file], &TerminalStyle::default()));
}
