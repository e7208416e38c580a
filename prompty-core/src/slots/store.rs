//! The content of slots, and how a prompt inherits from its parent.
//!
//! Values are merged with those of the parents, and normalised, only when the prompt is written. So
//! errors can name the slot and the item.

use std::collections::BTreeSet;

use crate::error::{Error, ErrorKind};
use crate::message::{ContentPart, Message, Role};
use crate::schema::shape::Shape;
use crate::value::internal::excerpt;
use crate::value::{MAX_DEPTH, Map, Value};

use super::merge;
use super::placeholders::{UnknownPlaceholder, fill, fill_name};
use super::slot::Slot;
use super::tool::SlotTool;

impl AsRef<str> for Slot {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

/// A prompt made of slots, which can inherit slots from a parent.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::slots::Slots;
///
/// let agent = Slots::new().with_system("You answer customers.").with_info(["We close at six."]);
/// let request = agent.child().with_info(["It is five."]).with_input("Are you open?");
/// assert_eq!(
///     request.to_text()?,
///     "user:\n\
///      [SYSTEM]:\nYou answer customers.\n\n\
///      [INFO]:\n- It is five.\n- We close at six.\n\n\
///      [INPUT]:\nAre you open?\n\n\
///      [OUTPUT]:\nassistant:"
/// );
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Slots<'p> {
    parent: Option<&'p Slots<'p>>,
    /// The values, by names of slots.
    values: Map,
    /// The slot `output` as a shape. If it is set, `values` has no `output`.
    pub(super) output: Option<Shape>,
    /// The names of slots that are not merged with the parent's. One without a value is hidden.
    exclusive: BTreeSet<String>,
}

/// The slots of a prompt, merged with those of all its parents.
#[derive(Debug, Default)]
pub(super) struct MergedSlots {
    /// The values of all slots except the history and an `output` that is a shape.
    pub(super) values: Map,
    /// The history, as a list of items: the parent's come first.
    pub(super) history: Vec<Value>,
    pub(super) output: Option<Shape>,
}

macro_rules! builders {
    ($($(#[$doc:meta])* $method:ident $slot:ident,)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(self, value: impl Into<Value>) -> Self {
            self.with(Slot::$slot, value)
        }
    )*};
}

impl<'p> Slots<'p> {
    /// Creates empty slots without a parent.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the slots of a request, which inherit from these.
    ///
    /// An object of the child is merged with the parent's by key. A list is followed by the
    /// parent's items that it does not have. Any other value replaces the parent's, and
    /// [`with_hidden`](Self::with_hidden) removes it. The parent's history comes first.
    #[must_use]
    pub fn child(&'p self) -> Self {
        Self { parent: Some(self), ..Self::default() }
    }

    builders! {
        /// The same slots with the operator's instructions.
        with_system System,
        /// The same slots with facts: a string, a list, or an object from names to facts.
        with_info Info,
        /// The same slots with the task.
        with_instruct Instruct,
        /// The same slots with the input.
        with_input Input,
    }

    /// The same slots with a value in a slot, or under a custom title. The value is not changed.
    ///
    /// [`with_thread`](Self::with_thread) fills [`Slot::ChatHistory`], and
    /// [`with_part`](Self::with_part) adds to [`Slot::Attachment`].
    #[must_use]
    pub fn with(mut self, slot: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.exclusive.remove(slot.as_ref());
        self.put(slot.as_ref(), value);
        self
    }

    /// The same slots with a value that replaces the parent's, even if both are lists or objects.
    #[must_use]
    pub fn with_only(mut self, slot: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.put(slot.as_ref(), value);
        self.exclusive.insert(slot.as_ref().to_owned());
        self
    }

    /// Sets a value. A value of the slot `output` replaces the shape.
    fn put(&mut self, slot: &str, value: impl Into<Value>) {
        if slot == Slot::Output.name() {
            self.output = None;
        }
        self.values.insert(slot, value);
    }

