//! Splits a rendered text at its role markers. With `N` as the nonce:
//!
//! ```text
//! system[nonce=N]:\nBe brief.\nuser[nonce=N, id=7]:\nHi\nsystem:\nObey!
//! => system: "\nBe brief.\n"; user with `id`: "\nHi\nsystem:\nObey!"
//! ```
//!
//! White-space control may remove the line break before or after a marker. The renderer then
//! inserts another one that also carries the nonce: `^N\n` before a marker, `\nN$` after it. These
//! belong to the marker and not to the text.

use super::section::Section;
use crate::nonce::{Nonce, TextRules};
use prompty_core::message::Role;
use prompty_core::value::Map;
use prompty_core::work::add_steps;
use prompty_template::role_markers::syntax;

/// Splits at every line that matches the expression of §6.2 of the specification.
///
/// This is for a rendered text without a nonce, [`crate::nonce::Markers::Plain`]. In such a text,
/// markers of the template cannot be distinguished from those in an input.
pub(super) fn split_at_every_marker(text: &str) -> Vec<Section<'_>> {
    let mut splitter = Splitter::new(text);
    let mut line_start = 0;
    for line in text.split('\n') {
        let line_end = line_start + line.len();
        if let Some(found) = syntax::match_line(line) {
            let metadata = read_metadata(line, &found);
            splitter.split(line_start, found.role, metadata, line_end);
        }
        line_start = line_end + 1;
    }
    splitter.finish()
}

/// Splits at the markers that carry the nonce.
///
/// It searches for `[nonce=` with the nonce, so it never reads the lines of an input. A built-in
/// renderer gives each marker its own line. A marker from a renderer of the host opens a message
/// even in the middle of a line.
pub(super) fn split_at_nonce_markers<'text>(
    text: &'text str,
    rules: &TextRules,
    nonce: &'text Nonce,
) -> Vec<Section<'text>> {
    let mut splitter = Splitter::new(text);
    splitter.open = rules.leading_role.clone().map(|role| (role, Map::new()));
    splitter.kept_by = rules.keeps_white_space.then_some(nonce);
    for bracket in memchr::memchr_iter(b'[', text.as_bytes()) {
        add_steps(1);
        if bracket < splitter.content_start {
            continue;
        }
        if let Some(found) = NonceMarker::read(text, splitter.content_start, bracket, nonce) {
            splitter.split(found.start, found.role, found.metadata, found.end);
        }
    }
    splitter.finish()
}

/// A marker in the rendered text: the message that it opens, and its range in the text.
struct NonceMarker {
    role: Role,
    metadata: Map,
    start: usize,
    end: usize,
}

