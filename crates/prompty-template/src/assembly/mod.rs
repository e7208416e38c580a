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
use prompty_core::diagnostic::{Diagnostic, SourceBuilder, SourceText, Span};

/// A template whose files are one text.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The whole text, with what stood in front of the template. Where something is wrong, the text as
    /// it was.
    pub source: SourceText,
    /// Where the template stands in it.
    pub body: Span,
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
        findings: Vec<(usize, Diagnostic)>,
    ) -> Self {
        let TemplateFile { source, body } = main;
        let mut builder = SourceBuilder::new(source.name());
        builder.copy(source, Span::new(0, source.text().len()));
        let (source, findings) = with_places(builder, source_of, findings);
        Self { source, body: *body, findings, is_whole: false, template: None }
    }
}

/// Ends a text, and moves findings in files to places behind its end.
pub(crate) fn with_places<'s>(
    mut builder: SourceBuilder,
    source_of: impl Fn(usize) -> Option<&'s SourceText>,
    findings: Vec<(usize, Diagnostic)>,
) -> (SourceText, Vec<Diagnostic>) {
    let mut bases: HashMap<usize, usize> = HashMap::new();
    let mut moved = Vec::with_capacity(findings.len());
    // What is wrong with a file may be found each time that a tag names it.
    let mut told = HashSet::new();
    for (file, mut finding) in findings {
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
