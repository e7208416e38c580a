//! Runs `fuzz_targets::front_matter` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::front_matter::run(data);
});
