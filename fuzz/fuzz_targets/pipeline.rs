//! Runs `fuzz_targets::pipeline` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::pipeline::run(data);
});
