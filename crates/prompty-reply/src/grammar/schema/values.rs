//! Sets of JSON values, such as those of an `enum`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use prompty_core::value::Value;

/// A set of values that keeps their order.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueSet<'s> {
    list: Vec<&'s Value>,
    known: HashSet<HashedValue<'s>>,
}

impl<'s> ValueSet<'s> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'s Value> {
        self.list.iter().copied()
    }

    pub(super) fn contains(&self, value: &Value) -> bool {
        self.known.contains(&HashedValue(value))
    }

    /// The values that are also in the other set.
    #[must_use]
    pub(super) fn and(&self, others: &Self) -> Self {
        self.iter().filter(|value| others.contains(value)).collect()
    }

    /// Whether no value is in both sets.
    pub(super) fn is_disjoint_from(&self, others: &Self) -> bool {
        let (few, many) = if self.len() <= others.len() { (self, others) } else { (others, self) };
        !few.iter().any(|value| many.contains(value))
    }
}

impl<'s> FromIterator<&'s Value> for ValueSet<'s> {
    fn from_iter<I: IntoIterator<Item = &'s Value>>(values: I) -> Self {
        let mut all = Self::default();
        for value in values {
            all.known.insert(HashedValue(value));
            all.list.push(value);
        }
        all
    }
}

/// The number of a value's entries or items, plus one.
pub(super) fn entries(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    }
}

/// A value with a hash that equal values share.
#[derive(Debug, Clone, Copy)]
struct HashedValue<'s>(&'s Value);

impl PartialEq for HashedValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

// Equality is reflexive: JSON has no NaN.
impl Eq for HashedValue<'_> {}

impl Hash for HashedValue<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Value::Null => 0_u8.hash(state),
            Value::Bool(value) => value.hash(state),
            // `1` and `1.0` are equal, and so are `0.0` and `-0.0`.
            #[expect(clippy::cast_precision_loss, reason = "numbers are compared as floats")]
            Value::Integer(number) => (*number as f64 + 0.0).to_bits().hash(state),
            Value::Float(number) => (*number + 0.0).to_bits().hash(state),
            Value::String(text) => text.hash(state),
            Value::Array(items) => {
                ('[', items.len()).hash(state);
                items.iter().for_each(|item| HashedValue(item).hash(state));
            }
            // The order of entries does not matter.
            Value::Object(map) => {
                let entry = |(name, value): (&str, &Value)| {
                    let mut state = DefaultHasher::new();
                    name.hash(&mut state);
                    HashedValue(value).hash(&mut state);
                    state.finish()
                };
                ('{', map.iter().map(entry).fold(0, u64::wrapping_add)).hash(state);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(json: &str) -> u64 {
        let mut state = DefaultHasher::new();
        HashedValue(&Value::from_json(json).unwrap()).hash(&mut state);
        state.finish()
    }

    #[test]
    fn equal_values_share_a_hash_and_nested_ones_have_others() {
        assert_eq!(hash_of("[1, 0.0]"), hash_of("[1.0, -0.0]"));
        assert_eq!(hash_of(r#"{"a": 1, "b": []}"#), hash_of(r#"{"b": [], "a": 1}"#));
        let different = ["[]", "[[]]", "[[], []]", "[[[]]]", "1", "[1]", "[[1]]", "{}", "null"];
        let hashes: HashSet<u64> = different.map(hash_of).into();
        assert_eq!(hashes.len(), different.len());
    }
}
