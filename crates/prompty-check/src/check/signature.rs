//! The declarations for a check: inputs, names of the host, and suppressed findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::definition::{Definition, Input, is_configuration};
use prompty_core::diagnostic::Code;
use prompty_core::message::Role;
use prompty_core::trace::{HiddenTexts, REDACTED};
use prompty_template::{Language, built_in};

/// The inputs that a template may use.
///
/// `Debug` hides the names that came from `${env:…}` and `${file:…}`.
#[doc(hidden)]
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Signature {
    /// The owner of the inputs in messages: the name of a Rust type.
    pub subject: Option<String>,
    /// The inputs, in order.
    pub inputs: Vec<Input>,
    /// Whether there may be further inputs.
    pub open: bool,
    /// Whether the prompt has an output, and how the model learns its form.
    pub output: OutputInstruction,
    /// Whether a parser other than `prompty` reads the text. Its lines may have another meaning.
    pub(super) has_other_parser: bool,
    /// The role of the message of a template without markers, if the prompt sets it.
    pub(super) role: Option<Role>,
    /// Whether a prompt configuration of Semantic Kernel declares the inputs.
    pub(super) is_configuration: bool,
    /// The names of the inputs that are used outside of the template.
    pub(super) bound: BTreeSet<String>,
    hidden: HiddenTexts,
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = self.inputs.iter().map(|input| {
            let is_hidden = self.hidden.hides(&input.name);
            // Allowed values may have come from the same file.
            let value_type = (!self.hidden.any()).then_some(&input.value_type);
            (if is_hidden { REDACTED } else { &input.name }, input.presence(), value_type)
        });
        f.debug_struct("Signature")
            .field("subject", &self.subject)
            .field("inputs", &inputs.collect::<Vec<_>>())
            .field("open", &self.open)
            .field("output", &self.output)
            .finish()
    }
}

impl Signature {
    /// A signature with exactly these inputs.
    pub fn new(inputs: Vec<Input>) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// The same signature with a name for messages.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// The inputs that a definition declares.
    pub fn from_definition(definition: &Definition) -> Self {
        let mut signature = Self::new(definition.inputs.clone());
        signature.bind(definition);
        signature.hidden = definition.hidden.clone();
        signature
    }

    /// Adds the other declarations of a definition: the inputs that its tools use, the parser, and
    /// the outputs, whose schema is sent with the request.
    pub fn bind(&mut self, definition: &Definition) {
        if definition.has_output() {
            self.output = OutputInstruction::BySchema;
        }
        self.is_configuration = is_configuration(definition.source.name());
        self.has_other_parser = definition.template.parser != "prompty";
        self.role.clone_from(&definition.template.role);
        let bindings = definition.tools.iter().flat_map(|tool| &tool.bindings);
        self.bound.extend(bindings.filter_map(|binding| binding.input.clone()));
    }

    /// Whether an input is used outside of the template, as by a tool's binding.
    pub(super) fn is_bound(&self, input: &Input) -> bool {
        self.bound.contains(&input.name)
    }
}

/// Whether a prompt has an output, and how the model learns its form.
///
/// The template of a prompt with an output may use the variable `output_requirement`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OutputInstruction {
    /// The prompt has no output.
    #[default]
    Nothing,
    /// The text of the prompt must describe the output.
    InText,
    /// The request contains the JSON schema of the output.
    BySchema,
}

/// What the host adds to the templates, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostSignatures {
    /// Filters. The types of their values are unknown.
    pub filters: Vec<String>,
    /// Tests.
    pub tests: Vec<String>,
    /// Functions.
    pub functions: Vec<String>,
    /// Template formats, such as `liquid`; their templates are not checked.
    pub formats: Vec<String>,
    /// Parsers.
    pub parsers: Vec<String>,
    /// The parameters of functions whose parameters are known.
    parameters: BTreeMap<String, Vec<String>>,
    languages: Languages,
}

/// The template languages of a host, by their kinds.
#[derive(Debug, Clone, Default)]
struct Languages(BTreeMap<String, Arc<dyn Language>>);

