//! Assembles a Handlebars template and its partials into one text before it is parsed.
//!
//! The result contains no partials, and every position in it leads back to its file. Partials of
//! files, inline partials (`{{#*inline "name"}}`) and blocks of partials (`{{> @partial-block}}`)
//! are written where they are named. Whether a tag is standalone, which means alone in its line, is
//! decided by its own file. If the tag is not alone in the assembled text, its line is removed
//! here, and a comment `{{!}}` prevents it from removing other white space.
//!
//! For example, with the lines `x`, `{{#if y}}`, `z` and `{{/if}}` in `part.handlebars`, and with
//! `  {{> part}}` as a line of the template, the result has the lines `  x`, `{{#if y}}`, `  z` and
//! `{{/if}}`.
//!
//! `HandlebarsWriter::write_body` writes a file or the content of a block. For each partial it
//! calls `HandlebarsWriter::write_partial`, which finds the body that the name means with
//! `HandlebarsWriter::resolve`, and writes that body in place of the tag.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::pieces::{self, HandlebarsTag, HandlebarsTagKind, MAX_BLOCKS, Piece, pieces};
use crate::SyntaxError;
use crate::assembly::library::{FileLibrary, FileLookup, LoadedFile, refusal_finding};
use crate::assembly::work::{ReportedError, WorkAccount, WriteResult};
use crate::assembly::{AssembledTemplate, Refusal, TemplateFile, in_file};
use crate::assembly::{MAX_DEPTH, TAG_WORK};
use crate::tree::Name;
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};
use prompty_core::message::marker_line::match_line;

/// The extension of a partial's file, if its name has none.
const ENDING: &str = ".handlebars";
/// The name of the block that is passed to a partial.
const BLOCK: &str = "@partial-block";
/// The work for each inline partial that is made available in one more body.
const NAME_WORK: usize = 64;
/// A comment that prevents the tag before it from being standalone.
const GUARD: &str = "{{!}}";

/// Assembles the template in the range `body` of a text. `load` returns the file of a relative
/// name, without `.` and `..` components. `{{> rules}}` names `rules.handlebars`; a name with a dot
/// is the name of the file itself.
///
/// A template that cannot be parsed is returned unchanged. The next reader reports the error.
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
) -> AssembledTemplate {
    let main = TemplateFile { source: source.clone(), body };
    let read = |source: SourceText| (source, Ok(()));
    let template = LoadedFile::read_main(&main, &read);
    let file = template.as_ref().and_then(|template| HandlebarsFile::read(0, &template.source));
    let (Some(template), Some(file)) = (template, file.filter(HandlebarsFile::has_partials)) else {
        return AssembledTemplate::unchanged(&main, None);
    };
    let pieces = 0..file.pieces.len();
    let mut writer = HandlebarsWriter {
        files: vec![Rc::new(file)],
        library: FileLibrary::new(template, &read, load),
        builder: main.copy_before_template(),
        ending: TextEnding::Blank,
        account: WorkAccount::default(),
        depth: 0,
        blocks: 0,
        known: vec![Rc::default()],
    };
    let complete = PartialBody { file: 0, pieces, place: BodyContext { call: 0, block: None } };
    let mut line = OutputLine { is_due: true, ..OutputLine::default() };
    let is_written = writer.write_body(&complete, &mut line).is_ok();
    let HandlebarsWriter { library, builder, account, .. } = writer;
    let mut findings = library.files.findings.clone();
    findings.extend(account.findings);
    library.files.assembled(&main, is_written.then_some(builder), findings)
}

/// A file of a template.
struct HandlebarsFile {
    /// Its index among the files.
    index: usize,
    /// The template's text, without what precedes it.
    source: SourceText,
    pieces: Vec<Piece>,
    /// For each tag that opens a block, the index of the tag that closes it.
    closers: BTreeMap<usize, usize>,
}

impl HandlebarsFile {
    /// Reads a file. `None` if it has a syntax error or a block that is not closed.
    fn read(index: usize, source: &SourceText) -> Option<Self> {
        let pieces = pieces(source.text()).ok()?;
        let mut closers = BTreeMap::new();
        let mut open = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let Piece::Tag(tag) = piece else { continue };
            match tag.kind {
                HandlebarsTagKind::Close => {
                    closers.insert(open.pop()?, index);
                }
                _ if opens(source.text(), tag) => open.push(index),
                _ => {}
            }
        }
        open.is_empty().then(|| Self { index, source: source.clone(), pieces, closers })
    }

    fn has_partials(&self) -> bool {
        self.pieces.iter().any(|piece| {
            let Piece::Tag(HandlebarsTag { kind, .. }) = piece else { return false };
            matches!(
                kind,
                HandlebarsTagKind::Partial
                    | HandlebarsTagKind::PartialBlock
                    | HandlebarsTagKind::Decorator
            )
        })
    }

    #[expect(clippy::string_slice, reason = "the pieces and their tags were found in this source")]
    fn text(&self, span: TemplateSpan) -> &str {
        &self.source.text()[span.start..span.end]
    }
}

