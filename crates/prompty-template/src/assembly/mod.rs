//! What the languages have in common that make one text of a template and its files, before anything else reads it.
//!
//! `given` is what whoever asks gives; `library` finds files by their names, `partials` those of partials, and
//! `work` pays for what is written.

mod given;
pub(crate) mod library;
pub(crate) mod partials;
pub(crate) mod work;

pub use given::{BrokenFile, Reason, Refusal, TemplateFile};
pub(crate) use given::{MAX_DEPTH, TAG_WORK};

use std::collections::{HashMap, HashSet};

use crate::Template;
use prompty_core::diagnostic::{
    Diagnostic, Severity, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};

/// A template whose files are one text.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The whole text, with what stood in front of the template. Where something is wrong, the text as
    /// it was.
    pub source: SourceText,
    /// Where the template stands in it.
    pub body: SourceSpan,
    /// What is wrong, with places in `source`.
    pub findings: Vec<Diagnostic>,
    /// Whether the text is one that a template's readers can go on with.
    pub is_whole: bool,
    /// The tree of the template in `body`, where reading the files gave it.
    pub template: Option<Template>,
}

impl Assembled {
    /// A template that is one text already.
    pub(crate) fn unchanged(main: &TemplateFile, template: Option<Template>) -> Self {
        let TemplateFile { source, body } = main.clone();
        Self { source, body, findings: Vec::new(), is_whole: true, template }
    }

    /// A template that cannot be put together, with the findings in its files.
    pub(crate) fn failed<'s>(
        main: &TemplateFile,
        source_of: impl Fn(usize) -> Option<&'s SourceText>,
        findings: FileFindings,
    ) -> Self {
        let TemplateFile { source, body } = main;
        let mut builder = SourceBuilder::new(source.name());
        builder.copy(source, source.span());
        let (source, findings) = with_places(builder, source_of, findings);
        Self { source, body: *body, findings, is_whole: false, template: None }
    }
}

/// Ends a text, and moves findings in files to places behind its end.
pub(crate) fn with_places<'s>(
    mut builder: SourceBuilder,
    source_of: impl Fn(usize) -> Option<&'s SourceText>,
    findings: FileFindings,
) -> (SourceText, Vec<Diagnostic>) {
    let mut bases: HashMap<usize, usize> = HashMap::new();
    let mut moved = Vec::with_capacity(findings.0.len());
    // What is wrong with a file may be found each time that a tag names it.
    let mut told = HashSet::new();
    for (file, mut finding) in findings.0 {
        if let (Some(source), Some(span)) = (source_of(file), finding.span) {
            let base = *bases.entry(file).or_insert_with(|| builder.annex(source));
            finding.span = Some(span.shifted(base));
        }
        if told.insert((file, finding.span, finding.message.clone())) {
            moved.push(finding);
        }
    }
    (builder.finish(), moved)
}

/// What is wrong in the files of a template, with the number of the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFindings(Vec<(usize, Diagnostic)>);

impl FileFindings {
    /// Adds a finding in the template of a file.
    pub(crate) fn push(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.0.push((file, finding.in_source(SourceSpan::default())));
    }

    /// Adds a finding in a file whose template cannot be found.
    pub(crate) fn push_broken(&mut self, file: usize, finding: Diagnostic) {
        self.0.push((file, finding));
    }

    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }
}

/// The place in the source of a file, which is the template alone.
pub(crate) fn in_file(span: TemplateSpan) -> SourceSpan {
    span.in_source(SourceSpan::default())
}
