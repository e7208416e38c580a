//! A prompt's definition as a constant.

use prompty_core::value::{Map, Value};

/// What a prompt's source says, as a constant of the program. References such as `${env:KEY}` stand
/// in it as they are written; [`StaticDefinition::load`] resolves them when it is called.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StaticDefinition {
    /// The prompt's name: the front matter's, else the type's.
    pub name: &'static str,
    /// What the prompt is for.
    pub description: Option<&'static str>,
    /// The file, relative to the crate's manifest; `None` for text in the program.
    pub path: Option<&'static str>,
    /// The whole source, front matter included.
    pub source: &'static str,
    /// The template's text.
    pub template: &'static str,
    /// The template language.
    pub format: &'static str,
    /// The parser.
    pub parser: &'static str,
    /// Whether a line of an input that looks like a role marker is an error.
    pub strict: bool,
    /// The inputs, in the order of their declarations.
    pub inputs: &'static [InputDeclaration],
    /// Why the template engine renders the prompt, such as `the filter 'sort'`; `None` where it is
    /// straight-line code.
    pub engine_because: Option<&'static str>,
}

/// A declared input, as a constant of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct InputDeclaration {
    /// The name that the template uses.
    pub name: &'static str,
    /// The kind in the words of the format, such as `string` or `thread`.
    pub kind: &'static str,
    /// The Rust type of the field, as it is written.
    pub rust_type: &'static str,
    /// What it is for.
    pub description: Option<&'static str>,
    /// Whether it must be given.
    pub required: bool,
    /// The value where it is not given.
    pub default: Option<StaticValue>,
}

/// A value as a constant of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum StaticValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    String(&'static str),
    /// A list.
    Array(&'static [StaticValue]),
    /// A map.
    Object(&'static [(&'static str, StaticValue)]),
}

impl From<StaticValue> for Value {
    fn from(value: StaticValue) -> Self {
        match value {
            StaticValue::Null => Self::Null,
            StaticValue::Bool(value) => Self::Bool(value),
            StaticValue::Integer(number) => Self::Integer(number),
            StaticValue::Float(number) => Self::Float(number),
            StaticValue::String(text) => Self::from(text),
            StaticValue::Array(items) => items.iter().copied().collect(),
            StaticValue::Object(entries) => Self::Object(entries.iter().copied().collect::<Map>()),
        }
    }
}

impl StaticDefinition {
    /// A Jinja template by name, source and text; the methods below add the rest.
    pub const fn new(name: &'static str, source: &'static str, template: &'static str) -> Self {
        Self {
            name,
            description: None,
            path: None,
            source,
            template,
            format: "jinja2",
            parser: "prompty",
            strict: false,
            inputs: &[],
            engine_because: None,
        }
    }

    /// The same definition, rendered by the template engine for the given reason.
    #[must_use]
    pub const fn with_engine(mut self, because: &'static str) -> Self {
        self.engine_because = Some(because);
        self
    }

    /// The same definition with a description.
    #[must_use]
    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The same definition, read from a file.
    #[must_use]
    pub const fn with_path(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// The same definition in another template language.
    #[must_use]
    pub const fn with_format(mut self, format: &'static str) -> Self {
        self.format = format;
        self
    }

    /// The same definition for another parser.
    #[must_use]
    pub const fn with_parser(mut self, parser: &'static str) -> Self {
        self.parser = parser;
        self
    }

    /// The same definition, strict about lines that look like role markers.
    #[must_use]
    pub const fn with_strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The same definition with inputs.
    #[must_use]
    pub const fn with_inputs(mut self, inputs: &'static [InputDeclaration]) -> Self {
        self.inputs = inputs;
        self
    }

    /// The whole definition, its references resolved now.
    ///
    /// # Errors
    ///
    /// As [`Definition::from_text_with`](crate::definition::Definition::from_text_with).
    #[cfg(feature = "definition")]
    pub fn load(
        &self,
        options: &crate::definition::LoadOptions,
    ) -> Result<crate::definition::Definition, prompty_core::error::Error> {
        let name = self.path.unwrap_or(self.name);
        crate::definition::Definition::from_text_with(name, self.source, options)
    }
}

impl InputDeclaration {
    /// A required input by its name, its kind in the words of the format, and its Rust type.
    pub const fn new(name: &'static str, kind: &'static str, rust_type: &'static str) -> Self {
        Self { name, kind, rust_type, description: None, required: true, default: None }
    }

    /// The same input with a description.
    #[must_use]
    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The same input, which may be missing.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// The same input with a default.
    #[must_use]
    pub const fn with_default(mut self, default: StaticValue) -> Self {
        self.default = Some(default);
        self
    }
}
