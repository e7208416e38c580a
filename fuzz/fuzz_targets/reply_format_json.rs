//! Runs `fuzz_targets::reply_format_json` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::reply_format_json::run(data);
});
