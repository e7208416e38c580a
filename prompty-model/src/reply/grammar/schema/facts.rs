//! What schemas that hold together say of a value, gathered from all their keywords.

use super::compile::Compiler;
use super::decimal::{Bounds, Decimal};
use super::node::{self, Node};
use prompty_core::error::Error;
use prompty_core::value::{Map, Value};

/// Kinds of values, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const TEXT: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);
    const NONE: Self = Self(0);

    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::TEXT,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Integer(_) => Self::INTEGER,
            Value::Float(float) if float.fract() == 0.0 => Self::INTEGER,
            Value::Float(_) => Self(8),
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }
}

/// How much there may be of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Count {
    /// Whether it is said.
    pub(super) at_least: Option<u32>,
    pub(super) at_most: Option<u32>,
}

impl Count {
    pub(super) fn is_none(self) -> bool {
        self.at_least.unwrap_or(0) == 0 && self.at_most.is_none()
    }

    pub(super) fn least(self) -> u32 {
        self.at_least.unwrap_or(0)
    }

    pub(super) fn contains(self, count: usize) -> bool {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        u64::from(self.least()) <= count && self.at_most.is_none_or(|most| count <= most.into())
    }
}

/// What one schema says of an object's properties.
#[derive(Debug, Clone)]
pub(super) struct ObjectPart<'s> {
    pub(super) properties: Option<(Node<'s>, &'s Map)>,
    pub(super) additional: Option<Node<'s>>,
}

/// What one schema says of an array's items.
#[derive(Debug, Clone)]
pub(super) struct ArrayPart<'s> {
    pub(super) first: Vec<Node<'s>>,
    pub(super) rest: Option<Node<'s>>,
}

/// Alternatives of which one has to hold.
#[derive(Debug, Clone)]
pub(super) struct Group<'s> {
    pub(super) of: Node<'s>,
    pub(super) keyword: &'static str,
    pub(super) schemas: Vec<Node<'s>>,
}

/// All that is said.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts<'s> {
    /// No value follows it.
    pub(super) nothing: bool,
    pub(super) kinds: Option<Kinds>,
    /// Which kinds its keywords are about.
    pub(super) about: Option<Kinds>,
    pub(super) fixed: Option<Vec<&'s Value>>,
    pub(super) bounds: Bounds,
    pub(super) length: Count,
    /// Schemas with a `pattern`.
    pub(super) patterns: Vec<(Node<'s>, &'s str)>,
    pub(super) formats: Vec<(Node<'s>, &'s str)>,
    /// Schemas that say `minLength` or `maxLength`.
    pub(super) lengths: Vec<(Node<'s>, &'static str)>,
    pub(super) objects: Vec<ObjectPart<'s>>,
    /// Whether there is to be no property that is not named.
    pub(super) closed: bool,
    pub(super) required: Vec<&'s str>,
    pub(super) size: Count,
    /// Schemas that say `minProperties` or `maxProperties`.
    pub(super) sizes: Vec<(Node<'s>, &'static str)>,
    pub(super) arrays: Vec<ArrayPart<'s>>,
    pub(super) items: Count,
    pub(super) groups: Vec<Group<'s>>,
}

/// Keywords that say nothing of a value, or are read together with another.
const SILENT: [&str; 21] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "discriminator",
    "example",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

impl<'s> Facts<'s> {
    /// The kinds that are meant.
    pub(super) fn meant(&self) -> Kinds {
        self.kinds.or(self.about).unwrap_or(Kinds::ALL)
    }

    /// Whether nothing is said.
    pub(super) fn is_silent(&self) -> bool {
        !self.nothing
            && self.kinds.is_none()
            && self.about.is_none()
            && self.fixed.is_none()
            && self.groups.is_empty()
    }

    /// Whether it is one group and nothing else.
    pub(super) fn is_one_group(&self) -> bool {
        !self.nothing
            && self.kinds.is_none()
            && self.about.is_none()
            && self.fixed.is_none()
            && self.groups.len() == 1
    }

    fn about(&mut self, kinds: Kinds) {
        self.about = Some(self.about.unwrap_or(Kinds::NONE).or(kinds));
    }

    /// Adds what a schema says.
    pub(super) fn gather(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        node: &Node<'s>,
        depth: usize,
    ) -> Result<(), Error> {
        compiler.work(&node.at, depth)?;
        let map = match node.value {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => {
                self.nothing = true;
                return Ok(());
            }
            Value::Object(map) => map,
            other => {
                let message =
                    format!("a schema is an object or a boolean, not {}", other.kind_name());
                return Err(node::error_at(&node.at, message));
            }
        };
        self.objects(node, map);
        self.arrays(node, map)?;
        for (keyword, value) in map.iter() {
            self.keyword(compiler, node, map, (keyword, value), depth)?;
        }
        Ok(())
    }

