//! The trait of types that fill slots, which `#[derive(Prompt)]` implements.

use crate::error::Error;
use crate::message::Message;

use super::layout::Layout;
use super::store::Slots;
use super::written::Written;

/// A type whose values fill slots. `#[derive(Prompt)]` implements it for structs with slots.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::error; pub use prompty_core::slots; }
/// use typed_prompty::error::Error;
/// use typed_prompty::slots::{SlotPrompt, Slots};
///
/// struct Question<'a> {
///     question: &'a str,
/// }
///
/// impl SlotPrompt for Question<'_> {
///     fn fill_slots<'p>(&self, slots: Slots<'p>) -> Result<Slots<'p>, Error> {
///         Ok(slots.with_input(self.question))
///     }
/// }
///
/// let agent = Slots::new().with_instruct("Answer in one word.");
/// let request = Question { question: "Who?" }.with_parent(&agent)?;
/// assert!(request.to_text()?.contains("[INSTRUCT]:\nAnswer in one word.\n\n[INPUT]:\nWho?\n"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt of slots",
    label = "does not fill slots",
    note = "add `#[derive(Prompt)]` to it, and `#[prompt(slot = \"input\")]` to a field"
)]
pub trait SlotPrompt {
    /// Fills slots with the value, in addition to their content.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::RoleNotAllowed`](crate::error::ErrorKind::RoleNotAllowed) for a history
    /// with a role that is not allowed, and an error if a [`Shape`](crate::schema::shape::Shape)
    /// cannot express the schema of a tool or of the answer.
    fn fill_slots<'p>(&self, slots: Slots<'p>) -> Result<Slots<'p>, Error>;

    /// The slots that the value fills, without a parent.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots).
    fn slots(&self) -> Result<Slots<'static>, Error> {
        self.fill_slots(Slots::new())
    }

    /// The slots that the value fills, as a [child](Slots::child) of other slots. It inherits the
    /// slots that the value does not fill.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots).
    fn with_parent<'p>(&self, parent: &'p Slots<'p>) -> Result<Slots<'p>, Error> {
        self.fill_slots(parent.child())
    }

    /// The prompt as a single text in the standard [`Layout`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots) and [`Slots::to_text`].
    fn to_text(&self) -> Result<String, Error> {
        self.slots()?.to_text()
    }

    /// The prompt as a single text, with a list of the parts that are not in it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots) and [`Slots::to_text_with`].
    fn to_text_with(&self, layout: &Layout) -> Result<Written<String>, Error> {
        self.slots()?.to_text_with(layout)
    }

    /// The prompt as messages in the standard [`Layout`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots) and [`Slots::to_messages`].
    fn to_messages(&self) -> Result<Vec<Message>, Error> {
        self.slots()?.to_messages()
    }

    /// The prompt as messages, with a list of the parts that are not in them.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill_slots`](Self::fill_slots) and [`Slots::to_messages_with`].
    fn to_messages_with(&self, layout: &Layout) -> Result<Written<Vec<Message>>, Error> {
        self.slots()?.to_messages_with(layout)
    }
}
