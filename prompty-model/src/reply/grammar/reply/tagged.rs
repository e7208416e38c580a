//! Arguments in tags: texts as they are, up to the closing tag, all else as JSON.

use super::arguments::{Parameter, parameters_of};
use super::part::part;
use super::{Maker, marker, space};
use crate::reply::convert::PYTHON_WORDS;
use crate::reply::format::{Arguments, Marker, Suffix, Text};
use crate::reply::grammar::Expression;
use crate::reply::grammar::fields::{Part, in_any_order};
use prompty_core::error::Error;
use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::{Map, Value};

/// Objects inside of objects that are written as tags; what lies deeper is text.
const DEEPEST: usize = 16;

/// The words with which markup says the type of a value that is no text.
const TYPE_WORDS: [&str; 7] = ["number", "integer", "boolean", "array", "object", "null", "false"];

/// Keywords that a text without quotes is not held to.
pub(super) const OF_TEXTS: [&str; 7] =
    ["pattern", "minLength", "maxLength", "format", "$ref", "allOf", "not"];

impl Maker<'_> {
    /// One argument between its tags.
    pub(super) fn tagged(
        &mut self,
        parameter: &Parameter,
        key_open: &Marker,
        key_close: &Suffix,
        value_close: &Marker,
        separator: &Text,
    ) -> Result<Expression, Error> {
        let key = Expression::text(parameter.name.clone());
        let opened = |rest: Expression| {
            let text = &key_close.text;
            let text = match text.is_none() {
                true => Expression::text(text.to_string()),
                false => Expression::sequence([space(&text.before), super::mark(&text.text), rest]),
            };
            Expression::sequence([marker(key_open), key.clone(), text])
        };
        let closed = Expression::sequence([
            Expression::text(value_close.text.clone()),
            space(&value_close.after),
            space(separator),
            Expression::text("\n").optional(),
        ]);
        let Some(hint) = &key_close.hint else {
            let after = space(&key_close.text.after);
            let value = self.raw_value(&parameter.name, &parameter.schema, value_close)?;
            return Ok(Expression::sequence([opened(after), value, closed]));
        };
        // The markup says whether the value is a text, and the schema does, too.
        let kinds = kinds(&parameter.schema);
        let mut ways = Vec::new();
        let words_of_texts: Vec<&str> = hint.string.iter().map(|word| &**word).collect();
        if kinds.intersects(Kinds::STRING) && !words_of_texts.is_empty() {
            let words = words_of_texts.iter().map(|word| Expression::text((*word).to_owned()));
            let open = opened(Expression::sequence([Expression::choice(words), marker(&hint.end)]));
            let text = self.raw_text(&parameter.name, &parameter.schema, value_close)?;
            ways.push(Expression::sequence([open, text]));
        }
        if kinds != Kinds::STRING || words_of_texts.is_empty() {
            let words = TYPE_WORDS.iter().filter(|word| !words_of_texts.contains(word));
            let words = Expression::choice(words.map(|word| Expression::text(*word)));
            let open = opened(Expression::sequence([words, marker(&hint.end)]));
            let json = match kinds == Kinds::ANY || words_of_texts.is_empty() {
                true => self.raw_value(&parameter.name, &parameter.schema, value_close)?,
                false => self.without_text(&parameter.name, &parameter.schema)?,
            };
            ways.push(Expression::sequence([open, json]));
        }
        Ok(Expression::sequence([Expression::Choice(ways), closed]))
    }

    /// A value up to its closing tag: a text as it is, all else as JSON.
    fn raw_value(
        &mut self,
        name: &str,
        schema: &Value,
        close: &Marker,
    ) -> Result<Expression, Error> {
        let kinds = kinds(schema);
        if kinds.intersects(Kinds::STRING) {
            let text = self.raw_text(name, schema, close)?;
            // A text that looks like another value of the schema is read as that.
            if kinds == Kinds::STRING || is_any_text(schema) {
                return Ok(text);
            }
            let json = self.without_text(name, schema)?;
            let values = std::iter::once(json).chain(python_words(schema));
            let values = Expression::sequence([Expression::choice(values), space(&close.before)]);
            return Ok(Expression::choice([text, values]));
        }
        let json = self.schema(name, schema)?;
        let values = std::iter::once(json).chain(python_words(schema));
        Ok(Expression::sequence([Expression::choice(values), space(&close.before)]))
    }

    /// A text up to its closing tag, which it cannot hold.
    fn raw_text(
        &mut self,
        name: &str,
        schema: &Value,
        close: &Marker,
    ) -> Result<Expression, Error> {
        if let Some(values) = listed(schema) {
            let texts = values.iter().filter_map(Value::as_str);
            let texts = texts.filter(|text| !text.contains(&*close.text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, space(&close.before)]));
        }
        if let Some(ways) = alternatives(schema) {
            let ways: Vec<Value> =
                ways.into_iter().filter(|way| kinds(way).intersects(Kinds::STRING)).collect();
            let ways = ways.iter().map(|way| self.raw_text(name, way, close));
            return Ok(Expression::choice(ways.collect::<Result<Vec<_>, _>>()?));
        }
        self.widen(&OF_TEXTS, &format!("#/properties/{name}"), schema)?;
        // The line break in front of the tag is the last of what is in front of the tag.
        Ok(Expression::until([&*close.text]))
    }

    /// A value that is no text, as JSON.
    fn without_text(&mut self, name: &str, schema: &Value) -> Result<Expression, Error> {
        let Value::Object(parts) = schema else { return self.schema(name, schema) };
        let mut parts = parts.clone();
        for key in ["anyOf", "oneOf"] {
            if let Some(ways) = parts.get(key).and_then(Value::as_array) {
                let whole = parts.clone();
                let ways = ways.iter().filter(|way| kinds(&part(way, &whole)) != Kinds::STRING);
                let ways: Vec<Value> = ways.cloned().collect();
                parts.insert(key, ways);
            }
        }
        if let Some(values) = parts.get("enum").and_then(Value::as_array) {
            let values = values.iter().filter(|value| value.as_str().is_none());
            let values: Vec<Value> = values.cloned().collect();
            parts.insert("enum", values);
        }
        if let Some(names) = parts.get("type").and_then(Value::as_array) {
            let names = names.iter().filter(|name| name.as_str() != Some("string"));
            let names: Vec<Value> = names.cloned().collect();
            parts.insert("type", names);
        }
        self.schema(name, &parts.into())
    }

    /// One argument as a tag of its own name, objects as tags inside of it.
    pub(super) fn nested(
        &mut self,
        notation: &Arguments,
        name: &str,
        schema: &Value,
        depth: usize,
    ) -> Result<Expression, Error> {
        let Arguments::Nested { open_prefix, open_suffix, close_prefix, close_suffix, .. } =
            notation
        else {
            return Ok(Expression::NOTHING);
        };
        let close_text = format!("{}{name}{}", close_prefix.text, close_suffix.text);
        let close = Marker {
            before: close_prefix.before.clone(),
            text: close_text.into(),
            after: close_suffix.after.clone(),
        };
        let value = self.nested_value(notation, name, schema, &close, depth)?;
        Ok(Expression::sequence([
            marker(open_prefix),
            Expression::text(format!("{name}{}", open_suffix.text)),
            space(&open_suffix.after),
            value,
            Expression::text(close.text),
            space(&close.after),
        ]))
    }

    /// What stands between the tags of an argument.
    fn nested_value(
        &mut self,
        notation: &Arguments,
        name: &str,
        schema: &Value,
        close: &Marker,
        depth: usize,
    ) -> Result<Expression, Error> {
        let of = kinds(schema);
        let Arguments::Nested { item, .. } = notation else { return Ok(Expression::NOTHING) };
        let (Some(parts), Some(whole)) = (self.parts.checked_sub(1), schema.as_object()) else {
            return self.raw_value(name, schema, close);
        };
        self.parts = parts;
        if depth >= DEEPEST || of.intersects(Kinds::STRING) {
            return self.raw_value(name, schema, close);
        }
        if let Some(ways) = alternatives_of(schema) {
            let ways = ways
                .iter()
                .map(|way| self.nested_value(notation, name, &part(way, whole), close, depth + 1));
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        if of == Kinds::OBJECT && has_properties(schema) {
            return self.nested_object(notation, schema, depth);
        }
        if of == Kinds::ARRAY {
            let items = whole.get("items");
            let items = items.map_or_else(|| Map::new().into(), |items| part(items, whole));
            let one = self.nested(notation, item, &items, depth + 1)?;
            return Ok(one.repeated(0, None));
        }
        self.raw_value(name, schema, close)
    }

    fn nested_object(
        &mut self,
        notation: &Arguments,
        schema: &Value,
        depth: usize,
    ) -> Result<Expression, Error> {
        let whole = schema.as_object().cloned().unwrap_or_default();
        let mut parts = Vec::new();
        for Parameter { name, schema, is_required } in
            parameters_of(Schema::from_map(&whole), &whole)
        {
            let expression = self.nested(notation, &name, &schema, depth + 1)?;
            parts.push(Part { name, expression, is_required });
        }
        Ok(in_any_order(&mut self.builder, parts))
    }
}

