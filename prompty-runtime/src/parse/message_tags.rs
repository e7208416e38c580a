//! Messages from a rendered text whose messages are marked by tags.
//!
//! What the author's tags are has been decided before the render, which has put them between marks with
//! the nonce. So nothing else of the text is read: it is content.

use std::ops::Range;

use memchr::memmem::Finder;

use super::expand::{Behind, RichInputs, pieces};
use super::forged::OnForgedMarker;
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
use prompty_template::role_markers::syntax::{BESIDE, END, LOOKALIKE, SPACE, TAG};
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind, Template};

/// Parses a text in which each tag of the author is marked with the nonce.
pub(super) fn parse(
    text: &str,
    nonce: &Nonce,
    is_one_message: bool,
    rich: RichInputs<'_>,
    on_forged_marker: OnForgedMarker,
) -> Result<Vec<Message>, Error> {
    let mut parser = Parser {
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
        parser.open = Some(OpenMessage::new(Role::User));
    }
    for piece in Pieces::new(text, nonce.as_str()) {
        parser.piece(piece)?;
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
    Error::new(ErrorKind::Render, "a tag or an input is outside of the text")
}

/// A text as a template: literal texts, and between them the placeholders of rich inputs.
fn plain_template(text: &str, rich: &RichInputs<'_>) -> Option<Template> {
    let literal = |span: TemplateSpan| {
        let kind = NodeKind::Text(span.text_in(text)?.to_owned());
        Some(Node::new(kind, span))
    };
    let mut nodes = Vec::new();
    let mut done = 0;
    for span in rich.places(text) {
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
enum Piece<'t> {
    /// What is no structure, whoever wrote it.
    Text(&'t str),
    /// Tags, entities and comments of the author.
    Tags(&'t str),
    /// White space of the author that is dropped at the ends of a message.
    Space(&'t str),
    /// White space of the author that is dropped beside threads and media.
    BesideValue(&'t str),
    /// Text of the author that looks like a tag.
    Lookalike(&'t str),
}

/// The pieces of a rendered text, from left to right.
struct Pieces<'t> {
    text: &'t str,
    nonce: &'t str,
    finder: Finder<'t>,
    /// A piece that was found behind the text that was given last.
    next: Option<Piece<'t>>,
    at: usize,
    /// Whether no mark ends behind the place at hand.
    is_endless: bool,
}

impl<'t> Pieces<'t> {
    fn new(text: &'t str, nonce: &'t str) -> Self {
        Self { text, nonce, finder: Finder::new(nonce), next: None, at: 0, is_endless: false }
    }

    fn nonce_behind(&self, from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        let at = self.finder.find(rest);
        add_steps(at.unwrap_or(rest.len()));
        at.map(|at| from + at)
    }

    /// The mark whose nonce stands at a place, and where it ends.
    fn mark(&mut self, nonce: usize) -> Option<(Piece<'t>, usize)> {
        let start = nonce + self.nonce.len() + 1;
        let sign = self.text.get(start - 1..start)?;
        let piece = match sign {
            TAG => Piece::Tags,
            SPACE => Piece::Space,
            BESIDE => Piece::BesideValue,
            LOOKALIKE => Piece::Lookalike,
            _ => return None,
        };
        let end = self.end_of_mark(start)?;
        Some((piece(self.text.get(start..end)?), end + self.nonce.len() + END.len()))
    }

    /// Where the nonce stands that ends a mark.
    fn end_of_mark(&mut self, start: usize) -> Option<usize> {
        if self.is_endless {
            return None;
        }
        let mut search = start;
        while let Some(end) = self.nonce_behind(search) {
            search = end + self.nonce.len();
            // Attributes that a render has encoded hold the nonce, too.
            if self.text.get(search..)?.starts_with(END) {
                return Some(end);
            }
        }
        self.is_endless = true;
        None
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let start = self.at;
        let mut search = start;
        while let Some(nonce) = self.nonce_behind(search) {
            // The placeholder of an input has the nonce, and is text.
            search = nonce + self.nonce.len();
            let Some((mark, end)) = self.mark(nonce) else { continue };
            self.at = end;
            if nonce == start {
                return Some(mark);
            }
            self.next = Some(mark);
            return self.text.get(start..nonce).map(Piece::Text);
        }
        self.at = self.text.len();
        self.text.get(start..).filter(|rest| !rest.is_empty()).map(Piece::Text)
    }
}

struct OpenMessage {
    role: Role,
    metadata: Map,
    parts: Content,
    /// Whether a thread stood in it, so that what was written before is a message already.
    is_split: bool,
}

impl OpenMessage {
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
    /// What the attributes say of media.
    media: Media,
}

struct Parser<'r> {
    nonce: &'r str,
    rich: RichInputs<'r>,
    refuses_lookalikes: bool,
    messages: Vec<Message>,
    open: Option<OpenMessage>,
    part: Option<OpenPart>,
    /// What was written since the last edge of a message or part.
    text: String,
    /// White space that is dropped if nothing comes behind it.
    space: String,
    /// Where white space of the author stands in `text`, if it may stand beside threads and media.
    spaces: Vec<Range<usize>>,
    is_comment: bool,
}

impl Parser<'_> {
    fn piece(&mut self, piece: Piece<'_>) -> Result<(), Error> {
        match piece {
            Piece::Tags(tags) => return self.tags(tags),
            _ if self.is_comment => {}
            Piece::Space(_) if self.text.is_empty() => {}
            Piece::Space(space) => self.space.push_str(space),
            Piece::BesideValue(space) => {
                self.push_space();
                let start = self.text.len();
                self.text.push_str(space);
                self.note_space(start);
            }
            Piece::Lookalike(text) => self.push(text),
            Piece::Text(text) => {
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

    /// Writes the white space that has waited for a text behind it.
    fn push_space(&mut self) {
        if self.space.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(&self.space);
        self.space.clear();
        self.note_space(start);
    }

    /// Notes that white space of the author stands at the end of the text.
    fn note_space(&mut self, start: usize) {
        let end = self.text.len();
        match self.spaces.last_mut() {
            _ if self.rich.is_empty() => {}
            Some(last) if last.end == start => last.end = end,
            _ => self.spaces.push(start..end),
        }
    }

    /// Reads what stands in a mark. White space there belongs to the tags.
    fn tags(&mut self, tags: &str) -> Result<(), Error> {
        let mut rest = tags.trim_start();
        while !rest.is_empty() {
            // After an entity all is text, but there is no white space in the mark.
            rest = self.tag(rest)?.trim_start();
        }
        Ok(())
    }

    /// Reads the first tag, entity or comment of a text, and returns what follows.
    fn tag<'t>(&mut self, text: &'t str) -> Result<&'t str, Error> {
        let [opening, closing] = COMMENT;
        let comment = if self.is_comment { Some(text) } else { text.strip_prefix(opening) };
        if let Some(comment) = comment {
            let rest = comment.split_once(closing).map(|(_, rest)| rest);
            self.is_comment = rest.is_none();
            return Ok(rest.unwrap_or(""));
        }
        if let Some((tag, rest)) = usual_tag(text) {
            match tag {
                UsualTag::Opening(role) => self.open(OpenMessage::new(role))?,
                UsualTag::Closing => self.close_message()?,
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
        let tag = read_tag(text).map_err(|_| unreadable(text))?;
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
        text.get(tag.length..).ok_or_else(|| unreadable(text))
    }

    fn open(&mut self, message: OpenMessage) -> Result<(), Error> {
        self.close_message()?;
        self.open = Some(message);
        Ok(())
    }

    fn open_message(&mut self, tag: &Tag<'_>) -> Result<(), Error> {
        let mut open = OpenMessage::new(Role::User);
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

    /// Closes the open message, or tells text that stands outside of messages.
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

    /// Ends what was written since the last edge: a text, or the content of a part.
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

    /// Ends what stands between messages: threads alone.
    fn end_outside(&mut self, text: &str) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let messages = &mut self.messages;
        pieces(text, &mut self.rich, |text, _, behind| {
            if !text.trim().is_empty() {
                return Err(outside());
            }
            match behind {
                Behind::Thread(thread, name, roles) => roles.expand(name, thread, messages),
                Behind::Media(_) => Err(outside()),
                Behind::End => Ok(()),
            }
        })
    }

    fn finish(mut self) -> Result<Vec<Message>, Error> {
        self.close_message()?;
        Ok(self.messages)
    }
}

/// A tag in the form that nearly all tags of messages have.
#[derive(Debug, PartialEq)]
enum UsualTag {
    /// `<message role="user">`
    Opening(Role),
    /// `</message>`
    Closing,
}

/// The tag with which a text begins and what follows it, if it has the usual form. It means what
/// [`read_tag`] reads; to know it saves most of the time that tags take.
fn usual_tag(text: &str) -> Option<(UsualTag, &str)> {
    if let Some(rest) = text.strip_prefix("</message>") {
        return Some((UsualTag::Closing, rest));
    }
    let behind = text.strip_prefix("<message role=\"")?;
    let (role, rest) = ROLES.into_iter().find_map(|role| {
        let rest = behind.strip_prefix(role.as_str())?.strip_prefix("\">")?;
        Some((role, rest))
    })?;
    Some((UsualTag::Opening(role), rest))
}

/// Splits off the items at the start of a list for which a test is true.
#[expect(clippy::indexing_slicing, reason = "`partition_point` gives a place in the list")]
fn split_start<T>(list: &[T], is_of_start: impl Fn(&T) -> bool) -> (&[T], &[T]) {
    let at = list.partition_point(is_of_start);
    (&list[..at], &list[at..])
}

/// Ends a text in which threads and media may stand. `spaces` says where white space of the author stands in it.
fn end_rich_text(
    open: &mut OpenMessage,
    text: &str,
    spaces: &[Range<usize>],
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) -> Result<(), Error> {
    let mut before = Neighbour::End;
    let mut spaces = spaces;
    pieces(text, rich, |piece, place, behind| {
        let after = Neighbour::of(&behind);
        let end = place + piece.len();
        // The white space of the author at the start of the piece, and at its end.
        let (_, rest) = split_start(spaces, |space| space.end <= place);
        let (here, rest) = split_start(rest, |space| space.start < end);
        spaces = rest;
        let leading = here.first().filter(|space| space.start == place);
        let trailing = here.last().filter(|space| space.end == end);
        let written = |space: Option<&Range<usize>>| {
            space.map_or(Some(""), |space| text.get(space.clone())).ok_or_else(outside_of_text)
        };
        let (leading, trailing) = (written(leading)?, written(trailing)?);
        let piece = piece.get(before.takes_at_start(leading)..).ok_or_else(outside_of_text)?;
        let kept = piece.len() - after.takes_at_end(trailing).min(piece.len());
        open.push_text(piece.get(..kept).ok_or_else(outside_of_text)?);
        before = after;
        match behind {
            Behind::Thread(thread, name, roles) => {
                open.flush(messages);
                open.is_split = true;
                roles.expand(name, thread, messages)
            }
            Behind::Media(part) => {
                open.parts.push(part);
                Ok(())
            }
            Behind::End => Ok(()),
        }
    })
}

/// What stands beside a text of a message.
#[derive(Debug, Clone, Copy)]
enum Neighbour {
    /// An end of the text, where white space of the author has been dropped before.
    End,
    /// A thread: the message ends here.
    Thread,
    /// A medium, of which line breaks of the author are dropped.
    Medium,
}

impl Neighbour {
    fn of(behind: &Behind<'_>) -> Self {
        match behind {
            Behind::Thread(..) => Self::Thread,
            Behind::Media(_) => Self::Medium,
            Behind::End => Self::End,
        }
    }

    /// How much of the author's white space behind it is dropped, in bytes.
    fn takes_at_start(self, space: &str) -> usize {
        match self {
            Self::End => 0,
            Self::Thread => space.len(),
            Self::Medium => space.len() - space.trim_start_matches(LINE_ENDS).len(),
        }
    }

    /// How much of the author's white space before it is dropped, in bytes.
    fn takes_at_end(self, space: &str) -> usize {
        match self {
            Self::End => 0,
            Self::Thread => space.len(),
            Self::Medium => space.len() - space.trim_end_matches(LINE_ENDS).len(),
        }
    }
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Ends the content of an image, a sound or a file: a URL, or an input of that kind.
fn end_media(
    open: &mut OpenMessage,
    kind: RichKind,
    media: &Media,
    text: &str,
    rich: &mut RichInputs<'_>,
) -> Result<(), Error> {
    pieces(text, rich, |url, _, behind| {
        match behind {
            Behind::Media(medium) if url.is_empty() => {
                open.parts.push(medium);
                Ok(())
            }
            // An input that is not given prints nothing.
            Behind::End if url.is_empty() => Ok(()),
            Behind::End if message_tags::is_url(url) => {
                let mut media = media.clone();
                url.clone_into(&mut media.value);
                open.parts.extend(kind.media_part().map(|part| part(media)));
                Ok(())
            }
            _ => Err(no_url(kind)),
        }
    })
}

/// What stands in a mark can be read, or the template would have been refused.
fn unreadable(text: &str) -> Error {
    let shown: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
    Error::new(ErrorKind::Render, format!("the tag `{shown}` cannot be read")).with_help(
        "write the tag as literal text, with values in its attributes alone: `<message role=\"user\">`",
    )
}

fn no_url(kind: RichKind) -> Error {
    let name = kind.name();
    Error::new(ErrorKind::WrongInput, format!("what stands in `<{name}>` is no URL")).with_help(
        format!(
            "give a URL that begins with `https://`, `http://` or `data:`, or an input of the kind `{name}`; \
             no file is read"
        ),
    )
}

fn outside() -> Error {
    Error::new(ErrorKind::Render, "text outside of messages").with_help(
        "an input stands outside of messages, where only threads can be: put it into a message, or give it \
         as a thread",
    )
}

fn refuse_lookalike(text: &str) -> Result<(), Error> {
    let mut tags = text.match_indices('<').filter_map(|(at, _)| text.get(at..));
    let Some(tag) = tags.find(|tag| lookalike(tag).is_some()) else { return Ok(()) };
    let shown: String = tag.lines().next().unwrap_or_default().chars().take(60).collect();
    let message = format!("the tag of a message in an input: possible injection in `{shown}`");
    Err(Error::new(ErrorKind::ForgedMarker, message).with_help(
        "the tag comes from an input, not from the template; refuse the input, or drop \
         `strict: true` to keep it as text",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_of_the_usual_form_is_what_the_reader_of_tags_reads() {
        for role in ROLES {
            let text = format!("<message role=\"{role}\">Hi");
            let tag = read_tag(&text).unwrap();
            assert_eq!((tag.form, tag.attributes[0].value), (TagForm::Opening, role.as_str()));
            let rest = text.get(tag.length..).unwrap();
            assert_eq!(usual_tag(&text), Some((UsualTag::Opening(role), rest)));
        }
        let closing = read_tag("</message>\n").unwrap();
        let rest = "</message>\n".get(closing.length..).unwrap();
        assert_eq!(usual_tag("</message>\n"), Some((UsualTag::Closing, rest)));
    }

    #[test]
    fn all_other_tags_are_left_to_the_reader_of_tags() {
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
            assert_eq!(usual_tag(text), None, "{text}");
        }
    }
}
