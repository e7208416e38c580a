//! A list that leaves out the items that do not fit.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::partial::{Growable, Partial};

/// The keyword of an array whose items may be left out.
pub(super) const LENIENT: &str = "x-lenient";

/// A list of an output that leaves out the items that do not fit their type. Each of them is
/// reported in [`Parsed::repairs`](super::Parsed::repairs), as [`RepairKind::SkippedItem`] with its
/// place and the reason. A `Vec` makes such a reply an error.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::{LenientList, Output};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct City { name: String, people: u32 }
///
/// let output = Output::<LenientList<City>>::new();
/// let reply = r#"[{"name": "Bonn", "people": 330000}, {"name": "Rome"}]"#;
/// let parsed = output.parse(reply)?;
/// assert_eq!(parsed.value.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["Bonn"]);
/// let skipped = &parsed.repairs[0];
/// assert_eq!(skipped.path().unwrap().to_string(), "[1]");
/// assert_eq!(skipped.reason(), Some("at people: expected an integer, found nothing"));
/// # Ok::<(), prompty_output::output::OutputError>(())
/// ```
///
/// The schema of the list has the keyword `x-lenient`, which also works in
/// [`Output::from_schema`](super::Output::from_schema). Constraints of the list itself, such as its
/// length, hold for the items that fit.
///
/// [`RepairKind::SkippedItem`]: super::RepairKind::SkippedItem
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LenientList<T>(pub Vec<T>);

impl<T> Default for LenientList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for LenientList<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for LenientList<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for LenientList<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

impl<T> From<LenientList<T>> for Vec<T> {
    fn from(list: LenientList<T>) -> Self {
        list.0
    }
}

impl<T> FromIterator<T> for LenientList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T> IntoIterator for LenientList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'l, T> IntoIterator for &'l LenientList<T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Serialize> Serialize for LenientList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Reads all items. The reader of the output has left out those that do not fit.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for LenientList<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("LenientList_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Vec::<T>::json_schema(generator);
        schema.insert(LENIENT.to_owned(), true.into());
        schema
    }
}

#[diagnostic::do_not_recommend]
impl<T: Growable> Growable for LenientList<T> {
    type Growing = Vec<Partial<T>>;
}
