//! From a Handlebars template and its partials to one text, before anything else reads the template.
//!
//! What comes out has no partials, and every place in it leads back to the file that it came from: partials
//! of files, inline partials (`{{#*inline "name"}}`) and blocks that partials write (`{{> @partial-block}}`)
//! stand where they are named. Whether a tag has its line for itself is decided in its own file: where it comes to
//! stand beside other text, its line is left out here, and a comment `{{!}}` keeps it from taking anything else.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::pieces::{self, MAX_BLOCKS, Piece, Tag, TagKind, pieces};
use crate::assembly::library::{Answer, Library, refused};
use crate::assembly::partials;
use crate::assembly::work::{Account, Reported, Written};
use crate::assembly::{Assembled, Refusal, TemplateFile, in_file, with_places};
use crate::assembly::{MAX_DEPTH, TAG_WORK};
use crate::tree::Name;
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};
use prompty_core::message::marker_line::match_line;

/// The ending of a partial's file, where its name has none.
const ENDING: &str = ".handlebars";
/// The name of the block that a partial is called with.
const BLOCK: &str = "@partial-block";
/// What it costs that one more body knows an inline partial.
const NAME_WORK: usize = 64;
/// Keeps the tag before it from having its line for itself.
const GUARD: &str = "{{!}}";

/// Makes one text of the template that stands in the range `body` of a text. `load` gives the file of a
/// name, which is relative, without `.` and `..`: `{{> rules}}` asks for `rules.handlebars`, and a name
/// with a dot is that of the file.
///
/// A template that cannot be read comes back as it was: whoever reads it next says what is wrong.
///
/// ```
/// use prompty_core::diagnostic::SourceText;
/// use prompty_template::handlebars::assembly::assemble;
/// use prompty_template::assembly::TemplateFile;
///
/// let main = SourceText::new("main", "Rules:\n  {{> rules}}\nBye\n");
/// let rules = SourceText::new("rules.handlebars", "- {{first}}\n- Be brief.\n");
/// let assembled = assemble(&main, main.span(), &mut |name| {
///     assert_eq!(name, "rules.handlebars");
///     Ok(TemplateFile { source: rules.clone(), body: rules.span() })
/// });
/// assert_eq!(assembled.source.text(), "Rules:\n  - {{first}}\n  - Be brief.\nBye\n");
/// ```
pub fn assemble(
    source: &SourceText,
    body: SourceSpan,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Assembled {
    let main = TemplateFile { source: source.clone(), body };
    let Some(file) = File::read(0, &main).filter(File::has_partials) else {
        return Assembled::unchanged(&main, None);
    };
    let mut builder = SourceBuilder::new(source.name());
    builder.copy(source, SourceSpan::new(0, body.start));
    let end = file.pieces.len();
    let mut writer = Writer {
        files: vec![Rc::new(file)],
        library: Library::new(load),
        builder,
        written: Ending::Blank,
        account: Account::default(),
        depth: 0,
        blocks: 0,
        known: vec![Rc::default()],
    };
    let whole = Body { file: 0, pieces: 0..end, place: Place { call: 0, block: None } };
    let is_written = writer.body(&whole, &mut Line { is_due: true, ..Line::default() }).is_ok();
    let Writer { files, builder, account: Account { findings, .. }, .. } = writer;
    let source_of = |file: usize| files.get(file).map(|file| &file.source);
    if is_written {
        let body = SourceSpan::new(body.start, builder.len());
        let (source, findings) = with_places(builder, source_of, findings);
        return Assembled { source, body, findings, is_whole: true, template: None };
    }
    Assembled::failed(&main, source_of, findings)
}

/// A file of a template.
struct File {
    /// Its place among the files.
    index: usize,
    /// The template's text alone.
    source: SourceText,
    pieces: Vec<Piece>,
    /// For each tag that opens a block, the tag that closes it.
    closers: BTreeMap<usize, usize>,
}

impl File {
    /// Reads a file; `None` if it is no template whose blocks are closed.
    fn read(index: usize, given: &TemplateFile) -> Option<Self> {
        let mut builder = SourceBuilder::new(given.source.name());
        builder.copy(&given.source, given.body);
        let source = builder.finish();
        let pieces = pieces(source.text()).ok()?;
        let mut closers = BTreeMap::new();
        let mut open = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let Piece::Tag(tag) = piece else { continue };
            match tag.kind {
                TagKind::Close => {
                    closers.insert(open.pop()?, index);
                }
                _ if opens(source.text(), tag) => open.push(index),
                _ => {}
            }
        }
        open.is_empty().then_some(Self { index, source, pieces, closers })
    }

    fn has_partials(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Tag(tag) => {
                matches!(tag.kind, TagKind::Partial | TagKind::PartialBlock | TagKind::Decorator)
            }
            Piece::Text(_) => false,
        })
    }

    #[expect(clippy::string_slice, reason = "the pieces and their tags were found in this source")]
    fn text(&self, span: TemplateSpan) -> &str {
        &self.source.text()[span.start..span.end]
    }
}

