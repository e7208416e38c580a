//! Arguments in tags: texts as they are, up to the closing tag, all else as JSON.

use super::part::{Parameter, alternatives_of, kinds, listed, parameters_of, resolved};
use super::{Maker, marker, space};
use crate::reply::convert::PYTHON_WORDS;
use crate::reply::format::{Arguments, Marker, Quoting};
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

/// Where a value ends, and how a text is written that has something of that in it.
#[derive(Debug, Clone, Copy)]
struct ValueEnd<'f> {
    close: &'f Marker,
    quoting: &'f Quoting,
}

impl ValueEnd<'_> {
    /// Whether a text reads back as itself.
    fn admits(&self, text: &str) -> bool {
        let Self { close, quoting } = self;
        let is_quoted = !quoting.open.is_empty() && text.trim_start().starts_with(&*quoting.open);
        !is_quoted && !text.contains(&*close.text) && quoting.undone(text) == text
    }
}

impl Maker<'_> {
    /// One argument between its tags.
    pub(super) fn between_tags(
        &mut self,
        notation: &Arguments,
        parameter: &Parameter,
        whole: &Map,
    ) -> Result<Expression, Error> {
        let Arguments::Tagged { key_open, key_close, value_close, separator, quoting } = notation
        else {
            return self.nested(notation, &parameter.name, &parameter.schema, whole, 0);
        };
        let end = ValueEnd { close: value_close, quoting };
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
            let value = self.raw_value(&parameter.name, &parameter.schema, whole, end)?;
            return Ok(Expression::sequence([opened(after), value, closed]));
        };
        // The markup says whether the value is a text, and the schema does, too.
        let kinds = kinds(&parameter.schema, whole);
        let mut ways = Vec::new();
        let words_of_texts: Vec<&str> = hint.string.iter().map(|word| &**word).collect();
        if kinds.intersects(Kinds::STRING) && !words_of_texts.is_empty() {
            let words = words_of_texts.iter().map(|word| Expression::text((*word).to_owned()));
            let open = opened(Expression::sequence([Expression::choice(words), marker(&hint.end)]));
            let text = self.raw_text(&parameter.name, &parameter.schema, whole, end)?;
            ways.push(Expression::sequence([open, text]));
        }
        if kinds != Kinds::STRING || words_of_texts.is_empty() {
            let words = TYPE_WORDS.iter().filter(|word| !words_of_texts.contains(word));
            let words = Expression::choice(words.map(|word| Expression::text(*word)));
            let open = opened(Expression::sequence([words, marker(&hint.end)]));
            let json = match kinds == Kinds::ANY || words_of_texts.is_empty() {
                true => self.raw_value(&parameter.name, &parameter.schema, whole, end)?,
                false => self.without_text(&parameter.name, &parameter.schema, whole)?,
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
        whole: &Map,
        end: ValueEnd<'_>,
    ) -> Result<Expression, Error> {
        let kinds = kinds(schema, whole);
        if kinds.intersects(Kinds::STRING) {
            let text = self.raw_text(name, schema, whole, end)?;
            // A text that looks like another value of the schema is read as that.
            if kinds == Kinds::STRING || is_any_text(schema, whole) {
                return Ok(text);
            }
            let json = self.without_text(name, schema, whole)?;
            let values = std::iter::once(json).chain(python_words(schema, whole));
            let values =
                Expression::sequence([Expression::choice(values), space(&end.close.before)]);
            return Ok(Expression::choice([text, values]));
        }
        let json = self.schema_of_part(name, schema, whole)?;
        let values = std::iter::once(json).chain(python_words(schema, whole));
        Ok(Expression::sequence([Expression::choice(values), space(&end.close.before)]))
    }

    /// A text up to its closing tag, which it cannot hold.
    fn raw_text(
        &mut self,
        name: &str,
        schema: &Value,
        whole: &Map,
        end: ValueEnd<'_>,
    ) -> Result<Expression, Error> {
        if let Some(values) = listed(schema) {
            let texts = values.iter().filter_map(Value::as_str);
            let texts = texts.filter(|text| end.admits(text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, space(&end.close.before)]));
        }
        if let Some(ways) = alternatives(schema, whole) {
            let ways = ways.into_iter().filter(|way| kinds(way, whole).intersects(Kinds::STRING));
            let ways = ways.map(|way| self.raw_text(name, way, whole, end));
            return Ok(Expression::choice(ways.collect::<Result<Vec<_>, _>>()?));
        }
        self.widen(&OF_TEXTS, &format!("#/properties/{name}"), schema)?;
        // The line break in front of the tag is the last of what is in front of the tag.
        let ValueEnd { close, quoting } = end;
        if quoting.open.is_empty() {
            return Ok(Expression::until([&*close.text]));
        }
        // Between quotes the text may hold the tag.
        let quoted = Expression::sequence([
            Expression::text(quoting.open.clone()),
            Expression::until([&*quoting.close]),
            Expression::text(quoting.close.clone()),
        ]);
        Ok(Expression::choice([Expression::until([&*close.text, &*quoting.open]), quoted]))
    }

    /// A value that is no text, as JSON.
    fn without_text(
        &mut self,
        name: &str,
        schema: &Value,
        whole: &Map,
    ) -> Result<Expression, Error> {
        let Some(keywords) = Schema::from_map(whole).part(schema).keywords() else {
            return self.schema_of_part(name, schema, whole);
        };
        let mut parts = keywords.map().clone();
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let ways = keywords.combination(combination).unwrap_or_default();
            if !ways.is_empty() {
                let ways = ways.iter().filter(|way| kinds(way, whole) != Kinds::STRING);
                let ways: Vec<Value> = ways.cloned().collect();
                parts.insert(combination.keyword(), ways);
            }
        }
        if let Some(values) = keywords.values().ok().flatten() {
            let values = values.iter().filter(|value| value.as_str().is_none());
            let values: Vec<Value> = values.cloned().collect();
            parts.insert("enum", values);
        }
        if let Some(names) = parts.get("type").and_then(Value::as_array) {
            let names = names.iter().filter(|name| name.as_str() != Some("string"));
            let names: Vec<Value> = names.cloned().collect();
            parts.insert("type", names);
        }
        self.schema_of_part(name, &parts.into(), whole)
    }

    /// One argument as a tag of its own name, objects as tags inside of it.
    fn nested(
        &mut self,
        notation: &Arguments,
        name: &str,
        schema: &Value,
        whole: &Map,
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
        let end = ValueEnd { close: &close, quoting: &Quoting::NONE };
        let value = self.nested_value(notation, name, schema, whole, end, depth)?;
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
        whole: &Map,
        end: ValueEnd<'_>,
        depth: usize,
    ) -> Result<Expression, Error> {
        let of = kinds(schema, whole);
        let Arguments::Nested { item, .. } = notation else { return Ok(Expression::NOTHING) };
        let keywords = Schema::from_map(whole).part(schema).keywords();
        let (Some(parts), Some(keywords)) = (self.parts.checked_sub(1), keywords) else {
            return self.raw_value(name, schema, whole, end);
        };
        self.parts = parts;
        if depth >= DEEPEST || of.intersects(Kinds::STRING) {
            return self.raw_value(name, schema, whole, end);
        }
        if let Some(ways) = alternatives_of(schema) {
            let ways = ways.iter().map(|way| {
                self.nested_value(notation, name, resolved(way, whole), whole, end, depth + 1)
            });
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        if of == Kinds::OBJECT {
            let parameters = parameters_of(Schema::from_map(whole).part(schema), whole);
            if !parameters.is_empty() {
                return self.nested_object(notation, parameters, whole, depth);
            }
        }
        if of == Kinds::ARRAY {
            let any = Value::from(Map::new());
            let items = keywords.items().and_then(|items| items.rest);
            let items = items.map_or(&any, |(_, items)| resolved(items, whole));
            let one = self.nested(notation, item, items, whole, depth + 1)?;
            return Ok(one.repeated(0, None));
        }
        self.raw_value(name, schema, whole, end)
    }

    fn nested_object(
        &mut self,
        notation: &Arguments,
        parameters: Vec<Parameter>,
        whole: &Map,
        depth: usize,
    ) -> Result<Expression, Error> {
        let mut parts = Vec::new();
        for Parameter { name, schema, is_required } in parameters {
            let expression = self.nested(notation, &name, &schema, whole, depth + 1)?;
            parts.push(Part { name, expression, is_required });
        }
        Ok(in_any_order(&mut self.builder, parts))
    }
}

