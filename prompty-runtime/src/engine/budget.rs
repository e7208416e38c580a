//! The budget of a render in the step engine: steps, and bytes that helpers build.

use std::fmt::Write;

use super::output::RenderOutput;
use super::{RenderFailure, RenderLimits};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::{add_paid, add_steps};

/// The number of bytes that one step may read.
const STEP_BYTES: usize = 64;
/// A template may build this many times its maximum output.
const BUILD_FACTOR: usize = 4;

/// The remaining budget of a render.
#[derive(Debug)]
pub(super) struct StepBudget {
    limits: RenderLimits,
    /// The number of steps that are left.
    fuel: u64,
    /// The number of bytes that helpers may still build.
    build_left: usize,
}

impl StepBudget {
    pub(super) fn new(limits: RenderLimits) -> Self {
        let build_left = limits.max_output.saturating_mul(BUILD_FACTOR);
        Self { limits, fuel: limits.fuel, build_left }
    }

    /// Charges for steps.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), RenderFailure> {
        let requested = u64::try_from(steps).unwrap_or(u64::MAX);
        let Some(left) = self.fuel.checked_sub(requested) else {
            return Err(too_many_steps(self.limits).into());
        };
        self.fuel = left;
        add_paid(steps.saturating_mul(STEP_BYTES));
        add_steps(steps);
        Ok(())
    }

    /// Charges for bytes that are read. Fewer bytes than a step may read cost nothing: the step
    /// that reads them is paid.
    pub(super) fn charge_read(&mut self, bytes: usize) -> Result<(), RenderFailure> {
        self.spend(bytes / STEP_BYTES)
    }

    /// Charges for bytes that are built.
    pub(super) fn charge_built(&mut self, bytes: usize) -> Result<(), RenderFailure> {
        let Some(build_left) = self.build_left.checked_sub(bytes) else {
            let bytes = self.limits.max_output.saturating_mul(BUILD_FACTOR);
            let message = format!("the template builds more than {bytes} bytes");
            let error = Error::new(ErrorKind::Limit, message);
            return Err(error.with_help("raise `max_output` of the render limits").into());
        };
        self.build_left = build_left;
        self.charge_read(bytes)
    }

    /// Prints a value and charges for the text.
    pub(super) fn print(&mut self, value: &Value) -> Result<String, RenderFailure> {
        let mut text = RenderOutput::new(self.build_left);
        let is_complete = write!(text, "{value}").is_ok();
        let text = text.into_text();
        // An incomplete text is longer than the budget allows, so the charge fails.
        let length = if is_complete { text.len() } else { self.build_left.saturating_add(1) };
        self.charge_built(length)?;
        Ok(text)
    }
}

/// The error for a render that has no steps left.
pub(super) fn too_many_steps(limits: RenderLimits) -> Error {
    let message = format!("the template takes more than {} steps", limits.fuel);
    Error::new(ErrorKind::Limit, message).with_help("raise `fuel` of the render limits")
}

/// The error for a render whose output is too long.
pub(super) fn too_long(limits: RenderLimits) -> Error {
    let message = format!("the rendered text is longer than {} bytes", limits.max_output);
    Error::new(ErrorKind::Limit, message).with_help("raise `max_output` of the render limits")
}
