//! Runs `fuzz_targets::message_tags` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::message_tags::run(data);
});
