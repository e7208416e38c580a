//! Arguments in tags: strings unquoted up to the closing tag, other values as JSON.
//!
//! | schema of the value | the grammar of the value |
//! |---|---|
//! | string | free text up to the closing tag |
//! | `enum` of strings | one of these texts |
//! | integer | the JSON of an integer |
//! | string or integer | free text, as `1` is also free text; it is read as an integer |
//! | string that is listed, or integer | one of the texts, or the JSON of an integer |
//! | object or array, with nested tags | its properties or items as tags |

use super::argument::{ArgumentSchema, STRING_KEYWORDS, TypeHint, ValueEnd};
use super::markers::optional_text;
use super::part::{alternatives_of, kinds_of, listed, parameters_of, resolved};
use super::reply_builder::ReplyGrammarBuilder;
use crate::convert::PYTHON_WORDS;
use crate::format::Marker;
use crate::grammar::{Expression, Result};
use crate::layout::Unit;
use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::{Map, Value};

/// The maximum depth of objects that are written as tags. Deeper values are text.
const MAX_DEPTH: usize = 16;

impl ReplyGrammarBuilder<'_> {
    /// Writes a value up to its closing tag, depending on the type hint in the markup.
    pub(super) fn value(
        &mut self,
        argument: ArgumentSchema<'_>,
        end: ValueEnd<'_>,
    ) -> Result<Expression> {
        match argument.type_hint {
            TypeHint::String => self.raw_text(argument, end),
            TypeHint::NotString if argument.kinds() != Kinds::ANY => {
                self.non_string_value(argument)
            }
            TypeHint::Any | TypeHint::NotString => self.raw_value(argument, end),
        }
    }

    /// Writes a value up to its closing tag: a string unquoted, other values as JSON.
    fn raw_value(&mut self, argument: ArgumentSchema<'_>, end: ValueEnd<'_>) -> Result<Expression> {
        let ArgumentSchema { name, schema, root_schema, .. } = argument;
        let kinds = argument.kinds();
        let may_be_text = kinds.intersects(Kinds::STRING);
        let text = may_be_text.then(|| self.raw_text(argument, end)).transpose()?;
        // A string that looks like another value of the schema is read as that value.
        if let Some(text) = &text
            && (kinds == Kinds::STRING || is_any_text(schema, root_schema))
        {
            return Ok(text.clone());
        }
        let json = match text {
            Some(_) => self.non_string_value(argument)?,
            None => self.schema_of_part(name, schema, root_schema)?,
        };
        let values = std::iter::once(json).chain(python_words(schema, root_schema));
        let values =
            Expression::sequence([Expression::choice(values), optional_text(&end.close.before)]);
        Ok(Expression::choice(text.into_iter().chain([values])))
    }

    /// Writes a string up to its closing tag, which it cannot contain.
    fn raw_text(&mut self, argument: ArgumentSchema<'_>, end: ValueEnd<'_>) -> Result<Expression> {
        let ArgumentSchema { name, schema, root_schema, .. } = argument;
        if let Some(values) = listed(schema) {
            let texts = values.iter().filter_map(Value::as_str);
            let texts = texts.filter(|text| end.admits(text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, optional_text(&end.close.before)]));
        }
        if let Some(ways) = alternatives(schema, root_schema) {
            let ways =
                ways.into_iter().filter(|way| kinds_of(way, root_schema).intersects(Kinds::STRING));
            let ways = ways.map(|schema| self.raw_text(ArgumentSchema { schema, ..argument }, end));
            return Ok(Expression::choice(ways.collect::<Result<Vec<_>, _>>()?));
        }
        self.record_unenforced(&STRING_KEYWORDS, &format!("#/properties/{name}"), schema)?;
        // The white space that the template writes before the tag is the end of the free text.
        let ValueEnd { close, quoting } = end;
        if quoting.open.is_empty() {
            return Ok(Expression::until([&*close.text]));
        }
        // Between quotes the string may contain the tag.
        let quoted = Expression::sequence([
            Expression::text(quoting.open.clone()),
            Expression::until([&*quoting.close]),
            Expression::text(quoting.close.clone()),
        ]);
        Ok(Expression::choice([Expression::until([&*close.text, &*quoting.open]), quoted]))
    }

    /// Writes a value that is not a string, as JSON.
    fn non_string_value(&mut self, argument: ArgumentSchema<'_>) -> Result<Expression> {
        let ArgumentSchema { name, schema, root_schema, .. } = argument;
        let Some(keywords) = Schema::from_map(root_schema).part(schema).keywords() else {
            return self.schema_of_part(name, schema, root_schema);
        };
        // The keywords without their parts that describe strings.
        let mut kept = keywords.map().clone();
        let mut keep = |keyword: &str, values: &[Value], is_text: &dyn Fn(&Value) -> bool| {
            let values: Vec<Value> = values.iter().filter(|it| !is_text(it)).cloned().collect();
            kept.insert(keyword, values);
        };
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let ways = keywords.combination(combination).unwrap_or_default();
            if !ways.is_empty() {
                keep(combination.keyword(), ways, &|way| {
                    kinds_of(way, root_schema) == Kinds::STRING
                });
            }
        }
        if let Some(values) = keywords.values().ok().flatten() {
            keep("enum", values, &|value| value.as_str().is_some());
        }
        if let Some(names) = keywords.map().get("type").and_then(Value::as_array) {
            keep("type", names, &|name| name.as_str() == Some("string"));
        }
        self.schema_of_part(name, &kept.into(), root_schema)
    }

    /// Writes the value between the tags of an argument, with objects as nested tags. `item` is the
    /// tag of a list's items.
    pub(super) fn nested_value(
        &mut self,
        argument: ArgumentSchema<'_>,
        item: &str,
        end: ValueEnd<'_>,
    ) -> Result<Expression> {
        let ArgumentSchema { schema, root_schema, depth, .. } = argument;
        let kinds = argument.kinds();
        let keywords = Schema::from_map(root_schema).part(schema).keywords();
        let part = self.reply.find(Unit::Argument);
        let (Some(parts), Some(keywords), Some(part)) =
            (self.parts_left.checked_sub(1), keywords, part)
        else {
            return self.raw_value(argument, end);
        };
        self.parts_left = parts;
        if depth >= MAX_DEPTH || kinds.intersects(Kinds::STRING) {
            return self.raw_value(argument, end);
        }
        let inside = ArgumentSchema { depth: depth + 1, ..argument };
        if let Some(ways) = alternatives_of(schema) {
            let ways = ways.iter().map(|way| {
                let way = ArgumentSchema { schema: resolved(way, root_schema), ..inside };
                self.nested_value(way, item, end)
            });
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        if kinds == Kinds::OBJECT {
            let parameters = parameters_of(Schema::from_map(root_schema).part(schema), root_schema);
            if !parameters.is_empty() {
                return self.arguments(part, &Marker::NONE, parameters, (root_schema, depth + 1));
            }
        }
        if kinds == Kinds::ARRAY {
            let any = Value::from(Map::new());
            let items = keywords.items().and_then(|items| items.rest);
            let items = items.map_or(&any, |(_, items)| resolved(items, root_schema));
            let one =
                self.argument(part, ArgumentSchema { name: item, schema: items, ..inside })?;
            return Ok(one.repeated(0, None));
        }
        self.raw_value(argument, end)
    }
}

