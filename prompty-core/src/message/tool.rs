//! Tools that a model may call, and which of them it may or must.

use crate::value::Map;

/// A tool that a model may call: its name, what it is for, and the JSON schema of its parameters.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: String,
    /// What the tool is for, as the model reads it.
    pub description: Option<String>,
    /// The JSON schema of the parameters.
    pub parameters: Map,
    /// Whether the provider must hold calls to the schema.
    pub strict: Strictness,
}

/// Whether a provider must hold calls of a tool to the tool's schema. The schema is then sent in the provider's
/// strict form, in which all parameters are required and what is optional may be `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strictness {
    /// The tool says nothing of it, and its schema is sent as it is. OpenAI's responses then hold calls to it where they
    /// can; other protocols do not.
    #[default]
    Off,
    /// It must not, and the schema is sent as it is.
    Never,
    /// It must where the schema has a strict form, and otherwise the schema is sent as it is. Tools of Rust types
    /// say this.
    WherePossible,
    /// It must; a schema without a strict form is an error.
    On,
}

impl ToolSpec {
    /// A tool by name, with the JSON schema of its parameters.
    pub fn new(name: impl Into<String>, parameters: Map) -> Self {
        Self { name: name.into(), description: None, parameters, strict: Strictness::Off }
    }

    /// How many letters a name has at most.
    pub const LONGEST_NAME: usize = 64;

    /// Whether a letter may stand in the names and ids that all providers take: `a` to `z` in both cases, digits, `_` and
    /// `-`.
    #[doc(hidden)]
    pub const fn is_name_letter(letter: char) -> bool {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
    }

    /// Whether all providers take a name: 1 to 64 letters `a` to `z` in both cases, digits, `_` and
    /// `-`.
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
        while let Some((first, behind)) = rest.split_first() {
            if !Self::is_name_letter(*first as char) {
                return false;
            }
            rest = behind;
        }
        true
    }

    /// The same tool with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same tool, to whose schema the provider must hold calls.
    #[must_use]
    pub fn with_strict(self) -> Self {
        self.with_strictness(Strictness::On)
    }

    /// The same tool, with whether the provider must hold calls to its schema.
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
    /// At least one.
    Required,
    /// This one.
    Tool(String),
}
