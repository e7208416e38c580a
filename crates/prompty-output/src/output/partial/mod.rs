//! Typed values while they grow: each part is absent, growing or done.
//!
//! A stream reports changes with the paths of the reply. `event_placer` maps these to places in the
//! type and converts complete values; `stream` applies the changes to its [`Partial`]. Nothing is
//! read again, so the work is in proportion to the reply.

mod event_placer;
mod growth;
mod map;
mod stream;
mod types;
mod value;

#[doc(hidden)]
pub use growth::{Change, Readable};
pub use growth::{Growable, Growth, Partial};
pub use map::GrowingMap;
pub use stream::PartialStream;
pub use value::GrowingValue;
