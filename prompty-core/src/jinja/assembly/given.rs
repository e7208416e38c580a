//! What is given to make one text of a template's files, and how much that may be.

use crate::diagnostic::{SourceText, Span};

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
/// How many names may be bound around the tags of a file, counted at each tag.
pub(crate) const MAX_NAMES: usize = 1 << 18;
/// How deep files may include each other.
pub(crate) const MAX_DEPTH: usize = 24;

/// What a template's tags do to the white space around them, as options of Jinja2's environment say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WhiteSpace {
    /// Whether a block tag takes the line break behind it.
    pub trim_blocks: bool,
    /// Whether a block tag takes the white space between the start of its line and it.
    pub lstrip_blocks: bool,
}

/// A file of a template.
#[derive(Debug, Clone)]
pub struct TemplateFile {
    /// The file's text, with `\n` for each line end.
    pub source: SourceText,
    /// Where the template stands in it.
    pub body: Span,
}

/// Why there is no file of a name.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// How to mend it.
    pub help: String,
    /// Whether it is only that there is no such file, so that `ignore missing` holds.
    pub is_missing: bool,
}
