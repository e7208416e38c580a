//! The files that a template is assembled from, and limits on them.

use prompty_core::diagnostic::{Diagnostic, SourceBuilder, SourceSpan, SourceText};

/// The maximum length of an assembled template, in bytes. The parser has the same limit.
pub(crate) const MAX_LENGTH: usize = 1 << 20;
/// The maximum number of file names that a template may request.
pub(crate) const MAX_FILES: usize = 256;
/// The maximum total length of a template's files, in bytes, before the last one is read.
pub(crate) const MAX_READ: usize = 4 << 20;
/// The maximum number of bytes of files that are visited to write a template. A file is visited
/// each time that a tag names it, even if nothing of it is written.
pub(crate) const MAX_WORK: usize = 64 << 20;
/// The cost of a tag in addition to the length of its file.
pub(crate) const TAG_WORK: usize = 256;
/// The maximum depth of files that include each other.
pub(crate) const MAX_DEPTH: usize = 24;

/// A file of a template.
#[derive(Debug, Clone)]
pub struct TemplateFile {
    /// The file's text, with `\n` for each line end.
    pub source: SourceText,
    /// The template's span in that text.
    pub body: SourceSpan,
}

impl TemplateFile {
    /// Returns a text that begins with a part of the file.
    pub(crate) fn copy(&self, part: SourceSpan) -> SourceBuilder {
        let mut builder = SourceBuilder::new(self.source.name());
        builder.copy(&self.source, part);
        builder
    }

    /// Returns a text that begins with what precedes the template.
    pub(crate) fn copy_before_template(&self) -> SourceBuilder {
        self.copy(SourceSpan::new(0, self.body.start))
    }
}

/// The reason why a template of a name cannot be loaded.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// The file does not exist. `ignore missing` applies.
    Missing(Reason),
    /// The file may exist, but is not read.
    NotRead(Reason),
    /// The file was read, but the text before its template is invalid.
    Broken(Box<BrokenFile>),
}

/// A file in which the template cannot be found.
#[derive(Debug, Clone)]
pub struct BrokenFile {
    /// The file's text.
    pub source: SourceText,
    /// The error, with its span in that text.
    pub finding: Diagnostic,
}

/// A message and a help text that say why a file is not read.
#[derive(Debug, Clone)]
pub struct Reason {
    /// A description of the error, in one line without a full stop.
    pub message: String,
    /// How to fix it.
    pub help: String,
}
