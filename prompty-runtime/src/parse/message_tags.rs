//! Parses a rendered text whose messages are marked by tags.
//!
//! The author's tags are determined before the render, which encloses them in marks with the nonce.
//! All other text is content. So a value is not encoded, keeps its white space, and may contain
//! characters that XML does not allow.
//!
//! A mark is the nonce, a sign for its kind that begins with `<`, the marked text, the nonce, and
//! `>`:
//!
//! ```text
//! <message role="user">Hi {{ name }}!</message>                (the template)
//! NONCE<<message role="user">NONCE>Hi Ada!NONCE<</message>NONCE>  (the rendered text)
//! Tags `<message role="user">`, text `Hi Ada!`, Tags `</message>`    (its marks and texts)
//! ```
//!
//! [`MarkReader`] finds the marks. [`MessageTagParser`] takes them in order, with the text before each:
//! tags begin and end messages and their parts, and everything else is collected as text until
//! then. The text may contain placeholders of threads and media, which are replaced when it ends.

use std::borrow::Cow;
use std::ops::Range;

use super::expand::{PieceEnd, RichInputs, visit_pieces};
use super::on_forged_marker::{OnForgedMarker, excerpt};
use super::section::OpenMessage;
use crate::nonce::Nonce;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Content, ContentPart, Media, Message, RichKind, Role};
use prompty_core::work::add_steps;
use prompty_template::message_tags::syntax::{
    CDATA, COMMENT, Element, INSTRUCTION, Tag, TagForm, lookalike, read_entity, read_tag,
};
use prompty_template::message_tags::{self, ROLES};
use prompty_template::role_markers::syntax::{END, LOOKALIKE, SPACE, TAG, VALUE_SPACE};
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind, Template};

/// Parses a text in which the author's tags are marked with the nonce. `leading` is the role of the
/// only message, if there is no tag.
pub(super) fn parse(
    text: &str,
    nonce: &Nonce,
    leading: Option<Role>,
    rich: RichInputs<'_>,
    on_forged_marker: OnForgedMarker,
) -> Result<Vec<Message>, Error> {
    let mut parser = MessageTagParser {
        nonce: nonce.as_str(),
        rich,
        refuses_lookalikes: on_forged_marker == OnForgedMarker::Error,
        messages: Vec::new(),
        message: None,
        part: None,
        text: Cow::default(),
        held_space: Cow::default(),
        space_ranges: Vec::new(),
        is_comment: false,
    };
    if let Some(role) = leading {
        parser.message = Some(OpenMessage::new(Message::new(role, Content::new())));
    }
    let mut marks = MarkReader { nonce: parser.nonce, rest: text };
    for (before, mark) in marks.by_ref() {
        parser.push_data(before)?;
        parser.push_mark(mark)?;
    }
    parser.push_data(marks.rest)?;
    parser.finish()
}

/// Parses a text in which all tags count: marks them with a new nonce first.
pub(super) fn parse_plain(text: &str, rich: RichInputs<'_>) -> Result<Vec<Message>, Error> {
    let template = plain_template(text, &rich).ok_or_else(outside_of_text)?;
    let found = message_tags::find(text, &template);
    if let Some(error) = found.error() {
        let refused = Error::new(ErrorKind::TemplateSyntax, error.message);
        return Err(match error.help {
            Some(help) => refused.with_help(help),
            None => refused,
        });
    }
    let nonce = crate::nonce::random_nonce()?;
    let mut marked = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for insertion in &found.insertions {
        marked.push_str(text.get(done..insertion.offset).ok_or_else(outside_of_text)?);
        [insertion.before, nonce.as_str(), insertion.after]
            .into_iter()
            .for_each(|piece| marked.push_str(piece));
        done = insertion.offset;
    }
    marked.push_str(text.get(done..).ok_or_else(outside_of_text)?);
    let leading = found.is_one_message.then_some(Role::User);
    parse(&marked, &nonce, leading, rich, OnForgedMarker::Literal)
}

