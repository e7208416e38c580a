//! Values as literals of Python, or with a token as quote.

use super::argument::OF_TEXTS;
use super::maker::Maker;
use super::part::{all_of, alternatives_of, kinds, listed, resolved};
use crate::convert::PYTHON_WORDS;
use crate::format::Text;
use crate::grammar::fields::optional_fields;
use crate::grammar::schema::basic::{list, white_space as gap};
use crate::grammar::{CharacterClass, Expression, Result};
use prompty_core::schema::{Keywords, Kinds, Property, Schema};
use prompty_core::value::{Map, Value};

/// Lists and objects inside of each other that are written.
const DEEPEST: usize = 16;

/// Keywords that a list of literals is not held to.
const OF_LISTS: [&str; 5] = ["minItems", "maxItems", "uniqueItems", "prefixItems", "contains"];

/// Keywords that an object of literals is not held to.
const OF_OBJECTS: [&str; 4] =
    ["minProperties", "maxProperties", "patternProperties", "propertyNames"];

/// What a literal is written for.
#[derive(Clone, Copy)]
pub(super) struct Typed<'a> {
    /// Where the schema stands, for errors.
    pub(super) place: &'a str,
    pub(super) schema: &'a Value,
    /// The schema with the definitions of its references.
    pub(super) whole: &'a Map,
    pub(super) quote: &'a Text,
    /// So many lists and objects it is inside of.
    pub(super) depth: usize,
}

impl Maker<'_> {
    /// A value of a schema as a literal.
    pub(super) fn literal(&mut self, typed: Typed<'_>) -> Result<Expression> {
        let Typed { place, schema, whole, quote, depth } = typed;
        let keywords = Schema::from_map(whole).part(schema).keywords();
        if let Some(reference) = keywords.and_then(|it| it.reference().ok().flatten()) {
            return self.referred(reference, typed);
        }
        let schema = resolved(schema, whole);
        let typed = Typed { schema, ..typed };
        if let Some(values) = listed(schema) {
            return Ok(Expression::choice(values.iter().map(|value| fixed(value, quote))));
        }
        if let Some(ways) = alternatives_of(schema) {
            let ways = ways.iter().map(|schema| self.literal(Typed { schema, ..typed }));
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        self.widen(&["$ref", "allOf", "not"], place, schema)?;
        let kinds = kinds(schema, whole);
        if kinds == Kinds::ANY {
            return self.any_literal(quote);
        }
        let mut ways = Vec::new();
        if kinds.intersects(Kinds::STRING) {
            self.widen(&OF_TEXTS, place, schema)?;
            ways.push(text(quote));
        }
        if kinds.intersects(Kinds::NUMBER) {
            ways.push(self.number(schema, whole, kinds)?);
        }
        if kinds.intersects(Kinds::BOOLEAN) {
            ways.extend(words(&["true", "false"]));
        }
        if kinds.intersects(Kinds::NULL) {
            ways.extend(words(&["null"]));
        }
        if depth < DEEPEST {
            if kinds.contains(Kinds::ARRAY) {
                ways.push(self.list(typed)?);
            }
            if kinds.contains(Kinds::OBJECT) {
                ways.push(self.object(typed)?);
            }
        }
        Ok(Expression::Choice(ways))
    }

    /// What a reference names: one rule, however often it is named.
    fn referred(&mut self, reference: &str, typed: Typed<'_>) -> Result<Expression> {
        let Typed { place, schema, whole, quote, .. } = typed;
        if let Some(rule) = self.referred.get(reference) {
            return Ok((*rule).into());
        }
        let found = resolved(schema, whole);
        if found.get("$ref").is_some() {
            self.widen(&["$ref"], place, found)?;
            return self.any_literal(quote);
        }
        let rule = self.builder.reserve("literal");
        self.referred.insert(reference.to_owned(), rule);
        let found = Typed { place: reference, schema: found, depth: 0, ..typed };
        let literal = self.literal(found)?;
        self.builder.define(rule, literal);
        Ok(rule.into())
    }

    /// Any value at all.
    fn any_literal(&mut self, quote: &Text) -> Result<Expression> {
        if let Some(rule) = self.any_literal {
            return Ok(rule.into());
        }
        let rule = self.builder.reserve("literal");
        self.any_literal = Some(rule);
        let number = self.number(&Value::Null, &Map::new(), Kinds::NUMBER)?;
        let list = Expression::sequence(["[".into(), row(rule.into()), "]".into()]);
        let ways = [text(quote), number, list, any_object(quote, &rule.into())];
        self.builder
            .define(rule, Expression::choice(words(&["true", "false", "null"]).chain(ways)));
        Ok(rule.into())
    }

    fn number(&mut self, schema: &Value, whole: &Map, kinds: Kinds) -> Result<Expression> {
        let keywords = Schema::from_map(whole).part(schema).keywords();
        let mut parts = keywords.map(|keywords| keywords.map().clone()).unwrap_or_default();
        let name = if kinds.contains(Kinds::NUMBER) { "number" } else { "integer" };
        parts.insert("type", name);
        self.schema_of_part("number", &parts.into(), whole)
    }

    fn list(&mut self, typed: Typed<'_>) -> Result<Expression> {
        let Typed { place, schema, whole, quote, depth } = typed;
        let inside = Typed { depth: depth + 1, ..typed };
        self.widen(&OF_LISTS, place, schema)?;
        let keywords = Schema::from_map(whole).part(schema).keywords();
        let items = keywords.and_then(Keywords::items).and_then(|items| items.rest);
        let item = match items {
            Some((_, items)) => {
                let place = &format!("{place}/items");
                self.literal(Typed { place, schema: items, ..inside })?
            }
            None => self.any_literal(quote)?,
        };
        let item = self.builder.shared("item", item);
        Ok(Expression::sequence(["[".into(), row(item), "]".into()]))
    }

    fn object(&mut self, typed: Typed<'_>) -> Result<Expression> {
        let Typed { place, schema, whole, quote, depth } = typed;
        let inside = Typed { depth: depth + 1, ..typed };
        self.widen(&OF_OBJECTS, place, schema)?;
        let properties = Schema::from_map(whole).part(schema).properties();
        if properties.is_empty() {
            let keywords = Schema::from_map(whole).part(schema).keywords();
            let value = match keywords.and_then(Keywords::additional_properties) {
                Some(Value::Bool(false)) => return Ok("{}".into()),
                Some(values @ Value::Object(_)) => {
                    let place = format!("{place}/additionalProperties");
                    self.literal(Typed { place: &place, schema: values, ..inside })?
                }
                _ => self.any_literal(quote)?,
            };
            let value = self.builder.shared("value", value);
            return Ok(any_object(quote, &value));
        }
        let mut fields = Vec::new();
        for Property { name, schemas, is_required } in properties {
            let place = format!("{place}/properties/{name}");
            let schema = &all_of(&schemas);
            let value = self.literal(Typed { place: &place, schema, ..inside })?;
            // Behind a quoting token keys stand without quotes, as they do among the arguments.
            let key = if quote.is_empty() { Value::from(name).to_json() } else { key(name) };
            let field = Expression::sequence([Expression::text(format!("{key}:")), gap(), value]);
            fields.push((field, is_required));
        }
        let row = optional_fields(&mut self.builder, fields, None, &comma());
        Ok(Expression::sequence(["{".into(), row, "}".into()]))
    }
}

