//! What `analyze` says to a person.

use unicode_width::UnicodeWidthStr;

use super::input;
use super::next_steps::{next_steps, value};
use super::number::{grouped, mean, paths_in_short, seconds, sizes, times};
use super::plot::{Series, plot};
use super::section::{Line, MARGIN, Page};
use super::style::{Role, TerminalStyle};
use super::table::{Column, Table};
use crate::document::{
    Analysis, Basis, Bound, Cut, Fit, Independence, Method, Policy, Refuting, Replayed, SitePolicy,
    Size,
};
use crate::growth::written;

/// More rows than this are not a table anyone reads; the middle is left out.
const MOST_ROWS: usize = 40;

/// Sizes of a range that are looked at one by one.
const MOST_NAMED: usize = 10_000;

/// Histories that are listed for one branch.
const MOST_CASES: usize = 6;

/// More sites than this are left to the report page.
const MOST_SITES: usize = 12;

/// The whole answer as text: the table, a plot, growth, policy, worst input, findings, next steps.
pub fn render_analysis(analysis: &Analysis, style: &TerminalStyle) -> String {
    let rows = by_size(analysis);
    let mut page = Page::new(style, &analysis.program, &analysis.cost_model);
    if let Some(learned) = analysis.learn_cost.as_ref().filter(|c| **c != analysis.cost_model) {
        page.raw(&style.paint(Role::Faint, &style.chars(&format!("learned from: {learned}"))));
        page.raw("\n");
    }
    page.gap();
    page.raw(&table(&asked(analysis, &rows), style));
    page.raw(&others(analysis, &rows, style));
    page.gap();
    page.raw(&chart(analysis, &rows, style));
    page.section("Growth", &growth(analysis, &rows));
    page.section("Policy", &policy(analysis, &rows, style));
    let mut found = worst(&rows, &analysis.cost_model, style);
    found.extend(hottest(analysis, &rows));
    page.section("Worst", &found);
    page.findings(&analysis.findings);
    page.section("Next", &next_steps(analysis));
    page.finish()
}

/// Every size that was run, the asked and the other ones, in order, each once.
pub(crate) fn by_size(analysis: &Analysis) -> Vec<&Size> {
    let mut rows: Vec<&Size> = analysis.sizes.iter().collect();
    rows.extend(
        analysis.training.iter().filter(|t| !analysis.sizes.iter().any(|asked| asked.n == t.n)),
    );
    rows.sort_by_key(|s| s.n);
    rows
}

/// The rows of the table: where sizes were named, those.
fn asked<'a>(analysis: &Analysis, rows: &[&'a Size]) -> Vec<&'a Size> {
    let named = names_sizes(analysis);
    let is_asked = |n: u64| analysis.sizes.iter().any(|size| size.n == n);
    rows.iter().copied().filter(|row| !named || is_asked(row.n)).collect()
}

/// The sizes that were run beside those that were named, and of those the ones that were not reached.
fn others(analysis: &Analysis, rows: &[&Size], style: &TerminalStyle) -> String {
    if !names_sizes(analysis) {
        return String::new();
    }
    let shown = asked(analysis, rows);
    let others = rows.iter().filter(|row| !shown.iter().any(|other| other.n == row.n));
    let others: Vec<u64> = others.map(|row| row.n).collect();
    let mut out = String::new();
    if !others.is_empty() {
        let line = format!("Run as well, to learn from and to fit: n = {}", sizes(&others));
        paragraph(&line, Role::Faint, style, &mut out);
    }
    let reached = |n: u64| rows.iter().any(|row| row.n == n && row.worst_cost.is_some());
    let missed: Vec<u64> = named_sizes(analysis).into_iter().filter(|n| !reached(*n)).collect();
    if !missed.is_empty() {
        let line = format!("Not reached: n = {}", sizes(&missed));
        paragraph(&line, Role::Warning, style, &mut out);
    }
    out
}

fn paragraph(text: &str, role: Role, style: &TerminalStyle, out: &mut String) {
    for line in style.wrap(text, 0, 0).lines() {
        out.push_str(&style.paint(role, line));
        out.push('\n');
    }
}

