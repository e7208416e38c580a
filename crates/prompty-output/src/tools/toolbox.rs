//! Tools with the functions that execute calls.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::call::{BorrowedCall, tool_result};
use super::read::read_by_schema;
use super::{Call, IntoAnswer, Tool, ToolError};
use prompty_core::message::{ToolResult, ToolSpec};

type AnswerResult = Result<String, ToolError>;
type AnswerFuture<'a> = Pin<Box<dyn Future<Output = AnswerResult> + Send + 'a>>;
type ToolFunction<'a> = Arc<dyn Fn(&BorrowedCall<'_>) -> AnswerResult + Send + Sync + 'a>;
/// Wrong arguments are an error before the future is created.
type AsyncToolFunction<'a> =
    Arc<dyn Fn(&BorrowedCall<'_>) -> Result<AnswerFuture<'a>, ToolError> + Send + Sync + 'a>;

/// Tools with the functions that execute their calls.
///
/// A function takes a [`Tool`] and returns a `Result` or another type of [`IntoAnswer`]. A string is
/// the answer itself, another value is converted into JSON, and an error is printed for the model.
/// If a function panics, [`call`](Self::call) panics.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; }
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::{Tool, Toolbox};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Divide {
///     by: f64,
/// }
///
/// impl Tool for Divide {
///     const NAME: &'static str = "divide";
///     const DESCRIPTION: &'static str = "Divides the sum.";
/// }
///
/// let sum = 12.0; // what the program knows
/// let toolbox = Toolbox::new().with(|divide: Divide| match divide.by {
///     0.0 => Err("nothing can be divided by 0"),
///     by => Ok(sum / by),
/// });
/// assert_eq!(toolbox.tools()[0].name, "divide");
///
/// let answer = |arguments| toolbox.answer(&ToolCall::new("1", "divide", arguments));
/// assert_eq!(answer(r#"{"by": 8}"#).content[0].as_text(), Some("1.5"));
/// let text = "error: nothing can be divided by 0";
/// assert_eq!(answer(r#"{"by": 0}"#).content[0].as_text(), Some(text));
/// ```
#[derive(Clone, Default)]
pub struct Toolbox<'a> {
    entries: ToolEntries<ToolFunction<'a>>,
}

/// A [`Toolbox`] of `async` functions. It does not depend on a runtime.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; }
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     match std::pin::pin!(future).poll(&mut context) {
/// #         std::task::Poll::Ready(value) => value,
/// #         std::task::Poll::Pending => unreachable!(),
/// #     }
/// # }
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::{AsyncToolbox, Tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Fetch {
///     page: u32,
/// }
///
/// impl Tool for Fetch {
///     const NAME: &'static str = "fetch";
///     const DESCRIPTION: &'static str = "Fetches a page.";
/// }
///
/// async fn fetch(page: u32) -> Result<String, std::io::Error> {
///     Ok(format!("This is page {page}."))
/// }
///
/// let toolbox = AsyncToolbox::new().with_async(|fetched: Fetch| fetch(fetched.page));
/// let call = ToolCall::new("1", "fetch", r#"{"page": 2}"#);
/// let result = block_on(toolbox.answer(&call));
/// assert_eq!(result.content[0].as_text(), Some("This is page 2."));
/// ```
#[derive(Clone, Default)]
pub struct AsyncToolbox<'a> {
    entries: ToolEntries<AsyncToolFunction<'a>>,
}

impl<'a> Toolbox<'a> {
    /// A toolbox without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same toolbox with a tool and its function, which replaces one of the same name.
    #[must_use]
    pub fn with<T, R, F>(mut self, function: F) -> Self
    where
        T: Tool,
        R: IntoAnswer,
        F: Fn(T) -> R + Send + Sync + 'a,
    {
        let function = move |call: &BorrowedCall<'_>| function(T::from_call(call)?).into_answer();
        self.entries.add(T::tool(), Arc::new(function));
        self
    }

    /// The same toolbox with tools that are known only at run time, such as those of an MCP server.
    /// The function gets the name of the called tool and its arguments, which match the tool's
    /// schema. Arguments that do not are an error for the model, as for a [`Tool`].
    ///
    /// The arguments are a type that serde can deserialize, such as [`Map`] or
    /// `serde_json::Map`.
    ///
    /// [`Map`]: prompty_core::value::Map
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::{message, value}; pub use prompty_output::tools; }
    /// use typed_prompty::message::{ToolCall, ToolSpec};
    /// use typed_prompty::tools::Toolbox;
    /// use typed_prompty::value::{Map, Value};
    ///
    /// // What the server lists:
    /// let listed = Value::from_json(r#"[{"name": "search", "description": "Searches the files.",
    ///     "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}},
    ///     "required": ["word"]}}]"#)?;
    /// let tools: Vec<ToolSpec> = listed.as_array().unwrap_or_default().iter()
    ///     .map(ToolSpec::from_listed).collect::<Result<_, _>>()?;
    ///
    /// let toolbox = Toolbox::new()
    ///     .with_tools(tools, |name: &str, arguments: Map| format!("{name}: {}", Value::from(arguments)));
    /// let answer = |arguments| toolbox.answer(&ToolCall::new("1", "search", arguments));
    /// let found = answer(r#"{"word": "prompt"}"#);
    /// assert_eq!(found.content[0].as_text(), Some(r#"search: {"word": "prompt"}"#));
    /// let text = "error: the arguments of `search` do not match its parameters: at word: \
    ///             must be a string, found 7\nhelp: `word` must match {\"type\":\"string\"}";
    /// assert_eq!(answer(r#"{"word": 7}"#).content[0].as_text(), Some(text));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_tools<A, R, F>(
        mut self,
        tools: impl IntoIterator<Item = ToolSpec>,
        function: F,
    ) -> Self
    where
        A: DeserializeOwned,
        R: IntoAnswer,
        F: Fn(&str, A) -> R + Send + Sync + 'a,
    {
        let function = Arc::new(function);
        for tool in tools {
            let (own, function) = (tool.clone(), Arc::clone(&function));
            let function = move |call: &BorrowedCall<'_>| {
                function(&own.name, read_by_schema(&own, call)?).into_answer()
            };
            self.entries.add(tool, Arc::new(function));
        }
        self
    }

    /// The declarations for the model, in order.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.entries.tools()
    }

    /// Executes a call.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Tool::from_call`], and
    /// [`ToolErrorKind::Failed`](super::ToolErrorKind::Failed) if the function returned an error.
    pub fn call(&self, call: &impl Call) -> Result<ToolResult, ToolError> {
        let borrowed = BorrowedCall::new(call);
        let function = self.entries.find(&borrowed)?;
        function(&borrowed).map(|text| tool_result(call, text))
    }

    /// Executes a call. An error is converted into an answer.
    pub fn answer(&self, call: &impl Call) -> ToolResult {
        self.call(call).unwrap_or_else(|error| error.to_result(call))
    }

    /// Executes all complete calls, such as those of a reply, in order.
    pub fn answer_all(&self, calls: impl IntoIterator<Item = impl Call>) -> Vec<ToolResult> {
        calls.into_iter().filter(Call::is_complete).map(|call| self.answer(&call)).collect()
    }
}

