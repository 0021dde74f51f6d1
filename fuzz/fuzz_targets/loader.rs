#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    pessimum_fuzz::loader(bytes);
});
