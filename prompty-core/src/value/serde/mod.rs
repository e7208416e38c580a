//! Conversion between values and serde types, and its errors.

mod deserialize;
mod deserializer;
mod failure;
mod serialize;