fn outside_of_text() -> Error {
    Error::new(
        ErrorKind::Render,
        "the parser of this template format returned a span outside of the text",
    )
    .with_help("fix the parser: its spans must be in the text that it parses")
}

/// Converts a text into a template, with the placeholders of rich inputs as outputs.
fn plain_template(text: &str, rich: &RichInputs<'_>) -> Option<Template> {
    let literal = |span: TemplateSpan| {
        let kind = NodeKind::Text(span.text_in(text)?.to_owned());
        Some(Node::new(kind, span))
    };
    let mut nodes = Vec::new();
    let mut done = 0;
    for span in rich.placeholder_spans(text) {
        nodes.push(literal(TemplateSpan::new(done, span.start))?);
        let name = span.text_in(text)?.to_owned();
        let variable = Expr::new(ExprKind::Variable(name), span);
        nodes.push(Node::new(NodeKind::Output(variable), span));
        done = span.end;
    }
    nodes.push(literal(TemplateSpan::new(done, text.len()))?);
    Some(Template::new(nodes))
}

/// A piece of the author's text that a render has marked.
#[derive(Debug, Clone, Copy)]
enum Mark<'t> {
    /// Tags, entities and comments.
    Tags(&'t str),
    /// White space that is dropped at the ends of a message.
    Space(&'t str),
    /// White space that is dropped next to threads and media.
    SpaceNextToValue(&'t str),
    /// Text that looks like a tag.
    Lookalike(&'t str),
}

/// The marks of a rendered text, from left to right. Each is returned with the text before it.
struct MarkReader<'t> {
    nonce: &'t str,
    /// The text after the mark that was returned last.
    rest: &'t str,
}

impl<'t> Iterator for MarkReader<'t> {
    type Item = (&'t str, Mark<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let (before, mark) = split_at_nonce(self.rest, self.nonce, TAG)?;
        let (mark, rest) = split_at_nonce(mark, self.nonce, END)?;
        self.rest = rest.strip_prefix(END)?;
        let mark = if let Some(space) = mark.strip_prefix(SPACE) {
            Mark::Space(space)
        } else if let Some(space) = mark.strip_prefix(VALUE_SPACE) {
            Mark::SpaceNextToValue(space)
        } else if let Some(text) = mark.strip_prefix(LOOKALIKE) {
            Mark::Lookalike(text)
        } else {
            Mark::Tags(mark.strip_prefix(TAG)?)
        };
        Some((before, mark))
    }
}

/// Splits a text at the first nonce that this sign follows. Returns the text before the nonce, and
/// the text from the sign. Placeholders and encoded attributes also contain the nonce.
fn split_at_nonce<'t>(text: &'t str, nonce: &str, sign: &str) -> Option<(&'t str, &'t str)> {
    let bytes = text.as_bytes();
    let is_after_nonce =
        |at: &usize| bytes.get(..*at).is_some_and(|it| it.ends_with(nonce.as_bytes()));
    let found = memchr::memchr_iter(*sign.as_bytes().first()?, bytes).find(is_after_nonce);
    add_steps(found.unwrap_or(bytes.len()));
    let (before, rest) = text.split_at_checked(found?)?;
    Some((before.strip_suffix(nonce)?, rest))
}

/// A part of a message whose closing tag was not read yet.
struct OpenPart {
    element: Element,
    /// The type and the detail from the attributes of a media element.
    media: Media,
}

struct MessageTagParser<'t> {
    nonce: &'t str,
    rich: RichInputs<'t>,
    /// Whether a tag in an input is an error.
    refuses_lookalikes: bool,
    messages: Vec<Message>,
    /// The open message.
    message: Option<OpenMessage>,
    /// The open part of the open message.
    part: Option<OpenPart>,
    /// The text since the last start or end of a message or part.
    text: Cow<'t, str>,
    /// White space after `text` that is dropped unless text follows it.
    held_space: Cow<'t, str>,
    /// The ranges of the author's white space in `text`, which may be next to threads and media.
    space_ranges: Vec<Range<usize>>,
    /// Whether a comment is open. The comment may contain pieces that are not tags, such as the
    /// output of an expression.
    is_comment: bool,
}

