//! What `replay` says to a person.

use super::input;
use super::number::grouped;
use super::section::{Line, MARGIN, Page};
use super::style::{Role, TerminalStyle};
use super::table::{Column, Table};
use crate::document::Replay;

/// Lines that are shown; the rest is summed up.
const MOST_LINES: usize = 15;

/// Functions that are shown.
const MOST_FUNCTIONS: usize = 10;

/// One run as text: its cost, by function and by source line.
pub fn render_replay(run: &Replay, style: &TerminalStyle) -> String {
    let mut page = Page::new(style, &run.program, &run.cost_model);
    page.gap();
    let cost = run.cost.map_or("cost not counted".to_owned(), |c| format!("cost {}", grouped(c)));
    let mut head = format!("n = {}: {cost}", run.n);
    if let Some(instructions) = run.instructions {
        head.push_str(&format!(", {} instructions", grouped(instructions)));
    }
    page.raw(&format!("{}\n", style.paint(Role::Heading, &head)));
    let mut facts = Vec::new();
    if run.end != "normal" {
        facts.push(Line::warning(format!("ended: {}", run.end)));
    }
    if !run.results.is_empty() {
        facts.push(Line::plain(format!("returned {}", run.results.join(", "))));
    }
    if let Some(given) = &run.input {
        let room = style.width.saturating_sub(MARGIN + 6).max(20);
        facts.push(Line::plain(format!("input {}", input::short(given, room, style))).whole());
    }
    if !run.output.is_empty() {
        let room = style.width.saturating_sub(MARGIN + 6).max(20);
        let text = run.output.escape_debug().to_string();
        facts.push(Line::plain(format!("wrote {}", style.fit(&text, room))).whole());
    }
    page.section("Run", &facts);
    let functions = run.functions.iter().map(|f| (f.cost, f.function.clone(), String::new()));
    page.raw(&shares("function", functions.collect(), run.cost, MOST_FUNCTIONS, style));
    let lines = run.lines.iter().map(|l| (l.cost, l.at.clone(), l.text.trim().to_owned()));
    page.raw(&shares("line", lines.collect(), run.cost, MOST_LINES, style));
    let warnings: Vec<Line> = run.warnings.iter().map(|w| Line::warning(w.as_str())).collect();
    page.section("Note", &warnings);
    page.finish()
}

/// A table of who cost how much of the whole.
fn shares(
    what: &'static str,
    mut rows: Vec<(u64, String, String)>,
    total: Option<u64>,
    most: usize,
    style: &TerminalStyle,
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.0));
    let counted: u64 = rows.iter().map(|r| r.0).sum();
    let total = total.unwrap_or(counted).max(1);
    let percent = |cost: u64| format!("{:.1} %", 100.0 * cost as f64 / total as f64);
    let texts = rows.iter().any(|r| !r.2.is_empty());
    let mut columns =
        vec![Column::number("cost").role(Role::Worst), Column::number("share"), Column::word(what)];
    if texts {
        columns.push(Column::word("source"));
    }
    let place = rows.iter().take(most).map(|r| r.1.len()).max().unwrap_or(0);
    let room = style.width.saturating_sub(place + 26).max(12);
    let mut table = Table::new(columns);
    for (cost, name, text) in rows.iter().take(most) {
        let row = [grouped(*cost), percent(*cost), name.clone(), style.fit(text, room)];
        table.row(None, row[..if texts { 4 } else { 3 }].to_vec());
    }
    if rows.len() > most {
        let rest: u64 = rows[most..].iter().map(|r| r.0).sum();
        let more = format!("{} more", rows.len() - most);
        table.row(Some(Role::Faint), [grouped(rest), percent(rest), more]);
    }
    format!("\n{}", table.render(style))
}
