//! Evaluates expressions.

use std::sync::Arc;

use super::arguments::Arguments;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::NewList;
use super::methods::Method;
use super::program::{Argument, Call, Expr, ExprKind, Filter};
use super::run::{Run, TestFn};
use super::text::Text;
use super::value::{Outcome, VALUE, Val};
use prompty_core::template::tree::BinaryOperator;
use prompty_core::value::Value;
use prompty_core::work::add_steps;

impl<'p> Run<'p> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(Val::of_scalar(value).unwrap_or(Val::None)),
            ExprKind::Name(name) => self.variable(*name),
            _ => {
                self.enter().map_err(|fault| fault.at(expr.at))?;
                let value = self.eval_open(expr).map_err(|fault| fault.at(expr.at))?;
                self.leave();
                Ok(value)
            }
        }
    }

    fn eval_open(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Attribute(value, name) => {
                let object = self.eval(value)?;
                if object.is_undefined() {
                    return Err(self.undefined(value));
                }
                self.attribute(&object, name)
            }
            ExprKind::Item(value, index) => {
                let object = self.eval(value)?;
                if object.is_undefined() {
                    return Err(self.undefined(value));
                }
                let index = self.eval(index)?;
                self.item(&object, &index)
            }
            ExprKind::Not(value) => {
                let value = self.eval(value)?;
                Ok(Val::Bool(!self.is_true(&value)))
            }
            ExprKind::And(left, right) => {
                let left = self.eval(left)?;
                if self.is_true(&left) { self.eval(right) } else { Ok(left) }
            }
            ExprKind::Or(left, right) => {
                let left = self.eval(left)?;
                if self.is_true(&left) { Ok(left) } else { self.eval(right) }
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.eval(condition)?;
                match otherwise {
                    _ if self.is_true(&condition) => self.eval(value),
                    Some(otherwise) => self.eval(otherwise),
                    None => Ok(Val::Undefined),
                }
            }
            ExprKind::Compare(first, rest) => self.eval_comparison(first, rest),
            ExprKind::Test(value, test) => self.eval_test(value, test),
            ExprKind::Filter(value, filter) => {
                let value = self.eval(value)?;
                self.apply(filter, &value)
            }
            ExprKind::Call(callee, arguments) => self.eval_call(callee, arguments, None),
            _ => self.eval_rare(expr),
        }
    }

    #[inline(never)]
    fn eval_rare(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::List(items) => {
                let items = self.eval_all(items)?;
                self.list(items)
            }
            ExprKind::Tuple(items) => {
                let items = self.eval_all(items)?;
                self.tuple(items)
            }
            ExprKind::Dict(entries) => {
                let mut dict = Dict::default();
                for (key, value) in entries {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    self.insert(&mut dict, key, value)?;
                }
                self.dict(dict)
            }
            ExprKind::Slice(value, bounds) => {
                let value = self.eval(value)?;
                let mut numbers = [None; 3];
                for (number, bound) in numbers.iter_mut().zip(bounds.iter()) {
                    let Some(bound) = bound else { continue };
                    *number = match self.eval(bound)? {
                        Val::None => None,
                        bound => match bound.as_integer() {
                            Some(integer) => Some(integer),
                            None => return Err(Fault::render("a slice's bounds must be integers")),
                        },
                    };
                }
                self.slice(&value, numbers)
            }
            ExprKind::Minus(value) => {
                let value = self.eval(value)?;
                match (&value, value.as_integer()) {
                    (Val::Float(number), _) => Ok(Val::Float(-number)),
                    (_, Some(number)) => number
                        .checked_neg()
                        .map(Val::Integer)
                        .ok_or_else(|| Fault::limit("this number is too large")),
                    _ => Err(bad_operand("-", &value)),
                }
            }
            ExprKind::Plus(value) => {
                let value = self.eval(value)?;
                match (&value, value.as_integer()) {
                    (Val::Float(_), _) => Ok(value),
                    (_, Some(number)) => Ok(Val::Integer(number)),
                    _ => Err(bad_operand("+", &value)),
                }
            }
            ExprKind::Arithmetic(operator, left, right) => {
                let left_value = self.eval(left)?;
                let right_value = self.eval(right)?;
                if left_value.is_undefined() {
                    return Err(self.undefined(left));
                }
                if right_value.is_undefined() {
                    return Err(self.undefined(right));
                }
                self.arithmetic(*operator, &left_value, &right_value)
            }
            ExprKind::Concatenate(parts) => {
                let mut text = self.writer();
                for part in parts {
                    let part = self.eval(part)?;
                    self.write_text(&part, &mut text)?;
                }
                text.finish().map(Val::String)
            }
            _ => Ok(Val::Undefined),
        }
    }

    fn eval_all(&mut self, exprs: &'p [Expr]) -> Outcome<NewList> {
        let mut items = NewList::default();
        for expr in exprs {
            items.push(self.eval(expr)?, &self.meter)?;
        }
        Ok(items)
    }

    #[inline(never)]
    fn eval_comparison(&mut self, first: &'p Expr, rest: &'p [(BinaryOperator, Expr)]) -> Outcome {
        let mut left = self.eval(first)?;
        for (operator, operand) in rest {
            let right = self.eval(operand)?;
            if !self.compare(*operator, &left, &right)? {
                return Ok(Val::Bool(false));
            }
            left = right;
        }
        Ok(Val::Bool(true))
    }

    #[inline(never)]
    fn eval_test(&mut self, value: &'p Expr, test: &'p Call<TestFn>) -> Outcome {
        let value = self.eval(value)?;
        let function = test.function.ok_or_else(|| Fault::missing("test", &test.name))?;
        let arguments = self.arguments(&test.arguments)?;
        function(self, &value, arguments.positional.behind(0)).map(Val::Bool)
    }

    /// Applies a filter to a value.
    #[inline(never)]
    pub(super) fn apply(&mut self, filter: &'p Filter, value: &Val) -> Outcome {
        let missing = || Fault::missing("filter", &filter.name).at(filter.at);
        let function = filter.function.ok_or_else(missing)?;
        let arguments = self.arguments(&filter.arguments)?;
        function(self, value, &arguments).map_err(|fault| fault.at(filter.at))
    }

    /// The arguments of a call; of none there is nothing to do, as for most tests and filters.
    #[inline]
    fn arguments(&mut self, arguments: &'p [Argument]) -> Outcome<Arguments> {
        if arguments.is_empty() { Ok(Arguments::default()) } else { self.some_arguments(arguments) }
    }

    #[inline(never)]
    fn some_arguments(&mut self, arguments: &'p [Argument]) -> Outcome<Arguments> {
        let mut given = Arguments::default();
        for argument in arguments {
            let value = self.eval(argument.expr())?;
            match argument {
                Argument::Positional(_) => given.positional.push_bounded(value, &self.meter)?,
                Argument::Named(name, _) => given.name(&Text::shared(name), value, &self.meter)?,
                Argument::List(_) => {
                    let mut items = self.items(&value)?;
                    while let Some(item) = items.next(self)? {
                        given.positional.push(item, &self.meter)?;
                    }
                }
                Argument::Dict(_) => {
                    let Val::Dict(id) = value else {
                        return Err(Fault::render("what follows `**` must be a map"));
                    };
                    let dict = self.heap.dict(id);
                    self.meter.pay_built(dict.len().saturating_mul(2 * VALUE))?;
                    for entry in dict.each(&self.meter) {
                        let (name, value) = entry?;
                        if let Some(name) = name.as_text() {
                            given.name(name, value.clone(), &self.meter)?;
                        }
                    }
                }
            }
        }
        Ok(given)
    }

    /// A call in a `call` block.
    pub(super) fn eval_with_caller(&mut self, call: &'p Expr, caller: Val) -> Outcome {
        let ExprKind::Call(callee, arguments) = &call.kind else { return Ok(Val::Undefined) };
        self.eval_call(callee, arguments, Some(caller)).map_err(|fault| fault.at(call.at))
    }

    #[inline(never)]
    fn eval_call(
        &mut self,
        callee: &'p Expr,
        arguments: &'p [Argument],
        caller: Option<Val>,
    ) -> Outcome {
        let function = match &callee.kind {
            ExprKind::Attribute(value, name) => {
                let object = self.eval(value)?;
                if object.is_undefined() {
                    return Err(self.undefined(value));
                }
                // A method is called without being made a value first.
                if let Some(method) = Method::of(&object, name) {
                    let arguments = self.arguments(arguments)?;
                    return self.call_method(&object, method, name, &arguments);
                }
                self.attribute(&object, name)?
            }
            _ => self.eval(callee)?,
        };
        if function.is_undefined() {
            return Err(self.undefined(callee));
        }
        let arguments = self.arguments(arguments)?;
        self.call(&function, &arguments, caller)
    }

    /// Calls a value.
    pub(super) fn call(
        &mut self,
        function: &Val,
        arguments: &Arguments,
        caller: Option<Val>,
    ) -> Outcome {
        match function {
            Val::Function(function) => self.call_function(*function, arguments),
            Val::Macro(id) => self.call_macro(*id, arguments, caller),
            Val::Method(id) => {
                let Some((object, name)) = self.heap.method(*id).cloned() else {
                    return Ok(Val::Undefined);
                };
                match Method::of(&object, &name) {
                    Some(method) => self.call_method(&object, method, &name, arguments),
                    None => Ok(Val::Undefined),
                }
            }
            Val::Loop(id) => self.repeat_again(*id, arguments.need(0, "iterable")?),
            Val::Joiner(id) => {
                if self.heap.list(*id).len() == 1 {
                    self.heap.list_mut(*id).push(Val::None, &self.meter)?;
                    return Ok(Val::literal(""));
                }
                Ok(self.heap.list(*id).get(0).cloned().unwrap_or(Val::Undefined))
            }
            _ => Err(Fault::render(format!("a {} cannot be called", function.type_name()))),
        }
    }

    /// The error for something that is not there.
    fn undefined(&self, expr: &Expr) -> Fault {
        let message = match &expr.kind {
            ExprKind::Name(name) => {
                let name = self.program.names.get(*name as usize).map_or("", |name| name);
                format!("`{name}` is undefined")
            }
            ExprKind::Attribute(_, name) => format!("there is no attribute `{name}`"),
            ExprKind::Item(_, index) => match &index.kind {
                ExprKind::Literal(Value::String(name)) => format!("there is no entry `{name}`"),
                ExprKind::Literal(Value::Integer(number)) => format!("there is no item {number}"),
                _ => "there is no such item".to_owned(),
            },
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Attribute(_, name) => format!("`{name}()` gave nothing"),
                _ => "this call gave nothing".to_owned(),
            },
            _ => "this is undefined".to_owned(),
        };
        Fault::render(message).at(expr.at)
    }

    /// `value.name`: an attribute as Python has it, or else an entry of that name.
    pub(super) fn attribute(&mut self, value: &Val, name: &Arc<str>) -> Outcome {
        if Method::of(value, name).is_some() {
            return self.heap.add_method(value.clone(), name.clone(), &self.meter);
        }
        Ok(match value {
            Val::Dict(id) | Val::Namespace(id) => {
                let found = self.heap.dict(*id).get(name, &self.meter)?;
                found.cloned().unwrap_or(Val::Undefined)
            }
            Val::Loop(id) => self.loop_attribute(*id, name)?,
            Val::Macro(id) if &**name == "name" => {
                let definition = self.heap.macro_parts(*id).map(|(definition, _)| definition);
                let definition = definition.and_then(|it| self.program.macros.get(it as usize));
                let name = definition.and_then(|it| self.program.names.get(it.name as usize));
                name.map_or(Val::Undefined, |name| Val::String(Text::shared(name)))
            }
            Val::Cycler(id) if &**name == "current" => {
                let index = self.heap.list(*id).get(0).and_then(Val::as_integer);
                let index = usize::try_from(index.unwrap_or_default()).unwrap_or_default();
                self.heap.list(*id).get(index + 1).cloned().unwrap_or(Val::Undefined)
            }
            _ => Val::Undefined,
        })
    }

    fn loop_attribute(&mut self, id: u32, name: &str) -> Outcome {
        let Some(running) = self.heap.loop_state(id) else { return Ok(Val::Undefined) };
        let (index, count) = (running.index, running.items.len());
        let beside = |index: Option<usize>| {
            let item = index.and_then(|index| running.items.get(index));
            item.cloned().unwrap_or(Val::Undefined)
        };
        Ok(match name {
            "index" => Val::from(index + 1),
            "index0" => Val::from(index),
            "revindex" => Val::from(count.saturating_sub(index)),
            "revindex0" => Val::from(count.saturating_sub(index + 1)),
            "first" => Val::Bool(index == 0),
            "last" => Val::Bool(index + 1 == count),
            "length" => Val::from(count),
            "depth" => Val::from(running.depth + 1),
            "depth0" => Val::from(running.depth),
            "previtem" => beside(index.checked_sub(1)),
            "nextitem" => beside(index.checked_add(1)),
            _ => Val::Undefined,
        })
    }

    /// `value[index]`: an entry, or else an attribute of that name.
    pub(super) fn item(&mut self, value: &Val, index: &Val) -> Outcome {
        let found = match value {
            Val::Dict(id) | Val::Namespace(id) => self.entry(*id, index)?,
            Val::List(id) | Val::Tuple(id) => index.as_integer().and_then(|index| {
                let place = place(index, self.heap.list(*id).len())?;
                self.heap.list(*id).get(place).cloned()
            }),
            Val::String(text) | Val::Safe(text) => match index.as_integer() {
                Some(index) => self.character(text, index)?,
                None => None,
            },
            _ => None,
        };
        match (found, index.as_text()) {
            (Some(found), _) => Ok(found),
            (None, Some(name)) => self.attribute_named(value, name),
            (None, None) => Ok(Val::Undefined),
        }
    }

    /// The attribute of a name that is data; of a map it is a method.
    fn attribute_named(&mut self, value: &Val, name: &Text) -> Outcome {
        match (value, name.name()) {
            (Val::Dict(_), Some(name)) if Method::of(value, name).is_none() => Ok(Val::Undefined),
            (Val::Dict(_), None) => Ok(Val::Undefined),
            _ => {
                let name = Arc::clone(name.read_shared(&self.meter)?);
                self.attribute(value, &name)
            }
        }
    }

    /// The character at a place of a text.
    fn character(&self, text: &Text, index: i128) -> Outcome<Option<Val>> {
        let text = text.read(&self.meter)?;
        let count = if text.is_ascii() { text.len() } else { text.chars().count() };
        if count > 1 {
            self.note_rewriting();
        }
        let Some(index) = place(index, count) else { return Ok(None) };
        let character = match text.is_ascii() {
            true => text.as_bytes().get(index).map(|byte| char::from(*byte)),
            false => text.chars().nth(index),
        };
        let character = character.map(|it| Text::character(it, &self.meter)).transpose()?;
        Ok(character.map(Val::String))
    }

    /// What a map has under a key.
    pub(super) fn entry(&self, id: u32, key: &Val) -> Outcome<Option<Val>> {
        let dict = self.heap.dict(id);
        let place = self.place_of(dict, key)?;
        Ok(place.and_then(|place| dict.entry(place)).map(|(_, value)| value.clone()))
    }

    /// Where a key stands in a map.
    pub(super) fn place_of(&self, dict: &Dict, key: &Val) -> Outcome<Option<usize>> {
        if let Some(key) = key.as_text() {
            return dict.place(key.read(&self.meter)?, &self.meter);
        }
        if matches!(key, Val::List(_) | Val::Dict(_)) {
            let message = format!("a {} cannot be the key of a map", key.type_name());
            return Err(Fault::render(message));
        }
        for (place, entry) in dict.each(&self.meter).enumerate() {
            let (name, _) = entry?;
            if name.as_text().is_none() && self.is_equal(name, key, 0)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Sets an entry; a key that is there keeps its place and its form.
    pub(super) fn insert(&self, dict: &mut Dict, key: Val, value: Val) -> Outcome<()> {
        match self.place_of(dict, &key)? {
            Some(place) => dict.set_value(place, value),
            None => dict.push(key, value, &self.meter)?,
        }
        Ok(())
    }

    /// `value[start:stop:step]`.
    fn slice(&mut self, value: &Val, bounds: [Option<i128>; 3]) -> Outcome {
        match value {
            Val::List(id) | Val::Tuple(id) => {
                let places = Places::of_slice(self.heap.list(*id).len(), bounds)?;
                let mut items = NewList::default();
                for place in places.iter() {
                    let Some(item) = self.heap.list(*id).get(place) else { break };
                    items.push(item.clone(), &self.meter)?;
                }
                self.list_like(value, items)
            }
            Val::String(whole) | Val::Safe(whole) => {
                let whole = whole.read(&self.meter)?;
                // The letters are counted, and then gone through.
                self.meter.pay(whole.len())?;
                let count = whole.chars().count();
                let places = Places::of_slice(count, bounds)?;
                let mut text = self.writer();
                add_steps(2 * whole.len());
                let (stride, first) = (places.step.unsigned_abs(), places.first);
                let stride = usize::try_from(stride).unwrap_or(usize::MAX);
                match places.step > 0 {
                    true => {
                        text.push_all(
                            whole.chars().skip(first).step_by(stride).take(places.count),
                        )?;
                    }
                    false => {
                        let behind = count.saturating_sub(first + 1);
                        let turned = whole.chars().rev().skip(behind).step_by(stride);
                        text.push_all(turned.take(places.count))?;
                    }
                }
                self.note_part(whole, text.as_str());
                text.finish().map(Val::String)
            }
            Val::Undefined => Err(Fault::render("what is undefined cannot be sliced")),
            _ => Ok(Val::Undefined),
        }
    }

    /// Whether a condition on a value holds.
    pub(super) fn is_true(&self, value: &Val) -> bool {
        match value {
            Val::Undefined | Val::None => false,
            Val::Bool(value) => *value,
            Val::Integer(number) => *number != 0,
            Val::Float(number) => *number != 0.0,
            Val::String(text) | Val::Safe(text) => !text.is_empty(),
            Val::List(id) | Val::Tuple(id) => !self.heap.list(*id).is_empty(),
            Val::Dict(id) => !self.heap.dict(*id).is_empty(),
            _ => true,
        }
    }
}

fn bad_operand(operator: &str, value: &Val) -> Fault {
    Fault::render(format!("`{operator}` cannot be applied to a {}", value.type_name()))
}

/// An index as a place among so many items; negative ones count from the end.
pub(super) fn place(index: i128, count: usize) -> Option<usize> {
    let length = i128::try_from(count).ok()?;
    let index = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < count)
}

