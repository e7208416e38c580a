//! The engine that chat templates run on: Jinja2 as `transformers` sets it up, bounded.
#![allow(dead_code, reason = "the rooms that use it are being built")]

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::template::RenderLimits;
use crate::value::Map;

/// A template, compiled once. Cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    facts: Arc<(Vec<String>, Vec<String>)>,
}

impl Engine {
    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`], with the line and a snippet.
    pub(crate) fn compile(source: &str, limits: RenderLimits) -> Result<Self, Error> {
        let _ = (source, limits);
        Ok(Self { facts: Arc::default() })
    }

    /// The text that the template writes for these variables.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] with what the template said, where it raises;
    /// [`ErrorKind::Render`] where it fails; [`ErrorKind::Limit`] where it does too much.
    pub(crate) fn render(&self, variables: &Map) -> Result<String, Error> {
        let _ = variables;
        Err(Error::new(ErrorKind::Render, "not built yet"))
    }

    /// Every distinct text that stands in the template's expressions or as its literal text, in the
    /// order of their first use.
    pub(crate) fn string_constants(&self) -> &[String] {
        &self.facts.0
    }

    /// The variables that the template reads and does not set itself, in the order of first use.
    pub(crate) fn variables(&self) -> &[String] {
        &self.facts.1
    }
}
