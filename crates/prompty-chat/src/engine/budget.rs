//! The budget of a render. Work is paid for here before it is done, and memory before it is taken.
//!
//! What can be large is behind types that take the price: a [`Text`](super::text::Text) is only read with
//! a [`Meter`] at hand, and so are lists and maps. So an operation that does not pay does not compile.
//!
//! The unit of work is a byte that is read. A step of the engine costs [`STEP`] units, an item that is
//! visited costs [`ITEM`]. What is built costs a unit a byte, and is counted against the memory that a
//! render may take as well; that is not given back before the render ends.

use std::cell::Cell;

use super::fault::{Fault, Outcome};
use prompty_core::work::add_paid;
use prompty_template::RenderLimits;

/// The units that a step of the engine costs.
pub(super) const STEP: usize = 64;
/// The units that it costs to visit an item of a list or an entry of a map.
pub(super) const ITEM: usize = 8;
/// The units that it costs to look at a byte where each letter is looked at by itself: it takes several
/// times as long as copying the byte.
const LETTER: usize = 8;
/// How many times the longest output a render may build.
const BUILT_FOR_OUTPUT: usize = 4;

/// What is left of a render's budget.
#[derive(Debug)]
pub(super) struct Meter {
    /// Units of work.
    work: Cell<u64>,
    /// Bytes that may be built.
    built: Cell<usize>,
}

impl Meter {
    pub(super) fn new(limits: RenderLimits) -> Self {
        Self {
            work: Cell::new(limits.fuel.saturating_mul(STEP as u64)),
            built: Cell::new(limits.max_output.saturating_mul(BUILT_FOR_OUTPUT)),
        }
    }

    /// The whole steps that are left.
    pub(super) fn steps_left(&self) -> u64 {
        self.work.get() / STEP as u64
    }

    /// Pays for steps of the engine.
    #[inline]
    pub(super) fn pay_steps(&self, steps: usize) -> Outcome<()> {
        self.pay(steps.saturating_mul(STEP))
    }

    /// Pays for items that are visited.
    #[inline]
    pub(super) fn pay_items(&self, items: usize) -> Outcome<()> {
        self.pay(items.saturating_mul(ITEM))
    }

    /// Pays for looking at each letter of a text by itself.
    pub(super) fn pay_letters(&self, text: &str) -> Outcome<()> {
        self.pay(text.len().saturating_mul(LETTER))
    }

    /// Pays for units of work, such as bytes that are read.
    #[inline]
    pub(super) fn pay(&self, units: usize) -> Outcome<()> {
        match self.work.get().checked_sub(units as u64) {
            Some(left) => {
                add_paid(units);
                self.work.set(left);
                Ok(())
            }
            None => {
                // What costs more than is left uses it up: the render is over.
                self.work.set(0);
                Err(Fault::limit("the template takes more steps than it may"))
            }
        }
    }

    /// Pays for bytes that are built.
    #[inline]
    pub(super) fn pay_built(&self, bytes: usize) -> Outcome<()> {
        match self.built.get().checked_sub(bytes) {
            Some(left) => {
                self.built.set(left);
                self.pay(bytes)
            }
            None => Err(Fault::limit("the template builds more text than it may")),
        }
    }
}
