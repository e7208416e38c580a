//! Typed values while they grow: each part is absent, growing or done.
//!
//! A stream reports changes with the paths of the reply. `event_placer` maps these to places in the
//! type and converts complete values; `stream` applies the changes to its [`Partial`]. Nothing is
//! read again, so the work is in proportion to the reply.
//!
//! A value that is done was converted by the same function as the complete value (`fit`), so both
//! agree. In three cases the end of a value does not make it done:
//!
//! - A value under another spelling of its key is done only with the object around it, because the
//!   key itself may follow.
//! - A `null` that the schema of an optional property does not allow counts as missing, so the
//!   property stays absent.
//! - A duplicate key is not reported until the outermost value is complete. Then all values are
//!   reported again, once.
//!
//! Some fields have no place of their own in the stream: serde flattens them, or reads them from an
//! alias that the schema does not have, or by a function. `#[derive(Partial)]` reports them.

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
