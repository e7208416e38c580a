//! Reads JSON schemas: their keywords, the targets of their references, and the kinds of values
//! that they allow. Replies, grammars and tools use it.
//!
//! Schemas may come from outside. Code that follows references or alternatives counts its steps and
//! stops at a limit. The schema then has no effect.
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
mod keywords;
mod kinds;
mod located;
mod part;
mod pointer;
mod queries;
pub mod shape;
mod validate;
mod warnings;

pub use bounds::{Bounds, Count, Decimal};
pub use keywords::{
    Combination, CountKind, Items, KeywordError, Keywords, SubschemaForm, is_annotation,
    subschema_form,
};
pub use kinds::Kinds;
pub use located::LocatedSchema;
pub use part::{MOST_REFERENCES, Schema, SchemaForm, Step};
pub use pointer::{Pointer, escape};
pub use queries::Property;
pub use validate::Violation;
pub use warnings::SchemaWarning;

/// The help for a reference without a target.
const REFERENCE_HELP: &str = "refer to a part of the same schema, such as `#/$defs/address`";
