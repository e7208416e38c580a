//! Values as literals of Python, or with a token as quote.

use super::Maker;
use super::arguments::{gap, separated};
use super::tagged::kinds;
use crate::error::Error;
use crate::reply::format::Text;
use crate::reply::grammar::{CharacterClass, Expression};
use crate::reply::schema::Kinds;
use crate::value::{Map, Value};

/// Lists and objects inside of each other that are written.
const DEEPEST: usize = 16;

impl Maker<'_> {
    /// A value of a schema as a literal.
    pub(super) fn literal(
        &mut self,
        schema: &Value,
        quote: &Text,
        assign: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        let listed = schema.get("enum").and_then(Value::as_array);
        let listed = listed.or_else(|| schema.get("const").map(std::slice::from_ref));
        if let Some(values) = listed {
            return Ok(Expression::choice(values.iter().map(|value| fixed(value, quote))));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(ways) = schema.get(key).and_then(Value::as_array) {
                let ways = ways.iter().map(|way| self.literal(way, quote, assign, depth));
                return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
            }
        }
        let kinds = kinds(schema);
        if kinds == Kinds::ANY {
            return self.any_literal(quote);
        }
        let mut ways = Vec::new();
        if kinds.admits_text() {
            ways.push(text(quote));
        }
        if kinds.admits("1") {
            ways.push(self.number(schema)?);
        }
        if kinds.admits("true") {
            ways.extend(["True", "False", "true", "false"].map(Expression::text));
        }
        if kinds.admits("null") {
            ways.extend(["None", "null"].map(Expression::text));
        }
        if depth < DEEPEST {
            if kinds.contains(Kinds::ARRAY) {
                ways.push(self.list(schema, quote, assign, depth)?);
            }
            if kinds.contains(Kinds::OBJECT) {
                ways.push(self.object(schema, quote, assign, depth)?);
            }
        }
        Ok(Expression::Choice(ways))
    }

    /// Any value at all.
    fn any_literal(&mut self, quote: &Text) -> Result<Expression, Error> {
        if let Some(rule) = self.any_literal {
            return Ok(rule.into());
        }
        let rule = self.builder.reserve("literal");
        self.any_literal = Some(rule);
        let number = self.number(&Map::new().into())?;
        let words = ["True", "False", "true", "false", "None", "null"].map(Expression::text);
        let more = Expression::sequence([comma(), rule.into()]).repeated(0, None);
        let list = Expression::sequence([rule.into(), more]).optional();
        let list = Expression::sequence(["[".into(), list, "]".into()]);
        let ways = [text(quote), number, list, any_object(quote, &rule.into())];
        self.builder.define(rule, Expression::choice(words.into_iter().chain(ways)));
        Ok(rule.into())
    }

    fn number(&mut self, schema: &Value) -> Result<Expression, Error> {
        let mut parts = match schema {
            Value::Object(parts) => parts.clone(),
            _ => Map::new(),
        };
        let is_integer = parts.get("type").and_then(Value::as_str) == Some("integer");
        parts.insert("type", if is_integer { "integer" } else { "number" });
        self.schema("number", &parts.into())
    }

    fn list(
        &mut self,
        schema: &Value,
        quote: &Text,
        assign: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        let item = match schema.get("items") {
            Some(items) => self.literal(items, quote, assign, depth + 1)?,
            None => self.any_literal(quote)?,
        };
        let more = Expression::sequence([comma(), item.clone()]).repeated(0, None);
        let row = Expression::sequence([item, more]).optional();
        Ok(Expression::sequence(["[".into(), row, "]".into()]))
    }

    fn object(
        &mut self,
        schema: &Value,
        quote: &Text,
        assign: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        if properties.is_none_or(Map::is_empty) {
            let value = self.any_literal(quote)?;
            return Ok(any_object(quote, &value));
        }
        let mut fields = Vec::new();
        for (name, part) in properties.into_iter().flat_map(Map::iter) {
            let value = self.literal(part, quote, assign, depth + 1)?;
            // Behind a quoting token keys stand without quotes, as they do among the arguments.
            let key = match quote.is_empty() {
                true => Expression::text(format!("{}:", Value::from(name).to_json())),
                false => Expression::text(format!("{name}:")),
            };
            let field = Expression::sequence([key, gap(), value]);
            fields.push((field, required.iter().any(|it| it.as_str() == Some(name))));
        }
        let row = separated(fields, &comma());
        Ok(Expression::sequence(["{".into(), row, "}".into()]))
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
    let more = Expression::sequence([comma(), field.clone()]).repeated(0, None);
    let row = Expression::sequence([field, more]).optional();
    Expression::sequence(["{".into(), row, "}".into()])
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
    let special = CharacterClass::of("\\").without(&CharacterClass::none());
    let plain = CharacterClass::any()
        .without(&controls)
        .without(&special)
        .without(&CharacterClass::range(quote, quote));
    let escaped = CharacterClass::of("\\nrt").without(&CharacterClass::none());
    let escape = Expression::choice([
        Expression::Class(escaped),
        Expression::Class(CharacterClass::range(quote, quote)),
    ]);
    let escape = Expression::sequence(["\\".into(), escape]);
    let inside = Expression::choice([Expression::Class(plain), escape]).repeated(0, None);
    let quote = Expression::text(quote.to_string());
    Expression::sequence([quote.clone(), inside, quote])
}

/// A value that the schema names.
fn fixed(value: &Value, quote: &Text) -> Expression {
    match value {
        Value::String(text) if !quote.is_empty() => {
            Expression::text(format!("{quote}{text}{quote}"))
        }
        Value::String(text) => {
            let json = Value::from(&**text).to_json();
            match text.contains(['\'', '\\', '"']) {
                true => Expression::text(json),
                false => Expression::choice([
                    Expression::text(json),
                    Expression::text(format!("'{text}'")),
                ]),
            }
        }
        Value::Bool(true) => Expression::choice(["True".into(), "true".into()]),
        Value::Bool(false) => Expression::choice(["False".into(), "false".into()]),
        Value::Null => Expression::choice(["None".into(), "null".into()]),
        other => Expression::text(other.to_json()),
    }
}
