//! The budgets of both engines: no operation of a template does more than ten times what it pays for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, a panic is a failure")]

mod alone;
mod costly;
mod names;
mod pairs;

use prompty_core::ErrorKind;
use prompty_template::RenderLimits;

/// A part of the default limits: what the budget admits is then small enough for a debug build, and what
/// each render takes at once is still far less.
fn limits(part: u16) -> RenderLimits {
    let default = RenderLimits::default();
    let output = default.max_output / usize::from(part);
    default.with_fuel(default.fuel / u64::from(part)).with_max_output(output)
}

/// Whether a render did what it was asked for. What a template raises itself is that, too.
fn is_done(end: &Option<ErrorKind>) -> bool {
    matches!(end, None | Some(ErrorKind::Refused))
}