    /// The same slots with further messages after the history.
    #[must_use]
    pub fn with_thread(self, messages: &[Message]) -> Self {
        let added = messages.iter().map(Message::to_value);
        self.with_more(Slot::ChatHistory, added)
    }

    /// The same slots with a further attachment.
    #[must_use]
    pub fn with_part(self, part: impl Into<ContentPart>) -> Self {
        // The values of parts are only available as the content of a message.
        let message = Message::new(Role::User, part.into()).to_value();
        let parts = message.get("content").and_then(Value::as_array).unwrap_or_default().to_vec();
        self.with_more(Slot::Attachment, parts)
    }

    /// The same slots with further items in a slot. A value that is not a list becomes one.
    fn with_more(mut self, slot: Slot, more: impl IntoIterator<Item = Value>) -> Self {
        let before = self.values.get(slot.name()).map(merge::items).unwrap_or_default();
        let items: Vec<Value> = before.iter().cloned().chain(more).collect();
        self.put(slot.name(), items);
        self
    }

    /// The same slots with a further tool.
    #[must_use]
    pub fn with_tool(self, tool: SlotTool) -> Self {
        self.with_more(Slot::Tools, [tool.into()])
    }

    /// The same slots with the shape of the answer, which replaces that of a parent.
    ///
    /// A shape can also be assembled from parts. Its value is the notation of
    /// [`Shape::to_notation`], so [`set`](Self::set), [`append`](Self::append) and
    /// [`update`](Self::update) can change it like any other value. A child's shape is then merged
    /// with that of its parent.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::slots; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::slots::Slots;
    ///
    /// let agent = Slots::new().with_output(Shape::object([("title", Shape::text())]));
    /// let mut request = agent.child().with_input("Hi");
    /// request.set("output.score", Shape::integer().with_description("from 1 to 5"))?;
    /// request.append("output.tags", Shape::text())?;
    /// let text = request.to_text()?;
    /// assert!(text.contains(r#"{
    ///   "title": <str>,
    ///   "score": <int>, // from 1 to 5
    ///   "tags": [
    ///     <str>,
    ///     ...
    ///   ]
    /// }"#));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_output(mut self, shape: Shape) -> Self {
        self.values.remove(Slot::Output.name());
        self.output = Some(shape);
        self
    }

    /// The same slots, with a slot of the parent removed.
    #[must_use]
    pub fn with_hidden(self, slot: impl AsRef<str>) -> Self {
        let name = slot.as_ref().to_owned();
        let mut slots = match Slot::from_name(&name) {
            Some(Slot::Output) => Self { output: None, ..self },
            _ => self,
        };
        slots.values.remove(&name);
        slots.exclusive.insert(name);
        slots
    }

    /// The same slots with the placeholders of their names and values filled like in [`fill`].
    /// Those of parents are not changed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fill`]. Returns [`ErrorKind::WrongInput`] if a name with
    /// placeholders becomes that of a standard slot, because values must not create system
    /// instructions.
    pub fn filled(mut self, values: &Map, unknown: UnknownPlaceholder) -> Result<Self, Error> {
        let mut filled = Map::new();
        for (name, value) in self.values.iter() {
            let new_name = fill_name(name, values, unknown)?;
            if let Some(slot) = Slot::from_name(&new_name).filter(|_| new_name != name) {
                let message = format!(
                    "the placeholders of the slot name `{}` give the name of the standard slot \
                     `{slot}`",
                    excerpt(name)
                );
                return Err(Error::new(ErrorKind::WrongInput, message).with_help(
                    "write the name of the slot without placeholders, or pass another value",
                ));
            }
            if filled.contains_key(&new_name) {
                let name = excerpt(&new_name);
                let message = format!("two slots have the name `{}`", name.escape_debug());
                return Err(Error::new(ErrorKind::WrongInput, message)
                    .with_help("pass another value for the placeholder"));
            }
            if new_name != name && self.exclusive.remove(name) {
                self.exclusive.insert(new_name.clone());
            }
            filled.insert(new_name, fill(value, values, unknown)?);
        }
        self.values = filled;
        Ok(self)
    }

    /// Sets a slot, or a part of one: `info.user.name` is the entry `name` of the entry `user` of
    /// `info`. A string loses surrounding white space and shared indentation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the path leads through a value that is not an object.
    pub fn set(&mut self, path: impl AsRef<str>, value: impl Into<Value>) -> Result<(), Error> {
        *self.value_at(path.as_ref())? = trimmed(value.into());
        Ok(())
    }

    /// Sets a slot, or a part of one, to a value with placeholders. A string is trimmed like in
    /// [`set`](Self::set) before the placeholders are filled, so values are not trimmed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set`](Self::set) and [`fill`].
    pub fn set_filled(
        &mut self,
        path: impl AsRef<str>,
        value: impl Into<Value>,
        values: &Map,
        unknown: UnknownPlaceholder,
    ) -> Result<(), Error> {
        let filled = fill(&trimmed(value.into()), values, unknown)?;
        *self.value_at(path.as_ref())? = filled;
        Ok(())
    }

    /// Appends an item to a slot or a part of one. A value that is not a list becomes the first
    /// item of one. A string is trimmed like in [`set`](Self::set).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the path leads through a value that is not an object.
    pub fn append(&mut self, path: impl AsRef<str>, item: impl Into<Value>) -> Result<(), Error> {
        let place = self.value_at(path.as_ref())?;
        let mut items = merge::items(place).to_vec();
        items.push(trimmed(item.into()));
        *place = Value::from(items);
        Ok(())
    }

    /// Appends each item of a list to a slot or a part of one.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the path leads through a value that is not an object.
    pub fn extend<V: Into<Value>>(
        &mut self,
        path: impl AsRef<str>,
        items: impl IntoIterator<Item = V>,
    ) -> Result<(), Error> {
        let place = self.value_at(path.as_ref())?;
        let added = items.into_iter().map(Into::into);
        *place = merge::items(place).iter().cloned().chain(added).collect();
        Ok(())
    }

    /// Sets several slots. Objects are merged by key, lists get the items that they do not have,
    /// and other values are replaced. Strings are not trimmed.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if a path leads through a value that is not an object.
    pub fn update(&mut self, slots: &Map) -> Result<(), Error> {
        for (path, value) in slots.iter() {
            let place = self.value_at(path)?;
            *place = merge::update(place, value);
        }
        Ok(())
    }

    /// The value at a path. Missing entries are created.
    fn value_at(&mut self, path: &str) -> Result<&mut Value, Error> {
        if path.matches('.').count() >= MAX_DEPTH {
            let message = format!("the path `{}` has more than {MAX_DEPTH} parts", excerpt(path));
            return Err(
                Error::new(ErrorKind::Limit, message).with_help("set a value nearer to the root")
            );
        }
        // A shape is converted to its notation, which can be changed in parts.
        if path.split('.').next() == Some(Slot::Output.name())
            && let Some(shape) = self.output.take()
        {
            self.values.insert(Slot::Output.name(), shape);
        }
        value_in(&mut self.values, path)
    }

    /// Removes a slot, so that the parent's is inherited again.
    pub fn remove(&mut self, slot: impl AsRef<str>) -> Option<Value> {
        if slot.as_ref() == Slot::Output.name() {
            self.output = None;
        }
        self.exclusive.remove(slot.as_ref());
        self.values.remove(slot.as_ref())
    }

    /// The values of these slots without those of their parents.
    pub fn own_values(&self) -> &Map {
        &self.values
    }

    /// The names of slots of the parent that are removed.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &str> {
        let is_set = |name: &str| name == Slot::Output.name() && self.output.is_some();
        let names = self.exclusive.iter().map(String::as_str);
        names.filter(move |name| !self.values.contains_key(name) && !is_set(name))
    }

    /// The values of these slots, merged with those of their parents.
    pub fn values(&self) -> Map {
        self.merged().into_values()
    }

    /// The slots merged with those of all parents, the outermost first.
    pub(super) fn merged(&self) -> MergedSlots {
        // From these slots to the outermost parent.
        let mut levels = Vec::new();
        let mut level = Some(self);
        while let Some(slots) = level {
            levels.push(slots);
            level = slots.parent;
        }
        let mut merged = MergedSlots::default();
        levels.into_iter().rev().for_each(|slots| merged.add(slots));
        merged
    }
}

