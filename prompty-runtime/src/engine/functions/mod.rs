//! The functions of the host: what a template calls by name.

mod arguments;
mod awaited;
mod typed;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use arguments::{Arguments, FromArgument};
pub use typed::{AsyncTypedFunction, TypedFunction};

pub(crate) use awaited::awaited_call;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;
use prompty_core::value::Value;

/// A future that can be sent to another thread and does not depend on an async runtime.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A future of what a function gives.
type ValueFuture = BoxFuture<'static, Result<Value, Error>>;
type Positional = dyn Fn(&[Value]) -> Result<Value, Error> + Send + Sync;
type Named = dyn Fn(&Arguments) -> Result<Value, Error> + Send + Sync;
type Waiting = dyn Fn(&Arguments) -> ValueFuture + Send + Sync;

/// A function of the host.
#[derive(Clone)]
pub(crate) struct HostFunction {
    kind: Kind,
    /// The names of its parameters, where it takes these and no others.
    parameters: Option<Arc<[Arc<str>]>>,
}

#[derive(Clone)]
enum Kind {
    /// It takes a list; arguments by name are a map behind the others.
    Positional(Arc<Positional>),
    Named(Arc<Named>),
    Async(Arc<Waiting>),
}

/// What a call gives.
pub(crate) enum Called {
    Value(Result<Value, Error>),
    Future(ValueFuture),
}

impl HostFunction {
    pub(super) fn positional(
        function: impl Fn(&[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        Self { kind: Kind::Positional(Arc::new(function)), parameters: None }
    }

    pub(super) fn typed<const N: usize, P, F: TypedFunction<N, P>>(
        parameters: [&str; N],
        function: F,
    ) -> Self {
        let names: Arc<[Arc<str>]> = parameters.iter().copied().map(Arc::from).collect();
        let known = Arc::clone(&names);
        let call = move |arguments: &Arguments| function.call(&known, arguments);
        Self { kind: Kind::Named(Arc::new(call)), parameters: Some(names) }
    }

    pub(super) fn waiting<const N: usize, P, F: AsyncTypedFunction<N, P>>(
        parameters: [&str; N],
        function: F,
    ) -> Self {
        let names: Arc<[Arc<str>]> = parameters.iter().copied().map(Arc::from).collect();
        let known = Arc::clone(&names);
        let call = move |arguments: &Arguments| function.call(&known, arguments);
        Self { kind: Kind::Async(Arc::new(call)), parameters: Some(names) }
    }

    /// The names of the parameters, where they are known.
    pub(crate) fn parameters(&self) -> Option<&[Arc<str>]> {
        self.parameters.as_deref()
    }

    /// The arguments of a call that the engine of a language has read. The first ones are by position.
    ///
    /// # Errors
    ///
    /// Arguments that the function does not take.
    pub(crate) fn arguments(
        &self,
        name: &str,
        inputs: Map,
        positional: Vec<Value>,
        named: &Map,
    ) -> Result<Arguments, Error> {
        let mut arguments = Arguments::new(inputs);
        let wrong = |message: String| Error::new(ErrorKind::Render, message);
        let mut parameters = self.parameters().unwrap_or_default().iter();
        for value in positional {
            match (parameters.next(), &self.parameters) {
                (Some(parameter), _) => arguments.set(parameter, value),
                (None, None) => arguments.push(value),
                (None, Some(all)) => {
                    let most = all.len();
                    return Err(wrong(format!("`{name}` takes at most {most} arguments")));
                }
            }
        }
        for (given, value) in named.iter() {
            let is_known =
                self.parameters().is_none_or(|all| all.iter().any(|known| **known == *given));
            if !is_known {
                return Err(wrong(format!("`{given}` is no parameter of `{name}`")));
            }
            if arguments.own(given).is_some() {
                return Err(wrong(format!("`{name}` gets `{given}` twice")));
            }
            arguments.set(&given.into(), value.clone());
        }
        Ok(arguments)
    }

    /// Whether its result must be waited for.
    pub(crate) fn is_async(&self) -> bool {
        matches!(self.kind, Kind::Async(_))
    }

    /// Calls it.
    pub(crate) fn call(&self, arguments: &Arguments) -> Called {
        match &self.kind {
            Kind::Positional(function) => Called::Value(function(&arguments.listed())),
            Kind::Named(function) => Called::Value(function(arguments)),
            Kind::Async(function) => Called::Future(function(arguments)),
        }
    }

    /// Calls it where nothing can be waited for.
    pub(crate) fn call_now(&self, name: &str, arguments: &Arguments) -> Result<Value, Error> {
        match &self.kind {
            Kind::Async(_) => Err(must_wait(name)),
            _ => match self.call(arguments) {
                Called::Value(result) => result,
                Called::Future(_) => Err(must_wait(name)),
            },
        }
    }
}

/// An async function is called in a render that cannot wait.
fn must_wait(name: &str) -> Error {
    let message = format!("the function `{name}` is async, and this render cannot wait for it");
    Error::new(ErrorKind::Render, message)
        .with_help("render with `render_async` or `prepare_async`")
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFunction").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}
