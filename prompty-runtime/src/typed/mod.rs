//! Prompts as Rust types: the trait that every prompt type has, and what its fields can be.
//!
//! The macros implement [`Prompt`] and turn fields into inputs; what they may be is said by
//! [`ToValue`] (what can be printed or passed on), [`Print`] (how it prints), [`Each`] (what can be
//! looped over) and [`Truth`] (what a condition can ask).

mod each;
#[doc(hidden)]
pub mod filters;
#[cfg(feature = "inventory")]
pub mod inventory;
#[cfg(feature = "render")]
mod pipeline;
#[doc(hidden)]
pub mod place;
mod print;
#[doc(hidden)]
pub mod project;
#[doc(hidden)]
pub mod rich;
#[doc(hidden)]
pub mod scalar;
#[doc(hidden)]
pub mod sink;
mod statics;
mod to_value;
#[doc(hidden)]
pub mod trust;
mod truth;
mod write;

#[cfg(feature = "render")]
use crate::nonce::Rendered;
use prompty_core::error::Error;
use prompty_core::message::Message;

pub use each::Each;
#[cfg(feature = "render")]
#[doc(hidden)]
pub use pipeline::StaticPipeline;
pub use print::{Print, Printed};
pub use scalar::{Length, Scalar, ToScalar};
pub use statics::{InputDeclaration, StaticDefinition, StaticValue};
pub use to_value::ToValue;
pub use trust::{Secret, Untrusted};
pub use truth::Truth;
#[doc(hidden)]
pub use write::{MessageWriter, TextWriter};

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

    /// The messages.
    ///
    /// # Errors
    ///
    /// None for a prompt that is compiled to straight-line code, as the documentation of its
    /// implementation says; else as [`Pipeline::prepare`](crate::render::Pipeline::prepare).
    fn messages(&self) -> Result<Vec<Message>, Error>;

    /// The rendered text with its nonces.
    ///
    /// # Errors
    ///
    /// As [`messages`](Self::messages), and [`ErrorKind::Random`](prompty_core::error::ErrorKind::Random)
    /// where no nonce can be drawn.
    #[cfg(feature = "render")]
    fn render(&self) -> Result<Rendered, Error> {
        Rendered::from_messages(self.messages()?)
    }

    /// About how many bytes the texts of all messages have, without threads; found without writing
    /// them.
    fn len_hint(&self) -> usize {
        Self::DEFINITION.template.len()
    }
}
