//! Writes the text that a template and its partials become.
//!
//! Whether a tag has a line for itself is decided by its own file. So where the tag comes to stand beside
//! other text, what its file leaves out is left out here, and a comment beside it keeps it from taking
//! anything else.

use super::files::{Files, Kind, Tag};
use crate::assembly::work::{Account, Reported, Written};
use crate::assembly::{FileFindings, MAX_DEPTH, TAG_WORK, in_file};
use crate::mustache::recursion::{self, Sign};
use crate::mustache::tags::Delimiters;
use crate::tree::Indentation;
use prompty_core::diagnostic::{SourceBuilder, SourceSpan, SourceText, TemplateSpan};
use prompty_core::message::marker_line::match_line;

/// Writes the text of a template behind what stands in front of it in `source`; `None` where that cannot be.
pub(super) fn write(
    files: &Files,
    source: &SourceText,
    body: SourceSpan,
) -> (Option<SourceBuilder>, FileFindings) {
    let mut builder = SourceBuilder::new(source.name());
    builder.copy(source, SourceSpan::new(0, body.start));
    let mut writer = Writer {
        files,
        builder,
        open: vec![Open { file: 0, sections: 0 }],
        sections: 0,
        delimiters: Delimiters::default(),
        begins_line: true,
        account: Account::default(),
    };
    let is_written = writer.file(0, &Indent::default()).is_ok();
    (is_written.then_some(writer.builder), writer.account.findings)
}

/// What the lines of a partial begin with.
#[derive(Clone, Default)]
struct Indent {
    /// Whether the indentation of the recursive partial around comes first.
    is_added: bool,
    text: String,
}

impl Indent {
    /// Whether lines begin with anything.
    fn is_some(&self) -> bool {
        self.is_added || !self.text.is_empty()
    }

    fn to_indentation(&self) -> Indentation {
        match self.is_added {
            true => Indentation::Added(self.text.clone()),
            false => Indentation::Whole(self.text.clone()),
        }
    }
}

struct Writer<'f> {
    files: &'f Files,
    builder: SourceBuilder,
    /// The files that are being written.
    open: Vec<Open>,
    /// How many sections are around.
    sections: usize,
    /// The delimiters of what is written next.
    delimiters: Delimiters,
    /// Whether what is written next begins a line.
    begins_line: bool,
    account: Account,
}

/// A file that is being written.
struct Open {
    file: usize,
    /// How many sections are around it.
    sections: usize,
}

/// How far a file is written.
#[derive(Clone, Copy)]
struct Position {
    done: usize,
    /// Whether a line of the file begins there, and what its lines begin with is still to be written.
    begins_line: bool,
}

impl<'f> Writer<'f> {
    fn file(&mut self, index: usize, indent: &Indent) -> Written {
        let Some(file) = self.files.list.get(index) else { return Ok(()) };
        let text = file.source.text();
        let mut position = Position { done: 0, begins_line: true };
        for tag in &file.tags {
            let taken = tag.line.unwrap_or(tag.span);
            self.text(index, &mut position, taken.start, indent)?;
            match (&tag.kind, tag.line) {
                (Kind::Partial(_), Some(line)) => {
                    let mut inner = indent.clone();
                    let before = TemplateSpan::new(line.start, tag.span.start);
                    inner.text.push_str(self.written(index, before));
                    self.partial(index, tag, &inner)?;
                    position.begins_line = true;
                }
                (Kind::Partial(_), None) => {
                    self.begin_line(index, &mut position, tag.span, indent);
                    self.keep_line(index, tag.span);
                    self.partial(index, tag, &Indent::default())?;
                    self.keep_line(index, tag.span);
                }
                (_, Some(line)) => {
                    self.whole_line(index, tag, line);
                    position.begins_line = true;
                }
                (_, None) => {
                    self.begin_line(index, &mut position, tag.span, indent);
                    self.copy(index, tag.span);
                }
            }
            match &tag.kind {
                Kind::Delimiters(new) => self.delimiters = new.clone(),
                Kind::Open => self.sections += 1,
                Kind::Close => self.sections = self.sections.saturating_sub(1),
                Kind::Partial(_) | Kind::Other => {}
            }
            position.done = taken.end;
            self.account.check_length(index, tag.span, self.builder.len())?;
        }
        let end = text.len();
        self.text(index, &mut position, end, indent)?;
        if index != 0 {
            self.end_file(index);
        }
        Ok(())
    }

