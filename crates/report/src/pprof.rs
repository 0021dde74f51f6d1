//! The cost of a run by call stack in the format of pprof: `profile.proto`, written by hand, since it needs
//! two kinds of fields only, and not compressed, which every reader of the format takes.

use crate::escape::visible;
use crate::stacks::Stack;
use std::collections::HashMap;

/// A profile for `pprof FILE`, `go tool pprof FILE` and the viewers that read its format. What is counted is
/// the only type of sample.
///
/// ```
/// use pessimum_report::{Stack, pprof};
///
/// let stack = Stack { frames: vec!["sort".into()], line: None, cost: 3 };
/// let profile = pprof("conditionals", &[stack]);
/// let holds = |text: &[u8]| profile.windows(text.len()).any(|part| part == text);
/// assert!(holds(b"conditionals") && holds(b"sort"));
/// ```
pub fn pprof(counted: &str, stacks: &[Stack]) -> Vec<u8> {
    let mut tables = Tables::default();
    // The first string is the empty one.
    tables.string("");
    let mut profile = Message::default();
    let mut kind = Message::default();
    kind.number(1, tables.string(counted));
    kind.number(2, tables.string("count"));
    profile.bytes(1, &kind.0);
    for stack in stacks {
        let mut sample = Message::default();
        let innermost = stack.frames.len().saturating_sub(1);
        let places: Vec<u64> = (0..stack.frames.len())
            .rev()
            .map(|at| {
                let line = stack.line.as_ref().filter(|_| at == innermost);
                let (file, line) = line.map_or(("", 0), |l| (l.file.as_str(), l.line));
                tables.location(&stack.frames[at], file, line)
            })
            .collect();
        sample.numbers(1, &places);
        // Values are signed there.
        sample.numbers(2, &[stack.cost.min(i64::MAX as u64)]);
        profile.bytes(2, &sample.0);
    }
    for (id, (function, line)) in (1..).zip(&tables.locations) {
        let (mut location, mut place) = (Message::default(), Message::default());
        place.number(1, *function);
        place.number(2, u64::from(*line));
        location.number(1, id);
        location.bytes(4, &place.0);
        profile.bytes(4, &location.0);
    }
    for (id, (name, file)) in (1..).zip(&tables.functions) {
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, *name);
        function.number(3, *name);
        function.number(4, *file);
        profile.bytes(5, &function.0);
    }
    for text in &tables.strings {
        profile.bytes(6, text.as_bytes());
    }
    profile.0
}

/// What samples refer to by number. Locations and functions count from one, strings from zero.
#[derive(Default)]
struct Tables {
    strings: Vec<String>,
    known_strings: HashMap<String, u64>,
    functions: Vec<(u64, u64)>,
    known_functions: HashMap<(u64, u64), u64>,
    locations: Vec<(u64, u32)>,
    known_locations: HashMap<(u64, u32), u64>,
}

impl Tables {
    fn string(&mut self, text: &str) -> u64 {
        let text = visible(text).into_owned();
        let (all, next) = (&mut self.strings, self.known_strings.len() as u64);
        *self.known_strings.entry(text.clone()).or_insert_with(|| {
            all.push(text);
            next
        })
    }

    fn location(&mut self, function: &str, file: &str, line: u32) -> u64 {
        let named = (self.string(function), self.string(file));
        let (all, next) = (&mut self.functions, self.known_functions.len() as u64 + 1);
        let function = *self.known_functions.entry(named).or_insert_with(|| {
            all.push(named);
            next
        });
        let place = (function, line);
        let (all, next) = (&mut self.locations, self.known_locations.len() as u64 + 1);
        *self.known_locations.entry(place).or_insert_with(|| {
            all.push(place);
            next
        })
    }
}

/// A message of the protocol-buffer encoding.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Seven bits a byte, the lowest first.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field that is a number.
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    /// A field that is text or another message.
    fn bytes(&mut self, field: u64, content: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend_from_slice(content);
    }

    /// A field that is a list of numbers.
    fn numbers(&mut self, field: u64, values: &[u64]) {
        let mut packed = Message::default();
        values.iter().for_each(|value| packed.varint(*value));
        self.bytes(field, &packed.0);
    }
}
