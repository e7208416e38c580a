//! Runs `fuzz_targets::check` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::check::run(data);
});
