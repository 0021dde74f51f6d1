//! What a basic block costs in each cost model.

use crate::error::LoadError;
use crate::source::SourceMap;
use pessimum_entry::CostModel;
use std::collections::HashSet;

/// The part of a cost model that is known when a block is translated. What depends on values
/// (heap, stack, output, open decisions) is counted elsewhere as the program runs.
#[derive(Clone, Debug)]
pub(crate) enum Price {
    /// Nothing per block.
    Free,
    /// A price for each executed operator.
    Operators(CostModel),
    /// Each basic block.
    Blocks,
    /// Each entry of these functions.
    Entries(HashSet<u32>),
    /// Each statement start at these file offsets, once per basic block.
    Lines(HashSet<u32>),
}

impl Price {
    /// `named` gives every function that has a name, by export or name section.
    pub(crate) fn new(
        cost: &CostModel,
        named: &dyn Fn(&str) -> Vec<u32>,
        source: &SourceMap,
    ) -> Result<Price, LoadError> {
        let wrong = |why: String| LoadError::Cost { cost: cost.to_string(), why };
        Ok(match cost {
            CostModel::Conditionals | CostModel::Instructions | CostModel::Fuel(_) => {
                Price::Operators(cost.clone())
            }
            CostModel::Blocks => Price::Blocks,
            CostModel::VisitsFunction(name) | CostModel::Calls(name) => {
                let functions: HashSet<u32> = named(name).into_iter().collect();
                if functions.is_empty() {
                    return Err(wrong(format!(
                        "the module has no function named {name} (names come from exports and the name section)"
                    )));
                }
                Price::Entries(functions)
            }
            CostModel::VisitsLine { file, line } => {
                let offsets = source.statements(file, *line);
                if offsets.is_empty() {
                    return Err(wrong(if source.is_empty() {
                        "the module has no debug information (compile with -g)".to_owned()
                    } else {
                        let files: Vec<&str> = source.files().iter().map(AsRef::as_ref).collect();
                        format!(
                            "no statement begins at {file}:{line}; the module's files are {}",
                            files.join(", ")
                        )
                    }));
                }
                Price::Lines(offsets.into_iter().collect())
            }
            CostModel::Decisions
            | CostModel::Heap
            | CostModel::Stack
            | CostModel::StackBytes
            | CostModel::Output => Price::Free,
        })
    }
}
