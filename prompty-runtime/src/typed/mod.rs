//! Prompts as Rust types: the trait that every prompt type has, and what its fields can be.
//!
//! The macros implement [`Prompt`] and turn fields into inputs; what they may be is said by
//! [`ToValue`] (what can be printed or passed on), [`Print`] (how it prints), [`Each`] (what can be looped over) and [`Truth`] (what a
//! condition can ask).

mod each;
#[doc(hidden)]
pub mod filters;
#[doc(hidden)]
pub mod place;
mod print;
#[doc(hidden)]
pub mod project;
#[doc(hidden)]
pub mod scalar;
mod statics;
mod to_value;
mod truth;
mod write;

use crate::error::Error;
use crate::message::Message;
use crate::nonce::Rendered;
use crate::render::Inputs;

pub use each::Each;
pub use print::{Print, Printed};
pub use scalar::{Length, Scalar, ToScalar};
#[doc(hidden)]
pub use statics::StaticPipeline;
pub use statics::{InputDeclaration, StaticDefinition, StaticValue};
pub use to_value::ToValue;
pub use truth::Truth;
#[doc(hidden)]
pub use write::MessageWriter;

/// A prompt that the compiler has checked, with its inputs as fields.
///
/// `prompt!` and `#[derive(Prompt)]` implement it.
pub trait Prompt {
    /// What the prompt's source says, embedded into the program.
    const DEFINITION: StaticDefinition;

    /// The inputs, in the order of their declarations.
    fn declared_inputs() -> &'static [InputDeclaration] {
        Self::DEFINITION.inputs
    }

    /// The fields as inputs of a render: only what the template reads of them.
    fn inputs(&self) -> Inputs;

    /// The rendered text with its nonces.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::render`](crate::render::Pipeline::render).
    fn render(&self) -> Result<Rendered, Error>;

    /// The messages.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::prepare`](crate::render::Pipeline::prepare).
    fn messages(&self) -> Result<Vec<Message>, Error>;
}