    /// A tag that has a line for itself in its file.
    fn whole_line(&mut self, file: usize, tag: &Tag, line: TemplateSpan) {
        let text = self.file_text(file);
        let is_last = file == 0 && line.end == text.len();
        if self.begins_line && (is_last || self.written(file, line).ends_with('\n')) {
            self.copy(file, line);
            self.begins_line = true;
        } else {
            self.apart(file, tag.span);
            self.copy(file, tag.span);
        }
    }

    /// What a partial's tag stands for.
    fn partial(&mut self, file: usize, tag: &Tag, indent: &Indent) -> Written {
        let Some(target) = self.files.target(file, tag) else { return Ok(()) };
        self.pay(file, tag.span, target)?;
        if let Some(around) = self.open.iter().find(|open| open.file == target) {
            if target == 0 || around.sections == self.sections {
                return Err(self.endless(file, tag, target));
            }
            let sign = Sign::Again(target, indent.to_indentation());
            self.structure(file, tag.span, &format!(">{}", sign.write()));
            return Ok(());
        }
        if self.open.len() >= MAX_DEPTH {
            let message = format!("the partial stands in more than {MAX_DEPTH} others");
            let help = "put files together that are always used together";
            return Err(self.account.unsupported(file, tag.span, message, help));
        }
        self.open.push(Open { file: target, sections: self.sections });
        if self.files.recursive.contains(&target) {
            let sign = Sign::Begin(target, indent.to_indentation());
            self.structure(file, tag.span, &format!(">{}", sign.write()));
            self.set_delimiters(file, tag.span, &Delimiters::default());
            self.file(target, &Indent { is_added: true, text: String::new() })?;
            self.structure(file, tag.span, &format!("/{}", recursion::end(target)));
        } else {
            self.set_delimiters(file, tag.span, &Delimiters::default());
            self.file(target, indent)?;
        }
        self.set_delimiters(file, tag.span, &tag.delimiters);
        self.open.pop();
        Ok(())
    }

    fn endless(&mut self, file: usize, tag: &Tag, target: usize) -> Reported {
        let name = self.files.source(target).map_or("", SourceText::name);
        let message = format!("`{name}` names itself with no section around: it would have no end");
        let help = "write a section around this tag over what becomes less, such as the children of an \
                    item";
        self.account.unsupported(file, tag.span, message, help)
    }

    /// The text of a file up to a place, each line behind its indentation.
    fn text(
        &mut self,
        file: usize,
        position: &mut Position,
        end: usize,
        indent: &Indent,
    ) -> Written {
        while position.done < end {
            let rest = self.written(file, TemplateSpan::new(position.done, end));
            let length = match rest.find('\n') {
                Some(at) if indent.is_some() => at + 1,
                _ => rest.len(),
            };
            let span = TemplateSpan::new(position.done, position.done + length);
            self.begin_line(file, position, span, indent);
            self.copy_text(file, span);
            position.begins_line = self.written(file, span).ends_with('\n');
            position.done = span.end;
            if indent.is_some() {
                self.account.spend(file, span, TAG_WORK)?;
                self.account.check_length(file, span, self.builder.len())?;
            }
        }
        Ok(())
    }

    /// Writes what stands in front of a line, if a line of the file begins here.
    fn begin_line(
        &mut self,
        file: usize,
        position: &mut Position,
        cause: TemplateSpan,
        indent: &Indent,
    ) {
        if !std::mem::replace(&mut position.begins_line, false) {
            return;
        }
        let rest = self.written(file, TemplateSpan::new(cause.start, self.file_text(file).len()));
        if match_line(rest.split('\n').next().unwrap_or_default()).is_some() {
            // A role marker keeps its line.
            if !self.begins_line {
                self.write("\n", file, cause);
            }
            return;
        }
        if indent.is_added {
            let tag = self.delimiters.tag(&format!(">{}", Sign::Indentation.write()));
            self.write(&tag, file, cause);
        }
        self.write(&indent.text, file, cause);
    }

