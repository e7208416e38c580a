//! Typed tools: a Rust type or function is what a model is told, and what its call becomes.
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
//!     if to == "me" { Ok(text.len()) } else { Err(format!("there is no `{to}`")) }
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
//! // The same for the calls of a `Reply` and for those that a provider tells.
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
//! // What does not fit goes back to the model, which can mend it.
//! let call = ToolCall::new("2", "weather", r#"{"city": "Bonn", "days": "two"}"#);
//! let result = carry_out(&call).unwrap_or_else(|error| error.to_result(&call));
//! let text = "error: the arguments of `weather` do not fit: at days: expected u8, found text \
//!             \"two\"\nhelp: `days` takes {\"type\":\"integer\",\"minimum\":0,\"maximum\":255}";
//! assert_eq!(result.content[0].as_text(), Some(text));
//! # Ok::<(), ToolError>(())
//! ```
//!
//! Where functions carry all calls out, a [`Toolbox`] dispatches them.

pub use prompty_output::tools::*;

/// Makes a struct a tool: its fields are the arguments, its doc comments the descriptions.
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
/// | key | what it says |
/// |---|---|
/// | `name = "get_weather"` | the tool's name; without it that of the type, in `snake_case` |
/// | `description = "…"` | what the tool is for; without it the doc comment |
/// | `crate = path` | the facade under another name |
///
/// A tool without a description, and a name that providers refuse, do not compile. What serde and
/// schemars say of a field (`rename`, `default`, `range`) holds for the tool.
pub use prompty_macros::Tool;

/// Makes an enum a set of tools: each variant holds one, and a call becomes the variant of its name.
///
/// ```
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::{Tool, ToolErrorKind, ToolSet};
///
/// /// Tells the time.
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
/// let error = Action::from_call(&ToolCall::new("1", "later", "{}")).err().expect("none such");
/// assert_eq!(error.kind(), ToolErrorKind::UnknownTool);
/// assert_eq!(error.help(), Some("there are: `now`, `wait`"));
/// ```
///
/// Two tools of the same name do not compile. `#[tool(crate = path)]` names the facade.
pub use prompty_macros::ToolSet;

/// Makes a function a tool: its parameters are the arguments, its doc comments the descriptions.
///
/// The function stays as it is, `async` or not. Beside it stands a struct of its arguments, which is
/// a [`Tool`](trait@Tool) and has two methods: `call` gives what the function gives, and `answer`
/// gives the text for the model: JSON, or the error of a `Result`.
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
///     #[tool(description = "Whether to tell all of it.")]
///     #[serde(default)]
///     all: bool,
/// ) -> Result<String, String> {
///     let found = orders.0.contains(&number);
///     if found { Ok(format!("all: {all}")) } else { Err(format!("there is no order {number}")) }
/// }
///
/// let orders = Orders(vec![7]);
/// assert!(find_order(&orders, 7, false).is_ok());
/// assert_eq!(FindOrderArguments { number: 7, all: true }.call(&orders)?, "all: true");
///
/// let toolbox = Toolbox::new().with(|found: FindOrderArguments| found.answer(&orders));
/// let result = toolbox.answer(&ToolCall::new("1", "find_order", r#"{"number": 8}"#));
/// assert_eq!(result.content[0].as_text(), Some("error: there is no order 8"));
/// # Ok::<(), String>(())
/// ```
///
/// On the function:
///
/// | key | what it says |
/// |---|---|
/// | `name = "find"` | the tool's name; without it that of the function |
/// | `description = "…"` | what the tool is for; without it the doc comment |
/// | `arguments = Find` | the name of the struct; without it that of the function with `Arguments` |
/// | `derive(Debug, Clone)` | what the struct can do, too |
/// | `crate = path` | the facade under another name |
///
/// On a parameter:
///
/// | key | what it says |
/// |---|---|
/// | `description = "…"` | what it is; without it the doc comment |
/// | `context` | it comes from the program, as a parameter of `call` and `answer` |
///
/// Attributes of serde and schemars on a parameter hold for the field. An argument that the function
/// does not have is an error of the call, unless a parameter has `#[serde(flatten)]`.
///
/// What comes from the program may borrow and be of any type, so the function may have lifetimes and
/// parameters of types for it; the arguments are owned. The function stands by itself: no type can
/// stand in an `impl` block or a trait, where rustc says so.
pub use prompty_macros::tool;
