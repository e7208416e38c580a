//! Runs `fuzz_targets::outputs` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::outputs::run(data);
});
