//! Checks a loaded prompt, or the text of a prompt.

use std::path::PathBuf;

use super::definition::{check_definition, template_in_source};
use super::front_matter_findings::{FrontMatterFindings, check_with_front_matter};
use super::signature::{AllowedCodes, HostSignatures, Signature};
use super::{Report, TemplateRules};
use crate::definition::{Definition, Input, Inspection, TemplateFolder, inspect, into_error};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// The options of [`check`]: what it may assume about a prompt and its host.
///
/// ```no_run
/// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
/// use typed_prompty::check::{CheckOptions, check};
/// use typed_prompty::diagnostic::{Code, SourceText};
///
/// let source = SourceText::new("prompts/support.prompty", "user:\n{% include 'rules.jinja' %}\n");
/// let options = CheckOptions::new().with_folder("prompts").with_allowed([Code::UnusedInput]);
/// assert!(check(source, &options).report.diagnostics.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    host: HostSignatures,
    allowed: AllowedCodes,
    inputs: Option<Vec<Input>>,
    has_open_inputs: bool,
    folder: Option<PathBuf>,
}

impl CheckOptions {
    /// The default options: the host adds nothing, and all findings are reported.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns these options with the names that the host adds to templates, such as `&registry`.
    #[must_use]
    pub fn with_host(mut self, host: impl Into<HostSignatures>) -> Self {
        self.host = host.into();
        self
    }

    /// Returns these options with findings that are not reported. A finding can be suppressed only
    /// if the prompt works in spite of it, such as [`Code::UnusedInput`].
    #[must_use]
    pub fn with_allowed(mut self, codes: impl IntoIterator<Item = Code>) -> Self {
        self.allowed = AllowedCodes::new(codes);
        self
    }

    /// Returns these options with other types of the inputs, such as those of a struct, which are
    /// more specific than the declared ones.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Vec<Input>) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// Returns these options, and accepts template inputs that are not declared.
    #[must_use]
    pub fn with_open_inputs(mut self) -> Self {
        self.has_open_inputs = true;
        self
    }

    /// Returns these options with the folder of other files of a prompt's text: template files and
    /// samples. No file is read without it. A loaded prompt already has its files.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }
}

/// A prompt that can be checked: `&definition`, or a [`SourceText`].
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckSource<'p> {
    /// A loaded prompt.
    Definition(&'p Definition),
    /// The text of a prompt, with its front matter.
    Text(SourceText),
}

impl<'p> From<&'p Definition> for CheckSource<'p> {
    fn from(definition: &'p Definition) -> Self {
        Self::Definition(definition)
    }
}

impl From<SourceText> for CheckSource<'_> {
    fn from(source: SourceText) -> Self {
        Self::Text(source)
    }
}

/// The result of [`check`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckedPrompt {
    /// The source that all places refer to: the given source with normalised line ends.
    pub source: SourceText,
    /// The prompt; `None` if the front matter cannot be read.
    pub definition: Option<Definition>,
    /// The findings in the front matter and in the template.
    pub report: Report,
}

impl CheckedPrompt {
    /// The findings, sorted by place.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.report.diagnostics
    }

    /// Returns the same value if no finding is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if a finding is an error. Its kind is [`ErrorKind::TemplateSyntax`] in the
    /// template and [`ErrorKind::FrontMatter`] otherwise.
    pub fn into_result(self) -> Result<Self, Error> {
        let mut findings = self.findings().iter();
        let Some(found) = findings.find(|it| it.severity == Severity::Error) else {
            return Ok(self);
        };
        let body = self.definition.as_ref().map(|definition| template_in_source(definition).1);
        let kind = match (found.span, body) {
            (Some(span), Some(body)) if span.start >= body.start => ErrorKind::TemplateSyntax,
            _ => ErrorKind::FrontMatter,
        };
        let error = into_error(kind, found, &self.source);
        Err(match &self.definition {
            Some(definition) => definition.hidden.hide_error(error),
            None => error,
        })
    }
}

