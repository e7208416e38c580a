//! What the slots of a prompt hold, and how a prompt takes over what its parent holds.

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

/// A prompt made of slots, with what it takes over from a parent.
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
    /// What was given as values, by names of slots.
    values: Map,
    output: Option<Shape>,
    /// Names whose values do not come together with the parent's.
    alone: BTreeSet<String>,
}

/// The slots of a prompt together with those of all its parents.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) values: Map,
    /// The history, item by item: a parent's stands before the child's.
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
    /// No slots, and no parent.
    pub fn new() -> Self {
        Self::default()
    }

    /// The slots of one request: with those of this one, which is borrowed, as far as they give no
    /// others.
    ///
    /// A map of the child is joined with the parent's entry by entry. A list of the child has the
    /// parent's items behind its own, without those that it has already. Any other value of the child
    /// replaces the parent's, and [`with_hidden`](Self::with_hidden) leaves it out. The parent's history stands
    /// before the child's.
    #[must_use]
    pub fn child(&'p self) -> Self {
        Self { parent: Some(self), ..Self::default() }
    }

    builders! {
        /// The same slots with the operator's instructions.
        with_system System,
        /// The same slots with facts: a text, a list, or a map from names to facts.
        with_info Info,
        /// The same slots with what to do.
        with_instruct Instruct,
        /// The same slots with what the model is asked.
        with_input Input,
    }

    /// The same slots with a value in a slot, or under a title of its own. The value stays as it is given.
    ///
    /// [`with_thread`](Self::with_thread) fills [`Slot::ChatHistory`], and [`with_part`](Self::with_part) adds to
    /// [`Slot::Attachment`].
    #[must_use]
    pub fn with(mut self, slot: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.alone.remove(slot.as_ref());
        self.put(slot.as_ref(), value);
        self
    }

    /// The same slots with a value that replaces the parent's, also where both are lists or maps.
    #[must_use]
    pub fn with_only(mut self, slot: impl AsRef<str>, value: impl Into<Value>) -> Self {
        self.put(slot.as_ref(), value);
        self.alone.insert(slot.as_ref().to_owned());
        self
    }

    fn put(&mut self, slot: &str, value: impl Into<Value>) {
        if slot == Slot::Output.name() {
            self.output = None;
        }
        self.values.insert(slot, value);
    }

    /// The same slots with messages behind those that the history has.
    #[must_use]
    pub fn with_thread(self, messages: &[Message]) -> Self {
        let added = messages.iter().map(Message::to_value);
        self.with_more(Slot::ChatHistory, added)
    }

    /// The same slots with a part of a message behind the attachments that are there.
    #[must_use]
    pub fn with_part(self, part: impl Into<ContentPart>) -> Self {
        let message = Message::new(Role::User, part.into()).to_value();
        let parts = message.get("content").and_then(Value::as_array).unwrap_or_default().to_vec();
        self.with_more(Slot::Attachment, parts)
    }

    fn with_more(mut self, slot: Slot, more: impl IntoIterator<Item = Value>) -> Self {
        let before = self.values.get(slot.name()).map(merge::items).unwrap_or_default();
        let items: Vec<Value> = before.iter().cloned().chain(more).collect();
        self.put(slot.name(), items);
        self
    }

    /// The same slots with a tool behind those that are there.
    #[must_use]
    pub fn with_tool(self, tool: SlotTool) -> Self {
        self.with_more(Slot::Tools, [tool.into()])
    }

    /// The same slots with the shape of the answer. It replaces that of a parent.
    ///
    /// A shape can also be put together part by part: as a value it is in the notation of
    /// [`Shape::to_notation`], and [`set`](Self::set), [`append`](Self::append) and [`update`](Self::update)
    /// do with it what they do with every value. A child's is joined with that of its parent.
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

    /// The same slots, in which one of the parent's is left out.
    #[must_use]
    pub fn with_hidden(self, slot: impl AsRef<str>) -> Self {
        let name = slot.as_ref().to_owned();
        let mut hiding = match Slot::from_name(&name) {
            Some(Slot::Output) => Self { output: None, ..self },
            _ => self,
        };
        hiding.values.remove(&name);
        hiding.alone.insert(name);
        hiding
    }

    /// The same slots with values put into the placeholders of their names and values, as [`fill`] does it.
    /// Those of parents stay as they are.
    ///
    /// # Errors
    ///
    /// Those of [`fill`]. Also [`ErrorKind::WrongInput`] where a name with placeholders becomes that of
    /// another slot: a value must not decide what is the system's word.
    pub fn filled(mut self, values: &Map, unknown: UnknownPlaceholder) -> Result<Self, Error> {
        let mut filled = Map::new();
        for (name, value) in self.values.iter() {
            let made = fill_name(name, values, unknown)?;
            if let Some(slot) = Slot::from_name(&made).filter(|_| made != name) {
                let message = format!("a placeholder makes the slot `{slot}` of a name");
                return Err(Error::new(ErrorKind::WrongInput, message)
                    .with_help("name the slot itself, or give the placeholder another value"));
            }
            if filled.contains_key(&made) {
                let name = excerpt(&made);
                let message = format!("two slots get the name `{}`", name.escape_debug());
                return Err(Error::new(ErrorKind::WrongInput, message)
                    .with_help("give the placeholder another value"));
            }
            if made != name && self.alone.remove(name) {
                self.alone.insert(made.clone());
            }
            filled.insert(made, fill(value, values, unknown)?);
        }
        self.values = filled;
        Ok(self)
    }

    /// Sets a slot, or a part of one: `info.user.name` is the entry `name` of the entry `user` of `info`. A
    /// text loses the white space around it, and the indentation that its lines share.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] where the path leads through a value that is no map.
    pub fn set(&mut self, path: impl AsRef<str>, value: impl Into<Value>) -> Result<(), Error> {
        *self.place(path.as_ref())? = trimmed(value.into());
        Ok(())
    }

    /// Sets a slot, or a part of one, to a value with placeholders. A text is trimmed as [`set`](Self::set)
    /// does it, before values are put in: those stay as they are.
    ///
    /// # Errors
    ///
    /// Those of [`set`](Self::set) and of [`fill`].
    pub fn set_filled(
        &mut self,
        path: impl AsRef<str>,
        value: impl Into<Value>,
        values: &Map,
        unknown: UnknownPlaceholder,
    ) -> Result<(), Error> {
        let filled = fill(&trimmed(value.into()), values, unknown)?;
        *self.place(path.as_ref())? = filled;
        Ok(())
    }

    /// Adds an item to a slot or a part of one. A value that is no list becomes the first item of one. A
    /// text is trimmed as [`set`](Self::set) does it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] where the path leads through a value that is no map.
    pub fn append(&mut self, path: impl AsRef<str>, item: impl Into<Value>) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        let mut items = merge::items(place).to_vec();
        items.push(trimmed(item.into()));
        *place = Value::from(items);
        Ok(())
    }

    /// Adds each item of a list to a slot or a part of one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] where the path leads through a value that is no map.
    pub fn extend<V: Into<Value>>(
        &mut self,
        path: impl AsRef<str>,
        items: impl IntoIterator<Item = V>,
    ) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        let added = items.into_iter().map(Into::into);
        *place = merge::items(place).iter().cloned().chain(added).collect();
        Ok(())
    }

    /// Sets several slots. Maps are joined with what is there entry by entry, lists get the items that they
    /// do not have, and other values are replaced. Texts stay as they are given.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] where a path leads through a value that is no map.
    pub fn update(&mut self, slots: &Map) -> Result<(), Error> {
        for (path, value) in slots.iter() {
            let place = self.place(path)?;
            *place = merge::update(place, value);
        }
        Ok(())
    }

    /// The place of a path, made where it is missing.
    fn place(&mut self, path: &str) -> Result<&mut Value, Error> {
        if path.matches('.').count() >= MAX_DEPTH {
            let message = format!("the path `{}` is too deep", excerpt(path));
            return Err(Error::new(ErrorKind::Limit, message));
        }
        // A shape is changed part by part in its notation.
        if path.split('.').next() == Some(Slot::Output.name())
            && let Some(shape) = self.output.take()
        {
            self.values.insert(Slot::Output.name(), shape);
        }
        place(&mut self.values, path)
    }

    /// Takes a slot out, so that the parent's is there again.
    pub fn remove(&mut self, slot: impl AsRef<str>) -> Option<Value> {
        if slot.as_ref() == Slot::Output.name() {
            self.output = None;
        }
        self.alone.remove(slot.as_ref());
        self.values.remove(slot.as_ref())
    }

    /// The values that these slots hold themselves.
    pub fn own_values(&self) -> &Map {
        &self.values
    }

    pub(super) fn own_output(&self) -> Option<&Shape> {
        self.output.as_ref()
    }

    /// The names of slots that are left out, whatever a parent has in them.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &str> {
        let is_given = |name: &str| name == Slot::Output.name() && self.output.is_some();
        let names = self.alone.iter().map(String::as_str);
        names.filter(move |name| !self.values.contains_key(name) && !is_given(name))
    }

    /// The values that these slots hold together with their parents.
    pub fn values(&self) -> Map {
        let merged = self.merged();
        let mut values = merged.values;
        if !merged.history.is_empty() {
            values.insert(Slot::ChatHistory.name(), merged.history);
        }
        values
    }

    pub(super) fn merged(&self) -> Merged {
        // From the outermost parent to this one.
        let mut levels = Vec::new();
        let mut level = Some(self);
        while let Some(slots) = level {
            levels.push(slots);
            level = slots.parent;
        }
        let mut merged = Merged::default();
        levels.into_iter().rev().for_each(|slots| merged.add(slots));
        merged
    }
}

