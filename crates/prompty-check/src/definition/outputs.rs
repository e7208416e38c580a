//! Converts the outputs of a prompt into the shape that its model must answer with.
//!
//! As with inputs, an output that is not required may be missing, and then has its default. A model
//! may write `null` for it, because the strict form of a schema needs that.

use super::{Definition, Input, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::error::Error;
use prompty_core::schema::shape::Shape;

impl Definition {
    /// Whether the prompt has an output: declared outputs, or a Rust type.
    pub fn has_output(&self) -> bool {
        !self.outputs.is_empty() || self.output_type.is_some()
    }

    /// The shape of the answer: an object with the declared outputs. `None` if there are none.
    ///
    /// A request takes its `to_schema`, and `Output::from_shape` reads replies.
    ///
    /// ```
    /// # use prompty_check as typed_prompty;
    /// use typed_prompty::definition::Definition;
    ///
    /// let text = "---\noutputs:\n  title: {kind: string, required: true}\n---\nuser:\nSum it up.\n";
    /// let shape = Definition::from_text(text)?.output_shape()?.expect("it declares an output");
    /// assert_eq!(shape.requirement(), "{\n  \"title\": <str>\n}");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if no [`Shape`] can represent the `jsonSchema` of an output.
    pub fn output_shape(&self) -> Result<Option<Shape>, Error> {
        if self.outputs.is_empty() {
            return Ok(None);
        }
        object(&self.outputs).map(Some).map_err(|error| self.hidden.hide_error(error))
    }
}

impl Input {
    /// The shape of the values, as an output.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Definition::output_shape`].
    #[doc(hidden)]
    pub fn output_shape(&self) -> Result<Shape, Error> {
        let shape = match &self.schema {
            Some(schema) => Shape::from_schema(schema)?,
            None => of_type(self)?,
        };
        // For an optional output, `null` counts as missing.
        let shape = match self.value_type.is_nullable() && self.required {
            true => Shape::one_of([shape, Shape::null()]),
            false => shape,
        };
        let shape = match &self.description {
            Some(description) => shape.with_description(description.as_str()),
            None => shape,
        };
        Ok(match &self.default {
            Some(default) if !default.is_null() => shape.with_default(default.clone()),
            _ if self.required => shape,
            _ => shape.optional(),
        })
    }
}

/// The shape of an output without a JSON schema.
fn of_type(output: &Input) -> Result<Shape, Error> {
    if !output.enum_values.is_empty() {
        return Ok(Shape::literals(output.enum_values.iter().cloned()));
    }
    Ok(match output.value_type.non_null() {
        ValueType::String | ValueType::Choice(_) => Shape::text(),
        ValueType::Integer => Shape::integer(),
        ValueType::Float => Shape::number(),
        ValueType::Boolean => Shape::boolean(),
        ValueType::Array(None) => Shape::list(),
        ValueType::Array(Some(item)) => Shape::list_of(item.output_shape()?.required()),
        ValueType::Object(fields) if fields.is_empty() => Shape::map(),
        ValueType::Object(fields) => object(fields)?,
        ValueType::Union(branches) => {
            let branches = branches.iter().map(|branch| Ok(branch.output_shape()?.required()));
            Shape::one_of(branches.collect::<Result<Vec<_>, Error>>()?)
        }
        _ => Shape::any(),
    })
}

/// The shape of an object with these fields.
pub(super) fn object<'f>(fields: impl IntoIterator<Item = &'f Input>) -> Result<Shape, Error> {
    let fields = fields.into_iter().map(|it| Ok((it.name.as_str(), it.output_shape()?)));
    Ok(Shape::object(fields.collect::<Result<Vec<_>, Error>>()?))
}

/// The findings about the declared outputs. A model answers with JSON, which cannot contain media.
pub(crate) fn findings(outputs: &[Input]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    outputs.iter().for_each(|output| add_findings(output, &mut found));
    found
}

/// Adds the findings about an output and all types in it.
fn add_findings(output: &Input, found: &mut Vec<Diagnostic>) {
    if let Some(Err(error)) = output.schema.as_ref().map(Shape::from_schema) {
        let message = format!("unsupported `jsonSchema` of an output: {error}");
        let finding = Diagnostic::new(Code::Declaration, message);
        let mut finding = match error.help() {
            Some(help) => finding.with_help(help),
            None => finding.with_help("remove it, and describe the values in `description`"),
        };
        finding.span = output.name_span;
        found.push(finding);
    }
    match output.value_type.non_null() {
        ValueType::Array(Some(item)) => add_findings(item, found),
        ValueType::Object(parts) | ValueType::Union(parts) => {
            parts.iter().for_each(|part| add_findings(part, found));
        }
        ValueType::Rich(kind) => {
            let message = format!("an output cannot be of the kind `{}`", kind.name());
            let mut finding = Diagnostic::new(Code::Declaration, message)
                .with_label("a model answers with JSON")
                .with_help("declare it as `string`, for instance as a URL or a name, or remove it");
            finding.span = output.kind_span.or(output.name_span);
            found.push(finding);
        }
        _ => {}
    }
}