/// Whether a tag opens a block.
fn opens(text: &str, tag: &HandlebarsTag) -> bool {
    match tag.kind {
        HandlebarsTagKind::Open | HandlebarsTagKind::Inverted | HandlebarsTagKind::PartialBlock => {
            true
        }
        HandlebarsTagKind::Decorator => {
            let sign = TemplateSpan::new(tag.span.start, tag.content.start).text_in(text);
            sign.is_some_and(|sign| sign.contains('#'))
        }
        _ => false,
    }
}

/// The pieces that are written in place of a tag: a part of a file, with the meaning of the names
/// in it.
struct PartialBody {
    file: usize,
    pieces: Range<usize>,
    place: BodyContext,
}

/// The context that determines what the names of partials in a body mean.
///
/// A *file call* is a file that is written for one `{{> file}}`. The template itself is the file
/// call 0. A partial sees the inline partials of the place that calls it, so a file that is called
/// twice may see different ones. With `{{> head}}-{{> @partial-block}}` in `layout`, the template
/// `{{#> layout}}{{#*inline "head"}}H{{/inline}}B{{/layout}}` is written as `H-B`:
///
/// | name | means | in the file call |
/// |---|---|---|
/// | `layout` | the file, which becomes the file call 1 | 0 |
/// | `head` | the inline partial, which the block passes to the file call 1 | 1 |
/// | `@partial-block` | the block, whose names are those of the file call 0 again | 1 |
#[derive(Clone)]
struct BodyContext {
    /// The index of the file call that contains it, whose inline partials are available.
    call: usize,
    /// The block that is passed to the enclosing partial.
    block: Option<Rc<PartialBody>>,
}

/// An inline partial. It can use the inline partials that are available in its file.
#[derive(Clone)]
struct InlinePartial {
    /// The tag that declares it.
    tag: TemplateSpan,
    file: usize,
    pieces: Range<usize>,
    /// The index of the file call in which it is declared.
    call: usize,
}

/// The available inline partials, by name.
type InlinePartials = BTreeMap<Rc<str>, InlinePartial>;

/// The current output line of a partial.
#[derive(Clone, Default)]
struct OutputLine {
    indentation: String,
    /// Whether a line begins whose indentation is not written yet.
    is_due: bool,
}

/// The end of the text that was written so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextEnding {
    /// A line that contains only blanks so far.
    Blank,
    /// A literal backslash.
    Backslash,
    Other,
}

/// Writes the assembled text.
struct HandlebarsWriter<'l> {
    /// The files in the library, in the same order.
    files: Vec<Rc<HandlebarsFile>>,
    library: FileLibrary<'l, ()>,
    builder: SourceBuilder,
    ending: TextEnding,
    account: WorkAccount,
    /// The nesting depth of partials.
    depth: usize,
    /// The nesting depth of blocks.
    blocks: usize,
    /// The inline partials of each file call that is being written. The first is the template.
    known: Vec<Rc<InlinePartials>>,
}

