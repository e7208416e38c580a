//! Checks a prompt: one that is loaded, or its text.

use std::path::PathBuf;

use super::declared::{Declared, check_declared};
use super::definition::{check_definition, template_in_source};
use super::signature::{Allowed, HostSignatures, Signature};
use super::{Report, TemplateRules};
use crate::definition::{Definition, Input, Inspection, TemplateFolder, inspect, into_error};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// What [`check`] knows of a prompt and of its host.
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
    allowed: Allowed,
    inputs: Option<Vec<Input>>,
    has_open_inputs: bool,
    folder: Option<PathBuf>,
}

impl CheckOptions {
    /// A host that adds nothing, and no finding that is allowed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with what the host adds to the templates: `&registry`, or the names alone.
    #[must_use]
    pub fn with_host(mut self, host: impl Into<HostSignatures>) -> Self {
        self.host = host.into();
        self
    }

    /// The same options, with findings that are not reported. Only findings of a prompt that works all the
    /// same can be allowed, such as [`Code::UnusedInput`].
    #[must_use]
    pub fn with_allowed(mut self, codes: impl IntoIterator<Item = Code>) -> Self {
        self.allowed = Allowed::new(codes);
        self
    }

    /// The same options with the types of the inputs, which may say more than the prompt itself.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Vec<Input>) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// The same options, in which the template may use other inputs than those that are known.
    #[must_use]
    pub fn with_open_inputs(mut self) -> Self {
        self.has_open_inputs = true;
        self
    }

    /// The same options with the folder of the files that the text of a prompt names: those that its template
    /// includes, imports or extends, and one with samples. Without it no file is read. A loaded prompt has
    /// its files already.
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

/// What [`check`] found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The source that all places refer to: the given one with plain line ends.
    pub source: SourceText,
    /// The prompt; `None` where the front matter cannot be read.
    pub definition: Option<Definition>,
    /// The findings in the front matter and in the template.
    pub report: Report,
}

impl Checked {
    /// The findings, sorted by place.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.report.diagnostics
    }

    /// The same, if no finding is an error.
    ///
    /// # Errors
    ///
    /// The first finding that is an error, with its place: [`ErrorKind::FrontMatter`], or
    /// [`ErrorKind::TemplateSyntax`] in the template.
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

/// Checks a prompt: a loaded one with the inputs that it declares, or a text with its front matter. A text is
/// not loaded: no variable and no file is read, but for those in the folder of the options.
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
pub fn check<'p>(prompt: impl Into<CheckSource<'p>>, options: &CheckOptions) -> Checked {
    let source = match prompt.into() {
        CheckSource::Definition(definition) => return check_loaded(definition, options),
        CheckSource::Text(source) => source,
    };
    let folder = options.folder.as_deref();
    let templates = folder.map(|folder| TemplateFolder::beside(folder, &source));
    check_inspected(inspect(source, folder), templates.as_ref(), options)
}

/// Places are in the definition's source, or in its instructions where the source does not hold them.
fn check_loaded(definition: &Definition, options: &CheckOptions) -> Checked {
    let signature = signature_of(definition, options);
    let (source, _) = template_in_source(definition);
    let CheckOptions { host, allowed, .. } = options;
    let rules = TemplateRules { signature: &signature, extensions: host, allowed };
    let report = check_definition(definition, rules);
    Checked { source, definition: Some(definition.clone()), report }
}

/// What the prompt declares, with the types of the inputs from the options if they have some.
fn signature_of(definition: &Definition, options: &CheckOptions) -> Signature {
    let mut signature = Signature::from_definition(definition);
    if let Some(inputs) = &options.inputs {
        signature.inputs.clone_from(inputs);
    }
    signature.open |= options.has_open_inputs;
    signature.has_other_parser |= options.host.has_parser(&definition.template.parser);
    signature
}

fn check_inspected(
    inspection: Inspection,
    templates: Option<&TemplateFolder>,
    options: &CheckOptions,
) -> Checked {
    let CheckOptions { host, allowed, .. } = options;
    let Inspection { mut definition, mut diagnostics, mut source, open_inputs, doubts, .. } =
        inspection;
    let mut signature = None;
    if let Some(definition) = &mut definition {
        let assembly = definition.assemble(
            templates,
            "name the folder of its files: `CheckOptions::new().with_folder(folder)`",
        );
        source = assembly.source;
        diagnostics.extend(assembly.diagnostics);
        // Without its files a template is not what its author wrote.
        if assembly.is_whole {
            let mut known = signature_of(definition, options);
            known.open |= open_inputs;
            signature = Some(known);
        }
    }
    let declared = Declared { diagnostics, doubts };
    let report = match (&definition, signature) {
        (Some(definition), Some(signature)) => {
            check_declared(definition, declared, &signature, host, allowed)
        }
        _ => declared.into_report(allowed),
    };
    Checked { source, definition, report }
}
