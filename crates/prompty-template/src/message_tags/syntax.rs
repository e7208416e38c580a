//! The syntax of message tags: `<message role="user">`, `</message>`, `<image>`, entities.
//!
//! This module is the only reader of tags. It reads the author's text before the template is
//! rendered, and the parser reads the marked pieces with it afterwards. It follows XML: attribute
//! values are quoted, and `<` is not allowed inside a tag. Element names are compared without
//! regard to case.

use std::borrow::Cow;

use crate::role_markers::syntax::decode_parts;
use prompty_core::message::RichKind;
use prompty_core::text::write_escaped;
use prompty_core::work::add_steps;

/// The delimiters of text in which nothing is markup.
pub const CDATA: [&str; 2] = ["<![CDATA[", "]]>"];
/// The delimiters of a comment.
pub const COMMENT: [&str; 2] = ["<!--", "-->"];
/// The delimiters of an XML processing instruction.
pub const INSTRUCTION: [&str; 2] = ["<?", "?>"];

/// An element with a meaning in message tags. All other elements are text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// `<message role="user">`: a message.
    Message,
    /// `<text>`: a text part.
    Text,
    /// `<image>` and the like: a media part. Semantic Kernel calls `<file>` `<binary>`.
    Rich(RichKind),
}

impl Element {
    /// Returns the elements with their names.
    fn with_names() -> impl Iterator<Item = (&'static str, Self)> {
        let media = RichKind::ALL.into_iter().filter(|kind| kind.is_media());
        let media = media.map(|kind| (kind.name(), Self::Rich(kind)));
        let others = [("message", Self::Message), ("text", Self::Text)];
        others.into_iter().chain(media).chain([("binary", Self::Rich(RichKind::File))])
    }

    /// Returns the names of all elements.
    pub fn names() -> Vec<&'static str> {
        Self::with_names().map(|(name, _)| name).collect()
    }

    /// Returns the element with a name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut elements = Self::with_names();
        elements.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, element)| element)
    }

    /// Returns the kind of media of the element.
    pub fn media(self) -> Option<RichKind> {
        match self {
            Self::Rich(kind) => Some(kind),
            Self::Message | Self::Text => None,
        }
    }

    /// Returns the name for help texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Text => "text",
            Self::Rich(kind) => kind.name(),
        }
    }
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag<'t> {
    /// The name of its element.
    pub name: &'t str,
    /// Whether it opens or closes its element.
    pub form: TagForm,
    /// The attributes, in order.
    pub attributes: Vec<TagAttribute<'t>>,
    /// Its length in bytes.
    pub length: usize,
}

/// Whether a tag opens or closes its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagForm {
    /// `<name>`
    Opening,
    /// `</name>`
    Closing,
    /// `<name/>`
    Empty,
}

/// An attribute of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TagAttribute<'t> {
    /// Its name.
    pub name: &'t str,
    /// The text between the quotation marks. Entities are not decoded.
    pub value: &'t str,
    /// The offset of the name from the start of the tag, in bytes.
    pub start: usize,
    /// The offset of the value from the start of the tag, in bytes.
    value_start: usize,
}

impl<'t> TagAttribute<'t> {
    /// Returns the offset of the value's end from the start of the tag, in bytes.
    pub fn end(&self) -> usize {
        self.value_start + self.value.len()
    }

    /// Returns the value, with the author's entities and the values of a render decoded.
    pub fn decoded(&self, nonce: &str) -> Cow<'t, str> {
        decode_parts(self.value, nonce, |literal| decode_entities(literal))
    }
}

/// The reason why a text that begins like a tag is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagProblem {
    /// No name follows the `<`.
    NoName,
    /// The `>` is missing.
    NoEnd,
    /// An attribute has no quoted value.
    NoQuotes,
    /// The tag contains something that is not an attribute.
    Stray,
    /// An attribute occurs twice.
    Twice,
    /// There are more than [`MAX_ATTRIBUTES`] attributes.
    TooMany,
}

/// A text that begins like a tag, but is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenTag<'t> {
    /// The name after the `<`; may be empty.
    pub name: &'t str,
    /// The offset of the problem from the `<`, in bytes.
    pub offset: usize,
    /// The reason.
    pub problem: TagProblem,
}

/// Reads the tag at the beginning of a text.
///
/// ```
/// # use prompty_template as typed_prompty;
/// use typed_prompty::message_tags::syntax::{TagForm, read_tag};
///
/// let tag = read_tag("<message role=\"user\">Hi").unwrap();
/// assert_eq!((tag.name, tag.form, tag.length), ("message", TagForm::Opening, 21));
/// assert_eq!(tag.attributes[0].value, "user");
/// assert!(read_tag("a < b").is_err());
/// ```
///
/// # Errors
///
/// Returns an error if the text does not begin with a valid tag.
pub fn read_tag(text: &str) -> Result<Tag<'_>, BrokenTag<'_>> {
    let mut reader = TagReader { text, at: 0, name: "" };
    let tag = reader.tag();
    add_steps(reader.at);
    tag.map_err(|problem| BrokenTag { name: reader.name, offset: reader.at, problem })
}

