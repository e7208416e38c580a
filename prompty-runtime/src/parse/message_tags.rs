//! Parses a rendered text whose messages are marked by tags.
//!
//! The author's tags are determined before the render, which encloses them in marks with the nonce.
//! All other text is content. So a value is not encoded, keeps its white space, and may contain
//! characters that XML does not allow.

use std::ops::Range;

use memchr::memmem::Finder;

use super::expand::{PieceEnd, RichInputs, visit_pieces};
use super::on_forged_marker::OnForgedMarker;
use crate::nonce::Nonce;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Content, ContentPart, Media, Message, RichKind, Role};
use prompty_core::value::Map;
use prompty_core::work::add_steps;
use prompty_template::message_tags::syntax::{
    CDATA, COMMENT, Element, INSTRUCTION, Tag, TagForm, lookalike, read_entity, read_tag,
};
use prompty_template::message_tags::{self, ROLES};
use prompty_template::role_markers::syntax::{END, LOOKALIKE, SPACE, TAG, VALUE_SPACE};
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind, Template};

/// Parses a text in which the author's tags are marked with the nonce.
pub(super) fn parse(
    text: &str,
    nonce: &Nonce,
    is_one_message: bool,
    rich: RichInputs<'_>,
    on_forged_marker: OnForgedMarker,
) -> Result<Vec<Message>, Error> {
    let mut parser = MessageTagParser {
        nonce: nonce.as_str(),
        rich,
        refuses_lookalikes: on_forged_marker == OnForgedMarker::Error,
        messages: Vec::new(),
        open: None,
        part: None,
        text: String::new(),
        space: String::new(),
        spaces: Vec::new(),
        is_comment: false,
    };
    if is_one_message {
        parser.open = Some(TaggedMessage::new(Role::User));
    }
    for piece in RenderedPieces::new(text, nonce.as_str()) {
        parser.push_piece(piece)?;
    }
    parser.finish()
}

/// Parses a text in which all tags count.
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
    parse(&marked, &nonce, found.is_one_message, rich, OnForgedMarker::Literal)
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