impl<'a> AsyncToolbox<'a> {
    /// A toolbox without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same toolbox with a tool and its function, which replaces one of the same name.
    #[must_use]
    pub fn with<T, R, F>(mut self, function: F) -> Self
    where
        T: Tool,
        R: IntoAnswer,
        F: Fn(T) -> R + Send + Sync + 'a,
    {
        let function = move |call: &BorrowedCall<'_>| {
            let answer = function(T::from_call(call)?).into_answer();
            Ok(Box::pin(std::future::ready(answer)) as AnswerFuture<'a>)
        };
        self.entries.add(T::tool(), Arc::new(function));
        self
    }

    /// The same toolbox with a tool and its `async` function, which replaces one of the same name.
    #[must_use]
    pub fn with_async<T, F, P>(mut self, function: F) -> Self
    where
        T: Tool,
        F: Fn(T) -> P + Send + Sync + 'a,
        P: Future<Output: IntoAnswer> + Send + 'a,
    {
        let function = move |call: &BorrowedCall<'_>| {
            let result = function(T::from_call(call)?);
            Ok(Box::pin(async move { result.await.into_answer() }) as AnswerFuture<'a>)
        };
        self.entries.add(T::tool(), Arc::new(function));
        self
    }

    /// The same toolbox with tools that are known only at run time, and the `async` function that
    /// executes their calls: see [`Toolbox::with_tools`].
    #[must_use]
    pub fn with_tools_async<A, F, P>(
        mut self,
        tools: impl IntoIterator<Item = ToolSpec>,
        function: F,
    ) -> Self
    where
        A: DeserializeOwned,
        F: Fn(String, A) -> P + Send + Sync + 'a,
        P: Future<Output: IntoAnswer> + Send + 'a,
    {
        let function = Arc::new(function);
        for tool in tools {
            let (own, function) = (tool.clone(), Arc::clone(&function));
            let function = move |call: &BorrowedCall<'_>| {
                let result = function(own.name.clone(), read_by_schema(&own, call)?);
                Ok(Box::pin(async move { result.await.into_answer() }) as AnswerFuture<'a>)
            };
            self.entries.add(tool, Arc::new(function));
        }
        self
    }

