//! Runs the statements of a program within a budget.
//!
//! Statements are nested, so `run_statement` calls itself. Like [`eval`](super::eval), it has a
//! separate function for each kind of statement, and does not inline those that need many local
//! variables. So the stack frame that is active while a nested statement runs stays small.
//!
//! After an error, the render ends. So a scope that is open then is not closed, and a nested step
//! is not left.

use std::rc::Rc;

use super::arguments::Arguments;
use super::budget::Meter;
use super::dict::Dict;
use super::fault::{Fault, shorten};
use super::functions::TABLES;
use super::heap::{ItemList, LoopState, MacroValue, RecursiveLoop};
use super::program::{
    CALLER, Expr, Filter, KWARGS, LOOP, Loop, Macro, NameId, Program, Statement, Target, VARARGS,
};
use super::run::{RenderOutput, Run};
use super::scopes::Variables;
use super::text::{Text, TextWriter};
use super::value::{Outcome, Val};
use prompty_core::value::Map;
use prompty_template::RenderLimits;
use prompty_template::host_functions::argument_count;

/// How a template continues after a statement.
enum Flow {
    Next,
    Break,
    Continue,
}

/// A parameter without an argument, and its default.
type MissingArgument<'p> = (NameId, Option<&'p Expr>);

/// A running program.
pub(super) struct Interpreter<'p> {
    pub(super) program: &'p Program,
    pub(super) run: Run<'p>,
    pub(super) variables: Variables<'p>,
    /// The number of macro calls that are active.
    calls: usize,
}

impl<'p> Interpreter<'p> {
    pub(super) fn new(
        program: &'p Program,
        limits: RenderLimits,
        inputs: &'p Map,
        constants: &'p [String],
        now: i64,
    ) -> Self {
        let run = Run::new(TABLES, limits, constants, now);
        Self { program, run, variables: Variables::new(program, inputs), calls: 0 }
    }

    /// The budget, to be read after the render.
    pub(super) fn meter(&self) -> Rc<Meter> {
        Rc::clone(&self.run.meter)
    }

    /// Runs the complete template.
    pub(super) fn run_template(mut self) -> Outcome<RenderOutput> {
        let program = self.program;
        self.run_statements(&program.body)?;
        let may_have_built_markup = self.run.may_have_built_markup.get();
        Ok(RenderOutput { text: self.run.out.into_string(), may_have_built_markup })
    }

    /// Runs `act` in a new scope inside of `parent`. After an error, the scope remains open.
    #[inline]
    fn in_scope<T>(
        &mut self,
        parent: u32,
        act: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let open = self.variables.open(parent);
        let done = act(self)?;
        self.variables.close(open);
        Ok(done)
    }

