//! Documents come from files: whatever their numbers and words, rendering ends with text.

use pessimum_report::document::{
    Analysis, Cut, Effort, Finding, Fit, Independence, Input, Instructions, Method, Parameters,
    Policy, Program, RandomCost, SCHEMA, SitePolicy, Size,
};
use pessimum_report::escape::acts;
use pessimum_report::export::analysis_inputs;
use pessimum_report::{TerminalStyle, html, render_analysis};
use proptest::prelude::*;
use serde_json::json;

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,12}", ".{0,30}", Just("文字列 </script> \u{1b}[31m\n".to_owned())]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-1.0), Just(1e300), 0.0..1e6, Just(f64::MIN_POSITIVE)]
}

fn input() -> impl Strategy<Value = Input> {
    let values = prop_oneof![
        prop::collection::vec(any::<i64>(), 0..40).prop_map(|v| json!(v)),
        prop::collection::vec(word(), 0..3).prop_map(|v| json!(v)),
        Just(json!({"not": "a list"})),
    ];
    (values, prop_oneof!["[A-Za-z0-9+/=]{0,20}", word()]).prop_map(|(values, bytes)| {
        let structure = values.is_object().then(|| values.clone());
        Input { values, bytes, structure }
    })
}

fn size() -> impl Strategy<Value = Size> {
    let numbers = (any::<u64>(), prop::option::of(any::<u64>()), number(), any::<bool>());
    let cuts = prop::option::of(prop::sample::select(vec![Cut::Time, Cut::Structures]));
    let words = (prop::sample::select(&Method::ALL[..]), cuts, prop::option::of(input()));
    (numbers, words).prop_map(|((n, worst_cost, x, exact), (method, cut_by, input))| Size {
        n,
        worst_cost,
        random_cost: Some(RandomCost { mean: x, max: n, samples: 1 }),
        instructions: Some(Instructions { worst: n, random_mean: Some(x) }),
        exact,
        paths: Some(n).filter(|_| exact),
        paths_exact: Some(n.to_string()).filter(|_| n % 2 == 0),
        effort: Effort { solver_calls: n, seconds: x, ..Effort::default() },
        method,
        input,
        replayed: None,
        cut_by,
    })
}

fn analysis() -> impl Strategy<Value = Analysis> {
    let site = (word(), word(), word(), prop::option::of(any::<u32>())).prop_map(
        |(at, text, advice, line)| SitePolicy {
            at,
            file: None,
            line,
            function: String::new(),
            text,
            condition: advice.chars().next().map(String::from),
            cases: Vec::from([advice.clone()]),
            advice,
        },
    );
    let policy = (prop::collection::vec(site, 0..15), prop::collection::vec(any::<u64>(), 0..9))
        .prop_map(|(sites, on)| Policy {
            kind: "wise".into(),
            validated: on.len() > 4,
            validated_on: on.clone(),
            trained_on: on,
            sites,
            why: String::new(),
        });
    let finding =
        (word(), word(), prop::option::of(any::<u64>()), prop::option::of(input())).prop_map(
            |(kind, message, n, input)| Finding { kind, message, at: None, n, input, cause: None },
        );
    let fit = prop_oneof![
        Just(json!({})),
        word().prop_map(|w| json!({"class": w, "summary": w, "basis": "validated"})),
        word().prop_map(|w| json!({"class": "2^n", "formula": w, "bound": "at_least"})),
    ];
    let fit = fit.prop_map(|json| serde_json::from_value::<Fit>(json).expect("a fit"));
    (
        prop::collection::vec(size(), 0..50),
        prop::option::of(policy),
        prop::collection::vec(finding, 0..4),
        prop::collection::vec(word(), 0..5),
        fit,
        word(),
    )
        .prop_map(|(sizes, policy, findings, command, fit, module)| Analysis {
            schema: SCHEMA,
            program: Program { module, ..Program::default() },
            cost_model: "conditionals".into(),
            cost_version: None,
            learn_cost: None,
            sizes,
            training: Vec::new(),
            fit,
            policy,
            cost_independent_of_input: Independence::NotFound,
            refuting: None,
            findings,
            cut_by: None,
            parameters: Parameters { command, ..Parameters::default() },
            source: Vec::new(),
            tree: None,
            graphs: Vec::new(),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn an_analysis_is_rendered(
        analysis in analysis(),
        width in 0usize..200,
        unicode in any::<bool>(),
    ) {
        let style = TerminalStyle { width, color: false, unicode };
        let text = render_analysis(&analysis, &style);
        prop_assert!(text.ends_with('\n'));
        prop_assert!(text.chars().all(|c| c == '\n' || !acts(c)), "{text:?}");
        prop_assert!(unicode || text.is_ascii());
        let page = html(&analysis);
        prop_assert_eq!(page.matches("</script>").count(), 2);
        for file in analysis_inputs(&analysis, |_| true, &|_, _| None) {
            prop_assert!(!file.name.contains(".."));
        }
    }
}
