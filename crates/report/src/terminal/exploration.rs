//! What `explore` says to a person.

use super::input;
use super::number::{count, grouped, paths, seconds};
use super::section::{Line, Page};
use super::style::{Role, TerminalStyle};
use super::table::{Column, Table};
use crate::document::{Exploration, Method, Test};

/// More tests than this are left to `--inputs` and `--json`.
const MOST_TESTS: usize = 20;

/// One size as text: how many paths there are, the costliest of them, what was noticed.
pub fn render_exploration(found: &Exploration, style: &TerminalStyle) -> String {
    let mut page = Page::untitled(style);
    let paths = paths(found.paths, found.paths_exact.as_deref());
    let noun = if found.paths == Some(1) { "path" } else { "paths" };
    let mut head = format!("n = {}: {paths} {noun}", found.n);
    if let Some(trapped) = found.trapped.filter(|trapped| *trapped > 0) {
        head.push_str(&format!(", {} trapped", grouped(trapped)));
    }
    if found.cut > 0 {
        head.push_str(&format!(", {} cut", grouped(found.cut)));
    }
    if let Some(worst) = found.worst_cost {
        head.push_str(&format!(", worst cost {}", grouped(worst)));
    }
    page.raw(&format!("{}\n", style.paint(Role::Heading, &head)));
    let states = found.effort.as_ref().map_or(String::new(), |effort| {
        format!(", {}, {}", count(effort.states, "state"), count(effort.reuses, "reuse"))
    });
    let effort = format!(
        "{}{states}, {}, {} s",
        found.method,
        count(found.solver_calls, "solver call"),
        seconds(found.seconds)
    );
    page.raw(&format!("{}\n", style.paint(Role::Faint, &style.chars(&effort))));
    page.raw(&tests(found, style));
    let mut sure = vec![certainty(found)];
    if found.cost_independent_of_input && found.paths != Some(1) {
        sure.push(Line::plain("Every path has the same cost."));
    }
    if found.address_forks > 0 {
        let forks = count(found.address_forks, "fork");
        sure.push(Line::plain(format!("{forks} over values of an address, not counted as paths.")));
    }
    page.section("Result", &sure);
    page.findings(&found.findings);
    page.finish()
}

/// Several sizes: the table, then the findings of all.
pub fn render_explorations(found: &[Exploration], style: &TerminalStyle) -> String {
    if let [one] = found {
        return render_exploration(one, style);
    }
    let mut table = Table::new([
        Column::number("n"),
        Column::number("paths"),
        Column::number("trapped").expendable(2),
        Column::number("cut").expendable(1),
        Column::number("worst cost").role(Role::Worst),
        Column::number("solver calls").expendable(4),
        Column::number("seconds").expendable(3),
        Column::word("complete"),
        Column::word("exact"),
    ]);
    for size in found {
        let complete = match (&size.cut_by, size.complete) {
            (_, true) => "yes".to_owned(),
            (Some(by), false) => format!("no, cut by {by}"),
            (None, false) => "no".to_owned(),
        };
        table.row(
            None,
            [
                size.n.to_string(),
                paths(size.paths, size.paths_exact.as_deref()),
                size.trapped.map_or("-".into(), grouped),
                grouped(size.cut),
                size.worst_cost.map_or("-".into(), grouped),
                grouped(size.solver_calls),
                seconds(size.seconds),
                complete,
                if size.exact { "yes".into() } else { "no".into() },
            ],
        );
    }
    let mut page = Page::untitled(style);
    page.raw(&table.render(style));
    let findings: Vec<_> = found.iter().flat_map(|f| f.findings.iter().cloned()).collect();
    page.findings(&findings);
    page.finish()
}

fn certainty(found: &Exploration) -> Line {
    match (&found.cut_by, found.complete, found.exact) {
        (_, true, true) => Line::of(
            Role::Good,
            match found.method {
                Method::Merged => {
                    "Exact: every feasible path was explored, or has the future of one that was."
                }
                _ => "Exact: every feasible path was explored.",
            },
        ),
        (_, true, false) => Line::warning(
            "Complete but not exact: the tree was walked to its end, yet an answer of the solver \
             was unknown or a fork was dropped.",
        ),
        (Some(by), ..) => {
            Line::warning(format!("Not complete: cut by {by}; there are more paths."))
        }
        (None, ..) => Line::warning("Not complete: there are more paths."),
    }
}

fn tests(found: &Exploration, style: &TerminalStyle) -> String {
    if found.tests.is_empty() {
        return String::new();
    }
    let mut order: Vec<&Test> = found.tests.iter().collect();
    order.sort_by_key(|t| std::cmp::Reverse(t.cost));
    let shown = &order[..order.len().min(MOST_TESTS)];
    let ends = shown.iter().any(|t| t.end != "normal");
    let mut columns = vec![Column::number("cost").role(Role::Worst)];
    if ends {
        columns.push(Column::word("end"));
    }
    columns.push(Column::word("input"));
    let taken = if ends { 2 + shown.iter().map(|t| t.end.len()).max().unwrap_or(0) } else { 0 };
    let room = style.width.saturating_sub(taken + 12).max(20);
    let mut table = Table::new(columns);
    for test in shown {
        let mut row = vec![grouped(test.cost)];
        if ends {
            row.push(test.end.clone());
        }
        row.push(
            test.input
                .as_ref()
                .map_or("(no input was found)".into(), |i| input::short(i, room, style)),
        );
        table.row(None, row);
    }
    let mut out = format!("\n{}", table.render(style));
    let more = (order.len() - shown.len()) as u64 + found.tests_omitted;
    if more > 0 {
        let text = format!("and {}: --inputs DIR writes all", count(more, "more test"));
        out.push_str(&style.paint(Role::Faint, &text));
        out.push('\n');
    }
    out
}
