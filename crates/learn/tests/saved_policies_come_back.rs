//! Policies survive saving, read well, and files that do not fit are turned away by name.

use crate::common;

use std::collections::BTreeSet;

use common::{paths, trees};
use pessimum_learn::saved::{Document, LoadError, SaveError, diff, graphviz, load, save, show};
use pessimum_learn::{
    Branch, BranchPolicy, Decision, FrequencyInvariants, HistoryLimit, HistoryOptions,
    HistoryPolicy, Level, Openness, SavedPolicy, SiteId, SiteInfo, SiteKey, SiteList, least_policy,
};
use proptest::prelude::*;

fn info(site: u32, arms: u32, line: Option<&str>) -> SiteInfo {
    SiteInfo {
        key: SiteKey { function_hash: 0xfeed_0000_0000_0001, offset: 16 * site },
        arms,
        function: Some("sort".to_owned()),
        line: line.map(str::to_owned),
        sides: Vec::new(),
    }
}

fn table() -> SiteList {
    let sites = vec![
        info(0, 2, Some("sort.c:6")),
        info(1, 2, Some("sort.c:12")),
        info(2, 2, None),
        info(3, 3, Some("sort.c:20")),
    ];
    SiteList::new(vec![0xfeed_0000_0000_0001, 2], sites)
}

/// The same sites under other numbers, as another run might number them.
fn renumbered() -> SiteList {
    let sites = vec![
        info(3, 3, Some("sort.c:20")),
        info(9, 2, None),
        info(2, 2, None),
        info(1, 2, Some("sort.c:12")),
        info(0, 2, Some("sort.c:6")),
    ];
    SiteList::new(vec![0xfeed_0000_0000_0001, 2], sites)
}

fn wise(levels: &[(u32, u32, Level)], seen: &[u32]) -> SavedPolicy {
    let level = |&(site, choice, level): &(u32, u32, Level)| {
        let site = SiteId(site);
        (Branch { site, choice }, level)
    };
    SavedPolicy::Wise {
        policy: levels.iter().map(level).collect(),
        seen: seen.iter().copied().map(SiteId).collect(),
    }
}

fn example() -> SavedPolicy {
    let levels = [
        (0, 1, Level::Always),
        (1, 0, Level::Always),
        (1, 1, Level::IfForced),
        (3, 0, Level::Always),
        (3, 2, Level::Always),
    ];
    wise(&levels, &[0, 1, 2, 3])
}

fn alternating() -> Vec<Decision> {
    let decision = |i| Decision {
        site: SiteId(if i == 0 { 1 } else { 0 }),
        choice: i % 2,
        arms: 2,
        openness: Openness::Open,
        prev: i,
    };
    (0..6).map(decision).collect()
}

fn history(limit: HistoryLimit) -> SavedPolicy {
    HistoryPolicy::learn([&alternating()[..]], HistoryOptions::new(limit)).into()
}

