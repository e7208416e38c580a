//! A value as the checker knows it: its type, whether it is present, and its sources.

use std::collections::HashMap;
use std::rc::Rc;

use super::guards::PlaceId;
use super::uses::Sources;
use crate::definition::{Input, Presence, ValueType};
use prompty_core::message::RichKind;
use prompty_core::work::add_steps;

/// The maximum nesting depth of a type.
const MAX_DEPTH: usize = 32;

/// The type of a value in a template.
#[derive(Debug, Clone, Default)]
pub(super) enum Type {
    /// The type is unknown, so every use is accepted.
    #[default]
    Any,
    Null,
    Text,
    Integer,
    Float,
    Boolean,
    /// A string that is one of these values.
    Choice(Rc<[String]>),
    List(Rc<Type>),
    /// A list in parentheses. The engine cannot concatenate it with a list in brackets.
    Tuple(Rc<Type>),
    Object(Rc<ObjectType>),
    /// A map that the template creates.
    Dict,
    /// A value of one of several types. Unlike with `Any`, a use that needs one type is reported.
    Mixed,
    /// The type of the items of an empty list.
    Never,
    /// A value that may be missing. It occurs only inside other types.
    Optional(Rc<Type>),
    /// A thread or media.
    Rich(RichKind),
    /// A name and a value, as the filter `items` returns them.
    Pair(Rc<Type>),
    /// A group, as the filter `groupby` returns it.
    Group(Rc<Type>),
    Loop(Rc<LoopType>),
    Macro(Rc<MacroType>),
    /// A value of `namespace()`. A template can change its attributes.
    Namespace,
}

/// A map whose fields are declared.
#[derive(Debug)]
pub(super) struct ObjectType {
    /// The names of the fields, in order.
    pub(super) names: Vec<String>,
    pub(super) fields: HashMap<String, Type>,
    /// Whether it may have further fields.
    pub(super) open: bool,
}

/// The variable `loop`.
#[derive(Debug)]
pub(super) struct LoopType {
    /// An item of the list.
    pub(super) item: Value,
    /// Whether the loop may call itself.
    pub(super) recursive: bool,
}

#[derive(Debug)]
pub(super) struct MacroType {
    pub(super) parameters: Vec<String>,
    /// How the macro uses `caller`.
    pub(super) caller: CallerUse,
}

/// How a macro uses `caller`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CallerUse {
    /// It does not use `caller`, so it cannot be used with `call`.
    #[default]
    None,
    /// It tests `caller` before it calls it.
    Guarded,
    /// It always calls `caller`, so it can only be used with `call`.
    Needed,
}

/// Whether a value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Absence {
    /// It is always present.
    #[default]
    Never,
    /// It comes from an expression that may return nothing, such as `first`.
    Computed,
    /// It is declared optional.
    Declared,
}

/// A value in a template.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    pub(super) kind: Type,
    pub(super) absence: Absence,
    /// The identity of the value for guards; `None` if guards cannot refer to it.
    pub(super) place: Option<PlaceId>,
    /// The parts of the inputs that the value comes from.
    pub(super) sources: Sources,
    /// Whether the value is a field or an item that has no fallback.
    pub(super) is_read: bool,
    /// The places that are present if this value is true.
    pub(super) when_true: Vec<PlaceId>,
    /// The places that are present if this value is false.
    pub(super) when_false: Vec<PlaceId>,
}

/// The value that names in a Handlebars block are looked up in.
#[derive(Debug, Clone)]
pub(super) enum BlockValue {
    Value(Value),
    /// Names are looked up as outside of the block.
    Around,
}

impl Value {
    pub(super) fn new(kind: Type) -> Self {
        Self { kind, ..Self::default() }
    }

    pub(super) fn any() -> Self {
        Self::new(Type::Any)
    }

    /// A value that is one of two. The caller sets its sources.
    pub(super) fn one_of(left: &Self, right: &Self) -> Self {
        let mut value = Self::from_type(&left.kind.or(&right.kind));
        let absence = left.absence.max(right.absence);
        // `x if c else none` has an optional type, but was not declared optional.
        let own = if value.absence == Absence::Never { Absence::Never } else { Absence::Computed };
        value.absence = absence.max(own);
        value
    }

    /// The same value without its facts about other values.
    pub(super) fn without_facts(mut self) -> Self {
        self.when_true.clear();
        self.when_false.clear();
        self
    }

    /// A value of a type. An optional type makes the value one that may be missing.
    pub(super) fn from_type(kind: &Type) -> Self {
        match kind {
            Type::Optional(inner) => {
                Self { absence: Absence::Declared, ..Self::new(Type::clone(inner)) }
            }
            Type::Never => Self::any(),
            other => Self::new(other.clone()),
        }
    }
}

impl Type {
    /// The type of the value, if it is present.
    pub(super) fn without_optional(&self) -> Self {
        Value::from_type(self).kind
    }

    /// The type of the values of an input.
    pub(super) fn of(value_type: &ValueType) -> Self {
        match value_type {
            ValueType::String => Self::Text,
            ValueType::Integer => Self::Integer,
            ValueType::Float => Self::Float,
            ValueType::Boolean => Self::Boolean,
            ValueType::Choice(values) => Self::Choice(values.clone().into()),
            ValueType::Array(item) => {
                Self::list(item.as_ref().map_or(Self::Any, |item| Self::of(&item.value_type)))
            }
            ValueType::Object(fields) => Self::Object(Rc::new(ObjectType::new(fields))),
            ValueType::Rich(kind) => Self::Rich(*kind),
            ValueType::Optional(inner) => Self::of(inner).into_optional(),
            ValueType::Any
            | ValueType::Union(_)
            | ValueType::Foreign(_)
            | ValueType::Unknown(_) => Self::Any,
        }
    }

