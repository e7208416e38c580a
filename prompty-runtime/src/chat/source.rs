//! Where chat templates come from.

use super::engine::Engine;
use crate::error::Error;
use crate::template::RenderLimits;
use crate::value::Map;

/// A model's chat template, compiled once.
#[derive(Debug, Clone)]
pub struct ChatTemplate {
    engine: Engine,
}

impl ChatTemplate {
    /// A template out of its Jinja text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`](crate::ErrorKind::TemplateSyntax) with the line.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let limits = RenderLimits::default().with_fuel(50_000_000);
        Ok(Self { engine: Engine::compile(text, limits)? })
    }

    /// What the template writes for variables as they are, at a moment in seconds since 1970 or now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) where the template raises an error of its
    /// own.
    pub fn render(&self, variables: &Map, now: Option<i64>) -> Result<String, Error> {
        self.engine.render_at(variables, now)
    }
}