proptest! {
    #[test]
    fn saved_and_loaded_they_are_the_same(tree in trees(), h in 0u32..3) {
        let all = paths(&tree);
        let limits = [HistoryLimit::Fixed(h), HistoryLimit::Adaptive, HistoryLimit::Unlimited];
        let histories = limits.map(|limit| {
            let paths = all.iter().map(|(path, _)| &path[..]);
            SavedPolicy::from(HistoryPolicy::learn(paths, HistoryOptions::new(limit)))
        });
        // The same path at every size: whatever it does, it does as often at each.
        let counts = FrequencyInvariants::learn((1..=3).map(|n| (n, &all[0].0[..])));
        let counted = HistoryPolicy::learn([&all[0].0[..]], HistoryOptions::new(limits[0]));
        let counted = SavedPolicy::from(counted.with_counts(counts));
        let policy: BranchPolicy = all.iter().fold(BranchPolicy::bottom(), |join, (path, _)| join.join(&least_policy(path)));
        let seen: BTreeSet<SiteId> = policy.sites();
        for saved in histories.into_iter().chain([counted, SavedPolicy::Wise { policy, seen }]) {
            // What is spoken about was met.
            let met = saved.sites();
            let saved = match saved {
                SavedPolicy::History(policy) => SavedPolicy::History(policy.with_seen(met)),
                wise => wise,
            };
            let text = save(&saved, &table()).unwrap();
            let loaded = load(&text, &table()).unwrap();
            prop_assert_eq!(&loaded, &saved);
            prop_assert_eq!(save(&loaded, &table()).unwrap(), text.clone());
            // Numbers change from run to run, sites do not.
            let elsewhere = load(&text, &renumbered()).unwrap();
            let back = load(&save(&elsewhere, &renumbered()).unwrap(), &table()).unwrap();
            prop_assert_eq!(&back, &saved);
        }
    }

    #[test]
    fn no_text_makes_loading_panic(text in "\\PC{0,40}", cut in 0usize..2000) {
        let _ = load(&text, &table());
        let whole = save(&history(HistoryLimit::Adaptive), &table()).unwrap();
        let cut: String = whole.chars().take(cut).collect();
        let _ = load(&cut, &table());
    }
}

#[test]
fn a_branch_policy_reads_as_advice() {
    let expected = "\
wise policy, 4 sites
sort.c:6   take the other side whenever feasible
sort.c:12  take the one side whenever feasible, the other side only when forced
sort+0x20  avoid: no worst path comes here
sort.c:20  take arm 0 or arm 2 whenever feasible
";
    assert_eq!(show(&example(), &table()), expected);
}

#[test]
fn counts_read_as_a_sentence_each() {
    let SavedPolicy::History(policy) = history(HistoryLimit::Fixed(0)) else {
        unreachable!("a history was learned")
    };
    let path = alternating();
    let counts = FrequencyInvariants::learn([(1, &path[..]), (2, &path[..]), (3, &path[..])]);
    let (plain, counted) = (policy.clone().into(), policy.with_counts(counts).into());
    let shown = show(&counted, &table());
    assert!(shown.starts_with(&show(&plain, &table())), "{shown}");
    assert!(shown.contains("take the other side at sort.c:6"), "{shown}");
    assert!(diff(&plain, &counted, &table()).lines().all(|line| line.starts_with("+ take ")));
}

#[test]
fn a_history_policy_reads_as_advice() {
    let expected = "\
history policy, 2 sites
sort.c:6   looks 1 back, resolved
    after the one side: take the other side whenever feasible
    after the other side: take the one side whenever feasible
    after the one side at sort.c:12: take the other side whenever feasible
sort.c:12  take the one side whenever feasible
";
    assert_eq!(show(&history(HistoryLimit::Adaptive), &table()), expected);
    let memoryless = "\
memoryless policy, 2 sites
sort.c:6   follow both sides
sort.c:12  take the one side whenever feasible
";
    assert_eq!(show(&history(HistoryLimit::Fixed(0)), &table()), memoryless);
}

#[test]
fn a_difference_names_the_sites_that_differ() {
    let other = wise(&[(0, 1, Level::Always), (0, 0, Level::Always)], &[0]);
    let one = wise(&[(0, 1, Level::Always), (1, 1, Level::Always)], &[0, 1]);
    let expected = "\
- sort.c:6   take the other side whenever feasible
+ sort.c:6   follow both sides
- sort.c:12  take the other side whenever feasible
";
    assert_eq!(diff(&one, &other, &table()), expected);
    assert_eq!(diff(&one, &one, &table()), "");
}

