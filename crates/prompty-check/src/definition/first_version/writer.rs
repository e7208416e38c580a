//! Writes a converted front matter. Unchanged entries are copied from the file with their comments,
//! under their new keys and with their new indentation. Only changed entries are written anew.

use std::collections::{HashMap, HashSet};

use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use crate::definition::scalar;
use prompty_core::diagnostic::SourceSpan;

/// The indentation of each level.
const INDENT: usize = 2;

/// Writes `wanted` in place of `written`, the front matter at `span` in `text`.
pub(super) fn front_matter(
    text: &str,
    span: SourceSpan,
    written: &Mapping,
    wanted: &Mapping,
) -> String {
    let mut originals = OriginalEntries { text, entries: HashMap::new(), order: Vec::new() };
    originals.add_map(written, span.start, span.end);
    let mut uses = HashMap::new();
    count(wanted, &mut uses);
    let mut writer = FrontMatterWriter {
        text,
        originals,
        uses,
        commented: HashSet::new(),
        copied: HashSet::new(),
        out: String::new(),
    };
    let first = written.iter().next().map_or(span.start, |(_, entry)| entry.key.start);
    let indent = column(text, first);
    writer.map(wanted, indent);
    writer.remaining_comments(indent);
    writer.out
}

/// An entry of the file.
#[derive(Clone, Copy)]
struct OriginalEntry<'n> {
    entry: &'n Entry,
    /// The comments and empty lines above it.
    above: SourceSpan,
    /// The end of the entry's lines; `None` in a flow map.
    end: Option<usize>,
}

/// The entries of the file by the places of their keys.
struct OriginalEntries<'n, 't> {
    text: &'t str,
    entries: HashMap<SourceSpan, OriginalEntry<'n>>,
    order: Vec<SourceSpan>,
}

struct FrontMatterWriter<'n, 't> {
    text: &'t str,
    originals: OriginalEntries<'n, 't>,
    /// The number of times that the key at a place is written.
    uses: HashMap<SourceSpan, usize>,
    /// The keys whose comments have been written.
    commented: HashSet<SourceSpan>,
    /// The keys that were copied with their complete content.
    copied: HashSet<SourceSpan>,
    out: String,
}

impl<'n> OriginalEntries<'n, '_> {
    /// Adds the entries of a map between two places.
    fn add_map(&mut self, mapping: &'n Mapping, start: usize, end: usize) {
        let entries: Vec<&Entry> = mapping.entries.values().collect();
        let mut above_start = start;
        for (index, entry) in entries.iter().enumerate() {
            let above = self.above(entry.key.start, above_start);
            let next = entries.get(index + 1);
            let limit = next.map_or(end, |next| line_start(self.text, next.key.start));
            let content = content_end(entry).min(limit).max(entry.key.end);
            let own_end = next.map_or(end, |next| self.above(next.key.start, content).start);
            self.insert(entry, OriginalEntry { entry, above, end: Some(own_end) });
            self.add_inside(&entry.value, entry.key.end, own_end);
            above_start = content;
        }
    }

    fn add_inside(&mut self, node: &'n Node, start: usize, end: usize) {
        let is_flow = is_flow(self.text, node);
        match &node.kind {
            NodeKind::Map(mapping) if is_flow => {
                for entry in mapping.entries.values() {
                    let above = SourceSpan::new(entry.key.start, entry.key.start);
                    self.insert(entry, OriginalEntry { entry, above, end: None });
                    self.add_inside(&entry.value, start, end);
                }
            }
            NodeKind::Map(mapping) => self.add_map(mapping, start, end),
            NodeKind::List(items) => {
                let mut from = start;
                for (index, item) in items.iter().enumerate() {
                    let next = items.get(index + 1);
                    let limit = next.map_or(end, |next| line_start(self.text, next.span.start));
                    let content = node_end(item).min(limit).max(item.span.start);
                    let own_end =
                        next.map_or(end, |next| self.above(next.span.start, content).start);
                    self.add_inside(item, from, own_end);
                    from = content;
                }
            }
            _ => {}
        }
    }

    fn insert(&mut self, entry: &'n Entry, original: OriginalEntry<'n>) {
        if self.entries.insert(entry.key, original).is_none() {
            self.order.push(entry.key);
        }
    }

    /// The comments and empty lines directly above the line of a place, but not above `from`.
    fn above(&self, place: usize, from: usize) -> SourceSpan {
        let end = line_start(self.text, place);
        let mut start = end;
        while start > 0 {
            let above = line_start(self.text, start - 1);
            let line = self.text.get(above..start).map(str::trim);
            let is_apart = line.is_some_and(|line| line.is_empty() || line.starts_with('#'));
            if above < from || !is_apart {
                break;
            }
            start = above;
        }
        SourceSpan::new(start, end)
    }
}

