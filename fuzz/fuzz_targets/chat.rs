//! Runs `fuzz_targets::chat` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::chat::run(data);
});
