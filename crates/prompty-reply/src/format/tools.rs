//! How tool calls are written: around them, between them, and their parts.

use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, Suffix};
use super::{List, Marker, Text};

/// How a model calls tools:
/// `section_open [call_open CALL call_close separator]* section_close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// What opens all calls of a reply together.
    #[serde(default)]
    pub section_open: Marker,
    /// What closes them.
    #[serde(default)]
    pub section_close: Marker,
    /// What opens each call.
    #[serde(default)]
    pub call_open: Marker,
    /// What closes each call.
    #[serde(default)]
    pub call_close: Marker,
    /// What stands between two calls, as the template writes it.
    #[serde(default)]
    pub separator: Text,
    /// Whether the calls stand in a list, `[` and `]` around all of them.
    #[serde(default)]
    pub array: bool,
    /// Whether a reply may hold more than one call.
    pub parallel: bool,
    /// How one call is written.
    pub shape: CallShape,
}

impl Tools {
    /// Calls of a shape, with no markers around them, as many as the model likes.
    pub fn new(shape: CallShape) -> Self {
        Self {
            section_open: Marker::NONE,
            section_close: Marker::NONE,
            call_open: Marker::NONE,
            call_close: Marker::NONE,
            separator: Text::default(),
            array: false,
            parallel: true,
            shape,
        }
    }

    /// Whether no markers stand around calls.
    pub(crate) fn is_bare(&self) -> bool {
        self.section_open.is_none() && self.call_open.is_none()
    }

    /// The same, with markers around each call.
    #[must_use]
    pub fn with_call(mut self, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        self.call_open = Marker::new(open);
        self.call_close = Marker::new(close);
        self
    }

    /// The same, with markers around all calls together.
    #[must_use]
    pub fn with_section(mut self, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        self.section_open = Marker::new(open);
        self.section_close = Marker::new(close);
        self
    }
}

/// How one call is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a format can be a constant, which a box cannot")]
pub enum CallShape {
    /// As a JSON object that holds the name and the arguments.
    Json(JsonCall),
    /// As a name in markup, with the arguments behind it.
    Named(NamedCall),
}

/// A call as a JSON object. A reply's fields may come in any order, and others beside them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JsonCall {
    /// Whether the name is the only key: `{"get_weather": {…}}`.
    pub name_is_key: bool,
    /// The key of an object that holds name and arguments, as in `{"function": {"name": …}}`; empty
    /// where they stand in the outer one.
    pub function_field: Text,
    /// The key of the name.
    pub name_field: Text,
    /// The key of the arguments.
    pub args_field: Text,
    /// The key of the call's id; empty where there is none.
    pub id_field: Text,
    /// The key of an id that counts the calls, and that the template makes itself; empty where there
    /// is none.
    pub gen_id_field: Text,
    /// The keys in the order in which the template writes them.
    pub order: List<Text>,
}

impl Default for JsonCall {
    fn default() -> Self {
        Self {
            name_is_key: false,
            function_field: Text::Borrowed(""),
            name_field: Text::Borrowed("name"),
            args_field: Text::Borrowed("arguments"),
            id_field: Text::Borrowed(""),
            gen_id_field: Text::Borrowed(""),
            order: List::Borrowed(&[]),
        }
    }
}

/// A call whose name stands in markup: `prefix NAME suffix arguments close`, with the id somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedCall {
    /// Where the name is written.
    #[serde(default)]
    pub name: NamePlace,
    /// What stands in front of the name, behind the call's opener.
    #[serde(default)]
    pub prefix: Marker,
    /// What stands behind the name.
    #[serde(default)]
    pub suffix: Suffix,
    /// What the name begins with, such as `functions.`, that is not part of the tool's name.
    #[serde(default)]
    pub namespace: Text,
    /// Where the id is written; nothing where there is none.
    #[serde(default)]
    pub id: Option<CallId>,
    /// How the arguments are written.
    pub arguments: Arguments,
    /// What stands behind the arguments, in front of the call's closer.
    #[serde(default)]
    pub close: Marker,
}

/// Where the name of a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NamePlace {
    /// Behind the call's opener.
    #[default]
    Call,
    /// In the call's id, which stands where the name would: `functions.get_weather:0`.
    Id,
    /// In the header of the message; see [`Headers`](super::Headers).
    Header,
}

/// Where a call's id stands (the seed's `call_id_position`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum CallIdPosition {
    /// In front of the name.
    PreFuncName,
    /// Between the name and the arguments.
    BetweenFuncAndArgs,
    /// Behind the arguments.
    PostArgs,
}

/// Where and how a call's id is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallId {
    /// Where it stands.
    pub position: CallIdPosition,
    /// What stands in front of it.
    #[serde(default)]
    pub prefix: Marker,
    /// What stands behind it.
    #[serde(default)]
    pub suffix: Marker,
}
