//! Typed values while they grow: what of a reply's value is absent, growing or done.
//!
//! A stream tells what is new with raw paths. `place` says where that is in the type and fits what is done;
//! `stream` applies it to the one [`Partial`] that it keeps. Nothing is read again, so the work is in
//! proportion to the reply.

mod growth;
mod map;
mod place;
mod stream;
mod types;
mod value;

#[doc(hidden)]
pub use growth::{Change, Readable};
pub use growth::{Growable, Growth, Partial};
pub use map::GrowingMap;
pub use stream::PartialStream;
pub use value::GrowingValue;
