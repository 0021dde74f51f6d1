//! Elements of an array that are more than one number: structs, and numbers with a gap between them.

use crate::Slot;

/// What an element looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The type's name in the program.
    pub name: String,
    /// From one element to the next.
    pub bytes: u32,
    /// What is unknown in it; everything else is zero.
    pub fields: Vec<RecordField>,
}

/// A number in an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordField {
    /// Its name: `x`, `pos.x`, `key[2]`; empty where the element is the number itself.
    pub name: String,
    /// Where it lies in the element.
    pub offset: u32,
    /// What it may be.
    pub slot: Slot,
}

impl Record {
    /// The inputs of so many elements, in the order of memory, each with where it lies.
    pub fn inputs(&self, len: u64) -> impl Iterator<Item = (u64, Slot)> + '_ {
        (0..len).flat_map(move |i| {
            let start = i * u64::from(self.bytes);
            self.fields.iter().map(move |field| (start + u64::from(field.offset), field.slot))
        })
    }

    /// The bytes of elements, from the values of their inputs.
    ///
    /// ```
    /// use pessimum_entry::{Record, RecordField, Slot, Type};
    ///
    /// let field = |name: &str, offset, ty| RecordField { name: name.into(), offset, slot: Slot::any(ty) };
    /// let fields = vec![field("x", 0, Type::U8), field("y", 2, Type::I16)];
    /// let point = Record { name: "point".into(), bytes: 4, fields };
    /// let mut values = [7, 0x0102].into_iter();
    /// assert_eq!(point.image(1, |_| values.next().ok_or("none"))?, [7, 0, 2, 1]);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn image<E>(
        &self,
        len: u64,
        mut next: impl FnMut(Slot) -> Result<u64, E>,
    ) -> Result<Vec<u8>, E> {
        let mut bytes = vec![0; (len * u64::from(self.bytes)) as usize];
        for (at, slot) in self.inputs(len) {
            let value = next(slot)?.to_le_bytes();
            let (at, width) = (at as usize, slot.ty.bytes() as usize);
            bytes[at..at + width].copy_from_slice(&value[..width]);
        }
        Ok(bytes)
    }
}
