//! Runs `fuzz_targets::handlebars` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::handlebars::run(data);
});