/// Reads one tag.
struct TagReader<'t> {
    text: &'t str,
    at: usize,
    name: &'t str,
}

impl<'t> TagReader<'t> {
    fn tag(&mut self) -> Result<Tag<'t>, TagProblem> {
        if !self.take("<") {
            return Err(TagProblem::NoName);
        }
        let closes = self.take("/");
        self.name = self.read_name();
        if self.name.is_empty() {
            return Err(self.no_end_or(TagProblem::NoName));
        }
        let mut attributes: Vec<TagAttribute<'_>> = Vec::new();
        loop {
            let has_space = self.skip_white_space();
            let form = match (self.take(">"), closes) {
                (true, true) => Some(TagForm::Closing),
                (true, false) => Some(TagForm::Opening),
                (false, false) if self.take("/>") => Some(TagForm::Empty),
                _ => None,
            };
            if let Some(form) = form {
                return Ok(Tag { name: self.name, form, attributes, length: self.at });
            }
            if self.rest().is_empty() || self.rest().starts_with('<') {
                return Err(TagProblem::NoEnd);
            }
            if closes || !has_space {
                return Err(TagProblem::Stray);
            }
            let attribute = self.attribute()?;
            // A linear search is faster than a set for so few attributes.
            if attributes.len() >= MAX_ATTRIBUTES {
                self.at = attribute.start;
                return Err(TagProblem::TooMany);
            }
            if attributes.iter().any(|it| it.name == attribute.name) {
                self.at = attribute.start;
                return Err(TagProblem::Twice);
            }
            attributes.push(attribute);
        }
    }

    fn attribute(&mut self) -> Result<TagAttribute<'t>, TagProblem> {
        let start = self.at;
        let name = self.read_name();
        if name.is_empty() {
            return Err(TagProblem::Stray);
        }
        self.skip_white_space();
        if !self.take("=") {
            return Err(self.no_end_or(TagProblem::NoQuotes));
        }
        self.skip_white_space();
        let quote = match self.rest().bytes().next() {
            Some(quote @ (b'"' | b'\'')) => quote,
            Some(_) => return Err(TagProblem::NoQuotes),
            None => return Err(TagProblem::NoEnd),
        };
        self.at += 1;
        let rest = self.rest();
        let value = rest.split([char::from(quote), '<']).next().unwrap_or(rest);
        if rest.as_bytes().get(value.len()) != Some(&quote) {
            return Err(TagProblem::NoEnd);
        }
        let value_start = self.at;
        self.at += value.len() + 1;
        Ok(TagAttribute { name, value, start, value_start })
    }

    /// Returns [`TagProblem::NoEnd`] at the end of the text, and `problem` elsewhere.
    fn no_end_or(&self, problem: TagProblem) -> TagProblem {
        if self.rest().is_empty() { TagProblem::NoEnd } else { problem }
    }

    #[expect(clippy::string_slice, reason = "each method finds what it skips in this rest")]
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_present = self.rest().starts_with(sign);
        if is_present {
            self.at += sign.len();
        }
        is_present
    }

    fn skip_white_space(&mut self) -> bool {
        let before = self.at;
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at > before
    }

    fn read_name(&mut self) -> &'t str {
        let name = leading_name(self.rest());
        self.at += name.len();
        name
    }
}

/// Returns the name at the beginning of a text, which may be empty.
fn leading_name(text: &str) -> &str {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return "";
    }
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    text.split(|it| !is_part(it)).next().unwrap_or(text)
}

/// Whether a text is a valid attribute name.
pub fn is_attribute_name(text: &str) -> bool {
    !text.is_empty() && leading_name(text) == text
}

/// Returns the length of `<message` or `</message` at the beginning of a text.
pub fn lookalike(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let name = leading_name(rest);
    let is_message = name.eq_ignore_ascii_case(Element::Message.name());
    is_message.then_some(text.len() - rest.len() + name.len())
}

/// The maximum number of attributes of a tag.
pub const MAX_ATTRIBUTES: usize = 64;
/// The maximum length of an entity, without `&` and `;`.
const LONGEST_REFERENCE: usize = 9;