/// The alternatives of a schema that is nothing else, each behind its references. Those that have
/// alternatives themselves are not looked into.
fn alternatives<'s>(schema: &'s Value, whole: &'s Map) -> Option<Vec<&'s Value>> {
    let ways: Vec<&Value> =
        alternatives_of(schema)?.iter().map(|way| resolved(way, whole)).collect();
    ways.iter().all(|way| alternatives_of(way).is_none()).then_some(ways)
}

/// The words of Python for values of a schema: what many templates write in place of JSON.
fn python_words(schema: &Value, whole: &Map) -> Vec<Expression> {
    if let Some(ways) = alternatives(schema, whole) {
        return ways.into_iter().flat_map(|way| python_words(way, whole)).collect();
    }
    let keywords = Schema::from_map(whole).part(schema).keywords();
    let is_mixed = keywords.is_some_and(|keywords| {
        ["anyOf", "oneOf", "allOf", "not"].iter().any(|key| keywords.map().contains_key(key))
    });
    let of = kinds(schema, whole);
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
fn is_any_text(schema: &Value, whole: &Map) -> bool {
    match alternatives(schema, whole) {
        Some(ways) => ways
            .into_iter()
            .any(|way| listed(way).is_none() && kinds(way, whole).intersects(Kinds::STRING)),
        None => listed(schema).is_none(),
    }
}
