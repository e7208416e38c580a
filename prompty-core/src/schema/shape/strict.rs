//! The features of providers' strict modes, and the words that replace unsupported keywords.
//!
//! One writer (`to_schema.rs`) creates the strict schemas of all providers. Its only input about a
//! provider is a `StrictRules`.
//!
//! A constraint that a dialect does not support becomes part of the description, as in Anthropic's
//! own clients. The model sees it there, and the reader of the answer enforces it. Listed values
//! are written as `enum` and never as `const`, and alternatives as `anyOf`, because every provider
//! accepts these.

use std::fmt::Write as _;

use super::{Literal, Shape, ShapeKind};
use crate::regular_expression::{self, Dialect, Node, NodeKind};
use crate::value::{Map, Value};

/// The provider whose strict mode a schema is written for.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
/// use typed_prompty::shape::{Shape, StrictDialect};
/// use typed_prompty::value::Value;
///
/// let schema = Value::from_json(
///     r#"{"properties": {"days": {"type": "integer", "minimum": 1, "maximum": 31}}}"#,
/// )?;
/// let shape = Shape::from_schema(&schema)?;
/// assert_eq!(
///     shape.to_strict_schema(StrictDialect::OpenAi)?.to_json(),
///     r#"{"type": "object", "properties": {"days": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 31}, {"type": "null"}]}}, "required": ["days"], "additionalProperties": false}"#,
/// );
/// assert_eq!(
///     shape.to_strict_schema(StrictDialect::Anthropic)?.to_json(),
///     r#"{"type": "object", "properties": {"days": {"type": "integer", "description": "Limits: at least 1, at most 31."}}, "additionalProperties": false}"#,
/// );
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum StrictDialect {
    /// OpenAI's, which many other servers accept. Each key is required, but optional ones may be
    /// `null`.
    #[default]
    OpenAi,
    /// Anthropic's, without bounds of numbers, strings and arrays, and without recursion.
    Anthropic,
}

/// The features of a dialect. They are not the `rules` of a [`Shape`]: those are keywords of its
/// schema.
pub(super) struct StrictRules {
    /// The supported keywords that restrict values.
    keywords: &'static [&'static str],
    /// Formats in addition to [`FORMATS`].
    more_formats: &'static [&'static str],
    /// Whether a pattern may have more than [`is_plain_pattern`] allows.
    supports_all_patterns: bool,
    /// Whether `minItems` may be more than 1.
    supports_any_min_items: bool,
    /// Whether each key is required, so that an optional one must be `null` instead.
    pub(super) requires_all_keys: bool,
    pub(super) supports_recursion: bool,
}

/// The formats that every dialect supports.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

static OPEN_AI: StrictRules = StrictRules {
    keywords: &[
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    more_formats: &[],
    supports_all_patterns: true,
    supports_any_min_items: true,
    requires_all_keys: true,
    supports_recursion: true,
};

static ANTHROPIC: StrictRules = StrictRules {
    keywords: &["pattern", "format", "minItems"],
    more_formats: &["uri"],
    supports_all_patterns: false,
    supports_any_min_items: false,
    requires_all_keys: false,
    supports_recursion: false,
};

impl StrictDialect {
    pub(super) fn rules(self) -> &'static StrictRules {
        match self {
            Self::OpenAi => &OPEN_AI,
            Self::Anthropic => &ANTHROPIC,
        }
    }
}

impl StrictRules {
    /// Whether the dialect supports a keyword with its value.
    fn supports(&self, keyword: &str, value: &Value) -> bool {
        let is_known = self.keywords.contains(&keyword);
        is_known
            && match keyword {
                "format" => value
                    .as_str()
                    .is_some_and(|it| FORMATS.contains(&it) || self.more_formats.contains(&it)),
                "pattern" => {
                    self.supports_all_patterns || value.as_str().is_some_and(is_plain_pattern)
                }
                "minItems" => self.supports_any_min_items || matches!(value, Value::Integer(0 | 1)),
                _ => true,
            }
    }

    /// Writes the supported keywords of a shape, and returns the unsupported ones in words.
    pub(super) fn write(&self, shape: &Shape, schema: &mut Map) -> Option<String> {
        // Providers refuse keywords next to alternatives.
        let has_kind = !matches!(shape.kind, ShapeKind::OneOf(_));
        let supports = |keyword: &str, value: &Value| has_kind && self.supports(keyword, value);
        for (keyword, value) in shape.limits().filter(|(keyword, value)| supports(keyword, value)) {
            schema.insert(keyword, value.clone());
        }
        let words = shape.limits_in_words(|keyword, value| !supports(keyword, value));
        words.map(|words| format!("Limits: {words}."))
    }
}

impl Shape {
    /// The keywords that restrict the values, and that meet a condition, in words.
    pub(super) fn limits_in_words(
        &self,
        is_wanted: impl Fn(&str, &Value) -> bool,
    ) -> Option<String> {
        let mut words = String::new();
        for (keyword, value) in self.limits().filter(|(keyword, value)| is_wanted(keyword, value)) {
            if !words.is_empty() {
                words.push_str(", ");
            }
            write_in_words(keyword, value, &mut words);
        }
        (!words.is_empty()).then_some(words)
    }
}

