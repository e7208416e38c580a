//! Writes slots as a single text.

use crate::error::Error;
use crate::message::Role;

use super::blocks::PreparedSlots;
use super::layout::Layout;
use super::references;
use super::slot::Slot;
use super::store::Slots;
use super::turns::Turn;
use super::written::{Skipped, Written};

impl Slots<'_> {
    /// The prompt as a single text in the standard [`Layout`].
    ///
    /// If a line of a value looks like the title of one of the prompt's blocks, it is escaped with
    /// a backslash: `\[INPUT]:`. A value can therefore not imitate a block.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::MissingInput`](crate::error::ErrorKind::MissingInput) if there is
    /// nothing to send, and [`ErrorKind::WrongInput`](crate::error::ErrorKind::WrongInput) if a
    /// slot has an invalid value or a part that is not text.
    pub fn to_text(&self) -> Result<String, Error> {
        self.to_text_with(&Layout::new())?.complete()
    }

    /// The prompt as a single text, with a list of the parts that are not in it. These are parts of
    /// the history that are not text, attachments, and zero and `false`, which have no block.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_text`](Self::to_text), but not for parts that are not text.
    pub fn to_text_with(&self, layout: &Layout) -> Result<Written<String>, Error> {
        let mut prepared = PreparedSlots::new(self, layout)?;
        let (user, assistant) =
            (layout.role(Role::User.as_str()), layout.role(Role::Assistant.as_str()));
        prepared.add_roles()?;
        prepared.titles.add_frame(user);
        prepared.titles.add_frame(assistant);

        let mut lines = vec![format!("{user}:")];
        prepared.add_block(&mut lines, Slot::System);
        prepared.add_block(&mut lines, Slot::Developer);
        let mut skipped = prepared.unshown_values();
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
        skipped.extend(attachments.map(|part| part.skipped_in(Slot::Attachment)));
        Ok(Written { prompt: lines.join("\n"), skipped })
    }
}

/// Adds the texts of a turn, each with its role.
fn add_turn(
    lines: &mut Vec<String>,
    skipped: &mut Vec<Skipped>,
    prepared: &PreparedSlots<'_>,
    turn: &Turn,
) {
    let role = prepared.layout.role(turn.role.as_str());
    for part in &turn.parts {
        match part.as_text() {
            Some(text) if prepared.layout.slot_references => {
                let text = references::resolve_text(text, prepared.layout);
                lines.push(format!("[{role}]:{}", prepared.titles.escape_within_line(&text)));
            }
            Some(text) => {
                lines.push(format!("[{role}]:{}", prepared.titles.escape_within_line(text)));
            }
            None => skipped.push(part.skipped_in(Slot::ChatHistory)),
        }
    }
}
