//! Runs `fuzz_targets::semantic_kernel` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::semantic_kernel::run(data);
});
