//! A prompt's definition as a constant.

use prompty_core::diagnostic::PieceStart;
#[cfg(feature = "render")]
use prompty_core::diagnostic::SourceText;
use prompty_core::message::GenerationOptions;
#[cfg(feature = "render")]
use prompty_core::message::Role;
use prompty_core::message::ThreadRoles;
use prompty_core::value::{Map, Value};
#[cfg(feature = "render")]
use prompty_template::TEXT;

/// The definition of a prompt, as a constant of the program. It contains references such as
/// `${env:KEY}` without resolving them; [`StaticDefinition::load`] resolves them when it is called.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StaticDefinition {
    /// The name of the prompt: the name in the front matter, or the name of the type without one.
    pub name: &'static str,
    /// The description of the prompt's purpose.
    pub description: Option<&'static str>,
    /// The file, relative to the crate's manifest; `None` for a template in Rust code.
    pub path: Option<&'static str>,
    /// The complete source with front matter, including the files that the template includes,
    /// imports or extends.
    pub source: &'static str,
    /// The template's text, with all its files.
    pub template: &'static str,
    /// Where the parts of the source came from, if it was assembled from several files.
    #[doc(hidden)]
    pub pieces: &'static [PieceStart],
    /// The template language.
    pub format: &'static str,
    /// The parser.
    pub parser: &'static str,
    /// Whether a line of an input that looks like a role marker is an error.
    pub strict: bool,
    /// The role of the message of a template without role markers, if the prompt sets it.
    pub role: Option<&'static str>,
    /// Whether only line breaks of the template are removed at the ends of messages.
    pub keeps_white_space: bool,
    /// The inputs, in the order of their declarations.
    pub inputs: &'static [StaticInput],
    /// The model that the front matter names, if it names one.
    pub model: Option<StaticModel>,
    /// The reason why the template engine renders the prompt, such as
    /// ``the filter `sort` ``; `None` if the prompt is compiled to straight-line code.
    pub engine_because: Option<&'static str>,
}

/// The compiled form of an input: its description as a constant of the program.
///
/// ```
/// # use prompty_runtime::typed as typed_prompty;
/// use typed_prompty::{StaticInput, StaticValue};
///
/// const TONE: StaticInput = StaticInput::new("tone", "string", "Option<String>")
///     .optional()
///     .with_default(StaticValue::String("friendly"));
/// assert!(!TONE.required);
/// assert_eq!(TONE.default, Some(StaticValue::String("friendly")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StaticInput {
    /// The name that the template uses.
    pub name: &'static str,
    /// The kind in the terms of the format, such as `string` or `thread`.
    pub kind: &'static str,
    /// The Rust type of the field, as the program writes it.
    pub rust_type: &'static str,
    /// The description of the input.
    pub description: Option<&'static str>,
    /// Whether the input must be given.
    pub required: bool,
    /// The value that is used if the input is not given.
    pub default: Option<StaticValue>,
    /// The names of the roles that the input allows if it is a thread.
    pub roles: &'static [&'static str],
    /// The JSON schema that values of the input must follow, as JSON.
    pub schema: Option<&'static str>,
}

/// The model that a prompt is written for, as a constant of the program.
///
/// It does not contain what the host configures: connections, references such as `${env:MODEL}`,
/// and options whose names look like credentials.
///
/// ```
/// # use prompty_runtime::typed as typed_prompty;
/// use typed_prompty::{StaticModel, StaticValue};
///
/// const MODEL: StaticModel = StaticModel::new()
///     .with_id("gpt-4o")
///     .with_options(&[("temperature", StaticValue::Float(0.2))]);
/// assert_eq!(MODEL.option("temperature"), Some(StaticValue::Float(0.2)));
/// assert_eq!(MODEL.option("seed"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct StaticModel {
    /// The model's id, such as `gpt-4o`.
    pub id: Option<&'static str>,
    /// The provider that serves the model, such as `openai`.
    pub provider: Option<&'static str>,
    /// The API of the model, such as `chat`.
    pub api_type: Option<&'static str>,
    /// The options of its answers, by their names in the file.
    pub options: &'static [(&'static str, StaticValue)],
}

/// A value as a constant of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum StaticValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// A string.
    String(&'static str),
    /// A list.
    Array(&'static [StaticValue]),
    /// A map.
    Object(&'static [(&'static str, StaticValue)]),
}