/// A piece of a rendered text.
#[derive(Debug, Clone, Copy)]
enum RenderedPiece<'t> {
    /// Content from the author or from an input.
    Text(&'t str),
    /// Tags, entities and comments of the author.
    Tags(&'t str),
    /// White space of the author that is dropped at the ends of a message.
    Space(&'t str),
    /// White space of the author that is dropped next to threads and media.
    SpaceNextToValue(&'t str),
    /// Text of the author that looks like a tag.
    Lookalike(&'t str),
}

/// The pieces of a rendered text, from left to right.
struct RenderedPieces<'t> {
    text: &'t str,
    nonce: &'t str,
    finder: Finder<'t>,
    /// The mark after the text that was returned last.
    next: Option<RenderedPiece<'t>>,
    at: usize,
    /// Whether no mark ends after the current position.
    has_no_more_ends: bool,
}

impl<'t> RenderedPieces<'t> {
    fn new(text: &'t str, nonce: &'t str) -> Self {
        Self { text, nonce, finder: Finder::new(nonce), next: None, at: 0, has_no_more_ends: false }
    }

    fn next_nonce(&self, from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        let at = self.finder.find(rest);
        add_steps(at.unwrap_or(rest.len()));
        at.map(|at| from + at)
    }

    /// The mark with the nonce at a position, and its end.
    fn mark(&mut self, nonce: usize) -> Option<(RenderedPiece<'t>, usize)> {
        let start = nonce + self.nonce.len() + 1;
        let sign = self.text.get(start - 1..start)?;
        let piece = match sign {
            TAG => RenderedPiece::Tags,
            SPACE => RenderedPiece::Space,
            VALUE_SPACE => RenderedPiece::SpaceNextToValue,
            LOOKALIKE => RenderedPiece::Lookalike,
            _ => return None,
        };
        let end = self.end_of_mark(start)?;
        Some((piece(self.text.get(start..end)?), end + self.nonce.len() + END.len()))
    }

    /// The position of the nonce that ends a mark.
    fn end_of_mark(&mut self, start: usize) -> Option<usize> {
        if self.has_no_more_ends {
            return None;
        }
        let mut search = start;
        while let Some(end) = self.next_nonce(search) {
            search = end + self.nonce.len();
            // Encoded attributes also contain the nonce.
            if self.text.get(search..)?.starts_with(END) {
                return Some(end);
            }
        }
        self.has_no_more_ends = true;
        None
    }
}

impl<'t> Iterator for RenderedPieces<'t> {
    type Item = RenderedPiece<'t>;

    fn next(&mut self) -> Option<RenderedPiece<'t>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let start = self.at;
        let mut search = start;
        while let Some(nonce) = self.next_nonce(search) {
            // The placeholder of an input contains the nonce, but is text.
            search = nonce + self.nonce.len();
            let Some((mark, end)) = self.mark(nonce) else { continue };
            self.at = end;
            if nonce == start {
                return Some(mark);
            }
            self.next = Some(mark);
            return self.text.get(start..nonce).map(RenderedPiece::Text);
        }
        self.at = self.text.len();
        self.text.get(start..).filter(|rest| !rest.is_empty()).map(RenderedPiece::Text)
    }
}

struct TaggedMessage {
    role: Role,
    metadata: Map,
    parts: Content,
    /// Whether a thread has split the message, so that its first part is already finished.
    is_split: bool,
}

impl TaggedMessage {
    fn new(role: Role) -> Self {
        Self { role, metadata: Map::new(), parts: Content::default(), is_split: false }
    }

    fn push_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(ContentPart::Text(text.to_owned()));
        }
    }

    fn flush(&mut self, messages: &mut Vec<Message>) {
        if self.parts.is_empty() {
            return;
        }
        let mut message = Message::new(self.role.clone(), std::mem::take(&mut self.parts));
        message.metadata = self.metadata.clone();
        messages.push(message);
    }
}

/// An open part of a message.
struct OpenPart {
    element: Element,
    /// The type and the detail from the attributes of a media element.
    media: Media,
}

struct MessageTagParser<'r> {
    nonce: &'r str,
    rich: RichInputs<'r>,
    refuses_lookalikes: bool,
    messages: Vec<Message>,
    open: Option<TaggedMessage>,
    part: Option<OpenPart>,
    /// The text since the last start or end of a message or part.
    text: String,
    /// White space that is dropped unless text follows it.
    space: String,
    /// The ranges of the author's white space in `text`, which may be next to threads and media.
    spaces: Vec<Range<usize>>,
    is_comment: bool,
}

