//! What a program may import from the module `pessimum`.

use crate::{Slot, Type, WasmType};

/// A function that a program may import from the module `pessimum`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PessimumImport {
    /// `input_T() -> T` for every type T: a new symbolic input. Narrow integers come extended to
    /// 32 bits by their own signedness ([`Type::widen`]).
    Input(Type),
    /// `input_range_T(low, high) -> T` for `i32`, `u32`, `i64`, `u64`: a new symbolic input with
    /// that domain, both ends included. An empty domain admits no input at all: the run ends as if
    /// by `assume(0)`.
    InputRange(Type),
    /// `input_bytes(ptr, len)`: `len` new symbolic `u8`s, written to `ptr`.
    InputBytes,
    /// `size() -> i32`: n. A module may import it as `-> i64`.
    Size,
    /// `assume(cond)`: goes on only if the condition is not zero. A run on which it is zero does
    /// not count as a run of the program.
    Assume,
    /// `measure_begin()`: begins a measured region, unless one is active.
    MeasureBegin,
    /// `measure_end()`: ends the measured region, if one is active.
    MeasureEnd,
}

impl PessimumImport {
    /// The module that these are imported from.
    pub const MODULE: &'static str = "pessimum";

    /// The function of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "input_bytes" => PessimumImport::InputBytes,
            "size" => PessimumImport::Size,
            "assume" => PessimumImport::Assume,
            "measure_begin" => PessimumImport::MeasureBegin,
            "measure_end" => PessimumImport::MeasureEnd,
            _ => {
                let rest = name.strip_prefix("input_")?;
                match rest.strip_prefix("range_") {
                    Some(ty) => {
                        let ty = ty.parse().ok()?;
                        let has_range = matches!(ty, Type::I32 | Type::U32 | Type::I64 | Type::U64);
                        return has_range.then_some(PessimumImport::InputRange(ty));
                    }
                    None => PessimumImport::Input(rest.parse().ok()?),
                }
            }
        })
    }

    /// Whether it makes new symbolic inputs.
    pub fn makes_input(self) -> bool {
        use PessimumImport::{Input, InputBytes, InputRange};
        matches!(self, Input(_) | InputRange(_) | InputBytes)
    }

    /// Whether it can be imported with this type.
    pub fn accepts(self, params: &[WasmType], results: &[WasmType]) -> bool {
        use WasmType::{I32, I64};
        match self {
            PessimumImport::Input(ty) => params.is_empty() && results == [ty.wasm()],
            PessimumImport::InputRange(ty) => params == [ty.wasm(); 2] && results == [ty.wasm()],
            PessimumImport::InputBytes => params == [I32, I32] && results.is_empty(),
            PessimumImport::Size => params.is_empty() && (results == [I32] || results == [I64]),
            PessimumImport::Assume => params == [I32] && results.is_empty(),
            PessimumImport::MeasureBegin | PessimumImport::MeasureEnd => {
                params.is_empty() && results.is_empty()
            }
        }
    }

    /// The input that `input_range_T` makes of its two arguments; none if its domain is empty.
    pub fn range_slot(ty: Type, low: u64, high: u64) -> Option<Slot> {
        let (low, high) = (ty.integer(low)?, ty.integer(high)?);
        (low <= high).then(|| Slot::within(ty, low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types() {
        use PessimumImport::{Input, InputRange};
        use WasmType::{I32, I64};
        assert_eq!(PessimumImport::parse("input_u8"), Some(Input(Type::U8)));
        assert_eq!(PessimumImport::parse("input_range_i32"), Some(InputRange(Type::I32)));
        assert_eq!(PessimumImport::parse("input_range_u8"), None);
        assert_eq!(PessimumImport::parse("input_bytes"), Some(PessimumImport::InputBytes));
        assert_eq!(PessimumImport::parse("inputs"), None);
        assert!(Input(Type::U8).accepts(&[], &[I32]));
        assert!(!Input(Type::I64).accepts(&[], &[I32]));
        assert!(PessimumImport::Size.accepts(&[], &[I64]));
        assert_eq!(
            PessimumImport::range_slot(Type::I32, 0xffff_ffff, 1),
            Some(Slot::within(Type::I32, -1, 1))
        );
        assert_eq!(PessimumImport::range_slot(Type::I32, 1, 0), None);
    }
}
