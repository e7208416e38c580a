//! How slots become text or messages: names of roles, titles of blocks, and what messages may hold.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};
use crate::message::Role;
use crate::value::internal::excerpt;

use super::slot::Slot;

/// How slots are laid out.
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
    titles: BTreeMap<Slot, String>,
    requirement_title: String,
    roles: BTreeMap<String, String>,
    other_roles: String,
    rich_content: bool,
    strict_role_orders: bool,
    padding: Padding,
    slot_references: bool,
}

/// What stands in the messages that strict orders of roles ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Padding {
    /// Nothing.
    #[default]
    Empty,
    /// Words: the title of the history, and `[User continue input]`.
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
    /// The standard layout: standard titles and roles, texts alone, roles in strict order.
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

    /// The same layout with another name for roles that are not `system`, `developer`, `user` or
    /// `assistant`, and have no name of their own here. It is `assistant` by default.
    pub fn with_other_roles(mut self, name: impl Into<String>) -> Self {
        self.other_roles = name.into();
        self
    }

    /// The same layout with messages that keep media beside their texts, or that do not.
    pub fn with_rich_content(mut self, is_rich: bool) -> Self {
        self.rich_content = is_rich;
        self
    }

    /// The same layout with roles that take turns, or with those that the history has. Where they take
    /// turns, messages of one role in a row are joined, and a message stands in where one is missing: the
    /// user's in front of a history that another role begins, and the assistant's behind one that another
    /// role ends. A joined message has the metadata of all; of two entries with one name the first counts.
    pub fn with_strict_role_orders(mut self, are_strict: bool) -> Self {
        self.strict_role_orders = are_strict;
        self
    }

    /// The same layout with other words in the messages that strict orders ask for.
    pub fn with_padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// The same layout with references to slots, or without: `${input}` in a text is then the title of
    /// that block, and `${info.city}` that of a part of it. All texts are searched, those of users too,
    /// so this is off by default.
    pub fn with_slot_references(mut self, are_read: bool) -> Self {
        self.slot_references = are_read;
        self
    }

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

    /// Whether a role has a name of its own.
    pub(super) fn names_role(&self, role: &str) -> bool {
        self.roles.contains_key(role)
    }

    /// The names that roles have in a history.
    pub(super) fn role_names(&self) -> impl Iterator<Item = &str> {
        let standard = ["system", "developer", "user", "assistant"].map(|role| self.role(role));
        let given = self.roles.values().map(String::as_str);
        standard.into_iter().chain(given).chain([self.other_roles.as_str()])
    }

    pub(super) fn is_rich(&self) -> bool {
        self.rich_content
    }

    pub(super) fn is_strict(&self) -> bool {
        self.strict_role_orders
    }

    pub(super) fn padding_words(&self) -> Padding {
        self.padding
    }

    pub(super) fn reads_references(&self) -> bool {
        self.slot_references
    }

    /// That titles and names of roles are single lines, so that a block is what it seems to be.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] for a title or a name that is none.
    pub(super) fn check(&self) -> Result<(), Error> {
        let titles = Slot::ALL.iter().map(|slot| self.title(*slot));
        titles.chain(self.role_names()).try_for_each(check_title)
    }
}

/// That a title is a single line without brackets.
///
/// # Errors
///
/// [`ErrorKind::WrongInput`] if it is not.
pub(super) fn check_title(title: &str) -> Result<(), Error> {
    let is_wrong = |c: char| c.is_control() || matches!(c, '[' | ']' | '\u{2028}' | '\u{2029}');
    if !title.contains(is_wrong) {
        return Ok(());
    }
    let title = excerpt(title);
    let title = title.escape_debug();
    let message = format!("the title `{title}` of a block is no single line of text");
    Err(Error::new(ErrorKind::WrongInput, message)
        .with_help("a title has no line breaks and no brackets"))
}
