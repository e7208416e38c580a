//! Writes the assembled text of a template and its partials. For example, with the lines `x`,
//! `{{#y}}`, `z` and `{{/y}}` in `part`, and with `  {{> part}}` as a line of the template, the
//! result has the lines `  x`, `{{#y}}`, `  z` and `{{/y}}`. `A{{> part}}` begins with
//! `A{{!}}{{!}}x`, where the comments prevent that a tag in this line is standalone.
//!
//! [`MustacheWriter::file`] writes the text before each tag of a file with
//! [`MustacheWriter::text`], and then the tag, or with [`MustacheWriter::partial`] the file that it
//! names.
//!
//! Whether a tag is standalone, which means alone in its line, is decided by its own file. If the
//! tag is not alone in the assembled text, its line is removed here, and a comment next to it
//! prevents it from removing other white space.
//!
//! The white space before the tag of a standalone partial is written before each line of the
//! partial, also before empty lines. It is not written before a role marker, because a marker must
//! be alone in its line, and a recursive partial writes its white space with a tag. For the same
//! reason a line break is added if other text would share the line of a marker.

use std::collections::BTreeSet;

use super::files::{FileTag, FileTagKind, MustacheFiles};
use crate::assembly::work::{ReportedError, WorkAccount, WriteResult};
use crate::assembly::{FileFindings, MAX_DEPTH, TAG_WORK, TemplateFile, in_file};
use crate::mustache::recursion::{self, RecursionTag};
use crate::mustache::tags::Delimiters;
use crate::tree::Indentation;
use prompty_core::diagnostic::{SourceBuilder, SourceText, TemplateSpan};
use prompty_core::message::marker_line::match_line;

/// Writes the assembled template after the text that precedes it in its file.
pub(super) fn write(
    files: &MustacheFiles,
    main: &TemplateFile,
) -> Result<SourceBuilder, FileFindings> {
    let mut writer = MustacheWriter {
        files,
        recursive: files.recursive(),
        builder: main.copy_before_template(),
        open: vec![OpenFile { file: 0, sections: 0 }],
        sections: 0,
        delimiters: Delimiters::default(),
        begins_line: true,
        account: WorkAccount::default(),
    };
    match writer.file(0, &no_indentation()) {
        Ok(()) => Ok(writer.builder),
        Err(ReportedError) => Err(writer.account.findings),
    }
}

fn no_indentation() -> Indentation {
    Indentation::Absolute(String::new())
}

/// Writes the text of files.
struct MustacheWriter<'f> {
    files: &'f MustacheFiles,
    /// The files that include themselves.
    recursive: BTreeSet<usize>,
    builder: SourceBuilder,
    /// The files that are being written.
    open: Vec<OpenFile>,
    /// The nesting depth of sections.
    sections: usize,
    /// The delimiters at the end of the text.
    delimiters: Delimiters,
    /// Whether the end of the text is the start of a line.
    begins_line: bool,
    account: WorkAccount,
}

/// A file that is being written.
struct OpenFile {
    file: usize,
    /// The nesting depth of sections around it.
    sections: usize,
}

/// The position up to which a file is written.
#[derive(Clone, Copy)]
struct WritePosition {
    done: usize,
    /// Whether a line of the file begins there whose indentation is not written yet.
    is_indentation_due: bool,
}

impl<'f> MustacheWriter<'f> {
    /// Writes a file with its partials.
    fn file(&mut self, index: usize, indentation: &Indentation) -> WriteResult {
        let Some(file) = self.files.list.get(index) else { return Ok(()) };
        let mut position = WritePosition { done: 0, is_indentation_due: true };
        for tag in &file.content.tags {
            let removed = tag.line.unwrap_or(tag.span);
            self.text(index, &mut position, removed.start, indentation)?;
            self.tag(index, tag, &mut position, indentation)?;
            match &tag.kind {
                FileTagKind::Delimiters(new) => self.delimiters = new.clone(),
                FileTagKind::Open => self.sections += 1,
                FileTagKind::Close => self.sections = self.sections.saturating_sub(1),
                FileTagKind::Partial(_) | FileTagKind::Other => {}
            }
            position.done = removed.end;
            self.account.check_length(index, tag.span, self.builder.len())?;
        }
        self.text(index, &mut position, file.source.text().len(), indentation)?;
        if index != 0 {
            self.end_file(index);
        }
        Ok(())
    }

