//! The provider's limits for strict schemas, and for the names of arguments.

use prompty_core::message::{Strictness, ToolSpec};
use prompty_core::schema::{SubschemaForm, subschema_form};
use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};

use crate::entries::ToolParameters;
use crate::error::{Result, WireError};

/// Totals of the strict schemas of a request, or their maximum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StrictTotals {
    tools: usize,
    /// The number of optional keys.
    optional_keys: usize,
    /// The number of parts with several types.
    unions: usize,
}

/// The provider's limits for a request.
const MAX: StrictTotals = StrictTotals { tools: 20, optional_keys: 24, unions: 16 };

impl StrictTotals {
    /// The totals of one schema.
    pub(super) fn of(schema: &Value) -> Self {
        let mut totals = Self::default();
        totals.add_schema(schema);
        totals
    }

    /// The parameters of a tool. They stay strict if this schema and the strict ones before it are
    /// within the limits together, or if the tool demands it.
    pub(super) fn limit_strict<'r>(
        &mut self,
        tool: &ToolSpec,
        parameters: ToolParameters<'r>,
    ) -> ToolParameters<'r> {
        let Some(schema) = parameters.strict_schema() else { return parameters };
        let mut all = *self;
        all.tools += 1;
        all.add_schema(schema);
        if tool.strict != Strictness::On && !all.is_within(MAX) {
            return parameters.without_strict();
        }
        *self = all;
        parameters
    }

    fn is_within(self, max: Self) -> bool {
        self.tools <= max.tools
            && self.optional_keys <= max.optional_keys
            && self.unions <= max.unions
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
            match (subschema_form(keyword), value) {
                (Some(SubschemaForm::Map), Value::Object(parts)) => {
                    parts.iter().for_each(|(_, part)| self.add_schema(part));
                }
                (Some(SubschemaForm::List), Value::Array(parts)) => {
                    parts.iter().for_each(|part| self.add_schema(part));
                }
                (Some(SubschemaForm::Schema), part) => self.add_schema(part),
                _ => {}
            }
        }
    }
}

/// Checks the names of a tool's arguments.
///
/// # Errors
///
/// Returns an error if the provider refuses one.
pub(super) fn check_names(tool: &ToolSpec) -> Result<()> {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let mut names = properties.into_iter().flat_map(Map::keys);
    let Some(name) = names.find(|name| !is_name(name)) else { return Ok(()) };
    let message = format!("invalid argument name `{}` of the tool `{}`", excerpt(name), tool.name);
    Err(WireError::unsupported(message)
        .with_help("use 1 to 64 characters: ASCII letters, digits, `_`, `.` and `-`"))
}

fn is_name(name: &str) -> bool {
    let is_accepted = |it: char| ToolSpec::is_name_character(it) || it == '.';
    (1..=ToolSpec::LONGEST_NAME).contains(&name.len()) && name.chars().all(is_accepted)
}
