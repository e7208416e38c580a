//! Evaluates expressions.

use std::sync::Arc;

use super::methods;
use super::program::{Argument, Comparison, Expr, ExprKind, Filter};
use super::run::{Arguments, Run};
use super::value::{Dict, Fault, Outcome, Val};

impl<'p> Run<'p> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::None => Ok(Val::None),
            ExprKind::Bool(value) => Ok(Val::Bool(*value)),
            ExprKind::Integer(number) => Ok(Val::Integer(*number)),
            ExprKind::Float(number) => Ok(Val::Float(*number)),
            ExprKind::String(text) => Ok(Val::String(text.clone())),
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
            ExprKind::Test { .. } => self.eval_test(expr),
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
                let items: Outcome<Vec<_>> = items.iter().map(|item| self.eval(item)).collect();
                self.list(items?)
            }
            ExprKind::Tuple(items) => {
                let items: Outcome<Vec<_>> = items.iter().map(|item| self.eval(item)).collect();
                self.tuple(items?)
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
                let mut text = String::new();
                for part in parts {
                    let part = self.eval(part)?;
                    self.write_text(&part, &mut text)?;
                }
                self.made(text)
            }
            _ => Ok(Val::Undefined),
        }
    }

    #[inline(never)]
    fn eval_comparison(&mut self, first: &'p Expr, rest: &'p [(Comparison, Expr)]) -> Outcome {
        let mut left = self.eval(first)?;
        for (comparison, operand) in rest {
            let right = self.eval(operand)?;
            if !self.compare(*comparison, &left, &right)? {
                return Ok(Val::Bool(false));
            }
            left = right;
        }
        Ok(Val::Bool(true))
    }

    #[inline(never)]
    fn eval_test(&mut self, expr: &'p Expr) -> Outcome {
        let ExprKind::Test { value, name, test, arguments } = &expr.kind else {
            return Ok(Val::Undefined);
        };
        let value = self.eval(value)?;
        let Some(test) = test else {
            return Err(Fault::render(format!("there is no test named `{name}`")));
        };
        let arguments = match arguments.is_empty() {
            true => Arguments::default(),
            false => self.arguments(arguments)?,
        };
        test(self, &value, &arguments.positional).map(Val::Bool)
    }

    /// Applies a filter to a value.
    #[inline(never)]
    pub(super) fn apply(&mut self, filter: &'p Filter, value: &Val) -> Outcome {
        let Some(function) = filter.function else {
            let fault = Fault::render(format!("there is no filter named `{}`", filter.name));
            return Err(fault.at(filter.at));
        };
        let arguments = match filter.arguments.is_empty() {
            true => Arguments::default(),
            false => self.arguments(&filter.arguments)?,
        };
        function(self, value, &arguments).map_err(|fault| fault.at(filter.at))
    }

    fn arguments(&mut self, arguments: &'p [Argument]) -> Outcome<Arguments> {
        let mut given = Arguments::default();
        for argument in arguments {
            let value = self.eval(argument.expr())?;
            match argument {
                Argument::Positional(_) => given.positional.push(value),
                Argument::Named(name, _) => given.named.push((name.clone(), value)),
                Argument::List(_) => given.positional.extend(self.items(&value)?),
                Argument::Dict(_) => {
                    let Val::Dict(id) = value else {
                        return Err(Fault::render("what follows `**` must be a map"));
                    };
                    for (name, value) in &self.heap.dict(id).entries {
                        if let Val::String(name) | Val::Safe(name) = name {
                            given.named.push((name.clone(), value.clone()));
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
                if methods::is_method(&object, name) {
                    let arguments = self.arguments(arguments)?;
                    return self.call_method(&object, name, &arguments);
                }
                self.attribute(&object, name)?
            }
            _ => self.eval(callee)?,
        };
        if function.is_undefined() {
            return Err(self.undefined(callee));
        }
        let arguments = self.arguments(arguments)?;
        self.call(&function, arguments, caller)
    }

    /// Calls a value.
    pub(super) fn call(
        &mut self,
        function: &Val,
        arguments: Arguments,
        caller: Option<Val>,
    ) -> Outcome {
        match function {
            Val::Function(function) => self.call_function(*function, &arguments),
            Val::Macro(id) => self.call_macro(*id, arguments, caller),
            Val::Method(id) => {
                let Some((object, name)) = self.heap.method(*id).cloned() else {
                    return Ok(Val::Undefined);
                };
                self.call_method(&object, &name, &arguments)
            }
            Val::Loop(id) => self.repeat_again(*id, arguments.need(0, "iterable")?),
            Val::Joiner(id) => {
                let Some(list) = self.heap.list_mut(*id) else { return Ok(Val::Undefined) };
                let is_first = list.len() == 1;
                if is_first {
                    list.push(Val::None);
                }
                let separator = list.first().cloned().unwrap_or(Val::Undefined);
                Ok(if is_first { Val::from("") } else { separator })
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
                ExprKind::String(name) => format!("there is no entry `{name}`"),
                ExprKind::Integer(number) => format!("there is no item {number}"),
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
        if methods::is_method(value, name) {
            self.pay_built(2 * size_of::<Val>())?;
            return Ok(self.heap.add_method(value.clone(), name.clone()));
        }
        Ok(match value {
            Val::Dict(id) | Val::Namespace(id) => {
                self.heap.dict(*id).get(name).cloned().unwrap_or(Val::Undefined)
            }
            Val::Loop(id) => self.loop_attribute(*id, name)?,
            Val::Macro(id) if &**name == "name" => {
                let definition =
                    self.heap.macros.get(*id as usize).map(|(definition, _)| *definition);
                let definition = definition.and_then(|it| self.program.macros.get(it as usize));
                let name = definition.and_then(|it| self.program.names.get(it.name as usize));
                name.map_or(Val::Undefined, |name| Val::String(name.clone()))
            }
            Val::Cycler(id) if &**name == "current" => {
                let list = self.heap.list(*id);
                let index = list.first().and_then(Val::as_integer).unwrap_or_default();
                let index = usize::try_from(index).unwrap_or_default();
                list.get(index + 1).cloned().unwrap_or(Val::Undefined)
            }
            _ => Val::Undefined,
        })
    }

    fn loop_attribute(&mut self, id: u32, name: &str) -> Outcome {
        let Some(running) = self.heap.loops.get(id as usize) else { return Ok(Val::Undefined) };
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
                let items = self.heap.list(*id);
                items.get(place(index, items.len())?).cloned()
            }),
            Val::String(text) | Val::Safe(text) => match index.as_integer() {
                Some(index) => {
                    self.pay_read(text.len())?;
                    let count = if text.is_ascii() { text.len() } else { text.chars().count() };
                    if count > 1 {
                        self.note_rewriting();
                    }
                    place(index, count).and_then(|index| match text.is_ascii() {
                        true => text.get(index..=index).map(Val::from),
                        false => text.chars().nth(index).map(|it| Val::from(it.to_string())),
                    })
                }
                None => None,
            },
            _ => None,
        };
        match (found, index) {
            (Some(found), _) => Ok(found),
            (None, Val::String(name) | Val::Safe(name)) => match value {
                Val::Dict(_) if !methods::is_method(value, name) => Ok(Val::Undefined),
                _ => self.attribute(value, name),
            },
            _ => Ok(Val::Undefined),
        }
    }

    /// What a map has under a key.
    pub(super) fn entry(&mut self, id: u32, key: &Val) -> Outcome<Option<Val>> {
        let dict = self.heap.dict(id);
        if let Some(key) = key.as_str() {
            return Ok(dict.get(key).cloned());
        }
        let place = self.place_of(dict, key)?;
        Ok(place.and_then(|place| dict.entries.get(place)).map(|(_, value)| value.clone()))
    }

    /// Where a key stands in a map.
    pub(super) fn place_of(&self, dict: &Dict, key: &Val) -> Outcome<Option<usize>> {
        if let Some(key) = key.as_str() {
            return Ok(dict.place(key));
        }
        if matches!(key, Val::List(_) | Val::Dict(_)) {
            let message = format!("a {} cannot be the key of a map", key.type_name());
            return Err(Fault::render(message));
        }
        self.pay(dict.entries.len() / 8)?;
        for (place, (name, _)) in dict.entries.iter().enumerate() {
            if name.as_str().is_none() && self.is_equal(name, key, 0)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Sets an entry; a key that is there keeps its place and its form.
    pub(super) fn insert(&self, dict: &mut Dict, key: Val, value: Val) -> Outcome<()> {
        match self.place_of(dict, &key)? {
            Some(place) => {
                if let Some(entry) = dict.entries.get_mut(place) {
                    entry.1 = value;
                }
            }
            None => dict.push(key, value),
        }
        Ok(())
    }

    /// `value[start:stop:step]`.
    fn slice(&mut self, value: &Val, bounds: [Option<i128>; 3]) -> Outcome {
        match value {
            Val::List(id) | Val::Tuple(id) => {
                let items = self.heap.list(*id);
                let places = slice_places(items.len(), bounds)?;
                self.pay(places.len() / 8)?;
                let items = self.heap.list(*id);
                let items = places.into_iter().filter_map(|place| items.get(place).cloned());
                let items = items.collect();
                if matches!(value, Val::List(_)) { self.list(items) } else { self.tuple(items) }
            }
            Val::String(whole) | Val::Safe(whole) => {
                self.pay_read(whole.len())?;
                let characters: Vec<char> = whole.chars().collect();
                let places = slice_places(characters.len(), bounds)?;
                let text: String =
                    places.into_iter().filter_map(|place| characters.get(place)).collect();
                self.note_part(whole, &text);
                self.made(text)
            }
            Val::Undefined => Err(Fault::render("what is undefined cannot be sliced")),
            _ => Ok(Val::Undefined),
        }
    }

    /// The items that a loop over a value has.
    pub(super) fn items(&mut self, value: &Val) -> Outcome<Vec<Val>> {
        let items: Vec<Val> = match value {
            Val::Undefined => Vec::new(),
            Val::List(id) | Val::Tuple(id) => self.heap.list(*id).to_vec(),
            Val::Dict(id) => {
                self.heap.dict(*id).entries.iter().map(|(name, _)| name.clone()).collect()
            }
            Val::String(text) | Val::Safe(text) => {
                self.pay_built(text.len() * size_of::<Val>())?;
                let items: Vec<Val> = text.chars().map(|it| Val::from(it.to_string())).collect();
                if items.len() > 1 {
                    self.note_rewriting();
                }
                items
            }
            _ => {
                let message = format!("a {} has no items", value.type_name());
                return Err(Fault::render(message));
            }
        };
        self.pay(items.len() / 8)?;
        Ok(items)
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
            Val::Dict(id) => !self.heap.dict(*id).entries.is_empty(),
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
fn slice_places(count: usize, [start, stop, step]: [Option<i128>; 3]) -> Outcome<Vec<usize>> {
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
    let (mut at, stop) = (clamp(start, first), clamp(stop, last));
    let mut places = Vec::new();
    while (step > 0 && at < stop) || (step < 0 && at > stop) {
        places.extend(usize::try_from(at));
        at = at.saturating_add(step);
    }
    Ok(places)
}
