//! What a run costs.

use std::collections::BTreeMap;
use std::fmt;

use wasmparser::Operator;

use crate::opcode::is_opcode;
use crate::{is_marker, opcode_name};

/// What a run costs: what is counted, and when.
///
/// Three rules hold for every model, so that two engines that follow them agree on every number:
///
/// * **When.** An operator is charged when it is reached, before it takes effect, and only if the
///   measured region is active at that moment. So the `call` of `measure_begin` is not charged and
///   the `call` of `measure_end` is. A function is charged for its entry when its body begins.
/// * **Where.** The measured region is the activation of the entry, callees included. If the
///   entry can come to call `measure_begin` ([`ModuleSummary::measures_itself`]) it is instead every
///   stretch from a `measure_begin` to the next `measure_end` or the end of the run. Inside a
///   region `measure_begin` does nothing; outside one `measure_end` does nothing. Counts of
///   several regions add up; of maxima ([`Stack`], [`StackBytes`]) the greatest stands.
///
/// * **Bulk.** An operator or a function of the host that moves many bytes or elements at once
///   ([`Bulk`]) stands for a loop, and adds the steps of that loop to what it costs itself, see
///   [`CostModel::step_price`].
///
/// Costs are compared on runs that end normally: where exactly a trap cuts the count is not
/// defined, except that a bulk operation that traps adds no steps.
///
/// [`ModuleSummary::measures_itself`]: crate::ModuleSummary::measures_itself
/// [`Stack`]: CostModel::Stack
/// [`StackBytes`]: CostModel::StackBytes
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CostModel {
    /// `conditionals`: executed `if`, `br_if` and `br_table`, never `select`.
    #[default]
    Conditionals,
    /// `decisions`: open decisions. Only the symbolic machine can count these; a replay compares
    /// the [`TraceDigest`](crate::TraceDigest) instead.
    Decisions,
    /// `visits:FUNC`: times the body of a function of that name is entered, the entry's own
    /// included; for an imported function, times it is called. If several functions have the
    /// name, all count.
    VisitsFunction(String),
    /// `visits:FILE:LINE`: executed operators at which the debug information lets a statement of
    /// that line begin; where one basic block ([`LeaderScan`](crate::LeaderScan)) holds several,
    /// only its first counts. FILE matches a path that ends in it.
    VisitsLine {
        /// The file, or the end of its path.
        file: String,
        /// The line, counted from 1.
        line: u32,
    },
    /// `instructions`: executed operators, all but the markers `block`, `loop`, `else`, `end`.
    Instructions,
    /// `blocks`: executed operators that begin a basic block, as
    /// [`LeaderScan`](crate::LeaderScan) defines it.
    Blocks,
    /// `calls:FUNC`: as `visits:FUNC`, but for the entry's own activation by the host.
    Calls(String),
    /// `heap`: bytes asked of the allocator: at the entry of each function that
    /// [`host::allocation_size`](crate::host::allocation_size) knows by one of its names, unless
    /// another such function is active already (`calloc` calling `malloc` counts once).
    Heap,
    /// `stack`: the greatest number of activations of the module's own functions (imported ones
    /// are not among them) that are on the call stack at one moment of the region, the entry's
    /// being the first.
    Stack,
    /// `stack-bytes`: how far the global of the shadow stack
    /// ([`ModuleSummary::stack_pointer`](crate::ModuleSummary::stack_pointer)) ever falls below
    /// its value at the beginning of the region, read after every `global.set` of it.
    StackBytes,
    /// `output`: bytes written by `fd_write` to descriptors 1 and 2.
    Output,
    /// `fuel:TABLE.json`: executed operators, each at its price.
    Fuel(FuelTable),
}

