//! The frame all renderings share: a title line, then sections with their names in the margin.

use super::style::{Role, TerminalStyle};
use crate::document::{Finding, Program};

/// Columns of the margin that holds a section's name.
pub(crate) const MARGIN: usize = 10;

/// Text under construction.
pub(crate) struct Page<'a> {
    style: &'a TerminalStyle,
    out: String,
}

impl<'a> Page<'a> {
    /// A page that begins with what was run and what is counted.
    pub(crate) fn new(style: &'a TerminalStyle, program: &Program, cost_model: &str) -> Self {
        let name = style.paint(Role::Heading, &style.chars(&program.module));
        let mut out = format!("{name}  {}", style.chars(&program.entry));
        let cost = format!("cost: {}", style.chars(cost_model));
        out.push_str(&format!("  {}\n", style.paint(Role::Faint, &cost)));
        Page { style, out }
    }

    /// A page without a title.
    pub(crate) fn untitled(style: &'a TerminalStyle) -> Self {
        Page { style, out: String::new() }
    }

    /// Finished lines.
    pub(crate) fn raw(&mut self, lines: &str) {
        self.out.push_str(lines);
    }

    /// An empty line, unless the page is empty or has one.
    pub(crate) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A section: its name in the margin, its lines beside it, long ones wrapped.
    pub(crate) fn section(&mut self, name: &str, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        self.gap();
        for (i, line) in lines.iter().enumerate() {
            let label = if i == 0 { name } else { "" };
            let label = self.style.paint(Role::Heading, label)
                + &" ".repeat(MARGIN.saturating_sub(label.len()));
            // Wrapped first, painted after: escape codes have no width.
            let text = if line.whole {
                self.style.chars(&line.text)
            } else {
                self.style.wrap(&line.text, MARGIN, MARGIN + line.hang)
            };
            let text: Vec<String> = text
                .split('\n')
                .map(|part| {
                    let bare = part.trim_start();
                    let indent = " ".repeat(part.len() - bare.len());
                    match line.role {
                        Some(role) => indent + &self.style.paint(role, bare),
                        None => indent + bare,
                    }
                })
                .collect();
            let text = format!("{label}{}", text.join("\n"));
            self.out.push_str(text.trim_end());
            self.out.push('\n');
        }
    }

    /// The section of findings: the first of each kind, and how many more there are.
    pub(crate) fn findings(&mut self, findings: &[Finding]) {
        let mut kinds: Vec<&str> = Vec::new();
        for finding in findings {
            if !kinds.contains(&finding.kind.as_str()) {
                kinds.push(&finding.kind);
            }
        }
        let mut lines: Vec<Line> = Vec::new();
        for kind in kinds {
            let alike: Vec<&Finding> = findings.iter().filter(|f| f.kind == kind).collect();
            // A line that only says "one more" is no shorter than the one it stands for.
            let shown = if alike.len() > ALIKE + 1 { ALIKE } else { alike.len() };
            lines.extend(alike[..shown].iter().map(|f| Line::warning(finding(f)).hang(2)));
            if shown < alike.len() {
                let (more, kind) = (alike.len() - shown, kind.replace('_', " "));
                lines.push(Line::faint(format!("and {more} more: {kind} (--json lists all)")));
            }
        }
        self.section("Findings", &lines);
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// Findings of one kind that are told one by one.
const ALIKE: usize = 3;

/// One finding in one sentence: its kind, where, from which size on.
pub(crate) fn finding(finding: &Finding) -> String {
    let place = match (&finding.at, finding.n) {
        (Some(at), Some(n)) => format!(" at {at}, n = {n}"),
        (Some(at), None) => format!(" at {at}"),
        (None, Some(n)) => format!(" at n = {n}"),
        (None, None) => String::new(),
    };
    format!("{}{place}: {}", finding.kind.replace('_', " "), finding.message)
}

/// A line of a section.
pub(crate) struct Line {
    text: String,
    role: Option<Role>,
    hang: usize,
    whole: bool,
}

impl Line {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Line { text: text.into(), role: None, hang: 0, whole: false }
    }

    pub(crate) fn of(role: Role, text: impl Into<String>) -> Self {
        Line { role: Some(role), ..Line::plain(text) }
    }

    pub(crate) fn faint(text: impl Into<String>) -> Self {
        Line::of(Role::Faint, text)
    }

    pub(crate) fn warning(text: impl Into<String>) -> Self {
        Line::of(Role::Warning, text)
    }

    /// The same with its further lines indented.
    pub(crate) fn hang(self, columns: usize) -> Self {
        Line { hang: columns, ..self }
    }

    /// The same, never wrapped: a command to copy.
    pub(crate) fn whole(self) -> Self {
        Line { whole: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sites: u64) -> String {
        let style = TerminalStyle::default();
        let site = |n| Finding {
            kind: "unseen_site".to_owned(),
            message: "training never met it".to_owned(),
            at: Some(format!("parse+{n}")),
            n: Some(8),
            input: None,
            cause: None,
        };
        let hang = Finding { kind: "hang".to_owned(), at: None, ..site(0) };
        let mut findings: Vec<Finding> = (0..sites).map(site).collect();
        findings.insert(2, hang);
        let mut page = Page::untitled(&style);
        page.findings(&findings);
        page.finish()
    }

    #[test]
    fn of_many_findings_alike_the_first_are_told() {
        let text = told(60);
        assert_eq!(text.matches("unseen site at").count(), ALIKE);
        assert!(text.contains("and 57 more: unseen site (--json lists all)"), "{text}");
        assert!(text.contains("hang at n = 8"), "{text}");
    }

    #[test]
    fn a_few_are_all_told() {
        let text = told(4);
        assert_eq!(text.matches("unseen site at").count(), 4);
        assert!(!text.contains("more"), "{text}");
    }
}
