//! The step engine: it runs the templates of Mustache, Handlebars and Semantic Kernel's basic language,
//! and those of the languages of a host.
//!
//! `compile` makes a list of steps from the tree of a template, and `engine` runs them. Names are looked
//! up in one of two ways, see [`NameLookup`]: `sections` does it as Mustache, and `blocks` as Handlebars,
//! where `expressions` compiles calls of helpers to `operations` on a stack of values.

mod arguments;
mod blocks;
mod call;
mod compile;
mod engine;
mod expressions;
mod helpers;
mod operations;
mod path;
mod print;
mod program;
mod sections;
mod stack;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};
use compile::NameLookup;
use engine::StepTemplate;
use print::{PrintValue, print_plain};

/// Runs the trees of all languages that need no filters.
///
/// [`Registry::with_language`](crate::registry::Registry::with_language) uses it for the languages of
/// a host.
#[derive(Debug, Clone, Copy)]
pub struct StepEngine {
    print: PrintValue,
    names: NameLookup,
}

impl Default for StepEngine {
    /// The engine of Mustache: it runs texts, outputs of names, calls of functions, and sections.
    fn default() -> Self {
        Self { print: print_plain, names: NameLookup::Sections }
    }
}

impl StepEngine {
    /// The engine of Handlebars: it runs texts, outputs of names and of helpers, and blocks.
    pub fn of_handlebars() -> Self {
        Self { names: NameLookup::Blocks, ..Self::default() }
    }

    /// The engine of Semantic Kernel's basic language, which prints values as .NET does.
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
        StepTemplate::compile(template, options, self.print, self.names)
            .map(|compiled| Box::new(compiled) as Box<dyn CompiledTemplate>)
    }
}
