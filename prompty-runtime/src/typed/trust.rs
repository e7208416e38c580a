//! Inputs that must not be printed everywhere: texts from outside, and secrets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use super::{Length, Print, Scalar, ToScalar, Truth};

/// A value from outside: what a user typed, what a search found, what a page says.
///
/// A prompt prints it in user and assistant messages as it is. Printing it into a system or developer
/// message does not compile, unless the template says that it is meant: `{{ name | trusted }}`.
/// A list of such values is a list of `Untrusted`, not an `Untrusted` list. `Debug` does not show the
/// value. Only prompts that become straight-line code can have such inputs.
///
/// ```text
/// prompt!(Ask { page: Untrusted<&str> }, "
/// system:
/// {{ page }}
/// ");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Marks a value as coming from outside.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Takes the value out of the mark.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// A reference to the value.
    pub const fn get(&self) -> &T {
        &self.0
    }
}

/// Does not show the value, since `{:?}` could bring it into instructions.
impl<T> fmt::Debug for Untrusted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Untrusted(_)")
    }
}

impl<T> From<T> for Untrusted<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Untrusted<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.0.print(out)
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }

    fn text(&self) -> std::borrow::Cow<'_, str> {
        self.0.text()
    }

    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T: Truth> Truth for Untrusted<T> {
    fn truth(&self) -> bool {
        self.0.truth()
    }
}

impl<T: ToScalar> ToScalar for Untrusted<T> {
    fn to_scalar(&self) -> Scalar<'_> {
        self.0.to_scalar()
    }
}

impl<T: Length> Length for Untrusted<T> {
    fn length(&self) -> usize {
        self.0.length()
    }
}

/// A value that no prompt may print. It cannot be printed, looped over or compared, and `Debug` does
/// not show it.
///
/// ```text
/// prompt!(Ask { key: Secret<String> }, "
/// user:
/// {{ key }}
/// ");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Marks a value as secret.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// A reference to the value.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(prompty_core::trace::REDACTED)
    }
}

/// A value that straight-line code can write: every value, and those from outside.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is printed into a system or developer message, and may come from outside",
    label = "in this message",
    note = "derive `ToValue` for it or bound it by that, or print one of its fields"
)]
pub trait Writable {}

#[diagnostic::do_not_recommend]
impl<T: super::ToValue + ?Sized> Writable for T {}
#[diagnostic::do_not_recommend]
impl<T: Writable> Writable for Untrusted<T> {}

/// A value that may be printed into instructions.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a value from outside is printed into a system or developer message",
    label = "in this message",
    note = "capture it in a user message, or mark the input no longer as `Untrusted`"
)]
pub trait Trusted {}

/// Requires that a value is trusted.
#[doc(hidden)]
pub fn trusted<T: Trusted>(_: &T) {}

/// Requires that the origin of a value is known.
#[doc(hidden)]
pub fn written<T: Writable + ?Sized>(_: &T) {}

/// Stands for a value of the author's own program.
#[doc(hidden)]
#[derive(Debug)]
pub struct Trustworthy;

impl Trusted for Trustworthy {}

/// Stands for a value from outside.
#[doc(hidden)]
#[derive(Debug)]
pub struct FromOutside;

/// Whether a value comes from outside, as a type.
#[doc(hidden)]
pub trait PlainTrust: Sized {
    /// The value does not come from outside.
    fn trust(self) -> &'static Trustworthy {
        &Trustworthy
    }
}

impl<T: ?Sized> PlainTrust for super::place::Place<'_, T> {}

/// A value from outside, however it is wrapped.
///
/// There is one implementation of `trust` for all of them: with several, rustc would report a second
/// error for a type that is an error already.
#[doc(hidden)]
pub trait Outside {
    /// What stands for it.
    type Origin: 'static;
    /// The value of that.
    const ORIGIN: &'static Self::Origin;
}

impl<T> Outside for Untrusted<T> {
    type Origin = FromOutside;
    const ORIGIN: &'static FromOutside = &FromOutside;
}

impl<T: Outside + ?Sized> super::place::Place<'_, T> {
    /// The value comes from outside.
    pub fn trust(self) -> &'static T::Origin {
        T::ORIGIN
    }
}

macro_rules! carriers {
    ($([$($parameters:tt)*] $carrier:ty;)*) => {$(
        impl<$($parameters)*> Outside for $carrier {
            type Origin = T::Origin;
            const ORIGIN: &'static T::Origin = T::ORIGIN;
        }
    )*};
}

carriers! {
    [T: Outside + ?Sized] &T;
    [T: Outside + ?Sized] &mut T;
    [T: Outside + ?Sized] Box<T>;
    [T: Outside + ?Sized] Rc<T>;
    [T: Outside + ?Sized] Arc<T>;
    [T: Outside] Option<T>;
    [T: Outside] [T];
    [T: Outside, const N: usize] [T; N];
    [T: Outside] Vec<T>;
    [T: Outside] VecDeque<T>;
    [T: Outside] BTreeSet<T>;
    [T: Outside, S] HashSet<T, S>;
    [T: Outside, K] BTreeMap<K, T>;
    [T: Outside, K, S] HashMap<K, T, S>;
}
