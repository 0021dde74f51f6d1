//! Values of types that fuzz targets are written for.

use crate::{input_bytes, size, Input};
use alloc::vec;
use arbitrary::{Arbitrary, Unstructured};

/// A value that a type's `Arbitrary` makes of n unknown bytes. Bytes it makes nothing of do not count.
///
/// ```
/// use pessimum_input::{FromBytes, Input};
///
/// fn run(FromBytes(pairs): FromBytes<Vec<(u8, bool)>>) {
///     assert!(pairs.len() < 100);
/// }
/// # pessimum_input::with_input(6, &[1, 2, 3, 4, 5, 6], || run(Input::input()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FromBytes<T>(pub T);

impl<T: for<'a> Arbitrary<'a>> Input for FromBytes<T> {
    fn input() -> Self {
        let mut bytes = vec![0; size()];
        input_bytes(&mut bytes);
        match T::arbitrary_take_rest(Unstructured::new(&bytes)) {
            Ok(value) => FromBytes(value),
            Err(_) => {
                crate::assume(false);
                // No run goes on behind that.
                panic!("these bytes are no input")
            }
        }
    }
}