/// Two are equal if they have the same instances for the same kinds.
impl PartialEq for Languages {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len()
            && pairs.all(|((kind, own), (other_kind, other))| {
                kind == other_kind && Arc::ptr_eq(own, other)
            })
    }
}

impl Eq for Languages {}

impl HostSignatures {
    /// Adds a function with exactly these parameters.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
    /// use typed_prompty::diagnostic::SourceText;
    /// use typed_prompty::check::{CheckOptions, HostSignatures, check};
    ///
    /// let text = "---\ntemplate: {format: semantic-kernel}\n---\nuser:\n{{mail.send 'Hi' too='Ada'}}\n";
    /// let extensions = HostSignatures::default().with_function("mail.send", ["text", "to"]);
    /// let options = CheckOptions::new().with_host(extensions);
    /// let checked = check(SourceText::new("t", text), &options);
    /// let finding = &checked.findings()[0];
    /// assert_eq!(finding.message, "unknown argument `too` of `mail.send`");
    /// assert_eq!(finding.help[0], "a parameter with a similar name exists: `to`");
    /// ```
    #[must_use]
    pub fn with_function<N: Into<String>>(
        mut self,
        name: &str,
        parameters: impl IntoIterator<Item = N>,
    ) -> Self {
        let parameters = parameters.into_iter().map(Into::into).collect();
        self.parameters.insert(name.to_owned(), parameters);
        self.functions.push(name.to_owned());
        self
    }

    /// The parameters of a function, if they are known.
    pub(super) fn parameters(&self, function: &str) -> Option<&[String]> {
        self.parameters.get(function).map(Vec::as_slice)
    }

    /// Adds a template language. Its templates are checked like those of the built-in languages.
    #[must_use]
    pub fn with_language(self, kind: &str, language: impl Language + 'static) -> Self {
        self.with_shared_language(kind, Arc::new(language))
    }

    /// Like [`HostSignatures::with_language`], for a language that a registry shares.
    #[doc(hidden)]
    #[must_use]
    pub fn with_shared_language(mut self, kind: &str, language: Arc<dyn Language>) -> Self {
        self.languages.0.insert(kind.to_owned(), language);
        self.formats.push(kind.to_owned());
        self
    }

    /// Whether the host has a parser of a kind. It may replace a built-in parser.
    pub(super) fn has_parser(&self, kind: &str) -> bool {
        self.parsers.iter().any(|parser| parser == kind)
    }

    /// Whether the host has a language of a kind. It may replace a built-in language.
    pub(super) fn has_language(&self, kind: &str) -> bool {
        self.languages.0.contains_key(kind)
    }

    /// The language of a kind, of the host or built in. `None` if it is unknown, or if the host has
    /// its own renderer of the kind. Templates of such a renderer cannot be checked.
    pub(super) fn language(&self, kind: &str) -> Option<&dyn Language> {
        match self.languages.0.get(kind) {
            Some(language) => Some(&**language),
            // The host's renderer replaces the built-in language.
            None if self.formats.iter().any(|format| format == kind) => None,
            None => built_in(kind),
        }
    }
}

/// The codes of findings that the author suppresses.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AllowedCodes {
    codes: Vec<Code>,
}

impl AllowedCodes {
    /// Suppresses findings of these codes. Codes of errors that prevent rendering have no effect;
    /// see [`AllowedCodes::can_allow`].
    pub fn new(codes: impl IntoIterator<Item = Code>) -> Self {
        Self { codes: codes.into_iter().filter(|code| Self::can_allow(*code)).collect() }
    }

    /// Whether findings of this code can be suppressed: the prompt works in spite of them.
    pub const fn can_allow(code: Code) -> bool {
        matches!(
            code,
            Code::LeadingText
                | Code::NoRoleMarker
                | Code::EmptyMessage
                | Code::MarkerProse
                | Code::UnusedInput
                | Code::OutputNotDescribed
                | Code::NearMarker
                | Code::StrayBraces
                | Code::UnguardedOptional
                | Code::UnknownKey
                | Code::FirstVersion
                | Code::DroppedText
        )
    }

    /// Whether findings of this code are suppressed.
    pub fn contains(&self, code: Code) -> bool {
        self.codes.contains(&code)
    }
}
