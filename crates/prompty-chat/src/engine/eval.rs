//! Evaluates expressions.
//!
//! Expressions are nested, so `eval` calls itself. Everything that most expressions do not need is
//! in a function of its own that is not inlined. So the stack frames of `eval` and `eval_open` stay
//! small.

use super::arguments::Arguments;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::interpreter::Interpreter;
use super::methods::Method;
use super::program::{Argument, Call, Expr, ExprKind, Filter};
use super::run::TestFn;
use super::text::Text;
use super::value::{Outcome, VALUE_BYTES, Val};
use prompty_core::value::Value;
use prompty_template::tree::BinaryOperator;

impl<'p> Interpreter<'p> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(Val::of_scalar(value).unwrap_or(Val::None)),
            ExprKind::Name(name) => self.variables.get(&mut self.run, *name),
            _ => {
                self.run.enter().map_err(|fault| fault.at(expr.at))?;
                let value = self.eval_open(expr).map_err(|fault| fault.at(expr.at))?;
                self.run.leave();
                Ok(value)
            }
        }
    }

    /// The value of an expression that must not be undefined.
    #[inline]
    fn eval_defined(&mut self, expr: &'p Expr) -> Outcome {
        let value = self.eval(expr)?;
        if value.is_undefined() { Err(self.undefined(expr)) } else { Ok(value) }
    }

    /// The value of an expression that was entered as a nested step.
    fn eval_open(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Attribute(value, name) => {
                let object = self.eval_defined(value)?;
                self.run.attribute(&object, name)
            }
            ExprKind::Item(value, index) => {
                let object = self.eval_defined(value)?;
                let index = self.eval(index)?;
                self.run.item(&object, &index)
            }
            ExprKind::Not(value) => {
                let value = self.eval(value)?;
                Ok(Val::Bool(!self.run.is_true(&value)))
            }
            ExprKind::And(left, right) => {
                let left = self.eval(left)?;
                if self.run.is_true(&left) { self.eval(right) } else { Ok(left) }
            }
            ExprKind::Or(left, right) => {
                let left = self.eval(left)?;
                if self.run.is_true(&left) { Ok(left) } else { self.eval(right) }
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.eval(condition)?;
                match otherwise {
                    _ if self.run.is_true(&condition) => self.eval(value),
                    Some(otherwise) => self.eval(otherwise),
                    None => Ok(Val::Undefined),
                }
            }
            ExprKind::Compare(first, rest) => self.eval_comparison(first, rest),
            ExprKind::Test(value, test) => self.eval_test(value, test),
            ExprKind::Filter(value, filter) => {
                let value = self.eval(value)?;
                self.apply_filter(filter, &value)
            }
            ExprKind::Invocation(callee, arguments) => self.eval_call(callee, arguments, None),
            _ => self.eval_rare(expr),
        }
    }

    /// The value of a less frequent kind of expression.
    #[inline(never)]
    fn eval_rare(&mut self, expr: &'p Expr) -> Outcome {
        match &expr.kind {
            ExprKind::List(items) => {
                let items = self.eval_all(items)?;
                self.run.list(items)
            }
            ExprKind::Tuple(items) => {
                let items = self.eval_all(items)?;
                self.run.tuple(items)
            }
            ExprKind::Dict(entries) => {
                let mut dict = Dict::default();
                for (key, value) in entries {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    self.run.insert(&mut dict, key, value)?;
                }
                self.run.dict(dict)
            }
            ExprKind::Slice(value, bounds) => self.eval_slice(value, bounds),
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
                self.run.arithmetic(*operator, &left_value, &right_value)
            }
            ExprKind::Concatenate(parts) => {
                let mut text = self.run.writer();
                for part in parts {
                    let part = self.eval(part)?;
                    self.run.write_text(&part, &mut text)?;
                }
                text.finish().map(Val::String)
            }
            _ => Ok(Val::Undefined),
        }
    }

    fn eval_slice(&mut self, value: &'p Expr, bounds: &'p [Option<Expr>; 3]) -> Outcome {
        let value = self.eval(value)?;
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            *number = match self.eval(bound)? {
                Val::None => None,
                bound => match bound.as_integer() {
                    Some(integer) => Some(integer),
                    None => return Err(Fault::render("slice bounds must be integers")),
                },
            };
        }
        self.run.slice(&value, numbers)
    }

    fn eval_all(&mut self, exprs: &'p [Expr]) -> Outcome<ItemList> {
        let mut items = ItemList::default();
        for expr in exprs {
            items.push(self.eval(expr)?, &self.run.meter)?;
        }
        Ok(items)
    }

    #[inline(never)]
    fn eval_comparison(&mut self, first: &'p Expr, rest: &'p [(BinaryOperator, Expr)]) -> Outcome {
        let mut left = self.eval(first)?;
        for (operator, operand) in rest {
            let right = self.eval(operand)?;
            if !self.run.compare(*operator, &left, &right)? {
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
        let arguments = self.eval_arguments(&test.arguments)?;
        function(&mut self.run, &value, arguments.positional.as_slice()).map(Val::Bool)
    }

    /// Applies a filter to a value.
    #[inline(never)]
    pub(super) fn apply_filter(&mut self, filter: &'p Filter, value: &Val) -> Outcome {
        let missing = || Fault::missing("filter", &filter.name).at(filter.at);
        let function = filter.function.ok_or_else(missing)?;
        let arguments = self.eval_arguments(&filter.arguments)?;
        function(&mut self.run, value, &arguments).map_err(|fault| fault.at(filter.at))
    }

    /// The arguments of a call. Without arguments, as in most tests and filters, it does nothing.
    #[inline]
    fn eval_arguments(&mut self, arguments: &'p [Argument]) -> Outcome<Arguments> {
        if arguments.is_empty() {
            Ok(Arguments::default())
        } else {
            self.eval_some_arguments(arguments)
        }
    }

    #[inline(never)]
    fn eval_some_arguments(&mut self, arguments: &'p [Argument]) -> Outcome<Arguments> {
        let mut given = Arguments::default();
        for argument in arguments {
            let value = self.eval(argument.expr())?;
            match argument {
                Argument::Positional(_) => {
                    given.positional.push_without_memory(value, &self.run.meter)?;
                }
                Argument::Named(name, _) => {
                    given.add_named(&Text::shared(name), value, &self.run.meter)?;
                }
                Argument::List(_) => {
                    let mut items = self.run.items(&value)?;
                    while let Some(item) = items.next(&self.run)? {
                        given.positional.push(item, &self.run.meter)?;
                    }
                }
                Argument::Dict(_) => {
                    let Val::Dict(id) = value else {
                        return Err(Fault::render("expected a map after `**`"));
                    };
                    let dict = self.run.heap.dict(id);
                    self.run.meter.pay_memory(dict.len().saturating_mul(2 * VALUE_BYTES))?;
                    for entry in dict.iter_paid(&self.run.meter) {
                        let (name, value) = entry?;
                        if let Some(name) = name.as_text() {
                            given.add_named(name, value.clone(), &self.run.meter)?;
                        }
                    }
                }
            }
        }
        Ok(given)
    }

    /// Evaluates the call in a `call` block.
    pub(super) fn eval_with_caller(&mut self, call: &'p Expr, caller: Val) -> Outcome {
        let ExprKind::Invocation(callee, arguments) = &call.kind else { return Ok(Val::Undefined) };
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
                let object = self.eval_defined(value)?;
                // A method is called without creating a value for it first.
                if let Some(method) = Method::of(&object, name) {
                    let arguments = self.eval_arguments(arguments)?;
                    return self.run.call_method(&object, method, name, &arguments);
                }
                self.run.attribute(&object, name)?
            }
            _ => self.eval(callee)?,
        };
        if function.is_undefined() {
            return Err(self.undefined(callee));
        }
        let arguments = self.eval_arguments(arguments)?;
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
            Val::Function(function) => self.run.call_function(*function, arguments),
            Val::Macro(id) => self.call_macro(*id, arguments, caller),
            Val::Method(id) => {
                let Some((object, name)) = self.run.heap.method(*id).cloned() else {
                    return Ok(Val::Undefined);
                };
                match Method::of(&object, &name) {
                    Some(method) => self.run.call_method(&object, method, &name, arguments),
                    None => Ok(Val::Undefined),
                }
            }
            Val::Loop(id) => self.call_loop(*id, arguments.need(0, "iterable")?),
            // The first call returns nothing, and adds a second item to note that.
            Val::Joiner(id) => {
                if self.run.heap.list(*id).len() == 1 {
                    self.run.heap.list_mut(*id).push(Val::None, &self.run.meter)?;
                    return Ok(Val::literal(""));
                }
                Ok(self.run.heap.list(*id).get(0).cloned().unwrap_or(Val::Undefined))
            }
            _ => Err(Fault::wrong_type(function, "cannot be called")),
        }
    }

    /// The error for an expression that is undefined.
    fn undefined(&self, expr: &Expr) -> Fault {
        let message = match &expr.kind {
            ExprKind::Name(name) => format!("`{}` is undefined", self.program.name(*name)),
            ExprKind::Attribute(_, name) => format!("unknown attribute `{name}`"),
            ExprKind::Item(_, index) => match &index.kind {
                ExprKind::Literal(Value::String(name)) => format!("unknown key `{name}`"),
                ExprKind::Literal(Value::Integer(number)) => {
                    format!("the value has no item {number}")
                }
                _ => "the value has no such item".to_owned(),
            },
            ExprKind::Invocation(callee, _) => match &callee.kind {
                ExprKind::Attribute(_, name) => format!("`{name}()` returned nothing"),
                _ => "this call returned nothing".to_owned(),
            },
            _ => "this expression is undefined".to_owned(),
        };
        Fault::render(message).with_help("pass a value, or test it with `is defined`").at(expr.at)
    }
}

fn bad_operand(operator: &str, value: &Val) -> Fault {
    let kind = value.type_name();
    Fault::render(format!("cannot apply `{operator}` to a value of type {kind}"))
}