impl HandlebarsWriter<'_> {
    /// Writes pieces of a file: a template, a partial, or the body of a block.
    fn write_body(&mut self, body: &PartialBody, line: &mut OutputLine) -> WriteResult {
        let Some(file) = self.files.get(body.file).map(Rc::clone) else { return Ok(()) };
        let call = body.place.call;
        // The inline partials of a body are available only in it, also before their tags.
        let own = self.find_inlines(&file, body.pieces.clone(), call)?;
        let outer = self.known.get(call).cloned().unwrap_or_default();
        let inner = self.merge(body.file, &outer, own)?;
        self.set_known(call, inner);
        self.write_pieces(body, &file, line)?;
        self.set_known(call, outer);
        Ok(())
    }

    fn write_pieces(
        &mut self,
        body: &PartialBody,
        file: &HandlebarsFile,
        line: &mut OutputLine,
    ) -> WriteResult {
        let mut next = body.pieces.start;
        let mut is_raw = false;
        while next < body.pieces.end {
            let Some(piece) = file.pieces.get(next) else { break };
            // The content of a block, up to its closing tag; empty for any other piece.
            let inner = next + 1..file.closers.get(&next).copied().unwrap_or(next + 1);
            next += 1;
            let tag = match piece {
                Piece::Text(span) => {
                    self.write_text(file, *span, is_raw, line)?;
                    continue;
                }
                Piece::Tag(tag) => tag,
            };
            self.pay(file.index, tag.span)?;
            match tag.kind {
                HandlebarsTagKind::Partial => self.write_partial(body, file, tag, None, line)?,
                HandlebarsTagKind::PartialBlock => {
                    next = inner.end + 1;
                    self.write_partial(body, file, tag, Some(inner), line)?;
                }
                // `find_inlines` has read this tag.
                HandlebarsTagKind::Decorator => next = inner.end + 1,
                // The closing tag is the next piece, and is written like any other tag.
                _ if opens(file.source.text(), tag) => {
                    next = inner.end;
                    self.write_tag(file, tag, line);
                    let inner =
                        PartialBody { file: file.index, pieces: inner, place: body.place.clone() };
                    self.write_block(&inner, tag.span, line)?;
                }
                _ => {
                    is_raw = tag.kind == HandlebarsTagKind::RawOpen;
                    self.write_tag(file, tag, line);
                }
            }
        }
        Ok(())
    }

    /// Writes the content of a block.
    fn write_block(
        &mut self,
        body: &PartialBody,
        tag: TemplateSpan,
        line: &mut OutputLine,
    ) -> WriteResult {
        if self.blocks >= MAX_BLOCKS {
            let error = SyntaxError::nested_too_deep(tag, "blocks", MAX_BLOCKS);
            return Err(self.account.report(body.file, error.into_finding()));
        }
        self.blocks += 1;
        self.write_body(body, line)?;
        self.blocks -= 1;
        Ok(())
    }

    /// Returns the inline partials of a body, at any position, but not those in its blocks.
    fn find_inlines(
        &mut self,
        file: &HandlebarsFile,
        range: Range<usize>,
        call: usize,
    ) -> Result<Vec<(Rc<str>, InlinePartial)>, ReportedError> {
        let index = file.index;
        let mut found = Vec::new();
        let mut next = range.start;
        while next < range.end {
            let closer = file.closers.get(&next).copied();
            if let Some(Piece::Tag(tag)) = file.pieces.get(next)
                && tag.kind == HandlebarsTagKind::Decorator
            {
                let name = inline_name(file.text(tag.content));
                let (Some(name), Some(closer)) = (name, closer) else {
                    let message = "unknown decorator";
                    let help = "write `{{#*inline \"name\"}}…{{/inline}}`";
                    return Err(self.account.unsupported(index, tag.span, message, help));
                };
                let pieces = next + 1..closer;
                found.push((
                    name.into(),
                    InlinePartial { tag: tag.span, file: index, pieces, call },
                ));
            }
            next = closer.unwrap_or(next) + 1;
        }
        Ok(found)
    }

    /// Adds inline partials to others, and replaces those with the same name.
    fn merge(
        &mut self,
        index: usize,
        known: &Rc<InlinePartials>,
        own: Vec<(Rc<str>, InlinePartial)>,
    ) -> Result<Rc<InlinePartials>, ReportedError> {
        let Some((_, first)) = own.first() else { return Ok(Rc::clone(known)) };
        let names = known.len().saturating_add(own.len());
        self.account.spend(index, first.tag, names.saturating_mul(NAME_WORK))?;
        let mut merged = InlinePartials::clone(known);
        merged.extend(own);
        Ok(Rc::new(merged))
    }

    /// Sets the available inline partials of a file call.
    fn set_known(&mut self, call: usize, inlines: Rc<InlinePartials>) {
        if let Some(known) = self.known.get_mut(call) {
            *known = inlines;
        }
    }

    /// Writes the partial for `{{> name}}`, or for `{{#> name}}` with its block.
    fn write_partial(
        &mut self,
        body: &PartialBody,
        file: &HandlebarsFile,
        tag: &HandlebarsTag,
        block: Option<Range<usize>>,
        line: &mut OutputLine,
    ) -> WriteResult {
        let index = body.file;
        let (name, context) = match parse_partial(file.text(tag.content), tag.content.start) {
            Ok(found) => found,
            Err(finding) => return Err(self.account.report(index, *finding)),
        };
        if self.depth >= MAX_DEPTH {
            let message = format!("partials are nested more than {MAX_DEPTH} levels deep");
            let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
            let help = "if a partial includes itself, write a loop over a list instead";
            return Err(self.account.report(index, finding.with_help(help)));
        }
        let place = body.place.clone();
        let block = block.map(|pieces| Rc::new(PartialBody { file: index, pieces, place }));
        // `resolve` may add the inline partials of one more file call.
        let calls = self.known.len();
        let Some(called) = self.resolve(body, file, &name, block)? else { return Ok(()) };
        let mut inner = OutputLine::default();
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
        self.write_body(&called, &mut inner)?;
        self.depth -= 1;
        self.known.truncate(calls);
        if let Some(context) = context {
            self.write(file, &format!("{{{{/with}}}}{GUARD}"), context);
        }
        line.is_due = tag.line.is_some();
        Ok(())
    }

    /// Resolves the name of a partial: an inline partial, the block of the enclosing partial, or a
    /// file. If there is none, the block of this call is used.
    fn resolve(
        &mut self,
        body: &PartialBody,
        file: &HandlebarsFile,
        name: &Name,
        block: Option<Rc<PartialBody>>,
    ) -> Result<Option<Rc<PartialBody>>, ReportedError> {
        let index = body.file;
        // A call without its own block passes on the block of the enclosing partial.
        let outer = body.place.block.clone();
        if name.text == BLOCK {
            return Ok(outer);
        }
        let known = self.known.get(body.place.call).cloned().unwrap_or_default();
        if let Some(InlinePartial { file, pieces, call, .. }) =
            known.get(name.text.as_str()).cloned()
        {
            let place = BodyContext { call, block: block.or(outer) };
            return Ok(Some(Rc::new(PartialBody { file, pieces, place })));
        }
        let Some(found) = self.find_file(index, name, block.is_some())? else { return Ok(block) };
        // The inline partials in the block of the call are available in the file.
        let known = match &block {
            Some(block) => {
                let own = self.find_inlines(file, block.pieces.clone(), body.place.call)?;
                self.merge(index, &known, own)?
            }
            None => known,
        };
        let pieces = 0..self.files.get(found).map_or(0, |file| file.pieces.len());
        let place = BodyContext { call: self.known.len(), block: block.or(outer) };
        self.known.push(known);
        Ok(Some(Rc::new(PartialBody { file: found, pieces, place })))
    }

    /// Looks up a file. `None` if it does not exist and may be missing.
    fn find_file(
        &mut self,
        index: usize,
        name: &Name,
        may_be_missing: bool,
    ) -> Result<Option<usize>, ReportedError> {
        let found = match self.library.find_partial(index, name, ENDING) {
            FileLookup::File(found) if self.library.files.findings.is_empty() => found,
            FileLookup::Missing(_) if may_be_missing => return Ok(None),
            FileLookup::Missing(reason) => {
                return Err(self.account.report(index, refusal_finding(name.span, reason)));
            }
            FileLookup::File(_) | FileLookup::Reported => return Err(ReportedError),
        };
        if let (None, Some(source)) = (self.files.get(found), self.library.files.source(found)) {
            let Some(file) = HandlebarsFile::read(found, source) else {
                let message = format!("the partial `{}` is not a complete template", name.text);
                let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
                let help = "close each tag and each block in the same file";
                return Err(self.account.report(index, finding.with_help(help)));
            };
            self.files.push(Rc::new(file));
        }
        Ok(Some(found))
    }

    /// Writes a tag in a way that it is not standalone, unless it is alone in its line in the
    /// output too.
    fn write_tag(&mut self, file: &HandlebarsFile, tag: &HandlebarsTag, line: &mut OutputLine) {
        if tag.kind == HandlebarsTagKind::Output {
            self.begin_line(file, tag.span, line);
        }
        // A backslash before a tag would make it text, so it is written twice.
        if self.ending == TextEnding::Backslash {
            self.write(file, "\\", tag.span);
        }
        let own = tag
            .line
            .filter(|own| self.ending == TextEnding::Blank && file.text(own.after).ends_with('\n'));
        if let Some(pieces::TagLine { before, after }) = own {
            for span in [before, tag.span, after] {
                self.builder.copy(&file.source, in_file(span));
            }
            line.is_due = true;
            return;
        }
        self.builder.copy(&file.source, in_file(tag.span));
        self.ending = TextEnding::Other;
        // The line of a standalone tag is not written, so a new line of the file begins after it.
        line.is_due |= tag.line.is_some();
        if tag.kind.may_be_standalone()
            && !matches!(tag.kind, HandlebarsTagKind::RawOpen | HandlebarsTagKind::RawClose)
        {
            self.write(file, GUARD, tag.span);
        }
    }

    /// Writes a literal text, with the indentation before each line.
    fn write_text(
        &mut self,
        file: &HandlebarsFile,
        span: TemplateSpan,
        is_raw: bool,
        line: &mut OutputLine,
    ) -> WriteResult {
        self.pay(file.index, span)?;
        let text = file.text(span);
        // The file has a backslash before these braces, which `pieces` has removed. Without it, the
        // braces would open a tag of the assembled text.
        if text.starts_with("{{") && !is_raw {
            self.begin_line(file, span, line);
            self.write(file, "\\", span);
        }
        let mut start = span.start;
        for part in text.split_inclusive('\n') {
            let place = TemplateSpan::new(start, start + part.len());
            start = place.end;
            if match_line(part.trim_end_matches('\n')).is_some() && line.is_due {
                // A role marker is not indented, and keeps its own line.
                line.is_due = false;
                if self.ending != TextEnding::Blank {
                    self.write(file, "\n", place);
                }
            }
            self.begin_line(file, place, line);
            self.builder.copy(&file.source, in_file(place));
            line.is_due = part.ends_with('\n');
            let is_blank = part.trim().is_empty() && self.ending == TextEnding::Blank;
            let ends_in_backslash = part.ends_with('\\') && !is_raw;
            self.ending = match () {
                () if line.is_due || is_blank => TextEnding::Blank,
                () if ends_in_backslash => TextEnding::Backslash,
                () => TextEnding::Other,
            };
        }
        Ok(())
    }

    /// Writes the indentation, if a line begins.
    fn begin_line(&mut self, file: &HandlebarsFile, cause: TemplateSpan, line: &mut OutputLine) {
        if std::mem::take(&mut line.is_due) && !line.indentation.is_empty() {
            let indentation = line.indentation.clone();
            self.write(file, &indentation, cause);
        }
    }

    fn write(&mut self, file: &HandlebarsFile, text: &str, cause: TemplateSpan) {
        self.builder.write(text, &file.source, in_file(cause));
        let is_blank = text.trim().is_empty() && self.ending == TextEnding::Blank;
        if !is_blank {
            self.ending = if text.ends_with('\n') { TextEnding::Blank } else { TextEnding::Other };
        }
    }

    /// Counts the work for a piece, and checks the length of the output.
    fn pay(&mut self, index: usize, span: TemplateSpan) -> WriteResult {
        let length = span.end - span.start;
        self.account.spend(index, span, length.saturating_add(TAG_WORK))?;
        let written = self.builder.len().saturating_add(length);
        self.account.check_length(index, span, written)
    }
}

