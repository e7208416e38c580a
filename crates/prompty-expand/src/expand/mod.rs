//! Generates code.

pub(crate) mod captures;
#[cfg(feature = "local")]
pub(crate) mod chat_template;
pub(crate) mod compiled;
pub(crate) mod constructors;
pub(crate) mod derives;
#[cfg(feature = "local")]
pub(crate) mod format;
pub(crate) mod implementation;
pub(crate) mod lifetimes;
pub(crate) mod mask;
pub(crate) mod nested;
pub(crate) mod output;
pub(crate) mod output_types;
pub(crate) mod project;
pub(crate) mod rendering;
mod replacements;
pub(crate) mod site;
pub(crate) mod statics;
pub(crate) mod structs;
pub(crate) mod turns;
pub(crate) mod value;

use proc_macro2::TokenStream;

use crate::check::CheckedTemplate;
use crate::model::Prompt;
use crate::source::Source;

/// A checked prompt for which code is generated.
#[derive(Clone, Copy)]
pub(crate) struct CheckedPrompt<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) prompt: &'a Prompt,
    pub(crate) source: &'a Source,
    pub(crate) checked: &'a CheckedTemplate,
}
