//! What a tool's schema says of its arguments: which kinds of value each may be.

use prompty_core::message::Tool;
use prompty_core::value::{Map, Value};

/// References that are followed before a schema counts as saying nothing.
const DEEPEST: usize = 16;

/// Alternatives that are looked into before a schema counts as saying nothing: those that refer to
/// each other would be more than there is time for.
const MOST_PARTS: usize = 1000;

/// The kinds of value that a schema admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    const TEXT: u8 = 1;
    const NUMBER: u8 = 2;
    const BOOLEAN: u8 = 4;
    const NULL: u8 = 8;
    pub(super) const OBJECT: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    /// What a schema says that says nothing.
    pub(super) const ANY: Self = Self(63);

    /// Whether the value is a text whatever it looks like.
    pub(super) fn is_only_text(self) -> bool {
        self.0 == Self::TEXT
    }

    /// Whether the value may be a text.
    pub(super) fn admits_text(self) -> bool {
        self.0 & Self::TEXT != 0
    }

    /// Whether all kinds of the other are among these.
    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a value may be what this JSON text is. A text in quotes is never meant: texts are
    /// written without.
    pub(super) fn admits(self, json: &str) -> bool {
        let kind = match json.trim_start().as_bytes().first() {
            Some(b'{') => Self::OBJECT.0,
            Some(b'[') => Self::ARRAY.0,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'n') => Self::NULL,
            Some(b'-' | b'0'..=b'9') => Self::NUMBER,
            _ => 0,
        };
        self.0 & kind != 0
    }

    fn named(name: &str) -> Self {
        Self(match name {
            "string" => Self::TEXT,
            "number" | "integer" => Self::NUMBER,
            "boolean" => Self::BOOLEAN,
            "null" => Self::NULL,
            "object" => Self::OBJECT.0,
            "array" => Self::ARRAY.0,
            _ => return Self::ANY,
        })
    }

    fn of_value(value: &Value) -> Self {
        Self(match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Integer(_) | Value::Float(_) => Self::NUMBER,
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::ARRAY.0,
            Value::Object(_) => Self::OBJECT.0,
        })
    }
}

/// A part of a tool's JSON schema, with the whole of it for references.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema<'tool> {
    root: &'tool Map,
    /// Nothing where the schema says nothing.
    part: Option<&'tool Value>,
}

impl<'tool> Schema<'tool> {
    /// The schema of one argument of a tool.
    pub(super) fn of_argument(tool: Option<&'tool Tool>, name: &str) -> Option<Self> {
        let root = &tool?.parameters;
        let part = root.get("properties").and_then(|properties| properties.get(name));
        Some(Self { root, part })
    }

    /// A schema that stands alone; references in it are to itself.
    pub(super) fn of_value(schema: &'tool Value) -> Self {
        static NONE: std::sync::LazyLock<Map> = std::sync::LazyLock::new(Map::new);
        match schema {
            Value::Object(root) => Self { root, part: Some(schema) },
            _ => Self { root: &NONE, part: None },
        }
    }

    /// The kinds of value that it admits.
    pub(super) fn kinds(self) -> Kinds {
        self.part.map_or(Kinds::ANY, |part| self.kinds_of(part, DEEPEST, &mut { MOST_PARTS }))
    }

    /// The schema of an object's property.
    pub(super) fn property(self, name: &str) -> Self {
        self.find(|part| part.get("properties")?.get(name))
    }

    /// The schema of a list's items.
    pub(super) fn items(self) -> Self {
        self.find(|part| part.get("items"))
    }

    /// Looks into the schema, what it refers to and its alternatives.
    fn find(self, look: impl Fn(&'tool Value) -> Option<&'tool Value>) -> Self {
        let part = self.part.map(|part| self.resolve(part, DEEPEST)).and_then(|part| {
            let alternatives =
                ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| part.get(key)?.as_array());
            look(part).or_else(|| {
                alternatives.flatten().find_map(|part| look(self.resolve(part, DEEPEST)))
            })
        });
        Self { root: self.root, part }
    }

    /// What a schema is, behind its references.
    fn resolve(self, part: &'tool Value, depth: usize) -> &'tool Value {
        let Some(reference) = part.get("$ref").and_then(Value::as_str) else { return part };
        let Some(path) = reference.strip_prefix("#/").filter(|_| depth > 0) else { return part };
        let mut steps = path.split('/');
        let first = steps.next().and_then(|step| self.root.get(step));
        match steps.try_fold(first, |at, step| at.map(|at| at.get(step))) {
            Some(Some(found)) => self.resolve(found, depth - 1),
            _ => part,
        }
    }

    fn kinds_of(self, part: &'tool Value, depth: usize, parts_left: &mut usize) -> Kinds {
        let part = self.resolve(part, depth);
        let left = (depth.checked_sub(1), parts_left.checked_sub(1));
        let (Some(depth), Some(left)) = left else { return Kinds::ANY };
        *parts_left = left;
        match part.get("type") {
            Some(Value::String(name)) => return Kinds::named(name),
            Some(Value::Array(names)) => {
                return union(names.iter().filter_map(Value::as_str).map(Kinds::named));
            }
            _ => {}
        }
        if let Some(value) = part.get("const") {
            return Kinds::of_value(value);
        }
        if let Some(values) = part.get("enum").and_then(Value::as_array) {
            return union(values.iter().map(Kinds::of_value));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(parts) = part.get(key).and_then(Value::as_array) {
                return union(parts.iter().map(|part| self.kinds_of(part, depth, parts_left)));
            }
        }
        match part.get("allOf").and_then(Value::as_array) {
            Some(parts) => {
                let all = parts
                    .iter()
                    .fold(Kinds::ANY.0, |all, part| all & self.kinds_of(part, depth, parts_left).0);
                Kinds(all)
            }
            None => Kinds::ANY,
        }
    }
}

/// Whether a tool can be called without arguments.
pub(super) fn requires_nothing(tool: Option<&Tool>) -> bool {
    let required = tool.and_then(|tool| tool.parameters.get("required"));
    required.and_then(Value::as_array).is_none_or(<[Value]>::is_empty)
}

fn union(kinds: impl Iterator<Item = Kinds>) -> Kinds {
    match kinds.fold(0, |all, kinds| all | kinds.0) {
        0 => Kinds::ANY,
        all => Kinds(all),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kinds, Schema};
    use prompty_core::value::Value;

    #[test]
    fn alternatives_that_refer_to_each_other_are_not_looked_into_for_ever() {
        let ways = |name: &str| vec![format!(r##"{{"$ref": "#/$defs/{name}"}}"##); 9].join(", ");
        let (t, u) = (ways("T"), ways("U"));
        let schema = format!(
            r##"{{"$ref": "#/$defs/T", "$defs": {{"T": {{"anyOf": [{u}]}}, "U": {{"anyOf": [{t}]}}}}}}"##
        );
        let schema = Value::from_json(&schema).unwrap();
        assert_eq!(Schema::of_value(&schema).kinds(), Kinds::ANY);
    }
}