impl Merged {
    /// Adds the slots of a child.
    fn add(&mut self, child: &Slots<'_>) {
        for name in &child.alone {
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
            if name == Slot::Output.name()
                && let Some(shape) = self.output.take()
            {
                self.values.insert(name, shape);
            }
            let value = match self.values.get(name).filter(|_| !child.alone.contains(name)) {
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

    fn add_history(&mut self, history: &Value) {
        match history {
            Value::Null => self.history.clear(),
            history => self.history.extend(merge::items(history).iter().cloned()),
        }
    }

    /// What a standard slot holds; nothing for `null`.
    pub(super) fn get(&self, slot: Slot) -> Option<&Value> {
        self.values.get(slot.name()).filter(|value| !value.is_null())
    }

    /// What a standard slot holds, if it is worth a block: neither empty nor zero nor `false`.
    pub(super) fn shown(&self, slot: Slot) -> Option<&Value> {
        self.get(slot).filter(|value| value.is_true())
    }

    /// The extra slots, in order.
    pub(super) fn extras(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().filter(|(name, _)| Slot::from_name(name).is_none())
    }
}

/// The place of a path in a map. What is missing on the way is made.
fn place<'m>(map: &'m mut Map, path: &str) -> Result<&'m mut Value, Error> {
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    if !map.contains_key(name) {
        map.insert(name, Value::Null);
    }
    let value = map.get_mut(name).ok_or_else(|| no_map(name, "nothing"))?;
    let Some(rest) = rest else { return Ok(value) };
    if value.is_null() {
        *value = Map::new().into();
    }
    match value {
        Value::Object(map) => place(map, rest),
        other => Err(no_map(name, other.kind_name())),
    }
}

fn no_map(name: &str, found: &str) -> Error {
    let message = format!("`{name}` has no entries: expected a map, found {found}");
    Error::new(ErrorKind::WrongInput, message)
        .with_help("set the whole value instead of a part of it")
}

/// A text without white space around it, and without the indentation that its lines share.
#[expect(clippy::string_slice, reason = "all these lines begin with `shared` blanks or tabs")]
pub(super) fn trimmed(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let indents = lines.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len());
    let shared = indents.min().unwrap_or(0);
    // A blank line may be shorter than what the others share.
    let dedented = text.split('\n').map(|line| match line.trim().is_empty() {
        true => "",
        false => &line[shared..],
    });
    let dedented: Vec<&str> = dedented.collect();
    Value::from(dedented.join("\n").trim())
}