/// Whether a tag opens a block.
fn opens(text: &str, tag: &Tag) -> bool {
    match tag.kind {
        TagKind::Open | TagKind::Inverted | TagKind::PartialBlock => true,
        TagKind::Decorator => {
            let sign = TemplateSpan::new(tag.span.start, tag.content.start).text_in(text);
            sign.is_some_and(|sign| sign.contains('#'))
        }
        _ => false,
    }
}

/// Pieces that stand in the place of a tag.
struct Body {
    file: usize,
    pieces: Range<usize>,
    place: Place,
}

/// Where a body is written, as far as it decides what names of partials stand for.
#[derive(Clone)]
struct Place {
    /// The call of a file that it belongs to: the inline partials of that call are known.
    call: usize,
    /// The block that the partial around is called with.
    block: Option<Rc<Body>>,
}

/// An inline partial. It knows what the call of its own file knows where it is written.
#[derive(Clone)]
struct Inline {
    /// The tag that declares it.
    tag: TemplateSpan,
    file: usize,
    pieces: Range<usize>,
    call: usize,
}

/// The inline partials that are known, by their names.
type Inlines = BTreeMap<Rc<str>, Inline>;

/// What the lines of a partial begin with.
#[derive(Clone, Default)]
struct Line {
    indentation: String,
    /// Whether a line begins, and its indentation is not written yet.
    is_due: bool,
}

/// What the text ends with so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// A line of which nothing is written yet but blanks.
    Blank,
    /// A backslash that is text.
    Backslash,
    Other,
}

struct Writer<'l> {
    files: Vec<Rc<File>>,
    library: Library<'l>,
    builder: SourceBuilder,
    written: Ending,
    account: Account,
    /// How many partials are around.
    depth: usize,
    /// How many blocks are around.
    blocks: usize,
    /// What inline partials each call of a file knows that is being written; the first is the template.
    known: Vec<Rc<Inlines>>,
}

