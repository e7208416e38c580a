//! Sets of the kinds of values in JSON Schema.

use crate::value::Value;

/// A set of kinds of values, as `type` has it.
///
/// Every integer is a number, so [`Kinds::NUMBER`] contains [`Kinds::INTEGER`]. A float without a
/// fraction (`1.0`) is an integer, as the specification requires.
///
/// ```
/// use prompty_core::schema::Kinds;
/// use prompty_core::value::Value;
///
/// let kinds = Kinds::STRING.union(Kinds::NUMBER);
/// assert!(kinds.contains(Kinds::from_value(&Value::from(7))));
/// assert!(!kinds.intersects(Kinds::NULL));
/// assert_eq!(Kinds::from_name("integer"), Some(Kinds::INTEGER));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// No kind: no value is allowed.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(2);
    /// Numbers without a fraction.
    pub const INTEGER: Self = Self(4);
    /// Numbers that are not integers. JSON Schema has no name for them.
    const FRACTION: Self = Self(8);
    /// All numbers.
    pub const NUMBER: Self = Self(4 | 8);
    /// Strings.
    pub const STRING: Self = Self(16);
    /// Arrays.
    pub const ARRAY: Self = Self(32);
    /// Objects.
    pub const OBJECT: Self = Self(64);
    /// All kinds, as an empty schema allows.
    pub const ANY: Self = Self(127);

    /// The kinds with a name of `type`; `None` for unknown names.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The kind of a value.
    pub fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Integer(_) => Self::INTEGER,
            Value::Float(float) if float.fract() == 0.0 => Self::INTEGER,
            Value::Float(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The kinds of JSON text that begins with the first character of `json`.
    pub fn from_json_start(json: &str) -> Self {
        match json.trim_start().as_bytes().first() {
            Some(b'{') => Self::OBJECT,
            Some(b'[') => Self::ARRAY,
            Some(b'"') => Self::STRING,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'n') => Self::NULL,
            Some(b'-' | b'0'..=b'9') => Self::NUMBER,
            _ => Self::NONE,
        }
    }

    /// The kinds in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether this set contains all kinds of the other.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets have a kind in common.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The kinds for a message such as `must be …`: `a string or null`.
    pub fn description(self) -> String {
        let names = [
            (Self::STRING, "a string"),
            (Self::NUMBER, "a number"),
            (Self::INTEGER, "an integer"),
            (Self::BOOLEAN, "true or false"),
            (Self::ARRAY, "an array"),
            (Self::OBJECT, "an object"),
            (Self::NULL, "null"),
        ];
        let is_named = |kinds: Self| {
            // "a number" includes integers.
            self.contains(kinds) && !(kinds == Self::INTEGER && self.contains(Self::NUMBER))
        };
        let named: Vec<&str> =
            names.into_iter().filter(|(kinds, _)| is_named(*kinds)).map(|(_, name)| name).collect();
        match named.split_last() {
            None => "nothing".to_owned(),
            Some((only, [])) => (*only).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}
