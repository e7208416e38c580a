//! How slots are written as text or messages: names of roles, titles of blocks, and rich content.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};
use crate::message::Role;
use crate::value::internal::excerpt;

use super::slot::Slot;
use super::titles::comparable;

/// How slots are written as text or messages.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::slots::{Layout, Slot, Slots};
///
/// let layout = Layout::new().with_role("user", "Human").with_title(Slot::Input, "QUESTION");
/// let slots = Slots::new().with_input("Why?");
/// let written = slots.to_text_with(&layout)?;
/// assert_eq!(written.prompt, "Human:\n[QUESTION]:\nWhy?\n\n[OUTPUT]:\nassistant:");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Layout {
    /// The titles that differ from [`Slot::title`].
    titles: BTreeMap<Slot, String>,
    requirement_title: String,
    /// The names of roles that have another one than in [`Role`].
    roles: BTreeMap<String, String>,
    /// The name of all roles that are neither standard nor in `roles`.
    other_roles: String,
    /// Whether messages may contain media.
    pub(super) rich_content: bool,
    /// Whether the order of roles is strict.
    pub(super) strict_role_orders: bool,
    pub(super) padding: Padding,
    /// Whether texts may refer to slots.
    pub(super) slot_references: bool,
}

/// The text of messages that are added to get a strict order of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Padding {
    /// No text.
    #[default]
    Empty,
    /// Labels: the title of the history, and `[User continue input]`.
    Labels,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            titles: BTreeMap::new(),
            requirement_title: Slot::OutputFormat.title().to_owned(),
            roles: BTreeMap::new(),
            other_roles: Role::Assistant.as_str().to_owned(),
            rich_content: false,
            strict_role_orders: true,
            padding: Padding::Empty,
            slot_references: false,
        }
    }
}

impl Layout {
    /// The standard layout: standard titles and roles, text only, and a strict order of roles.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same layout with another title for the block of a slot. The title of
    /// [`Slot::OutputFormat`] is that of the requirement.
    pub fn with_title(mut self, slot: Slot, title: impl Into<String>) -> Self {
        match slot {
            Slot::OutputFormat => self.requirement_title = title.into(),
            slot => drop(self.titles.insert(slot, title.into())),
        }
        self
    }

    /// The same layout with another name for a role.
    pub fn with_role(mut self, role: impl Into<String>, name: impl Into<String>) -> Self {
        self.roles.insert(role.into(), name.into());
        self
    }

    /// The same layout with another name for the roles without their own name here, except for
    /// `system`, `developer`, `user` and `assistant`. The default is `assistant`.
    pub fn with_other_roles(mut self, name: impl Into<String>) -> Self {
        self.other_roles = name.into();
        self
    }

    /// The same layout with or without media in messages.
    pub fn with_rich_content(mut self, is_rich: bool) -> Self {
        self.rich_content = is_rich;
        self
    }

    /// The same layout with a strict order of roles, or with the roles of the history. In a strict
    /// order, roles alternate. Consecutive messages of one role are joined, and missing messages
    /// are added: one of the user before the history, and one of the assistant after it. A joined
    /// message has the metadata of all; the first of two entries with the same name is kept.
    pub fn with_strict_role_orders(mut self, are_strict: bool) -> Self {
        self.strict_role_orders = are_strict;
        self
    }

    /// The same layout with another text for the messages that a strict order adds.
    pub fn with_padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// The same layout with or without references to slots. With them, `${input}` in a text becomes
    /// the title of that block, and `${info.city}` the title of a part of it. They are off by
    /// default, because all texts are searched, including those of users.
    pub fn with_slot_references(mut self, are_read: bool) -> Self {
        self.slot_references = are_read;
        self
    }

    /// The title of the block of a slot.
    pub(super) fn title(&self, slot: Slot) -> &str {
        match slot {
            Slot::OutputFormat => &self.requirement_title,
            slot => self.titles.get(&slot).map_or(slot.title(), String::as_str),
        }
    }

    /// The name of a role.
    pub(super) fn role<'l>(&'l self, role: &'l str) -> &'l str {
        if let Some(name) = self.roles.get(role) {
            return name;
        }
        match role {
            "system" | "developer" | "user" | "assistant" => role,
            _ => &self.other_roles,
        }
    }

    /// Whether a role has its own name.
    pub(super) fn names_role(&self, role: &str) -> bool {
        self.roles.contains_key(role)
    }

    /// The names of roles in a history.
    pub(super) fn role_names(&self) -> impl Iterator<Item = &str> {
        let standard = ["system", "developer", "user", "assistant"].map(|role| self.role(role));
        let custom = self.roles.values().map(String::as_str);
        standard.into_iter().chain(custom).chain([self.other_roles.as_str()])
    }

    /// Checks that titles and names of roles are single lines, so that blocks are unambiguous.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] for an invalid title or name.
    pub(super) fn check(&self) -> Result<(), Error> {
        let titles = Slot::ALL.iter().map(|slot| self.title(*slot));
        titles.chain(self.role_names()).try_for_each(check_title)?;
        self.role_names().try_for_each(check_role)
    }
}

/// Checks that a title is a single line without brackets, and without characters that look like
/// brackets: `[STYLE］:]:` would be read as the title `STYLE`.
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`] if it is not.
pub(super) fn check_title(title: &str) -> Result<(), Error> {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if !title.contains(is_break) && !comparable(title).contains(['[', ']']) {
        return Ok(());
    }
    let title = excerpt(title);
    let title = title.escape_debug();
    let message = format!("the title `{title}` of a block contains line breaks or brackets");
    Err(Error::new(ErrorKind::WrongInput, message)
        .with_help("remove line breaks and brackets from the title"))
}

/// Checks that the name of a role contains no colon, because the name ends at the first one.
fn check_role(name: &str) -> Result<(), Error> {
    if !comparable(name).contains(':') {
        return Ok(());
    }
    let name = excerpt(name);
    let message = format!("the name `{}` of a role contains a colon", name.escape_debug());
    Err(Error::new(ErrorKind::WrongInput, message).with_help("remove the colon from the name"))
}
