//! Arguments in tags: texts as they are, up to the closing tag, all else as JSON.

use super::argument::{Argument, OF_TEXTS, ValueEnd, Word};
use super::maker::Maker;
use super::markers::space;
use super::part::{alternatives_of, kinds, listed, parameters_of, resolved};
use crate::convert::PYTHON_WORDS;
use crate::format::Marker;
use crate::grammar::{Expression, Result};
use crate::layout::Unit;
use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::{Map, Value};

/// Objects inside of objects that are written as tags; what lies deeper is text.
const DEEPEST: usize = 16;

impl Maker<'_> {
    /// A value up to its closing tag, as far as the markup says of what kind it is.
    pub(super) fn value(
        &mut self,
        argument: Argument<'_>,
        end: ValueEnd<'_>,
    ) -> Result<Expression> {
        match argument.word {
            Word::Text => self.raw_text(argument, end),
            Word::NoText if argument.kinds() != Kinds::ANY => self.without_text(argument),
            Word::Any | Word::NoText => self.raw_value(argument, end),
        }
    }

    /// A value up to its closing tag: a text as it is, all else as JSON.
    fn raw_value(&mut self, argument: Argument<'_>, end: ValueEnd<'_>) -> Result<Expression> {
        let Argument { name, schema, whole, .. } = argument;
        let kinds = argument.kinds();
        let text = match kinds.intersects(Kinds::STRING) {
            true => Some(self.raw_text(argument, end)?),
            false => None,
        };
        // A text that looks like another value of the schema is read as that.
        if let Some(text) = &text
            && (kinds == Kinds::STRING || is_any_text(schema, whole))
        {
            return Ok(text.clone());
        }
        let json = match text {
            Some(_) => self.without_text(argument)?,
            None => self.schema_of_part(name, schema, whole)?,
        };
        let values = std::iter::once(json).chain(python_words(schema, whole));
        let values = Expression::sequence([Expression::choice(values), space(&end.close.before)]);
        Ok(Expression::choice(text.into_iter().chain([values])))
    }

    /// A text up to its closing tag, which it cannot hold.
    fn raw_text(&mut self, argument: Argument<'_>, end: ValueEnd<'_>) -> Result<Expression> {
        let Argument { name, schema, whole, .. } = argument;
        if let Some(values) = listed(schema) {
            let texts = values.iter().filter_map(Value::as_str);
            let texts = texts.filter(|text| end.admits(text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, space(&end.close.before)]));
        }
        if let Some(ways) = alternatives(schema, whole) {
            let ways = ways.into_iter().filter(|way| kinds(way, whole).intersects(Kinds::STRING));
            let ways = ways.map(|schema| self.raw_text(Argument { schema, ..argument }, end));
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
    fn without_text(&mut self, argument: Argument<'_>) -> Result<Expression> {
        let Argument { name, schema, whole, .. } = argument;
        let Some(keywords) = Schema::from_map(whole).part(schema).keywords() else {
            return self.schema_of_part(name, schema, whole);
        };
        let mut parts = keywords.map().clone();
        let mut keep = |keyword: &str, values: &[Value], is_text: &dyn Fn(&Value) -> bool| {
            let values: Vec<Value> = values.iter().filter(|it| !is_text(it)).cloned().collect();
            parts.insert(keyword, values);
        };
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let ways = keywords.combination(combination).unwrap_or_default();
            if !ways.is_empty() {
                keep(combination.keyword(), ways, &|way| kinds(way, whole) == Kinds::STRING);
            }
        }
        if let Some(values) = keywords.values().ok().flatten() {
            keep("enum", values, &|value| value.as_str().is_some());
        }
        if let Some(names) = keywords.map().get("type").and_then(Value::as_array) {
            keep("type", names, &|name| name.as_str() == Some("string"));
        }
        self.schema_of_part(name, &parts.into(), whole)
    }

    /// What stands between the tags of an argument, with objects as tags inside of it.
    pub(super) fn nested_value(
        &mut self,
        argument: Argument<'_>,
        item: &str,
        end: ValueEnd<'_>,
    ) -> Result<Expression> {
        let Argument { schema, whole, depth, .. } = argument;
        let of = argument.kinds();
        let keywords = Schema::from_map(whole).part(schema).keywords();
        let part = self.reply.find(Unit::Argument);
        let (Some(parts), Some(keywords), Some(part)) = (self.parts.checked_sub(1), keywords, part)
        else {
            return self.raw_value(argument, end);
        };
        self.parts = parts;
        if depth >= DEEPEST || of.intersects(Kinds::STRING) {
            return self.raw_value(argument, end);
        }
        let inside = Argument { depth: depth + 1, ..argument };
        if let Some(ways) = alternatives_of(schema) {
            let ways = ways.iter().map(|way| {
                let way = Argument { schema: resolved(way, whole), ..inside };
                self.nested_value(way, item, end)
            });
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        if of == Kinds::OBJECT {
            let parameters = parameters_of(Schema::from_map(whole).part(schema), whole);
            if !parameters.is_empty() {
                return self.arguments(part, &Marker::NONE, parameters, (whole, depth + 1));
            }
        }
        if of == Kinds::ARRAY {
            let any = Value::from(Map::new());
            let items = keywords.items().and_then(|items| items.rest);
            let items = items.map_or(&any, |(_, items)| resolved(items, whole));
            let one = self.argument(part, Argument { name: item, schema: items, ..inside })?;
            return Ok(one.repeated(0, None));
        }
        self.raw_value(argument, end)
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
