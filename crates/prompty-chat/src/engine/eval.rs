//! Evaluates expressions.
//!
//! Expressions are nested, so `eval` calls itself. Everything that most expressions do not need is
//! in a function of its own that is not inlined. So the stack frames of `eval` and `eval_open` stay
//! small.

use std::sync::Arc;

use super::arguments::{Arguments, positional};
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::interpreter::Interpreter;
use super::methods::Method;
use super::program::{Argument, Call, Expr, ExprKind, Filter};
use super::run::TestFn;
use super::table::accept;
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
            _ => self.eval_nested(expr).map_err(|fault| fault.at(expr.at)),
        }
    }

    /// The value of an expression that has operands. After an error, the step is not left, because
    /// the render ends.
    fn eval_nested(&mut self, expr: &'p Expr) -> Outcome {
        self.run.enter()?;
        let value = self.eval_open(expr)?;
        self.run.leave();
        Ok(value)
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
            ExprKind::Attribute(value, name) => self.eval_attribute(value, name),
            ExprKind::Item(value, index) => self.eval_item(value, index),
            ExprKind::Not(value) => self.eval_not(value),
            ExprKind::And(left, right) => self.eval_choice(left, right, true),
            ExprKind::Or(left, right) => self.eval_choice(left, right, false),
            ExprKind::Conditional { condition, value, otherwise } => {
                self.eval_conditional(condition, value, otherwise.as_deref())
            }
            ExprKind::Compare(first, rest) => self.eval_comparison(first, rest),
            ExprKind::Test(value, test) => self.eval_test(value, test),
            ExprKind::Filter(value, filter) => self.eval_filter(value, filter),
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
            ExprKind::Dict(entries) => self.eval_dict(entries),
            ExprKind::Slice(value, bounds) => self.eval_slice(value, bounds),
            ExprKind::Minus(value) => {
                let value = self.eval(value)?;
                negative(&value)
            }
            ExprKind::Plus(value) => self.eval(value).and_then(positive),
            ExprKind::Arithmetic(operator, left, right) => {
                self.eval_arithmetic(*operator, left, right)
            }
            ExprKind::Concatenate(parts) => self.eval_concatenation(parts),
            _ => Ok(Val::Undefined),
        }
    }

    fn eval_attribute(&mut self, value: &'p Expr, name: &'p Arc<str>) -> Outcome {
        let object = self.eval_defined(value)?;
        self.run.attribute(&object, name)
    }

    fn eval_item(&mut self, value: &'p Expr, index: &'p Expr) -> Outcome {
        let object = self.eval_defined(value)?;
        let index = self.eval(index)?;
        self.run.item(&object, &index)
    }

    fn eval_not(&mut self, value: &'p Expr) -> Outcome {
        let value = self.eval(value)?;
        Ok(Val::Bool(!self.run.is_true(&value)))
    }

    /// The value of `and` or `or`: the second operand if the truth of the first one is `expected`.
    fn eval_choice(&mut self, left: &'p Expr, right: &'p Expr, expected: bool) -> Outcome {
        let left = self.eval(left)?;
        if self.run.is_true(&left) == expected { self.eval(right) } else { Ok(left) }
    }

    fn eval_conditional(
        &mut self,
        condition: &'p Expr,
        value: &'p Expr,
        otherwise: Option<&'p Expr>,
    ) -> Outcome {
        let condition = self.eval(condition)?;
        match otherwise {
            _ if self.run.is_true(&condition) => self.eval(value),
            Some(otherwise) => self.eval(otherwise),
            None => Ok(Val::Undefined),
        }
    }

    fn eval_filter(&mut self, value: &'p Expr, filter: &'p Filter) -> Outcome {
        let value = self.eval(value)?;
        self.apply_filter(filter, &value)
    }

    fn eval_dict(&mut self, entries: &'p [(Expr, Expr)]) -> Outcome {
        let mut dict = Dict::default();
        for (key, value) in entries {
            let key = self.eval(key)?;
            let value = self.eval(value)?;
            self.run.insert(&mut dict, key, value)?;
        }
        self.run.dict(dict)
    }

    fn eval_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: &'p Expr,
        right: &'p Expr,
    ) -> Outcome {
        let left_value = self.eval(left)?;
        let right_value = self.eval(right)?;
        if left_value.is_undefined() {
            return Err(self.undefined(left));
        }
        if right_value.is_undefined() {
            return Err(self.undefined(right));
        }
        self.run.arithmetic(operator, &left_value, &right_value)
    }

    fn eval_concatenation(&mut self, parts: &'p [Expr]) -> Outcome {
        let mut text = self.run.writer();
        for part in parts {
            let part = self.eval(part)?;
            self.run.write_text(&part, &mut text)?;
        }
        text.finish().map(Val::String)
    }

    fn eval_slice(&mut self, value: &'p Expr, bounds: &'p [Option<Expr>; 3]) -> Outcome {
        let value = self.eval(value)?;
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            *number = self.eval(bound).and_then(|bound| slice_bound(&bound))?;
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
        let function = accept(function, &test.name, &arguments)?;
        function(&mut self.run, &value, arguments.positional.as_slice()).map(Val::Bool)
    }

    /// Applies a filter to a value.
    #[inline(never)]
    pub(super) fn apply_filter(&mut self, filter: &'p Filter, value: &Val) -> Outcome {
        let missing = || Fault::missing("filter", &filter.name).at(filter.at);
        let function = filter.function.ok_or_else(missing)?;
        let arguments = self.eval_arguments(&filter.arguments)?;
        accept(function, &filter.name, &arguments)
            .and_then(|function| function(&mut self.run, value, &arguments))
            .map_err(|fault| fault.at(filter.at))
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
            self.add_argument(&mut given, argument, value)?;
        }
        Ok(given)
    }

    fn add_argument(
        &mut self,
        given: &mut Arguments,
        argument: &'p Argument,
        value: Val,
    ) -> Outcome<()> {
        match argument {
            Argument::Positional(_) => given.positional.push_without_memory(value, &self.run.meter),
            Argument::Named(name, _) => {
                given.add_named(&Text::shared(name), value, &self.run.meter)
            }
            Argument::List(_) => {
                let mut items = self.run.items(&value)?;
                while let Some(item) = items.next(&self.run)? {
                    given.positional.push(item, &self.run.meter)?;
                }
                Ok(())
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
                Ok(())
            }
        }
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
        if let ExprKind::Attribute(value, name) = &callee.kind {
            let object = self.eval_defined(value)?;
            return match Method::of(&object, name) {
                Some(method) => self.eval_method_call(&object, method, name, arguments),
                None => {
                    let function = self.run.attribute(&object, name)?;
                    self.eval_call_of(callee, &function, arguments, caller)
                }
            };
        }
        let function = self.eval(callee)?;
        self.eval_call_of(callee, &function, arguments, caller)
    }

    /// Calls a method without creating a value for it first.
    fn eval_method_call(
        &mut self,
        object: &Val,
        method: Method,
        name: &str,
        arguments: &'p [Argument],
    ) -> Outcome {
        let arguments = self.eval_arguments(arguments)?;
        self.run.call_method(object, method, name, &arguments)
    }

    /// Evaluates the arguments of a call, and calls the value of `callee`.
    fn eval_call_of(
        &mut self,
        callee: &'p Expr,
        function: &Val,
        arguments: &'p [Argument],
        caller: Option<Val>,
    ) -> Outcome {
        if function.is_undefined() {
            return Err(self.undefined(callee));
        }
        let arguments = self.eval_arguments(arguments)?;
        self.call(function, &arguments, caller)
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
            Val::Loop(id) => {
                positional(1).check("loop", arguments)?;
                self.call_loop(*id, arguments.need(0, "iterable")?)
            }
            Val::Method(id) => self.call_method_value(*id, arguments),
            Val::Joiner(id) => {
                positional(0).check("joiner", arguments)?;
                self.call_joiner(*id)
            }
            _ => Err(Fault::wrong_type(function, "cannot be called")),
        }
    }

    fn call_method_value(&mut self, id: u32, arguments: &Arguments) -> Outcome {
        let Some((object, name)) = self.run.heap.method(id).cloned() else {
            return Ok(Val::Undefined);
        };
        match Method::of(&object, &name) {
            Some(method) => self.run.call_method(&object, method, &name, arguments),
            None => Ok(Val::Undefined),
        }
    }

    /// The separator of a joiner. The first call returns nothing, and adds a second item to its
    /// list to note that.
    fn call_joiner(&mut self, id: u32) -> Outcome {
        if self.run.heap.list(id).len() == 1 {
            self.run.heap.list_mut(id).push(Val::None, &self.run.meter)?;
            return Ok(Val::literal(""));
        }
        Ok(self.run.heap.list(id).get(0).cloned().unwrap_or(Val::Undefined))
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

fn slice_bound(value: &Val) -> Outcome<Option<i128>> {
    match (value, value.as_integer()) {
        (Val::None, _) => Ok(None),
        (_, None) => Err(Fault::render("slice bounds must be integers")),
        (_, integer) => Ok(integer),
    }
}

fn negative(value: &Val) -> Outcome {
    match (value, value.as_integer()) {
        (Val::Float(number), _) => Ok(Val::Float(-number)),
        (_, Some(number)) => number
            .checked_neg()
            .map(Val::Integer)
            .ok_or_else(|| Fault::limit("this number is too large")),
        _ => Err(bad_operand("-", value)),
    }
}

fn positive(value: Val) -> Outcome {
    match (&value, value.as_integer()) {
        (Val::Float(_), _) => Ok(value),
        (_, Some(number)) => Ok(Val::Integer(number)),
        _ => Err(bad_operand("+", &value)),
    }
}

fn bad_operand(operator: &str, value: &Val) -> Fault {
    let kind = value.type_name();
    Fault::render(format!("cannot apply `{operator}` to a value of type {kind}"))
}
