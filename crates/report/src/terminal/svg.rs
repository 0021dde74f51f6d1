//! What a terminal shows, as a picture: for pages that cannot run one.

use super::style::TerminalStyle;
use crate::escape::visible;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// Width of a column and height of a line, in pixels.
const CELL: (f64, f64) = (8.0, 18.0);

/// Around the text.
const MARGIN: f64 = 16.0;

/// How a stretch of text looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    dim: bool,
    /// A colour of the terminal, from 0.
    color: Option<u8>,
}

impl Look {
    /// Takes in a code of a terminal.
    fn apply(&mut self, code: u8) {
        match code {
            0 => *self = Look::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            22 => (self.bold, self.dim) = (false, false),
            30..=37 => self.color = Some(code - 30),
            39 => self.color = None,
            _ => {}
        }
    }

    /// Colours with a contrast of at least 4.5 on the background.
    fn fill(self) -> &'static str {
        match self.color {
            Some(1) => "#ff8080",
            Some(2) => "#7fd99a",
            Some(3) => "#f0b455",
            Some(5) => "#ff8ab8",
            Some(6) => "#62cde3",
            _ if self.dim => "#9aa4af",
            _ => "#e6e8ea",
        }
    }
}

/// A rendering with colours, as an SVG picture. `title` is read to those who do not see it.
///
/// ```
/// use pessimum_report::terminal_svg;
///
/// let picture = terminal_svg("an answer", "\u{1b}[1mn = 5\u{1b}[0m  cost < 25");
/// assert!(picture.starts_with("<svg ") && picture.contains("cost &lt; 25"));
/// ```
pub fn terminal_svg(title: &str, text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut body = String::new();
    let mut columns = 0;
    for (row, line) in lines.iter().enumerate() {
        let y = MARGIN + CELL.1 * (row as f64 + 0.75);
        let mut column = 0;
        for (look, part) in parts(line) {
            // Pictures do not keep several spaces: each stretch between such gaps is placed by itself.
            for (at, shown) in stretches(&part) {
                let x = MARGIN + CELL.0 * (column + at) as f64;
                let long = CELL.0 * columns_of(shown) as f64;
                let weight = if look.bold { " font-weight=\"700\"" } else { "" };
                let _ = writeln!(
                    body,
                    "<text x=\"{x}\" y=\"{y}\" fill=\"{}\"{weight} textLength=\"{long}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                    look.fill(),
                    in_xml(shown)
                );
            }
            column += columns_of(&part);
        }
        columns = columns.max(column);
    }
    let width = 2.0 * MARGIN + CELL.0 * columns as f64;
    let height = 2.0 * MARGIN + CELL.1 * lines.len() as f64;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13\">\n\
         <title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#14171b\"/>\n{body}</svg>\n",
        in_xml(&visible(title))
    )
}

fn columns_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// What lies between gaps of several spaces, each with its column.
fn stretches(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut column, mut rest) = (0, text);
    loop {
        let bare = rest.trim_start_matches(' ');
        column += rest.len() - bare.len();
        if bare.is_empty() {
            return found;
        }
        let (shown, more) = bare.split_at(bare.find("  ").unwrap_or(bare.trim_end().len()));
        found.push((column, shown));
        column += columns_of(shown);
        rest = more;
    }
}

/// The stretches of a line that look the same.
fn parts(line: &str) -> Vec<(Look, String)> {
    let mut parts = Vec::new();
    let mut look = Look::default();
    let mut pieces = line.split("\u{1b}[");
    let mut push = |look: Look, text: &str| {
        if !text.is_empty() {
            parts.push((look, text.to_owned()));
        }
    };
    push(look, pieces.next().unwrap_or_default());
    for piece in pieces {
        let (codes, text) = piece.split_once('m').unwrap_or((piece, ""));
        for code in codes.split(';') {
            look.apply(code.parse().unwrap_or(0));
        }
        push(look, text);
    }
    parts
}

fn in_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// How a picture wants its text.
pub fn picture_style(width: usize) -> TerminalStyle {
    TerminalStyle { width, color: true, unicode: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_kept_by_place() {
        assert_eq!(stretches("  5   32 x  "), [(2, "5"), (6, "32 x")]);
        assert_eq!(stretches("   "), []);
        assert_eq!(stretches("⣀⠤  a"), [(0, "⣀⠤"), (4, "a")]);
    }

    #[test]
    fn codes_become_looks_and_columns_stay() {
        let picture = terminal_svg("a", "ab \u{1b}[35m\u{1b}[1mcd\u{1b}[0m & e");
        assert!(
            picture.contains("x=\"40\" y=\"29.5\" fill=\"#ff8ab8\" font-weight=\"700\""),
            "{picture}"
        );
        assert!(picture.contains(">&amp; e</text>"), "{picture}");
        assert!(!picture.contains('\u{1b}'));
    }
}
