//! Runs `fuzz_targets::assembly` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::assembly::run(data);
});
