//! Writes a converted front matter. Unchanged entries are copied from the file with their comments,
//! under their new keys and with their new indentation. Only changed entries are written anew.
//!
//! An entry of the converted tree has the span of the key that it was made from.
//! [`OriginalEntries`] finds the lines of the file that belong to each such span: the comments
//! above the key, the value, and the rest of its last line. [`FrontMatterWriter`] then visits the
//! converted tree:
//!
//! ```text
//! file                         converted tree                 result
//!
//! authors: # all of them       model:                         model:
//!   - A                          apiType: chat (from `api`)     # which API
//! model:                       metadata:                        apiType: chat # default
//!   # which API                  authors: [A]                 metadata:
//!   api: chat # default                                         authors: # all of them
//!                                                                 - A
//! ```
//!
//! The values of `api` and `authors` are the same, so their lines are copied. `model` has another
//! value and `metadata` is new, so both are written anew. The comments of keys that are not in the
//! converted tree are written at the end.

use std::collections::{HashMap, HashSet};

use crate::definition::node::{Entry, Mapping, Node, NodeKind};
use crate::definition::scalar;
use prompty_core::diagnostic::SourceSpan;

/// The indentation of each level.
const INDENT: usize = 2;

/// Writes `converted` in place of `original`, the front matter at `span` in `text`.
pub(super) fn rewrite_front_matter(
    text: &str,
    span: SourceSpan,
    original: &Mapping,
    converted: &Mapping,
) -> String {
    let mut originals = OriginalEntries { text, entries: HashMap::new(), order: Vec::new() };
    originals.add_map(original, span.start, span.end);
    let mut uses = HashMap::new();
    count_uses(converted, &mut uses);
    let mut writer = FrontMatterWriter {
        text,
        originals,
        uses,
        commented: HashSet::new(),
        copied: HashSet::new(),
        out: String::new(),
    };
    let first = original.iter().next().map_or(span.start, |(_, entry)| entry.key.start);
    let indent = column(text, first);
    writer.write_map(converted, indent);
    writer.write_remaining_comments(indent);
    writer.out
}

/// An entry of the file.
#[derive(Clone, Copy)]
struct OriginalEntry<'n> {
    entry: &'n Entry,
    /// The comments and empty lines above it.
    above: SourceSpan,
    /// The end of the entry's lines; `None` in a flow map, where it shares its lines.
    end: Option<usize>,
}

/// The entries of the file by the spans of their keys.
struct OriginalEntries<'n, 't> {
    text: &'t str,
    entries: HashMap<SourceSpan, OriginalEntry<'n>>,
    /// The keys in the order of the file.
    order: Vec<SourceSpan>,
}

struct FrontMatterWriter<'n, 't> {
    text: &'t str,
    originals: OriginalEntries<'n, 't>,
    /// How often each key of the file occurs in the converted tree.
    uses: HashMap<SourceSpan, usize>,
    /// The keys whose comments have been written.
    commented: HashSet<SourceSpan>,
    /// The keys that were copied with their complete content.
    copied: HashSet<SourceSpan>,
    out: String,
}

/// The ends of an entry or a list item in block style.
struct BlockEnds {
    /// The end of its value.
    content: usize,
    /// The end of its lines, with the comments after the value.
    lines: usize,
}

impl<'n> OriginalEntries<'n, '_> {
    /// Adds the entries of a block map between two places.
    fn add_map(&mut self, mapping: &'n Mapping, start: usize, end: usize) {
        let entries: Vec<&Entry> = mapping.entries.values().collect();
        let mut previous_end = start;
        for (index, entry) in entries.iter().enumerate() {
            let above = self.lines_above(entry.key.start, previous_end);
            let next = entries.get(index + 1).map(|next| next.key.start);
            let ends = self.block_ends(entry.key.end, entry_end(entry), next, end);
            self.insert(entry, OriginalEntry { entry, above, end: Some(ends.lines) });
            self.add_inside(&entry.value, entry.key.end, ends.lines);
            previous_end = ends.content;
        }
    }

    /// Adds the entries inside of a value, whose lines are between two places.
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
                let mut previous_end = start;
                for (index, item) in items.iter().enumerate() {
                    let next = items.get(index + 1).map(|next| next.span.start);
                    let ends = self.block_ends(item.span.start, node_end(item), next, end);
                    self.add_inside(item, previous_end, ends.lines);
                    previous_end = ends.content;
                }
            }
            _ => {}
        }
    }

    /// The ends of an entry or item whose value ends at `value_end`, but not before `least`. Its
    /// lines end before the comments above the next one, or else at the end of the collection.
    fn block_ends(
        &self,
        least: usize,
        value_end: usize,
        next: Option<usize>,
        collection_end: usize,
    ) -> BlockEnds {
        let most = next.map_or(collection_end, |next| line_start(self.text, next));
        let content = value_end.min(most).max(least);
        let lines = next.map_or(collection_end, |next| self.lines_above(next, content).start);
        BlockEnds { content, lines }
    }

    fn insert(&mut self, entry: &'n Entry, original: OriginalEntry<'n>) {
        if self.entries.insert(entry.key, original).is_none() {
            self.order.push(entry.key);
        }
    }

    /// The comments and empty lines directly above the line of a place, but not before `least`.
    fn lines_above(&self, place: usize, least: usize) -> SourceSpan {
        let end = line_start(self.text, place);
        let mut start = end;
        while start > 0 {
            let previous = line_start(self.text, start - 1);
            let line = self.text.get(previous..start).map(str::trim);
            let has_no_content = line.is_some_and(|it| it.is_empty() || it.starts_with('#'));
            if previous < least || !has_no_content {
                break;
            }
            start = previous;
        }
        SourceSpan::new(start, end)
    }
}