impl<'t> MessageTagParser<'t> {
    fn push_mark(&mut self, mark: Mark<'t>) -> Result<(), Error> {
        match mark {
            Mark::Tags(tags) => return self.read_tags(tags),
            _ if self.is_comment => {}
            Mark::Space(_) if self.text.is_empty() => {}
            Mark::Space(space) => self.held_space += space,
            Mark::SpaceNextToValue(space) => {
                self.push_held_space();
                self.push_space(space.into());
            }
            Mark::Lookalike(text) => self.push_text(text),
        }
        Ok(())
    }

    /// Adds the text between two marks, which may contain inputs.
    fn push_data(&mut self, text: &'t str) -> Result<(), Error> {
        if self.is_comment {
            return Ok(());
        }
        // Outside of messages any text is an error, see `end_outside`.
        if self.refuses_lookalikes && self.message.is_some() {
            refuse_lookalike(text)?;
        }
        self.push_text(text);
        Ok(())
    }

    fn push_text(&mut self, text: impl Into<Cow<'t, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.push_held_space();
            self.text += text;
        }
    }

    /// Writes the white space that was held back until text follows it.
    fn push_held_space(&mut self) {
        if !self.held_space.is_empty() {
            let space = std::mem::take(&mut self.held_space);
            self.push_space(space);
        }
    }

    /// Writes white space of the author, and records its range.
    fn push_space(&mut self, space: Cow<'t, str>) {
        let start = self.text.len();
        self.text += space;
        let end = self.text.len();
        match self.space_ranges.last_mut() {
            _ if self.rich.is_empty() => {}
            Some(last) if last.end == start => last.end = end,
            _ => self.space_ranges.push(start..end),
        }
    }

    /// Reads the content of a mark. Its white space belongs to the tags.
    fn read_tags(&mut self, tags: &'t str) -> Result<(), Error> {
        let mut rest = tags.trim_start();
        while !rest.is_empty() {
            // After an entity, white space would be text; but such a mark contains none.
            rest = self.read_next_tag(rest)?.trim_start();
        }
        Ok(())
    }

    /// Reads the first tag, entity or comment of a text. Returns the rest.
    fn read_next_tag(&mut self, text: &'t str) -> Result<&'t str, Error> {
        if let Some(rest) = self.skip_comment(text) {
            return Ok(rest);
        }
        if let Some((tag, rest)) = read_common_tag(text) {
            match tag {
                CommonTag::Opening(role) => {
                    self.begin_message(Message::new(role, Content::new()))?;
                }
                CommonTag::Closing => self.close_message()?,
            }
            return Ok(rest);
        }
        // The delimiters of CDATA are dropped. Its content is text, which is not in the mark.
        if let Some(rest) = CDATA.into_iter().find_map(|sign| text.strip_prefix(sign)) {
            return Ok(rest);
        }
        let [opening, closing] = INSTRUCTION;
        if let Some(instruction) = text.strip_prefix(opening) {
            return Ok(instruction.split_once(closing).map_or("", |(_, rest)| rest));
        }
        if let Some((character, rest)) = read_entity(text) {
            self.push_text(String::from(character));
            return Ok(rest);
        }
        let tag = read_tag(text).map_err(|_| unreadable_tag(text))?;
        self.apply_tag(&tag)?;
        text.get(tag.length..).ok_or_else(|| unreadable_tag(text))
    }

    /// Skips a comment that begins the text, or the rest of the open comment. Returns the text
    /// after it.
    fn skip_comment(&mut self, text: &'t str) -> Option<&'t str> {
        let [opening, closing] = COMMENT;
        let comment = if self.is_comment { text } else { text.strip_prefix(opening)? };
        let rest = comment.split_once(closing).map(|(_, rest)| rest);
        self.is_comment = rest.is_none();
        Some(rest.unwrap_or(""))
    }

    /// Begins or ends a message or part.
    fn apply_tag(&mut self, tag: &Tag<'_>) -> Result<(), Error> {
        let Some(element) = Element::from_name(tag.name) else { return Ok(()) };
        match (element, tag.form) {
            (Element::Message, TagForm::Opening) => self.begin_message(self.message_of(tag)),
            (Element::Message, TagForm::Empty) => {
                self.begin_message(self.message_of(tag))?;
                self.close_message()
            }
            (Element::Message, TagForm::Closing) => self.close_message(),
            (_, TagForm::Opening) => {
                self.end_text()?;
                self.part = Some(self.part_of(element, tag));
                Ok(())
            }
            (_, TagForm::Closing) => self.end_text(),
            // An empty part, such as `<text/>`, has no content.
            _ => Ok(()),
        }
    }

    fn begin_message(&mut self, message: Message) -> Result<(), Error> {
        self.close_message()?;
        self.message = Some(OpenMessage::new(message));
        Ok(())
    }

    /// The message that a tag opens.
    fn message_of(&self, tag: &Tag<'_>) -> Message {
        let mut message = Message::new(Role::User, Content::new());
        for attribute in &tag.attributes {
            let value = attribute.decoded(self.nonce);
            if attribute.name == "role" {
                let known = ROLES.into_iter().find(|it| it.as_str().eq_ignore_ascii_case(&value));
                message.role = known.unwrap_or_else(|| Role::from(&*value));
            } else {
                message.metadata.insert(attribute.name, value);
            }
        }
        message
    }

    /// Closes the open message, or reports text outside of messages.
    fn close_message(&mut self) -> Result<(), Error> {
        self.end_text()?;
        if let Some(message) = self.message.take() {
            message.close(&mut self.messages);
        }
        Ok(())
    }

    /// The part that a tag opens.
    fn part_of(&self, element: Element, tag: &Tag<'_>) -> OpenPart {
        let attribute = |names: &[&str]| {
            let found = tag.attributes.iter().find(|it| names.contains(&it.name));
            found.map(|it| it.decoded(self.nonce).into_owned())
        };
        let mut media = Media::default();
        media.media_type = attribute(&["mimetype", "mime_type", "media_type"]);
        media.detail = attribute(&["detail"]);
        OpenPart { element, media }
    }

    /// Ends the text since the last start or end: a text part, or the content of a media part.
    fn end_text(&mut self) -> Result<(), Error> {
        self.held_space = Cow::default();
        let text = std::mem::take(&mut self.text);
        match (&mut self.message, &self.part) {
            (None, _) => self.end_outside(&text)?,
            (Some(message), Some(OpenPart { element: Element::Rich(kind), media })) => {
                end_media(message, *kind, media, &text, &mut self.rich)?;
            }
            // `<text></text>` is an empty part, but there is none between two tags.
            (Some(_), None) if text.is_empty() => {}
            // Most messages are one text, which is copied once.
            (Some(message), _) if text.is_empty() || self.rich.is_empty() => {
                message.push(ContentPart::Text(text.into_owned()));
            }
            (Some(message), _) => {
                let spaces = &self.space_ranges;
                end_rich_text(message, &text, spaces, &mut self.rich, &mut self.messages)?;
            }
        }
        self.part = None;
        self.space_ranges.clear();
        Ok(())
    }

    /// Ends the text between messages. Only threads are allowed there.
    fn end_outside(&mut self, text: &str) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let messages = &mut self.messages;
        visit_pieces(text, &mut self.rich, |text, _, end_of_piece| {
            if !text.trim().is_empty() {
                return Err(outside_of_messages());
            }
            match end_of_piece {
                PieceEnd::Thread(thread, name, roles) => roles.expand(name, thread, messages),
                PieceEnd::Media(_) => Err(outside_of_messages()),
                PieceEnd::End => Ok(()),
            }
        })
    }

    fn finish(mut self) -> Result<Vec<Message>, Error> {
        self.close_message()?;
        Ok(self.messages)
    }
}

