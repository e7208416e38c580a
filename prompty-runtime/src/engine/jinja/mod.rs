//! Runs Jinja2 templates (§5.5) with minijinja.
//!
//! Only this module uses minijinja, and only its stable interface. The checker, the macros and the
//! boundaries of messages use the tree of our own parser, so a program that only uses the macros
//! does not build minijinja.
//!
//! The Prompty specification defines a portable subset of Jinja2. If it and standard Jinja2 differ,
//! the portable subset wins. Booleans print in lower case, `null` prints nothing, and `1.0` prints
//! `1`. Maps keep their order. A missing attribute at any depth is undefined. A template cannot
//! access files or the network.
//!
//! `instrument` changes the text of a template before minijinja compiles it, `environment` sets
//! minijinja up, and `template` runs the result. Four modules limit the work of a render:
//!
//! - `costs` says as how many bytes an item, a call or an allocation counts,
//! - `size` measures a value with all its contents,
//! - `prices` says what a call of each of minijinja's own functions costs, from the sizes of its
//!   arguments,
//! - `budget` has the limits, and the methods that charge for work before it is done.

mod bridge;
mod budget;
mod builtin_arguments;
mod costs;
mod environment;
mod filters;
mod format;
mod instrument;
mod messages;
mod methods;
mod names;
mod operators;
mod prices;
mod size;
mod template;
#[cfg(test)]
mod tour;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};

/// The engine of Jinja2.
#[derive(Debug, Clone, Copy, Default)]
pub struct JinjaEngine;

impl Engine for JinjaEngine {
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        Ok(Box::new(template::JinjaTemplate::compile(template, options)?))
    }
}
