//! What a render may still do: steps, and bytes that helpers build.

use std::fmt::Write;

use super::output::Output;
use super::{RenderFailure, RenderLimits};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::{add_paid, add_steps};

/// How many bytes a step may read.
const STEP: usize = 64;
/// How many times the output a template may build on the way.
const BUILT: usize = 4;

/// What a render may still do.
#[derive(Debug)]
pub(super) struct Budget {
    limits: RenderLimits,
    fuel: u64,
    /// How many bytes helpers may still build.
    left: usize,
}

impl Budget {
    pub(super) fn new(limits: RenderLimits) -> Self {
        Self { limits, fuel: limits.fuel, left: limits.max_output.saturating_mul(BUILT) }
    }

    /// Pays for steps.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), RenderFailure> {
        let wanted = u64::try_from(steps).unwrap_or(u64::MAX);
        let Some(left) = self.fuel.checked_sub(wanted) else {
            return Err(too_many_steps(self.limits).into());
        };
        self.fuel = left;
        add_paid(steps.saturating_mul(STEP));
        add_steps(steps);
        Ok(())
    }

    /// Pays for bytes that are read.
    pub(super) fn read(&mut self, bytes: usize) -> Result<(), RenderFailure> {
        self.spend(bytes / STEP)
    }

    /// Pays for bytes that are built.
    pub(super) fn build(&mut self, bytes: usize) -> Result<(), RenderFailure> {
        let Some(left) = self.left.checked_sub(bytes) else {
            let limit = self.limits.max_output;
            let message =
                format!("what the template builds is larger than {BUILT} times {limit} bytes");
            let error = Error::new(ErrorKind::Limit, message);
            return Err(error.with_help("raise `max_output` of the render limits").into());
        };
        self.left = left;
        self.read(bytes)
    }

    /// The text that a value prints as, which is paid for.
    pub(super) fn text(&mut self, value: &Value) -> Result<String, RenderFailure> {
        let mut text = Output::new(self.left);
        let is_whole = write!(text, "{value}").is_ok();
        let text = text.into_text();
        self.build(if is_whole { text.len() } else { self.left.saturating_add(1) })?;
        Ok(text)
    }
}

/// The error of a render that has no steps left.
pub(super) fn too_many_steps(limits: RenderLimits) -> Error {
    let message = format!("the template takes more than {} steps", limits.fuel);
    Error::new(ErrorKind::Limit, message).with_help("raise `fuel` of the render limits")
}

/// The error of a render that has written too much.
pub(super) fn too_long(limits: RenderLimits) -> Error {
    let message = format!("the rendered text is longer than {} bytes", limits.max_output);
    Error::new(ErrorKind::Limit, message).with_help("raise `max_output` of the render limits")
}
