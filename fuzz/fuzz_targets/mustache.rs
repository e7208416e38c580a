//! Runs `fuzz_targets::mustache` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::mustache::run(data);
});
