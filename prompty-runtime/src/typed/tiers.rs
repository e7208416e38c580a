//! The traits with which Rust's method lookup selects what generated code does with a value.
//!
//! The macros do not know the types of fields, so they generate the same method call for every
//! field, and Rust's method lookup chooses the implementation: it tries inherent methods first, and
//! then the traits of types with fewer references. Each trait here therefore covers one kind of
//! type: a tier. A trait that is implemented for more references (`&&Place`) is found first.
//!
//! For example, generated code calls `(&&&&&&Place(&self.name)).printable()`. rustc tries these
//! traits from top to bottom, and takes the first one whose bound holds:
//!
//! ```text
//! &&&&&Place<T>        T: Print                       Printable            (module `place`)
//! &&&&Place<T>         T: ToValue                     PrintableValue
//! &&&Place<T>          T: Data                        PrintableData        (module `data`)
//! &&Place<Option<T>>   T: Data                        PrintableDataOption
//! &&Place<T>           T: Each<Item: Data>            PrintableDataList
//! &&Place<T>           T: Display                     PrintableDisplay     (module `display`)
//! &Place<Option<T>>    T: Display                     PrintableOption
//! &Place<T>            T: Each<Item: Display>         PrintableList
//! Place<T>             every T                        NotPrintable         (module `place`)
//! ```
//!
//! This module exports the traits without names, so that they do not hide the names of a user.

pub use super::blocks::unnamed::*;
#[cfg(feature = "serde")]
pub use super::data::unnamed::*;
pub use super::debug::unnamed::*;
pub use super::display::unnamed::*;
pub use super::looped::unnamed::*;
pub use super::named::{NamedEntry as _, NamedField as _};
pub use super::place::unnamed::*;
pub use super::presence::unnamed::*;
pub use super::project::PlainParent as _;
pub use super::sink::Sink as _;
pub use super::trust::unnamed::*;

/// Declares the tiers of each method. A line has the name of the tier's trait, the type that
/// implements it, the result of the method, and how it is made of the reference in the place. The
/// types may use the lifetime `'a` of that reference.
macro_rules! tiers {
    ($($method:ident {$(
        $(#[$documentation:meta])*
        $name:ident: [$($parameters:tt)*] $place:ty => $result:ty, |$value:pat_param| $made:expr;
    )+})+) => {
        $($(
            /// A tier of a method that generated code calls.
            $(#[$documentation])*
            pub trait $name {
                /// The result of the method.
                type Result;

                /// Converts or checks the value of the place.
                fn $method(&self) -> Self::Result;
            }

            impl<'a, $($parameters)*> $name for $place {
                type Result = $result;

                #[inline]
                fn $method(&self) -> $result {
                    let $value = self.0;
                    $made
                }
            }
        )+)+

        /// The traits of this module, without names.
        pub mod unnamed {
            $($(pub use super::$name as _;)+)+
        }
    };
}

pub(super) use tiers;
