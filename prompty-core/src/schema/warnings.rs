//! Warnings about parts of a schema that are not checked: unknown keywords, keywords of a wrong
//! form, and unsupported features.

use super::REFERENCE_HELP;
use super::keywords::{
    Combination, CountKind, KeywordError, Keywords, SubschemaForm, is_annotation, subschema_form,
};
use super::part::{Schema, SchemaForm};
use super::pointer::Pointer;
use super::validate::is_format;
use crate::diagnostic::suggest::suggest;
use crate::regular_expression::{Dialect, Program, parse};
use crate::value::Value;

/// The maximum number of warnings about a schema.
const MAX_WARNINGS: usize = 16;

/// The maximum length of a keyword or pattern in a message, in characters.
const MAX_SHOWN: usize = 40;

/// The maximum number of subschemas to examine.
const MAX_SCHEMAS: usize = 10_000;

/// The keywords that are checked, in addition to annotations.
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

/// Keywords that have an effect only together with another one.
const DEPENDENT_KEYWORDS: [(&str, &str); 4] =
    [("then", "if"), ("else", "if"), ("minContains", "contains"), ("maxContains", "contains")];

/// A part of a schema that is not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaWarning {
    /// The place of the part: `#/properties/city`.
    pub pointer: String,
    /// What is not checked, without a full stop: `` the format `email` is not checked ``.
    pub message: String,
    /// How to fix it, if there is a way.
    pub help: Option<String>,
}

impl Schema<'_> {
    /// The parts of the schema that [`Schema::violations`] does not check, in order.
    ///
    /// ```
    /// use prompty_core::schema::Schema;
    /// use prompty_core::value::Value;
    ///
    /// let schema = Value::from_json(r#"{"type": "string", "maxLenght": 3, "format": "email"}"#)?;
    /// let warnings = Schema::from_value(&schema).warnings();
    /// assert_eq!(warnings[0].message, "unknown keyword `maxLenght`");
    /// assert_eq!(warnings[1].message, "the format `email` is not checked");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn warnings(self) -> Vec<SchemaWarning> {
        let mut collector = WarningCollector { warnings: Vec::new() };
        let mut waiting = vec![(self, Pointer::root())];
        let mut examined = 0;
        while let Some((schema, at)) = waiting.pop() {
            examined += 1;
            if examined > MAX_SCHEMAS || collector.warnings.len() >= MAX_WARNINGS {
                break;
            }
            match schema.form() {
                SchemaForm::Everything | SchemaForm::Nothing => {}
                SchemaForm::Malformed(other) => {
                    let found = other.kind_name();
                    collector.add(
                        &at,
                        format!("expected a schema (an object or a boolean), found {found}"),
                    );
                }
                SchemaForm::Keywords(keywords) => {
                    collector.check_keywords(schema, keywords, &at);
                    let before = waiting.len();
                    push_subschemas(schema, keywords, &at, &mut waiting);
                    // Reversed, so that the first one is examined next.
                    let (_, new) = waiting.split_at_mut(before);
                    new.reverse();
                }
            }
        }
        collector.warnings.truncate(MAX_WARNINGS);
        collector.warnings
    }
}

/// Adds the direct subschemas of a schema, with their places.
fn push_subschemas<'a>(
    schema: Schema<'a>,
    keywords: Keywords<'a>,
    at: &Pointer<'a>,
    into: &mut Vec<(Schema<'a>, Pointer<'a>)>,
) {
    for (keyword, value) in keywords.map().iter() {
        let at = at.name(keyword);
        match (subschema_form(keyword), value) {
            // `items` may be an array of schemas in old drafts.
            (Some(SubschemaForm::Schema | SubschemaForm::List), Value::Array(list)) => {
                let list = list.iter().enumerate();
                into.extend(list.map(|(index, part)| (schema.part(part), at.index(index))));
            }
            (Some(SubschemaForm::Schema), part) => into.push((schema.part(part), at)),
            (Some(SubschemaForm::Map), Value::Object(map)) => {
                into.extend(map.iter().map(|(name, part)| (schema.part(part), at.name(name))));
            }
            _ => {}
        }
    }
}

struct WarningCollector {
    warnings: Vec<SchemaWarning>,
}

impl WarningCollector {
    fn add(&mut self, at: &Pointer<'_>, message: impl Into<String>) {
        let (pointer, message) = (at.to_string(), message.into());
        self.warnings.push(SchemaWarning { pointer, message, help: None });
    }

