//! What the provider refuses in tools and schemas: too much in all strict schemas of a request, and names of arguments.

use prompty_core::message::{Strictness, ToolSpec};
use prompty_core::schema::{Holds, holds};
use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};

use crate::entries::Parameters;
use crate::error::{Result, WireError};

/// What the strict schemas of a request hold, or may.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amount {
    tools: usize,
    /// Keys that may be missing.
    optional_keys: usize,
    /// Parts that may be of several kinds.
    unions: usize,
}

/// The provider's limits of a request.
const MOST: Amount = Amount { tools: 20, optional_keys: 24, unions: 16 };

impl Amount {
    /// What a schema holds.
    pub(super) fn of(schema: &Value) -> Self {
        let mut amount = Self::default();
        amount.add_schema(schema);
        amount
    }

    /// The parameters of a tool: strict as long as all strict schemas together are within the limits, or where
    /// the tool says that it must be.
    pub(super) fn held<'r>(
        &mut self,
        tool: &ToolSpec,
        parameters: Parameters<'r>,
    ) -> Parameters<'r> {
        let Some(schema) = parameters.strict_schema() else { return parameters };
        let mut all = *self;
        all.tools += 1;
        all.add_schema(schema);
        if tool.strict != Strictness::On && !all.is_within(MOST) {
            return parameters.loosened();
        }
        *self = all;
        parameters
    }

    fn is_within(self, most: Self) -> bool {
        self.tools <= most.tools
            && self.optional_keys <= most.optional_keys
            && self.unions <= most.unions
    }

    fn add_schema(&mut self, schema: &Value) {
        let Value::Object(map) = schema else { return };
        let is_union =
            map.contains_key("anyOf") || matches!(map.get("type"), Some(Value::Array(_)));
        self.unions += usize::from(is_union);
        let length = |list: Option<usize>| list.unwrap_or_default();
        let keys = length(map.get("properties").and_then(Value::as_object).map(Map::len));
        let required = length(map.get("required").and_then(Value::as_array).map(<[_]>::len));
        self.optional_keys += keys.saturating_sub(required);
        for (keyword, value) in map.iter() {
            match (holds(keyword), value) {
                (Some(Holds::Map), Value::Object(parts)) => {
                    parts.iter().for_each(|(_, part)| self.add_schema(part));
                }
                (Some(Holds::List), Value::Array(parts)) => {
                    parts.iter().for_each(|part| self.add_schema(part));
                }
                (Some(Holds::Schema), part) => self.add_schema(part),
                _ => {}
            }
        }
    }
}

/// Checks the names of a tool's arguments.
///
/// # Errors
///
/// Where the provider refuses one.
pub(super) fn check_names(tool: &ToolSpec) -> Result<()> {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let mut names = properties.into_iter().flat_map(Map::keys);
    let Some(name) = names.find(|name| !is_name(name)) else { return Ok(()) };
    let message = format!(
        "the tool `{}` has the argument `{}`, a name that the provider refuses",
        tool.name,
        excerpt(name)
    );
    Err(WireError::unsupported(message)
        .with_help("use 1 to 64 letters a to z, digits, `_`, `.` and `-`"))
}

fn is_name(name: &str) -> bool {
    let is_taken = |letter: char| ToolSpec::is_name_letter(letter) || letter == '.';
    (1..=ToolSpec::LONGEST_NAME).contains(&name.len()) && name.chars().all(is_taken)
}
