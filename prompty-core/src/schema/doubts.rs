//! What a schema says that no value is held to: words that JSON Schema does not have, keywords in a wrong
//! form, and what is not checked.

use super::keywords::{Combination, Counted, Fault, Holds, Keywords, holds, is_annotation};
use super::part::{Form, Schema};
use super::pointer::Pointer;
use super::validate::is_format;
use crate::diagnostic::suggest::suggest;
use crate::regular_expression::{Dialect, Program, parse};
use crate::value::Value;

/// The most that is told of one schema.
const MOST_DOUBTS: usize = 16;

/// Schemas that are looked at before the rest goes unread.
const MOST_SCHEMAS: usize = 10_000;

/// The keywords that values are held to, beside annotations.
const CHECKED: [&str; 43] = [
    "$dynamicAnchor",
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Keywords that say something only beside another one.
const BESIDE: [(&str, &str); 4] =
    [("then", "if"), ("else", "if"), ("minContains", "contains"), ("maxContains", "contains")];

/// Something in a schema that no value is held to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doubt {
    /// The place of the schema that says it: `#/properties/city`.
    pub pointer: String,
    /// What it is, as a sentence without its end: `` `format: email` is not checked ``.
    pub message: String,
    /// How to mend it, if there is something to say.
    pub help: Option<String>,
}

impl Schema<'_> {
    /// What of the schema no value is held to by [`Schema::violations`], in the order of the schema.
    ///
    /// ```
    /// use prompty_core::schema::Schema;
    /// use prompty_core::value::Value;
    ///
    /// let schema = Value::from_json(r#"{"type": "string", "maxLenght": 3, "format": "email"}"#)?;
    /// let doubts = Schema::from_value(&schema).doubts();
    /// assert_eq!(doubts[0].message, "`maxLenght` is no keyword of JSON schemas");
    /// assert_eq!(doubts[1].message, "the format `email` is not checked");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn doubts(self) -> Vec<Doubt> {
        let mut reader = Reader { found: Vec::new() };
        let mut waiting = vec![(self, Pointer::root())];
        let mut read = 0;
        while let Some((schema, at)) = waiting.pop() {
            read += 1;
            if read > MOST_SCHEMAS || reader.found.len() >= MOST_DOUBTS {
                break;
            }
            match schema.form() {
                Form::Everything | Form::Nothing => {}
                Form::Malformed(other) => {
                    let found = other.kind_name();
                    reader.note(&at, format!("a schema is a map, true or false, and not {found}"));
                }
                Form::Keywords(keywords) => {
                    reader.keywords(schema, keywords, &at);
                    let before = waiting.len();
                    parts(schema, keywords, &at, &mut waiting);
                    // The first one is read next.
                    let (_, new) = waiting.split_at_mut(before);
                    new.reverse();
                }
            }
        }
        reader.found.truncate(MOST_DOUBTS);
        reader.found
    }
}

/// The schemas that a schema has in it, with their places.
fn parts<'a>(
    schema: Schema<'a>,
    keywords: Keywords<'a>,
    at: &Pointer<'a>,
    into: &mut Vec<(Schema<'a>, Pointer<'a>)>,
) {
    for (keyword, value) in keywords.map().iter() {
        let at = at.name(keyword);
        match (holds(keyword), value) {
            (Some(Holds::Schema | Holds::List), Value::Array(list)) => {
                let list = list.iter().enumerate();
                into.extend(list.map(|(index, part)| (schema.part(part), at.index(index))));
            }
            (Some(Holds::Schema), part) => into.push((schema.part(part), at)),
            (Some(Holds::Map), Value::Object(map)) => {
                into.extend(map.iter().map(|(name, part)| (schema.part(part), at.name(name))));
            }
            _ => {}
        }
    }
}

struct Reader {
    found: Vec<Doubt>,
}

impl Reader {
    fn note(&mut self, at: &Pointer<'_>, message: impl Into<String>) {
        self.found.push(Doubt { pointer: at.to_string(), message: message.into(), help: None });
    }

    fn help(&mut self, help: impl Into<String>) {
        if let Some(last) = self.found.last_mut() {
            last.help = Some(help.into());
        }
    }