impl<'t> FrontMatterWriter<'_, 't> {
    /// The part of the file between two places. If the places are not in order, it is empty, and
    /// the caller rejects the result.
    #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives places in the text")]
    fn file_text(&self, start: usize, end: usize) -> &'t str {
        let end = self.text.floor_char_boundary(end);
        &self.text[self.text.floor_char_boundary(start).min(end)..end]
    }

    fn write_map(&mut self, mapping: &Mapping, indent: usize) {
        for (key, entry) in mapping.iter() {
            self.write_entry(key, entry, indent);
        }
    }

    /// Writes an entry of the converted tree: copies its lines if it has not changed.
    fn write_entry(&mut self, key: &str, entry: &Entry, indent: usize) {
        let original = self.originals.entries.get(&entry.key).copied();
        let Some(original) = original else {
            self.write_anew(&plain_or_quoted(key), &entry.value, "", indent);
            return;
        };
        if self.commented.insert(entry.key) {
            self.write_comments(self.file_text(original.above.start, original.above.end), indent);
        }
        let name = self.spelling_of_key(key, entry.key);
        if is_same(&original.entry.value, &entry.value) {
            self.copied.insert(entry.key);
            self.copy_entry(&name, &original, indent);
            return;
        }
        // The same key may be written again at a deeper level, with the rest of its lines:
        // `format: jinja2 # x` becomes `format:` with `kind: jinja2 # x` in it.
        let is_only_use = self.uses.get(&entry.key) == Some(&1);
        let rest = if is_only_use { self.text_after_value(&original) } else { "" };
        let (comment, below) = rest.split_once('\n').unwrap_or((rest, ""));
        self.write_anew(&name, &entry.value, comment, indent);
        self.write_comments(below, indent);
    }

    /// The text after the value of an entry, or after its key if the value is on the lines below.
    fn text_after_value(&self, original: &OriginalEntry<'_>) -> &'t str {
        let Some(end) = original.end else { return "" };
        let value = &original.entry.value;
        let is_block = matches!(value.kind, NodeKind::Map(_) | NodeKind::List(_))
            && !is_flow(self.text, value);
        if !is_block {
            return self.file_text(node_end(value).min(end), end);
        }
        let line = self.file_text(original.entry.key.end, end).split('\n').next();
        let comment = line.and_then(|line| line.get(line.find(" #")?..));
        comment.unwrap_or("")
    }

    /// Writes an entry whose lines are not copied. The comment is that of the key's line.
    fn write_anew(&mut self, name: &str, value: &Node, comment: &str, indent: usize) {
        self.write_spaces(indent);
        self.out.push_str(name);
        self.out.push(':');
        match &value.kind {
            NodeKind::Map(mapping) if !mapping.entries.is_empty() => {
                self.end_line(comment);
                self.write_map(mapping, indent + INDENT);
            }
            NodeKind::List(items) if !items.is_empty() => {
                self.end_line(comment);
                items.iter().for_each(|item| self.write_item(item, indent + INDENT));
            }
            NodeKind::Null => self.end_line(comment),
            _ => {
                self.out.push(' ');
                self.out.push_str(&self.value_on_one_line(value));
                self.end_line(comment);
            }
        }
    }

    /// Writes an item of a list.
    fn write_item(&mut self, item: &Node, indent: usize) {
        match &item.kind {
            NodeKind::Map(mapping) if !mapping.entries.is_empty() => {
                let start = self.out.len();
                self.write_map(mapping, indent + INDENT);
                // The dash replaces a space before the first key.
                let dash = self.first_line_of_content(start) + indent;
                if self.out.get(dash..).is_some_and(|rest| rest.starts_with(' ')) {
                    self.out.replace_range(dash..=dash, "-");
                }
            }
            _ => {
                self.write_spaces(indent);
                self.out.push_str(&format!("- {}\n", self.value_on_one_line(item)));
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
    fn copy_entry(&mut self, name: &str, original: &OriginalEntry<'_>, indent: usize) {
        let key = original.entry.key;
        self.write_spaces(indent);
        self.out.push_str(name);
        let Some(end) = original.end else {
            self.copy_flow_value(&original.entry.value, indent);
            return;
        };
        let old_indent = column(self.text, key.start);
        let text = self.file_text(key.end, end);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if index > 0 {
                self.write_shifted(line, old_indent, indent);
            } else {
                self.out.push_str(line);
            }
        }
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Copies the value of an entry in a flow map, which may have several lines.
    fn copy_flow_value(&mut self, value: &Node, indent: usize) {
        let text = self.file_text(value.span.start, value.span.end);
        let text = if value.is_null() { "" } else { text };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        self.out.push_str(if text.is_empty() { ":" } else { ": " });
        self.out.push_str(&lines.join(&format!("\n{}", " ".repeat(indent + INDENT))));
        self.out.push('\n');
    }

    /// Writes a line of an entry whose key moves from one column to another.
    fn write_shifted(&mut self, line: &str, old_indent: usize, indent: usize) {
        let content = line.trim_start_matches(' ');
        let spaces = line.len() - content.len();
        let is_blank = line.trim().is_empty();
        let wanted = (spaces + indent).saturating_sub(old_indent);
        self.write_spaces(if is_blank { spaces.min(wanted) } else { wanted });
        self.out.push_str(content);
    }

    fn write_spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// Writes comments with their new indentation, and empty lines.
    fn write_comments(&mut self, comments: &str, indent: usize) {
        for line in comments.lines() {
            if !line.trim().is_empty() {
                self.write_spaces(indent);
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
    fn write_remaining_comments(&mut self, indent: usize) {
        let mut copied_until = 0;
        for key in std::mem::take(&mut self.originals.order) {
            let Some(original) = self.originals.entries.get(&key).copied() else { continue };
            if self.copied.contains(&key) {
                copied_until = copied_until.max(original.end.unwrap_or_default());
            }
            // A key inside a copied entry was copied with it.
            let is_written = self.commented.contains(&key) || key.start < copied_until;
            if is_written {
                continue;
            }
            let above = self.file_text(original.above.start, original.above.end);
            let lines = above.lines().chain(self.text_after_value(&original).lines());
            let comments = lines.map(str::trim).filter(|line| line.starts_with('#'));
            comments.for_each(|comment| self.write_comments(comment, indent));
        }
    }

    /// The file's spelling of a key, such as `"name"` in quotes, if the key has not changed.
    fn spelling_of_key(&self, key: &str, span: SourceSpan) -> String {
        let written = self.file_text(span.start, span.end);
        let unquoted = written.trim_matches(['"', '\'']);
        if unquoted == key { written.to_owned() } else { plain_or_quoted(key) }
    }

    /// A string in the file's spelling if it has one, and any other value as JSON.
    fn value_on_one_line(&self, value: &Node) -> String {
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
fn count_uses(mapping: &Mapping, uses: &mut HashMap<SourceSpan, usize>) {
    for entry in mapping.entries.values() {
        *uses.entry(entry.key).or_default() += 1;
        count_uses_inside(&entry.value, uses);
    }
}

fn count_uses_inside(node: &Node, uses: &mut HashMap<SourceSpan, usize>) {
    match &node.kind {
        NodeKind::Map(mapping) => count_uses(mapping, uses),
        NodeKind::List(items) => items.iter().for_each(|item| count_uses_inside(item, uses)),
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

/// The end of the text of an entry, without comments after it.
fn entry_end(entry: &Entry) -> usize {
    entry.key.end.max(node_end(&entry.value))
}

/// The end of the text of a value. The span of a block collection may end before its last value.
fn node_end(node: &Node) -> usize {
    let inside = match &node.kind {
        NodeKind::List(items) => items.iter().map(node_end).max(),
        NodeKind::Map(mapping) => mapping.entries.values().map(entry_end).max(),
        _ => None,
    };
    inside.unwrap_or(node.span.start).max(node.span.end)
}

/// Whether a collection is written in brackets: `{a: 1}`, `[1, 2]`.
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