    /// The declarations for the model, in order.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.entries.tools()
    }

    /// Executes a call.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Toolbox::call`].
    pub async fn call(&self, call: &impl Call) -> Result<ToolResult, ToolError> {
        let answer = {
            let borrowed = BorrowedCall::new(call);
            self.entries.find(&borrowed)?(&borrowed)?
        };
        answer.await.map(|text| tool_result(call, text))
    }

    /// Executes a call. An error is converted into an answer.
    pub async fn answer(&self, call: &impl Call) -> ToolResult {
        self.call(call).await.unwrap_or_else(|error| error.to_result(call))
    }

    /// Executes all complete calls, such as those of a reply, one after the other.
    pub async fn answer_all(&self, calls: impl IntoIterator<Item = impl Call>) -> Vec<ToolResult> {
        let mut results = Vec::new();
        for call in calls.into_iter().filter(Call::is_complete) {
            results.push(self.answer(&call).await);
        }
        results
    }
}

/// Tools and their functions, in the order in which they were added.
#[derive(Clone)]
struct ToolEntries<F> {
    list: Vec<(ToolSpec, F)>,
}

impl<F> Default for ToolEntries<F> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<F> ToolEntries<F> {
    fn add(&mut self, tool: ToolSpec, function: F) {
        match self.list.iter_mut().find(|(known, _)| known.name == tool.name) {
            Some(entry) => *entry = (tool, function),
            None => self.list.push((tool, function)),
        }
    }

    fn tools(&self) -> Vec<ToolSpec> {
        self.list.iter().map(|(tool, _)| tool.clone()).collect()
    }

    fn find(&self, call: &BorrowedCall<'_>) -> Result<&F, ToolError> {
        let found = self.list.iter().find(|(tool, _)| tool.name == call.name());
        found.map(|(_, function)| function).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            ToolError::unknown(call.name(), &names)
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(tool, _)| tool.name.as_str())
    }
}

/// The declarations for the model, in order.
impl<'t> IntoIterator for &'t Toolbox<'_> {
    type Item = &'t ToolSpec;
    type IntoIter = std::vec::IntoIter<&'t ToolSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.list.iter().map(|(tool, _)| tool).collect::<Vec<_>>().into_iter()
    }
}

impl fmt::Debug for Toolbox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.names()).finish()
    }
}

/// The declarations for the model, in order.
impl<'t> IntoIterator for &'t AsyncToolbox<'_> {
    type Item = &'t ToolSpec;
    type IntoIter = std::vec::IntoIter<&'t ToolSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.list.iter().map(|(tool, _)| tool).collect::<Vec<_>>().into_iter()
    }
}

impl fmt::Debug for AsyncToolbox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.names()).finish()
    }
}
