//! How the terminal wants its text: how wide, in colour or not, in Unicode or not.

use crate::document::Verdict;
use crate::escape::{ascii, visible};
use anstyle::{AnsiColor, Color, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What the terminal can show. The caller finds out (`NO_COLOR`, a pipe, the locale): a library
/// asks no terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns.
    pub width: usize,
    /// Whether escape codes may be written.
    pub color: bool,
    /// Whether characters beyond ASCII may be written.
    pub unicode: bool,
}

impl Default for TerminalStyle {
    /// What any pipe can take, with room for every column.
    fn default() -> Self {
        TerminalStyle { width: 100, color: false, unicode: true }
    }
}

/// The part a piece of text plays; each has one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Heading,
    Faint,
    Worst,
    Random,
    Good,
    Warning,
    Bad,
}

impl From<Verdict> for Role {
    fn from(verdict: Verdict) -> Role {
        match verdict {
            Verdict::Ok => Role::Good,
            Verdict::Inconclusive => Role::Warning,
            Verdict::Worse => Role::Bad,
        }
    }
}

impl Role {
    fn style(self) -> Style {
        let colored = |c: AnsiColor| Style::new().fg_color(Some(Color::Ansi(c)));
        match self {
            Role::Heading => Style::new().bold(),
            Role::Faint => Style::new().dimmed(),
            Role::Worst => colored(AnsiColor::Magenta).bold(),
            Role::Random => colored(AnsiColor::Cyan),
            Role::Good => colored(AnsiColor::Green),
            Role::Warning => colored(AnsiColor::Yellow),
            Role::Bad => colored(AnsiColor::Red).bold(),
        }
    }
}

impl TerminalStyle {
    /// The text in the look of its role.
    pub(crate) fn paint(&self, role: Role, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let style = role.style();
        format!("{style}{text}{style:#}")
    }

    /// The text in the characters the terminal has, in one line and without any that act. Programs
    /// may quote any text, so what has no ASCII stand-in here is shown as `?`.
    pub(crate) fn chars(&self, text: &str) -> String {
        let shown = visible(text);
        if self.unicode { shown.into_owned() } else { ascii(&shown) }
    }

    /// What stands for text left out.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// The text, cut to so many columns.
    pub(crate) fn fit(&self, text: &str, columns: usize) -> String {
        let text = self.chars(text);
        if text.width() <= columns {
            return text;
        }
        let room = columns.saturating_sub(self.ellipsis().width());
        let mut used = 0;
        let mut out = String::new();
        for c in text.chars() {
            used += c.width().unwrap_or(0);
            if used > room {
                break;
            }
            out.push(c);
        }
        out + self.ellipsis()
    }

    /// The text broken at spaces, every line but the first begun with `indent` spaces. `lead` is
    /// how many columns of the first line are already used. A word that is longer than a line
    /// stays whole: paths and commands are there to be copied. So does `n = 5`.
    pub(crate) fn wrap(&self, text: &str, lead: usize, indent: usize) -> String {
        let text = self.chars(text).replace(" = ", "\u{a0}=\u{a0}");
        let mut out = String::new();
        let mut column = lead;
        let mut fresh = true;
        for word in text.split(' ') {
            let gap = usize::from(!fresh);
            if !fresh && column + gap + word.width() > self.width.max(indent + 20) {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                column = indent;
            } else if gap == 1 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += word.width();
            fresh = false;
        }
        out.replace('\u{a0}', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_not_by_characters() {
        let style = TerminalStyle::default();
        assert_eq!(style.fit("abcdef", 6), "abcdef");
        assert_eq!(style.fit("abcdef", 5), "abcd…");
        assert_eq!(style.fit("文文文", 5), "文文…");
        let plain = TerminalStyle { unicode: false, ..style };
        assert_eq!(plain.fit("≈ 3·n and more", 8), "~ 3*n...");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(TerminalStyle::default().chars("a\x1b[31mb\tc"), "a\\u{1b}[31mb c");
    }

    #[test]
    fn lines_break_at_spaces() {
        let style = TerminalStyle { width: 24, ..TerminalStyle::default() };
        assert_eq!(
            style.wrap("one two three four five six", 4, 4),
            "one two three four\n    five six"
        );
    }
}
