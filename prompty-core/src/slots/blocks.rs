//! The main part of a prompt: its blocks with their titles, in order.
//!
//! The order of the blocks, their standard titles and the blank lines between them are those of
//! Agently, whose recorded prompts are test cases.
//!
//! [`PreparedSlots::new`] merges and checks the slots, and [`PreparedSlots::main_lines`] writes
//! their blocks. A block is a title, a text and an empty line:
//!
//! ```text
//! [INFO]:
//! - We close at six.
//!
//! ```

use crate::error::{Error, ErrorKind};
use crate::schema::shape::Requirement;
use crate::value::internal::excerpt;
use crate::value::{Map, Value};

use super::layout::{Layout, check_title};
use super::output::{requirement_block, requirement_of};
use super::references;
use super::slot::{Slot, error_in_slot};
use super::store::{MergedSlots, Slots};
use super::titles::{Titles, comparable};
use super::tool::{SlotTool, tools_of};
use super::turns::{Turn, TurnPart, read_attachments, read_turns};
use super::written::Skipped;
use super::yaml;

/// The slots of a prompt in a normalised form, ready to be written.
pub(super) struct PreparedSlots<'l> {
    pub(super) layout: &'l Layout,
    slots: MergedSlots,
    tools: Vec<SlotTool>,
    pub(super) turns: Vec<Turn>,
    pub(super) attachments: Vec<TurnPart>,
    output: Option<Requirement>,
    /// The titles of blocks, which values must not imitate.
    pub(super) titles: Titles,
}

impl<'l> PreparedSlots<'l> {
    /// Normalises slots.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::MissingInput`] if there is nothing to send, and
    /// [`ErrorKind::WrongInput`] if a slot has an invalid value.
    pub(super) fn new(slots: &Slots<'_>, layout: &'l Layout) -> Result<Self, Error> {
        layout.check()?;
        let mut slots = slots.merged();
        slots.extras().try_for_each(|(name, _)| check_title(name))?;
        if let Some(options) = slots.get(Slot::Options).filter(|it| it.as_object().is_none()) {
            let problem = format!("expected an object, found {}", options.kind_name());
            return Err(error_in_slot(Slot::Options, &problem)
                .with_help("pass an object with a value for each name"));
        }
        let turns = read_turns(&Value::from(std::mem::take(&mut slots.history)))?;
        // The tools, attachments and the output are read from the result, so references in them are
        // replaced, too.
        if layout.slot_references {
            let values = slots.values.iter();
            let resolved = values.map(|(name, value)| (name, references::resolve(value, layout)));
            slots.values = resolved.collect();
        }
        let tools = slots.get(Slot::Tools).map(tools_of).transpose()?.unwrap_or_default();
        let attachments = slots.get(Slot::Attachment).map(read_attachments).transpose()?;
        let attachments = attachments.unwrap_or_default();
        let output = requirement_of(&slots)?;
        let titles = titles_of(&slots, layout)?;
        let prepared = Self { layout, slots, tools, turns, attachments, output, titles };
        prepared.check_not_empty()?;
        Ok(prepared)
    }

    /// Returns an error if the prompt has nothing to send; see [`Slot::ENOUGH`].
    fn check_not_empty(&self) -> Result<(), Error> {
        let is_filled = |slot: &Slot| match self.slots.get(*slot) {
            // A question may be about zero or `false`.
            Some(Value::Bool(_) | Value::Integer(_) | Value::Float(_)) => true,
            other => other.is_some_and(Value::is_true),
        };
        let has_any = self.slots.extras().next().is_some()
            || self.slots.output.is_some()
            || Slot::ENOUGH.iter().any(is_filled);
        if has_any {
            return Ok(());
        }
        let message = "the prompt has nothing to send: `input`, `info`, `instruct`, `output`, \
                       `attachment` and all slots with custom titles are empty";
        Err(Error::new(ErrorKind::MissingInput, message).with_help("fill one of these slots"))
    }