    fn keyword(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        node: &Node<'s>,
        map: &'s Map,
        (keyword, value): (&'s str, &'s Value),
        depth: usize,
    ) -> Result<(), Error> {
        match keyword {
            "type" => self.kind(node, value)?,
            "const" => self.fix(vec![value]),
            "enum" => match value.as_array() {
                Some(values) => self.fix(values.iter().collect()),
                None => return Err(node.wrong(keyword, "a list", value)),
            },
            "$ref" => {
                let target = compiler.target(node, value)?;
                self.gather(compiler, &target, depth + 1)?;
            }
            "allOf" => {
                for part in node.children(keyword, value)? {
                    self.gather(compiler, &part, depth + 1)?;
                }
            }
            "anyOf" | "oneOf" => {
                let schemas = node.children(keyword, value)?;
                let keyword = if keyword == "anyOf" { "anyOf" } else { "oneOf" };
                self.groups.push(Group { of: node.clone(), keyword, schemas });
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.bound(node, map, keyword, value)?;
            }
            "minLength" | "maxLength" => {
                self.about(Kinds::TEXT);
                let which = if keyword == "minLength" { "minLength" } else { "maxLength" };
                if count(node, which, value, &mut self.length)? {
                    self.lengths.push((node.clone(), which));
                }
            }
            "minItems" | "maxItems" => {
                self.about(Kinds::ARRAY);
                count(node, keyword, value, &mut self.items)?;
            }
            "minProperties" | "maxProperties" => {
                self.about(Kinds::OBJECT);
                let which =
                    if keyword == "minProperties" { "minProperties" } else { "maxProperties" };
                if count(node, which, value, &mut self.size)? {
                    self.sizes.push((node.clone(), which));
                }
            }
            "pattern" | "format" => {
                let Some(text) = value.as_str() else {
                    return Err(node.wrong(keyword, "a text", value));
                };
                match keyword {
                    "pattern" => {
                        self.about(Kinds::TEXT);
                        self.patterns.push((node.clone(), text));
                    }
                    _ if super::text::is_format(text) => {
                        self.about(Kinds::TEXT);
                        self.formats.push((node.clone(), text));
                    }
                    // An annotation, as the specification has it. Those of numbers name a width.
                    _ if is_of_numbers(map) => {}
                    _ => compiler.note(node, keyword),
                }
            }
            "required" => {
                let names = value.as_array().into_iter().flatten().map(Value::as_str);
                let Some(names) =
                    names.collect::<Option<Vec<_>>>().filter(|_| value.as_array().is_some())
                else {
                    return Err(node.wrong(keyword, "a list of names", value));
                };
                self.about(Kinds::OBJECT);
                for name in names {
                    if !self.required.contains(&name) {
                        self.required.push(name);
                    }
                }
            }
            "properties" | "additionalProperties" | "items" | "prefixItems" => {}
            "unevaluatedProperties" | "unevaluatedItems" if *value == Value::Bool(false) => {
                // What no schema names is not written anyway.
            }
            _ if SILENT.contains(&keyword) => {}
            _ if says_nothing(keyword, value) => {}
            // Keywords that a grammar cannot say; those that no one knows say nothing.
            _ if is_known(keyword) => compiler.cannot_say(
                node,
                keyword,
                "a grammar cannot count or compare what was written before",
            )?,
            _ => {}
        }
        Ok(())
    }