impl From<&StaticModel> for GenerationOptions {
    /// The options of the model, for a request.
    fn from(model: &StaticModel) -> Self {
        let mut options = Self::default();
        for (name, value) in model.options {
            options.set(name, *value);
        }
        options
    }
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

/// The methods that set one field of a constant, for the code that the macros generate.
macro_rules! setters {
    ($(
        $(#[$documentation:meta])*
        $name:ident($($argument:ident: $type:ty)?) sets $field:ident to $value:expr;
    )*) => {$(
        $(#[$documentation])*
        #[doc(hidden)]
        #[must_use]
        pub const fn $name(mut self $(, $argument: $type)?) -> Self {
            self.$field = $value;
            self
        }
    )*};
}

impl StaticDefinition {
    /// Makes the definition of a Jinja template from its name, its source and its text. The methods
    /// below add the rest.
    #[doc(hidden)]
    pub const fn new(name: &'static str, source: &'static str, template: &'static str) -> Self {
        Self {
            name,
            description: None,
            path: None,
            source,
            template,
            pieces: &[],
            format: "jinja2",
            parser: "prompty",
            strict: false,
            role: None,
            keeps_white_space: false,
            inputs: &[],
            model: None,
            engine_because: None,
        }
    }

    setters! {
        /// Sets the reason why the template engine renders the prompt.
        with_engine(because: &'static str) sets engine_because to Some(because);
        /// Sets the description.
        with_description(description: &'static str) sets description to Some(description);
        /// Sets the file.
        with_path(path: &'static str) sets path to Some(path);
        /// Sets where the parts of the source came from.
        with_pieces(pieces: &'static [PieceStart]) sets pieces to pieces;
        /// Sets the template language.
        with_format(format: &'static str) sets format to format;
        /// Sets the parser.
        with_parser(parser: &'static str) sets parser to parser;
        /// Makes lines that look like role markers an error.
        with_strict() sets strict to true;
        /// Sets the role of the only message.
        with_role(role: &'static str) sets role to Some(role);
        /// Keeps the line breaks of inputs at the ends of messages.
        with_kept_white_space() sets keeps_white_space to true;
        /// Sets the inputs.
        with_inputs(inputs: &'static [StaticInput]) sets inputs to inputs;
        /// Sets the model.
        with_model(model: StaticModel) sets model to Some(model);
    }

    /// The complete source with its positions.
    #[cfg(feature = "render")]
    pub(crate) fn source_text(&self) -> SourceText {
        let name = self.path.unwrap_or(self.name);
        match self.pieces {
            [] => SourceText::new(name, self.source),
            pieces => SourceText::from_pieces(name, self.source, pieces),
        }
    }

    /// Loads the complete definition and resolves its references.
    ///
    /// # Errors
    ///
    /// Returns the same errors as
    /// [`Definition::from_text_with`](prompty_check::definition::Definition::from_text_with).
    #[cfg(feature = "render")]
    pub fn load(
        &self,
        options: &prompty_check::definition::LoadOptions,
    ) -> Result<prompty_check::definition::Definition, prompty_core::error::Error> {
        use prompty_check::definition::Definition;

        let mut definition = if self.pieces.is_empty() {
            let name = self.path.unwrap_or(self.name);
            Definition::from_text_with(name, self.source, options)?
        } else {
            Definition::from_assembled(self.source_text(), options)?
        };
        // These may be options of the macro, which the source does not have.
        definition.template.role = self.role.map(Role::from);
        definition.template.keeps_white_space = self.keeps_white_space;
        if self.parser == TEXT {
            definition.make_text();
        }
        Ok(definition)
    }
}

impl StaticModel {
    /// Makes a model without any data. The methods below add the rest.
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self { id: None, provider: None, api_type: None, options: &[] }
    }

    setters! {
        /// Sets the id.
        with_id(id: &'static str) sets id to Some(id);
        /// Sets the provider.
        with_provider(provider: &'static str) sets provider to Some(provider);
        /// Sets the API.
        with_api_type(api_type: &'static str) sets api_type to Some(api_type);
        /// Sets the options.
        with_options(options: &'static [(&'static str, StaticValue)]) sets options to options;
    }

    /// The value of an option, by its name in the file: `temperature`, `maxOutputTokens`.
    pub fn option(&self, name: &str) -> Option<StaticValue> {
        self.options.iter().find(|(option, _)| *option == name).map(|(_, value)| *value)
    }
}

impl StaticInput {
    /// Makes a required input from its name, its kind in the terms of the format, and its Rust
    /// type.
    #[doc(hidden)]
    pub const fn new(name: &'static str, kind: &'static str, rust_type: &'static str) -> Self {
        let roles = ThreadRoles::DEFAULT_NAMES;
        Self {
            name,
            kind,
            rust_type,
            description: None,
            required: true,
            default: None,
            roles,
            schema: None,
        }
    }

    setters! {
        /// Sets the description.
        with_description(description: &'static str) sets description to Some(description);
        /// Makes the input optional.
        optional() sets required to false;
        /// Sets the default.
        with_default(default: StaticValue) sets default to Some(default);
        /// Sets the JSON schema that values of the input must follow.
        with_schema(schema: &'static str) sets schema to Some(schema);
        /// Sets the roles that the thread allows.
        with_roles(roles: &'static [&'static str]) sets roles to roles;
    }
}
