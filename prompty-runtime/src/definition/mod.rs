//! Loading prompts: front matter, references, defaults (Prompty §2, §4).
//!
//! A [`Definition`] is plain data: what the front matter says, typed, and the template's text. It is
//! loaded from a path, from text, or from text embedded into the program. Unknown keys are kept.
//!
//! ```
//! use prompty_runtime::definition::Definition;
//!
//! let definition = Definition::from_text(
//!     "---\nname: greeting\ninputs:\n  who: World\n---\nuser:\nHello {{ who }}!\n",
//! )?;
//! assert_eq!(definition.name.as_deref(), Some("greeting"));
//! assert_eq!(definition.inputs[0].kind.name(), "string");
//! assert_eq!(definition.instructions, "user:\nHello {{ who }}!");
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod build;
mod front_matter;
mod inspect;
#[cfg(feature = "definition")]
mod load;
mod model;
mod node;
#[cfg(feature = "definition")]
mod print;
mod property;
mod reference;
mod scalar;
mod tool;
mod yaml;

pub use inspect::{Inspection, inspect};
#[cfg(feature = "definition")]
pub use load::LoadOptions;
pub use model::{Connection, Model, ModelOptions};
pub use property::{Kind, Property};
pub use tool::{Binding, ToolDefinition, ToolKind};

use std::fmt;

use prompty_core::diagnostic::{SourceText, Span};
use prompty_core::trace::redact_entries;
use prompty_core::value::Map;

/// A loaded prompt.
///
/// `Debug` shows no credential, and so not the source.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Definition {
    /// The prompt's name.
    pub name: Option<String>,
    /// The name for people.
    pub display_name: Option<String>,
    /// What the prompt is for.
    pub description: Option<String>,
    /// Free metadata.
    pub metadata: Map,
    /// The model and how to reach it.
    pub model: Option<Model>,
    /// The declared inputs, in order.
    pub inputs: Vec<Property>,
    /// The declared outputs, in order.
    pub outputs: Vec<Property>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// How the template is rendered and parsed.
    pub template: TemplateOptions,
    /// Top-level keys that the format does not have.
    pub unknown: Map,
    /// The template's text, without the newlines at its end.
    pub instructions: String,
    /// The whole source that the definition was loaded from.
    pub source: SourceText,
    /// Where [`Definition::instructions`] stand in the source.
    pub body: Span,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.name)
            .field("display_name", &self.display_name)
            .field("description", &self.description)
            .field("metadata", &redact_entries(&self.metadata))
            .field("model", &self.model)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .field("tools", &self.tools)
            .field("template", &self.template)
            .field("unknown", &redact_entries(&self.unknown))
            .field("instructions", &self.instructions)
            .field("source", &self.source.name())
            .field("body", &self.body)
            .finish()
    }
}

/// How a template is rendered and parsed (§2.8).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TemplateOptions {
    /// The template language: `jinja2` unless the file says otherwise.
    pub format: String,
    /// Where the file names the format.
    pub format_span: Option<Span>,
    /// `true`: a line of an input that looks like a role marker is an error. Otherwise it stays
    /// text. It is never a boundary.
    pub strict: bool,
    /// The parser: `prompty` unless the file says otherwise.
    pub parser: String,
    /// Where the file names the parser.
    pub parser_span: Option<Span>,
    /// Further options of the format and the parser, under `format` and `parser`.
    pub unknown: Map,
}

impl Default for TemplateOptions {
    fn default() -> Self {
        Self {
            format: "jinja2".to_owned(),
            format_span: None,
            strict: false,
            parser: "prompty".to_owned(),
            parser_span: None,
            unknown: Map::new(),
        }
    }
}
