//! Runs `fuzz_targets::wire_stream` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::wire_stream::run(data);
});
