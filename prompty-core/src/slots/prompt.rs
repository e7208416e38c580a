//! Types that fill slots: what `#[derive(Prompt)]` makes of a struct whose fields have slots.

use crate::error::Error;
use crate::message::Message;

use super::layout::Layout;
use super::store::Slots;
use super::written::Written;

/// A type whose values fill slots. `#[derive(Prompt)]` implements it for a struct that says which slots its
/// fields have.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::error; pub use prompty_core::slots; }
/// use typed_prompty::error::Error;
/// use typed_prompty::slots::{SlotPrompt, Slots};
///
/// struct Ask<'a> {
///     question: &'a str,
/// }
///
/// impl SlotPrompt for Ask<'_> {
///     fn fill_slots<'p>(&self, slots: Slots<'p>) -> Result<Slots<'p>, Error> {
///         Ok(slots.with_input(self.question))
///     }
/// }
///
/// let agent = Slots::new().with_instruct("Answer in one word.");
/// let request = Ask { question: "Who?" }.with_parent(&agent)?;
/// assert!(request.to_text()?.contains("[INSTRUCT]:\nAnswer in one word.\n\n[INPUT]:\nWho?\n"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt of slots",
    label = "fills no slots",
    note = "add `#[derive(Prompt)]` to it, and `#[prompt(slot = \"input\")]` to a field"
)]
pub trait SlotPrompt {
    /// Fills slots with the value, beside what they hold.
    ///
    /// # Errors
    ///
    /// With [`ErrorKind::RoleNotAllowed`](crate::error::ErrorKind::RoleNotAllowed) for a history that
    /// has other roles than it may have, and where the schema of a tool or of the answer says what no
    /// [`Shape`](crate::schema::shape::Shape) can say.
    fn fill_slots<'p>(&self, slots: Slots<'p>) -> Result<Slots<'p>, Error>;

    /// The slots that the value fills, without a parent.
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots).
    fn slots(&self) -> Result<Slots<'static>, Error> {
        self.fill_slots(Slots::new())
    }

    /// The slots that the value fills, as those of a [child](Slots::child): what they do not have is the
    /// parent's.
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots).
    fn with_parent<'p>(&self, parent: &'p Slots<'p>) -> Result<Slots<'p>, Error> {
        self.fill_slots(parent.child())
    }

    /// The prompt as one text in the standard [`Layout`].
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots) and of [`Slots::to_text`].
    fn to_text(&self) -> Result<String, Error> {
        self.slots()?.to_text()
    }

    /// The prompt as one text, with what is not in it.
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots) and of [`Slots::to_text_with`].
    fn to_text_with(&self, layout: &Layout) -> Result<Written<String>, Error> {
        self.slots()?.to_text_with(layout)
    }

    /// The prompt as messages in the standard [`Layout`].
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots) and of [`Slots::to_messages`].
    fn to_messages(&self) -> Result<Vec<Message>, Error> {
        self.slots()?.to_messages()
    }

    /// The prompt as messages, with what is not in them.
    ///
    /// # Errors
    ///
    /// Those of [`fill_slots`](Self::fill_slots) and of [`Slots::to_messages_with`].
    fn to_messages_with(&self, layout: &Layout) -> Result<Written<Vec<Message>>, Error> {
        self.slots()?.to_messages_with(layout)
    }
}
