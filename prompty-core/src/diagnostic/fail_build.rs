//! Build errors from constants that macros generate, for checks that only rustc can do, such as
//! whether two types give their tools the same name.

/// Fails the build with an error at the caller's place.
#[doc(hidden)]
#[track_caller]
#[allow(clippy::panic, reason = "only called in constants")]
pub const fn fail_build(message: &str) -> ! {
    panic!("{}", message)
}
