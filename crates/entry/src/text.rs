//! Bytes that are UTF-8: what a text may be, for both engines.

/// Whether bytes are UTF-8; else where what is wrong begins.
pub fn check(bytes: &[u8]) -> Result<(), usize> {
    std::str::from_utf8(bytes).map(|_| ()).map_err(|wrong| wrong.valid_up_to())
}

/// Makes bytes UTF-8 by taking the highest bit from those that stand wrong; UTF-8 stays as it is. A search
/// varies bytes, and what it makes of a text has to be one.
///
/// ```
/// use pessimum_entry::text::mend;
///
/// let mut bytes = *b"caf\xc3\xa9 \xc3(";
/// mend(&mut bytes);
/// assert_eq!(&bytes, "café C(".as_bytes());
/// ```
pub fn mend(bytes: &mut [u8]) {
    let mut from = 0;
    while let Err(wrong) = check(&bytes[from..]) {
        bytes[from + wrong] &= 0x7f;
        from += wrong;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn anything_can_be_mended(bytes: Vec<u8>) {
            let mut mended = bytes.clone();
            mend(&mut mended);
            prop_assert!(check(&mended).is_ok());
            if check(&bytes).is_ok() {
                prop_assert_eq!(mended, bytes);
            }
        }
    }
}