/// A tag in the most common form.
#[derive(Debug, PartialEq)]
enum CommonTag {
    /// `<message role="user">`
    Opening(Role),
    /// `</message>`
    Closing,
}

/// Reads a tag in the most common form. This gives the same result as [`read_tag`] but is much
/// faster.
fn read_common_tag(text: &str) -> Option<(CommonTag, &str)> {
    if let Some(rest) = text.strip_prefix("</message>") {
        return Some((CommonTag::Closing, rest));
    }
    let after = text.strip_prefix("<message role=\"")?;
    let (role, rest) = after.split_at_checked(after.bytes().position(|byte| byte == b'"')?)?;
    let role = Some(Role::from(role)).filter(|role| !matches!(role, Role::Other(_)))?;
    Some((CommonTag::Opening(role), rest.strip_prefix("\">")?))
}

/// Splits a list after the leading items for which a test is true.
#[expect(clippy::indexing_slicing, reason = "`partition_point` returns a valid index")]
fn split_start<T>(list: &[T], is_of_start: impl Fn(&T) -> bool) -> (&[T], &[T]) {
    let at = list.partition_point(is_of_start);
    (&list[..at], &list[at..])
}

/// Takes the author's white space at the start and at the end of a piece of a text. `spaces` has
/// the ranges of white space that follow the previous piece.
fn take_outer_spaces<'t>(
    text: &'t str,
    piece: &Range<usize>,
    spaces: &mut &[Range<usize>],
) -> Option<(&'t str, &'t str)> {
    let (_, rest) = split_start(spaces, |space| space.end <= piece.start);
    let (inside, rest) = split_start(rest, |space| space.start < piece.end);
    *spaces = rest;
    let leading = inside.first().filter(|space| space.start == piece.start);
    let trailing = inside.last().filter(|space| space.end == piece.end);
    let written =
        |space: Option<&Range<usize>>| space.map_or(Some(""), |space| text.get(space.clone()));
    Some((written(leading)?, written(trailing)?))
}