impl Writer<'_> {
    /// Writes pieces of a file: a template, a partial, or the body of a block.
    fn body(&mut self, body: &Body, line: &mut Line) -> Written {
        let Some(file) = self.files.get(body.file).map(Rc::clone) else { return Ok(()) };
        let call = body.place.call;
        let own = self.inlines(&file, body.pieces.clone(), call)?;
        let outer = self.known.get(call).cloned().unwrap_or_default();
        let inner = self.joined(body.file, &outer, own)?;
        self.know(call, inner);
        self.pieces(body, &file, line)?;
        self.know(call, outer);
        Ok(())
    }

    fn pieces(&mut self, body: &Body, file: &File, line: &mut Line) -> Written {
        let mut next = body.pieces.start;
        let mut is_raw = false;
        while next < body.pieces.end {
            let Some(piece) = file.pieces.get(next) else { break };
            let inner = next + 1..file.closers.get(&next).copied().unwrap_or(next + 1);
            next += 1;
            let tag = match piece {
                Piece::Text(span) => {
                    self.text(file, *span, is_raw, line)?;
                    continue;
                }
                Piece::Tag(tag) => tag,
            };
            self.pay(file.index, tag.span)?;
            match tag.kind {
                TagKind::Partial => self.partial(body, file, tag, None, line)?,
                TagKind::PartialBlock => {
                    next = inner.end + 1;
                    self.partial(body, file, tag, Some(inner), line)?;
                }
                // `inlines` has read it.
                TagKind::Decorator => next = inner.end + 1,
                _ if opens(file.source.text(), tag) => {
                    next = inner.end;
                    self.tag(file, tag, line);
                    let inner = Body { file: file.index, pieces: inner, place: body.place.clone() };
                    self.block(&inner, tag.span, line)?;
                }
                _ => {
                    is_raw = tag.kind == TagKind::RawOpen;
                    self.tag(file, tag, line);
                }
            }
        }
        Ok(())
    }

    /// What stands in a block that stays one.
    fn block(&mut self, body: &Body, tag: TemplateSpan, line: &mut Line) -> Written {
        if self.blocks >= MAX_BLOCKS {
            let message = format!("blocks lie deeper than {MAX_BLOCKS} levels in each other");
            let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(tag);
            let help = "put what lies deepest into an input, or prepare it before it is rendered";
            return Err(self.account.report(body.file, finding.with_help(help)));
        }
        self.blocks += 1;
        self.body(body, line)?;
        self.blocks -= 1;
        Ok(())
    }

    /// The inline partials that stand in a body, wherever they do.
    fn inlines(
        &mut self,
        file: &File,
        range: Range<usize>,
        call: usize,
    ) -> Result<Vec<(Rc<str>, Inline)>, Reported> {
        let index = file.index;
        let mut found = Vec::new();
        let mut next = range.start;
        while next < range.end {
            let closer = file.closers.get(&next).copied();
            if let Some(Piece::Tag(tag)) = file.pieces.get(next)
                && tag.kind == TagKind::Decorator
            {
                let name = inline_name(file.text(tag.content));
                let (Some(name), Some(closer)) = (name, closer) else {
                    let message = "Handlebars has one decorator here: `inline`";
                    let help = "write `{{#*inline \"name\"}}…{{/inline}}`";
                    return Err(self.account.unsupported(index, tag.span, message, help));
                };
                let pieces = next + 1..closer;
                found.push((name.into(), Inline { tag: tag.span, file: index, pieces, call }));
            }
            next = closer.unwrap_or(next) + 1;
        }
        Ok(found)
    }

    /// Inline partials with others, which come first where both have a name.
    fn joined(
        &mut self,
        index: usize,
        known: &Rc<Inlines>,
        own: Vec<(Rc<str>, Inline)>,
    ) -> Result<Rc<Inlines>, Reported> {
        let Some((_, first)) = own.first() else { return Ok(Rc::clone(known)) };
        let names = known.len().saturating_add(own.len());
        self.account.spend(index, first.tag, names.saturating_mul(NAME_WORK))?;
        let mut joined = Inlines::clone(known);
        joined.extend(own);
        Ok(Rc::new(joined))
    }

    /// Sets what a call of a file knows.
    fn know(&mut self, call: usize, inlines: Rc<Inlines>) {
        if let Some(known) = self.known.get_mut(call) {
            *known = inlines;
        }
    }

    /// `{{> name}}`, or `{{#> name}}` with what stands in it.
    fn partial(
        &mut self,
        body: &Body,
        file: &File,
        tag: &Tag,
        block: Option<Range<usize>>,
        line: &mut Line,
    ) -> Written {
        let index = body.file;
        let (name, context) = match target(file.text(tag.content), tag.content.start) {
            Ok(found) => found,
            Err(finding) => return Err(self.account.report(index, *finding)),
        };
        if self.depth >= MAX_DEPTH {
            let message = format!("partials lie deeper than {MAX_DEPTH} levels in each other");
            let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
            let help = "a partial that names itself has no end: write a loop over a list instead";
            return Err(self.account.report(index, finding.with_help(help)));
        }
        let place = body.place.clone();
        let block = block.map(|pieces| Rc::new(Body { file: index, pieces, place }));
        let calls = self.known.len();
        let Some(called) = self.called(body, file, &name, block)? else { return Ok(()) };
        let mut inner = Line::default();
        if let Some(own) = tag.line {
            inner.indentation = format!("{}{}", line.indentation, file.text(own.before));
            inner.is_due = true;
        } else {
            self.begin_line(file, tag.span, line);
        }
        if let Some(context) = context {
            self.write(file, &format!("{{{{#with {}}}}}{GUARD}", file.text(context)), context);
        }
        self.depth += 1;
        self.body(&called, &mut inner)?;
        self.depth -= 1;
        self.known.truncate(calls);
        if let Some(context) = context {
            self.write(file, &format!("{{{{/with}}}}{GUARD}"), context);
        }
        line.is_due = tag.line.is_some();
        Ok(())
    }

    /// What a name stands for: an inline partial, the block of the call around, a file, or else the block
    /// of this call.
    fn called(
        &mut self,
        body: &Body,
        file: &File,
        name: &Name,
        block: Option<Rc<Body>>,
    ) -> Result<Option<Rc<Body>>, Reported> {
        let index = body.file;
        let around = body.place.block.clone();
        if name.text == BLOCK {
            return Ok(around);
        }
        let known = self.known.get(body.place.call).cloned().unwrap_or_default();
        if let Some(Inline { file, pieces, call, .. }) = known.get(name.text.as_str()).cloned() {
            let place = Place { call, block: block.or(around) };
            return Ok(Some(Rc::new(Body { file, pieces, place })));
        }
        let Some(found) = self.file(index, name, block.is_some())? else { return Ok(block) };
        // What the block of the call declares, the file knows.
        let known = match &block {
            Some(block) => {
                let own = self.inlines(file, block.pieces.clone(), body.place.call)?;
                self.joined(index, &known, own)?
            }
            None => known,
        };
        let pieces = 0..self.files.get(found).map_or(0, |file| file.pieces.len());
        let place = Place { call: self.known.len(), block: block.or(around) };
        self.known.push(known);
        Ok(Some(Rc::new(Body { file: found, pieces, place })))
    }

    /// The file of a name; `None` if it is missing and may be.
    fn file(
        &mut self,
        index: usize,
        name: &Name,
        may_be_missing: bool,
    ) -> Result<Option<usize>, Reported> {
        let free = self.files.len();
        let known = self.files.iter().map(|file| &file.source);
        match partials::find(&mut self.library, name, ENDING, known) {
            Answer::Known(index) => Ok(Some(index)),
            Answer::New { file, .. } => match File::read(free, &file) {
                Some(read) => {
                    self.files.push(Rc::new(read));
                    Ok(Some(free))
                }
                None => {
                    let message = format!("the partial `{}` is no template by itself", name.text);
                    let finding =
                        Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
                    let help = "close each tag and each block in the file that opens it";
                    Err(self.account.report(index, finding.with_help(help)))
                }
            },
            Answer::Broken { file: broken, .. } => {
                let (source, pieces, closers) = (broken.source, Vec::new(), BTreeMap::new());
                let read = File { index: free, source, pieces, closers };
                self.files.push(Rc::new(read));
                self.account.findings.push_broken(free, broken.finding);
                Err(Reported)
            }
            Answer::Missing(_) if may_be_missing => Ok(None),
            Answer::Missing(reason) => Err(self.account.report(index, refused(name.span, reason))),
            Answer::Wrong(finding) => Err(self.account.report(index, *finding)),
            Answer::Reported => Err(Reported),
        }
    }

    /// Writes a tag, so that it has no line for itself.
    fn tag(&mut self, file: &File, tag: &Tag, line: &mut Line) {
        if tag.kind == TagKind::Output {
            self.begin_line(file, tag.span, line);
        }
        if self.written == Ending::Backslash {
            self.write(file, "\\", tag.span);
        }
        let own = tag
            .line
            .filter(|own| self.written == Ending::Blank && file.text(own.behind).ends_with('\n'));
        if let Some(pieces::Line { before, behind }) = own {
            for span in [before, tag.span, behind] {
                self.builder.copy(&file.source, in_file(span));
            }
            line.is_due = true;
            return;
        }
        self.builder.copy(&file.source, in_file(tag.span));
        self.written = Ending::Other;
        line.is_due |= tag.line.is_some();
        if tag.kind.may_stand_alone() && !matches!(tag.kind, TagKind::RawOpen | TagKind::RawClose) {
            self.write(file, GUARD, tag.span);
        }
    }

    fn text(&mut self, file: &File, span: TemplateSpan, is_raw: bool, line: &mut Line) -> Written {
        self.pay(file.index, span)?;
        let text = file.text(span);
        if text.starts_with("{{") && !is_raw {
            self.begin_line(file, span, line);
            self.write(file, "\\", span);
        }
        let mut start = span.start;
        for part in text.split_inclusive('\n') {
            let place = TemplateSpan::new(start, start + part.len());
            start = place.end;
            if match_line(part.trim_end_matches('\n')).is_some() && line.is_due {
                // It is not indented, and keeps its line.
                line.is_due = false;
                if self.written != Ending::Blank {
                    self.write(file, "\n", place);
                }
            }
            self.begin_line(file, place, line);
            self.builder.copy(&file.source, in_file(place));
            line.is_due = part.ends_with('\n');
            let is_blank = part.trim().is_empty() && self.written == Ending::Blank;
            let ends_in_backslash = part.ends_with('\\') && !is_raw;
            self.written = match () {
                () if line.is_due || is_blank => Ending::Blank,
                () if ends_in_backslash => Ending::Backslash,
                () => Ending::Other,
            };
        }
        Ok(())
    }

    /// Writes what a line begins with, if one begins.
    fn begin_line(&mut self, file: &File, cause: TemplateSpan, line: &mut Line) {
        if std::mem::take(&mut line.is_due) && !line.indentation.is_empty() {
            let indentation = line.indentation.clone();
            self.write(file, &indentation, cause);
        }
    }

    fn write(&mut self, file: &File, text: &str, cause: TemplateSpan) {
        self.builder.write(text, &file.source, in_file(cause));
        let is_blank = text.trim().is_empty() && self.written == Ending::Blank;
        if !is_blank {
            self.written = if text.ends_with('\n') { Ending::Blank } else { Ending::Other };
        }
    }

    /// Pays for a piece, and for what was written.
    fn pay(&mut self, index: usize, span: TemplateSpan) -> Written {
        let length = span.end - span.start;
        self.account.spend(index, span, length.saturating_add(TAG_WORK))?;
        let written = self.builder.len().saturating_add(length);
        self.account.check_length(index, span, written)
    }
}