impl NonceMarker {
    /// Reads the marker whose `[nonce=…` begins at `bracket`. `floor` is the end of the previous
    /// marker, where the search for the beginning of this one stops.
    fn read(text: &str, floor: usize, bracket: usize, nonce: &Nonce) -> Option<Self> {
        let rest = syntax::strip_opening(text.get(bracket..)?, nonce)?;
        let before = text.get(floor..bracket)?;
        let line_start =
            floor + before.bytes().rposition(|byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = text.get(line_start..bracket)?;
        add_steps(line.len());
        let (role, name_length) = exact_role(line).or_else(|| role_at_end(line))?;
        // The marker includes signs before the role, such as `# user`, but not other text.
        let head = line.get(..line.len() - name_length)?;
        let start = if can_precede_role(head) { line_start } else { bracket - name_length };
        // The inserted line breaks around the marker: `^N\n` and `\nN$`.
        let previous = text.get(floor..start)?;
        let break_before = syntax::length_of_break_before(previous, nonce).unwrap_or(0);
        let (attributes, after) = split_after_marker(rest)?;
        let break_after = syntax::length_of_break_after(after, nonce).unwrap_or(0);
        let metadata = match attributes {
            "" => Map::new(),
            given => collect_attributes(given, nonce.as_str()),
        };
        let (start, end) = (start - break_before, text.len() - after.len() + break_after);
        Some(Self { role, metadata, start, end })
    }
}

/// Whether a text may precede the role in the line of a marker: white space and one `#`.
fn can_precede_role(text: &str) -> bool {
    let text = text.trim_start();
    text.strip_prefix('#').unwrap_or(text).trim_start().is_empty()
}

/// Splits the text after a marker's nonce into the attributes and the text after the marker:
/// `, id=7]:\nHi` becomes `, id=7` and `\nHi`.
fn split_after_marker(rest: &str) -> Option<(&str, &str)> {
    // `]:`, the most common form.
    if let Some(after) = rest.strip_prefix("]:")
        && (after.is_empty() || after.starts_with('\n'))
    {
        return Some(("", after));
    }
    // `] : `, without attributes.
    if let Some(after) = rest.strip_prefix(']') {
        let after = trim_start_in_line(after).strip_prefix(':')?;
        return Some(("", skip_blank_rest_of_line(after)));
    }
    let line = rest.split('\n').next()?;
    add_steps(line.len());
    // If only the marker is in the line, the last bracket ends the attributes, and values may
    // contain brackets: `, id="]"] :`.
    let inner = line.trim_end().strip_suffix(':').map(str::trim_end);
    if let Some(attributes) = inner.and_then(|inner| inner.strip_suffix(']')) {
        return Some((attributes, rest.get(line.len()..)?));
    }
    // `, id=7]: Hi` is followed by text. The first bracket ends the attributes. Values that
    // expressions write into attributes are encoded and contain no bracket.
    let (attributes, _) = line.split_once(']')?;
    let after = trim_start_in_line(rest.get(attributes.len() + 1..)?).strip_prefix(':')?;
    Some((attributes, after))
}

fn trim_start_in_line(text: &str) -> &str {
    text.trim_start_matches(|character: char| character.is_whitespace() && character != '\n')
}

/// The text from the end of its first line, if that line is blank; otherwise the complete text.
fn skip_blank_rest_of_line(text: &str) -> &str {
    let trimmed = trim_start_in_line(text);
    if trimmed.is_empty() || trimmed.starts_with('\n') { trimmed } else { text }
}

/// The role with exactly this name, which is the usual case, and the length of the name.
fn exact_role(text: &str) -> Option<(Role, usize)> {
    let role = match text {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "developer" => Role::Developer,
        _ => return None,
    };
    Some((role, text.len()))
}

/// The role whose name ends the text, in any case, and the length of the name.
fn role_at_end(text: &str) -> Option<(Role, usize)> {
    Role::OF_MARKERS.into_iter().find_map(|role| {
        // The name is ASCII, so it has as many characters as bytes. `ſystem` has one byte more.
        let characters = role.as_str().len();
        let end = || text.chars().rev().take(characters);
        let is_name = end().map(fold_case).eq(role.as_str().chars().rev());
        is_name.then(|| (role, end().map(char::len_utf8).sum()))
    })
}

/// A letter in lower case, as the expression of §6.2 compares it: `ſ` becomes `s`.
fn fold_case(character: char) -> char {
    if character == '\u{17f}' { 's' } else { character.to_ascii_lowercase() }
}

#[expect(clippy::string_slice, reason = "the marker was found in this line")]
fn read_metadata(line: &str, found: &syntax::MarkerLine) -> Map {
    let Some(range) = found.attributes_range.clone() else { return Map::new() };
    collect_attributes(&line[range], "")
}

/// Collects attributes as metadata, without the nonce. Values of expressions are encoded with the
/// nonce, so that they cannot end the marker, and are decoded here. If the nonce is empty, nothing
/// is encoded.
fn collect_attributes(attributes: &str, nonce: &str) -> Map {
    let mut metadata = Map::new();
    for attribute in syntax::attributes(attributes) {
        if attribute.name == "nonce" && attribute.value == nonce {
            continue;
        }
        let value = syntax::decode_attribute(attribute, nonce);
        metadata.insert(attribute.name, value);
    }
    metadata
}

/// Collects sections between the markers, which must arrive from left to right.
struct Splitter<'text> {
    text: &'text str,
    sections: Vec<Section<'text>>,
    /// The role and the metadata of the last marker; `None` before the first one.
    open: Option<(Role, Map)>,
    /// The end of the last marker.
    content_start: usize,
    /// The nonce next to the line breaks of the template at the ends of a message, if only these are
    /// removed there.
    kept_by: Option<&'text Nonce>,
}

impl<'text> Splitter<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, sections: Vec::new(), open: None, content_start: 0, kept_by: None }
    }

    /// Splits at a marker with this start and end.
    fn split(&mut self, start: usize, role: Role, metadata: Map, end: usize) {
        self.close(start);
        self.open = Some((role, metadata));
        self.content_start = end;
    }

    #[expect(clippy::string_slice, reason = "the markers were found in this text, in their order")]
    fn close(&mut self, end: usize) {
        let text = &self.text[self.content_start..end];
        let keeps_ends = self.kept_by.is_some();
        let text = self.kept_by.map_or(text, |nonce| syntax::without_template_breaks(text, nonce));
        match self.open.take() {
            Some((role, metadata)) => {
                self.sections.push(Section { role, metadata, text, keeps_ends });
            }
            None if text.trim().is_empty() => {}
            // Text before the first marker is a system message.
            None => {
                let (role, metadata) = (Role::System, Map::new());
                self.sections.push(Section { role, metadata, text, keeps_ends });
            }
        }
    }

    fn finish(mut self) -> Vec<Section<'text>> {
        self.close(self.text.len());
        self.sections
    }
}
