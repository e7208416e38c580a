//! The kinds of JSON that Rust types are read from, where this is known. If a front matter declares
//! another kind, generated code reports it. A type with its own deserialization, such as a date, is
//! compatible with any kind.
//!
//! Generated code calls `(&Field(&output.name)).kind()`. Method resolution tries the receiver
//! `&Field<T>` as it is first: that fits [`KnownField`] if the kind of `T` is known. For any other
//! type it adds one reference, and `&&Field<T>` fits [`OtherField`], which gives [`Any`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use prompty_core::value::Map;

use crate::output::LenientList;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident;)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Default)]
            pub struct $kind;
        )+
    };
}

kinds! {
    /// A string.
    Text;
    /// An integer.
    Integer;
    /// A number.
    Float;
    /// `true` or `false`.
    Boolean;
    /// An array.
    List;
    /// An object.
    Object;
    /// Any kind.
    Any;
}

/// A kind that is compatible with a declared kind.
pub trait MatchesKind<K> {}

impl<K> MatchesKind<K> for Any {}
impl MatchesKind<Text> for Text {}
impl MatchesKind<Integer> for Integer {}
impl MatchesKind<Float> for Float {}
impl MatchesKind<Float> for Integer {}
impl MatchesKind<Boolean> for Boolean {}
impl MatchesKind<List> for List {}
impl MatchesKind<Object> for Object {}

/// A type whose kind is known.
pub trait Known {
    /// The kind.
    type Kind: Default;
}

/// A field of a type.
#[derive(Debug)]
pub struct Field<'a, T>(pub &'a T);

/// The kind of a field of a known type. Method resolution finds it first.
pub trait KnownField {
    /// The kind.
    type Kind: Default;

    /// The kind.
    fn kind(&self) -> Self::Kind {
        Self::Kind::default()
    }
}

impl<T: Known> KnownField for Field<'_, T> {
    type Kind = T::Kind;
}

/// The kind of a field of any other type. Method resolution finds it after one more reference.
pub trait OtherField {
    /// Any kind.
    fn kind(&self) -> Any {
        Any
    }
}

impl<T> OtherField for &Field<'_, T> {}

macro_rules! known {
    ($($kind:ident: $([$($parameters:tt)*] $ty:ty),+;)+) => {
        $($(
            impl<$($parameters)*> Known for $ty {
                type Kind = $kind;
            }
        )+)+
    };
}

known! {
    Text: [] String, [] char, [] Box<str>, [] Cow<'_, str>;
    Integer: [] i8, [] i16, [] i32, [] i64, [] i128, [] isize;
    Integer: [] u8, [] u16, [] u32, [] u64, [] u128, [] usize;
    Float: [] f32, [] f64;
    Boolean: [] bool;
    List: [T] Vec<T>, [T, const N: usize] [T; N], [T] BTreeSet<T>, [T, S] HashSet<T, S>;
    List: [T] LenientList<T>;
    Object: [] Map, [K, V] BTreeMap<K, V>, [K, V, S] HashMap<K, V, S>;
}

impl<T: Known> Known for Option<T> {
    type Kind = T::Kind;
}
