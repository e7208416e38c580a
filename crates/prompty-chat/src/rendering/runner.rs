//! Runs a template for a prompt. All renders of the prompt share one budget.
//!
//! A prompt is rendered more than once: without the generation prompt, and with its data replaced
//! by other texts. Each render has the limits of the template. The shared budget limits the total
//! cost of a prompt to that of a few renders.

use std::cell::Cell;

use crate::capabilities::ProbedTemplate;
use crate::engine::{Engine, RenderOutput};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;
use prompty_reply::format::ReplyFormat;

/// The fuel of all renders of a prompt together, as a multiple of the fuel of one render.
const FUEL_FOR_RENDERS: u64 = 16;
/// The maximum number of renders for a prompt. A prompt with harmless data takes two to six. A
/// refused prompt takes more, to find out which data caused it.
const MOST_RENDERS: u32 = 96;

/// The budget that is left for the renders of one prompt.
#[derive(Debug)]
pub(crate) struct PromptBudget {
    fuel_left: Cell<u64>,
    renders_left: Cell<u32>,
    is_exceeded: Cell<bool>,
}

impl PromptBudget {
    /// The budget for one prompt of a template.
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            fuel_left: Cell::new(engine.fuel().saturating_mul(FUEL_FOR_RENDERS)),
            renders_left: Cell::new(MOST_RENDERS),
            is_exceeded: Cell::new(false),
        }
    }

    /// Renders the template once, and takes the cost from the budget.
    fn render(
        &self,
        engine: &Engine,
        variables: &Map,
        now: Option<i64>,
    ) -> Result<RenderOutput, Error> {
        let (mut fuel, renders) = (self.fuel_left.get(), self.renders_left.get());
        if fuel == 0 || renders == 0 {
            self.is_exceeded.set(true);
            return Err(Self::error());
        }
        self.renders_left.set(renders - 1);
        let has_less = fuel < engine.fuel();
        let written = engine.render(variables, now, &mut fuel);
        self.fuel_left.set(fuel);
        // With its full fuel, this render might have finished. So its failure proves nothing.
        if has_less && written.as_ref().is_err_and(|error| error.kind() == ErrorKind::Limit) {
            self.is_exceeded.set(true);
        }
        written
    }

    /// Checks that no render was stopped by the budget. Otherwise the other renders are not enough.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`ErrorKind::Limit`] if the budget was exceeded.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_exceeded.get() { Err(Self::error()) } else { Ok(()) }
    }

    fn error() -> Error {
        let message = "finding the data in the rendered prompt takes too many steps";
        let help = "shorten the data of the prompt, raise the limits of the template, or set \
                    `ControlTokens::Ignore`";
        Error::new(ErrorKind::Limit, message).with_help(help)
    }
}

/// Renders requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Renderer<'t> {
    pub(crate) template: ProbedTemplate<'t>,
    /// The format of the model's replies, or the error of its analysis. With a format, a message
    /// that the model continues is completed with the reasoning that the template leaves out.
    pub(crate) format: Option<Result<&'t ReplyFormat, &'t Error>>,
    /// The budget for all renders of the prompt.
    pub(crate) budget: &'t PromptBudget,
}

impl Renderer<'_> {
    /// Runs the template once. `now` is in seconds since 1970; `None` is the current time.
    ///
    /// # Errors
    ///
    /// Returns the errors of the template, and an error of kind [`ErrorKind::Limit`] if the budget
    /// is used up.
    pub(super) fn run(self, variables: &Map, now: Option<i64>) -> Result<RenderOutput, Error> {
        self.budget.render(self.template.engine, variables, now)
    }
}

#[cfg(test)]
mod tests {
    use super::{FUEL_FOR_RENDERS, MOST_RENDERS, PromptBudget};
    use crate::engine::Engine;
    use prompty_core::value::Map;
    use prompty_template::RenderLimits;

    fn engine(text: &str) -> Engine {
        Engine::compile(text, RenderLimits::default().with_fuel(1_000)).unwrap()
    }

    #[test]
    fn renders_share_their_fuel() {
        let costly = engine("{% for i in range(80) %}{{ i }}{% endfor %}");
        let budget = PromptBudget::new(&costly);
        let mut rendered = 0;
        while budget.render(&costly, &Map::new(), Some(0)).is_ok() {
            rendered += 1;
        }
        assert!(rendered >= FUEL_FOR_RENDERS && rendered < u64::from(MOST_RENDERS), "{rendered}");
        assert!(budget.check().is_err());
        assert!(budget.render(&costly, &Map::new(), Some(0)).is_err());
    }

    #[test]
    fn a_render_that_exceeds_its_own_limits_does_not_exceed_the_budget() {
        let endless = engine("{% for i in range(9999) %}{{ i }}{% endfor %}");
        let budget = PromptBudget::new(&endless);
        assert!(budget.render(&endless, &Map::new(), Some(0)).is_err());
        assert!(budget.check().is_ok());
    }

    #[test]
    fn renders_are_counted() {
        let small = engine("x");
        let budget = PromptBudget::new(&small);
        for _ in 0..MOST_RENDERS {
            budget.render(&small, &Map::new(), Some(0)).unwrap();
        }
        assert!(budget.check().is_ok());
        assert!(budget.render(&small, &Map::new(), Some(0)).is_err());
        assert!(budget.check().is_err());
    }
}
