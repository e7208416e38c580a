//! What names, constants and calls of helpers are worth while a template renders, and what that costs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use super::calculate;
use crate::engine::budget::Budget;
use crate::engine::functions::HostFunction;
use crate::engine::{EngineOptions, RenderFailure, RichInput, Scope, Undefined};
use prompty_core::diagnostic::Span;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};
use prompty_template::RenderLimits;
use prompty_template::handlebars::helpers;
use prompty_template::tree::{
    Argument, BinaryOperator, Call, ContextKind, Expr, ExprKind, UnaryOperator,
};

/// What an item of a list that a helper makes takes up.
const ITEM: usize = 32;
/// How deep the lists that helpers make may lie in each other.
const MAX_DEPTH: usize = 64;

/// What is the same for all renders of a template.
pub(super) struct Settings {
    pub(super) limits: RenderLimits,
    undefined: Undefined,
    /// The functions of the host by the names that templates call them by.
    functions: BTreeMap<String, HostFunction>,
}

impl Settings {
    pub(super) fn new(options: &EngineOptions<'_>) -> Self {
        let functions = options.extensions.functions();
        Self {
            limits: options.limits,
            undefined: options.undefined,
            functions: functions
                .map(|(name, it)| (helpers::function_name(name).into_owned(), it.clone()))
                .collect(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("limits", &self.limits)
            .field("undefined", &self.undefined)
            .field("functions", &self.functions.keys())
            .finish()
    }
}

/// What an expression stands for.
#[derive(Debug, Clone)]
pub(super) enum Found<'a> {
    Value(Value),
    Rich(&'a RichInput),
    Missing,
    /// All inputs.
    Inputs,
}

impl Found<'_> {
    /// Whether an `if` holds: false are zero and the empty text and list, and a map is true.
    fn is_true(&self) -> bool {
        match self {
            Self::Value(Value::Object(_)) | Self::Inputs => true,
            Self::Value(Value::Float(number)) => *number != 0.0 && !number.is_nan(),
            Self::Value(value) => value.is_true(),
            Self::Rich(rich) => rich.present,
            Self::Missing => false,
        }
    }
}

/// What a block is entered with, once or more often.
pub(super) enum Values<'a> {
    List(Arc<Vec<Value>>),
    Map(Map),
    One(Found<'a>),
}

impl Values<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Map(entries) => entries.len(),
            Self::One(_) => 1,
        }
    }
}

/// A block that is being written.
pub(super) struct Frame<'a> {
    value: Found<'a>,
    /// The names behind `as`.
    parameters: &'a [Box<str>],
    /// `@index`, `@key`, and how many there are; nothing where it is one value.
    turn: Option<(usize, Value, usize)>,
    /// Whether `@index` can be asked of it.
    repeats: bool,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        values: &Values<'a>,
        index: usize,
        kind: ContextKind,
        parameters: &'a [Box<str>],
    ) -> Self {
        let (value, key) = match values {
            Values::List(items) => (items.get(index).cloned(), Some(count(index))),
            Values::Map(entries) => match entries.entry(index) {
                Some((name, value)) => (Some(value.clone()), Some(Value::from(Arc::clone(name)))),
                None => (None, None),
            },
            Values::One(found) => {
                let (value, repeats) = (found.clone(), kind != ContextKind::With);
                return Self { value, parameters, turn: None, repeats };
            }
        };
        let value = value.map_or(Found::Missing, Found::Value);
        let turn = key.map(|key| (index, key, values.len()));
        Self { value, parameters, turn, repeats: true }
    }

    /// `@index` and the like.
    fn variable(&self, name: &str) -> Option<Value> {
        let (index, key, length) = self.turn.as_ref()?;
        Some(match name {
            "index" => count(*index),
            "key" => key.clone(),
            "first" => Value::from(*index == 0),
            _ => Value::from(index + 1 == *length),
        })
    }
}

/// One render on its way.
pub(super) struct Run<'a> {
    settings: &'a Settings,
    scope: Scope<'a>,
    frames: Vec<Frame<'a>>,
    /// What `set` has given names.
    assigned: HashMap<&'a str, Found<'a>>,
    pub(super) budget: Budget,
    /// Why the render has stopped.
    pub(super) failure: Option<RenderFailure>,
}

