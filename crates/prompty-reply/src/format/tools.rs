//! The notation of tool calls: their parts, and the text around and between them.

use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, Suffix};
use super::{List, Marker, Text};

/// How a model calls tools:
/// `section_open [call_open CALL call_close separator]* section_close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// The opener of all calls of a reply together.
    #[serde(default)]
    pub section_open: Marker,
    /// The closer of all calls together.
    #[serde(default)]
    pub section_close: Marker,
    /// The opener of each call.
    #[serde(default)]
    pub call_open: Marker,
    /// The closer of each call.
    #[serde(default)]
    pub call_close: Marker,
    /// The separator of two calls, as the template writes it.
    #[serde(default)]
    pub separator: Text,
    /// Whether the calls are in a list, with `[` and `]` around all of them.
    #[serde(default)]
    pub array: bool,
    /// Whether a reply may contain more than one call.
    pub parallel: bool,
    /// The notation of one call.
    pub shape: CallShape,
}

impl Tools {
    /// Creates calls of a shape without markers around them, in any number.
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

    /// Whether calls have no markers around them.
    pub(crate) fn is_bare(&self) -> bool {
        self.section_open.is_none() && self.call_open.is_none()
    }

    /// Sets the markers around each call.
    #[must_use]
    pub fn with_call(mut self, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        self.call_open = Marker::new(open);
        self.call_close = Marker::new(close);
        self
    }

    /// Sets the markers around all calls together.
    #[must_use]
    pub fn with_section(mut self, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        self.section_open = Marker::new(open);
        self.section_close = Marker::new(close);
        self
    }
}

/// The notation of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a format can be a constant, which a box cannot")]
pub enum CallShape {
    /// A JSON object that contains the name and the arguments.
    Json(JsonCall),
    /// A name in markup, followed by the arguments.
    Named(NamedCall),
}

/// A call as a JSON object. A reply may have the fields in any order, and additional ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JsonCall {
    /// Whether the name is the only key: `{"get_weather": {…}}`.
    pub name_is_key: bool,
    /// The key of an object that contains name and arguments, as in `{"function": {"name": …}}`;
    /// empty if the outer object contains them.
    pub function_field: Text,
    /// The key of the name.
    pub name_field: Text,
    /// The key of the arguments.
    pub args_field: Text,
    /// The key of the call's id; empty if there is none.
    pub id_field: Text,
    /// The key of an id that the template generates by counting the calls; empty if there is none.
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

/// A call whose name is in markup: `prefix NAME suffix arguments close`, with the id at
/// [`CallId::position`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedCall {
    /// The position of the name.
    #[serde(default)]
    pub name: NamePlace,
    /// The text between the call's opener and the name.
    #[serde(default)]
    pub prefix: Marker,
    /// The text after the name.
    #[serde(default)]
    pub suffix: Suffix,
    /// A prefix that is not part of the tool's name, such as `functions.`.
    #[serde(default)]
    pub namespace: Text,
    /// The notation of the id; `None` if there is none.
    #[serde(default)]
    pub id: Option<CallId>,
    /// The notation of the arguments.
    pub arguments: Arguments,
    /// The text between the arguments and the call's closer.
    #[serde(default)]
    pub close: Marker,
}

/// The position of the name of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NamePlace {
    /// After the call's opener.
    #[default]
    Call,
    /// In the call's id, which replaces the name: `functions.get_weather:0`.
    Id,
    /// In the header of the message; see [`Headers`](super::Headers).
    Header,
}

/// The position of a call's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum CallIdPosition {
    /// Before the name.
    PreFuncName,
    /// Between the name and the arguments.
    BetweenFuncAndArgs,
    /// After the arguments.
    PostArgs,
}

/// The position and notation of a call's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallId {
    /// The position of the id.
    pub position: CallIdPosition,
    /// The text before the id.
    #[serde(default)]
    pub prefix: Marker,
    /// The text after the id.
    #[serde(default)]
    pub suffix: Marker,
}
