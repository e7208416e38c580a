//! A prompt of slots as messages.

use crate::error::{Error, ErrorKind};
use crate::message::{ContentPart, Message, Role};
use crate::value::Map;

use super::blocks::Prepared;
use super::layout::{Layout, Padding};
use super::slot::Slot;
use super::store::Slots;
use super::turns::{Part, Turn};
use super::written::{Skipped, Written};

/// What the assistant says behind a history that another role ends, where words are asked for.
const CONTINUE: &str = "[User continue input]";

/// What stands between texts that become one.
const BETWEEN_TEXTS: &str = "\n\n";

impl Slots<'_> {
    /// The prompt as messages in the standard [`Layout`]: one of the system and one of the developer, those
    /// of the history, and one of the user with all other blocks. A prompt of an input alone is the input
    /// without a title.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingInput`] where there is nothing to send, and [`ErrorKind::WrongInput`] where a slot
    /// does not hold what it must, or has a part that cannot be sent.
    pub fn to_messages(&self) -> Result<Vec<Message>, Error> {
        self.to_messages_with(&Layout::new())?.complete()
    }

    /// The prompt as messages, with the parts that are not in them.
    ///
    /// # Errors
    ///
    /// As for [`to_messages`](Self::to_messages), but parts that cannot be sent are none, as long as
    /// something is left to send.
    pub fn to_messages_with(&self, layout: &Layout) -> Result<Written<Vec<Message>>, Error> {
        let prepared = Prepared::new(self, layout)?;
        let mut writer = Writer { layout, messages: Vec::new(), skipped: prepared.unshown() };
        for (slot, role) in [(Slot::System, Role::System), (Slot::Developer, Role::Developer)] {
            if let Some(text) = prepared.text(slot) {
                let role = Role::from(layout.role(role.as_str()));
                writer.messages.push(Message::text_of(role, text));
            }
        }
        writer.history(&prepared);
        let before = writer.messages.len();
        writer.main(&prepared);
        if writer.messages.len() == before {
            let message = "the prompt has attachments alone, and none of them can be sent";
            return Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("use a layout with `rich_content(true)`"));
        }
        Ok(Written { prompt: writer.messages, skipped: writer.skipped })
    }
}

/// A message of the history as it is sent.
struct Said {
    role: Role,
    parts: Vec<ContentPart>,
    metadata: Map,
}

impl Said {
    /// Joins a message of the same role. Of two entries of metadata with one name the first counts.
    fn join(&mut self, next: Self) {
        self.parts.extend(next.parts);
        for (name, value) in next.metadata.iter() {
            if !self.metadata.contains_key(name) {
                self.metadata.insert(name, value.clone());
            }
        }
    }
}

struct Writer<'l> {
    layout: &'l Layout,
    messages: Vec<Message>,
    skipped: Vec<Skipped>,
}

impl Writer<'_> {
    /// Adds the messages of the history.
    fn history(&mut self, prepared: &Prepared<'_>) {
        let mut said: Vec<Said> = Vec::new();
        for turn in &prepared.turns {
            let role = self.role_of(turn);
            let parts = turn.parts.iter().filter_map(|part| self.taken(Slot::ChatHistory, part));
            let turn = Said { role, parts: parts.collect(), metadata: turn.metadata.clone() };
            match said.last_mut() {
                Some(last) if self.layout.is_strict() && last.role == turn.role => last.join(turn),
                _ => said.push(turn),
            }
        }
        if self.layout.is_strict() {
            self.pad(&mut said, prepared);
        }
        for Said { role, parts, metadata } in said {
            let parts = if self.layout.is_rich() { parts } else { joined(parts) };
            let mut message = Message::new(role, parts);
            message.metadata = metadata;
            self.messages.push(message);
        }
    }

    /// The role that a turn is sent with. A tool's answer keeps its role, unless the layout names it: no
    /// other role may give one.
    fn role_of(&self, turn: &Turn) -> Role {
        let is_answer = turn.role == Role::Tool
            && turn
                .parts
                .iter()
                .any(|part| matches!(part, Part::Known(ContentPart::ToolResult(_))));
        let name = turn.role.as_str();
        if is_answer && !self.layout.names_role(name) {
            return Role::Tool;
        }
        Role::from(self.layout.role(name))
    }

    /// Puts messages in front of and behind a history, so that the user begins it and the assistant ends it.
    fn pad(&self, said: &mut Vec<Said>, prepared: &Prepared<'_>) {
        let padding = |role: Role, words: String| {
            let text = match self.layout.padding_words() {
                Padding::Empty => String::new(),
                Padding::Labels => words,
            };
            Said { role, parts: vec![ContentPart::Text(text)], metadata: Map::new() }
        };
        let user = Role::from(self.layout.role(Role::User.as_str()));
        // Where both have one name, the assistant's own one tells the turns apart.
        let assistant = match Role::from(self.layout.role(Role::Assistant.as_str())) {
            role if role == user => Role::Assistant,
            role => role,
        };
        if said.first().is_some_and(|first| first.role != user) {
            let title = prepared.layout.title(Slot::ChatHistory);
            said.insert(0, padding(user, format!("[{title}]")));
        }
        if said.last().is_some_and(|last| last.role != assistant) {
            said.push(padding(assistant, CONTINUE.to_owned()));
        }
    }

    /// Adds what the user says now: attachments, and the main part.
    fn main(&mut self, prepared: &Prepared<'_>) {
        if prepared.is_only(Slot::Input) {
            let text = prepared.text(Slot::Input).unwrap_or_default();
            self.add_user(text);
            return;
        }
        let attachments = prepared.attachments.iter();
        let parts = attachments.filter_map(|part| self.taken(Slot::Attachment, part));
        let parts: Vec<ContentPart> = parts.collect();
        let main = (!prepared.is_only(Slot::Attachment)).then(|| prepared.main_lines().join("\n"));
        if self.layout.is_rich() {
            let main = main.map(ContentPart::Text).into_iter();
            let content: Vec<ContentPart> = main.chain(parts).collect();
            if !content.is_empty() {
                self.add_user(content);
            }
            return;
        }
        // Each text stands alone, in front of the prompt that speaks of it.
        parts.into_iter().for_each(|part| self.add_user(part));
        if let Some(main) = main {
            self.add_user(main);
        }
    }

    fn add_user(&mut self, content: impl Into<crate::message::Content>) {
        let role = Role::from(self.layout.role(Role::User.as_str()));
        self.messages.push(Message::new(role, content));
    }

    /// A part as it is sent; what cannot be is noted.
    fn taken(&mut self, slot: Slot, part: &Part) -> Option<ContentPart> {
        match part {
            Part::Known(part) if self.layout.is_rich() || part.as_media().is_none() => {
                Some(part.clone())
            }
            other => {
                self.skipped.push(Skipped { slot, kind: other.kind().to_owned() });
                None
            }
        }
    }
}

/// Parts with their texts as one, in front of the others.
fn joined(parts: Vec<ContentPart>) -> Vec<ContentPart> {
    let (texts, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| part.as_text().is_some());
    let has_text = !texts.is_empty() || others.is_empty();
    let texts: Vec<&str> = texts.iter().filter_map(ContentPart::as_text).collect();
    let text = has_text.then(|| ContentPart::Text(texts.join(BETWEEN_TEXTS)));
    text.into_iter().chain(others).collect()
}