    /// Adds the names of roles to the titles. In a single text, each of them begins a message.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if a custom title is the name of a role.
    pub(super) fn add_roles(&mut self) -> Result<(), Error> {
        let is_role = |title: &str| {
            self.layout.role_names().any(|role| comparable(role) == comparable(title))
        };
        if let Some((title, _)) = self.slots.extras().find(|(title, _)| is_role(title)) {
            let title = excerpt(title);
            let message = format!("the title `{}` is the name of a role", title.escape_debug());
            return Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("give the block another title, or send the prompt as messages"));
        }
        self.layout.role_names().for_each(|name| {
            self.titles.add(name);
        });
        Ok(())
    }

    /// The text of a slot that is a separate message; `None` if the slot is empty.
    pub(super) fn text(&self, slot: Slot) -> Option<String> {
        // A separate message has no titles.
        self.slots.shown(slot).map(|value| yaml::block(value, &|_| false))
    }

    /// The values that have no block although they are not empty: zero and `false`.
    pub(super) fn unshown_values(&self) -> Vec<Skipped> {
        let blocks = [Slot::System, Slot::Developer].into_iter().chain(Slot::BLOCKS);
        let is_scalar =
            |value: &&Value| matches!(value, Value::Bool(_) | Value::Integer(_) | Value::Float(_));
        let unshown = |slot: Slot| {
            let value = self.slots.get(slot).filter(|_| self.slots.shown(slot).is_none());
            let kind = value.filter(is_scalar)?.kind_name().to_owned();
            Some(Skipped { slot, kind })
        };
        blocks.chain([Slot::Output]).filter_map(unshown).collect()
    }

    /// Whether the main part would contain only this slot.
    pub(super) fn is_only(&self, slot: Slot) -> bool {
        let mut others = Slot::BLOCKS.into_iter().chain([Slot::Attachment]);
        let has_others = others.any(|it| it != slot && self.slots.shown(it).is_some());
        let has_more =
            !self.tools.is_empty() || self.output.is_some() || self.slots.extras().next().is_some();
        self.slots.shown(slot).is_some() && !has_others && !has_more
    }

    /// The lines of the main part.
    pub(super) fn main_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.tools.is_empty() {
            lines.push(self.title(Slot::Tools));
            self.tools.iter().for_each(|tool| tool.write(&mut lines, &self.titles));
        }
        self.add_block(&mut lines, Slot::ActionResults);
        if let Some(info) = self.slots.shown(Slot::Info) {
            lines.extend([self.title(Slot::Info), self.facts(info), String::new()]);
        }
        for (name, value) in self.slots.extras() {
            lines.extend([bracketed(name), self.text_of(value), String::new()]);
        }
        self.add_block(&mut lines, Slot::Instruct);
        self.add_block(&mut lines, Slot::Examples);
        self.add_block(&mut lines, Slot::Input);
        lines.extend(self.output.as_ref().and_then(|it| requirement_block(it, self.layout)));
        lines.push(self.title(Slot::Output));
        lines
    }

    /// Adds the block of a slot, if it is not empty.
    pub(super) fn add_block(&self, lines: &mut Vec<String>, slot: Slot) {
        if let Some(value) = self.slots.shown(slot) {
            lines.extend([self.title(slot), self.text_of(value), String::new()]);
        }
    }

    /// The text of a value below a title.
    fn text_of(&self, value: &Value) -> String {
        match value {
            Value::String(text) => self.titles.escape(text),
            value => yaml::block(value, &|line| self.titles.is_title(line)),
        }
    }

    /// Facts, one per line: `- {fact}`, or `- {name}: {fact}` for those of an object. Unlike in
    /// other blocks, the last line has no line break, as in Agently.
    fn facts(&self, info: &Value) -> String {
        let written = match info {
            Value::Object(map) => {
                let facts = map.iter().map(|(name, value)| Map::from([(name, value.clone())]));
                self.text_of(&facts.collect())
            }
            Value::Array(_) => self.text_of(info),
            other => return self.text_of(other),
        };
        written.strip_suffix('\n').unwrap_or(&written).to_owned()
    }

    /// The title line of the block of a slot.
    pub(super) fn title(&self, slot: Slot) -> String {
        bracketed(self.layout.title(slot))
    }
}

fn bracketed(title: &str) -> String {
    format!("[{title}]:")
}

/// The titles of all blocks, in brackets.
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`] if a custom title is that of another block, because a reader
/// could not distinguish them.
fn titles_of(slots: &MergedSlots, layout: &Layout) -> Result<Titles, Error> {
    let mut titles = Titles::default();
    for slot in Slot::ALL {
        titles.add(layout.title(*slot));
    }
    for (name, _) in slots.extras() {
        if !titles.add(name) {
            let name = excerpt(name);
            let message = format!("two blocks have the title `{}`", name.escape_debug());
            return Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("use another custom title, or use the standard slot"));
        }
    }
    Ok(titles)
}