/// The largest count in a pattern that all providers accept.
const LARGEST_COUNT: u32 = 100;

/// Whether all providers can read a pattern. It must have no large count, and no look-around or
/// backreference, for which `parse` already returns an error.
fn is_plain_pattern(pattern: &str) -> bool {
    fn has_small_counts(node: &Node) -> bool {
        match &node.kind {
            NodeKind::Sequence(parts) | NodeKind::Choice(parts) => {
                parts.iter().all(has_small_counts)
            }
            NodeKind::Repeat { of, at_least, at_most, .. } => {
                at_most.unwrap_or(*at_least).max(*at_least) <= LARGEST_COUNT && has_small_counts(of)
            }
            NodeKind::Group { of, .. } => has_small_counts(of),
            NodeKind::Class(_) | NodeKind::Any | NodeKind::Start | NodeKind::End => true,
        }
    }
    regular_expression::parse(pattern, Dialect::EcmaScript).is_ok_and(|it| has_small_counts(&it))
}

/// Writes the meaning of a keyword in words.
fn write_in_words(keyword: &str, value: &Value, words: &mut String) {
    // The schema of the names of an object's keys.
    let names = value.as_object().cloned().unwrap_or_default();
    let value = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
    let plural = if value == "1" { "" } else { "s" };
    // Writing to a `String` does not fail.
    let _ = match keyword {
        "minimum" => write!(words, "at least {value}"),
        "maximum" => write!(words, "at most {value}"),
        "exclusiveMinimum" => write!(words, "above {value}"),
        "exclusiveMaximum" => write!(words, "below {value}"),
        "multipleOf" => write!(words, "a multiple of {value}"),
        "minLength" => write!(words, "at least {value} character{plural}"),
        "maxLength" => write!(words, "at most {value} character{plural}"),
        "minItems" => write!(words, "at least {value} item{plural}"),
        "maxItems" => write!(words, "at most {value} item{plural}"),
        "minProperties" => write!(words, "at least {value} key{plural}"),
        "maxProperties" => write!(words, "at most {value} key{plural}"),
        "pattern" => write!(words, "matches the pattern {value}"),
        "format" => write!(words, "in the format {value}"),
        "propertyNames" if !names.is_empty() => {
            words.push_str("keys: ");
            for (position, (keyword, value)) in names.iter().enumerate() {
                words.push_str(if position > 0 { " and " } else { "" });
                write_in_words(keyword, value, words);
            }
            Ok(())
        }
        "uniqueItems" if value == "true" => write!(words, "no item twice"),
        keyword => write!(words, "{keyword}: {value}"),
    };
}

/// Literals in a strict schema. They are grouped by kind, because an `enum` of several kinds has no
/// type. `None` if one of them is an array or an object, which strict schemas do not support.
pub(super) fn literals_schema(literals: &[Literal]) -> Option<Map> {
    // `{"anyOf": [{"type": "string", "enum": ["low"], "description": "a day"}, …]}`
    let described = |literal: &Literal| {
        let mut schema = enum_schema(scalar_name(&literal.value)?, vec![literal.value.clone()]);
        schema.insert_some("description", literal.description.clone());
        Some(Value::Object(schema))
    };
    if literals.iter().any(|it| it.description.is_some()) {
        let schemas: Option<Vec<Value>> = literals.iter().map(described).collect();
        return Some([("anyOf", schemas?)].into());
    }
    // `{"anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "integer", "enum": [1]}]}`
    let mut by_kind: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for Literal { value, .. } in literals {
        let name = scalar_name(value)?;
        match by_kind.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value.clone()),
            None => by_kind.push((name, vec![value.clone()])),
        }
    }
    let mut schemas: Vec<Map> =
        by_kind.into_iter().map(|(name, values)| enum_schema(name, values)).collect();
    if schemas.len() == 1 {
        return schemas.pop();
    }
    Some([("anyOf", schemas.into_iter().map(Value::Object).collect::<Vec<_>>())].into())
}

fn enum_schema(kind: &'static str, values: Vec<Value>) -> Map {
    match kind {
        // There is only one such value.
        "null" => [("type", kind)].into(),
        _ => [("type", Value::from(kind)), ("enum", Value::from(values))].into(),
    }
}

/// The kind of a literal that a strict schema supports.
fn scalar_name(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Integer(_) => "integer",
        Value::Float(_) => "number",
        Value::String(_) => "string",
        _ => return None,
    })
}

impl Shape {
    /// Whether its schema is that of an object, as providers require of a root.
    pub(super) fn is_object(&self) -> bool {
        let root = match &self.kind {
            ShapeKind::Recursive(_, shape) => &shape.kind,
            kind => kind,
        };
        matches!(root, ShapeKind::Object(_) | ShapeKind::Map)
    }
}