/// A name as a key that has no quotes, or in quotes where it would not be read as one word.
pub(super) fn key(name: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    match !name.is_empty() && name.chars().all(|it| is_part(it) || !it.is_ascii()) {
        true => name.to_owned(),
        false => Value::from(name).to_json(),
    }
}

/// An object of any keys.
fn any_object(quote: &Text, value: &Expression) -> Expression {
    let key = match quote.is_empty() {
        true => text(quote),
        false => {
            let letters = [('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_')];
            Expression::Class(letters.into_iter().collect()).repeated(1, Some(64))
        }
    };
    let field = Expression::sequence([key, ":".into(), gap(), value.clone()]);
    Expression::sequence(["{".into(), row(field), "}".into()])
}

/// Items with commas between them.
fn row(item: Expression) -> Expression {
    list(item, &gap(), 0, None)
}

/// A comma and the white space behind it.
fn comma() -> Expression {
    Expression::sequence([",".into(), gap()])
}

/// A text in its quotes.
fn text(quote: &Text) -> Expression {
    if !quote.is_empty() {
        let quoted = Expression::until([&**quote]);
        let quote = Expression::text(quote.clone());
        return Expression::sequence([quote.clone(), quoted, quote]);
    }
    Expression::choice([quoted('"'), quoted('\'')])
}

/// A text between two quotes of a kind, with the escapes that JSON and Python share.
fn quoted(quote: char) -> Expression {
    let controls = CharacterClass::range('\0', '\u{1f}');
    let special = CharacterClass::from_characters("\\");
    let plain = CharacterClass::any()
        .without(&controls)
        .without(&special)
        .without(&CharacterClass::range(quote, quote));
    let escaped = CharacterClass::from_characters("\\nrt");
    let escape = Expression::choice([
        Expression::Class(escaped),
        Expression::Class(CharacterClass::range(quote, quote)),
    ]);
    let escape = Expression::sequence(["\\".into(), escape]);
    let inside = Expression::choice([Expression::Class(plain), escape]).repeated(0, None);
    let quote = Expression::text(quote.to_string());
    Expression::sequence([quote.clone(), inside, quote])
}

/// These words of JSON, as Python and as JSON write them.
fn words(json: &[&str]) -> impl Iterator<Item = Expression> {
    let wanted = PYTHON_WORDS.iter().filter(|(_, word)| json.contains(word));
    wanted.flat_map(|(python, json)| [Expression::text(*python), Expression::text(*json)])
}

/// A value that the schema names.
fn fixed(value: &Value, quote: &Text) -> Expression {
    match value {
        Value::String(text) if !quote.is_empty() => {
            Expression::text(format!("{quote}{text}{quote}"))
        }
        Value::String(text) => {
            let json = Value::from(&**text).to_json();
            match text.contains(|it: char| matches!(it, '\'' | '\\') || it.is_control()) {
                true => Expression::text(json),
                false => Expression::choice([
                    Expression::text(json),
                    Expression::text(format!("'{text}'")),
                ]),
            }
        }
        Value::Bool(true) => Expression::choice(words(&["true"])),
        Value::Bool(false) => Expression::choice(words(&["false"])),
        Value::Null => Expression::choice(words(&["null"])),
        other => Expression::text(other.to_json()),
    }
}
