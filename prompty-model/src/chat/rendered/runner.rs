//! Runs a template for a prompt, out of the budget that all renders of the prompt share.

use crate::chat::capabilities::ProbedTemplate;
use crate::chat::engine::{SharedBudget, Written};
use prompty_core::error::Error;
use prompty_core::value::Map;

/// A template, and the budget of a prompt.
#[derive(Debug, Clone, Copy)]
pub(in crate::chat) struct Runner<'t> {
    pub(super) template: ProbedTemplate<'t>,
    pub(super) budget: &'t SharedBudget,
}

impl Runner<'_> {
    /// Runs the template once.
    ///
    /// # Errors
    ///
    /// Those of the template, and [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where the budget
    /// is used up.
    pub(super) fn run(self, variables: &Map, now: Option<i64>) -> Result<Written, Error> {
        self.template.engine.render_from(self.budget, variables, now)
    }
}