impl MessageTagParser<'_> {
    fn push_piece(&mut self, piece: RenderedPiece<'_>) -> Result<(), Error> {
        match piece {
            RenderedPiece::Tags(tags) => return self.read_tags(tags),
            _ if self.is_comment => {}
            RenderedPiece::Space(_) if self.text.is_empty() => {}
            RenderedPiece::Space(space) => self.space.push_str(space),
            RenderedPiece::SpaceNextToValue(space) => {
                self.push_space();
                let start = self.text.len();
                self.text.push_str(space);
                self.note_space(start);
            }
            RenderedPiece::Lookalike(text) => self.push(text),
            RenderedPiece::Text(text) => {
                if self.refuses_lookalikes && self.open.is_some() {
                    refuse_lookalike(text)?;
                }
                self.push(text);
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.push_space();
        self.text.push_str(text);
    }

    /// Writes the white space that was held back until text follows it.
    fn push_space(&mut self) {
        if self.space.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(&self.space);
        self.space.clear();
        self.note_space(start);
    }

    /// Records that the text ends with white space of the author.
    fn note_space(&mut self, start: usize) {
        let end = self.text.len();
        match self.spaces.last_mut() {
            _ if self.rich.is_empty() => {}
            Some(last) if last.end == start => last.end = end,
            _ => self.spaces.push(start..end),
        }
    }

    /// Reads the content of a mark. Its white space belongs to the tags.
    fn read_tags(&mut self, tags: &str) -> Result<(), Error> {
        let mut rest = tags.trim_start();
        while !rest.is_empty() {
            // After an entity, white space would be text; but such a mark contains none.
            rest = self.read_next_tag(rest)?.trim_start();
        }
        Ok(())
    }

    /// Reads the first tag, entity or comment of a text. Returns the rest.
    fn read_next_tag<'t>(&mut self, text: &'t str) -> Result<&'t str, Error> {
        let [opening, closing] = COMMENT;
        let comment = if self.is_comment { Some(text) } else { text.strip_prefix(opening) };
        if let Some(comment) = comment {
            let rest = comment.split_once(closing).map(|(_, rest)| rest);
            self.is_comment = rest.is_none();
            return Ok(rest.unwrap_or(""));
        }
        if let Some((tag, rest)) = read_common_tag(text) {
            match tag {
                CommonTag::Opening(role) => self.open(TaggedMessage::new(role))?,
                CommonTag::Closing => self.close_message()?,
            }
            return Ok(rest);
        }
        if let Some(rest) = CDATA.into_iter().find_map(|sign| text.strip_prefix(sign)) {
            return Ok(rest);
        }
        let [opening, closing] = INSTRUCTION;
        if let Some(instruction) = text.strip_prefix(opening) {
            return Ok(instruction.split_once(closing).map_or("", |(_, rest)| rest));
        }
        if let Some((character, rest)) = read_entity(text) {
            self.push(character.encode_utf8(&mut [0; 4]));
            return Ok(rest);
        }
        let tag = read_tag(text).map_err(|_| unreadable_tag(text))?;
        match (Element::from_name(tag.name), tag.form) {
            (Some(Element::Message), TagForm::Opening) => self.open_message(&tag)?,
            (Some(Element::Message), TagForm::Closing) => self.close_message()?,
            (Some(Element::Message), TagForm::Empty) => {
                self.open_message(&tag)?;
                self.close_message()?;
            }
            (Some(element), TagForm::Opening) => {
                self.end_text()?;
                self.part = Some(self.open_part(element, &tag));
            }
            (Some(_), TagForm::Closing) => self.end_text()?,
            _ => {}
        }
        text.get(tag.length..).ok_or_else(|| unreadable_tag(text))
    }

    fn open(&mut self, message: TaggedMessage) -> Result<(), Error> {
        self.close_message()?;
        self.open = Some(message);
        Ok(())
    }

    fn open_message(&mut self, tag: &Tag<'_>) -> Result<(), Error> {
        let mut open = TaggedMessage::new(Role::User);
        for attribute in &tag.attributes {
            let value = attribute.decoded(self.nonce);
            if attribute.name == "role" {
                let known = ROLES.into_iter().find(|it| it.as_str().eq_ignore_ascii_case(&value));
                open.role = known.unwrap_or_else(|| Role::from(&*value));
            } else {
                open.metadata.insert(attribute.name, value);
            }
        }
        self.open(open)
    }

    /// Closes the open message, or reports text outside of messages.
    fn close_message(&mut self) -> Result<(), Error> {
        self.end_text()?;
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if open.parts.is_empty() && !open.is_split {
            open.parts.push(ContentPart::Text(String::new()));
        }
        open.flush(&mut self.messages);
        Ok(())
    }

    fn open_part(&self, element: Element, tag: &Tag<'_>) -> OpenPart {
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
        self.space.clear();
        let text = std::mem::take(&mut self.text);
        let spaces = std::mem::take(&mut self.spaces);
        let part = self.part.take();
        let is_part = part.is_some();
        let Some(open) = &mut self.open else { return self.end_outside(&text) };
        match part {
            Some(OpenPart { element: Element::Rich(kind), media }) => {
                end_media(open, kind, &media, &text, &mut self.rich)
            }
            _ if self.rich.is_empty() => {
                // Most messages are one text, which is not copied.
                if is_part || !text.is_empty() {
                    open.parts.push(ContentPart::Text(text));
                }
                Ok(())
            }
            _ if is_part && text.is_empty() => {
                open.parts.push(ContentPart::Text(text));
                Ok(())
            }
            _ => end_rich_text(open, &text, &spaces, &mut self.rich, &mut self.messages),
        }
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
    let (role, rest) = ROLES.into_iter().find_map(|role| {
        let rest = after.strip_prefix(role.as_str())?.strip_prefix("\">")?;
        Some((role, rest))
    })?;
    Some((CommonTag::Opening(role), rest))
}

