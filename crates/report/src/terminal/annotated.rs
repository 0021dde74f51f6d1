//! Source files with what each line has cost, in the terminal.

use super::number::grouped;
use super::style::{Role, TerminalStyle};
use crate::document::SourceFile;
use unicode_width::UnicodeWidthStr;

/// Lines that are shown before and after one that cost something.
const AROUND: u32 = 2;

/// The files that were read, each line with its cost and a bar for its part of the whole; stretches that cost
/// nothing are left out. Empty where no file was read.
pub fn render_annotated(files: &[SourceFile], style: &TerminalStyle) -> String {
    let costs = |file: &SourceFile| file.heat.last().map_or(Vec::new(), |heat| heat.lines.clone());
    let total: u64 = files.iter().flat_map(costs).map(|(_, cost)| cost).sum();
    let most = files.iter().flat_map(costs).map(|(_, cost)| cost).max().unwrap_or(0);
    let width = grouped(most).width().max(4);
    let mut out = String::new();
    for file in files.iter().filter(|file| !file.lines.is_empty()) {
        let costs = costs(file);
        let cost_at = |line: u32| costs.iter().find(|at| at.0 == line).map(|at| at.1);
        let near = |line: u32| costs.iter().any(|at| at.0.abs_diff(line) <= AROUND);
        let name = style.paint(Role::Heading, &style.chars(&file.name));
        out.push_str(&format!("\n{name}\n"));
        let digits = file.lines.len().to_string().len();
        let mut left_out = false;
        for (line, text) in (1u32..).zip(&file.lines) {
            if !near(line) {
                left_out = true;
                continue;
            }
            if std::mem::take(&mut left_out) {
                let dots = format!("{:>1$}", style.ellipsis(), width + 7 + digits);
                out.push_str(&style.paint(Role::Faint, &dots));
                out.push('\n');
            }
            let (cost, share) = match cost_at(line) {
                Some(cost) => {
                    let part = 100.0 * cost as f64 / total.max(1) as f64;
                    let share = if part < 0.5 { "<1%".to_owned() } else { format!("{part:.0}%") };
                    (grouped(cost), share)
                }
                None => (String::new(), String::new()),
            };
            let margin = format!("{cost:>width$} {share:>4} ");
            let hot = cost_at(line).is_some_and(|cost| cost.saturating_mul(10) >= total);
            let role = if hot { Role::Worst } else { Role::Random };
            let number = style.paint(Role::Faint, &format!("{line:>digits$}"));
            let room = style.width.saturating_sub(width + 8 + digits).max(20);
            let shown = style.fit(&text.replace('\t', "    "), room);
            let text = format!("{}{number}  {shown}", style.paint(role, &margin));
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
    out
}