/// What stands for a loop that moves bytes or table elements.
///
/// It takes as many steps as it has begun to move units. A unit is eight bytes of memory, one
/// element of a table, or one page for `memory.grow`. What a function of the host moves in one call
/// counts together, whatever the pieces. An operation that fails moves nothing and takes no steps:
/// one that traps, a `memory.grow` or `table.grow` that answers -1, a call that answers an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bulk {
    /// `memory.copy`.
    MemoryCopy,
    /// `memory.fill`.
    MemoryFill,
    /// `memory.init`.
    MemoryInit,
    /// `memory.grow`.
    MemoryGrow,
    /// `table.copy`.
    TableCopy,
    /// `table.fill`.
    TableFill,
    /// `table.init`.
    TableInit,
    /// `table.grow`.
    TableGrow,
    /// `fd_read`, `fd_write`, `random_get` and `input_bytes`.
    Host,
}

impl Bulk {
    /// The operator's name in the text format; none for a function of the host.
    pub fn opcode(self) -> Option<&'static str> {
        Some(match self {
            Bulk::MemoryCopy => "memory.copy",
            Bulk::MemoryFill => "memory.fill",
            Bulk::MemoryInit => "memory.init",
            Bulk::MemoryGrow => "memory.grow",
            Bulk::TableCopy => "table.copy",
            Bulk::TableFill => "table.fill",
            Bulk::TableInit => "table.init",
            Bulk::TableGrow => "table.grow",
            Bulk::Host => return None,
        })
    }
}

/// A price for each operator.
///
/// A JSON object from names of the text format to whole numbers, `{"i32.div_s": 20, "default": 1}`.
/// `default` is the price of operators that are not listed, 1 if it is not listed itself. The
/// markers `block`, `loop`, `else` and `end` are free: they are not executed.
///
/// `step` is the price of a step of a bulk operation. Without it a step costs `default`, and nothing
/// where the table lists the operator: what is listed is then its whole price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuelTable {
    name: String,
    default: u32,
    step: Option<u32>,
    prices: BTreeMap<String, u32>,
}

/// A cost model that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// There is no such model.
    #[error(
        "no cost model `{0}`: use conditionals, decisions, visits:FUNC, visits:FILE:LINE, instructions, blocks, \
         calls:FUNC, heap, stack, stack-bytes, output or fuel:TABLE.json"
    )]
    Unknown(String),
    /// Its argument is missing.
    #[error("the cost model `{model}` needs {wanted}: write {model}:{example}")]
    Missing {
        /// The model.
        model: &'static str,
        /// What is missing.
        wanted: &'static str,
        /// As in this example.
        example: &'static str,
    },
    /// The price table is wrong.
    #[error("the price table `{name}` cannot be used: {reason}")]
    Table {
        /// The table.
        name: String,
        /// Why.
        reason: String,
    },
}

