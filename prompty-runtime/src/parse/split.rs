//! Finds the role markers of a rendered text and cuts it at them.

use super::Section;
use crate::message::Role;
use crate::nonce::{Nonce, marker};
use crate::value::Map;

/// Cuts at every line that matches the expression of §6.2.
pub(super) fn plain(text: &str) -> Vec<Section<'_>> {
    let mut cutter = Cutter::new(text);
    let mut line_start = 0;
    for line in text.split('\n') {
        let line_end = line_start + line.len();
        if let Some(found) = marker::match_line(line) {
            let metadata = metadata_of(line, &found, "");
            cutter.cut(line_start, found.role, metadata, line_end);
        }
        line_start = line_end + 1;
    }
    cutter.finish()
}

/// Cuts at the markers that carry the nonce.
///
/// They are found by the nonce alone, so the text is never read line by line. A marker opens its
/// message even where white-space control left it in the middle of a line: what is structure in the
/// template stays structure, whatever the inputs are.
pub(super) fn carrying<'text>(text: &'text str, nonce: &Nonce) -> Vec<Section<'text>> {
    let mut cutter = Cutter::new(text);
    for bracket in memchr::memchr_iter(b'[', text.as_bytes()) {
        if bracket < cutter.content_start {
            continue;
        }
        if let Some(cut) = Cut::at(text, cutter.content_start, bracket, nonce) {
            cutter.cut(cut.start, cut.role, cut.metadata, cut.end);
        }
    }
    cutter.finish()
}

/// A marker in the rendered text: what it opens, and the range of the text that it takes up.
struct Cut {
    role: Role,
    metadata: Map,
    start: usize,
    end: usize,
}

impl Cut {
    /// Reads the marker whose `[nonce=…` begins at `bracket`, if it is one. `floor` is where the last
    /// one ended.
    fn at(text: &str, floor: usize, bracket: usize, nonce: &Nonce) -> Option<Self> {
        let rest = marker::strip_opening(text.get(bracket..)?, nonce)?;
        let before = text.get(floor..bracket)?;
        let line_start =
            floor + before.bytes().rposition(|byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = text.get(line_start..bracket)?;
        let role = exact_role(line).or_else(|| role_at_end(line))?;
        let role_start = bracket - role.as_str().len();
        let alone = text.get(line_start..role_start)?.bytes().all(|byte| byte == b' ');
        // The form that nearly all markers have needs no expression.
        if let Some(rest) = rest.strip_prefix("]:")
            && alone
            && (rest.is_empty() || rest.starts_with('\n'))
        {
            let end = text.len() - rest.len();
            return Some(Self { role, metadata: Map::new(), start: line_start, end });
        }
        let line_length = text.get(line_start..)?.split('\n').next()?.len();
        let line = text.get(line_start..line_start + line_length)?;
        if let Some(found) = marker::match_line(line) {
            let metadata = metadata_of(line, &found, nonce.as_str());
            let end = line_start + line_length;
            return Some(Self { role: found.role, metadata, start: line_start, end });
        }
        let (attributes, behind) = rest.split_once(']')?;
        let behind = behind.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let metadata = collect_attributes(attributes, nonce.as_str());
        Some(Self { role, metadata, start: role_start, end: text.len() - behind.len() })
    }
}

/// The role whose name the text is, as nearly all templates write it.
fn exact_role(text: &str) -> Option<Role> {
    match text {
        "system" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "developer" => Some(Role::Developer),
        _ => None,
    }
}

/// The role whose name the text ends with, in any case.
fn role_at_end(text: &str) -> Option<Role> {
    Role::OF_MARKERS.into_iter().find(|role| {
        let start = text.len().checked_sub(role.as_str().len());
        let name = start.and_then(|start| text.get(start..));
        name.is_some_and(|name| name.eq_ignore_ascii_case(role.as_str()))
    })
}

fn metadata_of(line: &str, found: &marker::MarkerLine, nonce: &str) -> Map {
    let range = found.attributes_range.clone();
    let attributes = range.and_then(|range| line.get(range)).unwrap_or_default();
    collect_attributes(attributes, nonce)
}

/// Attributes as metadata, without the nonce. Values that an expression wrote are spelt in
/// hexadecimal digits behind the nonce, so that nothing in them can end the marker.
fn collect_attributes(attributes: &str, nonce: &str) -> Map {
    let mut metadata = Map::new();
    for attribute in marker::attributes(attributes) {
        if attribute.name == "nonce" && attribute.value == nonce {
            continue;
        }
        let value = marker::decode_attribute(attribute, nonce);
        metadata.insert(attribute.name, value);
    }
    metadata
}

/// Collects sections while markers are found from left to right.
struct Cutter<'text> {
    text: &'text str,
    sections: Vec<Section<'text>>,
    open: Option<(Role, Map)>,
    content_start: usize,
}

impl<'text> Cutter<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, sections: Vec::new(), open: None, content_start: 0 }
    }

    fn cut(&mut self, start: usize, role: Role, metadata: Map, end: usize) {
        self.close(start);
        self.open = Some((role, metadata));
        self.content_start = end;
    }

    fn close(&mut self, end: usize) {
        let text = self.text.get(self.content_start..end).unwrap_or_default();
        match self.open.take() {
            Some((role, metadata)) => self.sections.push(Section { role, metadata, text }),
            None if text.trim().is_empty() => {}
            None => {
                self.sections.push(Section { role: Role::System, metadata: Map::new(), text });
            }
        }
    }

    fn finish(mut self) -> Vec<Section<'text>> {
        self.close(self.text.len());
        self.sections
    }
}
