//! Counts the paths of a value that its schema names. If a reply contains several values, the one
//! with the most paths is chosen.

use std::collections::HashMap;

use prompty_core::schema::{Combination, Schema, Step};
use prompty_core::value::Value;

/// The maximum nesting of combined schemas that are followed.
const MAX_DEPTH: usize = 8;

/// The number of different paths of a value that its schema names. All items of an array are one
/// path: `{"a": [{"b": 1}, {"b": 2}]}` has the paths `.a`, `.a[*]` and `.a[*].b`. If a schema names
/// no keys, all keys count.
pub(super) fn count(value: &Value, schema: Schema<'_>) -> usize {
    let mut paths = KnownPaths::default();
    paths.collect(value, Some(schema), 0);
    paths.ids.len()
}

/// The different paths of a value. The path of the value itself has the number 0.
#[derive(Default)]
struct KnownPaths<'v> {
    /// The number of each path, by the number of the path around it and its last step: a key, or
    /// `None` for the items of an array. Complete paths would repeat long keys.
    ids: HashMap<(usize, Option<&'v str>), usize>,
}

impl<'v> KnownPaths<'v> {
    /// Adds the paths of a value; without a schema, all of them.
    fn collect(&mut self, value: &'v Value, schema: Option<Schema<'_>>, path: usize) {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                    let Some(part) = schema.map_or(Some(None), |it| entry_schema(it, key, 0))
                    else {
                        continue;
                    };
                    let path = self.id(path, Some(key));
                    self.collect(value, part, path);
                }
            }
            Value::Array(items) => {
                let path = self.id(path, None);
                for (index, value) in items.iter().enumerate() {
                    let part = schema.and_then(|it| item_schema(it, index, 0));
                    self.collect(value, part, path);
                }
            }
            _ => {}
        }
    }

    /// The number of the path that a step leads to.
    fn id(&mut self, path: usize, step: Option<&'v str>) -> usize {
        let next = self.ids.len() + 1;
        *self.ids.entry((path, step)).or_insert(next)
    }
}

/// The schema of the value of a key. The outer `Option` is `None` if the schema has other keys
/// only; the inner one is `None` if the value has no schema.
fn entry_schema<'s>(schema: Schema<'s>, key: &str, depth: usize) -> Option<Option<Schema<'s>>> {
    let schema = schema.resolved();
    let Some(keywords) = schema.keywords().filter(|_| depth < MAX_DEPTH) else { return Some(None) };
    if let Some(properties) = keywords.properties() {
        return properties.get(key).map(|part| Some(schema.part(part)));
    }
    let mut parts = combined_schemas(schema).peekable();
    if parts.peek().is_none() {
        return Some(keywords.free_entries().map(|part| schema.part(part)));
    }
    parts.find_map(|part| entry_schema(part, key, depth + 1))
}

/// The schema of an item, if there is one.
fn item_schema(schema: Schema<'_>, index: usize, depth: usize) -> Option<Schema<'_>> {
    let schema = schema.resolved();
    let keywords = schema.keywords().filter(|_| depth < MAX_DEPTH)?;
    if keywords.items().is_some() {
        return schema.child(Step::Index(index));
    }
    combined_schemas(schema).find_map(|part| item_schema(part, index, depth + 1))
}

/// The schemas that a schema combines, with `anyOf`, `oneOf` or `allOf`.
pub(super) fn combined_schemas(schema: Schema<'_>) -> impl Iterator<Item = Schema<'_>> {
    let keywords = schema.keywords().into_iter();
    let lists = keywords.flat_map(|keywords| {
        Combination::ALL
            .into_iter()
            .flat_map(move |it| keywords.combination(it).unwrap_or_default())
    });
    lists.map(move |part| schema.part(part))
}
