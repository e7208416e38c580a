//! Prompts as Rust types: the trait of every prompt type, and the traits of its fields.
//!
//! The macros implement [`Prompt`] and convert fields into inputs. A field's traits determine what
//! a template can do with it: [`ToValue`] (print it or pass it to a filter), [`Print`] (write it as
//! text), [`Each`] (loop over it), [`Truth`] (use it as a condition), [`ToScalar`] (compare it) and
//! [`Length`] (count its items). [`Untrusted`] and [`Secret`] restrict the use of a value.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::value; pub use prompty_runtime::typed::*; }
//! use typed_prompty::value::Value;
//! use typed_prompty::{Each, Length, Print, ToScalar, ToValue, Truth};
//!
//! let words = ["a", "b"];
//! assert_eq!(words.to_value(), Value::from(vec!["a", "b"]));
//! assert_eq!(words.text(), r#"["a", "b"]"#);
//! assert_eq!(words.each().count(), 2);
//! assert!(words.truth());
//! assert_eq!(words.length(), 2);
//! assert!(2.to_scalar().equals(2.0.to_scalar()));
//! ```

#[doc(hidden)]
pub mod blocks;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod data;
#[doc(hidden)]
pub mod debug;
#[doc(hidden)]
pub mod display;
mod each;
#[doc(hidden)]
pub mod filters;
mod into_input;
#[cfg(feature = "inventory")]
pub mod inventory;
#[cfg(feature = "serde")]
mod keys;
#[doc(hidden)]
pub mod looped;
#[doc(hidden)]
pub mod named;
#[doc(hidden)]
pub mod no_output;
#[cfg(feature = "render")]
mod pipeline;
#[doc(hidden)]
pub mod place;
mod pointers;
#[doc(hidden)]
pub mod presence;
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
mod text_prompt;
#[doc(hidden)]
pub mod tiers;
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
#[doc(hidden)]
pub use into_input::{HoldsList, HoldsText};
pub use into_input::{IntoDeclared, IntoInput};
#[cfg(feature = "render")]
#[doc(hidden)]
pub use pipeline::StaticPipeline;
pub use print::{Print, Printed};
pub use scalar::{Length, Scalar, ToScalar};
pub use statics::{StaticDefinition, StaticInput, StaticModel, StaticValue};
#[doc(hidden)]
pub use text_prompt::PromptText;
pub use text_prompt::TextPrompt;
pub use to_value::ToValue;
pub use trust::{Secret, Untrusted};
pub use truth::Truth;
#[doc(hidden)]
pub use write::{MessageWriter, TextWriter};

/// A prompt that the compiler has checked, with its inputs as fields.
///
/// `prompt!` and `#[derive(Prompt)]` implement it with code such as this:
///
/// ```
/// # mod typed_prompty { pub use prompty_core::{Error, message}; pub use prompty_runtime::typed::*; }
/// use typed_prompty::Error;
/// use typed_prompty::message::Message;
/// use typed_prompty::{StaticInput, Prompt, StaticDefinition};
///
/// struct Greet {
///     name: String,
/// }
///
/// impl Prompt for Greet {
///     const DEFINITION: StaticDefinition =
///         StaticDefinition::new("Greet", "user:\nHi {{ name }}", "user:\nHi {{ name }}")
///             .with_inputs(&[StaticInput::new("name", "string", "String")]);
///
///     fn messages(&self) -> Result<Vec<Message>, Error> {
///         Ok(vec![Message::user(format!("Hi {}", self.name))])
///     }
/// }
///
/// assert_eq!(Greet::declared_inputs()[0].name, "name");
/// assert_eq!(Greet { name: "Ada".to_owned() }.messages()?[0].text(), "Hi Ada");
/// # Ok::<(), Error>(())
/// ```
pub trait Prompt {
    /// The definition of the prompt, which is embedded into the program.
    const DEFINITION: StaticDefinition;

    /// The inputs, in the order of their declarations.
    fn declared_inputs() -> &'static [StaticInput] {
        Self::DEFINITION.inputs
    }

    /// Renders the prompt into messages.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::prepare`](crate::render::Pipeline::prepare). A prompt
    /// that is compiled to straight-line code returns no error, unless the documentation of its
    /// implementation says otherwise.
    fn messages(&self) -> Result<Vec<Message>, Error>;

    /// Renders the prompt into a text with nonces.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`messages`](Self::messages), and
    /// [`ErrorKind::Random`](prompty_core::error::ErrorKind::Random) if drawing a nonce fails.
    #[cfg(feature = "render")]
    fn render(&self) -> Result<Rendered, Error> {
        Rendered::from_messages(self.messages()?)
    }

    /// The approximate number of bytes in the texts of all messages, without threads. It is
    /// computed without writing the texts.
    fn len_hint(&self) -> usize {
        Self::DEFINITION.template.len()
    }
}