    fn run_statements(&mut self, statements: &'p [Statement]) -> Outcome<Flow> {
        for statement in statements {
            self.run.meter.pay_steps(1)?;
            let flow = self.run_statement(statement)?;
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Runs a statement. [`run_rare`](Self::run_rare) has the less frequent kinds.
    fn run_statement(&mut self, statement: &'p Statement) -> Outcome<Flow> {
        match statement {
            Statement::Text(text) => self.run.out.push(text)?,
            Statement::Output(value) => self.run_output(value)?,
            Statement::Set { target, value } => self.run_set(target, value)?,
            Statement::If { branches, otherwise } => {
                let body = self.choose_branch(branches, otherwise)?;
                return self.run_nested(body);
            }
            Statement::With { bindings, body } => return self.run_with(bindings, body),
            other => return self.run_rare(other),
        }
        Ok(Flow::Next)
    }

    fn run_output(&mut self, value: &'p Expr) -> Outcome<()> {
        let value = self.eval(value)?;
        self.run.print(&value)
    }

    fn run_set(&mut self, target: &'p Target, value: &'p Expr) -> Outcome<()> {
        let at = value.at;
        let value = self.eval(value)?;
        self.variables.bind(&mut self.run, target, value).map_err(|fault| fault.at(at))
    }

    /// The body of the first branch whose condition is true.
    fn choose_branch(
        &mut self,
        branches: &'p [(Expr, Vec<Statement>)],
        otherwise: &'p [Statement],
    ) -> Outcome<&'p [Statement]> {
        for (test, branch) in branches {
            let test = self.eval(test)?;
            if self.run.is_true(&test) {
                return Ok(branch);
            }
        }
        Ok(otherwise)
    }

    /// Runs the statements in a block.
    fn run_nested(&mut self, statements: &'p [Statement]) -> Outcome<Flow> {
        if statements.is_empty() {
            return Ok(Flow::Next);
        }
        self.run.enter()?;
        let flow = self.run_statements(statements)?;
        self.run.leave();
        Ok(flow)
    }

    /// Runs a statement of a less frequent kind.
    // Inlined, its local variables would enlarge the stack frame of `run_statement`.
    #[inline(never)]
    fn run_rare(&mut self, statement: &'p Statement) -> Outcome<Flow> {
        match statement {
            Statement::For(id) => self.run_for(*id)?,
            Statement::SetBlock { target, filters, body } => {
                let value = self.run_filtered(body, filters)?;
                self.variables.bind(&mut self.run, target, value)?;
            }
            Statement::FilterBlock { filters, body } => {
                let value = self.run_filtered(body, filters)?;
                self.run.print(&value)?;
            }
            Statement::Macro(id) => self.define_macro(*id)?,
            Statement::CallBlock { call, caller } => self.run_call_block(call, *caller)?,
            Statement::Do(value) => self.eval(value).map(drop)?,
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            // `run_statement` runs these.
            Statement::Text(_)
            | Statement::Output(_)
            | Statement::Set { .. }
            | Statement::With { .. }
            | Statement::If { .. } => {}
        }
        Ok(Flow::Next)
    }

    fn run_for(&mut self, id: u32) -> Outcome<()> {
        let program = self.program;
        let Some(looped) = program.loops.get(id as usize) else { return Ok(()) };
        let iterable = self.eval(&looped.iterable)?;
        self.run_loop(id, looped, &iterable, 0)
    }

    /// Runs a `with` block: evaluates all values in the outer scope, then binds them in a new one.
    #[inline(never)]
    fn run_with(&mut self, bindings: &'p [(Target, Expr)], body: &'p [Statement]) -> Outcome<Flow> {
        let values = bindings.iter().map(|(_, value)| self.eval(value));
        let values = values.collect::<Outcome<Vec<_>>>()?;
        self.in_scope(self.variables.scope, |this| {
            this.bind_all(bindings, values)?;
            this.run_nested(body)
        })
    }

    fn bind_all(&mut self, bindings: &'p [(Target, Expr)], values: Vec<Val>) -> Outcome<()> {
        for ((target, _), value) in bindings.iter().zip(values) {
            self.variables.bind(&mut self.run, target, value)?;
        }
        Ok(())
    }

    fn define_macro(&mut self, id: u32) -> Outcome<()> {
        let Some(definition) = self.program.macros.get(id as usize) else { return Ok(()) };
        let value = self.make_macro(id)?;
        self.variables.set(&self.run.meter, definition.name, value)
    }

    fn run_call_block(&mut self, call: &'p Expr, caller: u32) -> Outcome<()> {
        let caller = self.make_macro(caller)?;
        let value = self.eval_with_caller(call, caller)?;
        self.run.print(&value)
    }

    /// A macro as a value. It keeps the scopes that it was defined in.
    fn make_macro(&mut self, definition: u32) -> Outcome {
        self.variables.keep_scopes(&self.run.meter)?;
        let program = self.program;
        let macro_name = program.macros.get(definition as usize).map(|it| it.name as usize);
        let name = macro_name.and_then(|name| program.names.get(name)).cloned().unwrap_or_default();
        let made = MacroValue { definition, name, scope: self.variables.scope };
        self.run.heap.new_macro(made, &self.run.meter)
    }

    /// What `write` adds to the output, as a string instead.
    fn capture(&mut self, write: impl FnOnce(&mut Self) -> Outcome<()>) -> Outcome {
        let capture = TextWriter::capture(&self.run.meter, self.run.limits.max_output);
        let outer = std::mem::replace(&mut self.run.out, capture);
        let done = write(self);
        let text = std::mem::replace(&mut self.run.out, outer);
        done?;
        text.finish().map(Val::String)
    }

    /// The output of statements after some filters.
    fn run_filtered(&mut self, body: &'p [Statement], filters: &'p [Filter]) -> Outcome {
        let scope = self.variables.scope;
        let written =
            self.capture(|this| this.in_scope(scope, |this| this.run_nested(body)).map(drop))?;
        filters.iter().try_fold(written, |value, filter| self.apply_filter(filter, &value))
    }

    /// The items of a loop for which its condition is true.
    fn loop_items(&mut self, looped: &'p Loop, iterable: &Val) -> Outcome<ItemList> {
        let Some(condition) = &looped.condition else { return self.run.all_items(iterable) };
        let all = self.run.all_items(iterable)?;
        let mut kept = ItemList::default();
        for index in 0..all.len() {
            self.run.meter.pay_steps(1)?;
            let Some(item) = all.get(index) else { break };
            let keep = self.in_scope(self.variables.scope, |this| {
                this.variables.bind(&mut this.run, &looped.target, item.clone())?;
                this.eval(condition)
            })?;
            if self.run.is_true(&keep) {
                kept.push(item.clone(), &self.run.meter)?;
            }
        }
        Ok(kept)
    }

    /// Runs the body of the loop number `id` for each item, or `else` if there are none.
    fn run_loop(&mut self, id: u32, looped: &'p Loop, iterable: &Val, depth: usize) -> Outcome<()> {
        let items = self.loop_items(looped, iterable);
        let items = items.map_err(|fault| fault.at(looped.iterable.at))?;
        if items.is_empty() {
            return self
                .in_scope(self.variables.scope, |this| this.run_nested(&looped.otherwise))
                .map(drop);
        }
        let count = items.len();
        let state = self.add_loop(id, looped, items, depth)?;
        for index in 0..count {
            let Some(running) = self.run.heap.loop_state_mut(state) else { break };
            running.index = index;
            let item = running.items.get(index).cloned().unwrap_or(Val::Undefined);
            let flow = self.in_scope(self.variables.scope, |this| {
                this.bind_item(looped, item, state)?;
                this.run_nested(&looped.body)
            })?;
            if matches!(flow, Flow::Break) {
                break;
            }
        }
        Ok(())
    }

    /// The number of the new state of a loop.
    fn add_loop(
        &mut self,
        id: u32,
        looped: &'p Loop,
        items: ItemList,
        depth: usize,
    ) -> Outcome<u32> {
        let recursive =
            looped.recursive.then_some(RecursiveLoop { id, scope: self.variables.scope });
        if looped.recursive {
            // `loop(items)` runs in the current scope again.
            self.variables.keep_scopes(&self.run.meter)?;
        }
        let state = LoopState { items, index: 0, depth, last: None, recursive };
        self.run.heap.add_loop(state, &self.run.meter)
    }

    /// Binds the variables of a loop for its next item.
    fn bind_item(&mut self, looped: &'p Loop, item: Val, state: u32) -> Outcome<()> {
        self.variables
            .bind(&mut self.run, &looped.target, item)
            .map_err(|fault| fault.at(looped.iterable.at))?;
        self.variables.set(&self.run.meter, LOOP, Val::Loop(state))
    }

    /// The output of `loop(items)` in a recursive loop. `state` is the number of the running loop.
    pub(super) fn call_loop(&mut self, state: u32, items: &Val) -> Outcome {
        let running = self.run.heap.loop_state(state);
        let depth = running.map_or(0, |it| it.depth);
        let Some(RecursiveLoop { id, scope }) = running.and_then(|it| it.recursive) else {
            return Err(Fault::render("only a loop marked `recursive` can be called")
                .with_help("write `{% for item in list recursive %}`"));
        };
        let program = self.program;
        let Some(looped) = program.loops.get(id as usize) else { return Ok(Val::Undefined) };
        let scope_before = std::mem::replace(&mut self.variables.scope, scope);
        let text = self.capture(|this| {
            this.run.enter()?;
            let done = this.run_loop(id, looped, items, depth + 1);
            this.run.leave();
            done
        });
        self.variables.scope = scope_before;
        text
    }

    /// The output of a macro. `id` is its number in the heap.
    pub(super) fn call_macro(
        &mut self,
        id: u32,
        arguments: &Arguments,
        caller: Option<Val>,
    ) -> Outcome {
        let Some(&MacroValue { definition, scope, .. }) = self.run.heap.macro_value(id) else {
            return Ok(Val::Undefined);
        };
        let program = self.program;
        let Some(definition) = program.macros.get(definition as usize) else {
            return Ok(Val::Undefined);
        };
        if self.calls >= self.run.limits.max_depth {
            return Err(too_many_calls(self.run.limits.max_depth));
        }
        self.calls += 1;
        let text = self.capture(|this| {
            this.in_scope(scope, |this| this.run_macro(definition, arguments, caller))
        })?;
        self.calls -= 1;
        Ok(text)
    }

    /// Binds the arguments of a macro, and runs its body.
    fn run_macro(
        &mut self,
        definition: &'p Macro,
        arguments: &Arguments,
        caller: Option<Val>,
    ) -> Outcome<()> {
        let mut missing = Vec::new();
        let is_bound = self.bind_parameters(definition, arguments, &mut missing)?;
        self.bind_defaults(missing)?;
        self.bind_others(definition, arguments, is_bound, caller)?;
        self.run_nested(&definition.body).map(drop)
    }

    /// Binds `varargs`, `kwargs` and `caller`.
    fn bind_others(
        &mut self,
        definition: &Macro,
        arguments: &Arguments,
        is_bound: Vec<bool>,
        caller: Option<Val>,
    ) -> Outcome<()> {
        self.bind_varargs(definition, &arguments.positional)?;
        let named_caller = self.bind_kwargs(definition, arguments, is_bound)?;
        let caller = named_caller.or(caller).unwrap_or(Val::Undefined);
        self.variables.set(&self.run.meter, CALLER, caller)
    }

    /// Binds the parameters of a macro to arguments, and adds the others to `missing`. Returns for
    /// each named argument whether a parameter has its name.
    fn bind_parameters(
        &mut self,
        definition: &'p Macro,
        Arguments { positional, named, .. }: &Arguments,
        missing: &mut Vec<MissingArgument<'p>>,
    ) -> Outcome<Vec<bool>> {
        self.run.meter.pay_items(definition.parameters.len())?;
        let mut is_bound = vec![false; named.len()];
        for (index, (parameter, default)) in definition.parameters.iter().enumerate() {
            let mut value = positional.get(index);
            if value.is_none()
                && let Some(position) =
                    named.position(self.program.name(*parameter), &self.run.meter)?
            {
                if let Some(it) = is_bound.get_mut(position) {
                    *it = true;
                }
                value = named.entry(position).map(|(_, value)| value);
            }
            match value {
                Some(value) => self.variables.set(&self.run.meter, *parameter, value.clone())?,
                None => missing.push((*parameter, default.as_ref())),
            }
        }
        Ok(is_bound)
    }

    /// Binds parameters without arguments to their defaults. A default may refer to any parameter
    /// that has an argument.
    fn bind_defaults(&mut self, missing: Vec<MissingArgument<'p>>) -> Outcome<()> {
        for (parameter, default) in missing {
            let value = match default {
                Some(default) => self.eval(default)?,
                None => Val::Undefined,
            };
            self.variables.set(&self.run.meter, parameter, value)?;
        }
        Ok(())
    }

    /// Binds `varargs` to the positional arguments after the last parameter, if the macro reads it.
    fn bind_varargs(&mut self, definition: &Macro, positional: &ItemList) -> Outcome<()> {
        let most = definition.parameters.len();
        if definition.reads.varargs {
            let mut rest = ItemList::default();
            if let Some(more) = positional.as_slice().get(most..) {
                rest.extend(more, &self.run.meter)?;
            }
            let rest = self.run.tuple(rest)?;
            self.variables.set(&self.run.meter, VARARGS, rest)?;
        } else if positional.len() > most {
            let name = self.program.name(definition.name);
            let message = format!("macro `{name}` takes {}", argument_count(0, most));
            return Err(Fault::render(message));
        }
        Ok(())
    }

    /// Binds `kwargs` to the named arguments that no parameter has taken, if the macro reads
    /// `kwargs`. Returns the argument that is named `caller`, which is not part of `kwargs`.
    ///
    /// `is_bound` says for each named argument whether a parameter has taken it.
    fn bind_kwargs(
        &mut self,
        definition: &Macro,
        Arguments { named, repeated_name, .. }: &Arguments,
        is_bound: Vec<bool>,
    ) -> Outcome<Option<Val>> {
        // `f(a=1, a=2)`: the first argument takes the parameter `a`, so the second has none.
        if let Some(name) = repeated_name {
            return Err(self.unknown_argument(definition, name)?);
        }
        let mut others = Dict::default();
        let mut caller = None;
        for (entry, is_bound) in named.iter_paid(&self.run.meter).zip(is_bound) {
            let (name, value) = entry?;
            let Some(name) = name.as_text().filter(|_| !is_bound) else { continue };
            if name.is("caller") {
                caller = Some(value.clone());
            } else if definition.reads.kwargs {
                others.set(name, value.clone(), &self.run.meter)?;
            } else {
                return Err(self.unknown_argument(definition, name)?);
            }
        }
        if definition.reads.kwargs {
            let others = self.run.dict(others)?;
            self.variables.set(&self.run.meter, KWARGS, others)?;
        }
        Ok(caller)
    }

    fn unknown_argument(&self, definition: &Macro, name: &Text) -> Outcome<Fault> {
        let macro_name = self.program.name(definition.name);
        let name = name.read(&self.run.meter).map(shorten)?;
        Ok(Fault::render(format!("unknown argument `{name}` of `{macro_name}`")))
    }
}

fn too_many_calls(most: usize) -> Fault {
    Fault::limit(format!("macro calls are nested more than {most} levels deep"))
        .with_help("check that each recursive macro ends")
}