/// Splits a list after the leading items for which a test is true.
#[expect(clippy::indexing_slicing, reason = "`partition_point` returns a valid index")]
fn split_start<T>(list: &[T], is_of_start: impl Fn(&T) -> bool) -> (&[T], &[T]) {
    let at = list.partition_point(is_of_start);
    (&list[..at], &list[at..])
}

/// Ends a text with threads and media. `spaces` are the ranges of the author's white space.
fn end_rich_text(
    open: &mut TaggedMessage,
    text: &str,
    spaces: &[Range<usize>],
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) -> Result<(), Error> {
    let mut before = Neighbour::End;
    let mut spaces = spaces;
    visit_pieces(text, rich, |piece, place, end_of_piece| {
        let after = Neighbour::of(&end_of_piece);
        let end = place + piece.len();
        // The author's white space at the start and at the end of the piece.
        let (_, rest) = split_start(spaces, |space| space.end <= place);
        let (here, rest) = split_start(rest, |space| space.start < end);
        spaces = rest;
        let leading = here.first().filter(|space| space.start == place);
        let trailing = here.last().filter(|space| space.end == end);
        let written = |space: Option<&Range<usize>>| {
            space.map_or(Some(""), |space| text.get(space.clone())).ok_or_else(outside_of_text)
        };
        let (leading, trailing) = (written(leading)?, written(trailing)?);
        let piece = piece.get(before.dropped_at_start(leading)..).ok_or_else(outside_of_text)?;
        let kept = piece.len() - after.dropped_at_end(trailing).min(piece.len());
        open.push_text(piece.get(..kept).ok_or_else(outside_of_text)?);
        before = after;
        match end_of_piece {
            PieceEnd::Thread(thread, name, roles) => {
                open.flush(messages);
                open.is_split = true;
                roles.expand(name, thread, messages)
            }
            PieceEnd::Media(part) => {
                open.parts.push(part);
                Ok(())
            }
            PieceEnd::End => Ok(()),
        }
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
    open: &mut TaggedMessage,
    kind: RichKind,
    media: &Media,
    text: &str,
    rich: &mut RichInputs<'_>,
) -> Result<(), Error> {
    visit_pieces(text, rich, |url, _, end_of_piece| {
        match end_of_piece {
            PieceEnd::Media(part) if url.is_empty() => {
                open.parts.push(part);
                Ok(())
            }
            // An input that is not given prints nothing.
            PieceEnd::End if url.is_empty() => Ok(()),
            PieceEnd::End if message_tags::is_url(url) => {
                let mut media = media.clone();
                url.clone_into(&mut media.value);
                open.parts.extend(kind.media_part().map(|part| part(media)));
                Ok(())
            }
            _ => Err(not_a_url(kind)),
        }
    })
}

/// The error for unreadable content of a mark. The compiler of the template rejects such tags.
fn unreadable_tag(text: &str) -> Error {
    let shown: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
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

fn refuse_lookalike(text: &str) -> Result<(), Error> {
    let mut tags = text.match_indices('<').filter_map(|(at, _)| text.get(at..));
    let Some(tag) = tags.find(|tag| lookalike(tag).is_some()) else { return Ok(()) };
    let shown: String = tag.lines().next().unwrap_or_default().chars().take(60).collect();
    let message = format!("an input contains a message tag: possible injection in `{shown}`");
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
