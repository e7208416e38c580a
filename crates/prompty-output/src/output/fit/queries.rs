//! What schemas accept: keys, and kinds of values.

use prompty_core::schema::{Combination, Keywords, Kinds, Schema, SchemaForm};
use prompty_core::value::Value;

use super::names;
use crate::output::known_paths;

/// The maximum nesting of combined schemas in which [`may_have_key`] searches.
const MAX_COMBINATIONS: usize = 8;

/// Whether objects of a schema may have a key, in any spelling. `depth` is the number of combined
/// schemas around it.
pub(in crate::output) fn may_have_key(schema: Schema<'_>, key: &str, depth: usize) -> bool {
    let schema = schema.resolved();
    let Some(keywords) = schema.keywords().filter(|_| depth < MAX_COMBINATIONS) else {
        return !matches!(schema.form(), SchemaForm::Nothing);
    };
    if let Some(properties) = keywords.properties() {
        let folded = names::folded(key);
        let is_alias = |part: &Value| part.get("x-alias").and_then(Value::as_str) == Some(key);
        return properties
            .iter()
            .any(|(name, part)| names::folded(name) == folded || is_alias(part))
            || keywords.free_entries().is_some_and(|it| *it != Value::Bool(false));
    }
    // A schema without properties and without parts accepts any key.
    let mut parts = known_paths::combined_schemas(schema).peekable();
    parts.peek().is_none() || parts.any(|part| may_have_key(part, key, depth + 1))
}

/// The kinds that a schema names, or whose keywords it has.
pub(super) fn kinds(keywords: Keywords<'_>) -> Kinds {
    if let Ok(Some(kinds)) = keywords.kinds() {
        return kinds;
    }
    if keywords.properties().is_some() {
        return Kinds::OBJECT;
    }
    if keywords.items().is_some() {
        return Kinds::ARRAY;
    }
    Kinds::ANY
}

pub(super) fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Whether values of these kinds may be objects or arrays.
pub(super) fn has_containers(kinds: Kinds) -> bool {
    kinds.intersects(Kinds::OBJECT.union(Kinds::ARRAY))
}

/// The kinds as text for a message.
pub(super) fn expected(kinds: Kinds) -> String {
    let words = [
        (Kinds::OBJECT, "an object"),
        (Kinds::ARRAY, "an array"),
        (Kinds::STRING, "a string"),
        (Kinds::BOOLEAN, "`true` or `false`"),
        (Kinds::NULL, "`null`"),
    ];
    let mut found: Vec<&str> =
        words.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, word)| *word).collect();
    if kinds.contains(Kinds::NUMBER) {
        found.push("a number");
    } else if kinds.contains(Kinds::INTEGER) {
        found.push("an integer");
    }
    found.join(" or ")
}

/// The alternatives of a union; `None` if the schema is not a union.
pub(super) fn alternatives<'schema>(keywords: Keywords<'schema>) -> Option<&'schema [Value]> {
    let mut lists = [Combination::AnyOf, Combination::OneOf]
        .into_iter()
        .filter_map(|it| keywords.combination(it).ok());
    lists.find(|it| !it.is_empty())
}

/// The listed values of a schema, if it lists any.
pub(super) fn choices<'schema>(keywords: Keywords<'schema>) -> Option<&'schema [Value]> {
    let constant = keywords.constant().map(std::slice::from_ref);
    constant.or_else(|| keywords.values().ok().flatten())
}