/// The kinds of value that a schema admits, as the parser sees them.
pub(super) fn kinds(schema: &Value) -> Kinds {
    Schema::from_value(schema).kinds()
}

/// The values that a schema lists.
pub(super) fn listed(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let listed = keywords.values().ok().flatten();
    listed.or_else(|| keywords.constant().map(std::slice::from_ref))
}

/// The alternatives of a schema that is nothing else, each behind its references. Those that have
/// alternatives themselves are not looked into.
fn alternatives(schema: &Value) -> Option<Vec<Value>> {
    let whole = schema.as_object()?;
    let ways: Vec<Value> = alternatives_of(schema)?.iter().map(|way| part(way, whole)).collect();
    ways.iter().all(|way| alternatives_of(way).is_none()).then_some(ways)
}

/// The alternatives of a schema as they are.
pub(super) fn alternatives_of(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let lists = [Combination::AnyOf, Combination::OneOf].into_iter();
    let mut lists = lists.filter_map(|combination| keywords.combination(combination).ok());
    lists.find(|ways| !ways.is_empty())
}

/// The words of Python for values of a schema: what many templates write in place of JSON.
fn python_words(schema: &Value) -> Vec<Expression> {
    if let Some(ways) = alternatives(schema) {
        return ways.iter().flat_map(python_words).collect();
    }
    let is_mixed = ["anyOf", "oneOf", "allOf", "not"].iter().any(|key| schema.get(key).is_some());
    let of = kinds(schema);
    let is_admitted = |value: &Value| match listed(schema) {
        Some(values) => values.contains(value),
        None => !is_mixed && of != Kinds::ANY && of.intersects(Kinds::from_value(value)),
    };
    let value = |json: &str| match json {
        "null" => Value::Null,
        _ => Value::from(json == "true"),
    };
    let words = PYTHON_WORDS.iter().filter(|(_, json)| is_admitted(&value(json)));
    words.map(|(python, _)| Expression::text(*python)).collect()
}

/// Whether some text of a schema may be any text, so that nothing is gained by what else it admits.
fn is_any_text(schema: &Value) -> bool {
    match alternatives(schema) {
        Some(ways) => {
            ways.iter().any(|way| listed(way).is_none() && kinds(way).intersects(Kinds::STRING))
        }
        None => listed(schema).is_none(),
    }
}

fn has_properties(schema: &Value) -> bool {
    !Schema::from_value(schema).properties().is_empty()
}
