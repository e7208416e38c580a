//! Which kind of JSON a type is, where the type itself says so. A front matter that declares another kind is
//! wrong then. What reads itself in its own way, such as a date, may stand for any kind.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use prompty_core::value::Map;

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
    /// A text.
    Text;
    /// A whole number.
    Integer;
    /// A number.
    Float;
    /// `true` or `false`.
    Boolean;
    /// A list.
    List;
    /// A map.
    Object;
    /// Any kind.
    Any;
}

/// A kind that may stand where another one is declared.
pub trait StandsFor<K> {}

impl<K> StandsFor<K> for Any {}
impl StandsFor<Text> for Text {}
impl StandsFor<Integer> for Integer {}
impl StandsFor<Float> for Float {}
impl StandsFor<Float> for Integer {}
impl StandsFor<Boolean> for Boolean {}
impl StandsFor<List> for List {}
impl StandsFor<Object> for Object {}

/// A type of which it is known what kind it is.
pub trait Known {
    /// The kind.
    type Kind: Default;
}

/// A field of a type.
#[derive(Debug)]
pub struct Field<'a, T>(pub &'a T);

/// The kind of a field of a known type.
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

/// The kind of a field of any other type.
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
    Object: [] Map, [K, V] BTreeMap<K, V>, [K, V, S] HashMap<K, V, S>;
}

impl<T: Known> Known for Option<T> {
    type Kind = T::Kind;
}
