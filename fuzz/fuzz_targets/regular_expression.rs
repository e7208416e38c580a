//! Runs `fuzz_targets::regular_expression` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::regular_expression::run(data);
});