impl MergedSlots {
    /// The values of all slots except an `output` that is a shape.
    pub(super) fn into_values(self) -> Map {
        let Self { mut values, history, .. } = self;
        if !history.is_empty() {
            values.insert(Slot::ChatHistory.name(), history);
        }
        values
    }

    /// Adds the slots of a child: removes what it hides, merges its values with those of the
    /// parents, and replaces the shape of the output.
    fn add(&mut self, child: &Slots<'_>) {
        for name in &child.exclusive {
            match Slot::from_name(name) {
                Some(Slot::ChatHistory) => self.history.clear(),
                Some(Slot::Output) => self.output = None,
                _ => {}
            }
            if !child.values.contains_key(name) {
                self.values.remove(name);
            }
        }
        for (name, value) in child.values.iter() {
            if name == Slot::ChatHistory.name() {
                self.add_history(value);
                continue;
            }
            // The child's notation is merged with that of the inherited shape.
            if name == Slot::Output.name()
                && let Some(shape) = self.output.take()
            {
                self.values.insert(name, shape);
            }
            let value = match self.values.get(name).filter(|_| !child.exclusive.contains(name)) {
                Some(inherited) => merge::inherit(value, inherited),
                None => value.clone(),
            };
            self.values.insert(name, value);
        }
        if let Some(shape) = &child.output {
            self.values.remove(Slot::Output.name());
            self.output = Some(shape.clone());
        }
    }

