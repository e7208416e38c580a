//! The step engine. It runs the templates of Mustache, Handlebars, Semantic Kernel's basic
//! language, and the languages of a host.
//!
//! `compile` converts the tree of a template into a list of steps, and `template` runs them. Names
//! are looked up in one of two ways, see [`NameLookup`]: as in Mustache (`sections`) or as in
//! Handlebars (`blocks`). For Handlebars, `expressions` compiles calls of helpers into `operations`
//! on a stack of values.
//!
//! The crate `handlebars` is not used. It takes values as JSON, so it cannot represent integers
//! beyond 64 bits, and it prints lists and maps differently. It also cannot wait for an async
//! function, and it limits neither the time nor the memory of a render.

mod arguments;
mod blocks;
mod call;
mod compile;
mod expressions;
mod helpers;
mod operations;
mod path;
mod print;
mod program;
mod sections;
mod stack;
mod template;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};
use compile::NameLookup;
use print::{PrintValue, print_plain};
use template::StepTemplate;

/// Runs the trees of all languages without filters.
///
/// [`Registry::with_language`](crate::registry::Registry::with_language) uses it for the languages
/// of a host.
#[derive(Debug, Clone, Copy)]
pub struct StepEngine {
    print: PrintValue,
    names: NameLookup,
}

impl Default for StepEngine {
    /// The engine of Mustache. It runs literal text, outputs, function calls and sections.
    fn default() -> Self {
        Self { print: print_plain, names: NameLookup::Sections }
    }
}

impl StepEngine {
    /// The engine of Handlebars. It runs literal text, outputs, helpers and blocks.
    pub fn of_handlebars() -> Self {
        Self { names: NameLookup::Blocks, ..Self::default() }
    }

    /// The engine of Semantic Kernel's basic language. It prints values as .NET does.
    #[cfg(feature = "languages")]
    pub(crate) fn of_semantic_kernel() -> Self {
        Self { print: print::print_like_dot_net, ..Self::default() }
    }
}

impl Engine for StepEngine {
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        Ok(Box::new(StepTemplate::compile(template, options, self.print, self.names)?))
    }
}
