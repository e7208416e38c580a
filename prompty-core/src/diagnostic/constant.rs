//! Errors that only rustc can find, in the constants that macros write.

/// Ends the build with an error at the place of the call.
#[doc(hidden)]
#[track_caller]
#[allow(clippy::panic, reason = "only constants call it")]
pub const fn fail_build(message: &str) -> ! {
    panic!("{}", message)
}
