//! Arguments in tags: texts as they are, up to the closing tag, all else as JSON.

use super::part::{Parameter, alternatives_of, kinds, listed, parameters_of, resolved};
use super::{Maker, marker, space};
use crate::reply::convert::PYTHON_WORDS;
use crate::reply::format::{Arguments, Marker, Quoting};
use crate::reply::grammar::Expression;
use crate::reply::grammar::fields::in_any_order;
use prompty_core::error::Error;
use prompty_core::schema::{Combination, Keywords, Kinds, Schema};
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

/// A part of a tool's schema.
#[derive(Debug, Clone, Copy)]
struct PartSchema<'s> {
    /// The argument, or the object's key, that it is of.
    name: &'s str,
    schema: &'s Value,
    /// What its references lead into.
    whole: &'s Map,
}

impl<'s> PartSchema<'s> {
    fn kinds(self) -> Kinds {
        kinds(self.schema, self.whole)
    }

    fn keywords(self) -> Option<Keywords<'s>> {
        Schema::from_map(self.whole).part(self.schema).keywords()
    }

    /// Each of some alternatives, behind its references.
    fn each(self, ways: &'s [Value]) -> impl Iterator<Item = Self> {
        ways.iter().map(move |way| Self { schema: resolved(way, self.whole), ..self })
    }

    /// The alternatives of a schema that is nothing else. Those that have alternatives themselves are not
    /// looked into.
    fn alternatives(self) -> Option<Vec<Self>> {
        let ways: Vec<Self> = self.each(alternatives_of(self.schema)?).collect();
        ways.iter().all(|way| alternatives_of(way.schema).is_none()).then_some(ways)
    }

    /// Whether some text of it may be any text, so that nothing is gained by what else it admits.
    fn is_any_text(self) -> bool {
        let is_any = |way: &Self| listed(way.schema).is_none();
        match self.alternatives() {
            Some(ways) => ways.iter().any(|it| is_any(it) && it.kinds().intersects(Kinds::STRING)),
            None => is_any(&self),
        }
    }

    /// The words of Python for its values: what many templates write in place of JSON.
    fn python_words(self) -> Vec<Expression> {
        if let Some(ways) = self.alternatives() {
            return ways.into_iter().flat_map(Self::python_words).collect();
        }
        let is_mixed = self.keywords().is_some_and(|keywords| {
            ["anyOf", "oneOf", "allOf", "not"].iter().any(|key| keywords.map().contains_key(key))
        });
        let of = self.kinds();
        let is_admitted = |value: &Value| match listed(self.schema) {
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
            return self.nested(notation, parameter.part(whole), 0);
        };
        let part = parameter.part(whole);
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
            let value = self.raw_value(part, end)?;
            return Ok(Expression::sequence([opened(after), value, closed]));
        };
        // The markup says whether the value is a text, and the schema does, too.
        let kinds = part.kinds();
        let mut ways = Vec::new();
        let words_of_texts: Vec<&str> = hint.string.iter().map(|word| &**word).collect();
        if kinds.intersects(Kinds::STRING) && !words_of_texts.is_empty() {
            let words = words_of_texts.iter().map(|word| Expression::text((*word).to_owned()));
            let open = opened(Expression::sequence([Expression::choice(words), marker(&hint.end)]));
            let text = self.raw_text(part, end)?;
            ways.push(Expression::sequence([open, text]));
        }
        if kinds != Kinds::STRING || words_of_texts.is_empty() {
            let words = TYPE_WORDS.iter().filter(|word| !words_of_texts.contains(word));
            let words = Expression::choice(words.map(|word| Expression::text(*word)));
            let open = opened(Expression::sequence([words, marker(&hint.end)]));
            let json = match kinds == Kinds::ANY || words_of_texts.is_empty() {
                true => self.raw_value(part, end)?,
                false => self.without_text(part)?,
            };
            ways.push(Expression::sequence([open, json]));
        }
        Ok(Expression::sequence([Expression::Choice(ways), closed]))
    }

    /// A value up to its closing tag: a text as it is, all else as JSON.
    fn raw_value(&mut self, part: PartSchema<'_>, end: ValueEnd<'_>) -> Result<Expression, Error> {
        let kinds = part.kinds();
        let has_text = kinds.intersects(Kinds::STRING);
        let text = if has_text { Some(self.raw_text(part, end)?) } else { None };
        // A text that looks like another value of the schema is read as that.
        let json = match &text {
            Some(text) if kinds == Kinds::STRING || part.is_any_text() => return Ok(text.clone()),
            Some(_) => self.without_text(part)?,
            None => self.schema_of_part(part.name, part.schema, part.whole)?,
        };
        let values = std::iter::once(json).chain(part.python_words());
        let space = space(&end.close.before);
        let values = Expression::sequence([Expression::choice(values), space]);
        Ok(Expression::choice(text.into_iter().chain([values])))
    }

    /// A text up to its closing tag, which it cannot hold.
    fn raw_text(&mut self, part: PartSchema<'_>, end: ValueEnd<'_>) -> Result<Expression, Error> {
        let PartSchema { name, schema, .. } = part;
        if let Some(values) = listed(schema) {
            let texts = values.iter().filter_map(Value::as_str).filter(|text| end.admits(text));
            let texts = Expression::choice(texts.map(|text| Expression::text(text.to_owned())));
            return Ok(Expression::sequence([texts, space(&end.close.before)]));
        }
        if let Some(ways) = part.alternatives() {
            let ways = ways.into_iter().filter(|way| way.kinds().intersects(Kinds::STRING));
            let ways = ways.map(|way| self.raw_text(way, end));
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
    fn without_text(&mut self, part: PartSchema<'_>) -> Result<Expression, Error> {
        let PartSchema { name, schema, whole } = part;
        let Some(keywords) = part.keywords() else {
            return self.schema_of_part(name, schema, whole);
        };
        let mut parts = keywords.map().clone();
        let mut keep = |keyword: &str, values: &[Value], is_kept: &dyn Fn(&Value) -> bool| {
            let kept: Vec<Value> = values.iter().filter(|it| is_kept(it)).cloned().collect();
            parts.insert(keyword, kept);
        };
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let ways = keywords.combination(combination).unwrap_or_default();
            if !ways.is_empty() {
                keep(combination.keyword(), ways, &|way| kinds(way, whole) != Kinds::STRING);
            }
        }
        if let Some(values) = keywords.values().ok().flatten() {
            keep("enum", values, &|value| value.as_str().is_none());
        }
        if let Some(names) = keywords.map().get("type").and_then(Value::as_array) {
            keep("type", names, &|name| name.as_str() != Some("string"));
        }
        self.schema_of_part(name, &parts.into(), whole)
    }

    /// One argument as a tag of its own name, objects as tags inside of it.
    fn nested(
        &mut self,
        notation: &Arguments,
        part: PartSchema<'_>,
        depth: usize,
    ) -> Result<Expression, Error> {
        let name = part.name;
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
        let value = self.nested_value(notation, part, end, depth)?;
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
        part: PartSchema<'_>,
        end: ValueEnd<'_>,
        depth: usize,
    ) -> Result<Expression, Error> {
        let PartSchema { schema, whole, .. } = part;
        let of = part.kinds();
        let Arguments::Nested { item, .. } = notation else { return Ok(Expression::NOTHING) };
        let (Some(parts), Some(keywords)) = (self.parts.checked_sub(1), part.keywords()) else {
            return self.raw_value(part, end);
        };
        self.parts = parts;
        if depth >= DEEPEST || of.intersects(Kinds::STRING) {
            return self.raw_value(part, end);
        }
        if let Some(ways) = alternatives_of(schema) {
            let ways = part.each(ways).map(|way| self.nested_value(notation, way, end, depth + 1));
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        if of == Kinds::OBJECT {
            let parameters = parameters_of(Schema::from_map(whole).part(schema), whole);
            let mut fields = Vec::new();
            for parameter in parameters {
                let field = self.nested(notation, parameter.part(whole), depth + 1)?;
                fields.push(parameter.written(field));
            }
            if !fields.is_empty() {
                return Ok(in_any_order(&mut self.builder, fields));
            }
        }
        if of == Kinds::ARRAY {
            let any = Value::from(Map::new());
            let items = keywords.items().and_then(|items| items.rest);
            let schema = items.map_or(&any, |(_, items)| resolved(items, whole));
            let items = PartSchema { name: item, schema, whole };
            let one = self.nested(notation, items, depth + 1)?;
            return Ok(one.repeated(0, None));
        }
        self.raw_value(part, end)
    }
}

impl Parameter {
    /// Its schema in that of the tool.
    fn part<'s>(&'s self, whole: &'s Map) -> PartSchema<'s> {
        PartSchema { name: &self.name, schema: &self.schema, whole }
    }
}
