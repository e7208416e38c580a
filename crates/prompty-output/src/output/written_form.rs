//! The words that a model wrote for scalars.
//!
//! A [`Value`] holds what a number means, but not how it was written: `1.10` and `1.1` are the same
//! float. If a string is expected, the word itself is the string. If an integer is expected, all
//! digits decide: the nearest float of `0.99999999999999999999` is 1, but the number is not.
//!
//! Most scalars are written as [`Value::to_json`] writes them. Only the words of the others are
//! kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use prompty_core::value::internal::json::{is_written_as, whole_number};
use prompty_core::value::{Map, Value};

use super::json::standard_number;

/// How the scalars of a value are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum WrittenForm {
    /// As [`Value::to_json`] writes them.
    #[default]
    Json,
    /// The word of a scalar.
    Word(Arc<str>),
    /// The positions and the forms of the items or entries that have another form.
    Inside(Arc<BTreeMap<usize, WrittenForm>>),
}

impl WrittenForm {
    /// The form of a scalar with this word. Strings are as they are written.
    pub(super) fn of_word(value: &Value, word: &str) -> Self {
        match value {
            Value::String(_) => Self::Json,
            value if value.to_json() == word => Self::Json,
            _ => Self::Word(word.into()),
        }
    }

    /// The form of an item or entry.
    fn inside(&self, position: usize) -> &Self {
        let Self::Inside(forms) = self else { return &Self::Json };
        forms.get(&position).unwrap_or(&Self::Json)
    }
}

/// The forms of the items or entries of an open array or object.
#[derive(Debug, Clone, Default)]
pub(super) struct InnerForms(BTreeMap<usize, WrittenForm>);

impl InnerForms {
    /// Adds the form of an item or entry. It replaces an earlier form, as that of a duplicate key.
    pub(super) fn put(&mut self, position: usize, form: WrittenForm) {
        match form {
            WrittenForm::Json => self.0.remove(&position),
            form => self.0.insert(position, form),
        };
    }

    /// The form of the complete array or object.
    pub(super) fn finish(self) -> WrittenForm {
        if self.0.is_empty() { WrittenForm::Json } else { WrittenForm::Inside(Arc::new(self.0)) }
    }
}

/// A value, and how it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenValue<'value> {
    pub(super) value: &'value Value,
    /// `None` if it is not known, as for a value of an event or one that the program passes.
    form: Option<&'value WrittenForm>,
}

impl<'value> WrittenValue<'value> {
    pub(super) fn new(value: &'value Value, form: &'value WrittenForm) -> Self {
        Self { value, form: Some(form) }
    }

    /// Whether it is known how it is written.
    pub(super) fn has_form(self) -> bool {
        self.form.is_some()
    }

    /// A value inside of this one.
    fn inside(self, position: usize, value: &'value Value) -> Self {
        Self { value, form: self.form.map(|form| form.inside(position)) }
    }

    /// Whether words in it are known to differ from those of its value.
    pub(super) fn may_have_other_words(self) -> bool {
        self.form.is_some_and(|form| *form != WrittenForm::Json)
    }

    /// The entry of an object with a key.
    pub(super) fn entry(self, key: &str) -> Option<(&'value str, Self)> {
        let map = self.value.as_object()?;
        let position = map.position(key)?;
        let (key, value) = map.entry(position)?;
        Some((key, self.inside(position, value)))
    }

    /// The item of an array with an index.
    pub(super) fn item(self, index: usize) -> Option<Self> {
        Some(self.inside(index, self.value.as_array()?.get(index)?))
    }

    /// The entry of an object with an index.
    pub(super) fn entry_at(self, index: usize) -> Option<(&'value str, Self)> {
        let (key, value) = self.value.as_object()?.entry(index)?;
        Some((key, self.inside(index, value)))
    }

    /// The items of an array.
    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value.as_array().unwrap_or_default().iter().enumerate();
        items.map(move |(position, value)| self.inside(position, value))
    }

    /// The entries of an object.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'value str, Self)> {
        let entries = self.value.as_object().into_iter().flat_map(Map::iter).enumerate();
        entries.map(move |(position, (key, value))| (key, self.inside(position, value)))
    }

    /// A scalar as the model wrote it; `None` for other values.
    pub(super) fn word(self) -> Option<String> {
        match (self.form, self.value) {
            (_, Value::String(text)) => Some(text.to_string()),
            (_, Value::Array(_) | Value::Object(_)) => None,
            (Some(WrittenForm::Word(word)), _) => Some(word.to_string()),
            // JSON has no form of NaN and infinities.
            (_, Value::Float(number)) if !number.is_finite() => None,
            (_, value) => Some(value.to_json()),
        }
    }

    /// The word of a scalar, if it differs from that of its value.
    pub(super) fn other_word(self) -> Option<&'value str> {
        match self.form {
            Some(WrittenForm::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether a number has other digits than its value.
    pub(super) fn is_rounded(self) -> bool {
        match (self.form, self.value) {
            (Some(WrittenForm::Word(word)), Value::Float(number)) => {
                number.is_finite()
                    && !standard_number(word).is_some_and(|it| is_written_as(*number, &it))
            }
            _ => false,
        }
    }

    /// The value of a number without a fraction.
    pub(super) fn integer(self) -> Option<i128> {
        /// 2 to the power of 53: integers up to this one are exact as floats.
        const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
        match (self.form, self.value) {
            (_, Value::Integer(number)) => Some(*number),
            (Some(WrittenForm::Word(word)), Value::Float(_)) => {
                whole_number(&standard_number(word)?)
            }
            #[expect(clippy::cast_possible_truncation, reason = "it is small and has no fraction")]
            (_, Value::Float(number)) => {
                (number.fract() == 0.0 && number.abs() <= MAX_EXACT).then_some(*number as i128)
            }
            _ => None,
        }
    }
}

impl<'value> From<&'value Value> for WrittenValue<'value> {
    fn from(value: &'value Value) -> Self {
        Self { value, form: None }
    }
}
