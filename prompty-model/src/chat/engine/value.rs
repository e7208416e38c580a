//! The values of a render. They behave as Python's do: a list has an identity and can change.
//!
//! Lists, maps and the like lie in a [`Heap`] that a render owns and a value refers to by number. So
//! a value is small, one may hold itself, and all of it goes when the render ends.

use std::collections::HashMap;
use std::sync::Arc;

use super::run::Function;
use prompty_core::error::ErrorKind;

/// Maps of at most so many entries are searched from end to end.
const SMALL: usize = 12;

/// A value. Two that have the same number are the same list, map and so on.
#[derive(Debug, Clone)]
pub(super) enum Val {
    Undefined,
    None,
    Bool(bool),
    Integer(i128),
    Float(f64),
    String(Arc<str>),
    /// A text that `safe` has been asked for; otherwise a text like others.
    Safe(Arc<str>),
    List(u32),
    Tuple(u32),
    Dict(u32),
    Namespace(u32),
    Function(Function),
    /// A method of a value.
    Method(u32),
    Macro(u32),
    Loop(u32),
    /// What `cycler` and `joiner` give.
    Cycler(u32),
    Joiner(u32),
}

impl Val {
    /// The text, if this is one.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) | Self::Safe(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if this is one; truth values are, as in Python.
    pub(super) fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Bool(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// The number, if this is one.
    #[expect(clippy::cast_precision_loss, reason = "the caller asks for a float")]
    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            _ => self.as_integer().map(|number| number as f64),
        }
    }

    pub(super) fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    /// What Python calls the type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined => "Undefined",
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) => "float",
            Self::String(_) | Self::Safe(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Namespace(_) => "Namespace",
            Self::Function(_) | Self::Method(_) => "function",
            Self::Macro(_) => "Macro",
            Self::Loop(_) => "LoopContext",
            Self::Cycler(_) => "Cycler",
            Self::Joiner(_) => "Joiner",
        }
    }
}

impl From<bool> for Val {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<usize> for Val {
    fn from(number: usize) -> Self {
        Self::Integer(i128::try_from(number).unwrap_or(i128::MAX))
    }
}

impl From<&str> for Val {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Val {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// A map in the order of its entries. Keys are equal as Python has it: `1`, `1.0` and `True` are.
#[derive(Debug, Default, Clone)]
pub(super) struct Dict {
    pub(super) entries: Vec<(Val, Val)>,
    /// Where texts stand among the keys, once there are many.
    index: Option<HashMap<Arc<str>, usize>>,
}

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Val> {
        let place = self.place(key)?;
        self.entries.get(place).map(|(_, value)| value)
    }

    pub(super) fn place(&self, key: &str) -> Option<usize> {
        if let Some(index) = &self.index {
            return index.get(key).copied();
        }
        self.entries.iter().position(|(name, _)| name.as_str() == Some(key))
    }

    pub(super) fn set(&mut self, key: Arc<str>, value: Val) {
        if let Some(place) = self.place(&key) {
            if let Some(entry) = self.entries.get_mut(place) {
                entry.1 = value;
            }
            return;
        }
        self.push(Val::String(key), value);
    }

    /// Adds an entry whose key is not there yet.
    pub(super) fn push(&mut self, key: Val, value: Val) {
        let place = self.entries.len();
        if let (Some(index), Val::String(name) | Val::Safe(name)) = (&mut self.index, &key) {
            index.insert(name.clone(), place);
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > SMALL {
            let texts = self.entries.iter().enumerate().filter_map(|(place, (key, _))| match key {
                Val::String(name) | Val::Safe(name) => Some((name.clone(), place)),
                _ => None,
            });
            self.index = Some(texts.collect());
        }
    }

    pub(super) fn remove(&mut self, place: usize) -> Option<(Val, Val)> {
        if place >= self.entries.len() {
            return None;
        }
        let entry = self.entries.remove(place);
        let is_small = self.entries.len() <= SMALL;
        match &mut self.index {
            Some(_) if is_small => self.index = None,
            Some(index) => {
                if let Some(name) = entry.0.as_str() {
                    index.remove(name);
                }
                index.values_mut().filter(|it| **it > place).for_each(|it| *it -= 1);
            }
            None => {}
        }
        Some(entry)
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A loop that runs.
#[derive(Debug, Default)]
pub(super) struct LoopState {
    pub(super) items: Vec<Val>,
    pub(super) index: usize,
    pub(super) depth: usize,
    /// What `changed` was given last.
    pub(super) last: Option<Vec<Val>>,
    /// The loop in the program and its scope, where it may be called.
    pub(super) recursive: Option<(u32, u32)>,
}

/// All that the values of a render refer to.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// Lists and tuples.
    lists: Vec<Vec<Val>>,
    /// Maps and namespaces.
    dicts: Vec<Dict>,
    methods: Vec<(Val, Arc<str>)>,
    /// The macros with the scopes that they were made in.
    pub(super) macros: Vec<(u32, u32)>,
    pub(super) loops: Vec<LoopState>,
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Heap {
    pub(super) fn add_list(&mut self, items: Vec<Val>) -> u32 {
        self.lists.push(items);
        number(self.lists.len() - 1)
    }

    pub(super) fn add_dict(&mut self, dict: Dict) -> u32 {
        self.dicts.push(dict);
        number(self.dicts.len() - 1)
    }

    pub(super) fn add_method(&mut self, value: Val, name: Arc<str>) -> Val {
        self.methods.push((value, name));
        Val::Method(number(self.methods.len() - 1))
    }

    pub(super) fn add_macro(&mut self, definition: u32, scope: u32) -> Val {
        self.macros.push((definition, scope));
        Val::Macro(number(self.macros.len() - 1))
    }

    pub(super) fn add_loop(&mut self, state: LoopState) -> u32 {
        self.loops.push(state);
        number(self.loops.len() - 1)
    }

    pub(super) fn list(&self, id: u32) -> &[Val] {
        self.lists.get(id as usize).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn list_mut(&mut self, id: u32) -> Option<&mut Vec<Val>> {
        self.lists.get_mut(id as usize)
    }

    pub(super) fn dict(&self, id: u32) -> &Dict {
        static NOTHING: Dict = Dict { entries: Vec::new(), index: None };
        self.dicts.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn dict_mut(&mut self, id: u32) -> Option<&mut Dict> {
        self.dicts.get_mut(id as usize)
    }

    pub(super) fn method(&self, id: u32) -> Option<&(Val, Arc<str>)> {
        self.methods.get(id as usize)
    }
}

/// Why a render stopped.
#[derive(Debug)]
pub(super) struct Fault(Box<Cause>);

#[derive(Debug)]
pub(super) struct Cause {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    /// The byte of the template at which it happened.
    pub(super) at: Option<u32>,
}

impl Fault {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Cause { kind, message: message.into(), at: None }))
    }

    /// An error of the template, which Python would raise as well.
    pub(super) fn render(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Render, message)
    }

    pub(super) fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    /// The same fault at a place, unless it has one that is closer.
    pub(super) fn at(mut self, at: u32) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    pub(super) fn into_cause(self) -> Cause {
        *self.0
    }
}

/// What comes of a step.
pub(super) type Outcome<T = Val> = Result<T, Fault>;