#[test]
fn documents_are_unified_without_their_module() {
    let a = Document::of(&wise(&[(0, 1, Level::Always)], &[0]), &table()).unwrap();
    let b = Document::of(&wise(&[(3, 0, Level::IfForced)], &[3]), &renumbered()).unwrap();
    let list = Document::site_list([&a, &b]);
    let both = a.policy(&list).unwrap().unify(&b.policy(&list).unwrap()).unwrap();
    let text = save(&both, &list).unwrap();
    // What `renumbered` calls site 3 is site 1 of the table.
    let expected = wise(&[(0, 1, Level::Always), (1, 0, Level::IfForced)], &[0, 1]);
    assert_eq!(load(&text, &table()).unwrap(), expected);
    assert!(both.unify(&history(HistoryLimit::Adaptive)).is_err());
}

#[test]
fn the_drawing_has_an_edge_per_decision_back() {
    let SavedPolicy::History(policy) = history(HistoryLimit::Fixed(1)) else {
        panic!("a history policy");
    };
    let drawing = graphviz(&policy, &table());
    assert_eq!(drawing.matches(" -> ").count(), 3);
    assert!(
        drawing.contains("label=\"sort.c:6\"")
            && drawing.contains("label=\"the one side at sort.c:12\"")
    );
}

#[test]
fn another_version_is_named() {
    let text = save(&example(), &table()).unwrap().replace("\"schema\": 1", "\"schema\": 2");
    let error = load(&text, &table()).unwrap_err();
    assert!(matches!(&error, LoadError::Version { found } if found == "2"));
    assert_eq!(error.to_string(), "the policy file has schema 2; this version reads schema 1");
}

#[test]
fn another_module_is_named() {
    let text = save(&example(), &table()).unwrap();
    let other = SiteList::new(vec![0xfeed_0000_0000_0001, 3], Vec::new());
    let error = load(&text, &other).unwrap_err();
    assert!(matches!(error, LoadError::OtherModule { differing: 1, of: 2 }));
}

#[test]
fn an_unknown_site_is_named() {
    let text = save(&example(), &table()).unwrap();
    let fewer = SiteList::new(vec![0xfeed_0000_0000_0001, 2], vec![info(0, 2, None)]);
    let error = load(&text, &fewer).unwrap_err();
    assert!(
        matches!(&error, LoadError::UnknownSite { site, key } if site == "sort.c:12" && key.offset == 16)
    );
}

#[test]
fn files_that_contradict_themselves_are_turned_away() {
    let text = save(&example(), &table()).unwrap();
    let choice = text.replacen("\"1\": \"1\"", "\"4000000000\": \"1\"", 1);
    assert!(matches!(
        load(&choice, &table()),
        Err(LoadError::UnknownChoice { choice: 4_000_000_000, .. })
    ));
    let twice = text.replacen("\"offset\": 16,", "\"offset\": 0,", 1);
    assert!(matches!(load(&twice, &table()), Err(LoadError::RepeatedSite { .. })));
    let level = text.replacen("\"1/2\"", "\"1/3\"", 1);
    assert!(matches!(load(&level, &table()), Err(LoadError::NotAPolicy(_))));
    let text = save(&history(HistoryLimit::Adaptive), &table()).unwrap();
    let limit = text.replacen("\"history\": \"adaptive\",", "", 1);
    assert!(matches!(load(&limit, &table()), Err(LoadError::Incomplete { .. })));
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file["sites"][0]["histories"][0]["after"][0][0] = 7.into();
    assert!(matches!(
        load(&file.to_string(), &table()),
        Err(LoadError::UnlistedSite { index: 7, of: 2 })
    ));
    assert!(matches!(load("{}", &table()), Err(LoadError::NotAPolicy(_))));
}

#[test]
fn sites_that_a_file_could_not_tell_apart_are_not_saved() {
    let twins = SiteList::new(vec![1], vec![info(0, 2, None), info(0, 2, None)]);
    let policy = wise(&[(1, 1, Level::Always)], &[]);
    assert!(matches!(save(&policy, &twins), Err(SaveError::SameKey(..))));
    let policy = wise(&[(8, 1, Level::Always)], &[]);
    assert_eq!(save(&policy, &twins), Err(SaveError::UnknownSite(SiteId(8))));
}