    pub(super) fn list(item: Self) -> Self {
        Self::List(item.into_part())
    }

    pub(super) fn tuple(item: Self) -> Self {
        Self::Tuple(item.into_part())
    }

    pub(super) fn into_optional(self) -> Self {
        match self {
            Self::Optional(_) => self,
            other => Self::Optional(other.into_part()),
        }
    }

    /// The type as part of another type. A type that is nested too deeply becomes `Any`. Thus
    /// nesting lists ten thousand times costs little time and no stack.
    pub(super) fn into_part(self) -> Rc<Self> {
        let mut inner = &self;
        for _ in 0..MAX_DEPTH {
            add_steps(1);
            match inner {
                Self::List(item)
                | Self::Tuple(item)
                | Self::Optional(item)
                | Self::Pair(item)
                | Self::Group(item) => inner = item,
                _ => return Rc::new(self),
            }
        }
        Rc::new(Self::Any)
    }

    /// The type of a value that is of one type or the other. The order of the cases matters: rich
    /// types, types of one kind, `Never`, `Any`, `Null`, optional types. All others are `Mixed`.
    pub(super) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            // A value that may be a thread or media can only be used like one.
            (Self::Rich(_), _) => self.clone(),
            (_, Self::Rich(_)) => other.clone(),
            (Self::Text | Self::Choice(_), Self::Text) | (Self::Text, Self::Choice(_)) => {
                Self::Text
            }
            (Self::Integer, Self::Integer) => Self::Integer,
            (Self::Integer | Self::Float, Self::Integer | Self::Float) => Self::Float,
            (Self::Boolean, Self::Boolean) => Self::Boolean,
            (Self::Choice(left), Self::Choice(right)) if left == right => self.clone(),
            (Self::Choice(_), Self::Choice(_)) => Self::Text,
            (Self::List(left), Self::List(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::List(left), Self::List(right)) => Self::list(left.shallow_or(right)),
            (Self::Tuple(left), Self::Tuple(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::Tuple(left), Self::Tuple(right)) => Self::tuple(left.shallow_or(right)),
            (Self::Object(left), Self::Object(right)) if Rc::ptr_eq(left, right) => self.clone(),
            (Self::Namespace, Self::Namespace) => Self::Namespace,
            (Self::Dict, Self::Dict) => Self::Dict,
            (Self::Never, other) | (other, Self::Never) => other.clone(),
            (Self::Any, _) | (_, Self::Any) => Self::Any,
            (Self::Null, Self::Null) => Self::Null,
            (Self::Null, other) | (other, Self::Null) => other.clone().into_optional(),
            (Self::Optional(left), Self::Optional(right)) => left.or(right).into_optional(),
            (Self::Optional(inner), other) | (other, Self::Optional(inner)) => {
                inner.or(other).into_optional()
            }
            (Self::Macro(left), Self::Macro(right)) if Rc::ptr_eq(left, right) => self.clone(),
            _ => Self::Mixed,
        }
    }

    /// Like [`Type::or`], but does not merge lists of lists, which limits the work.
    fn shallow_or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::List(left), Self::List(right)) | (Self::Tuple(left), Self::Tuple(right))
                if !Rc::ptr_eq(left, right) =>
            {
                Self::Mixed
            }
            _ => self.or(other),
        }
    }

    /// The type, as messages describe it.
    pub(super) fn description(&self) -> &'static str {
        match self {
            Self::Any | Self::Never | Self::Optional(_) => "a value",
            Self::Null => "`none`",
            Self::Mixed => "a value of several types",
            Self::Text | Self::Choice(_) => "a string",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::Boolean => "a boolean",
            Self::List(_) | Self::Tuple(_) => "a list",
            Self::Object(_) | Self::Dict => "a map",
            Self::Rich(kind) => kind.with_article(),
            Self::Pair(_) => "a pair",
            Self::Group(_) => "a group",
            Self::Loop(_) => "the `loop` variable",
            Self::Macro(_) => "a macro",
            Self::Namespace => "a namespace",
        }
    }

    /// The class of the type; `None` if it is unknown. Values of different classes are never equal.
    pub(super) fn class(&self) -> Option<TypeClass> {
        match self {
            Self::Text | Self::Choice(_) => Some(TypeClass::Text),
            Self::Integer | Self::Float | Self::Boolean => Some(TypeClass::Number),
            Self::List(_) | Self::Tuple(_) | Self::Pair(_) | Self::Group(_) => {
                Some(TypeClass::List)
            }
            Self::Object(_) | Self::Dict | Self::Namespace => Some(TypeClass::Map),
            Self::Any
            | Self::Never
            | Self::Null
            | Self::Mixed
            | Self::Optional(_)
            | Self::Rich(_)
            | Self::Loop(_)
            | Self::Macro(_) => None,
        }
    }
}

/// A class of types. Values of different classes are never equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeClass {
    Text,
    Number,
    List,
    Map,
}

impl ObjectType {
    /// A map with these fields. Without declared fields it may have any fields.
    fn new(fields: &[Input]) -> Self {
        let names = fields.iter().map(|field| field.name.clone()).collect();
        let typed = fields.iter().map(|field| {
            let kind = Type::of(&field.value_type);
            let is_optional = field.presence() == Presence::Optional;
            (field.name.clone(), if is_optional { kind.into_optional() } else { kind })
        });
        Self { names, fields: typed.collect(), open: fields.is_empty() }
    }
}
