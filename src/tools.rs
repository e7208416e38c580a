//! Typed tools: a Rust type or function describes a tool to a model, and a call of the tool becomes
//! a value of the type.
//!
//! ```
//! use typed_prompty::message::ToolCall;
//! use typed_prompty::tools::{Call, Tool, ToolError, ToolSet, tool};
//!
//! /// The weather of the next days in a city.
//! #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
//! struct Weather {
//!     /// The city's name.
//!     city: String,
//!     days: Option<u8>,
//! }
//!
//! /// Sends a message.
//! #[tool]
//! fn send(
//!     /// Who gets it.
//!     to: String,
//!     text: String,
//! ) -> Result<usize, String> {
//!     if to == "me" { Ok(text.len()) } else { Err(format!("unknown recipient `{to}`")) }
//! }
//!
//! #[derive(ToolSet)]
//! enum Action {
//!     Weather(Weather),
//!     Send(SendArguments),
//! }
//!
//! // For `ChatTemplate::apply`, or a provider.
//! let tools = Action::tools();
//! assert_eq!(tools[0].description.as_deref(), Some("The weather of the next days in a city."));
//!
//! // This works for the calls of a `Reply` and for those that a provider reports.
//! fn carry_out(call: &impl Call) -> Result<typed_prompty::message::ToolResult, ToolError> {
//!     match Action::from_call(call)? {
//!         Action::Weather(weather) => call.answer(&format!("It is warm in {}.", weather.city)),
//!         Action::Send(send) => call.answer(&send.answer()?),
//!     }
//! }
//!
//! let call = ToolCall::new("1", "weather", r#"{"city": "Bonn"}"#);
//! assert_eq!(carry_out(&call)?.content[0].as_text(), Some("It is warm in Bonn."));
//!
//! // An error goes back to the model, which can correct its call.
//! let call = ToolCall::new("2", "weather", r#"{"city": "Bonn", "days": "two"}"#);
//! let result = carry_out(&call).unwrap_or_else(|error| error.to_result(&call));
//! let text = "error: the arguments of `weather` do not match its parameters: at days: \
//!             expected u8, found string \"two\"\nhelp: `days` must match \
//!             {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}";
//! assert_eq!(result.content[0].as_text(), Some(text));
//! # Ok::<(), ToolError>(())
//! ```
//!
//! If functions execute all calls, use a [`Toolbox`].

pub use prompty_output::tools::*;

/// Implements `Tool` for a struct: its fields are the arguments, its doc comments the descriptions.
///
/// ```
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::Tool;
///
/// /// Looks a word up.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// #[tool(name = "dictionary")]
/// #[serde(deny_unknown_fields)]
/// struct LookUp {
///     word: String,
///     #[serde(default)]
///     language: Language,
/// }
///
/// #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
/// #[serde(rename_all = "lowercase")]
/// enum Language {
///     #[default]
///     English,
///     German,
/// }
///
/// assert_eq!(LookUp::tool().name, "dictionary");
/// let found = LookUp::from_call(&ToolCall::new("1", "dictionary", r#"{"word": "prompt"}"#))?;
/// assert_eq!(found.word, "prompt");
/// # Ok::<(), typed_prompty::tools::ToolError>(())
/// ```
///
/// On the struct:
///
/// | key | meaning |
/// |---|---|
/// | `name = "get_weather"` | the tool's name; by default the name of the type in `snake_case` |
/// | `description = "…"` | the purpose of the tool; by default the doc comment |
/// | `crate = path` | the facade under another name |
///
/// A tool without a description does not compile, and neither does a name that providers do not
/// accept. Attributes of serde and schemars on a field (`rename`, `default`, `range`) apply to the
/// tool.
pub use prompty_macros::Tool;

/// Implements `ToolSet` for an enum: each variant contains a tool, and a call becomes the variant
/// of its name.
///
/// ```
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::{Tool, ToolErrorKind, ToolSet};
///
/// /// Returns the time.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// struct Now {}
///
/// /// Waits.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// struct Wait {
///     seconds: u32,
/// }
///
/// #[derive(ToolSet)]
/// enum Action {
///     Now(Now),
///     Wait(Wait),
/// }
///
/// assert_eq!(Action::NAMES, ["now", "wait"]);
/// let error = Action::from_call(&ToolCall::new("1", "later", "{}")).err().expect("unknown tool");
/// assert_eq!(error.kind(), ToolErrorKind::UnknownTool);
/// assert_eq!(error.help(), Some("available tools: `now`, `wait`"));
/// ```
///
/// Two tools with the same name do not compile. `#[tool(crate = path)]` names the facade.
pub use prompty_macros::ToolSet;

/// Makes a function a tool: its parameters are the arguments, its doc comments the descriptions.
///
/// The function, `async` or not, does not change. A struct of its arguments is added, which is a
/// [`Tool`](trait@Tool) and has two methods: `call` returns the result of the function, and
/// `answer` returns the text for the model: JSON, or the error of a `Result`.
///
/// ```
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::{Tool, Toolbox, tool};
///
/// struct Orders(Vec<u32>);
///
/// /// Finds an order of the customer.
/// #[tool]
/// fn find_order(
///     #[tool(context)] orders: &Orders,
///     /// The number on the bill.
///     number: u32,
///     #[tool(description = "Whether to return all of it.")]
///     #[serde(default)]
///     all: bool,
/// ) -> Result<String, String> {
///     let found = orders.0.contains(&number);
///     if found { Ok(format!("all: {all}")) } else { Err(format!("unknown order {number}")) }
/// }
///
/// let orders = Orders(vec![7]);
/// assert!(find_order(&orders, 7, false).is_ok());
/// assert_eq!(FindOrderArguments { number: 7, all: true }.call(&orders)?, "all: true");
///
/// let toolbox = Toolbox::new().with(|found: FindOrderArguments| found.answer(&orders));
/// let result = toolbox.answer(&ToolCall::new("1", "find_order", r#"{"number": 8}"#));
/// assert_eq!(result.content[0].as_text(), Some("error: unknown order 8"));
/// # Ok::<(), String>(())
/// ```
///
/// On the function:
///
/// | key | meaning |
/// |---|---|
/// | `name = "find"` | the tool's name; by default the name of the function |
/// | `description = "…"` | the purpose of the tool; by default the doc comment |
/// | `arguments = Find` | the name of the struct; by default that of the function with `Arguments` |
/// | `derive(Debug, Clone)` | additional traits of the struct |
/// | `crate = path` | the facade under another name |
///
/// On a parameter:
///
/// | key | meaning |
/// |---|---|
/// | `description = "…"` | its meaning; by default the doc comment |
/// | `context` | the program passes it, as a parameter of `call` and `answer` |
///
/// Attributes of serde and schemars on a parameter apply to the field. A call with an unknown
/// argument is an error, unless a parameter has `#[serde(flatten)]`.
///
/// Parameters from the program may borrow and have any type, so the function may have lifetimes and
/// type parameters for them; the arguments are owned. The function must be outside of `impl` blocks
/// and traits, since these cannot contain a struct.
pub use prompty_macros::tool;
