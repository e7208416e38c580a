//! Tools that a model may call, and the choice between them.

use crate::error::{Error, ErrorKind};
use crate::value::internal::{excerpt, json_excerpt};
use crate::value::{Map, Value};

/// A tool that a model may call: its name, its purpose, and the JSON schema of its parameters.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: String,
    /// The purpose of the tool, for the model.
    pub description: Option<String>,
    /// The JSON schema of the parameters.
    pub parameters: Map,
    /// Whether the provider must enforce the schema.
    pub strict: Strictness,
}

/// Whether a provider must enforce the schema of a tool. The schema is then sent in the provider's
/// strict form. In OpenAI's form all parameters are required, and optional ones may be `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strictness {
    /// The tool does not set it, and the schema is sent unchanged. OpenAI's Responses API then
    /// enforces the schema if it can; other protocols do not.
    #[default]
    Off,
    /// Strict mode is off; the schema is sent unchanged.
    Never,
    /// Strict mode is on if the schema has a strict form. Otherwise the schema is sent in its plain
    /// form. Tools of Rust types use this.
    WherePossible,
    /// Strict mode is on; a schema without a strict form is an error.
    On,
}

impl ToolSpec {
    /// Creates a tool with a name and the JSON schema of its parameters.
    pub fn new(name: impl Into<String>, parameters: Map) -> Self {
        Self { name: name.into(), description: None, parameters, strict: Strictness::Off }
    }

    /// Reads a tool that is known only at run time, in the form in which MCP servers list tools. The
    /// schema of the parameters is `inputSchema`, or `input_schema` or `parameters` as in chat APIs.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::ToolSpec;
    /// use typed_prompty::value::Value;
    ///
    /// let listed = r#"{"name": "search", "description": "Searches the files.", "inputSchema":
    ///     {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}"#;
    /// let tool = ToolSpec::from_listed(&Value::from_json(listed)?)?;
    /// assert_eq!((tool.name.as_str(), tool.parameters.len()), ("search", 3));
    /// # Ok::<(), typed_prompty::Error>(())
    /// ```
    ///
    /// `Value::from_serialize` makes the value of another library's type, such as
    /// `serde_json::Value`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the value is not an object with a name and a schema.
    pub fn from_listed(tool: &Value) -> Result<Self, Error> {
        const SCHEMAS: [&str; 3] = ["inputSchema", "input_schema", "parameters"];
        let wrong = |message: String, help: &'static str| {
            Error::new(ErrorKind::WrongInput, message).with_help(help)
        };
        // `{"type": "function", "function": {…}}` of chat APIs.
        let tool = tool.get("function").unwrap_or(tool);
        let Some(name) = tool.get("name").and_then(Value::as_str) else {
            let message = format!("expected a tool with a `name`, found {}", json_excerpt(tool));
            return Err(wrong(message, "write it as `{name, description, inputSchema}`"));
        };
        let schema = SCHEMAS.into_iter().find_map(|keyword| tool.get(keyword));
        let Some(parameters) = schema.and_then(Value::as_object) else {
            let found = schema.map_or("nothing", Value::kind_name);
            let name = excerpt(name);
            let message =
                format!("expected an object as `inputSchema` of the tool `{name}`, found {found}");
            return Err(wrong(message, "write `{\"type\": \"object\"}` if it has no parameters"));
        };
        let mut read = Self::new(name, parameters.clone());
        read.description = tool.get("description").and_then(Value::as_str).map(str::to_owned);
        if let Some(strict) = tool.get("strict").and_then(Value::as_bool) {
            read.strict = if strict { Strictness::On } else { Strictness::Never };
        }
        Ok(read)
    }

    /// The maximum length of a name.
    pub const LONGEST_NAME: usize = 64;

    /// Whether a character is allowed in the names and ids of all providers: `a` to `z` in both
    /// cases, digits, `_` and `-`.
    #[doc(hidden)]
    pub const fn is_name_character(character: char) -> bool {
        character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
    }

    /// Whether all providers accept a name: 1 to 64 characters, each of them `a` to `z` in both
    /// cases, a digit, `_` or `-`.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::ToolSpec;
    ///
    /// assert!(ToolSpec::is_name("get_weather"));
    /// assert!(!ToolSpec::is_name("get weather"));
    /// ```
    #[doc(hidden)]
    pub const fn is_name(name: &str) -> bool {
        let mut rest = name.as_bytes();
        if rest.is_empty() || rest.len() > Self::LONGEST_NAME {
            return false;
        }
        while let Some((first, others)) = rest.split_first() {
            if !Self::is_name_character(*first as char) {
                return false;
            }
            rest = others;
        }
        true
    }

    /// The same tool with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same tool in strict mode: the provider must enforce its schema.
    #[must_use]
    pub fn with_strict(self) -> Self {
        self.with_strictness(Strictness::On)
    }

    /// The same tool with a [`Strictness`].
    #[must_use]
    pub fn with_strictness(mut self, strict: Strictness) -> Self {
        self.strict = strict;
        self
    }
}

/// Which tools the model may or must call.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::ToolChoice;
///
/// let choice = ToolChoice::Tool("weather".to_owned());
/// assert_ne!(choice, ToolChoice::default());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model calls no tool.
    None,
    /// The model must call at least one tool.
    Required,
    /// The model must call this tool.
    Tool(String),
}
