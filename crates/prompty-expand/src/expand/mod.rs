//! Generates code.
//!
//! For a prompt type, `structs` or `declared_struct` generate the struct, with `constructors`,
//! `derives`, and in `nested` the types of its parts. `rendering` chooses how the prompt renders:
//! `compiled` generates code that writes the messages, or else `conversion` generates the inputs of
//! the template engine. `implementation` generates `impl Prompt`, with the definition in `statics`
//! and the output in `output`. `turns` generates messages that are separate literals.
//!
//! # Generated code and types
//!
//! The macros do not know the types of the user's fields. So the generated code often has the form
//! `(&&&&Place(&value)).condition()`. Rust's method lookup then chooses an implementation for the
//! type of the value; `place.rs` of the runtime crate has these implementations. Each `&` is a step
//! of the lookup, so a method with more implementations needs more of them. The head of the
//! runtime's `typed/tiers.rs` has an example. Generated code imports the traits of these methods
//! with `use …::tiers::*`.
//!
//! A span decides where rustc reports an error in generated code. The span of a field's type is
//! used for code that the type must support, and [`Source::code_span`] for code that comes from the
//! template. If one piece of code had spans from several places, rustc would show all code between
//! them. So the code imports a trait, and does not call it by its path.

pub(crate) mod captures;
#[cfg(feature = "local")]
pub(crate) mod chat_template;
pub(crate) mod compiled;
pub(crate) mod constructors;
pub(crate) mod conversion;
pub(crate) mod derives;
pub(crate) mod field_access;
#[cfg(feature = "local")]
pub(crate) mod format;
pub(crate) mod implementation;
pub(crate) mod lifetimes;
pub(crate) mod mask;
pub(crate) mod nested;
pub(crate) mod output;
pub(crate) mod output_types;
pub(crate) mod rendering;
mod replacements;
pub(crate) mod site;
pub(crate) mod statics;
pub(crate) mod structs;
pub(crate) mod text_prompt;
pub(crate) mod turns;
pub(crate) mod value;

use proc_macro2::{Ident, Span, TokenStream};

use crate::check::CheckedTemplate;
use crate::model::Prompt;
use crate::source::Source;
use prompty_template::TEXT;

/// A checked prompt, for which code is generated.
#[derive(Clone, Copy)]
pub(crate) struct CheckedPrompt<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) prompt: &'a Prompt,
    pub(crate) source: &'a Source,
    pub(crate) checked: &'a CheckedTemplate,
}

impl CheckedPrompt<'_> {
    /// Whether it is a text prompt, by its declaration or its front matter.
    pub(crate) fn is_text(&self) -> bool {
        self.checked.definition.template.parser == TEXT
    }
}

/// The name of a field with another span. If a span combined places of the user's code and of the
/// macro, rustc would show the complete call.
pub(crate) fn respanned(field: &Ident, span: Span) -> Ident {
    let mut field = field.clone();
    field.set_span(span);
    field
}
