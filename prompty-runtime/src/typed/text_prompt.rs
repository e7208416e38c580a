//! Prompts that render to one text.

use super::{StaticDefinition, Untrusted};
use prompty_core::error::Error;

/// A text prompt that the compiler has checked, with its inputs as fields: a system text, the result
/// of a tool, or a section of another prompt. It has no messages.
///
/// `prompt!(text Name …)` and `#[prompt(text)]` implement it with code such as this:
///
/// ```
/// # mod typed_prompty { pub use prompty_core::Error; pub use prompty_runtime::typed::*; }
/// use typed_prompty::{Error, StaticDefinition, StaticInput, TextPrompt};
///
/// struct Skills {
///     names: String,
/// }
///
/// impl TextPrompt for Skills {
///     const DEFINITION: StaticDefinition =
///         StaticDefinition::new("Skills", "Skills: {{ names }}", "Skills: {{ names }}")
///             .with_inputs(&[StaticInput::new("names", "string", "String")]);
///
///     type Text = String;
///
///     fn text(&self) -> Result<String, Error> {
///         Ok(format!("Skills: {}", self.names))
///     }
/// }
///
/// assert_eq!(Skills { names: "sort".to_owned() }.text()?, "Skills: sort");
/// # Ok::<(), Error>(())
/// ```
pub trait TextPrompt {
    /// The definition of the prompt, which is embedded into the program.
    const DEFINITION: StaticDefinition;

    /// The type of the text: `String`, or [`Untrusted<String>`](Untrusted) if an input is
    /// `Untrusted`.
    type Text: PromptText;

    /// Renders the text. Its white space is exactly what the template language writes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::text`](crate::render::Pipeline::text). A prompt that
    /// is compiled to straight-line code returns no error, unless the documentation of its
    /// implementation says otherwise.
    fn text(&self) -> Result<Self::Text, Error>;

    /// The approximate number of bytes in the text. It is computed without writing it.
    fn len_hint(&self) -> usize {
        Self::DEFINITION.template.len()
    }
}

impl<T: TextPrompt + ?Sized> TextPrompt for &T {
    const DEFINITION: StaticDefinition = T::DEFINITION;

    type Text = T::Text;

    fn text(&self) -> Result<Self::Text, Error> {
        (**self).text()
    }

    fn len_hint(&self) -> usize {
        (**self).len_hint()
    }
}

/// The text of a text prompt: `String` or `Untrusted<String>`.
#[doc(hidden)]
pub trait PromptText: From<String> {
    /// The type of a text that contains both this one and another one.
    type Joined<T: PromptText>: PromptText;
}

impl PromptText for String {
    type Joined<T: PromptText> = T;
}

impl PromptText for Untrusted<String> {
    type Joined<T: PromptText> = Self;
}
