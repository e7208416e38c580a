//! Sets of JSON values, such as those of an `enum`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use prompty_core::value::Value;

/// Values in their order, found by what they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Values<'s> {
    list: Vec<&'s Value>,
    known: HashSet<Same<'s>>,
}

impl<'s> Values<'s> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'s Value> {
        self.list.iter().copied()
    }

    pub(super) fn contains(&self, value: &Value) -> bool {
        self.known.contains(&Same(value))
    }

    /// Those of the values that are among the others, too.
    #[must_use]
    pub(super) fn and(&self, others: &Self) -> Self {
        self.iter().filter(|value| others.contains(value)).collect()
    }

    /// Whether no value is in both sets.
    pub(super) fn is_apart_from(&self, others: &Self) -> bool {
        let (few, many) = if self.len() <= others.len() { (self, others) } else { (others, self) };
        !few.iter().any(|value| many.contains(value))
    }
}

impl<'s> FromIterator<&'s Value> for Values<'s> {
    fn from_iter<I: IntoIterator<Item = &'s Value>>(values: I) -> Self {
        let mut all = Self::default();
        for value in values {
            all.known.insert(Same(value));
            all.list.push(value);
        }
        all
    }
}

/// How many entries or items a value has, and itself.
pub(super) fn entries(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    }
}

/// A value, with a hash that equal values share.
#[derive(Debug, Clone, Copy)]
struct Same<'s>(&'s Value);

impl PartialEq for Same<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

// No value of a schema is other than itself: JSON has no number that is none.
impl Eq for Same<'_> {}

impl Hash for Same<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Value::Null => 0_u8.hash(state),
            Value::Bool(value) => value.hash(state),
            // `1` and `1.0` are equal, and so are `0.0` and `-0.0`.
            #[expect(clippy::cast_precision_loss, reason = "numbers are compared as floats")]
            Value::Integer(number) => (*number as f64 + 0.0).to_bits().hash(state),
            Value::Float(number) => (*number + 0.0).to_bits().hash(state),
            Value::String(text) => text.hash(state),
            Value::Array(items) => items.iter().for_each(|item| Same(item).hash(state)),
            // The order of entries does not count.
            Value::Object(map) => {
                let entry = |(name, value): (&str, &Value)| {
                    let mut state = DefaultHasher::new();
                    name.hash(&mut state);
                    Same(value).hash(&mut state);
                    state.finish()
                };
                map.iter().map(entry).fold(0, u64::wrapping_add).hash(state);
            }
        }
    }
}
