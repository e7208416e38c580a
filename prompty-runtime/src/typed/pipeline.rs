//! Pipelines of the program's prompts that the template engine renders.

use std::sync::{Arc, OnceLock};

use super::{StaticDefinition, StaticInput};
use crate::registry::Registry;
use crate::render::{Blueprint, Pipeline, PipelineBuilder};
use prompty_check::definition::{Input, ValueType};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::Error;
use prompty_core::message::{Role, ThreadRoles};
use prompty_core::value::Value;
use prompty_template::{TEXT, TemplateCache};

impl StaticDefinition {
    fn blueprint(&self) -> Blueprint {
        // The template is the end of the source, except for the line breaks that the macro removed:
        // all of them, or at most one if the prompt is a text. Then errors have their place in the
        // source; otherwise, the template is its own source.
        let without_break = self.source.strip_suffix('\n').unwrap_or(self.source);
        let mut ends = [self.source, without_break, self.source.trim_end_matches('\n')].into_iter();
        let (source, body) = match ends.find_map(|source| source.strip_suffix(self.template)) {
            Some(before) => (self.source_text(), before.len()),
            None => (SourceText::new(self.path.unwrap_or(self.name), self.template), 0),
        };
        Blueprint {
            output_requirement: None,
            is_text: self.parser == TEXT,
            tree: TemplateCache::default(),
            // Only a definition that is loaded can contain secrets.
            hidden: prompty_core::trace::HiddenTexts::default(),
            name: Arc::from(self.name),
            source,
            body: SourceSpan::new(body, body + self.template.len()),
            format: self.format.to_owned(),
            parser: self.parser.to_owned(),
            strict: self.strict,
            role: self.role.map(Role::from),
            keeps_white_space: self.keeps_white_space,
            inputs: self.inputs.iter().map(Input::from).collect(),
        }
    }
}

impl From<&StaticInput> for Input {
    fn from(declared: &StaticInput) -> Self {
        let value_type = ValueType::from_name(declared.kind).unwrap_or_default();
        // It is optional here, because the type of the struct already requires the field, and an
        // input that the template does not use is not passed.
        let mut input = Self::new(declared.name, value_type).optional();
        input.default = declared.default.map(Value::from);
        input.roles = ThreadRoles::constant(declared.roles);
        // The macro has parsed the schema, so it is valid JSON.
        input.schema = declared.schema.and_then(|schema| Value::from_json(schema).ok());
        input
    }
}

/// Returns the text about the output format, which the type of the prompt provides.
type OutputRequirement = fn() -> Result<&'static String, Error>;

/// A pipeline of a template in the program. It is compiled at its first use.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct StaticPipeline {
    cell: OnceLock<Result<Pipeline, Error>>,
}

impl StaticPipeline {
    /// Makes a pipeline that is not compiled yet.
    pub const fn new() -> Self {
        Self { cell: OnceLock::new() }
    }

    /// The compiled pipeline. It has `output_requirement` if the template uses it.
    ///
    /// # Errors
    ///
    /// Returns an error if the template does not compile.
    pub fn get(
        &'static self,
        definition: &StaticDefinition,
        registry: impl FnOnce() -> Registry,
        output_requirement: Option<OutputRequirement>,
    ) -> Result<&'static Pipeline, Error> {
        let compiled = self.cell.get_or_init(|| {
            let mut builder =
                PipelineBuilder::new(definition.blueprint()).with_registry(&registry());
            if let Some(text) = output_requirement {
                builder = builder.with_output_requirement(text()?);
            }
            builder.build()
        });
        compiled.as_ref().map_err(Error::duplicate)
    }
}
