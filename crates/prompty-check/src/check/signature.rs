//! What the checker is told: the inputs with their types, what the host adds, what is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::definition::{Definition, Input, is_configuration};
use prompty_core::diagnostic::Code;
use prompty_core::trace::{HiddenTexts, REDACTED};
use prompty_template::{Language, built_in};

/// The inputs that a template may use.
///
/// `Debug` hides the names that came from `${env:…}` and `${file:…}`.
#[doc(hidden)]
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Signature {
    /// What the inputs belong to, as messages call it: the name of a Rust type.
    pub subject: Option<String>,
    /// The inputs in order.
    pub inputs: Vec<Input>,
    /// Whether there may be inputs that are not listed.
    pub open: bool,
    /// Whether the prompt has an output, and who tells the model.
    pub output: AskedOutput,
    /// Whether a parser of the host makes messages of the text, so that its lines may mean something else.
    pub(super) has_other_parser: bool,
    /// Whether the inputs are declared by a prompt configuration of Semantic Kernel.
    pub(super) is_configuration: bool,
    /// The names of the inputs that are used outside of the template.
    pub(super) bound: BTreeSet<String>,
    hidden: HiddenTexts,
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = self.inputs.iter().map(|input| {
            let is_hidden = self.hidden.hides(&input.name);
            // The values that are allowed may have come from the same file.
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
    /// A signature of the listed inputs and no others.
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

    /// Takes over what the definition says beside its inputs: which of them its tools are bound to, who
    /// parses the text, and whether it declares outputs, whose schema goes with a request.
    pub fn bind(&mut self, definition: &Definition) {
        if definition.has_output() {
            self.output = AskedOutput::BySchema;
        }
        self.is_configuration = is_configuration(definition.source.name());
        self.has_other_parser = definition.template.parser != "prompty";
        let bindings = definition.tools.iter().flat_map(|tool| &tool.bindings);
        self.bound.extend(bindings.filter_map(|binding| binding.input.clone()));
    }

    /// Whether an input is used outside of the template, as by a tool's binding.
    pub(super) fn is_bound(&self, input: &Input) -> bool {
        self.bound.contains(&input.name)
    }
}

/// What a prompt asks its model to answer with, and who tells the model.
///
/// The template of a prompt with an output may name `output_requirement`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AskedOutput {
    /// The prompt has no output.
    #[default]
    Nothing,
    /// Only the text of the prompt can tell the model.
    InText,
    /// A JSON schema tells the model, which is sent with the request.
    BySchema,
}

/// What the host adds to the templates, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostSignatures {
    /// Filters; what they take and give is not known.
    pub filters: Vec<String>,
    /// Tests.
    pub tests: Vec<String>,
    /// Functions.
    pub functions: Vec<String>,
    /// Template formats, such as `liquid`; their templates are not checked.
    pub formats: Vec<String>,
    /// Parsers.
    pub parsers: Vec<String>,
    /// The parameters of the functions that take these and no others.
    parameters: BTreeMap<String, Vec<String>>,
    languages: Languages,
}

/// The template languages of a host, by their kinds.
#[derive(Debug, Clone, Default)]
struct Languages(BTreeMap<String, Arc<dyn Language>>);

/// Two are equal that hold the same values under the same kinds.
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
    /// Adds a function that takes parameters of these names and no others.
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
    /// assert_eq!(finding.message, "`too` is no parameter of `mail.send`");
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

    /// The parameters of a function, where they are known.
    pub(super) fn parameters(&self, function: &str) -> Option<&[String]> {
        self.parameters.get(function).map(Vec::as_slice)
    }

    /// Adds a template language: templates of this kind are checked as those of the built-in languages.
    #[must_use]
    pub fn with_language(self, kind: &str, language: impl Language + 'static) -> Self {
        self.with_shared_language(kind, Arc::new(language))
    }

    /// As [`HostSignatures::with_language`], for a language that a registry shares.
    #[doc(hidden)]
    #[must_use]
    pub fn with_shared_language(mut self, kind: &str, language: Arc<dyn Language>) -> Self {
        self.languages.0.insert(kind.to_owned(), language);
        self.formats.push(kind.to_owned());
        self
    }

    /// Whether the host has a parser of a kind, also where one of that kind is built in.
    pub(super) fn has_parser(&self, kind: &str) -> bool {
        self.parsers.iter().any(|parser| parser == kind)
    }

    /// Whether the language of a kind is the host's, also where one of that kind is built in.
    pub(super) fn has_language(&self, kind: &str) -> bool {
        self.languages.0.contains_key(kind)
    }

    /// The language of a kind: the host's, or the one that is built in. `None` if it is unknown, or if the
    /// host has a renderer of the kind, whose templates cannot be checked.
    pub(super) fn language(&self, kind: &str) -> Option<&dyn Language> {
        match self.languages.0.get(kind) {
            Some(language) => Some(&**language),
            // A renderer of the host is in the place of what is built in.
            None if self.formats.iter().any(|format| format == kind) => None,
            None => built_in(kind),
        }
    }
}

/// The findings that the author allows.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Allowed {
    codes: Vec<Code>,
}

impl Allowed {
    /// Allows findings of these codes. Codes of errors that would break rendering have no effect;
    /// see [`Allowed::can_allow`].
    pub fn new(codes: impl IntoIterator<Item = Code>) -> Self {
        Self { codes: codes.into_iter().filter(|code| Self::can_allow(*code)).collect() }
    }

    /// Whether findings of this code can be allowed: those of a prompt that works all the same.
    pub const fn can_allow(code: Code) -> bool {
        matches!(
            code,
            Code::LeadingText
                | Code::EmptyMessage
                | Code::MarkerProse
                | Code::UnusedInput
                | Code::UntoldOutput
                | Code::NearMarker
                | Code::StrayBraces
                | Code::UnguardedOptional
                | Code::UnknownKey
                | Code::FirstVersion
                | Code::DroppedText
        )
    }

    /// Whether findings of this code are allowed.
    pub fn contains(&self, code: Code) -> bool {
        self.codes.contains(&code)
    }
}