/// The places that a slice takes, as Python counts.
#[derive(Debug, Clone, Copy)]
struct Places {
    first: usize,
    step: i128,
    count: usize,
}

impl Places {
    fn of_slice(count: usize, [start, stop, step]: [Option<i128>; 3]) -> Outcome<Self> {
        let length = i128::try_from(count).unwrap_or(i128::MAX);
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(Fault::render("a slice's step cannot be 0"));
        }
        let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp = |bound: Option<i128>, default: i128| match bound {
            None => default,
            Some(bound) if bound < 0 => bound.saturating_add(length).clamp(lowest, highest),
            Some(bound) => bound.clamp(lowest, highest),
        };
        let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
        let (start, stop) = (clamp(start, first), clamp(stop, last));
        let distance = if step > 0 { stop - start } else { start - stop };
        let taken = match distance {
            1.. => 1 + (distance - 1) / i128::try_from(step.unsigned_abs()).unwrap_or(i128::MAX),
            _ => 0,
        };
        let (first, count) = (usize::try_from(start), usize::try_from(taken));
        Ok(Self { first: first.unwrap_or_default(), step, count: count.unwrap_or_default() })
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        let first = i128::try_from(self.first).unwrap_or(i128::MAX);
        (0..self.count).filter_map(move |index| {
            let index = i128::try_from(index).unwrap_or(i128::MAX);
            usize::try_from(first.saturating_add(self.step.saturating_mul(index))).ok()
        })
    }
}
