//! Runs `fuzz_targets::schema_grammar` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::schema_grammar::run(data);
});
