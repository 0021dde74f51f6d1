//! What `diff` says to a person, and to a pull request.

use super::number::{grouped, times};
use super::section::{Line, Page};
use super::style::{Role, TerminalStyle};
use super::table::{Column, Table};
use crate::document::{Diff, DiffSize, Verdict};
use crate::escape::visible;

/// The comparison as text; its last line is the verdict.
pub fn render_diff(diff: &Diff, style: &TerminalStyle) -> String {
    let mut page = Page::new(style, &diff.new.program, &diff.cost_model);
    page.section("Change", &[Line::of(diff.verdict.into(), diff.summary.as_str())]);
    page.section(
        "Growth",
        &[
            Line::plain(format!("before: {}", diff.old.summary)),
            Line::plain(format!("now:    {}", diff.new.summary)),
        ],
    );
    let places = diff.places.iter().map(|place| {
        let (old, new) = (grouped(place.old), grouped(place.new));
        Line::plain(format!("{}  {old} → {new}", place.at))
    });
    page.section("Where", &places.collect::<Vec<_>>());
    page.gap();
    let mut table = Table::new(vec![
        Column::number("n"),
        Column::number("before"),
        Column::number("now").role(Role::Worst),
        Column::number("change"),
        Column::word("exact"),
        Column::word("verdict"),
    ]);
    for size in &diff.sizes {
        table.row(
            Some(Role::from(size.verdict)).filter(|role| *role != Role::Good),
            vec![
                size.n.to_string(),
                grouped(size.old),
                size.new.map_or("-".to_owned(), grouped),
                change(size),
                if size.exact { "yes" } else { "no" }.to_owned(),
                size.verdict.word().to_owned(),
            ],
        );
    }
    page.raw(&table.render(style));
    page.findings(&diff.findings);
    page.gap();
    let verdict = match diff.verdict {
        Verdict::Ok => "diff: no worse",
        Verdict::Worse => "diff: worse",
        Verdict::Inconclusive => "diff: inconclusive, the evidence is weaker than before",
    };
    page.raw(&format!("{}\n", style.paint(diff.verdict.into(), verdict)));
    page.finish()
}

/// The comparison as Markdown, for a comment on a pull request.
pub fn markdown_diff(diff: &Diff) -> String {
    let sign = match diff.verdict {
        Verdict::Ok => "no worse",
        Verdict::Worse => "**worse**",
        Verdict::Inconclusive => "inconclusive",
    };
    let mut out = format!(
        "### pessimum: {sign}\n\n{}\n\n`{}`, cost: {}\n\n",
        cell(&diff.summary),
        cell(&diff.new.program.entry),
        cell(&diff.cost_model)
    );
    out.push_str("| | before | now |\n|---|---|---|\n");
    out.push_str(&format!(
        "| growth | {} | {} |\n",
        cell(&diff.old.summary),
        cell(&diff.new.summary)
    ));
    out.push_str("\n| n | before | now | change | |\n|---:|---:|---:|---:|---|\n");
    for size in &diff.sizes {
        let now = size.new.map_or("–".to_owned(), grouped);
        let word = if size.verdict == Verdict::Ok { "" } else { size.verdict.word() };
        let before = grouped(size.old);
        out.push_str(&format!("| {} | {before} | {now} | {} | {word} |\n", size.n, change(size)));
    }
    if !diff.places.is_empty() {
        out.push_str("\n| where | before | now |\n|---|---:|---:|\n");
        for place in &diff.places {
            let (old, new) = (grouped(place.old), grouped(place.new));
            out.push_str(&format!("| `{}` | {old} | {new} |\n", cell(&place.at)));
        }
    }
    out
}

/// Text that stays in its cell, and acts on nothing.
pub(super) fn cell(text: &str) -> String {
    visible(text).replace(['|', '`', '<', '>'], " ")
}

fn change(size: &DiffSize) -> String {
    let Some(new) = size.new else { return String::new() };
    let ratio = new as f64 / size.old as f64;
    match (ratio - 1.0) * 100.0 {
        _ if new == size.old => "=".to_owned(),
        _ if size.old == 0 => "new".to_owned(),
        // As the page and every other ratio has it.
        _ if ratio >= 10.0 => format!("{}×", times(ratio)),
        percent => format!("{percent:+.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_part_or_a_multiple() {
        let told = |old, new| {
            let size =
                DiffSize { n: 1, old, new, exact: true, verdict: Verdict::Worse, input: None };
            change(&size)
        };
        let all = [(443, Some(4448)), (48, Some(103)), (10, Some(9)), (5, Some(5)), (0, Some(3))];
        let told: Vec<String> = all.iter().map(|(old, new)| told(*old, *new)).collect();
        assert_eq!(told, ["10×", "+114.6 %", "-10.0 %", "=", "new"]);
    }
}