    fn keywords(&mut self, schema: Schema<'_>, keywords: Keywords<'_>, at: &Pointer<'_>) {
        for (keyword, value) in keywords.map().iter() {
            if self.found.len() >= MOST_DOUBTS {
                return;
            }
            self.keyword(keyword, value, keywords, at);
        }
        self.forms(keywords, at);
        if let Ok(Some(reference)) = keywords.reference()
            && schema.own_target().is_none()
        {
            self.note(at, format!("the reference `{reference}` leads nowhere"));
            self.help("a reference names a part of the same schema: `#/$defs/address`");
        }
        if let Ok(Some(pattern)) = keywords.pattern() {
            self.pattern(pattern, at);
        }
        let patterns = keywords.map().get("patternProperties").and_then(Value::as_object);
        for pattern in patterns.into_iter().flat_map(crate::value::Map::keys) {
            self.pattern(pattern, at);
        }
        if let Ok(Some(format)) = keywords.format()
            && !is_format(format)
        {
            self.note(at, format!("the format `{format}` is not checked"));
            self.help("say it by a `pattern`, or check the value before you give it");
        }
    }

    fn keyword(&mut self, keyword: &str, value: &Value, all: Keywords<'_>, at: &Pointer<'_>) {
        if keyword == "nullable" {
            if value == &Value::Bool(true) {
                self.note(at, "`nullable` is no keyword of JSON schemas");
                self.help("write the type `null` beside the other one: `\"type\": [\"string\", \"null\"]`");
            }
            return;
        }
        if let Some((_, needed)) = BESIDE.iter().find(|(own, _)| *own == keyword)
            && all.map().get(needed).is_none()
        {
            self.note(at, format!("`{keyword}` says nothing without `{needed}`"));
        }
        if CHECKED.contains(&keyword) || is_annotation(keyword) || keyword.starts_with("x-") {
            let is_wrong = match holds(keyword) {
                Some(Holds::Map) => value.as_object().is_none(),
                _ => false,
            };
            if is_wrong {
                let found = value.kind_name();
                self.note(at, format!("`{keyword}` of a schema has to be a map, not {found}"));
            }
            return;
        }
        if matches!(keyword, "$dynamicRef" | "$recursiveRef" | "$recursiveAnchor") {
            self.note(at, format!("`{keyword}` is not checked"));
            self.help("write a plain reference: `{\"$ref\": \"#/$defs/address\"}`");
            return;
        }
        let shown: String = keyword.chars().take(40).collect();
        self.note(at, format!("`{shown}` is no keyword of JSON schemas"));
        if let Some(similar) = suggest(keyword, &CHECKED) {
            self.help(format!("did you mean `{similar}`?"));
        }
    }

    /// Keywords whose values have a wrong form, so that they say nothing.
    fn forms(&mut self, keywords: Keywords<'_>, at: &Pointer<'_>) {
        let counts = [Counted::Characters, Counted::Items, Counted::Properties];
        let counts = counts.into_iter().map(|counted| keywords.count(counted).err());
        let combinations = Combination::ALL.into_iter();
        let combinations = combinations.map(|combination| keywords.combination(combination).err());
        let faults = [
            keywords.kinds().err(),
            keywords.values().err(),
            keywords.required().err(),
            keywords.bounds().err(),
            keywords.multiple_of().err(),
            keywords.contained().err(),
            keywords.pattern().err(),
            keywords.format().err(),
            keywords.reference().err(),
        ];
        let faults: Vec<Fault> =
            faults.into_iter().chain(counts).chain(combinations).flatten().collect();
        for fault in faults {
            self.note(at, fault.to_string());
            if let Some(help) = fault.help() {
                self.help(help);
            }
        }
    }

    fn pattern(&mut self, pattern: &str, at: &Pointer<'_>) {
        let why = match parse(pattern, Dialect::EcmaScript) {
            Ok(tree) if Program::new(&tree).is_some() => return,
            Ok(_) => "its counts are too large".to_owned(),
            Err(error) => format!("it has {}", error.why),
        };
        let shown: String = pattern.chars().take(40).collect();
        self.note(at, format!("the pattern `{shown}` is not checked, since {why}"));
    }
}