impl CostModel {
    /// Reads the name of a model as `--cost` takes it. `load` is asked for the contents of a price
    /// table by its name; this library opens no files itself.
    pub fn parse(
        text: &str,
        load: impl FnOnce(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, CostError> {
        let (model, argument) = match text.split_once(':') {
            Some((model, argument)) => (model, Some(argument).filter(|a| !a.is_empty())),
            None => (text, None),
        };
        let function = |model, argument: Option<&str>| {
            argument.map(str::to_owned).ok_or(CostError::Missing {
                model,
                wanted: "the name of a function",
                example: "compare",
            })
        };
        Ok(match model {
            "visits" => match argument.and_then(split_line) {
                Some((file, line)) => CostModel::VisitsLine { file: file.to_owned(), line },
                None => CostModel::VisitsFunction(function("visits", argument)?),
            },
            "calls" => CostModel::Calls(function("calls", argument)?),
            "fuel" => {
                let name = argument.ok_or(CostError::Missing {
                    model: "fuel",
                    wanted: "a table of prices",
                    example: "prices.json",
                })?;
                let table = load(name)
                    .map_err(|reason| CostError::Table { name: name.to_owned(), reason })?;
                CostModel::Fuel(FuelTable::parse(name, &table)?)
            }
            _ => [
                CostModel::Conditionals,
                CostModel::Decisions,
                CostModel::Instructions,
                CostModel::Blocks,
                CostModel::Heap,
                CostModel::Stack,
                CostModel::StackBytes,
                CostModel::Output,
            ]
            .into_iter()
            .find(|model| model.to_string() == text)
            .ok_or_else(|| CostError::Unknown(text.to_owned()))?,
        })
    }

    /// What one executed operator costs, for the models that are a sum over operators whatever
    /// their place: `conditionals`, `instructions` and `fuel`.
    pub fn operator_price(&self, op: &Operator<'_>) -> Option<u32> {
        match self {
            CostModel::Conditionals => Some(u32::from(matches!(
                op,
                Operator::If { .. } | Operator::BrIf { .. } | Operator::BrTable { .. }
            ))),
            CostModel::Instructions => Some(u32::from(!is_marker(op))),
            CostModel::Fuel(table) => Some(table.price(op)),
            _ => None,
        }
    }

    /// What one step of a bulk operation costs, beside the operator or the call itself: 1 for
    /// `conditionals`, `instructions` and `blocks`, as the table says for `fuel`, else nothing.
    pub fn step_price(&self, bulk: Bulk) -> u32 {
        match self {
            CostModel::Conditionals | CostModel::Instructions | CostModel::Blocks => 1,
            CostModel::Fuel(table) => table.step_price(bulk),
            _ => 0,
        }
    }
}

/// `FILE:LINE`; a function's name may hold colons but no number after the last one.
fn split_line(text: &str) -> Option<(&str, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|&line| line > 0)?;
    (!file.is_empty() && !file.ends_with(':')).then_some((file, line))
}

impl fmt::Display for CostModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostModel::Conditionals => f.write_str("conditionals"),
            CostModel::Decisions => f.write_str("decisions"),
            CostModel::VisitsFunction(function) => write!(f, "visits:{function}"),
            CostModel::VisitsLine { file, line } => write!(f, "visits:{file}:{line}"),
            CostModel::Instructions => f.write_str("instructions"),
            CostModel::Blocks => f.write_str("blocks"),
            CostModel::Calls(function) => write!(f, "calls:{function}"),
            CostModel::Heap => f.write_str("heap"),
            CostModel::Stack => f.write_str("stack"),
            CostModel::StackBytes => f.write_str("stack-bytes"),
            CostModel::Output => f.write_str("output"),
            CostModel::Fuel(table) => write!(f, "fuel:{}", table.name),
        }
    }
}

impl FuelTable {
    /// Reads a table. `name` is what reports call it.
    pub fn parse(name: &str, json: &[u8]) -> Result<Self, CostError> {
        let wrong = |reason: String| CostError::Table { name: name.to_owned(), reason };
        let object: BTreeMap<String, serde_json::Value> = serde_json::from_slice(json)
            .map_err(|error| wrong(format!("it is not a JSON object of prices ({error})")))?;
        let mut table =
            Self { name: name.to_owned(), default: 1, step: None, prices: BTreeMap::new() };
        for (opcode, price) in object {
            let price =
                price.as_u64().and_then(|price| u32::try_from(price).ok()).ok_or_else(|| {
                    wrong(format!(
                        "the price of `{opcode}` is {price}, not a whole number below 2^32"
                    ))
                })?;
            match opcode.as_str() {
                "default" => table.default = price,
                "step" => table.step = Some(price),
                "block" | "loop" | "else" | "end" => {
                    return Err(wrong(format!("`{opcode}` marks structure and is never executed")));
                }
                known if is_opcode(known) => {
                    table.prices.insert(opcode, price);
                }
                _ => return Err(wrong(format!("there is no operator `{opcode}`"))),
            }
        }
        Ok(table)
    }

    /// What one execution of the operator costs.
    pub fn price(&self, op: &Operator<'_>) -> u32 {
        if is_marker(op) {
            return 0;
        }
        self.prices.get(&opcode_name(op)).copied().unwrap_or(self.default)
    }