impl<'t> FrontMatterWriter<'_, 't> {
    /// The part of the file between two places. If the places are not in order, it is empty, and
    /// the caller rejects the result.
    #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives places in the text")]
    fn written(&self, start: usize, end: usize) -> &'t str {
        let end = self.text.floor_char_boundary(end);
        &self.text[self.text.floor_char_boundary(start).min(end)..end]
    }

    fn map(&mut self, mapping: &Mapping, indent: usize) {
        for (key, entry) in mapping.iter() {
            self.entry(key, entry, indent);
        }
    }

    fn entry(&mut self, key: &str, entry: &Entry, indent: usize) {
        let original = self.originals.entries.get(&entry.key).copied();
        let Some(original) = original else {
            self.new_entry(key, &entry.value, indent);
            return;
        };
        if self.commented.insert(entry.key) {
            self.lines(self.written(original.above.start, original.above.end), indent);
        }
        let name = self.name(key, entry.key);
        if is_same(&original.entry.value, &entry.value) {
            self.copied.insert(entry.key);
            self.copy(&name, &original, indent);
            return;
        }
        // The same key may be written again at a deeper level, with the rest of its lines.
        let is_last = self.uses.get(&entry.key).is_none_or(|uses| *uses < 2);
        let rest = if is_last { self.rest(&original) } else { "" };
        let (comment, below) = rest.split_once('\n').unwrap_or((rest, ""));
        self.changed_entry(&name, &entry.value, comment, indent);
        self.lines(below, indent);
    }

    /// The text after the value of an entry, or after its key if the value is on the lines below.
    fn rest(&self, original: &OriginalEntry<'_>) -> &'t str {
        let Some(end) = original.end else { return "" };
        let value = &original.entry.value;
        let is_block = matches!(value.kind, NodeKind::Map(_) | NodeKind::List(_))
            && !is_flow(self.text, value);
        if !is_block {
            return self.written(node_end(value).min(end), end);
        }
        let line = self.written(original.entry.key.end, end).split('\n').next();
        let comment = line.and_then(|line| line.get(line.find(" #")?..));
        comment.unwrap_or("")
    }

    fn changed_entry(&mut self, name: &str, value: &Node, comment: &str, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(name);
        self.out.push(':');
        match &value.kind {
            NodeKind::Map(mapping) if !mapping.entries.is_empty() => {
                self.end_line(comment);
                self.map(mapping, indent + INDENT);
            }
            NodeKind::List(items) if !items.is_empty() => {
                self.end_line(comment);
                items.iter().for_each(|item| self.item(item, indent + INDENT));
            }
            NodeKind::Null => self.end_line(comment),
            _ => {
                self.out.push(' ');
                self.out.push_str(&self.scalar(value));
                self.end_line(comment);
            }
        }
    }

    fn new_entry(&mut self, key: &str, value: &Node, indent: usize) {
        self.changed_entry(&plain_or_quoted(key), value, "", indent);
    }

    fn item(&mut self, item: &Node, indent: usize) {
        let start = self.out.len();
        match &item.kind {
            NodeKind::Map(mapping) if !mapping.entries.is_empty() => {
                self.map(mapping, indent + INDENT);
                let dash = self.first_line_of_content(start) + indent;
                if self.out.get(dash..).is_some_and(|rest| rest.starts_with(' ')) {
                    self.out.replace_range(dash..=dash, "-");
                }
            }
            NodeKind::List(items) if !items.is_empty() => {
                let text = item.to_value().to_string();
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.out.push_str(&format!("- {text}\n"));
            }
            _ => {
                let text = self.scalar(item);
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.out.push_str(&format!("- {text}\n"));
            }
        }
    }

    /// The start of the first line that is neither empty nor a comment.
    fn first_line_of_content(&self, start: usize) -> usize {
        let mut place = start;
        let lines = self.out.get(start..).into_iter().flat_map(|it| it.split_inclusive('\n'));
        for line in lines {
            let content = line.trim();
            if !content.is_empty() && !content.starts_with('#') {
                return place;
            }
            place += line.len();
        }
        start
    }

    /// Copies an entry of the file under a name.
    fn copy(&mut self, name: &str, original: &OriginalEntry<'_>, indent: usize) {
        let key = original.entry.key;
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(name);
        let Some(end) = original.end else {
            let value = &original.entry.value;
            let text = self.written(value.span.start, value.span.end);
            let text = if value.is_null() { "" } else { text };
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let separator = if text.is_empty() { ":" } else { ": " };
            self.out.push_str(separator);
            self.out.push_str(&lines.join(&format!("\n{}", " ".repeat(indent + INDENT))));
            self.out.push('\n');
            return;
        };
        let was = column(self.text, key.start);
        let text = self.written(key.end, end);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if index > 0 {
                self.shifted(line, was, indent);
            } else {
                self.out.push_str(line);
            }
        }
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Writes a line whose key moves from one column to another.
    fn shifted(&mut self, line: &str, was: usize, indent: usize) {
        let content = line.trim_start_matches(' ');
        let spaces = line.len() - content.len();
        let is_blank = line.trim().is_empty();
        let wanted = (spaces + indent).saturating_sub(was);
        let kept = if is_blank { spaces.min(wanted) } else { wanted };
        self.out.extend(std::iter::repeat_n(' ', kept));
        self.out.push_str(content);
    }

    /// Writes comments with their new indentation, and empty lines.
    fn lines(&mut self, comments: &str, indent: usize) {
        for line in comments.lines() {
            if !line.trim().is_empty() {
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.out.push_str(line.trim());
            }
            self.out.push('\n');
        }
    }

    fn end_line(&mut self, comment: &str) {
        let comment = comment.trim();
        if comment.starts_with('#') {
            self.out.push(' ');
            self.out.push_str(comment);
        }
        self.out.push('\n');
    }

    /// Writes the comments of keys that the second version does not have.
    fn remaining_comments(&mut self, indent: usize) {
        let mut copied_until = 0;
        for key in std::mem::take(&mut self.originals.order) {
            let Some(original) = self.originals.entries.get(&key).copied() else { continue };
            if self.copied.contains(&key) {
                copied_until = copied_until.max(original.end.unwrap_or_default());
            }
            let is_written = self.commented.contains(&key) || key.start < copied_until;
            if is_written {
                continue;
            }
            let above = self.written(original.above.start, original.above.end);
            let comments = above.lines().chain(self.rest(&original).lines()).map(str::trim);
            comments.filter(|line| line.starts_with('#')).for_each(|line| self.lines(line, indent));
        }
    }

    /// The file's spelling of a key, if the key has not changed.
    fn name(&self, key: &str, span: SourceSpan) -> String {
        let written = self.written(span.start, span.end);
        let unquoted = written.trim_matches(['"', '\'']);
        if unquoted == key { written.to_owned() } else { plain_or_quoted(key) }
    }

    /// A scalar or an empty collection in the file's spelling if it has one, otherwise as JSON.
    fn scalar(&self, value: &Node) -> String {
        match &value.kind {
            NodeKind::Text(text) => {
                // A string from another file has no place in this file.
                match self.text.get(value.span.start..value.span.end) {
                    Some(written) if is_plainly_written(written, text) => written.to_owned(),
                    _ => plain_or_quoted(text),
                }
            }
            _ => value.to_value().to_string(),
        }
    }
}