/// Reads the entity at the beginning of a text, such as `&lt;` or `&#x3c;`. Returns its character
/// and the remaining text. The names are the five of XML.
pub fn read_entity(text: &str) -> Option<(char, &str)> {
    let rest = text.strip_prefix('&')?;
    // The limit keeps a text of many `&` linear.
    let end = rest.bytes().take(LONGEST_REFERENCE + 1).position(|byte| byte == b';')?;
    let name = rest.get(..end)?;
    let number = |digits: &str, radix| {
        let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = is_number.then(|| u32::from_str_radix(digits, radix).ok())??;
        char::from_u32(number).filter(|character| *character != '\0')
    };
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => number(hexadecimal, 16)?,
                None => number(digits, 10)?,
            }
        }
    };
    Some((character, rest.get(end + 1..)?))
}

/// Decodes the entities of a text once.
///
/// ```
/// # use prompty_template as typed_prompty;
/// use typed_prompty::message_tags::syntax::decode_entities;
///
/// assert_eq!(decode_entities("a &lt; b &amp;amp; c & d"), "a < b &amp; c & d");
/// ```
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, entity)) = rest.find('&').and_then(|at| rest.split_at_checked(at)) {
        decoded.push_str(before);
        let mut characters = entity.chars();
        // If it is not an entity, the `&` is text.
        let ampersand = || Some((characters.next()?, characters.as_str()));
        let Some((character, after)) = read_entity(entity).or_else(ampersand) else { break };
        decoded.push(character);
        rest = after;
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// Encodes the characters that have a meaning in tags, so that the text can be the content of an
/// element or a quoted attribute value.
///
/// ```
/// # use prompty_template as typed_prompty;
/// use typed_prompty::message_tags::syntax::{decode_entities, encode_entities};
///
/// let text = "a < b & \"c\"";
/// assert_eq!(encode_entities(text), "a &lt; b &amp; &quot;c&quot;");
/// assert_eq!(decode_entities(&encode_entities(text)), text);
/// ```
pub fn encode_entities(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _ = write_escaped(text, &mut encoded);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<(&str, &str)>, TagProblem> {
        let tag = read_tag(text).map_err(|broken| broken.problem)?;
        Ok(tag.attributes.iter().map(|it| (it.name, it.value)).collect())
    }

    #[test]
    fn a_tag_has_attributes_in_either_quotation_marks() {
        let read = names("<message role=\"user\"\n name = 'Ada \"A\"' >x");
        assert_eq!(read, Ok(vec![("role", "user"), ("name", "Ada \"A\"")]));
    }

    #[test]
    fn a_tag_opens_or_closes_or_does_both() {
        let form = |text| read_tag(text).map(|tag| (tag.form, tag.length));
        assert_eq!(form("<a>"), Ok((TagForm::Opening, 3)));
        assert_eq!(form("</a >x"), Ok((TagForm::Closing, 5)));
        assert_eq!(form("<a b='c'/>"), Ok((TagForm::Empty, 10)));
        assert_eq!(form("<a />"), Ok((TagForm::Empty, 5)));
    }

    #[test]
    fn an_invalid_tag_has_a_problem() {
        use TagProblem::{NoEnd, NoName, NoQuotes, Stray, Twice};
        let cases = [
            ("< a>", NoName),
            ("<3", NoName),
            ("<a", NoEnd),
            ("<a b='c", NoEnd),
            ("<a <b>", NoEnd),
            ("<a b='<'>", NoEnd),
            ("<a b=c>", NoQuotes),
            ("<a b>", NoQuotes),
            ("<a b='c'd>", Stray),
            ("<a ,>", Stray),
            ("</a b>", Stray),
            ("<a b='' b=''>", Twice),
        ];
        for (text, problem) in cases {
            assert_eq!(names(text), Err(problem), "{text}");
        }
    }

    #[test]
    fn known_entities_are_decoded_once_and_others_are_kept() {
        let text = "&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&nbsp;&;&#;&#x110000;&amp;lt;&#0;&#+5;";
        assert_eq!(decode_entities(text), "<>&\"'AB&nbsp;&;&#;&#x110000;&lt;&#0;&#+5;");
    }

    #[test]
    fn an_encoded_attribute_value_is_not_decoded_twice() {
        let nonce = "00000000000000ab";
        let data = crate::role_markers::syntax::encode_attribute("&lt;\"'", nonce);
        let text = format!("<message name='a &amp; {data}'>");
        let tag = read_tag(&text).unwrap();
        assert_eq!(tag.attributes[0].decoded(nonce), "a & &lt;\"'");
    }

    proptest::proptest! {
        #[test]
        fn encoded_text_has_no_tag_and_is_decoded_to_itself(text in ".*") {
            let encoded = encode_entities(&text);
            proptest::prop_assert!(!encoded.contains(['<', '>', '"', '\'']));
            proptest::prop_assert_eq!(decode_entities(&encoded), text);
        }

        #[test]
        fn any_text_can_be_read(text in "<(message|[a-z/<>='\" &;#x0-9{}])*") {
            if let Ok(tag) = read_tag(&text) {
                proptest::prop_assert!(text.get(..tag.length).unwrap().ends_with('>'));
            }
        }
    }
}
