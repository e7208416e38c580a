//! The functions of the host, which templates call by name.
//!
//! All languages share one table of functions. In a language with plugins, a function also sees
//! the inputs of the render, after its own arguments. It cannot change them for other calls. The
//! checker assumes that it reads all inputs, unless its parameters are known.

mod arguments;
mod async_calls;
mod typed;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use arguments::{Arguments, FromArgument};
pub use typed::{AsyncTypedFunction, TypedFunction};

pub(crate) use async_calls::find_async_call;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;
use prompty_core::value::Value;
use prompty_template::host_functions::argument_count;

/// A future that is `Send` and does not depend on an async runtime.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The future of a function's result.
type ValueFuture = BoxFuture<'static, Result<Value, Error>>;
type PositionalClosure = dyn Fn(&[Value]) -> Result<Value, Error> + Send + Sync;
type NamedClosure = dyn Fn(&Arguments) -> Result<Value, Error> + Send + Sync;
type AsyncClosure = dyn Fn(&Arguments) -> ValueFuture + Send + Sync;

/// A function of the host.
#[derive(Clone)]
pub(crate) struct HostFunction {
    kind: FunctionKind,
    /// The names of its parameters; `None` if it takes any arguments.
    parameters: Option<Arc<[Arc<str>]>>,
}

#[derive(Clone)]
enum FunctionKind {
    /// The function takes a list. Named arguments are one map at the end.
    Positional(Arc<PositionalClosure>),
    /// The function reads its arguments by their names.
    Named(Arc<NamedClosure>),
    /// Like `Named`, but the result is a future.
    Async(Arc<AsyncClosure>),
}

/// The result of a call.
pub(crate) enum CallResult {
    Value(Result<Value, Error>),
    Future(ValueFuture),
}

impl HostFunction {
    /// Makes a function that takes a list of arguments.
    pub(super) fn positional(
        function: impl Fn(&[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        Self { kind: FunctionKind::Positional(Arc::new(function)), parameters: None }
    }

    /// Makes a function with named parameters. Each call reads them from the arguments.
    pub(super) fn typed<const N: usize, P, F: TypedFunction<N, P>>(
        parameters: [&str; N],
        function: F,
    ) -> Self {
        let names = shared_names(parameters);
        let known = Arc::clone(&names);
        let call = move |arguments: &Arguments| function.call(&known, arguments);
        Self { kind: FunctionKind::Named(Arc::new(call)), parameters: Some(names) }
    }

    /// Makes an async function with named parameters.
    pub(super) fn asynchronous<const N: usize, P, F: AsyncTypedFunction<N, P>>(
        parameters: [&str; N],
        function: F,
    ) -> Self {
        let names = shared_names(parameters);
        let known = Arc::clone(&names);
        let call = move |arguments: &Arguments| function.call(&known, arguments);
        Self { kind: FunctionKind::Async(Arc::new(call)), parameters: Some(names) }
    }

    /// The names of the parameters, if they are known.
    pub(crate) fn parameters(&self) -> Option<&[Arc<str>]> {
        self.parameters.as_deref()
    }

    /// Assigns the arguments of a call to parameters. Positional arguments come first.
    ///
    /// # Errors
    ///
    /// Returns an error if the function does not accept one of the arguments.
    pub(crate) fn arguments(
        &self,
        name: &str,
        inputs: Map,
        positional: Vec<Value>,
        named: &Map,
    ) -> Result<Arguments, Error> {
        let mut arguments = Arguments::new(inputs);
        let render_error = |message: String| {
            let names = self.parameters().unwrap_or_default().join("`, `");
            let error = Error::new(ErrorKind::Render, message);
            match names.as_str() {
                "" => error.with_help("remove the arguments"),
                names => error.with_help(format!("available parameters: `{names}`")),
            }
        };
        let mut parameters = self.parameters().unwrap_or_default().iter();
        for value in positional {
            match (parameters.next(), &self.parameters) {
                (Some(parameter), _) => arguments.set(parameter, value),
                (None, None) => arguments.push(value),
                (None, Some(all)) => {
                    let count = argument_count(0, all.len());
                    return Err(render_error(format!("`{name}` takes {count}")));
                }
            }
        }
        for (argument, value) in named.iter() {
            let is_known =
                self.parameters().is_none_or(|all| all.iter().any(|known| **known == *argument));
            if !is_known {
                return Err(render_error(format!("unknown argument `{argument}` of `{name}`")));
            }
            if arguments.own(argument).is_some() {
                let message = format!("argument `{argument}` of `{name}` is specified twice");
                return Err(render_error(message).with_help("remove one of them"));
            }
            arguments.set(&argument.into(), value.clone());
        }
        Ok(arguments)
    }

    /// Whether the function is async.
    pub(crate) fn is_async(&self) -> bool {
        matches!(self.kind, FunctionKind::Async(_))
    }

    /// Calls the function.
    pub(crate) fn call(&self, arguments: &Arguments) -> CallResult {
        match &self.kind {
            FunctionKind::Positional(function) => CallResult::Value(function(&arguments.to_list())),
            FunctionKind::Named(function) => CallResult::Value(function(arguments)),
            FunctionKind::Async(function) => CallResult::Future(function(arguments)),
        }
    }

    /// Calls the function in a synchronous render.
    pub(crate) fn call_now(&self, name: &str, arguments: &Arguments) -> Result<Value, Error> {
        match &self.kind {
            FunctionKind::Positional(function) => function(&arguments.to_list()),
            FunctionKind::Named(function) => function(arguments),
            FunctionKind::Async(_) => Err(async_call_error(name)),
        }
    }
}

fn shared_names<const N: usize>(names: [&str; N]) -> Arc<[Arc<str>]> {
    names.iter().copied().map(Arc::from).collect()
}

/// The error for a call of an async function in a synchronous render.
fn async_call_error(name: &str) -> Error {
    let message = format!("the function `{name}` is async, and this render cannot wait for it");
    Error::new(ErrorKind::Render, message)
        .with_help("render with `render_async` or `prepare_async`")
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFunction").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}