fn names_sizes(analysis: &Analysis) -> bool {
    value(&analysis.parameters.command, "--sizes").is_some()
}

/// The sizes that the command names: `10,30` or `1..=6`.
fn named_sizes(analysis: &Analysis) -> Vec<u64> {
    let text = value(&analysis.parameters.command, "--sizes").unwrap_or_default();
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim) {
        match part.split_once("..=").map(|(low, high)| (low.parse(), high.parse::<u64>())) {
            Some((Ok(low), Ok(high))) => all.extend((low..=high).take(MOST_NAMED)),
            Some(_) => {}
            None => all.extend(part.parse::<u64>()),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn table(rows: &[&Size], style: &TerminalStyle) -> String {
    let mut table = Table::new([
        Column::number("n"),
        Column::number("worst cost").role(Role::Worst),
        Column::number("random cost").role(Role::Random),
        Column::number("paths"),
        Column::number("solver calls").expendable(3),
        Column::number("seconds").expendable(2),
        Column::word("method").expendable(1),
        Column::word("exact"),
    ]);
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    let head = if left_out > 0 { MOST_ROWS / 2 } else { rows.len() };
    for (i, size) in rows.iter().enumerate() {
        if (head..head + left_out).contains(&i) {
            if i == head {
                let more = format!("({left_out} more)");
                table.row(Some(Role::Faint), [style.ellipsis().to_owned(), more]);
            }
            continue;
        }
        let exact = match &size.cut_by {
            _ if size.exact => "yes".to_owned(),
            Some(by) => format!("no, cut by {by}"),
            None => "no".to_owned(),
        };
        table.row(
            None,
            [
                size.n.to_string(),
                size.worst_cost.map_or("-".into(), grouped),
                size.random_cost.map_or("-".into(), |r| mean(r.mean)),
                paths_in_short(size.paths, size.paths_exact.as_deref()),
                grouped(size.effort.solver_calls),
                seconds(size.effort.seconds),
                size.method.to_string(),
                exact,
            ],
        );
    }
    table.render(style)
}

fn chart(analysis: &Analysis, rows: &[&Size], style: &TerminalStyle) -> String {
    let worst = rows.iter().filter_map(|s| Some((s.n as f64, s.worst_cost? as f64)));
    let random = rows.iter().filter_map(|s| Some((s.n as f64, s.random_cost?.mean)));
    let series = [
        Series { name: "worst", role: Role::Worst, solid: true, points: worst.collect() },
        Series { name: "random", role: Role::Random, solid: false, points: random.collect() },
    ];
    // A cost that doubles with every step is a wall on a linear axis and a line on this one.
    let class = analysis.fit.class.as_deref().unwrap_or("");
    let log = class.ends_with("^n") || class.ends_with('!');
    let chart = plot(&series, log, style);
    if chart.is_empty() {
        return chart;
    }
    let title = if log { "cost (logarithmic)" } else { "cost" };
    format!("{}\n{chart}", style.paint(Role::Faint, title))
}

fn growth(analysis: &Analysis, rows: &[&Size]) -> Vec<Line> {
    let fit = &analysis.fit;
    let mut lines = Vec::new();
    match rows.iter().any(|s| s.worst_cost.is_some()) {
        true => lines.push(Line::of(Role::Heading, fit.summary.as_str())),
        false => lines.push(Line::warning("no class: no size gave a cost")),
    }
    lines.extend(independence(analysis.cost_independent_of_input, rows));
    lines.push(basis(fit, rows));
    lines.extend(analysis.cut_by.map(cut));
    lines.extend(analysis.refuting.map(|tried| refuting(fit.bound, tried)));
    let unconfirmed: Vec<u64> = rows
        .iter()
        .filter(|s| s.worst_cost.is_some() && s.replayed.is_none())
        .map(|s| s.n)
        .collect();
    let not_made = [
        (Replayed::TooLong, "is too long for the independent engine"),
        (Replayed::OutOfTime, "was not made again in the independent engine, as the time was over"),
    ];
    let mut each = "Each";
    for (why, words) in not_made {
        let rows = rows.iter().filter(|s| s.replayed == Some(why));
        let rows: Vec<u64> = rows.map(|s| s.n).collect();
        if !rows.is_empty() {
            each = "Every other";
            lines.push(Line::faint(format!(
                "The run of n = {} {words}; its cost was counted by us alone.",
                sizes(&rows)
            )));
        }
    }
    if unconfirmed.is_empty() {
        lines.push(Line::faint(format!(
            "{each} worst input was run again in an independent engine."
        )));
    } else {
        lines.push(Line::warning(format!(
            "The worst input of n = {} was not confirmed by the independent engine.",
            sizes(&unconfirmed)
        )));
    }
    lines
}

/// What the search that attacked the claim did, and what came of it.
fn refuting(bound: Bound, tried: Refuting) -> Line {
    let runs = grouped(tried.runs);
    match bound {
        Bound::Exact => Line::plain(format!(
            "A search of {runs} runs tried to refute it and found nothing worse."
        )),
        Bound::AtLeast => Line::warning(format!(
            "A search of {runs} runs refuted what the smaller sizes suggested: costlier inputs exist."
        )),
    }
}

/// What is known of whether the input matters at all.
fn independence(found: Independence, rows: &[&Size]) -> Option<Line> {
    match found {
        Independence::Proven => {
            Some(Line::plain("Inputs of one size all cost the same: the cost depends on n alone."))
        }
        Independence::NotFound => {
            let exact: Vec<u64> = rows.iter().filter(|s| s.exact).map(|s| s.n).collect();
            let runs: u64 = rows.iter().filter_map(|s| s.random_cost).map(|r| r.samples).sum();
            let upto = exact.last().map_or(String::new(), |n| format!(", exact to n = {n}"));
            Some(Line::plain(format!(
                "No dependence on the input was found{upto}, {} runs agree.",
                grouped(runs)
            )))
        }
        Independence::No => None,
    }
}

/// How sure the costs themselves are, as opposed to the formula drawn through them.
fn basis(fit: &Fit, rows: &[&Size]) -> Line {
    let exact: Vec<u64> = rows.iter().filter(|s| s.exact).map(|s| s.n).collect();
    if let (Some(class), Bound::AtLeast) = (&fit.class, fit.bound) {
        let explored = match exact.as_slice() {
            [] => String::new(),
            exact => {
                let or_merged = or_merged(rows);
                let comma = if or_merged.is_empty() { "" } else { "," };
                format!(" Every path was explored{or_merged}{comma} at n = {}.", sizes(exact))
            }
        };
        let found = "inputs found; worse ones are not ruled out.";
        let largest = rows.iter().map(|s| s.n).max();
        let beyond = fit.family.iter().map(|at| at.n).max().filter(|n| Some(*n) > largest);
        let followed = match beyond {
            Some(n) => format!(" Inputs of one recipe were run up to n = {n} to tell."),
            None => String::new(),
        };
        let class = written(class);
        return Line::warning(format!("At least {class}: {found}{explored}{followed}"));
    }
    let or_merged = or_merged(rows);
    match fit.basis {
        Basis::Proven => Line::of(
            Role::Good,
            format!(
                "Proven at n = {}: every feasible path was explored{or_merged}. Beyond, the class is \
                 extrapolated.",
                sizes(&exact)
            ),
        ),
        Basis::Validated => Line::of(
            Role::Good,
            format!(
                "Validated: every path was explored{or_merged}{} at n = {}; beyond, a policy that met \
                 the exhaustive worst case at sizes it had not seen.",
                if or_merged.is_empty() { "" } else { "," },
                sizes(&exact)
            ),
        ),
        Basis::LowerBound if exact.is_empty() => Line::warning(
            "A lower bound: inputs this slow exist; slower ones are not ruled out at any size.",
        ),
        Basis::LowerBound => Line::warning(format!(
            "A lower bound: inputs this slow exist; slower ones are ruled out only at n = {}.",
            sizes(&exact)
        )),
    }
}

/// What is to be added to "every path was explored" where some were merged.
fn or_merged(rows: &[&Size]) -> &'static str {
    let merged = rows.iter().any(|s| s.exact && s.method == Method::Merged);
    if merged { ", or has the future of one that was" } else { "" }
}

/// That the run did not come to its end.
pub(super) fn cut(by: Cut) -> Line {
    Line::warning(match by {
        Cut::Interrupt => "Stopped (Ctrl-C) before its end: this is what was known.".to_owned(),
        Cut::Time => "Cut by --time before its end.".to_owned(),
        Cut::Memory => "Cut by --memory before its end.".to_owned(),
        other => format!("Cut by {other} before its end."),
    })
}

fn policy(analysis: &Analysis, rows: &[&Size], style: &TerminalStyle) -> Vec<Line> {
    let Some(policy) = &analysis.policy else {
        return Vec::new();
    };
    let mut head = format!("{}, learned on n = {}", policy.kind, sizes(&policy.trained_on));
    head.push_str(&match (policy.validated, policy.validated_on.as_slice()) {
        (true, on) => format!(", validated on n = {}", sizes(on)),
        (false, []) => ", not validated".to_owned(),
        (false, on) => {
            format!(", not validated (what smaller sizes teach held on n = {} only)", sizes(on))
        }
    });
    let role = if policy.validated { Role::Good } else { Role::Warning };
    let mut lines = vec![Line::of(role, head)];
    if !policy.why.is_empty() {
        lines.push(Line::faint(policy.why.as_str()));
    }
    if let Some((other, is_policy)) = otherwise(policy, rows) {
        lines.push(Line::plain(other));
        // Advice on every branch would be advice on other inputs than those that were found.
        if !policy.validated && !is_policy {
            lines.push(Line::faint("What the policy does is in --html and --json."));
            return lines;
        }
    }
    let shown = &policy.sites[..policy.sites.len().min(MOST_SITES)];
    lines.extend(advice(shown, style));
    if policy.sites.len() > shown.len() {
        let more = policy.sites.len() - shown.len();
        lines.push(Line::faint(format!("and {more} more, all in --html and --json")));
    }
    lines
}

/// How the largest input was found, if not by the policy as it was learned; and whether the policy tells it all the same.
fn otherwise(policy: &Policy, rows: &[&Size]) -> Option<(String, bool)> {
    let largest = rows.iter().rev().find(|size| size.worst_cost.is_some())?;
    let n = largest.n;
    let how = match largest.method {
        _ if largest.exact || policy.kind.starts_with(largest.method.word()) => return None,
        Method::Staged => {
            let by = "this policy and branches that it learned on the way, at the sizes that first meet them";
            return Some((format!("The input of n = {n} (staged) was found by {by}."), true));
        }
        Method::Search => "a search: inputs were tried, stretched and varied",
        Method::Synth => {
            "synth: the conditions of a path were written down for that size and solved"
        }
        Method::Exhaustive | Method::Merged => "a walk over its paths that was cut",
        Method::Wise | Method::Memoryless | Method::History => "another policy",
    };
    let only =
        "The policy is what was learned at small sizes; it does not say what that input does.";
    Some((format!("The input of n = {n} was found by {how}. {only}"), false))
}

/// What a site says: `stay in the loop (line 10) whenever feasible, first where a[0] > a[1]`.
fn said(site: &SitePolicy) -> String {
    match &site.condition {
        // It may be the name of the side already.
        Some(condition) if !site.advice.contains(condition.as_str()) => {
            format!("{}, first where {condition}", site.advice)
        }
        _ => site.advice.clone(),
    }
}

/// `sort.c:6:12  a[j] > x   take true whenever feasible` in columns, or the source below where
/// the terminal has no room for three of them.
fn advice(sites: &[SitePolicy], style: &TerminalStyle) -> Vec<Line> {
    let widest = |of: fn(&SitePolicy) -> String| {
        sites.iter().map(|s| of(s).trim().width()).max().unwrap_or(0)
    };
    let (at, text) = (widest(|s| s.at.clone()), widest(|s| s.text.clone()));
    let beside = MARGIN + at + text + widest(said) + 5 <= style.width;
    let mut lines = Vec::new();
    for site in sites {
        let advice = said(site);
        let place = format!("{}{}", site.at, " ".repeat(at.saturating_sub(site.at.width())));
        let source = site.text.trim();
        if text == 0 {
            lines.push(Line::plain(format!("{place}  {advice}")).whole());
        } else if beside {
            let padding = " ".repeat(text - source.width());
            lines.push(Line::plain(format!("{place}  {source}{padding}   {advice}")).whole());
        } else {
            lines.push(Line::plain(format!("{place}  {advice}")).hang(2));
            let room = style.width.saturating_sub(MARGIN + 2).max(20);
            lines.push(Line::faint(format!("  {}", style.fit(source, room))).whole());
        }
        let shown = &site.cases[..site.cases.len().min(MOST_CASES)];
        lines.extend(shown.iter().map(|case| Line::faint(format!("  {case}")).hang(4)));
        if site.cases.len() > shown.len() {
            let more = site.cases.len() - shown.len();
            lines.push(Line::faint(format!("  and {more} more, all in --html and --json")));
        }
    }
    let of_values = |site: &&SitePolicy| {
        site.condition.is_some() || ["way of ", "way than "].iter().any(|w| site.advice.contains(w))
    };
    let told: Vec<String> = sites.iter().filter(of_values).map(said).collect();
    if told.iter().any(|advice| has_numbered(advice)) {
        let told =
            "x0, x1, … are the values of the input in order, of the smallest size that comes there";
        lines.push(Line::faint(told));
    } else if !told.is_empty() {
        let told = "the values are those of the input, of the smallest size that comes there";
        lines.push(Line::faint(told));
    }
    lines
}

/// Whether a value is called by its number: `x3`.
fn has_numbered(advice: &str) -> bool {
    let word = |c: char| !c.is_alphanumeric() && c != '_';
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    advice.split(word).any(|word| word.strip_prefix('x').is_some_and(number))
}

/// Where the time goes, if an input was profiled.
fn hottest(analysis: &Analysis, rows: &[&Size]) -> Option<Line> {
    let shown = rows.iter().rev().find(|s| s.input.is_some()).map(|s| s.n);
    let (file, hot) = analysis.source.iter().find_map(|f| Some((&f.name, f.hottest.as_ref()?)))?;
    Some(Line::plain(format!("{}.", hot.told(file, shown))))
}

/// The input of the greatest size, and how it compares with a random one.
fn worst(rows: &[&Size], cost_model: &str, style: &TerminalStyle) -> Vec<Line> {
    let Some(size) = rows.iter().rev().find(|s| s.input.is_some()) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if let Some(found) = &size.input {
        let head = format!("n = {}: ", size.n);
        let room = style.width.saturating_sub(MARGIN + head.len()).max(20);
        let blank = " ".repeat(head.len());
        for (i, text) in input::lines(found, room, style).into_iter().enumerate() {
            let before = if i == 0 { &head } else { &blank };
            lines.push(Line::plain(format!("{before}{text}")).whole());
        }
    }
    let random = size.random_cost.map(|cost| cost.mean).filter(|mean| *mean > 0.0);
    if let (Some(cost), Some(random)) = (size.worst_cost, random)
        && cost_model != "instructions"
    {
        lines.push(Line::plain(format!(
            "cost {}, {}× that of a random input of the same size ({})",
            grouped(cost),
            times(cost as f64 / random),
            mean(random)
        )));
    }
    if let Some(counted) = size.instructions {
        let text = match counted.random_mean.filter(|m| *m > 0.0) {
            Some(random) => format!(
                "{} instructions, {}× those of a random input ({})",
                grouped(counted.worst),
                times(counted.worst as f64 / random),
                mean(random)
            ),
            None => format!("{} instructions", grouped(counted.worst)),
        };
        lines.push(Line::plain(text));
    }
    lines
}