    /// Writes a tag, or the partial that it names.
    fn tag(
        &mut self,
        file: usize,
        tag: &FileTag,
        position: &mut WritePosition,
        indentation: &Indentation,
    ) -> WriteResult {
        let is_partial = matches!(tag.kind, FileTagKind::Partial(_));
        if let Some(line) = tag.line {
            position.is_indentation_due = true;
            if !is_partial {
                self.standalone_tag(file, tag, line);
                return Ok(());
            }
            let before = self.source(file, TemplateSpan::new(line.start, tag.span.start));
            let mut inner = indentation.clone();
            let (Indentation::Absolute(text) | Indentation::Relative(text)) = &mut inner;
            text.push_str(before);
            return self.partial(file, tag, &inner);
        }
        self.begin_line(file, position, tag.span, indentation);
        if !is_partial {
            self.copy(file, tag.span);
            return Ok(());
        }
        self.keep_line(file, tag.span);
        self.partial(file, tag, &no_indentation())?;
        self.keep_line(file, tag.span);
        Ok(())
    }

    /// Writes a tag that is standalone in its file.
    fn standalone_tag(&mut self, file: usize, tag: &FileTag, line: TemplateSpan) {
        let text = self.files.text(file);
        let is_last = file == 0 && line.end == text.len();
        if self.begins_line && (is_last || self.source(file, line).ends_with('\n')) {
            self.copy(file, line);
            self.begins_line = true;
        } else {
            self.guard(file, tag.span);
            self.copy(file, tag.span);
        }
    }

    /// Writes the partial that a tag names.
    fn partial(&mut self, file: usize, tag: &FileTag, indentation: &Indentation) -> WriteResult {
        let Some(target) = self.files.target(file, tag.span.start) else { return Ok(()) };
        self.pay(file, tag.span, target)?;
        if let Some(outer) = self.open.iter().find(|open| open.file == target) {
            // If no section of the file is around this tag, the recursion never ends. The file 0,
            // the template itself, has no tags around it with which it could be written again.
            if target == 0 || outer.sections == self.sections {
                return Err(self.endless_recursion(file, tag, target));
            }
            // The partial is already being written around this tag, so its number is enough.
            let sign = RecursionTag::Again(target, indentation.clone());
            self.write_tag(file, tag.span, &format!(">{}", sign.write()));
            return Ok(());
        }
        if self.open.len() >= MAX_DEPTH {
            let message = format!("the partial is nested in more than {MAX_DEPTH} others");
            let help = "merge files that are always used together";
            return Err(self.account.unsupported(file, tag.span, message, help));
        }
        self.open.push(OpenFile { file: target, sections: self.sections });
        // A file begins with the standard delimiters, whatever those of the tag. After it, those of
        // the tag apply again.
        if self.recursive.contains(&target) {
            let sign = RecursionTag::Begin(target, indentation.clone());
            self.write_tag(file, tag.span, &format!(">{}", sign.write()));
            self.set_delimiters(file, tag.span, &Delimiters::default());
            self.file(target, &Indentation::Relative(String::new()))?;
            self.write_tag(file, tag.span, &format!("/{}", recursion::end(target)));
        } else {
            self.set_delimiters(file, tag.span, &Delimiters::default());
            self.file(target, indentation)?;
        }
        self.set_delimiters(file, tag.span, &tag.delimiters);
        self.open.pop();
        Ok(())
    }

    fn endless_recursion(&mut self, file: usize, tag: &FileTag, target: usize) -> ReportedError {
        let name = self.files.source(target).map_or("", SourceText::name);
        let message =
            format!("`{name}` includes itself endlessly, because this tag is not inside a section");
        let help = "write a section around this tag over a list that becomes smaller, such as the \
                    children of an item";
        self.account.unsupported(file, tag.span, message, help)
    }

    /// Writes the text of a file up to a position, with the indentation before each line.
    fn text(
        &mut self,
        file: usize,
        position: &mut WritePosition,
        end: usize,
        indentation: &Indentation,
    ) -> WriteResult {
        let is_indented = *indentation != no_indentation();
        while position.done < end {
            let rest = self.source(file, TemplateSpan::new(position.done, end));
            let length = match rest.find('\n') {
                Some(at) if is_indented => at + 1,
                _ => rest.len(),
            };
            let span = TemplateSpan::new(position.done, position.done + length);
            self.begin_line(file, position, span, indentation);
            self.copy_text(file, span);
            position.is_indentation_due = self.source(file, span).ends_with('\n');
            position.done = span.end;
            if is_indented {
                self.account.spend(file, span, TAG_WORK)?;
                self.account.check_length(file, span, self.builder.len())?;
            }
        }
        Ok(())
    }

