//! What is given to make one text of a template's files, and how much that may be.

use prompty_core::diagnostic::{Diagnostic, SourceSpan, SourceText};

/// The longest text that a template may become, in bytes; the parser takes no longer one.
pub(crate) const MAX_LENGTH: usize = 1 << 20;
/// How many names of files a template may ask for.
pub(crate) const MAX_FILES: usize = 256;
/// How long all files of a template may be together, in bytes, before the last one is read.
pub(crate) const MAX_READ: usize = 4 << 20;
/// How many bytes of files may be gone through to write a template: a file is gone through each time that a
/// tag names it, also where nothing of it is written.
pub(crate) const MAX_WORK: usize = 64 << 20;
/// What a tag costs beside the length of its file.
pub(crate) const TAG_WORK: usize = 256;
/// How deep files may include each other.
pub(crate) const MAX_DEPTH: usize = 24;

/// A file of a template.
#[derive(Debug, Clone)]
pub struct TemplateFile {
    /// The file's text, with `\n` for each line end.
    pub source: SourceText,
    /// Where the template stands in it.
    pub body: SourceSpan,
}

/// Why there is no template of a name.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// There is no such file: `ignore missing` holds.
    Missing(Reason),
    /// There may be such a file, and it is not read.
    NotRead(Reason),
    /// The file was read, and what stands in front of its template is wrong.
    Broken(Box<BrokenFile>),
}

/// A file whose template cannot be found in it.
#[derive(Debug, Clone)]
pub struct BrokenFile {
    /// The file's text.
    pub source: SourceText,
    /// What is wrong, with its place in that text.
    pub finding: Diagnostic,
}

/// Why a file is not read.
#[derive(Debug, Clone)]
pub struct Reason {
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// How to mend it.
    pub help: String,
}
