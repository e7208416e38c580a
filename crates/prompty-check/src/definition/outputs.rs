//! The outputs of a prompt as the shape that its model is asked for.
//!
//! As with inputs, an output that is not required may be missing, and then it has its default. A model may
//! write `null` for it, as the strict form of a schema needs it.

use super::{Definition, Kind, Property};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::error::Error;
use prompty_core::schema::shape::Shape;

impl Definition {
    /// Whether the prompt has an output: declared ones, or a type of the program.
    pub fn has_output(&self) -> bool {
        !self.outputs.is_empty() || self.output_type.is_some()
    }

    /// What the model must answer with: an object of the declared outputs. `None` where none are declared.
    ///
    /// Its `to_schema` is what a request takes; `Output::from_shape` reads replies.
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
    /// If the `jsonSchema` of an output says what no shape can say, as
    /// [`Shape::from_schema`] has it.
    pub fn output_shape(&self) -> Result<Option<Shape>, Error> {
        if self.outputs.is_empty() {
            return Ok(None);
        }
        object(&self.outputs).map(Some).map_err(|error| self.hidden.hide_error(error))
    }
}

impl Property {
    /// The shape of the values, as an output.
    ///
    /// # Errors
    ///
    /// The same errors as [`Definition::output_shape`].
    #[doc(hidden)]
    pub fn output_shape(&self) -> Result<Shape, Error> {
        let shape = match &self.schema {
            Some(schema) => Shape::from_schema(schema)?,
            None => of_kind(self)?,
        };
        // Elsewhere `null` counts as missing.
        let shape = match self.nullable && self.required {
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

fn of_kind(property: &Property) -> Result<Shape, Error> {
    if !property.enum_values.is_empty() {
        return Ok(Shape::literals(property.enum_values.iter().cloned()));
    }
    Ok(match &property.kind {
        Kind::String => Shape::text(),
        Kind::Integer => Shape::integer(),
        Kind::Float => Shape::number(),
        Kind::Boolean => Shape::boolean(),
        Kind::Array(None) => Shape::list(),
        Kind::Array(Some(item)) => Shape::list_of(item.output_shape()?.required()),
        Kind::Object(fields) if fields.is_empty() => Shape::map(),
        Kind::Object(fields) => object(fields)?,
        Kind::Union(kinds) => {
            let kinds = kinds.iter().map(|kind| Ok(kind.output_shape()?.required()));
            Shape::one_of(kinds.collect::<Result<Vec<_>, Error>>()?)
        }
        Kind::Rich(_) => Shape::any(),
        Kind::Any | Kind::Unknown(_) => Shape::any(),
    })
}

/// The shape of an object of some properties.
pub(super) fn object<'p>(
    properties: impl IntoIterator<Item = &'p Property>,
) -> Result<Shape, Error> {
    let fields = properties.into_iter().map(|it| Ok((it.name.as_str(), it.output_shape()?)));
    Ok(Shape::object(fields.collect::<Result<Vec<_>, Error>>()?))
}

/// What is wrong about the declared outputs: a model answers with JSON, and so with no media.
pub(crate) fn findings(outputs: &[Property]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    outputs.iter().for_each(|output| add_findings(output, &mut found));
    found
}

fn add_findings(property: &Property, found: &mut Vec<Diagnostic>) {
    if let Some(Err(error)) = property.schema.as_ref().map(Shape::from_schema) {
        let message = format!("the `jsonSchema` of an output cannot be asked for: {error}");
        let finding = Diagnostic::new(Code::Declaration, message);
        let mut finding = match error.help() {
            Some(help) => finding.help(help),
            None => {
                finding.help("leave it out, and say in the `description` what the schema would")
            }
        };
        finding.span = property.name_span;
        found.push(finding);
    }
    match &property.kind {
        Kind::Array(Some(item)) => add_findings(item, found),
        Kind::Object(parts) | Kind::Union(parts) => {
            parts.iter().for_each(|part| add_findings(part, found));
        }
        kind if kind.rich().is_some() => {
            let message = format!("an output cannot be of the kind `{}`", kind.name());
            let mut finding = Diagnostic::new(Code::Declaration, message)
                .label("a model answers with JSON")
                .help("declare it as `string`, for instance as a URL or a name, or remove it");
            finding.span = property.kind_span.or(property.name_span);
            found.push(finding);
        }
        _ => {}
    }
}
