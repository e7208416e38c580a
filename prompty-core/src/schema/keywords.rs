//! The keywords of a schema. Each is read in one place.
//!
//! A keyword whose value has a wrong form is a [`KeywordError`]. Strict callers report it. Others,
//! which read schemas from outside as far as possible, ignore the keyword.

use std::fmt;

use super::bounds::{Bounds, Count, Decimal};
use super::kinds::Kinds;
use crate::value::{Map, Value};

/// The error of a keyword whose value has a form that JSON Schema does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordError {
    /// The keyword.
    pub keyword: &'static str,
    message: String,
    help: Option<&'static str>,
}

impl KeywordError {
    fn new(keyword: &'static str, message: impl Into<String>) -> Self {
        Self { keyword, message: message.into(), help: None }
    }

    fn wrong_form(keyword: &'static str, expected: &str, found: &Value) -> Self {
        let found = found.kind_name();
        Self::new(keyword, format!("expected {expected} as `{keyword}` of a schema, found {found}"))
    }

    /// How to fix it, if there is a way.
    pub fn help(&self) -> Option<&'static str> {
        self.help
    }
}

impl fmt::Display for KeywordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The keywords that combine several schemas for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combination {
    /// All of them apply.
    AllOf,
    /// At least one of them applies.
    AnyOf,
    /// Exactly one of them applies.
    OneOf,
}

impl Combination {
    /// All combinations.
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

/// What a schema can count, with the keywords for bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountKind {
    /// The characters of a string.
    Characters,
    /// The items of an array.
    Items,
    /// The properties of an object.
    Properties,
}

impl CountKind {
    /// The keywords of the minimum and of the maximum count.
    pub fn keywords(self) -> [&'static str; 2] {
        match self {
            Self::Characters => ["minLength", "maxLength"],
            Self::Items => ["minItems", "maxItems"],
            Self::Properties => ["minProperties", "maxProperties"],
        }
    }
}

/// The schemas of an array's items: those of the first items, and that of the rest.
#[derive(Debug, Clone, Copy)]
pub struct Items<'a> {
    /// The schemas of the first items, and their keyword.
    pub first: (&'static str, &'a [Value]),
    /// The schema of all others, and its keyword.
    pub rest: Option<(&'static str, &'a Value)>,
}