/// Whether `written`, which may be quoted, has exactly the characters of `text`.
fn is_plainly_written(written: &str, text: &str) -> bool {
    written.trim_matches(['"', '\'']) == text && !written.contains(['\n', '\\'])
}

/// Counts the number of times that each key of the file is written.
fn count(mapping: &Mapping, uses: &mut HashMap<SourceSpan, usize>) {
    for entry in mapping.entries.values() {
        *uses.entry(entry.key).or_default() += 1;
        count_inside(&entry.value, uses);
    }
}

fn count_inside(node: &Node, uses: &mut HashMap<SourceSpan, usize>) {
    match &node.kind {
        NodeKind::Map(mapping) => count(mapping, uses),
        NodeKind::List(items) => items.iter().for_each(|item| count_inside(item, uses)),
        _ => {}
    }
}

/// Whether a value is unchanged from the file.
fn is_same(one: &Node, other: &Node) -> bool {
    if one.span != other.span || one.origin != other.origin {
        return false;
    }
    match (&one.kind, &other.kind) {
        (NodeKind::List(one), NodeKind::List(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(a, b)| is_same(a, b))
        }
        (NodeKind::Map(one), NodeKind::Map(other)) => {
            let mut pairs = one.entries.iter().zip(&other.entries);
            one.entries.len() == other.entries.len()
                && pairs.all(|((one_key, one), (other_key, other))| {
                    one_key == other_key
                        && one.key == other.key
                        && is_same(&one.value, &other.value)
                })
        }
        (NodeKind::List(_) | NodeKind::Map(_), _) => false,
        _ => one.to_value() == other.to_value(),
    }
}

/// A word without quotes, or a string in quotes if YAML would not read it as a string.
fn plain_or_quoted(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_word && matches!(scalar::resolve(text), NodeKind::Text(_)) {
        return text.to_owned();
    }
    prompty_core::value::Value::from(text).to_json()
}

fn content_end(entry: &Entry) -> usize {
    entry.key.end.max(node_end(&entry.value))
}

/// The end of the text of a value.
fn node_end(node: &Node) -> usize {
    let inside = match &node.kind {
        NodeKind::List(items) => items.iter().map(node_end).max(),
        NodeKind::Map(mapping) => mapping.entries.values().map(content_end).max(),
        _ => None,
    };
    inside.unwrap_or(node.span.start).max(node.span.end)
}

fn is_flow(text: &str, node: &Node) -> bool {
    text.get(node.span.start..).is_some_and(|rest| rest.starts_with(['{', '[']))
}

fn line_start(text: &str, place: usize) -> usize {
    let newline = text.get(..place).and_then(|before| before.rfind('\n'));
    newline.map_or(0, |newline| newline + 1)
}

/// The column of a place, in bytes.
fn column(text: &str, place: usize) -> usize {
    place - line_start(text, place)
}
