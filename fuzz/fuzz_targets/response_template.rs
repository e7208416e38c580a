//! Runs `fuzz_targets::response_template` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::response_template::run(data);
});
