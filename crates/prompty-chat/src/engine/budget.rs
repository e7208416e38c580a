//! The budget of a render. Work is paid for before it is done, and memory before it is allocated.
//!
//! Large values are in types whose methods take a [`Meter`] if their work grows with the value: a
//! [`Text`](super::text::Text), a list or a map. So an operation that does not pay does not
//! compile. The few exceptions, such as `ItemList::as_slice`, say that the caller pays.
//!
//! The unit of work is one byte that is read. A step of the engine costs [`STEP_COST`] units, and
//! visiting an item costs [`ITEM_COST`]. Building a text, list or map costs one unit for each byte.
//! These bytes also count against the memory limit of the render, and are not given back before it
//! ends.
//!
//! Next to the payment, operations count the work that they really do, with
//! `prompty_core::work::add_steps`. Only tests read that count, to compare it with the payment.

use std::cell::Cell;

use super::fault::{Fault, FaultResult, RAISE_LIMITS};
use prompty_core::work::add_paid;
use prompty_template::RenderLimits;

/// The cost of a step of the engine, in units.
pub(super) const STEP_COST: usize = 64;
/// The cost of visiting an item of a list or an entry of a map, in units.
pub(super) const ITEM_COST: usize = 8;
/// The cost for each byte if a text is processed character by character, in units. This takes
/// several times as long as copying the byte.
const CHARACTER_COST: usize = 8;
/// How many bytes a render may build for each byte of its maximum output.
const MEMORY_FOR_OUTPUT: usize = 4;

/// The rest of a render's budget.
#[derive(Debug)]
pub(super) struct Meter {
    /// Units of work that may still be done.
    work_left: Cell<u64>,
    /// Bytes that may still be built.
    memory_left: Cell<usize>,
    /// The limits of the render.
    limits: RenderLimits,
}

impl Meter {
    pub(super) fn new(limits: RenderLimits) -> Self {
        Self {
            work_left: Cell::new(limits.fuel.saturating_mul(STEP_COST as u64)),
            memory_left: Cell::new(limits.max_output.saturating_mul(MEMORY_FOR_OUTPUT)),
            limits,
        }
    }

    /// The number of complete steps that are left.
    pub(super) fn steps_left(&self) -> u64 {
        self.work_left.get() / STEP_COST as u64
    }

    /// Pays for steps of the engine.
    #[inline]
    pub(super) fn pay_steps(&self, steps: usize) -> FaultResult<()> {
        self.pay_units(steps.saturating_mul(STEP_COST))
    }

    /// Pays for visiting items.
    #[inline]
    pub(super) fn pay_items(&self, items: usize) -> FaultResult<()> {
        self.pay_units(items.saturating_mul(ITEM_COST))
    }

    /// Pays for processing a text character by character.
    pub(super) fn pay_characters(&self, text: &str) -> FaultResult<()> {
        self.pay_units(text.len().saturating_mul(CHARACTER_COST))
    }

    /// Pays for units of work, such as bytes that are read.
    #[inline]
    pub(super) fn pay_units(&self, units: usize) -> FaultResult<()> {
        match self.work_left.get().checked_sub(units as u64) {
            Some(left) => {
                // Counted for tests.
                add_paid(units);
                self.work_left.set(left);
                Ok(())
            }
            None => {
                // The rest is dropped, so that `steps_left` is 0.
                self.work_left.set(0);
                let fuel = self.limits.fuel;
                Err(Fault::limit(format!("the template takes more than {fuel} steps"))
                    .with_help(RAISE_LIMITS))
            }
        }
    }

    /// Pays for the memory of bytes that are built, and for the work of building them.
    #[inline]
    pub(super) fn pay_memory(&self, bytes: usize) -> FaultResult<()> {
        match self.memory_left.get().checked_sub(bytes) {
            Some(left) => {
                self.memory_left.set(left);
                self.pay_units(bytes)
            }
            None => {
                let most = self.limits.max_output.saturating_mul(MEMORY_FOR_OUTPUT);
                Err(Fault::limit(format!(
                    "the template builds more than {most} bytes of text and lists"
                ))
                .with_help(RAISE_LIMITS))
            }
        }
    }
}
