//! What one schema says: its keywords, each read in one place.
//!
//! A keyword whose value has the wrong form is a [`Fault`]. Whoever has to be exact tells it; whoever
//! reads a stranger's schema as well as can be goes on as if the keyword were not there.

use std::fmt;

use super::bounds::{Bounds, Count, Decimal};
use super::kinds::Kinds;
use crate::value::{Map, Value};

/// A keyword whose value has not the form that JSON Schema gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The keyword.
    pub keyword: &'static str,
    message: String,
    help: Option<&'static str>,
}

impl Fault {
    fn new(keyword: &'static str, message: impl Into<String>) -> Self {
        Self { keyword, message: message.into(), help: None }
    }

    fn wrong_form(keyword: &'static str, expected: &str, found: &Value) -> Self {
        let found = found.kind_name();
        Self::new(keyword, format!("`{keyword}` of a schema has to be {expected}, not {found}"))
    }

    /// How to mend it, if there is something to say.
    pub fn help(&self) -> Option<&'static str> {
        self.help
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The keywords that hold several schemas for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combination {
    /// All of them have to hold.
    AllOf,
    /// One of them has to hold, or more.
    AnyOf,
    /// One of them has to hold, and no other.
    OneOf,
}

impl Combination {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AllOf, Self::AnyOf, Self::OneOf];

    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::AllOf => "allOf",
            Self::AnyOf => "anyOf",
            Self::OneOf => "oneOf",
        }
    }
}

/// The counts that a schema may bound, with their keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counted {
    /// The characters of a text.
    Characters,
    /// The items of a list.
    Items,
    /// The properties of an object.
    Properties,
}

impl Counted {
    /// The keywords of the smallest and of the largest count.
    pub fn keywords(self) -> [&'static str; 2] {
        match self {
            Self::Characters => ["minLength", "maxLength"],
            Self::Items => ["minItems", "maxItems"],
            Self::Properties => ["minProperties", "maxProperties"],
        }
    }
}

/// The schemas of a list's items: those of the first ones, and that of the rest.
#[derive(Debug, Clone, Copy)]
pub struct Items<'a> {
    /// The schemas of the first items, and their keyword.
    pub first: (&'static str, &'a [Value]),
    /// The schema of all others, and its keyword.
    pub rest: Option<(&'static str, &'a Value)>,
}

/// The keywords of one schema.
#[derive(Debug, Clone, Copy)]
pub struct Keywords<'a> {
    map: &'a Map,
}

impl<'a> Keywords<'a> {
    pub(super) fn new(map: &'a Map) -> Self {
        Self { map }
    }