    fn step_price(&self, bulk: Bulk) -> u32 {
        let listed = bulk.opcode().is_some_and(|opcode| self.prices.contains_key(opcode));
        self.step.unwrap_or(if listed { 0 } else { self.default })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<CostModel, CostError> {
        CostModel::parse(text, |name| match name {
            "t.json" => Ok(br#"{"i32.mul": 3, "default": 2}"#.to_vec()),
            _ => Err("no such file".into()),
        })
    }

    #[test]
    fn what_is_shown_can_be_read() {
        for text in [
            "conditionals",
            "decisions",
            "visits:compare",
            "visits:std::sort",
            "visits:sort.c:12",
            "instructions",
            "blocks",
            "calls:malloc",
            "heap",
            "stack",
            "stack-bytes",
            "output",
            "fuel:t.json",
        ] {
            assert_eq!(parse(text).expect(text).to_string(), text);
        }
        assert!(matches!(parse("visits:sort.c:12"), Ok(CostModel::VisitsLine { line: 12, .. })));
        assert!(matches!(parse("visits:a::b"), Ok(CostModel::VisitsFunction(_))));
    }

    #[test]
    fn wrong_models_are_refused() {
        for text in ["", "time", "visits", "calls:", "fuel", "fuel:none.json", "heap:x"] {
            assert!(parse(text).is_err(), "{text}");
        }
        for table in ["[]", r#"{"i32.mull": 1}"#, r#"{"end": 1}"#, r#"{"i32.mul": -1}"#, "{"] {
            assert!(FuelTable::parse("t", table.as_bytes()).is_err(), "{table}");
        }
    }

    #[test]
    fn prices() {
        let Ok(model) = parse("fuel:t.json") else { panic!("it is there") };
        assert_eq!(model.operator_price(&Operator::I32Mul), Some(3));
        assert_eq!(model.operator_price(&Operator::I32Add), Some(2));
        assert_eq!(model.operator_price(&Operator::End), Some(0));
        assert_eq!(CostModel::Conditionals.operator_price(&Operator::Select), Some(0));
        assert_eq!(
            CostModel::Conditionals.operator_price(&Operator::BrIf { relative_depth: 0 }),
            Some(1)
        );
        assert_eq!(CostModel::Heap.operator_price(&Operator::I32Add), None);
    }

    #[test]
    fn prices_of_steps() {
        for model in ["conditionals", "instructions", "blocks"] {
            assert_eq!(parse(model).map(|m| m.step_price(Bulk::MemoryFill)), Ok(1), "{model}");
        }
        for model in ["decisions", "heap", "output", "visits:f", "calls:f", "stack"] {
            assert_eq!(parse(model).map(|m| m.step_price(Bulk::Host)), Ok(0), "{model}");
        }
        let prices = |json: &str| {
            let table = FuelTable::parse("t", json.as_bytes()).expect(json);
            let price = |bulk| CostModel::Fuel(table.clone()).step_price(bulk);
            [price(Bulk::MemoryCopy), price(Bulk::TableGrow), price(Bulk::Host)]
        };
        assert_eq!(prices("{}"), [1, 1, 1]);
        assert_eq!(prices(r#"{"i32.mul": 1, "default": 0}"#), [0, 0, 0]);
        assert_eq!(prices(r#"{"memory.copy": 9, "call": 7, "default": 2}"#), [0, 2, 2]);
        assert_eq!(prices(r#"{"memory.copy": 9, "step": 3}"#), [3, 3, 3]);
    }

    #[test]
    fn bulk_operators_have_the_names_of_the_text_format() {
        for op in [
            Operator::MemoryCopy { dst_mem: 0, src_mem: 0 },
            Operator::MemoryFill { mem: 0 },
            Operator::MemoryInit { data_index: 0, mem: 0 },
            Operator::MemoryGrow { mem: 0 },
            Operator::TableCopy { dst_table: 0, src_table: 0 },
            Operator::TableFill { table: 0 },
            Operator::TableInit { elem_index: 0, table: 0 },
            Operator::TableGrow { table: 0 },
        ] {
            let named = BULK_OPERATORS.iter().filter_map(|bulk| bulk.opcode());
            assert_eq!(named.filter(|name| *name == opcode_name(&op)).count(), 1, "{op:?}");
        }
    }

    const BULK_OPERATORS: [Bulk; 8] = [
        Bulk::MemoryCopy,
        Bulk::MemoryFill,
        Bulk::MemoryInit,
        Bulk::MemoryGrow,
        Bulk::TableCopy,
        Bulk::TableFill,
        Bulk::TableInit,
        Bulk::TableGrow,
    ];
}
