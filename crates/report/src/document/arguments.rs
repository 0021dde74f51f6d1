//! Whose the values of an input are, where a call has several arguments.

use super::Input;
use serde_json::{Value, json};

/// An argument that holds some of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedArgument {
    /// Its name.
    pub name: String,
    /// How many values.
    pub count: u64,
    /// Whether they are shown as text.
    pub text: Text,
}

/// Whether values are shown as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// They are numbers.
    No,
    /// They are bytes, which may be text.
    IfPrintable,
    /// They are text.
    Yes,
}

impl Input {
    /// Notes whose the values are, where there are several arguments and they hold them all.
    pub fn name_arguments(&mut self, arguments: &[NamedArgument]) {
        let Some(mut rest) = self.values.as_array().map(Vec::as_slice) else { return };
        let mut told = Vec::new();
        for argument in arguments {
            let count = usize::try_from(argument.count).ok();
            let Some((own, after)) = count.and_then(|count| rest.split_at_checked(count)) else {
                return;
            };
            let text = match argument.text {
                Text::No => false,
                Text::IfPrintable => is_printable(own),
                Text::Yes => true,
            };
            told.push(json!({ "name": argument.name, "count": argument.count, "text": text }));
            rest = after;
        }
        if told.len() > 1 && rest.is_empty() {
            self.structure = Some(json!({ "arguments": told }));
        }
    }

    /// The values by argument, each with its name and whether it is text; `None` where nothing tells them apart.
    pub fn arguments(&self) -> Option<Vec<(&str, &[Value], bool)>> {
        let mut rest = self.values.as_array()?.as_slice();
        let mut told = Vec::new();
        for argument in self.structure.as_ref()?.get("arguments")?.as_array()? {
            let count = usize::try_from(argument.get("count")?.as_u64()?).ok()?;
            let (own, after) = rest.split_at_checked(count)?;
            let text = argument.get("text").and_then(Value::as_bool).unwrap_or(false);
            told.push((argument.get("name")?.as_str()?, own, text));
            rest = after;
        }
        rest.is_empty().then_some(told)
    }
}

/// Whether most of these bytes are text.
fn is_printable(values: &[Value]) -> bool {
    let printable = |value: &&Value| value.as_i64().is_some_and(|v| (0x20..0x7f).contains(&v));
    let count = values.iter().filter(printable).count();
    count > 0 && count * 4 >= values.len() * 3
}
