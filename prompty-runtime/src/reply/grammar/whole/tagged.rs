//! Arguments in tags: texts as they are, up to the closing tag, all else as JSON.

use super::arguments::Parameter;
use super::{Maker, marker, space};
use crate::error::Error;
use crate::reply::format::{Arguments, Marker, Suffix, Text};
use crate::reply::grammar::Expression;
use crate::reply::grammar::schema::Widened;
use crate::reply::schema::{Kinds, Schema};
use crate::value::{Map, Value};

/// Objects inside of objects that are written as tags; what lies deeper is text.
const DEEPEST: usize = 16;

/// The words with which markup says the type of a value that is no text.
const TYPE_WORDS: [&str; 7] = ["number", "integer", "boolean", "array", "object", "null", "false"];

/// Keywords that a text without quotes is not held to.
const OF_TEXTS: [&str; 4] = ["pattern", "minLength", "maxLength", "format"];

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
        if kinds.admits_text() && !words_of_texts.is_empty() {
            let words = words_of_texts.iter().map(|word| Expression::text((*word).to_owned()));
            let open = opened(Expression::sequence([Expression::choice(words), marker(&hint.end)]));
            let text = self.raw_text(&parameter.name, &parameter.schema, value_close)?;
            ways.push(Expression::sequence([open, text]));
        }
        if !kinds.is_only_text() || words_of_texts.is_empty() {
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
        if kinds.admits_text() {
            // A text that looks like another value of the schema is read as that.
            return self.raw_text(name, schema, close);
        }
        let json = self.schema(name, schema)?;
        Ok(Expression::sequence([json, space(&close.before)]))
    }

    /// A text up to its closing tag, which it cannot hold.
    fn raw_text(
        &mut self,
        name: &str,
        schema: &Value,
        close: &Marker,
    ) -> Result<Expression, Error> {
        let only_texts = kinds(schema).is_only_text();
        let listed = schema.get("enum").and_then(Value::as_array);
        let listed = listed.or_else(|| schema.get("const").map(std::slice::from_ref));
        if let Some(values) = listed.filter(|_| only_texts) {
            let texts = values.iter().filter_map(Value::as_str);
            let texts = texts.filter(|text| !text.contains(&*close.text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, space(&close.before)]));
        }
        self.widen_texts(name, schema)?;
        // The line break in front of the tag is the last of what is in front of the tag.
        Ok(Expression::until([&*close.text]))
    }

    /// Notes the keywords that a text without quotes is not held to.
    fn widen_texts(&mut self, name: &str, schema: &Value) -> Result<(), Error> {
        for keyword in OF_TEXTS {
            if schema.get(keyword).is_none() {
                continue;
            }
            let place = format!("#/properties/{name}");
            if !self.schema_options.widen {
                return Err(Error::new(
                    crate::error::ErrorKind::Grammar,
                    format!("`{keyword}` of `{place}` cannot be said of a text between tags"),
                )
                .with_help("allow it to be widened, or leave the keyword out"));
            }
            self.widened.push(Widened::new(keyword, &place));
        }
        Ok(())
    }

    /// A value that is no text, as JSON.
    fn without_text(&mut self, name: &str, schema: &Value) -> Result<Expression, Error> {
        let Value::Object(parts) = schema else { return self.schema(name, schema) };
        let mut parts = parts.clone();
        for key in ["anyOf", "oneOf"] {
            if let Some(ways) = parts.get(key).and_then(Value::as_array) {
                let ways: Vec<Value> =
                    ways.iter().filter(|way| !kinds(way).is_only_text()).cloned().collect();
                parts.insert(key, ways);
            }
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
        if depth >= DEEPEST || of.admits_text() {
            return self.raw_value(name, schema, close);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(ways) = schema.get(key).and_then(Value::as_array) {
                let ways =
                    ways.iter().map(|way| self.nested_value(notation, name, way, close, depth + 1));
                return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
            }
        }
        if of == Kinds::OBJECT && has_properties(schema) {
            return self.nested_object(notation, schema, depth);
        }
        if of == Kinds::ARRAY {
            let items = schema.get("items").cloned().unwrap_or_else(|| Map::new().into());
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
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut parts = Vec::new();
        for (name, part) in properties.into_iter().flat_map(Map::iter) {
            let child = self.nested(notation, name, part, depth + 1)?;
            let is_required = required.iter().any(|it| it.as_str() == Some(name));
            parts.push(if is_required { child } else { child.optional() });
        }
        Ok(Expression::Sequence(parts))
    }
}

/// The kinds of value that a schema admits, as the parser sees them.
pub(super) fn kinds(schema: &Value) -> Kinds {
    Schema::of_value(schema).kinds()
}

fn has_properties(schema: &Value) -> bool {
    schema.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty())
}