impl<'a> Run<'a> {
    pub(super) fn new(settings: &'a Settings, scope: Scope<'a>) -> Self {
        Self {
            settings,
            scope,
            frames: Vec::new(),
            assigned: HashMap::new(),
            budget: Budget::new(settings.limits),
            failure: None,
        }
    }

    pub(super) fn push(&mut self, frame: Frame<'a>, span: Span) -> Result<(), RenderFailure> {
        let max_depth = self.settings.limits.max_depth;
        if self.frames.len() >= max_depth {
            let message = format!("blocks run deeper than {max_depth} levels in each other");
            let error = Error::new(ErrorKind::Limit, message)
                .with_help("raise `max_depth` of the render limits");
            return Err(RenderFailure::new(error, Some(span)));
        }
        self.frames.push(frame);
        Ok(())
    }

    pub(super) fn pop(&mut self) {
        self.frames.pop();
    }

    pub(super) fn set(&mut self, name: &'a str, value: &Expr) -> Result<(), RenderFailure> {
        let found = match self.found(value)? {
            Found::Missing | Found::Inputs => Found::Value(Value::Null),
            found => found,
        };
        self.assigned.insert(name, found);
        Ok(())
    }

    /// What a tag prints.
    pub(super) fn printed(&mut self, expr: &Expr) -> Result<Found<'a>, RenderFailure> {
        let found = self.found(expr)?;
        self.refuse_missing(&found, expr)?;
        Ok(found)
    }

    /// The number of the first condition that holds.
    pub(super) fn first_true(
        &mut self,
        conditions: &[Expr],
    ) -> Result<Option<usize>, RenderFailure> {
        for (index, condition) in conditions.iter().enumerate() {
            let found = self.found(condition)?;
            if found.is_true() {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// What a block is entered with; nothing where its `else` is written.
    pub(super) fn enter(
        &mut self,
        kind: ContextKind,
        subject: &Expr,
    ) -> Result<Option<Values<'a>>, RenderFailure> {
        let found = self.found(subject)?;
        if kind == ContextKind::Section {
            self.refuse_missing(&found, subject)?;
        }
        Ok(match (kind, found) {
            (ContextKind::Each, Found::Value(Value::Array(items))) if !items.is_empty() => {
                Some(Values::List(items))
            }
            (ContextKind::Each, Found::Value(Value::Object(map))) if !map.is_empty() => {
                Some(Values::Map(map))
            }
            (ContextKind::Each, _) => None,
            (ContextKind::With, found) => {
                let is_zero = matches!(found, Found::Value(Value::Integer(_) | Value::Float(_)));
                (is_zero || found.is_true()).then_some(Values::One(found))
            }
            (ContextKind::Section, Found::Value(Value::Array(items))) => {
                (!items.is_empty()).then_some(Values::List(items))
            }
            (ContextKind::Section, Found::Value(Value::Bool(is_true))) => {
                is_true.then(|| Values::One(self.around(0)))
            }
            (ContextKind::Section, Found::Value(Value::Null) | Found::Missing) => None,
            (ContextKind::Section, Found::Rich(rich)) if !rich.present => None,
            (ContextKind::Section, found) => Some(Values::One(found)),
        })
    }

    /// Refuses, in strict mode, what has no value.
    fn refuse_missing(&self, found: &Found<'_>, expr: &Expr) -> Result<(), RenderFailure> {
        match (found, self.settings.undefined) {
            (Found::Missing, Undefined::Error) => Err(undefined(expr)),
            _ => Ok(()),
        }
    }

    /// The value of a block around, or all inputs.
    fn around(&self, up: usize) -> Found<'a> {
        let index = self.frames.len().checked_sub(up + 1);
        let frame = index.and_then(|index| self.frames.get(index));
        frame.map_or(Found::Inputs, |frame| frame.value.clone())
    }

    /// The text of an attribute of a message.
    pub(super) fn attribute_text(&mut self, expr: &Expr) -> Result<String, RenderFailure> {
        let value = match self.printed(expr)? {
            Found::Rich(rich) => return Err(rich.refused_as_attribute(expr.span)),
            Found::Value(value) => value,
            Found::Missing | Found::Inputs => Value::Null,
        };
        self.budget.text(&value)
    }

    /// The value of an expression as an argument.
    fn value(&mut self, expr: &Expr) -> Result<Value, RenderFailure> {
        match self.found(expr)? {
            Found::Value(value) => Ok(value),
            Found::Rich(rich) => Err(rich.refused_as_argument(expr.span)),
            Found::Missing | Found::Inputs => Ok(Value::Null),
        }
    }

    fn found(&mut self, expr: &Expr) -> Result<Found<'a>, RenderFailure> {
        self.budget.spend(1)?;
        let value = match &expr.kind {
            ExprKind::Literal(value) => value.clone(),
            ExprKind::Variable(name) => return self.variable(name, expr.span),
            ExprKind::Context(up) => return Ok(self.around(*up)),
            ExprKind::Attribute { value, name } => {
                let is_plain = matches!(value.kind, ExprKind::Context(_))
                    && value.span.start == value.span.end;
                if is_plain && self.settings.functions.contains_key(name.text.as_str()) {
                    self.function(&name.text, Vec::new(), &Map::new(), expr.span)?
                } else {
                    let owner = self.found(value)?;
                    return self.attribute(owner, &name.text);
                }
            }
            ExprKind::Index { value, index } => {
                let owner = self.found(value)?;
                let index = self.value(index)?;
                return self.item(owner, &index);
            }
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let found = self.found(operand)?;
                Value::from(!found.is_true())
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                let found = self.found(left)?;
                if found.is_true() {
                    return Ok(found);
                }
                return self.found(right);
            }
            ExprKind::Binary { operator, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                calculate::compared(&mut self.budget, *operator, &left, &right)
                    .map_err(|it| it.at(expr.span))?
            }
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?;
                self.list(items, expr.span)?
            }
            ExprKind::Function(call) => self.call(call, expr.span)?,
            _ => {
                let error = Error::new(ErrorKind::Render, "Handlebars has no such expression");
                return Err(RenderFailure::new(error, Some(expr.span)));
            }
        };
        Ok(Found::Value(value))
    }

    fn variable(&mut self, name: &str, span: Span) -> Result<Found<'a>, RenderFailure> {
        self.budget.read(name.len().saturating_mul(self.frames.len().saturating_add(1)))?;
        if let Some(data) = name.strip_prefix('@') {
            let plain = data.trim_start_matches("../");
            let up = (data.len() - plain.len()) / "../".len();
            let frame = self.frames.iter().rev().filter(|frame| frame.repeats).nth(up);
            let value = frame.and_then(|frame| frame.variable(plain));
            return Ok(value.map_or(Found::Missing, Found::Value));
        }
        for frame in self.frames.iter().rev() {
            match frame.parameters.iter().position(|parameter| **parameter == *name) {
                Some(0) => return Ok(frame.value.clone()),
                Some(_) => {
                    let key = frame.turn.as_ref().map(|(_, key, _)| key.clone());
                    return Ok(key.map_or(Found::Missing, Found::Value));
                }
                None => {}
            }
        }
        if let Some(found) = self.assigned.get(name) {
            return Ok(found.clone());
        }
        if self.settings.functions.contains_key(name) {
            return self.function(name, Vec::new(), &Map::new(), span).map(Found::Value);
        }
        Ok(self.input(name))
    }

    fn input(&self, name: &str) -> Found<'a> {
        if let Some(rich) = self.scope.rich.iter().find(|rich| rich.name == name) {
            return Found::Rich(rich);
        }
        self.scope.inputs.get(name).map_or(Found::Missing, |value| Found::Value(value.clone()))
    }

    fn attribute(&mut self, owner: Found<'a>, name: &str) -> Result<Found<'a>, RenderFailure> {
        self.budget.read(name.len())?;
        let value = match owner {
            Found::Inputs => return Ok(self.input(name)),
            Found::Value(Value::Object(map)) => map.get(name).cloned(),
            Found::Value(Value::Array(items)) if name == "length" => Some(count(items.len())),
            Found::Value(Value::String(text)) if name == "length" => {
                self.budget.read(text.len())?;
                Some(count(text.chars().count()))
            }
            Found::Value(_) | Found::Rich(_) | Found::Missing => None,
        };
        Ok(value.map_or(Found::Missing, Found::Value))
    }

    /// An item of a list, or an entry of a map, by a computed name.
    fn item(&mut self, owner: Found<'a>, index: &Value) -> Result<Found<'a>, RenderFailure> {
        let name: Cow<'_, str> = match index {
            Value::String(text) => Cow::Borrowed(text),
            Value::Integer(number) => Cow::Owned(number.to_string()),
            _ => return Ok(Found::Missing),
        };
        if let Found::Value(Value::Array(items)) = &owner
            && let Ok(index) = name.parse::<usize>()
        {
            return Ok(items.get(index).cloned().map_or(Found::Missing, Found::Value));
        }
        self.attribute(owner, &name)
    }

    /// A call of a helper, or of a function of the host.
    fn call(&mut self, call: &Call, span: Span) -> Result<Value, RenderFailure> {
        let name = call.name.text.as_str();
        let is_own = self.settings.functions.contains_key(name);
        if name == "or" && !is_own {
            return self.any_is_true(&call.arguments);
        }
        let mut values = Vec::with_capacity(call.arguments.len());
        let mut named = Map::new();
        for argument in &call.arguments {
            let value = self.value(argument.expr())?;
            match argument {
                Argument::Named(name, _) => {
                    named.insert(name.text.as_str(), value);
                }
                _ => values.push(value),
            }
        }
        if is_own {
            return self.function(name, values, &named, span);
        }
        if name == "log" {
            return Ok(Value::Null);
        }
        calculate::helper(&mut self.budget, name, &values).map_err(|wrong| wrong.at(span))
    }

    fn any_is_true(&mut self, arguments: &[Argument]) -> Result<Value, RenderFailure> {
        for argument in arguments {
            if self.found(argument.expr())?.is_true() {
                return Ok(Value::from(true));
            }
        }
        Ok(Value::from(false))
    }

    /// Calls a function of the host, which sees the inputs, too.
    fn function(
        &self,
        name: &str,
        positional: Vec<Value>,
        named: &Map,
        span: Span,
    ) -> Result<Value, RenderFailure> {
        let Some(function) = self.settings.functions.get(name) else { return Ok(Value::Null) };
        let inputs = self.scope.inputs.clone();
        function
            .arguments(name, inputs, positional, named)
            .and_then(|arguments| function.call_now(name, &arguments))
            .map_err(|error| RenderFailure::new(error, Some(span)))
    }

    /// A list, which is paid for with all that it holds.
    fn list(&mut self, items: Vec<Value>, span: Span) -> Result<Value, RenderFailure> {
        self.budget.build(items.len().saturating_mul(ITEM))?;
        for item in &items {
            self.measure(item, MAX_DEPTH, span)?;
        }
        Ok(Value::from(items))
    }

    fn measure(&mut self, value: &Value, depth: usize, span: Span) -> Result<(), RenderFailure> {
        let Some(depth) = depth.checked_sub(1) else {
            let message = format!("lists lie deeper than {MAX_DEPTH} levels in each other");
            return Err(RenderFailure::new(Error::new(ErrorKind::Limit, message), Some(span)));
        };
        self.budget.build(ITEM)?;
        match value {
            Value::String(text) => self.budget.build(text.len()),
            Value::Array(items) => items.iter().try_for_each(|it| self.measure(it, depth, span)),
            Value::Object(map) => map.values().try_for_each(|it| self.measure(it, depth, span)),
            _ => Ok(()),
        }
    }
}

/// A number of things as a value.
pub(super) fn count(number: usize) -> Value {
    Value::from(number)
}

fn undefined(expr: &Expr) -> RenderFailure {
    let (message, help) = match &expr.kind {
        ExprKind::Variable(name) => (
            format!("`{name}` is undefined"),
            format!("give `{name}` a value, or declare it as an input with a default"),
        ),
        ExprKind::Attribute { name, .. } => (
            format!("`{}` is undefined: the value has no such attribute", name.text),
            format!(
                "give it a value, or print it only where it has one: `{{{{#if {}}}}}…`",
                name.text
            ),
        ),
        _ => (
            "what is printed here is undefined".to_owned(),
            "print it only where it has a value: `{{#if …}}`".to_owned(),
        ),
    };
    let error = Error::new(ErrorKind::Undefined, message).with_help(help);
    RenderFailure::new(error, Some(expr.span))
}