    /// Writes the indentation, if a line of the file begins here.
    fn begin_line(
        &mut self,
        file: usize,
        position: &mut WritePosition,
        cause: TemplateSpan,
        indentation: &Indentation,
    ) {
        if !std::mem::replace(&mut position.is_indentation_due, false) {
            return;
        }
        let rest = self.source(file, TemplateSpan::new(cause.start, self.files.text(file).len()));
        if match_line(rest.split('\n').next().unwrap_or_default()).is_some() {
            // A role marker keeps its own line.
            if !self.begins_line {
                self.write("\n", file, cause);
            }
            return;
        }
        let (Indentation::Absolute(text) | Indentation::Relative(text)) = indentation;
        if matches!(indentation, Indentation::Relative(_)) {
            let tag = self.delimiters.tag(&format!(">{}", RecursionTag::Indentation.write()));
            self.write(&tag, file, cause);
        }
        self.write(text, file, cause);
    }

    /// Writes a line break after a partial that ends in a role marker.
    fn end_file(&mut self, file: usize) {
        let text = self.files.text(file);
        let end = TemplateSpan::new(text.len(), text.len());
        if match_line(text.rsplit('\n').next().unwrap_or_default()).is_some() {
            self.write("\n", file, end);
        }
    }

    /// Writes a tag without output, on its own line if possible.
    fn write_tag(&mut self, file: usize, cause: TemplateSpan, content: &str) {
        let tag = self.delimiters.tag(content);
        if self.begins_line {
            self.write(&format!("{tag}\n"), file, cause);
        } else {
            self.guard(file, cause);
            self.write(&tag, file, cause);
        }
    }

    /// Writes two comments in place of a tag, so that neither they nor adjacent tags are
    /// standalone.
    fn keep_line(&mut self, file: usize, cause: TemplateSpan) {
        self.guard(file, cause);
        self.guard(file, cause);
    }

    /// Writes a comment next to a tag, so that the tag is not standalone.
    fn guard(&mut self, file: usize, cause: TemplateSpan) {
        let comment = self.delimiters.tag("!");
        self.write(&comment, file, cause);
    }

    fn set_delimiters(&mut self, file: usize, cause: TemplateSpan, wanted: &Delimiters) {
        if self.delimiters == *wanted {
            return;
        }
        self.write_tag(file, cause, &wanted.change());
        self.delimiters = wanted.clone();
    }

    fn copy(&mut self, file: usize, span: TemplateSpan) {
        let Some(source) = self.files.source(file) else { return };
        self.builder.copy(source, in_file(span));
        let copied = self.source(file, span);
        if !copied.is_empty() {
            self.begins_line = copied.ends_with('\n');
        }
    }

    /// Copies literal text. The end of a partial could form the beginning of a tag together with
    /// the text after it. Such an end is written with different delimiters: `{` as
    /// `{{=< <=}}{<={{ }}=<`.
    fn copy_text(&mut self, file: usize, span: TemplateSpan) {
        let text = self.files.text(file);
        let is_end = file != 0 && span.end == text.len();
        let tail_length = if is_end { self.tail_length(self.source(file, span)) } else { 0 };
        let tail = TemplateSpan::new(span.end - tail_length, span.end);
        self.copy(file, TemplateSpan::new(span.start, tail.start));
        if tail_length == 0 {
            return;
        }
        let protected = self.source(file, tail);
        let sign = if protected.contains('<') { '|' } else { '<' };
        let outside = Delimiters { open: sign.to_string(), close: sign.to_string() };
        let before = self.delimiters.tag(&outside.change());
        let after = outside.tag(&self.delimiters.change());
        self.write(&format!("{before}{protected}{after}"), file, tail);
    }

    /// Returns the number of bytes at the end of a text that could begin a tag.
    fn tail_length(&self, text: &str) -> usize {
        let open = &self.delimiters.open;
        let lengths = open.char_indices().map(|(at, _)| at).rev();
        let mut lengths = lengths.filter(|length| *length > 0);
        lengths.find(|length| open.get(..*length).is_some_and(|it| text.ends_with(it))).unwrap_or(0)
    }

    /// Writes generated text in place of a span of a file.
    fn write(&mut self, text: &str, file: usize, cause: TemplateSpan) {
        let Some(source) = self.files.source(file) else { return };
        self.builder.write(text, source, in_file(cause));
        if !text.is_empty() {
            self.begins_line = text.ends_with('\n');
        }
    }

    /// Returns the source of a tag, a line or a text.
    #[expect(clippy::string_slice, reason = "tags and lines were found in the text of their file")]
    fn source(&self, file: usize, span: TemplateSpan) -> &'f str {
        &self.files.text(file)[span.start..span.end]
    }

    /// Counts the work of visiting the file `target` for the tag at `span` in `file`.
    fn pay(&mut self, file: usize, span: TemplateSpan, target: usize) -> WriteResult {
        self.account.spend(file, span, self.files.text(target).len().saturating_add(TAG_WORK))
    }
}
