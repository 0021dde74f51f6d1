#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    pessimum_fuzz::call_spec(bytes);
});