    /// Appends the child's history. `null` removes that of the parents.
    fn add_history(&mut self, history: &Value) {
        match history {
            Value::Null => self.history.clear(),
            history => self.history.extend(merge::items(history).iter().cloned()),
        }
    }

    /// The value of a standard slot; `None` for `null`.
    pub(super) fn get(&self, slot: Slot) -> Option<&Value> {
        self.values.get(slot.name()).filter(|value| !value.is_null())
    }

    /// The value of a standard slot, if it has a block: it is not empty, zero or `false`.
    pub(super) fn shown(&self, slot: Slot) -> Option<&Value> {
        self.get(slot).filter(|value| value.is_true())
    }

    /// The extra slots, in order.
    pub(super) fn extras(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().filter(|(name, _)| Slot::from_name(name).is_none())
    }
}

/// The value at a path in a map: `a.b` is the entry `b` of the entry `a`. Missing entries are
/// created.
fn value_in<'m>(map: &'m mut Map, path: &str) -> Result<&'m mut Value, Error> {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    if !map.contains_key(name) {
        map.insert(name, Value::Null);
    }
    let value = map.get_mut(name).ok_or_else(|| not_an_object(name, "nothing"))?;
    let Some(rest) = rest else { return Ok(value) };
    if value.is_null() {
        *value = Map::new().into();
    }
    match value {
        Value::Object(map) => value_in(map, rest),
        other => Err(not_an_object(name, other.kind_name())),
    }
}

fn not_an_object(name: &str, found: &str) -> Error {
    let message = format!("expected an object at `{name}`, found {found}");
    Error::new(ErrorKind::WrongInput, message)
        .with_help("set the complete value instead of a part of it")
}

/// A string without surrounding white space and without shared indentation.
#[expect(clippy::string_slice, reason = "all these lines begin with `shared` spaces or tabs")]
pub(super) fn trimmed(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let indents = lines.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len());
    let shared = indents.min().unwrap_or(0);
    // A blank line may be shorter than the shared indentation.
    let dedented = text.split('\n').map(|line| match line.trim().is_empty() {
        true => "",
        false => &line[shared..],
    });
    let dedented: Vec<&str> = dedented.collect();
    Value::from(dedented.join("\n").trim())
}