    fn kind(&mut self, node: &Node<'s>, value: &'s Value) -> Result<(), Error> {
        let names = match value {
            Value::String(_) => std::slice::from_ref(value),
            _ => value.as_array().unwrap_or_default(),
        };
        let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            return Err(node.wrong("type", "the name of a type, or a list of them", value));
        };
        let mut kinds = Kinds::NONE;
        for name in names {
            let Some(kind) = Kinds::named(name) else {
                let message = format!("there is no type `{name}` in JSON schemas");
                let help = "the types are null, boolean, integer, number, string, array, object";
                return Err(node.error("type", message).with_help(help));
            };
            kinds = kinds.or(kind);
        }
        self.kinds = Some(self.kinds.unwrap_or(Kinds::ALL).and(kinds));
        Ok(())
    }

    fn fix(&mut self, values: Vec<&'s Value>) {
        self.fixed = Some(match self.fixed.take() {
            None => values,
            Some(known) => known.into_iter().filter(|known| values.contains(known)).collect(),
        });
    }

    fn bound(
        &mut self,
        node: &Node<'s>,
        map: &'s Map,
        keyword: &str,
        value: &'s Value,
    ) -> Result<(), Error> {
        self.about(Kinds::NUMBER);
        // In old schemas, `exclusiveMinimum` is a word on `minimum`.
        let is_said_exclusive = |keyword| map.get(keyword) == Some(&Value::Bool(true));
        if keyword.starts_with("exclusive") && matches!(value, Value::Bool(_)) {
            return Ok(());
        }
        let Some(bound) = Decimal::of(value) else {
            return Err(node.wrong(keyword, "a number", value));
        };
        match keyword {
            "minimum" => self.bounds.above(bound, !is_said_exclusive("exclusiveMinimum")),
            "exclusiveMinimum" => self.bounds.above(bound, false),
            "maximum" => self.bounds.below(bound, !is_said_exclusive("exclusiveMaximum")),
            _ => self.bounds.below(bound, false),
        }
        Ok(())
    }

    fn objects(&mut self, node: &Node<'s>, map: &'s Map) {
        let properties = map
            .get("properties")
            .and_then(|value| Some((node.child("properties", value), value.as_object()?)));
        let additional =
            map.get("additionalProperties").map(|value| node.child("additionalProperties", value));
        if properties.is_some() || additional.is_some() {
            self.about(Kinds::OBJECT);
            self.objects.push(ObjectPart { properties, additional });
        }
        if map.get("unevaluatedProperties") == Some(&Value::Bool(false)) {
            self.about(Kinds::OBJECT);
            self.closed = true;
        }
    }

    fn arrays(&mut self, node: &Node<'s>, map: &'s Map) -> Result<(), Error> {
        let (items, prefix) = (map.get("items"), map.get("prefixItems"));
        let mut part = ArrayPart { first: Vec::new(), rest: None };
        match (prefix, items) {
            (None, None) => return Ok(()),
            (Some(list @ Value::Array(_)), items) => {
                part.first = node.children("prefixItems", list)?;
                part.rest = items.map(|items| node.child("items", items));
            }
            (_, Some(list @ Value::Array(_))) => {
                part.first = node.children("items", list)?;
                part.rest =
                    map.get("additionalItems").map(|value| node.child("additionalItems", value));
            }
            (_, Some(items)) => part.rest = Some(node.child("items", items)),
            (Some(items), None) => part.rest = Some(node.child("prefixItems", items)),
        }
        self.about(Kinds::ARRAY);
        self.arrays.push(part);
        Ok(())
    }
}

/// Whether a schema is of numbers only.
fn is_of_numbers(map: &Map) -> bool {
    map.get("type").is_some_and(|kind| matches!(kind.as_str(), Some("integer" | "number")))
}

/// Adds a count; whether it says anything.
fn count(node: &Node<'_>, keyword: &str, value: &Value, count: &mut Count) -> Result<bool, Error> {
    let number = match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::Float(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
        _ => None,
    };
    let Some(number) = number else {
        return Err(node.wrong(keyword, "a whole number that is not negative", value));
    };
    let small = u32::try_from(number).ok();
    if keyword.starts_with("min") {
        let Some(small) = small else {
            return Err(node.error(keyword, format!("`{keyword}` asks for too much")));
        };
        count.at_least = Some(count.least().max(small));
        Ok(small > 0)
    } else {
        if let Some(small) = small {
            count.at_most = Some(count.at_most.unwrap_or(u32::MAX).min(small));
        }
        Ok(small.is_some())
    }
}

/// Whether a keyword that a grammar cannot say is given so that it says nothing.
fn says_nothing(keyword: &str, value: &Value) -> bool {
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    match keyword {
        "uniqueItems" => *value == Value::Bool(false),
        "multipleOf" => false,
        "not" => *value == Value::Bool(false),
        "patternProperties" | "dependentRequired" | "dependentSchemas" | "dependencies" => is_empty,
        "propertyNames" | "unevaluatedProperties" | "unevaluatedItems" => {
            is_empty || *value == Value::Bool(true)
        }
        // These say something only together with `if`.
        "then" | "else" => true,
        "minContains" | "maxContains" => true,
        _ => false,
    }
}

fn is_known(keyword: &str) -> bool {
    matches!(
        keyword,
        "not"
            | "if"
            | "patternProperties"
            | "propertyNames"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "uniqueItems"
            | "contains"
            | "multipleOf"
            | "$dynamicRef"
            | "$recursiveRef"
    )
}
