//! Runs `fuzz_targets::kernel_configuration` on the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz_targets::kernel_configuration::run(data);
});
