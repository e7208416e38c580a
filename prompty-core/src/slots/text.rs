//! A prompt of slots as one text.

use crate::error::Error;
use crate::message::Role;

use super::blocks::Prepared;
use super::layout::Layout;
use super::references;
use super::slot::Slot;
use super::store::Slots;
use super::turns::Turn;
use super::written::{Skipped, Written};

impl Slots<'_> {
    /// The prompt as one text in the standard [`Layout`].
    ///
    /// A line of a value that looks like the title of one of the prompt's blocks gets a backslash in front
    /// (`\[INPUT]:`), so that no value can pass for a block.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingInput`](crate::error::ErrorKind::MissingInput) where there is nothing to
    /// send, and [`ErrorKind::WrongInput`](crate::error::ErrorKind::WrongInput) where a slot does
    /// not hold what it must, or has a part that is no text.
    pub fn to_text(&self) -> Result<String, Error> {
        self.to_text_with(&Layout::new())?.complete()
    }

    /// The prompt as one text, with what is not in it: what no text is in the history, attachments, and zero and
    /// `false`, for which there is no block.
    ///
    /// # Errors
    ///
    /// As for [`to_text`](Self::to_text), but parts that are no text are none.
    pub fn to_text_with(&self, layout: &Layout) -> Result<Written<String>, Error> {
        let mut prepared = Prepared::new(self, layout)?;
        let (user, assistant) =
            (layout.role(Role::User.as_str()), layout.role(Role::Assistant.as_str()));
        prepared.add_roles()?;
        prepared.titles.add_frame(user);
        prepared.titles.add_frame(assistant);

        let mut lines = vec![format!("{user}:")];
        prepared.add_block(&mut lines, Slot::System);
        prepared.add_block(&mut lines, Slot::Developer);
        let mut skipped = prepared.unshown();
        if !prepared.turns.is_empty() {
            lines.push(prepared.title(Slot::ChatHistory));
            for turn in &prepared.turns {
                add_turn(&mut lines, &mut skipped, &prepared, turn);
            }
            lines.push(String::new());
        }
        lines.extend(prepared.main_lines());
        lines.push(format!("{assistant}:"));
        let attachments = prepared.attachments.iter();
        skipped.extend(
            attachments
                .map(|part| Skipped { slot: Slot::Attachment, kind: part.kind().to_owned() }),
        );
        Ok(Written { prompt: lines.join("\n"), skipped })
    }
}

/// Adds the texts of a turn, each with its role.
fn add_turn(
    lines: &mut Vec<String>,
    skipped: &mut Vec<Skipped>,
    prepared: &Prepared<'_>,
    turn: &Turn,
) {
    let role = prepared.layout.role(turn.role.as_str());
    for part in &turn.parts {
        match part.as_text() {
            Some(text) if prepared.layout.reads_references() => {
                let text = references::resolve_text(text, prepared.layout);
                lines.push(format!("[{role}]:{}", prepared.titles.escape_behind(&text)));
            }
            Some(text) => {
                lines.push(format!("[{role}]:{}", prepared.titles.escape_behind(text)));
            }
            None => {
                skipped.push(Skipped { slot: Slot::ChatHistory, kind: part.kind().to_owned() });
            }
        }
    }
}