    /// Sets the help of the last warning.
    fn set_help(&mut self, help: impl Into<String>) {
        if let Some(last) = self.warnings.last_mut() {
            last.help = Some(help.into());
        }
    }

    /// Adds the warnings about one schema, without those about its subschemas.
    fn check_keywords(&mut self, schema: Schema<'_>, keywords: Keywords<'_>, at: &Pointer<'_>) {
        for (keyword, value) in keywords.map().iter() {
            if self.warnings.len() >= MAX_WARNINGS {
                return;
            }
            self.check_keyword(keyword, value, keywords, at);
        }
        self.check_forms(keywords, at);
        if let Ok(Some(reference)) = keywords.reference()
            && schema.own_target().is_none()
        {
            self.add(at, format!("unknown reference `{reference}`"));
            self.set_help(REFERENCE_HELP);
        }
        if let Ok(Some(pattern)) = keywords.pattern() {
            self.check_pattern(pattern, at);
        }
        let patterns = keywords.map().get("patternProperties").and_then(Value::as_object);
        for pattern in patterns.into_iter().flat_map(crate::value::Map::keys) {
            self.check_pattern(pattern, at);
        }
        if let Ok(Some(format)) = keywords.format()
            && !is_format(format)
        {
            self.add(at, format!("the format `{format}` is not checked"));
            self.set_help("use a `pattern`, or check the value before you pass it");
        }
    }

    /// Adds a warning if a keyword is unknown, not checked, or without effect.
    fn check_keyword(&mut self, keyword: &str, value: &Value, all: Keywords<'_>, at: &Pointer<'_>) {
        if keyword == "nullable" {
            if value == &Value::Bool(true) {
                self.add(at, "`nullable` is not a keyword of JSON Schema");
                self.set_help("add `null` to the types: `\"type\": [\"string\", \"null\"]`");
            }
            return;
        }
        if let Some((_, needed)) = DEPENDENT_KEYWORDS.iter().find(|(own, _)| *own == keyword)
            && all.map().get(needed).is_none()
        {
            self.add(at, format!("`{keyword}` has no effect without `{needed}`"));
        }
        if CHECKED.contains(&keyword) || is_annotation(keyword) || keyword.starts_with("x-") {
            // Other wrong forms are reported by `check_forms` or with the subschemas.
            let needs_object = subschema_form(keyword) == Some(SubschemaForm::Map);
            if needs_object && value.as_object().is_none() {
                let found = value.kind_name();
                self.add(
                    at,
                    format!("expected an object as `{keyword}` of a schema, found {found}"),
                );
            }
            return;
        }
        if matches!(keyword, "$dynamicRef" | "$recursiveRef" | "$recursiveAnchor") {
            self.add(at, format!("`{keyword}` is not checked"));
            self.set_help("use a plain reference, such as `{\"$ref\": \"#/$defs/address\"}`");
            return;
        }
        let shown: String = keyword.chars().take(MAX_SHOWN).collect();
        self.add(at, format!("unknown keyword `{shown}`"));
        if let Some(similar) = suggest(keyword, &CHECKED) {
            self.set_help(format!("a keyword with a similar name exists: `{similar}`"));
        }
    }

    /// Adds warnings about the keywords of [`Keywords`] whose values have a wrong form.
    fn check_forms(&mut self, keywords: Keywords<'_>, at: &Pointer<'_>) {
        let counts = [CountKind::Characters, CountKind::Items, CountKind::Properties];
        let counts = counts.into_iter().map(|counted| keywords.count(counted).err());
        let combinations = Combination::ALL.into_iter();
        let combinations = combinations.map(|combination| keywords.combination(combination).err());
        let errors = [
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
        let errors: Vec<KeywordError> =
            errors.into_iter().chain(counts).chain(combinations).flatten().collect();
        for error in errors {
            self.add(at, error.to_string());
            if let Some(help) = error.help() {
                self.set_help(help);
            }
        }
    }

    /// Adds a warning if a pattern cannot be compiled.
    fn check_pattern(&mut self, pattern: &str, at: &Pointer<'_>) {
        let why = match parse(pattern, Dialect::EcmaScript) {
            Ok(tree) if Program::new(&tree).is_some() => return,
            Ok(_) => "its repetition counts are too large".to_owned(),
            Err(error) => format!("it has {}", error.why),
        };
        let shown: String = pattern.chars().take(MAX_SHOWN).collect();
        self.add(at, format!("the pattern `{shown}` is not checked because {why}"));
    }
}
