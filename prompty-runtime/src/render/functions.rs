//! The functions of the specification, for prompts that are loaded from files and texts.

use std::path::Path;

use super::blueprint::Blueprint;
use super::inputs::Inputs;
use super::pipeline::{Pipeline, PipelineBuilder};
use crate::nonce::Rendered;
use prompty_check::definition::Definition;
use prompty_core::error::Error;
use prompty_core::message::Message;
use prompty_core::schema::shape::Requirement;
use prompty_core::trace;
use prompty_core::value::Map;
use prompty_template::OUTPUT_REQUIREMENT;

impl Pipeline {
    /// Compiles a prompt with the built-in renderers and default limits.
    ///
    /// # Errors
    ///
    /// The same errors as [`PipelineBuilder::build`].
    pub fn new(definition: &Definition) -> Result<Self, Error> {
        Self::builder(definition).build()
    }

    /// Starts to build a pipeline with a registry, limits or strictness of the caller.
    pub fn builder(definition: &Definition) -> PipelineBuilder {
        PipelineBuilder::new(Blueprint {
            name: shown_name(definition).into(),
            source: definition.source.clone(),
            body: definition.body,
            format: definition.template.format.clone(),
            parser: definition.template.parser.clone(),
            strict: definition.template.strict,
            inputs: definition.inputs.clone(),
            output_requirement: None,
            tree: definition.tree.clone(),
            hidden: definition.hidden.clone(),
        })
        .with_outputs(definition)
    }
}

impl PipelineBuilder {
    /// Takes over what the definition says of its outputs, if the template may ask for it. Other prompts load
    /// and render, whatever their outputs are.
    fn with_outputs(self, definition: &Definition) -> Self {
        if !definition.instructions.contains(OUTPUT_REQUIREMENT) {
            return self;
        }
        match definition.output_shape() {
            Ok(None) => match &definition.output_type {
                Some(name) => self.with_missing_output(name),
                None => self,
            },
            Ok(Some(shape)) => self.with_output_requirement(&Requirement::of(shape).in_template()),
            Err(error) => self.failed(error),
        }
    }
}

/// The name of a prompt in spans.
fn shown_name(definition: &Definition) -> &str {
    definition.hidden.shown(definition.name.as_deref().unwrap_or_default())
}

/// Loads a prompt from a `.prompty` file (§4).
///
/// # Errors
///
/// The same errors as [`Definition::from_path`].
pub fn load(path: impl AsRef<Path>) -> Result<Definition, Error> {
    Definition::from_path(path)
}

/// Checks that all required inputs are given, and adds the defaults of the others (§12.2).
///
/// # Errors
///
/// [`ErrorKind::MissingInput`](prompty_core::ErrorKind::MissingInput) for the first missing input.
pub fn validate_inputs(definition: &Definition, inputs: &Map) -> Result<Map, Error> {
    super::validate::fill_defaults_of_map(&definition.inputs, inputs)
        .map_err(|error| definition.hidden.hide_error(error))
}

/// Renders a prompt (§5). It compiles the template each time; use a [`Pipeline`] for a prompt that
/// is rendered more than once.
///
/// # Errors
///
/// The same errors as [`PipelineBuilder::build`] and [`Pipeline::render`].
pub fn render(definition: &Definition, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
    Pipeline::new(definition)?.render(inputs)
}

/// Parses rendered text into messages (§6).
///
/// # Errors
///
/// The same errors as [`Pipeline::parse`]; [`ErrorKind::Invoker`](prompty_core::ErrorKind::Invoker)
/// if the prompt names a parser that is not built in.
pub fn parse(definition: &Definition, rendered: &Rendered) -> Result<Vec<Message>, Error> {
    use crate::parse::OnForgedMarker;
    use crate::registry::Registry;

    trace::span!("parse", prompt = shown_name(definition));
    let on_forged_marker =
        if definition.template.strict { OnForgedMarker::Error } else { OnForgedMarker::Literal };
    let parser = Registry::new().parser(&definition.template.parser);
    let parsed = parser.and_then(|parser| parser.parse(rendered, on_forged_marker));
    parsed.map_err(|error| definition.hidden.hide_error(error))
}

/// Renders a prompt and parses the result into messages. It compiles the template each time; use a
/// [`Pipeline`] for a prompt that is used more than once.
///
/// # Errors
///
/// The same errors as [`render()`] and [`parse()`].
pub fn prepare(definition: &Definition, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
    Pipeline::new(definition)?.prepare(inputs)
}
