//! What `check` says to a person: one line per size, one per rule, the verdict last.

use super::analysis::cut;
use super::diff::cell;
use super::input;
use super::number::grouped;
use super::section::{Line, MARGIN, Page};
use super::style::{Role, TerminalStyle};
use super::table::{Column, Table};
use crate::document::{Check, CheckSize, Verdict};

/// The answer as text. Its last line is the verdict, for those who read only the end of a log.
pub fn render_check(check: &Check, style: &TerminalStyle) -> String {
    let mut page = Page::new(style, &check.program, &check.cost_model);
    let change = check.change.iter().map(|change| Line::of(Role::Heading, change.as_str()));
    page.section("Change", &change.collect::<Vec<_>>());
    page.gap();
    page.raw(&sizes(&check.sizes, style));
    let summary = Some(&check.summary).filter(|summary| !summary.is_empty());
    let summary = summary.map(|summary| Line::of(Role::Heading, summary.as_str()));
    let growth: Vec<Line> = summary.into_iter().chain(check.cut_by.map(cut)).collect();
    page.section("Growth", &growth);
    page.findings(&check.findings);
    let rules: Vec<Line> = check
        .rules_in_short()
        .iter()
        .map(|r| {
            Line::of(r.verdict.into(), format!("{}: {}, {}", r.rule, r.verdict.word(), r.reason))
        })
        .collect();
    page.section("Rules", &rules);
    if let Some((size, found)) = check.shown().and_then(|s| Some((s, s.input.as_ref()?))) {
        let head = format!("n = {}: ", size.n);
        let room = style.width.saturating_sub(MARGIN + head.len()).max(20);
        let text = head + &input::short(found, room, style);
        let mut lines = vec![Line::plain(text).whole()];
        if let Some(at) = &check.at {
            let spent = format!("Most of the cost is spent at {}:{}.", at.file, at.line);
            lines.push(Line::faint(spent));
        }
        page.section("Witness", &lines);
    }
    page.gap();
    let verdict = match check.verdict {
        Verdict::Ok => "check: ok, nothing worse was found",
        Verdict::Worse => "check: worse than allowed",
        Verdict::Inconclusive => "check: inconclusive, the search cannot tell",
    };
    page.raw(&format!("{}\n", style.paint(check.verdict.into(), verdict)));
    page.finish()
}

/// The answer as Markdown, for the summary of a job.
pub fn markdown_check(check: &Check) -> String {
    let verdict = match check.verdict {
        Verdict::Ok => "ok",
        Verdict::Worse => "**worse than allowed**",
        Verdict::Inconclusive => "inconclusive",
    };
    let mut out = format!("### pessimum: {verdict}\n\n");
    for line in check.change.iter().chain([&check.summary]).filter(|line| !line.is_empty()) {
        out.push_str(&format!("{}\n\n", cell(line)));
    }
    if let Some((size, found)) = check.shown().and_then(|s| Some((s, s.input.as_ref()?))) {
        let input = cell(&input::short(found, WITNESS, &TerminalStyle::default()));
        let cost =
            size.worst_cost.map_or(String::new(), |cost| format!(" costs {}", grouped(cost)));
        out.push_str(&format!("Witness, n = {}: `{input}`{cost}", size.n));
        if let Some(at) = &check.at {
            out.push_str(&format!(", most of it at `{}:{}`", cell(&at.file), at.line));
        }
        out.push_str("\n\n");
    }
    let (entry, cost) = (cell(&check.program.entry), cell(&check.cost_model));
    out.push_str(&format!("`{entry}`, cost: {cost}\n\n| rule | verdict | why |\n|---|---|---|\n"));
    for rule in check.rules_in_short() {
        let (name, why) = (cell(&rule.rule), cell(&rule.reason));
        out.push_str(&format!("| {name} | {} | {why} |\n", rule.verdict.word()));
    }
    let sizes = format!("<details><summary>{} sizes</summary>\n", check.sizes.len());
    out.push_str(&format!("\n{sizes}"));
    out.push_str("\n| n | worst cost | allowed | exact | |\n|---:|---:|---:|---|---|\n");
    for size in &check.sizes {
        let cost = size.worst_cost.map_or("–".to_owned(), grouped);
        let limit = size.limit.map_or(String::new(), grouped);
        let exact = if size.exact { "yes" } else { "no" };
        let words = [size.verdict.map_or("", Verdict::word), &cell(&size.reason)];
        let verdict = words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(", ");
        out.push_str(&format!("| {} | {cost} | {limit} | {exact} | {verdict} |\n", size.n));
    }
    out.push_str("\n</details>\n");
    out
}

/// The input that shows best that it is worse, with its size, within so many columns.
pub(crate) fn witness(check: &Check, columns: usize) -> Option<(u64, String)> {
    let size = check.shown()?;
    Some((size.n, input::short(size.input.as_ref()?, columns, &TerminalStyle::default())))
}

/// Columns of a witness in a summary.
const WITNESS: usize = 80;

fn sizes(sizes: &[CheckSize], style: &TerminalStyle) -> String {
    let limits = sizes.iter().any(|s| s.limit.is_some());
    let mut columns = vec![Column::number("n"), Column::number("worst cost").role(Role::Worst)];
    if limits {
        columns.push(Column::number("allowed"));
    }
    let judged = sizes.iter().any(|s| s.verdict.is_some());
    columns.extend([Column::word("method").expendable(1), Column::word("exact")]);
    if judged {
        columns.extend([Column::word("verdict"), Column::word("")]);
    }
    let mut table = Table::new(columns);
    for size in sizes {
        let mut row = vec![size.n.to_string(), size.worst_cost.map_or("-".into(), grouped)];
        if limits {
            row.push(size.limit.map_or(String::new(), grouped));
        }
        row.extend([size.method.to_string(), if size.exact { "yes".into() } else { "no".into() }]);
        if judged {
            row.push(size.verdict.map_or(String::new(), |v| v.word().into()));
            row.push(style.fit(&size.reason, style.width.saturating_sub(60).max(20)));
        }
        table.row(size.verdict.map(Role::from).filter(|r| *r != Role::Good), row);
    }
    table.render(style)
}
