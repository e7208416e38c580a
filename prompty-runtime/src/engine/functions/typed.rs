//! Closures with typed parameters as functions of templates.

use std::future::Future;
use std::sync::Arc;

use super::ValueFuture;
use super::arguments::{Arguments, FromArgument};
use prompty_core::error::Error;
use prompty_core::value::Value;

/// A closure with `N` parameters that have names. Each is a type that is [`FromArgument`]; behind them
/// may come [`Arguments`], which hold all that the call sees. It gives a `Result` of what can be a
/// [`Value`].
///
/// `P` is the types of the parameters, and the compiler finds it.
#[diagnostic::on_unimplemented(
    message = "this is no function of {N} named parameters",
    label = "needs a closure of {N} parameters that gives a `Result`",
    note = "each parameter is a type such as `String`, `i64`, `Option<String>` or `Value`, and a name stands \
            for each in the list before; behind them may come `Arguments`",
    note = "at most six parameters can have names; take `Arguments` for more"
)]
pub trait TypedFunction<const N: usize, P>: Send + Sync + 'static {
    /// Calls it.
    #[doc(hidden)]
    fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> Result<Value, Error>;
}

/// A closure as [`TypedFunction`] has it, which gives a future of a `Result`.
#[diagnostic::on_unimplemented(
    message = "this is no async function of {N} named parameters",
    label = "needs a closure of {N} parameters that gives a future of a `Result`",
    note = "each parameter is a type such as `String`, `i64`, `Option<String>` or `Value`, and a name stands \
            for each in the list before; behind them may come `Arguments`",
    note = "the future is `Send` and borrows nothing"
)]
pub trait AsyncTypedFunction<const N: usize, P>: Send + Sync + 'static {
    /// Calls it.
    #[doc(hidden)]
    fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> ValueFuture;
}

/// The argument of the next parameter.
fn next<T: FromArgument>(
    names: &mut std::slice::Iter<'_, Arc<str>>,
    arguments: &Arguments,
) -> Result<T, Error> {
    arguments.read(names.next().map_or("", |name| name))
}

/// A future of what a call gives; or of the reason why it could not start.
fn awaited<R: Into<Value>>(
    started: Result<impl Future<Output = Result<R, Error>> + Send + 'static, Error>,
) -> ValueFuture {
    Box::pin(async move { started?.await.map(Into::into) })
}

macro_rules! functions {
    ($($count:literal: $($parameter:ident)*;)*) => {$(
        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, R, $($parameter),*> TypedFunction<$count, (R, $($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Result<R, Error> + Send + Sync + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> Result<Value, Error> {
                let mut names = names.iter();
                self($(next::<$parameter>(&mut names, arguments)?),*).map(Into::into)
            }
        }

        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, R, $($parameter),*> TypedFunction<$count, (R, $($parameter,)* Arguments)> for F
        where
            F: Fn($($parameter,)* Arguments) -> Result<R, Error> + Send + Sync + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> Result<Value, Error> {
                let mut names = names.iter();
                self($(next::<$parameter>(&mut names, arguments)?,)* arguments.clone())
                    .map(Into::into)
            }
        }

        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, W, R, $($parameter),*> AsyncTypedFunction<$count, (R, $($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> W + Send + Sync + 'static,
            W: Future<Output = Result<R, Error>> + Send + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> ValueFuture {
                let mut names = names.iter();
                let mut start = || Ok(self($(next::<$parameter>(&mut names, arguments)?),*));
                awaited(start())
            }
        }

        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, W, R, $($parameter),*> AsyncTypedFunction<$count, (R, $($parameter,)* Arguments)> for F
        where
            F: Fn($($parameter,)* Arguments) -> W + Send + Sync + 'static,
            W: Future<Output = Result<R, Error>> + Send + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> ValueFuture {
                let mut names = names.iter();
                let mut start = || {
                    Ok(self($(next::<$parameter>(&mut names, arguments)?,)* arguments.clone()))
                };
                awaited(start())
            }
        }
    )*};
}

functions! {
    0: ;
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E G;
}