/// Returns the name that a decorator `inline "name"` declares.
fn inline_name(content: &str) -> Option<String> {
    let name = content.trim().strip_prefix("inline")?.trim();
    let quote = name.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    name.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned)
}

/// Returns the name in a partial's tag, and the span of the value that is passed to it: `rules` and
/// the span of `user` for `{{> rules user}}`. `start` is the start of `content`.
fn parse_partial(
    content: &str,
    start: usize,
) -> Result<(Name, Option<TemplateSpan>), Box<Diagnostic<TemplateSpan>>> {
    let trimmed = content.trim_start();
    let name_start = start + content.len() - trimmed.len();
    let (name, rest) = split_name(trimmed);
    let name_end = name_start + trimmed.len() - rest.len();
    let span = TemplateSpan::new(name_start, name_end.max(name_start + 1));
    let wrong = |message: &str, span: TemplateSpan, help: &str| {
        let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(span);
        Err(Box::new(finding.with_help(help)))
    };
    if name.starts_with('(') {
        let help =
            "write the name literally; to choose between partials, write an `if` around each tag";
        return wrong("the name of a partial is computed", span, help);
    }
    if name.is_empty() {
        return wrong("missing name of a partial", span, "write the name after the `>`");
    }
    let value = rest.trim();
    let value_start = name_end + rest.len() - rest.trim_start().len();
    let value_span = TemplateSpan::new(value_start, value_start + value.len());
    if value.contains('=') {
        let help = "pass a single value to the partial: `{{> name value}}`";
        return wrong("a partial does not accept named arguments", value_span, help);
    }
    if value.contains(char::is_whitespace) && !value.starts_with('(') {
        return wrong(
            "a partial accepts a single value",
            value_span,
            "put a call of a helper in parentheses",
        );
    }
    Ok((Name::new(name, span), (!value.is_empty()).then_some(value_span)))
}

/// Splits off the name of a partial: `rules`, `"rules.txt"` or `[rules]`. Returns it with the
/// remaining text.
fn split_name(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => split_enclosed(text, quote),
        Some('[') => split_enclosed(text, ']'),
        _ => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// Returns the text between the first character and `end`, and the remaining text.
fn split_enclosed(text: &str, end: char) -> (&str, &str) {
    let mut inner = text.chars();
    inner.next();
    inner.as_str().split_once(end).unwrap_or((inner.as_str(), ""))
}