    /// What a partial's end must not do to the text behind it.
    fn end_file(&mut self, file: usize) {
        let text = self.file_text(file);
        let end = TemplateSpan::new(text.len(), text.len());
        if match_line(text.rsplit('\n').next().unwrap_or_default()).is_some() {
            self.write("\n", file, end);
        }
    }

    /// A tag that writes nothing, on a line of its own if it can have one.
    fn structure(&mut self, file: usize, cause: TemplateSpan, content: &str) {
        let tag = self.delimiters.tag(content);
        if self.begins_line {
            self.write(&format!("{tag}\n"), file, cause);
        } else {
            self.apart(file, cause);
            self.write(&tag, file, cause);
        }
    }

    /// Two comments in the place of a tag, so that neither they nor a tag beside them have the line for
    /// themselves.
    fn keep_line(&mut self, file: usize, cause: TemplateSpan) {
        self.apart(file, cause);
        self.apart(file, cause);
    }

    /// A comment in front of a tag, so that the tag has no line for itself.
    fn apart(&mut self, file: usize, cause: TemplateSpan) {
        let comment = self.delimiters.tag("!");
        self.write(&comment, file, cause);
    }

    fn set_delimiters(&mut self, file: usize, cause: TemplateSpan, wanted: &Delimiters) {
        if self.delimiters == *wanted {
            return;
        }
        self.structure(file, cause, &wanted.change());
        self.delimiters = wanted.clone();
    }

    fn copy(&mut self, file: usize, span: TemplateSpan) {
        let Some(source) = self.files.source(file) else { return };
        self.builder.copy(source, in_file(span));
        let copied = self.written(file, span);
        if !copied.is_empty() {
            self.begins_line = copied.ends_with('\n');
        }
    }

    /// Copies literal text. Where a partial ends, what it ends in must not open a tag with what stands
    /// behind it, so it is written between other delimiters.
    fn copy_text(&mut self, file: usize, span: TemplateSpan) {
        let text = self.file_text(file);
        let is_end = file != 0 && span.end == text.len();
        let tail = if is_end { self.tail(self.written(file, span)) } else { 0 };
        let (plain, tail) = (
            TemplateSpan::new(span.start, span.end - tail),
            TemplateSpan::new(span.end - tail, span.end),
        );
        self.copy(file, plain);
        if tail.start == tail.end {
            return;
        }
        let protected = self.written(file, tail);
        let sign = if protected.contains('<') { '|' } else { '<' };
        let outside = Delimiters { open: sign.to_string(), close: sign.to_string() };
        let before = self.delimiters.tag(&outside.change());
        let behind = outside.tag(&self.delimiters.change());
        self.write(&format!("{before}{protected}{behind}"), file, tail);
    }

    /// How many bytes at the end of a text could begin a tag.
    fn tail(&self, text: &str) -> usize {
        let open = &self.delimiters.open;
        let lengths = open.char_indices().map(|(at, _)| at).rev();
        let mut lengths = lengths.filter(|length| *length > 0);
        lengths.find(|length| open.get(..*length).is_some_and(|it| text.ends_with(it))).unwrap_or(0)
    }

    /// Writes a text that no file has, in the place of what is in a file.
    fn write(&mut self, text: &str, file: usize, cause: TemplateSpan) {
        let Some(source) = self.files.source(file) else { return };
        self.builder.write(text, source, in_file(cause));
        if !text.is_empty() {
            self.begins_line = text.ends_with('\n');
        }
    }

    fn file_text(&self, file: usize) -> &'f str {
        self.files.source(file).map_or("", SourceText::text)
    }

    /// What a tag, a line or a text of a file is.
    #[expect(clippy::string_slice, reason = "tags and lines were found in the text of their file")]
    fn written(&self, file: usize, span: TemplateSpan) -> &'f str {
        &self.file_text(file)[span.start..span.end]
    }

    /// Pays for going through a file, for the tag in `file` at `span`.
    fn pay(&mut self, file: usize, span: TemplateSpan, target: usize) -> Written {
        self.account.spend(file, span, self.file_text(target).len().saturating_add(TAG_WORK))
    }
}
