//! A plot of cost against size out of characters.
//!
//! Own code rather than a plotting crate: two curves with labelled ends, a logarithmic axis when
//! the growth asks for one and an ASCII form for terminals without braille are less than the glue
//! around a crate would be.

use super::number::grouped;
use super::style::{Role, TerminalStyle};

/// Rows of characters.
const ROWS: usize = 12;

/// Dots per character in a braille cell.
const DOTS: (usize, usize) = (2, 4);

/// A curve.
pub(crate) struct Series<'a> {
    /// Written at its end.
    pub(crate) name: &'a str,
    /// Its look.
    pub(crate) role: Role,
    /// A solid line, or dots only.
    pub(crate) solid: bool,
    /// (size, cost), by size.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The plot as lines, or nothing where there is no room for one or fewer than two sizes.
pub(crate) fn plot(series: &[Series<'_>], log: bool, style: &TerminalStyle) -> String {
    let all = || series.iter().flat_map(|s| s.points.iter().copied());
    let (Some(x), Some(y)) = (Span::of(all().map(|p| p.0)), Span::of(all().map(|p| p.1))) else {
        return String::new();
    };
    if x.high <= x.low {
        return String::new();
    }
    let y = if log {
        Span { low: y.low.max(1.0).ln(), high: y.high.max(1.0).ln() }
    } else {
        Span { low: 0.0, high: y.high }
    };
    let y = Span { high: if y.high > y.low { y.high } else { y.low + 1.0 }, ..y };
    let show = |v: f64| grouped((if log { v.exp() } else { v }).round().max(0.0) as u64);
    let (top, bottom) = (show(y.high), show(y.low));
    let margin = top.len().max(bottom.len()) + 1;
    let labels = series.iter().map(|s| s.name.len() + 1).max().unwrap_or(0);
    let Some(columns) =
        style.width.saturating_sub(1).min(90).checked_sub(margin + 1 + labels).filter(|&c| c >= 16)
    else {
        return String::new();
    };
    let mut canvas = Canvas::new(columns, style.unicode);
    for (i, s) in series.iter().enumerate() {
        let scaled = s.points.iter().map(|&(n, cost)| {
            let v = if log { cost.max(1.0).ln() } else { cost };
            (x.share(n), y.share(v))
        });
        canvas.draw(i, s.solid, &scaled.collect::<Vec<_>>());
    }
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); ROWS];
    for (i, s) in series.iter().enumerate() {
        if let Some(&(_, last)) = s.points.last() {
            let v = if log { last.max(1.0).ln() } else { last };
            // Two curves that end together keep a label each, on rows of their own.
            let wanted = canvas.row(y.share(v));
            let free = (0..ROWS).filter(|&r| ends[r].is_empty()).min_by_key(|r| r.abs_diff(wanted));
            ends[free.unwrap_or(wanted)].push(i);
        }
    }
    let (axis, corner, tick, floor) =
        if style.unicode { ("│", "└", "┤", "─") } else { ("|", "+", "+", "-") };
    let mut out = String::new();
    for (row, names) in ends.iter().enumerate() {
        let (label, bar) = match row {
            0 => (top.as_str(), tick),
            _ if row == ROWS - 1 => (bottom.as_str(), tick),
            _ => ("", axis),
        };
        let label = format!("{label:>margin$} ");
        let mut line = style.paint(Role::Faint, &format!("{label}{bar}"));
        line.push_str(&canvas.line(row, series, style, !names.is_empty()));
        for &i in names {
            line.push(' ');
            line.push_str(&style.paint(series[i].role, series[i].name));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let (first, last) = (format!("{}", x.low), format!("n = {}", x.high));
    let gap = columns.saturating_sub(first.len() + last.len());
    let floor = format!("{:margin$} {corner}{}", "", floor.repeat(columns));
    out.push_str(&style.paint(Role::Faint, &floor));
    out.push('\n');
    let foot = format!("{:margin$}  {first}{}{last}", "", " ".repeat(gap));
    out.push_str(&style.paint(Role::Faint, &foot));
    out.push('\n');
    out
}

#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    fn of(values: impl Iterator<Item = f64>) -> Option<Span> {
        values.filter(|v| v.is_finite()).fold(None, |span, v| match span {
            None => Some(Span { low: v, high: v }),
            Some(s) => Some(Span { low: s.low.min(v), high: s.high.max(v) }),
        })
    }

    /// Where a value lies, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// Which series owns a cell, and which of its dots are set.
struct Canvas {
    columns: usize,
    unicode: bool,
    cells: Vec<(Option<usize>, u8)>,
}

impl Canvas {
    fn new(columns: usize, unicode: bool) -> Self {
        Canvas { columns, unicode, cells: vec![(None, 0); columns * ROWS] }
    }

    fn dots(&self) -> (usize, usize) {
        if self.unicode { (self.columns * DOTS.0, ROWS * DOTS.1) } else { (self.columns, ROWS) }
    }

    /// The row of characters a share of the height falls on.
    fn row(&self, share: f64) -> usize {
        ((1.0 - share) * (ROWS - 1) as f64).round() as usize
    }

    fn draw(&mut self, series: usize, solid: bool, points: &[(f64, f64)]) {
        let (w, h) = self.dots();
        let dot = |p: &(f64, f64)| (p.0 * (w - 1) as f64, (1.0 - p.1) * (h - 1) as f64);
        for p in points {
            let (x, y) = dot(p);
            self.set(series, x.round() as usize, y.round() as usize);
        }
        for pair in points.windows(2) {
            let (a, b) = (dot(&pair[0]), dot(&pair[1]));
            let steps = (b.0 - a.0).abs().max((b.1 - a.1).abs()).ceil().max(1.0);
            for step in 0..=steps as usize {
                let t = step as f64 / steps;
                let (x, y) = (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
                // The gaps of a dotted line belong to the canvas: they stay even over many points.
                let x = x.round() as usize;
                if solid || x.is_multiple_of(4) {
                    self.set(series, x, y.round() as usize);
                }
            }
        }
    }

    fn set(&mut self, series: usize, x: usize, y: usize) {
        let (cell, bit) = if self.unicode {
            // The order of the dots in a braille character, column by column.
            const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
            ((y / DOTS.1) * self.columns + x / DOTS.0, BITS[x % DOTS.0][y % DOTS.1])
        } else {
            (y * self.columns + x, 1)
        };
        if let Some((owner, bits)) = self.cells.get_mut(cell) {
            // The series drawn first is the one the reader came for: it keeps its colour.
            if owner.is_none() {
                *owner = Some(series);
            }
            *bits |= bit;
        }
    }

    fn line(&self, row: usize, series: &[Series<'_>], style: &TerminalStyle, full: bool) -> String {
        let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
        let used = if full {
            self.columns
        } else {
            cells.iter().rposition(|c| c.0.is_some()).map_or(0, |i| i + 1)
        };
        let mut out = String::new();
        let mut run: (Option<usize>, String) = (None, String::new());
        let flush = |out: &mut String, run: &mut (Option<usize>, String)| {
            let text = std::mem::take(&mut run.1);
            match run.0 {
                Some(i) => out.push_str(&style.paint(series[i].role, &text)),
                None => out.push_str(&text),
            }
        };
        for &(owner, bits) in &cells[..used] {
            if owner != run.0 {
                flush(&mut out, &mut run);
                run.0 = owner;
            }
            run.1.push(match owner {
                None => ' ',
                Some(_) if self.unicode => char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' '),
                Some(i) if series[i].solid => '*',
                Some(_) => '.',
            });
        }
        flush(&mut out, &mut run);
        out
    }
}
