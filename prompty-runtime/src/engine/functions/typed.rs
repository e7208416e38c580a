//! Closures with typed parameters as functions of templates.

use std::future::Future;
use std::sync::Arc;

use super::ValueFuture;
use super::arguments::{Arguments, FromArgument};
use prompty_core::error::Error;
use prompty_core::value::Value;

/// A closure with `N` named parameters, each of a type that implements [`FromArgument`]. A last
/// parameter of the type [`Arguments`] gets all arguments and inputs. The closure returns a
/// `Result` of a type that converts into [`Value`].
///
/// The compiler infers `P`, the types of the parameters.
#[diagnostic::on_unimplemented(
    message = "this is not a function with {N} named parameters",
    label = "expected a closure with {N} parameters that returns a `Result`",
    note = "each parameter has a name in the list and a type such as `String`, `i64`, \
            `Option<String>` or `Value`; the last parameter may be `Arguments`",
    note = "at most six parameters can have names; take `Arguments` for more"
)]
pub trait TypedFunction<const N: usize, P>: Send + Sync + 'static {
    /// Calls the function.
    #[doc(hidden)]
    fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> Result<Value, Error>;
}

/// A closure like [`TypedFunction`] that returns a future of a `Result`.
#[diagnostic::on_unimplemented(
    message = "this is not an async function with {N} named parameters",
    label = "expected a closure with {N} parameters that returns a future of a `Result`",
    note = "each parameter has a name in the list and a type such as `String`, `i64`, \
            `Option<String>` or `Value`; the last parameter may be `Arguments`",
    note = "the future must be `Send` and must not borrow"
)]
pub trait AsyncTypedFunction<const N: usize, P>: Send + Sync + 'static {
    /// Calls the function.
    #[doc(hidden)]
    fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> ValueFuture;
}

/// Converts the argument of the next parameter.
fn next_argument<T: FromArgument>(
    names: &mut std::slice::Iter<'_, Arc<str>>,
    arguments: &Arguments,
) -> Result<T, Error> {
    arguments.read(names.next().map_or("", |name| name))
}

/// The future of a call, or of the error that prevented it.
fn call_future<R: Into<Value>>(
    started: Result<impl Future<Output = Result<R, Error>> + Send + 'static, Error>,
) -> ValueFuture {
    Box::pin(async move { started?.await.map(Into::into) })
}

/// Implements both traits for closures with these parameters. The traits are generic over the
/// number of parameters that have names, so a last parameter [`Arguments`] does not count.
macro_rules! functions {
    ($($count:literal: [$($parameter:ident)*] $($arguments:ident)?;)*) => {$(
        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, R, $($parameter),*> TypedFunction<$count, (R, $($parameter,)* $($arguments)?)> for F
        where
            F: Fn($($parameter,)* $($arguments)?) -> Result<R, Error> + Send + Sync + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> Result<Value, Error> {
                let mut names = names.iter();
                self(
                    $(next_argument::<$parameter>(&mut names, arguments)?,)*
                    $($arguments::clone(arguments))?
                )
                .map(Into::into)
            }
        }

        #[allow(unused_mut, unused_variables, reason = "there may be no parameter")]
        impl<F, W, R, $($parameter),*>
            AsyncTypedFunction<$count, (R, $($parameter,)* $($arguments)?)> for F
        where
            F: Fn($($parameter,)* $($arguments)?) -> W + Send + Sync + 'static,
            W: Future<Output = Result<R, Error>> + Send + 'static,
            R: Into<Value>,
            $($parameter: FromArgument,)*
        {
            fn call(&self, names: &[Arc<str>], arguments: &Arguments) -> ValueFuture {
                let mut names = names.iter();
                let mut start = || {
                    Ok(self(
                        $(next_argument::<$parameter>(&mut names, arguments)?,)*
                        $($arguments::clone(arguments))?
                    ))
                };
                call_future(start())
            }
        }
    )*};
}

// The parameters skip `F`, the type of the closure.
functions! {
    0: [];
    0: [] Arguments;
    1: [A];
    1: [A] Arguments;
    2: [A B];
    2: [A B] Arguments;
    3: [A B C];
    3: [A B C] Arguments;
    4: [A B C D];
    4: [A B C D] Arguments;
    5: [A B C D E];
    5: [A B C D E] Arguments;
    6: [A B C D E G];
    6: [A B C D E G] Arguments;
}
