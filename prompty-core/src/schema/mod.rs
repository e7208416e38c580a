//! The one reader of JSON schemas: what a schema says, where its references lead, and which kinds of
//! values it admits. Replies, grammars and tools read schemas through it.
//!
//! Schemas come from strangers. Whatever follows references or looks into alternatives counts what it
//! looks at, and stops at a bound: then the schema says nothing.
//!
//! ```
//! use prompty_core::schema::{Kinds, Schema, Step};
//! use prompty_core::value::Value;
//!
//! let schema = Value::from_json(r##"{
//!     "properties": {"city": {"$ref": "#/$defs/a~1b"}, "days": {"type": ["integer", "null"]}},
//!     "$defs": {"a/b": {"type": "string"}}
//! }"##)?;
//! let schema = Schema::from_value(&schema);
//! assert_eq!(schema.kinds_at(&[Step::Name("city")]), Kinds::STRING);
//! let days = schema.kinds_at(&[Step::Name("days")]);
//! assert_eq!(days, Kinds::INTEGER.union(Kinds::NULL));
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod bounds;
mod bundle;
mod doubts;
mod inside;
mod keywords;
mod kinds;
mod located;
mod part;
mod pointer;
pub mod shape;
mod validate;

pub use bounds::{Bounds, Count, Decimal};
pub use doubts::Doubt;
pub use inside::Property;
pub use keywords::{Combination, Counted, Fault, Holds, Items, Keywords, holds, is_annotation};
pub use kinds::Kinds;
pub use located::Located;
pub use part::{Form, MOST_REFERENCES, Schema, Step};
pub use pointer::{Pointer, escape};
pub use validate::Violation;
