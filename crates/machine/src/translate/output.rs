//! Code as it is written, with the blocks, sites and prices of it.

use super::Translator;
use crate::code::Code;
use crate::module::{Block, BlockKind, Site, SiteKind};
use crate::price::Price;
use wasmparser::Operator;

impl Translator<'_> {
    pub(super) fn emit(&mut self, code: Code) {
        self.emit_at(code, 0);
    }

    pub(super) fn emit_at(&mut self, code: Code, site: u32) {
        self.fresh = None;
        self.code.push(code);
        self.meta.push((self.offset, site));
        self.loop_depths.push(self.loop_depth);
    }

    /// A new site for the present instruction; 1 + its number.
    pub(super) fn site(&mut self, kind: SiteKind) -> u32 {
        self.sites.push(Site {
            function: self.function,
            offset: self.offset - self.body_start,
            file_offset: self.offset,
            kind,
        });
        self.sites.len() as u32
    }

    /// Starts a stretch of code that is executed as a whole.
    pub(super) fn open_block(&mut self) {
        let block = self.blocks.len() as u32;
        let kind = if self.code.is_empty() { BlockKind::Entry } else { BlockKind::Plain };
        let (function, first) = (self.function, self.offset);
        self.blocks.push(Block { function, first, instructions: 0, kind });
        let entered = self.code.is_empty()
            && matches!(&self.module.price, Price::Entries(f) if f.contains(&self.function));
        self.block = Some(self.code.len());
        self.emit(Code::Block { instructions: 0, cost: u32::from(entered), block });
    }

    /// Adds the instruction to the open block's account.
    pub(super) fn count(&mut self, op: &Operator<'_>, leader: bool) {
        if leader {
            self.line_counted = false;
        }
        let price = match &self.module.price {
            Price::Operators(model) => model.operator_price(op).unwrap_or(0),
            Price::Blocks => u32::from(leader),
            // A function of the host has no body to charge its entries to.
            Price::Entries(functions) => match op {
                Operator::Call { function_index: f }
                    if self.module.functions[*f as usize].host.is_some() =>
                {
                    u32::from(functions.contains(f))
                }
                _ => 0,
            },
            Price::Lines(offsets) if offsets.contains(&self.offset) && !self.line_counted => {
                self.line_counted = true;
                self.line_points.push((self.function, self.offset));
                1
            }
            _ => 0,
        };
        let Some(at) = self.block else { return };
        if let Code::Block { instructions, cost, block } = &mut self.code[at] {
            if *instructions == 0 {
                self.blocks[*block as usize].first = self.offset;
            }
            *instructions += 1;
            *cost = cost.saturating_add(price);
        }
    }
}