/// The name that a decorator `inline "name"` declares.
fn inline_name(content: &str) -> Option<String> {
    let name = content.trim().strip_prefix("inline")?.trim();
    let quote = name.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    name.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned)
}

/// The name in a partial's tag, and where the value stands that it is given.
fn target(
    content: &str,
    start: usize,
) -> Result<(Name, Option<TemplateSpan>), Box<Diagnostic<TemplateSpan>>> {
    let trimmed = content.trim_start();
    let place = start + content.len() - trimmed.len();
    let (name, rest) = match trimmed.chars().next() {
        Some(quote @ ('"' | '\'')) => enclosed(trimmed, quote),
        Some('[') => enclosed(trimmed, ']'),
        _ => {
            let rest = trimmed.trim_start_matches(|it: char| !it.is_whitespace());
            (trimmed.split(char::is_whitespace).next().unwrap_or(trimmed), rest)
        }
    };
    let length = trimmed.len() - rest.len();
    let span = TemplateSpan::new(place, place + length.max(1));
    let wrong = |message: &str, span: TemplateSpan, help: &str| {
        let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(span);
        Err(Box::new(finding.with_help(help)))
    };
    if name.starts_with('(') {
        let help =
            "write the name itself; to choose between partials, write an `if` around each tag";
        return wrong("the name of a partial cannot be computed", span, help);
    }
    if name.is_empty() {
        return wrong("the tag names no partial", span, "write the name behind the `>`");
    }
    let value = rest.trim();
    let value_start = place + length + rest.len() - rest.trim_start().len();
    let value_span = TemplateSpan::new(value_start, value_start + value.len());
    if value.contains('=') {
        let help = "give the partial one value: `{{> name value}}`";
        return wrong("a partial has no arguments by name", value_span, help);
    }
    if value.contains(char::is_whitespace) && !value.starts_with('(') {
        return wrong("a partial is given one value", value_span, "call a helper in parentheses");
    }
    Ok((Name::new(name, span), (!value.is_empty()).then_some(value_span)))
}

/// What is between the first character and `end`, and what follows.
fn enclosed(text: &str, end: char) -> (&str, &str) {
    let mut inner = text.chars();
    inner.next();
    inner.as_str().split_once(end).unwrap_or((inner.as_str(), ""))
}