    /// The schema as the map that it is.
    pub fn map(self) -> &'a Map {
        self.map
    }

    /// The reference to another schema.
    ///
    /// # Errors
    ///
    /// Where it is no text.
    pub fn reference(self) -> Result<Option<&'a str>, Fault> {
        self.text("$ref")
    }

    /// The kinds that `type` names.
    ///
    /// # Errors
    ///
    /// Where it names none, or one that there is not.
    pub fn kinds(self) -> Result<Option<Kinds>, Fault> {
        let Some(value) = self.map.get("type") else { return Ok(None) };
        let names = match value {
            Value::String(_) => std::slice::from_ref(value),
            _ => value.as_array().unwrap_or_default(),
        };
        let mut kinds = Kinds::NONE;
        for name in names {
            let Some(name) = name.as_str() else {
                kinds = Kinds::NONE;
                break;
            };
            let Some(kind) = Kinds::from_name(name) else {
                let help = "the types are null, boolean, integer, number, string, array, object";
                let message = format!("there is no type `{name}` in JSON schemas");
                return Err(Fault { help: Some(help), ..Fault::new("type", message) });
            };
            kinds = kinds.union(kind);
        }
        match kinds.is_empty() {
            true => Err(Fault::wrong_form("type", "the name of a type, or a list of them", value)),
            false => Ok(Some(kinds)),
        }
    }

    /// The only value, of `const`.
    pub fn constant(self) -> Option<&'a Value> {
        self.map.get("const")
    }

    /// The values that `enum` lists.
    ///
    /// # Errors
    ///
    /// Where it is no list.
    pub fn values(self) -> Result<Option<&'a [Value]>, Fault> {
        self.list("enum", "a list")
    }

    /// The schemas of a combination; empty where the keyword is not there.
    ///
    /// # Errors
    ///
    /// Where they are no list.
    pub fn combination(self, combination: Combination) -> Result<&'a [Value], Fault> {
        Ok(self.list(combination.keyword(), "a list of schemas")?.unwrap_or_default())
    }

    /// The schemas of an object's properties, by name.
    pub fn properties(self) -> Option<&'a Map> {
        self.map.get("properties")?.as_object()
    }

    /// The schema of all properties that have no other.
    pub fn additional_properties(self) -> Option<&'a Value> {
        self.map.get("additionalProperties")
    }

    /// The schema of the entries that no property names: what is said of all others, or of the only pattern of
    /// names if there are no others. Where several schemas may be meant, which one depends on the name, so this
    /// is one that admits anything.
    pub fn free_entries(self) -> Option<&'a Value> {
        let others = self.additional_properties();
        let patterns = self.map.get("patternProperties").and_then(Value::as_object);
        let Some(patterns) = patterns.filter(|it| !it.is_empty()) else { return others };
        let mut schemas = patterns.values();
        match (schemas.next(), schemas.next(), others) {
            (Some(only), None, Some(Value::Bool(false))) => Some(only),
            _ => Some(&Value::Bool(true)),
        }
    }

    /// The names that an object must have.
    ///
    /// # Errors
    ///
    /// Where they are no list of texts.
    pub fn required(self) -> Result<Vec<&'a str>, Fault> {
        let expected = "a list of names";
        let names = self.list("required", expected)?.unwrap_or_default();
        let names = names
            .iter()
            .map(|name| name.as_str().ok_or_else(|| Fault::wrong_form("required", expected, name)));
        names.collect()
    }

    /// Whether an object must have a name.
    pub fn requires(self, name: &str) -> bool {
        let names = self.list("required", "").ok().flatten().unwrap_or_default();
        names.iter().any(|it| it.as_str() == Some(name))
    }

    /// The schemas of a list's items, where something is said of them. Older schemas have the first
    /// ones as a list under `items`.
    pub fn items(self) -> Option<Items<'a>> {
        let keyword = |name: &'static str| Some((name, self.map.get(name)?));
        let none: &[Value] = &[];
        Some(match (keyword("prefixItems"), keyword("items")) {
            (None, None) => return None,
            (Some((name, Value::Array(first))), rest) => Items { first: (name, first), rest },
            (_, Some((name, Value::Array(first)))) => {
                Items { first: (name, first), rest: keyword("additionalItems") }
            }
            (Some(rest), None) | (_, Some(rest)) => {
                Items { first: ("prefixItems", none), rest: Some(rest) }
            }
        })
    }

    /// The bounds of a number. In old schemas, `exclusiveMinimum` is a word on `minimum`.
    ///
    /// # Errors
    ///
    /// Where one of them is no number.
    pub fn bounds(self) -> Result<Bounds, Fault> {
        let mut bounds = Bounds::default();
        let has_flag = |keyword: &str| self.map.get(keyword) == Some(&Value::Bool(true));
        if let Some(bound) = self.bound("minimum")? {
            bounds.add_lower(bound, !has_flag("exclusiveMinimum"));
        }
        if let Some(bound) = self.bound("maximum")? {
            bounds.add_upper(bound, !has_flag("exclusiveMaximum"));
        }
        if let Some(bound) = self.bound("exclusiveMinimum")? {
            bounds.add_lower(bound, false);
        }
        if let Some(bound) = self.bound("exclusiveMaximum")? {
            bounds.add_upper(bound, false);
        }
        Ok(bounds)
    }

    fn bound(self, keyword: &'static str) -> Result<Option<Decimal>, Fault> {
        match self.map.get(keyword) {
            None => Ok(None),
            Some(Value::Bool(_)) if keyword.starts_with("exclusive") => Ok(None),
            Some(value) => match Decimal::from_value(value) {
                Some(bound) => Ok(Some(bound)),
                None => Err(Fault::wrong_form(keyword, "a number", value)),
            },
        }
    }

    /// The number that a number must be a multiple of.
    ///
    /// # Errors
    ///
    /// Where it is no number above zero.
    pub fn multiple_of(self) -> Result<Option<Decimal>, Fault> {
        match self.bound("multipleOf")? {
            Some(step) if step.is_zero() || step.negative => {
                Err(Fault::new("multipleOf", "`multipleOf` of a schema has to be above zero"))
            }
            step => Ok(step),
        }
    }

    /// How many items must follow `contains`: one or more, unless it is said otherwise.
    ///
    /// # Errors
    ///
    /// Those of [`Keywords::count`].
    pub fn contained(self) -> Result<Count, Fault> {
        let count = self.counts(["minContains", "maxContains"])?;
        Ok(Count { at_least: count.at_least.or(Some(1)), ..count })
    }

    /// The bounds of a count.
    ///
    /// # Errors
    ///
    /// Where one of them is no whole number, or the smallest count is beyond `u32`.
    pub fn count(self, counted: Counted) -> Result<Count, Fault> {
        self.counts(counted.keywords())
    }

    fn counts(self, [least, most]: [&'static str; 2]) -> Result<Count, Fault> {
        let at_least = match self.whole_number(least)? {
            None => None,
            Some(number) => match u32::try_from(number) {
                Ok(number) => Some(number),
                Err(_) => return Err(Fault::new(least, format!("`{least}` asks for too much"))),
            },
        };
        // So much there never is.
        let at_most = self.whole_number(most)?.and_then(|number| u32::try_from(number).ok());
        Ok(Count { at_least, at_most })
    }

    fn whole_number(self, keyword: &'static str) -> Result<Option<u64>, Fault> {
        let Some(value) = self.map.get(keyword) else { return Ok(None) };
        let number = match value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            #[expect(clippy::cast_possible_truncation, reason = "a count has no fraction")]
            #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
            Value::Float(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
            _ => None,
        };
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(Fault::wrong_form(keyword, "a whole number that is not negative", value)),
        }
    }

    /// The regular expression that a text has to match somewhere.
    ///
    /// # Errors
    ///
    /// Where it is no text.
    pub fn pattern(self) -> Result<Option<&'a str>, Fault> {
        self.text("pattern")
    }

    /// The name of the form that a text has.
    ///
    /// # Errors
    ///
    /// Where it is no text.
    pub fn format(self) -> Result<Option<&'a str>, Fault> {
        self.text("format")
    }

    fn text(self, keyword: &'static str) -> Result<Option<&'a str>, Fault> {
        match self.map.get(keyword) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Fault::wrong_form(keyword, "a text", other)),
        }
    }

    fn list(self, keyword: &'static str, form: &str) -> Result<Option<&'a [Value]>, Fault> {
        match self.map.get(keyword) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(Fault::wrong_form(keyword, form, other)),
        }
    }
}

/// Keywords that say nothing of a value: annotations, and those that name schemas.
const ANNOTATIONS: [&str; 20] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "discriminator",
    "example",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

/// Whether a keyword says nothing of a value.
pub fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// What a keyword has as its value that holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by names.
    Map,
}

/// What a keyword holds; nothing for keywords that hold no schema.
pub fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::Map
        }
        _ => return None,
    })
}
