//! Writes slots as messages: those of the system and of the developer, the history, and the main
//! part with its attachments.

use crate::error::{Error, ErrorKind};
use crate::message::{Content, ContentPart, Message, Role};

use super::blocks::PreparedSlots;
use super::layout::{Layout, Padding};
use super::slot::Slot;
use super::store::Slots;
use super::turns::{Turn, TurnPart};
use super::written::{Skipped, Written};

/// The label of the assistant's message after a history that another role ends.
const CONTINUE: &str = "[User continue input]";

/// The separator of texts that are joined.
const TEXT_SEPARATOR: &str = "\n\n";

impl Slots<'_> {
    /// The prompt as messages in the standard [`Layout`]: one of the system, one of the developer,
    /// those of the history, and one of the user with all other blocks. A prompt with only an input
    /// is the input without a title.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::MissingInput`] if there is nothing to send, and
    /// [`ErrorKind::WrongInput`] if a slot has an invalid value or a part that cannot be sent.
    pub fn to_messages(&self) -> Result<Vec<Message>, Error> {
        self.to_messages_with(&Layout::new())?.complete()
    }

    /// The prompt as messages, with a list of the parts that are not in them.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_messages`](Self::to_messages), but not for parts that cannot be
    /// sent if something else is left.
    pub fn to_messages_with(&self, layout: &Layout) -> Result<Written<Vec<Message>>, Error> {
        let prepared = PreparedSlots::new(self, layout)?;
        let mut writer =
            MessageWriter { layout, messages: Vec::new(), skipped: prepared.unshown_values() };
        for (slot, role) in [(Slot::System, Role::System), (Slot::Developer, Role::Developer)] {
            if let Some(text) = prepared.text(slot) {
                let role = Role::from(layout.role(role.as_str()));
                writer.messages.push(Message::text_of(role, text));
            }
        }
        writer.add_history(&prepared);
        let before = writer.messages.len();
        writer.add_main_part(&prepared);
        if writer.messages.len() == before {
            let message = "the prompt has only attachments, which cannot be sent as text";
            return Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("use a layout with `with_rich_content(true)`"));
        }
        Ok(Written { prompt: writer.messages, skipped: writer.skipped })
    }
}

/// Joins a message of the same role to another. The first of two equal metadata keys is kept.
fn join(message: &mut Message, next: Message) {
    message.content.extend(next.content);
    for (name, value) in next.metadata.iter() {
        if !message.metadata.contains_key(name) {
            message.metadata.insert(name, value.clone());
        }
    }
}

/// Collects the messages of a prompt, and the parts that cannot be sent.
struct MessageWriter<'l> {
    layout: &'l Layout,
    messages: Vec<Message>,
    skipped: Vec<Skipped>,
}

impl MessageWriter<'_> {
    /// Adds the messages of the history.
    fn add_history(&mut self, prepared: &PreparedSlots<'_>) {
        let mut history: Vec<Message> = Vec::new();
        for turn in &prepared.turns {
            let parts = turn.parts.iter();
            let content =
                parts.filter_map(|part| self.send_or_skip(Slot::ChatHistory, part)).collect();
            let role = self.role_of(turn);
            let message = Message { role, content, metadata: turn.metadata.clone() };
            match history.last_mut() {
                Some(last) if self.layout.strict_role_orders && last.role == message.role => {
                    join(last, message);
                }
                _ => history.push(message),
            }
        }
        if self.layout.strict_role_orders {
            self.pad(&mut history, prepared);
        }
        for mut message in history {
            if !self.layout.rich_content {
                message.content = join_texts(message.content);
            }
            self.messages.push(message);
        }
    }

    /// The role with which a turn is sent. A tool result keeps its role unless the layout renames
    /// it, because no other role may contain one.
    fn role_of(&self, turn: &Turn) -> Role {
        let is_result =
            |part: &TurnPart| matches!(part, TurnPart::Known(ContentPart::ToolResult(_)));
        let name = turn.role.as_str();
        if turn.role == Role::Tool
            && turn.parts.iter().any(is_result)
            && !self.layout.names_role(name)
        {
            return Role::Tool;
        }
        Role::from(self.layout.role(name))
    }

    /// Pads a history, so that the user begins it and the assistant ends it.
    fn pad(&self, history: &mut Vec<Message>, prepared: &PreparedSlots<'_>) {
        let padding = |role: Role, words: String| {
            let text = match self.layout.padding {
                Padding::Empty => String::new(),
                Padding::Labels => words,
            };
            Message::text_of(role, text)
        };
        let user = Role::from(self.layout.role(Role::User.as_str()));
        // If both roles have the same name, the assistant's standard name distinguishes the turns.
        let assistant = match Role::from(self.layout.role(Role::Assistant.as_str())) {
            role if role == user => Role::Assistant,
            role => role,
        };
        if history.first().is_some_and(|first| first.role != user) {
            let title = prepared.layout.title(Slot::ChatHistory);
            history.insert(0, padding(user, format!("[{title}]")));
        }
        if history.last().is_some_and(|last| last.role != assistant) {
            history.push(padding(assistant, CONTINUE.to_owned()));
        }
    }

    /// Adds the user's new messages: attachments and the main part.
    fn add_main_part(&mut self, prepared: &PreparedSlots<'_>) {
        if prepared.is_only(Slot::Input) {
            let text = prepared.text(Slot::Input).unwrap_or_default();
            self.add_user(text);
            return;
        }
        let attachments = prepared.attachments.iter();
        let parts = attachments.filter_map(|part| self.send_or_skip(Slot::Attachment, part));
        let parts: Vec<ContentPart> = parts.collect();
        let main = (!prepared.is_only(Slot::Attachment)).then(|| prepared.main_lines().join("\n"));
        if self.layout.rich_content {
            let main = main.map(ContentPart::Text).into_iter();
            let content: Vec<ContentPart> = main.chain(parts).collect();
            if !content.is_empty() {
                self.add_user(content);
            }
            return;
        }
        // Each text is a separate message, before the prompt that refers to it.
        parts.into_iter().for_each(|part| self.add_user(part));
        if let Some(main) = main {
            self.add_user(main);
        }
    }

    fn add_user(&mut self, content: impl Into<Content>) {
        let role = Role::from(self.layout.role(Role::User.as_str()));
        self.messages.push(Message::new(role, content));
    }

    /// The part in the form in which it is sent. A part that cannot be sent is added to `skipped`.
    fn send_or_skip(&mut self, slot: Slot, part: &TurnPart) -> Option<ContentPart> {
        match part {
            TurnPart::Known(part) if self.layout.rich_content || part.as_media().is_none() => {
                Some(part.clone())
            }
            other => {
                self.skipped.push(other.skipped_in(slot));
                None
            }
        }
    }
}

/// Joins the texts of parts to one, before the other parts.
fn join_texts(parts: Content) -> Content {
    let (texts, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| part.as_text().is_some());
    let has_text = !texts.is_empty() || others.is_empty();
    let texts: Vec<&str> = texts.iter().filter_map(ContentPart::as_text).collect();
    let text = has_text.then(|| ContentPart::Text(texts.join(TEXT_SEPARATOR)));
    text.into_iter().chain(others).collect()
}
