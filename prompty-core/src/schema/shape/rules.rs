//! Keywords of a schema that restrict the values of a shape: bounds, counts, patterns and formats.

use super::Shape;
use crate::value::{Map, Value};

/// The keywords of strings.
pub(super) const OF_TEXTS: &[&str] = &["minLength", "maxLength", "pattern", "format"];
/// The keywords of strings that encode other content.
pub(super) const OF_CONTENT: &[&str] = &["contentEncoding", "contentMediaType"];
/// The keywords of numbers.
pub(super) const OF_NUMBERS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"];
/// The keywords of arrays.
pub(super) const OF_LISTS: &[&str] = &["minItems", "maxItems", "uniqueItems"];
/// The keywords of objects.
pub(super) const OF_OBJECTS: &[&str] = &["minProperties", "maxProperties", "propertyNames"];
/// The keywords that a schema without a type may have.
pub(super) const OF_ANY: [&[&str]; 5] = [OF_TEXTS, OF_CONTENT, OF_NUMBERS, OF_LISTS, OF_OBJECTS];

impl Shape {
    /// The same shape with an additional keyword.
    pub(super) fn with_rule(mut self, keyword: &'static str, value: impl Into<Value>) -> Self {
        self.rules.insert(keyword, value);
        self
    }

    /// The same shape with those of a schema's keywords that are in `keywords`.
    pub(super) fn with_rules(mut self, schema: &Map, keywords: &[&'static str]) -> Self {
        let found = keywords.iter().filter_map(|it| Some((*it, schema.get(it)?.clone())));
        self.rules.extend(found);
        self
    }

    /// The keywords that restrict the values of the shape.
    pub(super) fn limits(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.rules.iter().filter(|(keyword, _)| *keyword != "default")
    }

    /// The same shape with the limits of another one. `None` if both have a keyword with different
    /// values.
    pub(super) fn with_limits_of(mut self, other: &Self) -> Option<Self> {
        for (keyword, value) in other.limits() {
            if self.rules.insert(keyword, value.clone()).is_some_and(|own| own != *value) {
                return None;
            }
        }
        Some(self)
    }
}
