//! Sets of the kinds of values that JSON Schema knows.

use crate::value::Value;

/// A set of kinds of values: what `type` names.
///
/// Every integer is a number, so [`Kinds::NUMBER`] contains [`Kinds::INTEGER`]. A float without a
/// fraction (`1.0`) is an integer, as the specification has it.
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
    /// No kind: no value is admitted.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(2);
    /// Numbers without a fraction.
    pub const INTEGER: Self = Self(4);
    /// Numbers that are no integers. JSON Schema has no name for them.
    const FRACTION: Self = Self(8);
    /// All numbers.
    pub const NUMBER: Self = Self(4 | 8);
    /// Texts.
    pub const STRING: Self = Self(16);
    /// Lists.
    pub const ARRAY: Self = Self(32);
    /// Maps from names to values.
    pub const OBJECT: Self = Self(64);
    /// All kinds: what a schema admits that says nothing.
    pub const ANY: Self = Self(127);

    /// The kinds of a name that `type` may have; nothing for other names.
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

    /// The kinds that the first character of a JSON text leaves possible.
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

    /// The kinds of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds of both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether all kinds of the other set are among these.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether some kind is in both sets.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The kinds as the end of a sentence such as `it must be …`: `a text or null`.
    pub fn described(self) -> String {
        let names = [
            (Self::STRING, "a text"),
            (Self::NUMBER, "a number"),
            (Self::INTEGER, "a whole number"),
            (Self::BOOLEAN, "true or false"),
            (Self::ARRAY, "a list"),
            (Self::OBJECT, "a map"),
            (Self::NULL, "null"),
        ];
        let is_named = |kinds: Self| {
            // Every whole number is a number.
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

    /// Whether there is no kind in it.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}
