//! The step engine: it runs texts, outputs of names, calls of the host's functions, sections, and
//! partials that name themselves.
//!
//! Names are looked up as Mustache does it: first in the item or value of the innermost section, then in
//! those around it, last in the inputs. Beyond Mustache, `list.0` is an item of a list, and empty texts,
//! zero and empty maps are false as they are in the other template languages.

mod arguments;
mod call;
mod compile;
mod engine;
mod path;
mod print;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};
use engine::StepTemplate;
use print::{PrintValue, print_plain};

/// Runs the trees of all languages that need no conditions, filters or operators.
///
/// [`Registry::with_language`](crate::registry::Registry::with_language) uses it for the languages of
/// a host.
#[derive(Debug, Clone, Copy)]
pub struct StepEngine {
    print: PrintValue,
}

impl Default for StepEngine {
    fn default() -> Self {
        Self { print: print_plain }
    }
}

impl StepEngine {
    /// The engine of Semantic Kernel's basic language, which prints values as .NET does.
    #[cfg(feature = "languages")]
    pub(crate) fn of_semantic_kernel() -> Self {
        Self { print: print::print_like_dot_net }
    }
}

impl Engine for StepEngine {
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        StepTemplate::compile(template, options, self.print)
            .map(|compiled| Box::new(compiled) as Box<dyn CompiledTemplate>)
    }
}
