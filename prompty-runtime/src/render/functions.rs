//! The specification's functions, for prompts that are loaded from files and text.

use std::path::Path;

use super::blueprint::{Blueprint, BlueprintInput};
use super::inputs::Inputs;
use super::pipeline::{Pipeline, PipelineBuilder};
use crate::definition::{Definition, Property};
use crate::nonce::Rendered;
use prompty_core::error::Error;
use prompty_core::message::Message;
use prompty_core::trace;
use prompty_core::value::Map;

impl Pipeline {
    /// Compiles a prompt with the built-in renderers and default limits.
    ///
    /// # Errors
    ///
    /// As [`PipelineBuilder::build`].
    pub fn new(definition: &Definition) -> Result<Self, Error> {
        Self::builder(definition).build()
    }

    /// Begins to compile a prompt with a registry, limits or strictness of the caller's.
    pub fn builder(definition: &Definition) -> PipelineBuilder {
        PipelineBuilder::new(Blueprint {
            name: definition.name.as_deref().unwrap_or_default().into(),
            source: definition.source.clone(),
            body: definition.body,
            format: definition.template.format.clone(),
            parser: definition.template.parser.clone(),
            strict: definition.template.strict,
            inputs: definition.inputs.iter().map(blueprint_input).collect(),
        })
    }
}

fn blueprint_input(property: &Property) -> BlueprintInput {
    BlueprintInput {
        name: property.name.clone(),
        kind: property.kind.name().to_owned(),
        required: property.required,
        default: property.default.clone(),
        strict: property.strict,
    }
}

/// Loads a prompt from a `.prompty` file (§4).
///
/// # Errors
///
/// As [`Definition::from_path`].
pub fn load(path: impl AsRef<Path>) -> Result<Definition, Error> {
    Definition::from_path(path)
}

/// Inputs with their defaults filled in and the required ones demanded (§12.2).
///
/// # Errors
///
/// [`ErrorKind::MissingInput`](prompty_core::ErrorKind::MissingInput) for the first one that is missing.
pub fn validate_inputs(definition: &Definition, inputs: &Map) -> Result<Map, Error> {
    super::validate::fill_map(definition.inputs.iter().map(blueprint_input), inputs)
}

/// Renders a prompt (§5). Compiles its template each time; see [`Pipeline`] for prompts that are
/// used more than once.
///
/// # Errors
///
/// As [`PipelineBuilder::build`] and [`Pipeline::render`].
pub fn render(definition: &Definition, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
    Pipeline::new(definition)?.render(inputs)
}

/// Reads rendered text as messages (§6).
///
/// # Errors
///
/// As [`Pipeline::parse`]; [`ErrorKind::Invoker`](prompty_core::ErrorKind::Invoker) where the prompt names
/// a parser that is not built in.
pub fn parse(definition: &Definition, rendered: &Rendered) -> Result<Vec<Message>, Error> {
    use crate::parse::OnForgedMarker;
    use crate::registry::{ParserEntry, Registry};

    trace::span!("parse", prompt = definition.name.as_deref());
    let on_forged_marker =
        if definition.template.strict { OnForgedMarker::Error } else { OnForgedMarker::Literal };
    match Registry::new().parser(&definition.template.parser)? {
        ParserEntry::Prompty => crate::parse::parse(rendered, on_forged_marker),
        ParserEntry::Custom(parser) => parser.parse(rendered, on_forged_marker),
    }
}

/// From inputs to messages. Compiles the template each time; see [`Pipeline`] for prompts that are
/// used more than once.
///
/// # Errors
///
/// As [`render()`] and [`parse()`].
pub fn prepare(definition: &Definition, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
    Pipeline::new(definition)?.prepare(inputs)
}