/// Ends a text with threads and media. `spaces` are the ranges of the author's white space, which
/// is dropped next to them: `a\n{{ history }}\nb` gives the text `a`, the thread, and the text `b`.
fn end_rich_text(
    message: &mut OpenMessage,
    text: &str,
    mut spaces: &[Range<usize>],
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) -> Result<(), Error> {
    let mut before = Neighbour::End;
    visit_pieces(text, rich, |piece, start, end_of_piece| {
        let after = Neighbour::of(&end_of_piece);
        let range = start..start + piece.len();
        let outer_spaces = take_outer_spaces(text, &range, &mut spaces);
        let (leading, trailing) = outer_spaces.ok_or_else(outside_of_text)?;
        let piece = piece.get(before.dropped_at_start(leading)..).ok_or_else(outside_of_text)?;
        // If the piece is only white space, it may be dropped already.
        let kept = piece.len() - after.dropped_at_end(trailing).min(piece.len());
        message.push_text(piece.get(..kept).ok_or_else(outside_of_text)?);
        before = after;
        match end_of_piece {
            PieceEnd::Thread(thread, name, roles) => {
                message.split(messages);
                roles.expand(name, thread, messages)?;
            }
            PieceEnd::Media(part) => message.push(part),
            PieceEnd::End => {}
        }
        Ok(())
    })
}

/// What is next to a text of a message.
#[derive(Debug, Clone, Copy)]
enum Neighbour {
    /// An end of the text. The author's white space is already dropped there.
    End,
    /// A thread, where the message ends.
    Thread,
    /// Media. The author's line breaks next to it are dropped.
    Media,
}

impl Neighbour {
    fn of(end_of_piece: &PieceEnd<'_>) -> Self {
        match end_of_piece {
            PieceEnd::Thread(..) => Self::Thread,
            PieceEnd::Media(_) => Self::Media,
            PieceEnd::End => Self::End,
        }
    }

