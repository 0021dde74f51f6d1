//! The imports of the module `pessimum`.
#![allow(unsafe_code)]

/// As the host declares them. `input_bytes` writes `len` bytes from `ptr` on; the others touch no
/// memory of the program.
mod imports {
    #[link(wasm_import_module = "pessimum")]
    extern "C" {
        pub(super) fn size() -> i32;
        pub(super) fn input_u8() -> u8;
        pub(super) fn input_i8() -> i8;
        pub(super) fn input_u16() -> u16;
        pub(super) fn input_i16() -> i16;
        pub(super) fn input_u32() -> u32;
        pub(super) fn input_i32() -> i32;
        pub(super) fn input_u64() -> u64;
        pub(super) fn input_i64() -> i64;
        pub(super) fn input_f32() -> f32;
        pub(super) fn input_f64() -> f64;
        pub(super) fn input_range_i32(low: i32, high: i32) -> i32;
        pub(super) fn input_range_u32(low: u32, high: u32) -> u32;
        pub(super) fn input_range_i64(low: i64, high: i64) -> i64;
        pub(super) fn input_range_u64(low: u64, high: u64) -> u64;
        pub(super) fn input_bytes(ptr: *mut u8, len: usize);
        pub(super) fn assume(condition: i32);
        pub(super) fn measure_begin();
        pub(super) fn measure_end();
    }
}

macro_rules! safe {
    ($($name:ident($($arg:ident: $arg_ty:ty),*) $(-> $ty:ty)?;)*) => {$(
        #[inline]
        pub(crate) fn $name($($arg: $arg_ty),*) $(-> $ty)? {
            // SAFETY: the host takes and gives plain numbers, any of which will do.
            unsafe { imports::$name($($arg),*) }
        }
    )*};
}

safe! {
    size() -> i32;
    input_u8() -> u8;
    input_i8() -> i8;
    input_u16() -> u16;
    input_i16() -> i16;
    input_u32() -> u32;
    input_i32() -> i32;
    input_u64() -> u64;
    input_i64() -> i64;
    input_f32() -> f32;
    input_f64() -> f64;
    input_range_i32(low: i32, high: i32) -> i32;
    input_range_u32(low: u32, high: u32) -> u32;
    input_range_i64(low: i64, high: i64) -> i64;
    input_range_u64(low: u64, high: u64) -> u64;
    measure_begin();
    measure_end();
}

#[inline]
pub(crate) fn input_bytes(bytes: &mut [u8]) {
    // SAFETY: the host writes exactly these bytes, and every value is a valid u8.
    unsafe { imports::input_bytes(bytes.as_mut_ptr(), bytes.len()) }
}

#[inline]
pub(crate) fn assume(condition: bool) {
    // SAFETY: the host takes a number.
    unsafe { imports::assume(i32::from(condition)) }
}
