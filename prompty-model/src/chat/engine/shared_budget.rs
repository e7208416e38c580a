//! The budget that all renders of one prompt share. A prompt is rendered more than once: without the
//! generation prompt, and with other texts in the place of its data. Each render has the limits of the
//! template; all of them together have this budget, so that a prompt costs a few renders at most.

use std::cell::Cell;

use prompty_core::error::{Error, ErrorKind};
use prompty_core::jinja::RenderLimits;

/// How many times the fuel of one render all renders of a prompt may take together.
const FUEL_FOR_RENDERS: u64 = 16;
/// How many renders a prompt may take. One whose data is in order takes two to six; one that is refused
/// takes some more, to find out which data is to blame.
const MOST_RENDERS: u32 = 96;

/// What is left of the budget that several renders share.
#[derive(Debug)]
pub(crate) struct SharedBudget {
    fuel: Cell<u64>,
    renders: Cell<u32>,
    is_exceeded: Cell<bool>,
}

impl SharedBudget {
    /// The budget of one prompt, for a template with limits on each render.
    pub(super) fn new(limits: RenderLimits) -> Self {
        Self {
            fuel: Cell::new(limits.fuel.saturating_mul(FUEL_FOR_RENDERS)),
            renders: Cell::new(MOST_RENDERS),
            is_exceeded: Cell::new(false),
        }
    }

    /// The limits of the next render, which is counted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] where nothing is left.
    pub(super) fn next_render(&self, limits: RenderLimits) -> Result<RenderLimits, Error> {
        let (fuel, renders) = (self.fuel.get(), self.renders.get());
        if fuel == 0 || renders == 0 {
            self.is_exceeded.set(true);
            return Err(Self::error());
        }
        self.renders.set(renders - 1);
        Ok(limits.with_fuel(limits.fuel.min(fuel)))
    }

    /// Takes the fuel of a render from the budget. A render that was stopped shows nothing if it would
    /// have had more fuel alone.
    pub(super) fn pay(&self, fuel: u64, is_stopped_early: bool) {
        self.fuel.set(self.fuel.get().saturating_sub(fuel));
        if is_stopped_early {
            self.is_exceeded.set(true);
        }
    }

    /// An error if there were renders that the budget did not allow: what they would have shown is not
    /// known.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_exceeded.get() { Err(Self::error()) } else { Ok(()) }
    }

    fn error() -> Error {
        let message = "the chat template does too much in the renders that show where data stands";
        let help = "give the prompt less data, or the template higher limits; with \
                    `ControlTokens::Ignore` a prompt takes fewer renders";
        Error::new(ErrorKind::Limit, message).with_help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::{FUEL_FOR_RENDERS, MOST_RENDERS, SharedBudget};
    use prompty_core::jinja::RenderLimits;

    #[test]
    fn renders_share_their_fuel() {
        let limits = RenderLimits::default().with_fuel(10);
        let budget = SharedBudget::new(limits);
        for _ in 1..FUEL_FOR_RENDERS {
            assert_eq!(budget.next_render(limits).unwrap().fuel, 10);
            budget.pay(10, false);
        }
        budget.pay(4, false);
        assert_eq!(budget.next_render(limits).unwrap().fuel, 6);
        assert!(budget.check().is_ok());
        budget.pay(5, true);
        assert!(budget.check().is_err());
        budget.pay(1, false);
        assert!(budget.next_render(limits).is_err());
    }

    #[test]
    fn renders_are_counted() {
        let limits = RenderLimits::default();
        let budget = SharedBudget::new(limits);
        for _ in 0..MOST_RENDERS {
            budget.next_render(limits).unwrap();
        }
        assert!(budget.check().is_ok());
        assert!(budget.next_render(limits).is_err());
        assert!(budget.check().is_err());
    }
}