    /// The number of bytes of the author's white space that are dropped after it.
    fn dropped_at_start(self, space: &str) -> usize {
        match self {
            Self::End => 0,
            Self::Thread => space.len(),
            Self::Media => space.len() - space.trim_start_matches(LINE_ENDS).len(),
        }
    }

    /// The number of bytes of the author's white space that are dropped before it.
    fn dropped_at_end(self, space: &str) -> usize {
        match self {
            Self::End => 0,
            Self::Thread => space.len(),
            Self::Media => space.len() - space.trim_end_matches(LINE_ENDS).len(),
        }
    }
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Ends the content of an image, audio or file: a URL, or an input of that kind.
fn end_media(
    message: &mut OpenMessage,
    kind: RichKind,
    media: &Media,
    text: &str,
    rich: &mut RichInputs<'_>,
) -> Result<(), Error> {
    visit_pieces(text, rich, |url, _, end_of_piece| {
        match end_of_piece {
            PieceEnd::Media(part) if url.is_empty() => message.push(part),
            // An input that is not given prints nothing.
            PieceEnd::End if url.is_empty() => {}
            PieceEnd::End if message_tags::is_url(url) => {
                let mut media = media.clone();
                url.clone_into(&mut media.value);
                if let Some(part) = kind.media_part() {
                    message.push(part(media));
                }
            }
            _ => return Err(not_a_url(kind)),
        }
        Ok(())
    })
}

/// The error for unreadable content of a mark. The compiler of the template rejects such tags.
fn unreadable_tag(text: &str) -> Error {
    let shown = excerpt(text);
    Error::new(ErrorKind::Render, format!("the tag `{shown}` cannot be read")).with_help(
        "write the tag as literal text, with values only in its attributes: \
         `<message role=\"user\">`",
    )
}

fn not_a_url(kind: RichKind) -> Error {
    let name = kind.name();
    let message = format!("the content of `<{name}>` is not a URL");
    Error::new(ErrorKind::WrongInput, message).with_help(format!(
        "use a URL that begins with `https://`, `http://` or `data:`, or an input of the kind \
         `{name}`; files are not read"
    ))
}

fn outside_of_messages() -> Error {
    let message = "a value that is not a thread is printed outside of messages";
    Error::new(ErrorKind::Render, message)
        .with_help("move it into a message, or pass it as a thread")
}

/// Rejects an input that contains a tag.
fn refuse_lookalike(text: &str) -> Result<(), Error> {
    let mut tags = text.match_indices('<').filter_map(|(at, _)| text.get(at..));
    let Some(tag) = tags.find(|tag| lookalike(tag).is_some()) else { return Ok(()) };
    let message =
        format!("an input contains a message tag: possible injection in `{}`", excerpt(tag));
    Err(Error::new(ErrorKind::ForgedMarker, message).with_help(
        "reject the input, or remove `strict: true` from the prompt to keep the tag as text",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_tag_equals_the_tag_that_read_tag_reads() {
        for role in ROLES {
            let text = format!("<message role=\"{role}\">Hi");
            let tag = read_tag(&text).unwrap();
            assert_eq!((tag.form, tag.attributes[0].value), (TagForm::Opening, role.as_str()));
            let rest = text.get(tag.length..).unwrap();
            assert_eq!(read_common_tag(&text), Some((CommonTag::Opening(role), rest)));
        }
        let closing = read_tag("</message>\n").unwrap();
        let rest = "</message>\n".get(closing.length..).unwrap();
        assert_eq!(read_common_tag("</message>\n"), Some((CommonTag::Closing, rest)));
    }

    #[test]
    fn other_tags_are_not_common_tags() {
        for text in [
            "<message>",
            "<message role='user'>",
            "<message role=\"user\" name=\"a\">",
            "<message role=\"user\"/>",
            "<message role=\"users\">",
            "<Message role=\"user\">",
            "</message >",
            "</messages>",
        ] {
            assert_eq!(read_common_tag(text), None, "{text}");
        }
    }
}
