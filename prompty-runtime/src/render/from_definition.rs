//! Makes pipelines from loaded definitions.

use super::blueprint::Blueprint;
use super::builder::PipelineBuilder;
use super::inputs::Inputs;
use super::pipeline::Pipeline;
use super::validate::fill_defaults;
use prompty_check::definition::Definition;
use prompty_core::error::Error;
use prompty_core::schema::shape::Requirement;
use prompty_core::value::Map;
use prompty_template::{OUTPUT_REQUIREMENT, TEXT};

impl Pipeline {
    /// Compiles a prompt with the built-in renderers and default limits.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`PipelineBuilder::build`].
    pub fn new(definition: &Definition) -> Result<Self, Error> {
        Self::builder(definition).build()
    }

    /// Starts to build a pipeline with the caller's registry, limits or strictness.
    pub fn builder(definition: &Definition) -> PipelineBuilder {
        PipelineBuilder::new(Blueprint {
            name: shown_name(definition).into(),
            source: definition.source.clone(),
            body: definition.body,
            is_text: definition.template.parser == TEXT,
            format: definition.template.format.clone(),
            parser: definition.template.parser.clone(),
            strict: definition.template.strict,
            role: definition.template.role.clone(),
            keeps_white_space: definition.template.keeps_white_space,
            inputs: definition.inputs.clone(),
            output_requirement: None,
            tree: definition.tree.clone(),
            hidden: definition.hidden.clone(),
        })
        .with_outputs(definition)
    }
}

impl PipelineBuilder {
    /// Sets the text about the definition's outputs if the template may print it. Otherwise the
    /// outputs do not matter.
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
            Err(error) => self.with_failure(error),
        }
    }
}

/// The name of a prompt in spans.
fn shown_name(definition: &Definition) -> &str {
    definition.hidden.shown(definition.name.as_deref().unwrap_or_default())
}

/// Checks that all required inputs are given, and adds defaults (§12.2).
///
/// # Errors
///
/// Returns [`ErrorKind::MissingInput`](prompty_core::ErrorKind::MissingInput) if a required input
/// is missing.
#[doc(hidden)]
pub fn validate_inputs(definition: &Definition, inputs: &Map) -> Result<Map, Error> {
    let mut inputs = Inputs::from(inputs);
    fill_defaults(&definition.inputs, &mut inputs)
        .map_err(|error| definition.hidden.hide_error(error))?;
    Ok(inputs.into_parts().0)
}
