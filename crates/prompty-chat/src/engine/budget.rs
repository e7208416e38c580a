//! The budget of a render. Work is paid for before it is done, and memory before it is allocated.
//!
//! Large values are in types that require payment: a [`Text`](super::text::Text), a list or a map
//! can only be read with a [`Meter`]. So an operation that does not pay does not compile.
//!
//! The unit of work is one byte that is read. A step of the engine costs [`STEP`] units, and
//! visiting an item costs [`ITEM`]. Building text costs one unit for each byte. It also counts
//! against the memory limit of the render, and is not given back before the render ends.

use std::cell::Cell;

use super::fault::{Fault, FaultResult};
use prompty_core::work::add_paid;
use prompty_template::RenderLimits;

/// The cost of a step of the engine, in units.
pub(super) const STEP: usize = 64;
/// The cost of visiting an item of a list or an entry of a map, in units.
pub(super) const ITEM: usize = 8;
/// The cost for each byte if a text is processed character by character, in units. This takes
/// several times as long as copying the byte.
const CHARACTER: usize = 8;
/// The bytes that a render may build, as a multiple of the maximum output.
const BUILT_FOR_OUTPUT: usize = 4;

/// The rest of a render's budget.
#[derive(Debug)]
pub(super) struct Meter {
    /// Units of work.
    work: Cell<u64>,
    /// Bytes that may still be built.
    built: Cell<usize>,
}

impl Meter {
    pub(super) fn new(limits: RenderLimits) -> Self {
        Self {
            work: Cell::new(limits.fuel.saturating_mul(STEP as u64)),
            built: Cell::new(limits.max_output.saturating_mul(BUILT_FOR_OUTPUT)),
        }
    }

    /// The number of complete steps that are left.
    pub(super) fn steps_left(&self) -> u64 {
        self.work.get() / STEP as u64
    }

    /// Pays for steps of the engine.
    #[inline]
    pub(super) fn pay_steps(&self, steps: usize) -> FaultResult<()> {
        self.pay(steps.saturating_mul(STEP))
    }

    /// Pays for visiting items.
    #[inline]
    pub(super) fn pay_items(&self, items: usize) -> FaultResult<()> {
        self.pay(items.saturating_mul(ITEM))
    }

    /// Pays for processing a text character by character.
    pub(super) fn pay_characters(&self, text: &str) -> FaultResult<()> {
        self.pay(text.len().saturating_mul(CHARACTER))
    }

    /// Pays for units of work, such as bytes that are read.
    #[inline]
    pub(super) fn pay(&self, units: usize) -> FaultResult<()> {
        match self.work.get().checked_sub(units as u64) {
            Some(left) => {
                add_paid(units);
                self.work.set(left);
                Ok(())
            }
            None => {
                // Work that costs more than the rest uses up the budget, so the render stops.
                self.work.set(0);
                Err(Fault::limit("the template exceeds the limit of steps"))
            }
        }
    }

    /// Pays for bytes that are built.
    #[inline]
    pub(super) fn pay_built(&self, bytes: usize) -> FaultResult<()> {
        match self.built.get().checked_sub(bytes) {
            Some(left) => {
                self.built.set(left);
                self.pay(bytes)
            }
            None => Err(Fault::limit("the template exceeds the limit of text that it builds")),
        }
    }
}