impl<'a> Items<'a> {
    /// The schema of the item at an index, if there is one.
    pub fn of_item(self, index: usize) -> Option<&'a Value> {
        self.first.1.get(index).or(self.rest.map(|(_, rest)| rest))
    }
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

    /// The schema as a map.
    pub fn map(self) -> &'a Map {
        self.map
    }

    /// The reference to another schema.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a string.
    pub fn reference(self) -> Result<Option<&'a str>, KeywordError> {
        self.text("$ref")
    }

    /// The kinds of values in `type`.
    ///
    /// # Errors
    ///
    /// Returns an error if it contains no name of a kind, or an unknown one.
    pub fn kinds(self) -> Result<Option<Kinds>, KeywordError> {
        let Some(value) = self.map.get("type") else { return Ok(None) };
        let names = match value {
            Value::String(_) => std::slice::from_ref(value),
            _ => value.as_array().unwrap_or_default(),
        };
        let wrong_form = || KeywordError::wrong_form("type", "a type or an array of types", value);
        let mut kinds = Kinds::NONE;
        for name in names {
            let name = name.as_str().ok_or_else(wrong_form)?;
            let kind = Kinds::from_name(name).ok_or_else(|| KeywordError {
                help: Some(
                    "available types: null, boolean, integer, number, string, array, object",
                ),
                ..KeywordError::new("type", format!("unknown type `{name}` of a schema"))
            })?;
            kinds = kinds.union(kind);
        }
        if kinds.is_empty() { Err(wrong_form()) } else { Ok(Some(kinds)) }
    }

    /// The only allowed value, of `const`.
    pub fn constant(self) -> Option<&'a Value> {
        self.map.get("const")
    }

    /// The allowed values, of `enum`.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not an array.
    pub fn values(self) -> Result<Option<&'a [Value]>, KeywordError> {
        self.list("enum", "an array")
    }

    /// The schemas of a combination; empty if the keyword is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not an array.
    pub fn combination(self, combination: Combination) -> Result<&'a [Value], KeywordError> {
        Ok(self.list(combination.keyword(), "an array of schemas")?.unwrap_or_default())
    }

    /// The schemas of an object's properties, by name.
    pub fn properties(self) -> Option<&'a Map> {
        self.map.get("properties")?.as_object()
    }

    /// The schema of all properties without their own schema.
    pub fn additional_properties(self) -> Option<&'a Value> {
        self.map.get("additionalProperties")
    }

    /// The schema of the entries that `properties` does not name. It is the schema of additional
    /// properties, or that of the only pattern if no other properties are allowed. If the schema
    /// depends on the name, the result allows any value.
    ///
    /// `{"additionalProperties": A}` -> `A`;
    /// `{"patternProperties": {"^x": P}, "additionalProperties": false}` -> `P`;
    /// `{"patternProperties": {"^x": P}, "additionalProperties": A}` -> `true`.
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

    /// The names that an object must have, of `required`.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not an array of strings.
    pub fn required(self) -> Result<Vec<&'a str>, KeywordError> {
        let expected = "an array of names";
        let names = self.list("required", expected)?.unwrap_or_default();
        let names = names.iter().map(|name| {
            name.as_str().ok_or_else(|| KeywordError::wrong_form("required", expected, name))
        });
        names.collect()
    }

    /// Whether an object must have a property with this name.
    pub fn requires(self, name: &str) -> bool {
        let names = self.list("required", "").ok().flatten().unwrap_or_default();
        names.iter().any(|it| it.as_str() == Some(name))
    }

    /// The schemas of an array's items, if there are any. Older schemas have those of the first
    /// items as an array in `items`.
    pub fn items(self) -> Option<Items<'a>> {
        let keyword = |name: &'static str| Some((name, self.map.get(name)?));
        Some(match (keyword("prefixItems"), keyword("items")) {
            (None, None) => return None,
            // `{"prefixItems": [A, B], "items": C}`
            (Some((name, Value::Array(first))), rest) => Items { first: (name, first), rest },
            // `{"items": [A, B], "additionalItems": C}`
            (_, Some((name, Value::Array(first)))) => {
                Items { first: (name, first), rest: keyword("additionalItems") }
            }
            // `{"items": C}`, or a `prefixItems` that is not an array.
            (Some(rest), None) | (_, Some(rest)) => {
                Items { first: ("prefixItems", &[]), rest: Some(rest) }
            }
        })
    }

    /// The bounds of a number. In old schemas, `exclusiveMinimum` is a flag for `minimum`.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is not a number.
    pub fn bounds(self) -> Result<Bounds, KeywordError> {
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

    /// The number of a keyword.
    fn bound(self, keyword: &'static str) -> Result<Option<Decimal>, KeywordError> {
        match self.map.get(keyword) {
            None => Ok(None),
            // The flag of old schemas; see `bounds`.
            Some(Value::Bool(_)) if keyword.starts_with("exclusive") => Ok(None),
            Some(value) => Decimal::from_value(value)
                .map(Some)
                .ok_or_else(|| KeywordError::wrong_form(keyword, "a number", value)),
        }
    }

    /// The number that must divide the value.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a number above zero.
    pub fn multiple_of(self) -> Result<Option<Decimal>, KeywordError> {
        match self.bound("multipleOf")? {
            Some(step) if step.is_zero() || step.negative => {
                Err(KeywordError::new("multipleOf", "`multipleOf` of a schema must be above zero"))
            }
            step => Ok(step),
        }
    }

    /// How many items must match `contains`: at least one, unless the schema sets other bounds.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Keywords::count`].
    pub fn contained(self) -> Result<Count, KeywordError> {
        let count = self.count_between(["minContains", "maxContains"])?;
        Ok(Count { at_least: count.at_least.or(Some(1)), ..count })
    }

    /// The bounds of a count.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is not an integer, or if the minimum exceeds `u32::MAX`.
    pub fn count(self, counted: CountKind) -> Result<Count, KeywordError> {
        self.count_between(counted.keywords())
    }

    /// The bounds of a count under two keywords.
    fn count_between(self, [least, most]: [&'static str; 2]) -> Result<Count, KeywordError> {
        let too_large = |_| KeywordError::new(least, format!("`{least}` of a schema is too large"));
        let at_least =
            self.count_bound(least)?.map(u32::try_from).transpose().map_err(too_large)?;
        // A larger maximum is never reached, so it is ignored.
        let at_most = self.count_bound(most)?.and_then(|number| u32::try_from(number).ok());
        Ok(Count { at_least, at_most })
    }

    /// The value of a keyword that bounds a count.
    fn count_bound(self, keyword: &'static str) -> Result<Option<u64>, KeywordError> {
        let Some(value) = self.map.get(keyword) else { return Ok(None) };
        let number = match value {
            // `3` and `3.0`
            Value::Integer(number) => u64::try_from(*number).ok(),
            #[expect(clippy::cast_possible_truncation, reason = "a count has no fraction")]
            #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
            Value::Float(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
            _ => None,
        };
        number.map(Some).ok_or_else(|| {
            KeywordError::wrong_form(keyword, "an integer that is not negative", value)
        })
    }

    /// The regular expression that must match a part of a string.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a string.
    pub fn pattern(self) -> Result<Option<&'a str>, KeywordError> {
        self.text("pattern")
    }

    /// The name of the format that a string must have.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a string.
    pub fn format(self) -> Result<Option<&'a str>, KeywordError> {
        self.text("format")
    }

    fn text(self, keyword: &'static str) -> Result<Option<&'a str>, KeywordError> {
        match self.map.get(keyword) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(KeywordError::wrong_form(keyword, "a string", other)),
        }
    }

    fn list(self, keyword: &'static str, form: &str) -> Result<Option<&'a [Value]>, KeywordError> {
        match self.map.get(keyword) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(KeywordError::wrong_form(keyword, form, other)),
        }
    }
}

/// Keywords that do not restrict values: annotations, identifiers and definitions.
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

/// Whether a keyword does not restrict values.
pub fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// The form in which a keyword contains subschemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubschemaForm {
    /// A schema.
    Schema,
    /// An array of schemas.
    List,
    /// An object of schemas by name.
    Map,
}

/// The form of a keyword's subschemas; `None` for keywords without subschemas.
pub fn subschema_form(keyword: &str) -> Option<SubschemaForm> {
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
        | "unevaluatedProperties" => SubschemaForm::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => SubschemaForm::List,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            SubschemaForm::Map
        }
        _ => return None,
    })
}
