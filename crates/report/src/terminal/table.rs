//! Tables that give up their least useful columns before they grow wider than the terminal.

use unicode_width::UnicodeWidthStr;

use super::style::{Role, TerminalStyle};

/// Columns between two columns.
const GAP: usize = 2;

/// A table under construction.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<(Option<Role>, Vec<String>)>,
}

/// A column.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    name: &'static str,
    left: bool,
    role: Option<Role>,
    /// 0 stays; of the others the greatest goes first.
    expendable: u8,
}

impl Column {
    /// Numbers, which align on the right.
    pub(crate) fn number(name: &'static str) -> Self {
        Column { name, left: false, role: None, expendable: 0 }
    }

    /// Words, which align on the left.
    pub(crate) fn word(name: &'static str) -> Self {
        Column { name, left: true, role: None, expendable: 0 }
    }

    /// The same column in the look of a role.
    pub(crate) fn role(self, role: Role) -> Self {
        Column { role: Some(role), ..self }
    }

    /// The same column, left out of narrow terminals; a higher number goes earlier.
    pub(crate) fn expendable(self, order: u8) -> Self {
        Column { expendable: order, ..self }
    }
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Table { columns: columns.into(), rows: Vec::new() }
    }

    /// Adds a row; a role given here is the look of the whole row.
    pub(crate) fn row(&mut self, role: Option<Role>, cells: impl Into<Vec<String>>) {
        let mut cells = cells.into();
        cells.resize(self.columns.len(), String::new());
        self.rows.push((role, cells));
    }

    /// The table as lines, a heading first, each ended.
    pub(crate) fn render(&self, style: &TerminalStyle) -> String {
        let cells: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|(_, cells)| cells.iter().map(|c| style.chars(c)).collect())
            .collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| {
                let widest = cells.iter().map(|row| row[i].width()).max().unwrap_or(0);
                widest.max(self.columns[i].name.width())
            })
            .collect();
        let shown = self.shown(&widths, style.width);
        let mut out = String::new();
        let names: Vec<String> = self.columns.iter().map(|c| c.name.to_owned()).collect();
        self.line(&mut out, style, Some(Role::Heading), &names, &widths, &shown);
        for ((role, _), row) in self.rows.iter().zip(&cells) {
            self.line(&mut out, style, *role, row, &widths, &shown);
        }
        out
    }

    /// The columns there is room for.
    fn shown(&self, widths: &[usize], room: usize) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        loop {
            let total: usize = shown.iter().map(|&i| widths[i] + GAP).sum();
            if total <= room + GAP {
                return shown;
            }
            let worst = shown
                .iter()
                .copied()
                .filter(|&i| self.columns[i].expendable > 0)
                .max_by_key(|&i| self.columns[i].expendable);
            match worst {
                Some(i) => shown.retain(|&j| j != i),
                None => return shown,
            }
        }
    }

    fn line(
        &self,
        out: &mut String,
        style: &TerminalStyle,
        role: Option<Role>,
        cells: &[String],
        widths: &[usize],
        shown: &[usize],
    ) {
        // Trailing blanks are never written: they wrap in a terminal that is just too narrow.
        let mut blanks = 0;
        for &i in shown {
            let (column, cell) = (self.columns[i], &cells[i]);
            let padding = widths[i] - cell.width();
            let painted = match role.or(column.role) {
                Some(role) => style.paint(role, cell),
                None => cell.clone(),
            };
            let (before, after) = if column.left { (0, padding) } else { (padding, 0) };
            if !cell.is_empty() {
                out.push_str(&" ".repeat(blanks + before));
                out.push_str(&painted);
                blanks = after + GAP;
            } else {
                blanks += widths[i] + GAP;
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new([
            Column::number("n"),
            Column::number("solver calls").expendable(2),
            Column::number("seconds").expendable(1),
            Column::word("method"),
        ]);
        table.row(None, ["5".into(), "1,204".into(), "0.02".into(), "exhaustive".into()]);
        table.row(None, ["100".into(), String::new(), String::new(), "wise".into()]);
        table
    }

    #[test]
    fn columns_align_and_lines_have_no_tail() {
        assert_eq!(
            table().render(&TerminalStyle::default()),
            "  n  solver calls  seconds  method\n  5         1,204     0.02  exhaustive\n100                         wise\n"
        );
    }

    #[test]
    fn a_narrow_terminal_loses_the_least_useful_column_first() {
        let narrow = |width| table().render(&TerminalStyle { width, ..TerminalStyle::default() });
        assert!(narrow(30).starts_with("  n  seconds  method\n"), "{}", narrow(30));
        assert!(narrow(10).starts_with("  n  method\n"), "{}", narrow(10));
    }
}
