//! The tools in a prompt of slots, and their block.

use crate::error::Error;
use crate::message::ToolSpec;
use crate::schema::shape::Shape;
use crate::value::{Map, Value};

use super::shape_value::shape_of;
use super::slot::{Slot, error_in_slot};
use super::titles::Titles;
use super::yaml;

/// A tool as a prompt shows it: its name, its purpose, and the shapes of its arguments and result.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::slots; }
/// use typed_prompty::shape::Shape;
/// use typed_prompty::slots::{SlotTool, Slots};
///
/// let kwargs = Shape::object([("query", Shape::text().with_description("what to look for"))]);
/// let search = SlotTool::new("search", "Searches the web", kwargs);
/// let text = Slots::new().with_tool(search).with_input("Who won?").to_text()?;
/// assert!(text.starts_with("user:\n[TOOLS]:\n[\nname: search\ndesc: Searches the web\nkwargs: {\n"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SlotTool {
    name: String,
    description: String,
    kwargs: Shape,
    returns: Option<Shape>,
    more: Map,
}

impl SlotTool {
    /// Creates a tool with its name, its purpose, and the shape of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, kwargs: Shape) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, kwargs, returns: None, more: Map::new() }
    }

    /// The same tool with the shape of its result.
    #[must_use]
    pub fn with_returns(mut self, returns: Shape) -> Self {
        self.returns = Some(returns);
        self
    }

    /// The same tool with an additional entry for the model. An entry `name`, `desc`, `kwargs` or
    /// `returns` replaces the tool's own.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name, value);
        self
    }

    /// Creates a tool from the form of chat APIs, such as the declaration of a typed tool.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_core::value; pub use prompty_core::slots; }
    /// use typed_prompty::message::ToolSpec;
    /// use typed_prompty::value::Value;
    /// use typed_prompty::slots::SlotTool;
    ///
    /// let schema = Value::from_json(
    ///     r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#,
    /// )?;
    /// let parameters = schema.as_object().cloned().unwrap_or_default();
    /// let weather = SlotTool::from_tool(&ToolSpec::new("weather", parameters))?;
    /// # let _ = weather;
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Shape::from_schema`] for the schema of its parameters.
    pub fn from_tool(tool: &ToolSpec) -> Result<Self, Error> {
        let description = tool.description.as_deref().unwrap_or_default();
        let kwargs = Shape::from_schema(&Value::from(tool.parameters.clone()))?;
        Ok(Self::new(tool.name.as_str(), description, kwargs))
    }

    /// Reads a tool from a value: `{name, desc, kwargs, returns?}`, in which `kwargs` and `returns`
    /// are shapes in their notation. Other entries are shown to the model.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`](crate::error::ErrorKind::WrongInput) if an entry is missing
    /// or invalid.
    fn from_value(value: &Value) -> Result<Self, Error> {
        let map = value
            .as_object()
            .ok_or_else(|| wrong(&format!("expected a tool, found {}", value.kind_name())))?;
        let string = |name: &str| {
            let text = map.get(name).and_then(Value::as_str);
            text.ok_or_else(|| wrong(&format!("expected a string as `{name}` of a tool")))
        };
        let kwargs = map.get("kwargs").ok_or_else(|| wrong("missing `kwargs` of a tool"))?;
        let mut tool = Self::new(string("name")?, string("desc")?, shape_of(kwargs, Slot::Tools)?);
        let returns = map.get("returns").filter(|it| !it.is_null());
        tool.returns = returns.map(|it| shape_of(it, Slot::Tools)).transpose()?;
        let known = ["name", "desc", "kwargs", "returns"];
        let more = map.iter().filter(|(name, _)| !known.contains(name));
        tool.more.extend(more.map(|(name, value)| (name, value.clone())));
        Ok(tool)
    }

    /// Writes the lines of the tool.
    pub(super) fn write(&self, lines: &mut Vec<String>, titles: &Titles) {
        lines.push("[".to_owned());
        // No line of the name and the description can be mistaken for the end of the tool. In a
        // requirement, lines of a single bracket belong to the notation.
        lines.push(format!("name: {}", titles.escape_in_brackets(&self.name)));
        lines.push(format!("desc: {}", titles.escape_in_brackets(&self.description)));
        lines.push(format!("kwargs: {}", titles.escape_within_line(&self.kwargs.requirement())));
        if let Some(returns) = &self.returns {
            lines.push(format!("returns: {}", titles.escape_within_line(&returns.requirement())));
        }
        if !self.more.is_empty() {
            let must_quote = |line: &str| titles.is_title_or_bracket(line);
            let more = yaml::block(&self.more.clone().into(), &must_quote);
            lines.push(more.trim_end_matches('\n').to_owned());
        }
        lines.push("]".to_owned());
    }
}

impl From<SlotTool> for Value {
    /// The tool as a value in a slot: `{name, desc, kwargs, returns?}`, in which `kwargs` and
    /// `returns` are shapes in their [notation](Shape::to_notation).
    fn from(tool: SlotTool) -> Self {
        let mut map = Map::new();
        map.insert("name", tool.name);
        map.insert("desc", tool.description);
        map.insert("kwargs", tool.kwargs);
        map.insert_some("returns", tool.returns);
        map.extend(tool.more.iter().map(|(name, value)| (name, value.clone())));
        map.into()
    }
}

/// Reads a list of tools.
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`](crate::error::ErrorKind::WrongInput) for the first tool that
/// is invalid.
pub(super) fn tools_of(value: &Value) -> Result<Vec<SlotTool>, Error> {
    let items = match value {
        Value::Null => &[],
        other => other.as_array().ok_or_else(|| {
            wrong(&format!("expected an array of tools, found {}", other.kind_name()))
        })?,
    };
    items.iter().map(SlotTool::from_value).collect()
}

fn wrong(problem: &str) -> Error {
    error_in_slot(Slot::Tools, problem).with_help(
        "write a tool as `{name, desc, kwargs}`, where `kwargs` gives the type of each argument, \
         such as `{city: str}`",
    )
}
