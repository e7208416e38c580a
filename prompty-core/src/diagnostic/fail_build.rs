//! Build errors from constants that macros generate, for checks that only rustc can do.

/// Fails the build with an error at the caller's place.
#[doc(hidden)]
#[track_caller]
#[allow(clippy::panic, reason = "only called in constants")]
pub const fn fail_build(message: &str) -> ! {
    panic!("{}", message)
}
