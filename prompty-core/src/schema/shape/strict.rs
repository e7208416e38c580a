//! What providers' strict forms of schemas can say, and what is told in words in its place.

use std::fmt::Write as _;

use super::{Kind, Literal, Shape};
use crate::regular_expression::{self, Dialect, Node};
use crate::value::{Map, Value};

/// Whose strict form a schema is written in: what each provider takes, and what it demands.
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
    /// OpenAI's, which many other servers take, too. Each key is required, so what may be missing may be
    /// `null` instead.
    #[default]
    OpenAi,
    /// Anthropic's. It has no bounds of numbers, texts and lists, and no schema that holds itself.
    Anthropic,
}

/// What a dialect can say.
pub(super) struct StrictRules {
    keywords: &'static [&'static str],
    /// The formats beside [`FORMATS`].
    more_formats: &'static [&'static str],
    has_all_patterns: bool,
    has_any_least_items: bool,
    /// Whether each key must be there, so that what may be missing is `null`.
    pub(super) requires_all_keys: bool,
    pub(super) may_hold_itself: bool,
}

/// The formats that every strict form has.
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
    has_all_patterns: true,
    has_any_least_items: true,
    requires_all_keys: true,
    may_hold_itself: true,
};

static ANTHROPIC: StrictRules = StrictRules {
    keywords: &["pattern", "format", "minItems"],
    more_formats: &["uri"],
    has_all_patterns: false,
    has_any_least_items: false,
    requires_all_keys: false,
    may_hold_itself: false,
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
    /// Whether a keyword may stand in the schema with its value.
    fn says(&self, keyword: &str, value: &Value) -> bool {
        let is_known = self.keywords.contains(&keyword);
        is_known
            && match keyword {
                "format" => value
                    .as_str()
                    .is_some_and(|it| FORMATS.contains(&it) || self.more_formats.contains(&it)),
                "pattern" => self.has_all_patterns || value.as_str().is_some_and(is_plain_pattern),
                "minItems" => self.has_any_least_items || matches!(value, Value::Integer(0 | 1)),
                _ => true,
            }
    }

    /// Writes what is said beside a shape, and returns what the schema cannot say, in words.
    pub(super) fn write(&self, shape: &Shape, schema: &mut Map) -> Option<String> {
        let mut words = String::new();
        for (keyword, value) in shape.rules.iter().filter(|(keyword, _)| *keyword != "default") {
            if self.says(keyword, value) {
                schema.insert(keyword, value.clone());
                continue;
            }
            words.push_str(if words.is_empty() { "Limits: " } else { ", " });
            in_words(keyword, value, &mut words);
        }
        (!words.is_empty()).then(|| words + ".")
    }
}

/// The largest count in a pattern that all providers take.
const LARGEST_COUNT: u32 = 100;

/// Whether a pattern has nothing but what all providers read: no look at what stands around, no reference to a
/// group, no large count.
fn is_plain_pattern(pattern: &str) -> bool {
    fn has_small_counts(node: &Node) -> bool {
        use regular_expression::Kind;
        match &node.kind {
            Kind::Sequence(parts) | Kind::Choice(parts) => parts.iter().all(has_small_counts),
            Kind::Repeat { of, at_least, at_most, .. } => {
                at_most.unwrap_or(*at_least).max(*at_least) <= LARGEST_COUNT && has_small_counts(of)
            }
            Kind::Group { of, .. } => has_small_counts(of),
            Kind::Class(_) | Kind::Any | Kind::Start | Kind::End => true,
        }
    }
    regular_expression::parse(pattern, Dialect::EcmaScript).is_ok_and(|it| has_small_counts(&it))
}

/// Says in words what a keyword says.
fn in_words(keyword: &str, value: &Value, words: &mut String) {
    let value = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
    // Nothing that is written to a text fails.
    let _ = match keyword {
        "minimum" => write!(words, "at least {value}"),
        "maximum" => write!(words, "at most {value}"),
        "exclusiveMinimum" => write!(words, "above {value}"),
        "exclusiveMaximum" => write!(words, "below {value}"),
        "multipleOf" => write!(words, "a multiple of {value}"),
        "minLength" => write!(words, "at least {value} characters"),
        "maxLength" => write!(words, "at most {value} characters"),
        "minItems" => write!(words, "at least {value} items"),
        "maxItems" => write!(words, "at most {value} items"),
        "minProperties" => write!(words, "at least {value} keys"),
        "maxProperties" => write!(words, "at most {value} keys"),
        "pattern" => write!(words, "matches the pattern {value}"),
        "format" => write!(words, "in the format {value}"),
        "uniqueItems" if value == "true" => write!(words, "no item twice"),
        keyword => write!(words, "{keyword}: {value}"),
    };
}

/// Values as strict schemas list them: by their kind, since a list of values of several kinds has no type.
/// Nothing where one of them is a list or a map, which no strict schema lists.
pub(super) fn listed(literals: &[Literal]) -> Option<Map> {
    let one = |literal: &Literal| {
        let mut schema = listed_as(scalar_name(&literal.value)?, vec![literal.value.clone()]);
        if let Some(description) = &literal.description {
            schema.insert("description", description.clone());
        }
        Some(Value::Object(schema))
    };
    if literals.iter().any(|it| it.description.is_some()) {
        let schemas: Option<Vec<Value>> = literals.iter().map(one).collect();
        return Some([("anyOf", schemas?)].into());
    }
    let mut by_kind: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for Literal { value, .. } in literals {
        let name = scalar_name(value)?;
        match by_kind.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value.clone()),
            None => by_kind.push((name, vec![value.clone()])),
        }
    }
    let mut schemas: Vec<Map> =
        by_kind.into_iter().map(|(name, values)| listed_as(name, values)).collect();
    if schemas.len() == 1 {
        return schemas.pop();
    }
    Some([("anyOf", schemas.into_iter().map(Value::Object).collect::<Vec<_>>())].into())
}

fn listed_as(kind: &'static str, values: Vec<Value>) -> Map {
    match kind {
        // There is one such value.
        "null" => [("type", kind)].into(),
        _ => [("type", Value::from(kind)), ("enum", Value::from(values))].into(),
    }
}

/// The kind of a value that a strict schema may list.
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
    /// Whether a schema of it is that of an object and of nothing else, as providers want it of a whole.
    pub(super) fn is_object(&self) -> bool {
        let whole = match &self.kind {
            Kind::Recursive(_, shape) => &shape.kind,
            kind => kind,
        };
        matches!(whole, Kind::Object(_) | Kind::Map)
    }
}
