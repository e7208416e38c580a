//! Conversion of objects that are written as tags inside tags to JSON. If the tag of a list's items
//! is `item`, these are the values of an argument:
//!
//! | text between the argument's tags | JSON |
//! |---|---|
//! | `<city>Bonn</city><days>2</days>` | `{"city": "Bonn", "days": 2}` |
//! | `<item>1</item><item>2</item>` | `[1, 2]` |
//! | `Bonn` | `"Bonn"` |

use super::{value_to_json, write_string};
use crate::format::{Arguments, Quoting};
use prompty_core::schema::{Kinds, Schema, Step};
use prompty_core::work::add_steps;

/// The maximum depth of tags. Deeper tags are text.
const DEEPEST: usize = 64;

/// The notation of nested tags; see [`Arguments::Nested`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct NestedTags<'format> {
    open_prefix: &'format str,
    open_suffix: &'format str,
    close_prefix: &'format str,
    close_suffix: &'format str,
    item: &'format str,
}

/// Writes the text between the tags of a value as JSON. Returns whether the tags in it are closed.
/// The path leads to the value in the schema, which is that of all arguments.
pub(crate) fn nested_to_json<'text>(
    text: &'text str,
    tags: NestedTags<'_>,
    schema: Option<Schema<'_>>,
    path: &mut Vec<Step<'text>>,
    out: &mut String,
) -> bool {
    let kinds = schema.map_or(Kinds::ANY, |schema| schema.kinds_at(path));
    let inside = text.trim();
    if kinds == Kinds::STRING || path.len() > DEEPEST {
        write_string(text, out);
        return true;
    }
    // Without any text, a list or object is empty, if the schema allows one.
    let empty = [(Kinds::ARRAY, "[]"), (Kinds::OBJECT, "{}")];
    let empty = empty.into_iter().find(|(kind, _)| kinds.contains(*kind));
    if let Some((_, empty)) = empty.filter(|_| inside.is_empty() && kinds != Kinds::ANY) {
        out.push_str(empty);
        return true;
    }
    // Text that is not a list of tags is a plain value. If it contains a tag, that tag is damaged.
    let Some(children) = tags.children(inside) else {
        value_to_json(text, kinds, &Quoting::NONE, out);
        return !tags.has_tag(text);
    };
    let is_list = children.iter().all(|(key, _)| *key == tags.item) && kinds.contains(Kinds::ARRAY);
    if !is_list && !kinds.contains(Kinds::OBJECT) {
        write_string(text, out);
        return kinds.intersects(Kinds::STRING);
    }
    let mut are_closed = true;
    out.push(if is_list { '[' } else { '{' });
    for (index, (key, child)) in children.into_iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        if is_list {
            path.push(Step::Index(index));
        } else {
            write_string(key, out);
            out.push_str(": ");
            path.push(Step::Name(key));
        }
        are_closed &= nested_to_json(child, tags, schema, path, out);
        path.pop();
    }
    out.push(if is_list { ']' } else { '}' });
    are_closed
}

impl<'format> NestedTags<'format> {
    /// The tags of a notation with tags inside tags.
    pub(crate) fn from_arguments(notation: &'format Arguments) -> Option<Self> {
        let Arguments::Nested { open_prefix, open_suffix, close_prefix, close_suffix, item } =
            notation
        else {
            return None;
        };
        let [open_prefix, open_suffix] = [open_prefix, open_suffix].map(|it| &*it.text);
        let [close_prefix, close_suffix] = [close_prefix, close_suffix].map(|it| &*it.text);
        Some(Self { open_prefix, open_suffix, close_prefix, close_suffix, item })
    }

    /// Whether a text contains the beginning of a tag. A single bracket, such as `<`, proves
    /// nothing, because text may contain it.
    fn has_tag(&self, text: &str) -> bool {
        let [open, close] = [self.open_prefix, self.close_prefix];
        open.len() > 1 && (text.contains(open) || text.contains(close))
    }

    /// Returns the keys of the tags of a text, with the content of each. `None` if the text is not
    /// a list of tags.
    fn children<'text>(&self, text: &'text str) -> Option<Vec<(&'text str, &'text str)>> {
        let mut children = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let after = rest.strip_prefix(self.open_prefix)?;
            let (key, after) = after.split_once(self.open_suffix)?;
            if key.is_empty() {
                return None;
            }
            let (child, after) = self.split_at_close(key, after)?;
            children.push((key, child));
            rest = after.trim_start();
        }
        (!children.is_empty()).then_some(children)
    }

    /// Splits a text at the tag that closes `key`. Tags of the same name inside are skipped: for
    /// the key `a`, `<a>1</a>2</a>3` is split into `<a>1</a>2` and `3`.
    fn split_at_close<'text>(
        &self,
        key: &str,
        text: &'text str,
    ) -> Option<(&'text str, &'text str)> {
        let open = format!("{}{key}{}", self.open_prefix, self.open_suffix);
        let close = format!("{}{key}{}", self.close_prefix, self.close_suffix);
        let mut open_tags = 0_usize;
        // The text before `at` was searched. `close_at` is the next closing tag.
        let mut at = 0;
        let mut close_at = text.find(&close)?;
        add_steps(close_at);
        loop {
            if close_at < at {
                close_at = at + text.get(at..)?.find(&close)?;
                add_steps(close_at - at);
            }
            let open_at = text.get(at..close_at)?.find(&open);
            add_steps(open_at.unwrap_or(close_at - at));
            match open_at {
                Some(open_at) => {
                    open_tags += 1;
                    at += open_at + open.len();
                }
                None if open_tags > 0 => {
                    open_tags -= 1;
                    at = close_at + close.len();
                }
                None => {
                    return Some((text.get(..close_at)?, text.get(close_at + close.len()..)?));
                }
            }
        }
    }
}