/// Checks a loaded prompt, or a text with its front matter. References of a text are not resolved:
/// no variable is read, and only files in the folder of the options are read.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::{check, definition}; }
/// use typed_prompty::check::{CheckOptions, check};
/// use typed_prompty::definition::Definition;
/// use typed_prompty::diagnostic::SourceText;
///
/// let text = "---\ninputs:\n  city: {kind: strng}\n---\nuser:\n{{ city | uper }}\n";
/// let checked = check(SourceText::new("weather.prompty", text), &CheckOptions::new());
/// let codes: Vec<&str> = checked.findings().iter().map(|finding| finding.code.name()).collect();
/// assert_eq!(codes, ["unknown_kind", "unknown_filter"]);
///
/// let text = "---\ninputs:\n  city: {kind: string, required: true}\n---\nuser:\n{{ ctiy }}\n";
/// let definition = Definition::from_text(text)?;
/// let checked = check(&definition, &CheckOptions::new());
/// assert_eq!(checked.findings()[0].message, "input `city` is never used");
/// assert_eq!(checked.findings()[1].message, "unknown input `ctiy`");
/// # Ok::<(), prompty_core::Error>(())
/// ```
pub fn check<'p>(prompt: impl Into<CheckSource<'p>>, options: &CheckOptions) -> CheckedPrompt {
    let source = match prompt.into() {
        CheckSource::Definition(definition) => return check_loaded(definition, options),
        CheckSource::Text(source) => source,
    };
    let folder = options.folder.as_deref();
    let templates = folder.map(|folder| TemplateFolder::of_prompt(folder, &source));
    check_inspected(inspect(source, folder), templates.as_ref(), options)
}

/// Checks a loaded prompt. Places are in its source. If the source does not contain the
/// instructions, because the program replaced them, places are in the instructions.
fn check_loaded(definition: &Definition, options: &CheckOptions) -> CheckedPrompt {
    let signature = signature_of(definition, options);
    let (source, _) = template_in_source(definition);
    let CheckOptions { host, allowed, .. } = options;
    let rules = TemplateRules { signature: &signature, extensions: host, allowed };
    let report = check_definition(definition, rules);
    CheckedPrompt { source, definition: Some(definition.clone()), report }
}

/// The signature of a prompt. The options may replace its inputs.
fn signature_of(definition: &Definition, options: &CheckOptions) -> Signature {
    let mut signature = Signature::from_definition(definition);
    if let Some(inputs) = &options.inputs {
        signature.inputs.clone_from(inputs);
    }
    signature.open |= options.has_open_inputs;
    signature.has_other_parser |= options.host.has_parser(&definition.template.parser);
    signature
}

/// Checks the text of a prompt after its front matter was read. The files of the template are in
/// `templates`.
fn check_inspected(
    inspection: Inspection,
    templates: Option<&TemplateFolder>,
    options: &CheckOptions,
) -> CheckedPrompt {
    let CheckOptions { host, allowed, .. } = options;
    let Inspection { mut definition, mut diagnostics, mut source, open_inputs, doubts, .. } =
        inspection;
    let mut signature = None;
    if let Some(definition) = &mut definition {
        let assembly = definition.assemble(
            templates,
            "set the folder of its files: `CheckOptions::new().with_folder(folder)`",
        );
        source = assembly.source;
        diagnostics.extend(assembly.diagnostics);
        // A template is incomplete without its files, so it is not checked.
        if assembly.is_complete {
            let mut known = signature_of(definition, options);
            known.open |= open_inputs;
            signature = Some(known);
        }
    }
    // Findings that could follow from an error of the front matter are not reported.
    let declared = FrontMatterFindings { diagnostics, doubts };
    let report = match (&definition, signature) {
        (Some(definition), Some(signature)) => {
            check_with_front_matter(definition, declared, &signature, host, allowed)
        }
        _ => declared.into_report(allowed),
    };
    CheckedPrompt { source, definition, report }
}
