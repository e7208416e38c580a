//! Values as Python literals, or with a token as quote: `[1, 'a', True]`, `{a: <q>b<q>}`.

use super::argument::STRING_KEYWORDS;
use super::part::{all_of, alternatives_of, kinds_of, listed, resolved};
use super::reply_builder::ReplyGrammarBuilder;
use crate::convert::PYTHON_WORDS;
use crate::format::Text;
use crate::grammar::fields::optional_fields;
use crate::grammar::schema::basic::{list, white_space};
use crate::grammar::{CharacterClass, Expression, Result};
use prompty_core::schema::{Keywords, Kinds, Property, Schema};
use prompty_core::value::{Map, Value};

/// The maximum nesting depth of written lists and objects. `literal` calls itself for each level.
const MAX_DEPTH: usize = 16;

/// Keywords that are not enforced for a list of literals.
const LIST_KEYWORDS: [&str; 5] = ["minItems", "maxItems", "uniqueItems", "prefixItems", "contains"];

/// Keywords that are not enforced for an object of literals.
const OBJECT_KEYWORDS: [&str; 4] =
    ["minProperties", "maxProperties", "patternProperties", "propertyNames"];

/// The schema of a literal, with its context.
#[derive(Clone, Copy)]
pub(super) struct LiteralSchema<'a> {
    /// The place of the schema, for errors.
    pub(super) place: &'a str,
    pub(super) schema: &'a Value,
    /// The schema with the definitions of its references.
    pub(super) root_schema: &'a Map,
    pub(super) quote: &'a Text,
    /// The number of lists and objects around it.
    pub(super) depth: usize,
}