/// The alternatives of a schema that has nothing else, with references resolved. `None` if an
/// alternative has alternatives itself.
fn alternatives<'s>(schema: &'s Value, root_schema: &'s Map) -> Option<Vec<&'s Value>> {
    let ways: Vec<&Value> =
        alternatives_of(schema)?.iter().map(|way| resolved(way, root_schema)).collect();
    ways.iter().all(|way| alternatives_of(way).is_none()).then_some(ways)
}

/// Python's words for values of a schema. Many templates write them instead of JSON.
fn python_words(schema: &Value, root_schema: &Map) -> Vec<Expression> {
    if let Some(ways) = alternatives(schema, root_schema) {
        return ways.into_iter().flat_map(|way| python_words(way, root_schema)).collect();
    }
    let keywords = Schema::from_map(root_schema).part(schema).keywords();
    let is_mixed = keywords.is_some_and(|keywords| {
        ["anyOf", "oneOf", "allOf", "not"].iter().any(|key| keywords.map().contains_key(key))
    });
    let kinds = kinds_of(schema, root_schema);
    let is_admitted = |value: &Value| match listed(schema) {
        Some(values) => values.contains(value),
        None => !is_mixed && kinds != Kinds::ANY && kinds.intersects(Kinds::from_value(value)),
    };
    let value = |json: &str| match json {
        "null" => Value::Null,
        _ => Value::from(json == "true"),
    };
    let words = PYTHON_WORDS.iter().filter(|(_, json)| is_admitted(&value(json)));
    words.map(|(python, _)| Expression::text(*python)).collect()
}

/// Whether some string of a schema may be any text. Then other values of the schema need no rule.
fn is_any_text(schema: &Value, root_schema: &Map) -> bool {
    match alternatives(schema, root_schema) {
        Some(ways) => ways.into_iter().any(|way| {
            listed(way).is_none() && kinds_of(way, root_schema).intersects(Kinds::STRING)
        }),
        None => listed(schema).is_none(),
    }
}