impl ReplyGrammarBuilder<'_> {
    /// Writes a value of a schema as a literal.
    pub(super) fn literal(&mut self, literal_schema: LiteralSchema<'_>) -> Result<Expression> {
        let LiteralSchema { place, schema, root_schema, quote, depth } = literal_schema;
        let keywords = Schema::from_map(root_schema).part(schema).keywords();
        if let Some(reference) = keywords.and_then(|it| it.reference().ok().flatten()) {
            return self.referred(reference, literal_schema);
        }
        let schema = resolved(schema, root_schema);
        let literal_schema = LiteralSchema { schema, ..literal_schema };
        if let Some(values) = listed(schema) {
            return Ok(Expression::choice(values.iter().map(|value| fixed(value, quote))));
        }
        if let Some(ways) = alternatives_of(schema) {
            let ways =
                ways.iter().map(|schema| self.literal(LiteralSchema { schema, ..literal_schema }));
            return Ok(Expression::Choice(ways.collect::<Result<_, _>>()?));
        }
        self.record_unenforced(&["$ref", "allOf", "not"], place, schema)?;
        let kinds = kinds_of(schema, root_schema);
        if kinds == Kinds::ANY {
            return self.any_literal(quote);
        }
        let mut ways = Vec::new();
        if kinds.intersects(Kinds::STRING) {
            self.record_unenforced(&STRING_KEYWORDS, place, schema)?;
            ways.push(text(quote));
        }
        if kinds.intersects(Kinds::NUMBER) {
            ways.push(self.number(schema, root_schema, kinds)?);
        }
        if kinds.intersects(Kinds::BOOLEAN) {
            ways.extend(words(&["true", "false"]));
        }
        if kinds.intersects(Kinds::NULL) {
            ways.extend(words(&["null"]));
        }
        // A list or object that is nested more deeply cannot be written.
        if depth < MAX_DEPTH {
            if kinds.contains(Kinds::ARRAY) {
                ways.push(self.list(literal_schema)?);
            }
            if kinds.contains(Kinds::OBJECT) {
                ways.push(self.object(literal_schema)?);
            }
        }
        Ok(Expression::Choice(ways))
    }

    /// Writes the target of a reference as one rule, for any number of references.
    fn referred(
        &mut self,
        reference: &str,
        literal_schema: LiteralSchema<'_>,
    ) -> Result<Expression> {
        let LiteralSchema { place, schema, root_schema, quote, .. } = literal_schema;
        if let Some(rule) = self.literal_rules.referred.get(reference) {
            return Ok((*rule).into());
        }
        let found = resolved(schema, root_schema);
        if found.get("$ref").is_some() {
            self.record_unenforced(&["$ref"], place, found)?;
            return self.any_literal(quote);
        }
        let rule = self.builder.reserve("literal");
        self.literal_rules.referred.insert(reference.to_owned(), rule);
        // The rule is written once, wherever it is used, so its depth begins at zero.
        let found = LiteralSchema { place: reference, schema: found, depth: 0, ..literal_schema };
        let literal = self.literal(found)?;
        self.builder.define(rule, literal);
        Ok(rule.into())
    }

    /// Writes any value.
    fn any_literal(&mut self, quote: &Text) -> Result<Expression> {
        if let Some(rule) = self.literal_rules.any {
            return Ok(rule.into());
        }
        let rule = self.builder.reserve("literal");
        self.literal_rules.any = Some(rule);
        let number = self.number(&Value::Null, &Map::new(), Kinds::NUMBER)?;
        let list = Expression::sequence(["[".into(), item_list(rule.into()), "]".into()]);
        let ways = [text(quote), number, list, any_object(quote, &rule.into())];
        self.builder
            .define(rule, Expression::choice(words(&["true", "false", "null"]).chain(ways)));
        Ok(rule.into())
    }

    fn number(&mut self, schema: &Value, root_schema: &Map, kinds: Kinds) -> Result<Expression> {
        let keywords = Schema::from_map(root_schema).part(schema).keywords();
        let mut parts = keywords.map(|keywords| keywords.map().clone()).unwrap_or_default();
        let name = if kinds.contains(Kinds::NUMBER) { "number" } else { "integer" };
        parts.insert("type", name);
        self.schema_of_part("number", &parts.into(), root_schema)
    }

    fn list(&mut self, literal_schema: LiteralSchema<'_>) -> Result<Expression> {
        let LiteralSchema { place, schema, root_schema, quote, depth } = literal_schema;
        let inside = LiteralSchema { depth: depth + 1, ..literal_schema };
        self.record_unenforced(&LIST_KEYWORDS, place, schema)?;
        let keywords = Schema::from_map(root_schema).part(schema).keywords();
        let items = keywords.and_then(Keywords::items).and_then(|items| items.rest);
        let item = match items {
            Some((_, items)) => {
                let place = &format!("{place}/items");
                self.literal(LiteralSchema { place, schema: items, ..inside })?
            }
            None => self.any_literal(quote)?,
        };
        let item = self.builder.shared("item", item);
        Ok(Expression::sequence(["[".into(), item_list(item), "]".into()]))
    }

    fn object(&mut self, literal_schema: LiteralSchema<'_>) -> Result<Expression> {
        let LiteralSchema { place, schema, root_schema, quote, depth } = literal_schema;
        let inside = LiteralSchema { depth: depth + 1, ..literal_schema };
        self.record_unenforced(&OBJECT_KEYWORDS, place, schema)?;
        let properties = Schema::from_map(root_schema).part(schema).properties();
        if properties.is_empty() {
            let keywords = Schema::from_map(root_schema).part(schema).keywords();
            let value = match keywords.and_then(Keywords::additional_properties) {
                Some(Value::Bool(false)) => return Ok("{}".into()),
                Some(values @ Value::Object(_)) => {
                    let place = format!("{place}/additionalProperties");
                    self.literal(LiteralSchema { place: &place, schema: values, ..inside })?
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
            let value = self.literal(LiteralSchema { place: &place, schema, ..inside })?;
            // With a quoting token, keys have no quotes, as among the arguments.
            let key = if quote.is_empty() { Value::from(name).to_json() } else { key(name) };
            let field =
                Expression::sequence([Expression::text(format!("{key}:")), white_space(), value]);
            fields.push((field, is_required));
        }
        let row = optional_fields(&mut self.builder, fields, None, &comma());
        Ok(Expression::sequence(["{".into(), row, "}".into()]))
    }
}

/// Writes a name as a key without quotes, or in quotes if it would not be read as one word.
pub(super) fn key(name: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    match !name.is_empty() && name.chars().all(|it| is_part(it) || !it.is_ascii()) {
        true => name.to_owned(),
        false => Value::from(name).to_json(),
    }
}

/// An object with any keys.
fn any_object(quote: &Text, value: &Expression) -> Expression {
    let key = match quote.is_empty() {
        true => text(quote),
        false => {
            let ranges = [('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_')];
            Expression::Class(ranges.into_iter().collect()).repeated(1, Some(64))
        }
    };
    let field = Expression::sequence([key, ":".into(), white_space(), value.clone()]);
    Expression::sequence(["{".into(), item_list(field), "}".into()])
}

/// Items with commas between them.
fn item_list(item: Expression) -> Expression {
    list(item, &white_space(), 0, None)
}

/// A comma and the white space after it.
fn comma() -> Expression {
    Expression::sequence([",".into(), white_space()])
}

/// A string in its quotes.
fn text(quote: &Text) -> Expression {
    if !quote.is_empty() {
        let quoted = Expression::until([&**quote]);
        let quote = Expression::text(quote.clone());
        return Expression::sequence([quote.clone(), quoted, quote]);
    }
    Expression::choice([quoted('"'), quoted('\'')])
}

/// A string between two quotes of a kind, with the escapes that JSON and Python share.
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

/// These words of JSON, in the spellings of Python and of JSON.
fn words(json: &[&str]) -> impl Iterator<Item = Expression> {
    let wanted = PYTHON_WORDS.iter().filter(|(_, word)| json.contains(word));
    wanted.flat_map(|(python, json)| [Expression::text(*python), Expression::text(*json)])
}

/// A value that the schema lists.
fn fixed(value: &Value, quote: &Text) -> Expression {
    match value {
        Value::String(text) if !quote.is_empty() => {
            Expression::text(format!("{quote}{text}{quote}"))
        }
        Value::String(text) => {
            let json = Value::from(&**text).to_json();
            // In single quotes, these characters need escapes of Python.
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
