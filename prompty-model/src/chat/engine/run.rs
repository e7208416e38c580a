//! Runs the statements of a program, on a budget.

use std::cell::Cell;
use std::sync::Arc;

use super::program::{Loop, Macro, NameId, Program, Statement};
use super::scopes::{Scope, Variables};
use super::value::{Dict, Fault, Heap, LoopState, Outcome, Val};
use prompty_core::jinja::{RenderLimits, is_python_space};
use prompty_core::value::Map;
use prompty_core::work::add_steps;

/// How many steps, each with some room on the stack, may be open at once.
const MAX_OPEN: usize = 200;
/// How deep lists and maps may lie in each other where something walks through all of them.
pub(super) const MAX_NESTING: usize = 130;
/// The bytes that are read or written for one unit of fuel.
const BYTES_A_STEP: usize = 64;

/// A filter: the value, and the arguments.
pub(super) type FilterFn = fn(&mut Run<'_>, &Val, &Arguments) -> Outcome;
/// A test: the value, and the arguments.
pub(super) type TestFn = fn(&mut Run<'_>, &Val, &[Val]) -> Outcome<bool>;

/// The functions that every template has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Range,
    Dict,
    Namespace,
    Cycler,
    Joiner,
    RaiseException,
    StrftimeNow,
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "range" => Self::Range,
            "dict" => Self::Dict,
            "namespace" => Self::Namespace,
            "cycler" => Self::Cycler,
            "joiner" => Self::Joiner,
            "raise_exception" => Self::RaiseException,
            "strftime_now" => Self::StrftimeNow,
            _ => return None,
        })
    }
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Val>,
    pub(super) named: Vec<(Arc<str>, Val)>,
}

impl Arguments {
    /// An argument by its place or its name.
    pub(super) fn get(&self, index: usize, name: &str) -> Option<&Val> {
        self.positional.get(index).or_else(|| self.by_name(name))
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&Val> {
        self.named.iter().find(|(found, _)| &**found == name).map(|(_, value)| value)
    }

    /// An argument that must be there.
    pub(super) fn need(&self, index: usize, name: &str) -> Outcome<&Val> {
        self.get(index, name)
            .ok_or_else(|| Fault::render(format!("the argument `{name}` is missing")))
    }
}

/// What a statement leads to.
enum Flow {
    Next,
    Break,
    Continue,
}

/// What a template wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) text: String,
    /// Whether the template used some text in another way than whole, so that markup may have come of
    /// what was none: it was cut, turned round, gone through letter by letter, or had parts replaced.
    pub(crate) rewrites: bool,
}

/// A render.
pub(super) struct Run<'p> {
    pub(super) program: &'p Program,
    pub(super) limits: RenderLimits,
    /// Now, in seconds.
    pub(super) now: i64,
    pub(super) heap: Heap,
    pub(super) out: String,
    pub(super) variables: Variables<'p>,
    /// The texts that stand in the template.
    constants: &'p [String],
    open: usize,
    calls: usize,
    pub(super) fuel: Cell<u64>,
    built: Cell<usize>,
    rewrites: Cell<bool>,
}

impl<'p> Run<'p> {
    pub(super) fn new(
        program: &'p Program,
        limits: RenderLimits,
        inputs: &'p Map,
        constants: &'p [String],
        now: i64,
    ) -> Self {
        Self {
            program,
            limits,
            now,
            heap: Heap::default(),
            out: String::with_capacity(1024),
            variables: Variables::new(inputs, program.names.len()),
            constants,
            open: 0,
            calls: 0,
            fuel: Cell::new(limits.fuel),
            built: Cell::new(limits.max_output.saturating_mul(4)),
            rewrites: Cell::new(false),
        }
    }

    /// Runs the whole template. It also says how much fuel that took.
    pub(super) fn whole(mut self) -> (Outcome<Written>, u64) {
        let program = self.program;
        let flow = self.statements(&program.body);
        let fuel = self.limits.fuel.saturating_sub(self.fuel.get());
        let written = flow.map(|_| Written { text: self.out, rewrites: self.rewrites.get() });
        (written, fuel)
    }

    /// Notes that a text was not used whole: letters of it may come to stand beside letters that
    /// they did not stand beside. Other letter cases and notations of a text count as whole, and so
    /// does what only puts something in front of it or behind.
    pub(super) fn note_rewriting(&self) {
        self.rewrites.set(true);
    }

    /// Notes it where a text to be filled in is none of the template's own: its places go out of it.
    pub(super) fn note_form(&self, form: &str) {
        if !self.constants.iter().any(|constant| constant == form) {
            self.note_rewriting();
        }
    }

    /// Notes it if a part of a text is not all of it but for white space around.
    pub(super) fn note_part(&self, whole: &str, part: &str) {
        if !self.rewrites.get()
            && whole.trim_matches(is_python_space) != part.trim_matches(is_python_space)
        {
            self.note_rewriting();
        }
    }

    /// Pays for steps.
    pub(super) fn pay(&self, steps: usize) -> Outcome<()> {
        match self.fuel.get().checked_sub(steps as u64) {
            Some(left) => {
                add_steps(steps);
                self.fuel.set(left);
                Ok(())
            }
            None => Err(Fault::limit("the template takes more steps than it may")),
        }
    }

    /// Pays for bytes that are read.
    pub(super) fn pay_read(&self, bytes: usize) -> Outcome<()> {
        if bytes < BYTES_A_STEP {
            return Ok(());
        }
        self.pay(bytes / BYTES_A_STEP)
    }

    /// Pays for bytes that are built.
    pub(super) fn pay_built(&self, bytes: usize) -> Outcome<()> {
        match self.built.get().checked_sub(bytes) {
            Some(left) => {
                self.built.set(left);
                self.pay_read(bytes)
            }
            None => Err(Fault::limit("the template builds more text than it may")),
        }
    }

    /// A text that a template has made.
    pub(super) fn made(&self, text: impl Into<Arc<str>>) -> Outcome {
        let text = text.into();
        self.pay_built(text.len() + size_of::<Val>())?;
        Ok(Val::String(text))
    }

    /// A list that a template has made.
    pub(super) fn list(&mut self, items: Vec<Val>) -> Outcome {
        self.pay_built((items.len() + 2) * size_of::<Val>())?;
        Ok(Val::List(self.heap.add_list(items)))
    }

    pub(super) fn tuple(&mut self, items: Vec<Val>) -> Outcome {
        self.pay_built((items.len() + 2) * size_of::<Val>())?;
        Ok(Val::Tuple(self.heap.add_list(items)))
    }

    pub(super) fn dict(&mut self, dict: Dict) -> Outcome {
        self.pay_built((dict.entries.len() + 2) * 2 * size_of::<Val>())?;
        Ok(Val::Dict(self.heap.add_dict(dict)))
    }

    /// Goes one step deeper; [`Run::leave`] must follow where it succeeds.
    pub(super) fn enter(&mut self) -> Outcome<()> {
        self.open += 1;
        if self.open > MAX_OPEN {
            self.open -= 1;
            return Err(Fault::limit("macros, loops or expressions are nested too deep"));
        }
        self.pay(1)
    }

    pub(super) fn leave(&mut self) {
        self.open -= 1;
    }

    /// Writes text to the output, or to what is being captured.
    pub(super) fn write(&mut self, text: &str) -> Outcome<()> {
        if text.len() > self.limits.max_output.saturating_sub(self.out.len()) {
            return Err(Fault::limit("the template writes more text than it may"));
        }
        self.pay_read(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    fn statements(&mut self, statements: &'p [Statement]) -> Outcome<Flow> {
        for statement in statements {
            self.pay(1)?;
            match statement {
                Statement::Text(text) => self.write(text)?,
                Statement::Output(value) => {
                    let value = self.eval(value)?;
                    self.print(&value)?;
                }
                Statement::Set { target, value } => {
                    let at = value.at;
                    let value = self.eval(value)?;
                    self.bind(target, value).map_err(|fault| fault.at(at))?;
                }
                Statement::If { branches, otherwise } => {
                    let mut body = otherwise;
                    for (test, branch) in branches {
                        let test = self.eval(test)?;
                        if self.is_true(&test) {
                            body = branch;
                            break;
                        }
                    }
                    match self.nested(body)? {
                        Flow::Next => {}
                        flow => return Ok(flow),
                    }
                }
                other => match self.other(other)? {
                    Flow::Next => {}
                    flow => return Ok(flow),
                },
            }
        }
        Ok(Flow::Next)
    }

    fn nested(&mut self, statements: &'p [Statement]) -> Outcome<Flow> {
        if statements.is_empty() {
            return Ok(Flow::Next);
        }
        self.enter()?;
        let flow = self.statements(statements);
        self.leave();
        flow
    }

    /// The statements that are rarer.
    #[inline(never)]
    fn other(&mut self, statement: &'p Statement) -> Outcome<Flow> {
        match statement {
            Statement::For(id) => {
                let program = self.program;
                let Some(looped) = program.loops.get(*id as usize) else { return Ok(Flow::Next) };
                let iterable = self.eval(&looped.iterable)?;
                self.repeat(*id, looped, &iterable, 0)?;
            }
            Statement::SetBlock { target, filters, body } => {
                let mut value = self.captured(body)?;
                for filter in filters {
                    value = self.apply(filter, &value)?;
                }
                self.bind(target, value)?;
            }
            Statement::FilterBlock { filters, body } => {
                let mut value = self.captured(body)?;
                for filter in filters {
                    value = self.apply(filter, &value)?;
                }
                self.print(&value)?;
            }
            Statement::With { bindings, body } => {
                let mut values = Vec::with_capacity(bindings.len());
                for (_, value) in bindings {
                    values.push(self.eval(value)?);
                }
                let before = self.open_scope(self.variables.scope);
                for ((target, _), value) in bindings.iter().zip(values) {
                    self.bind(target, value)?;
                }
                let flow = self.nested(body)?;
                self.close_scope(before);
                return Ok(flow);
            }
            Statement::Macro(id) => {
                let Some(definition) = self.program.macros.get(*id as usize) else {
                    return Ok(Flow::Next);
                };
                let value = self.make_macro(*id)?;
                self.set(definition.name, value);
            }
            Statement::CallBlock { call, caller } => {
                let caller = self.make_macro(*caller)?;
                let value = self.eval_with_caller(call, caller)?;
                self.print(&value)?;
            }
            Statement::Do(value) => {
                self.eval(value)?;
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Scope(body) => {
                let before = self.open_scope(self.variables.scope);
                let flow = self.nested(body)?;
                self.close_scope(before);
                return Ok(flow);
            }
            Statement::Text(_)
            | Statement::Output(_)
            | Statement::Set { .. }
            | Statement::If { .. } => {}
        }
        Ok(Flow::Next)
    }

    fn make_macro(&mut self, definition: u32) -> Outcome {
        self.hold();
        // With the scope that has to stay for it.
        self.pay_built(4 * size_of::<Scope>())?;
        Ok(self.heap.add_macro(definition, self.variables.scope))
    }

    /// What statements write, as a text.
    fn captured(&mut self, body: &'p [Statement]) -> Outcome {
        let outer = std::mem::take(&mut self.out);
        let before = self.open_scope(self.variables.scope);
        let flow = self.nested(body);
        let text = std::mem::replace(&mut self.out, outer);
        flow?;
        self.close_scope(before);
        self.made(text)
    }

    /// Runs a loop's body for each item.
    fn repeat(&mut self, id: u32, looped: &'p Loop, iterable: &Val, depth: usize) -> Outcome<()> {
        let mut items = self.items(iterable).map_err(|fault| fault.at(looped.iterable.at))?;
        if let Some(condition) = &looped.condition {
            let mut kept = Vec::new();
            for item in items {
                self.pay(1)?;
                let before = self.open_scope(self.variables.scope);
                self.bind(&looped.target, item.clone())?;
                let keep = self.eval(condition)?;
                self.close_scope(before);
                if self.is_true(&keep) {
                    kept.push(item);
                }
            }
            items = kept;
        }
        if items.is_empty() {
            let before = self.open_scope(self.variables.scope);
            self.nested(&looped.otherwise)?;
            self.close_scope(before);
            return Ok(());
        }
        self.pay_built(items.len() * size_of::<Val>() + size_of::<LoopState>())?;
        let recursive = looped.recursive.then_some((id, self.variables.scope));
        if looped.recursive {
            self.hold();
        }
        let count = items.len();
        let state = LoopState { items, index: 0, depth, last: None, recursive };
        let state = self.heap.add_loop(state);
        let known = self.program.known;
        for index in 0..count {
            let Some(running) = self.heap.loops.get_mut(state as usize) else { break };
            running.index = index;
            let item = running.items.get(index).cloned().unwrap_or(Val::Undefined);
            let before = self.open_scope(self.variables.scope);
            self.bind(&looped.target, item).map_err(|fault| fault.at(looped.iterable.at))?;
            self.set(known.r#loop, Val::Loop(state));
            let flow = self.nested(&looped.body)?;
            self.close_scope(before);
            if matches!(flow, Flow::Break) {
                break;
            }
        }
        Ok(())
    }

    /// `loop(items)` in a recursive loop.
    pub(super) fn repeat_again(&mut self, state: u32, items: &Val) -> Outcome {
        let running = self.heap.loops.get(state as usize);
        let Some((Some((id, scope)), depth)) = running.map(|it| (it.recursive, it.depth)) else {
            return Err(Fault::render("only a loop marked `recursive` can be called"));
        };
        let program = self.program;
        let Some(looped) = program.loops.get(id as usize) else { return Ok(Val::Undefined) };
        let outer = std::mem::take(&mut self.out);
        let before = std::mem::replace(&mut self.variables.scope, scope);
        let done = self.enter().and_then(|()| {
            let done = self.repeat(id, looped, items, depth + 1);
            self.leave();
            done
        });
        self.variables.scope = before;
        let text = std::mem::replace(&mut self.out, outer);
        done?;
        self.made(text)
    }

    /// What a macro writes.
    pub(super) fn call_macro(
        &mut self,
        id: u32,
        arguments: Arguments,
        caller: Option<Val>,
    ) -> Outcome {
        let Some((definition, scope)) = self.heap.macros.get(id as usize).copied() else {
            return Ok(Val::Undefined);
        };
        let program = self.program;
        let Some(definition) = program.macros.get(definition as usize) else {
            return Ok(Val::Undefined);
        };
        if self.calls >= self.limits.max_depth {
            return Err(Fault::limit("macros call each other too deep"));
        }
        self.calls += 1;
        let outer = std::mem::take(&mut self.out);
        let before = self.open_scope(scope);
        let done = self.macro_body(definition, arguments, caller);
        let text = std::mem::replace(&mut self.out, outer);
        done?;
        self.close_scope(before);
        self.calls -= 1;
        self.made(text)
    }

    fn macro_body(
        &mut self,
        definition: &'p Macro,
        arguments: Arguments,
        caller: Option<Val>,
    ) -> Outcome<()> {
        let Arguments { positional, named } = arguments;
        let name_of = |id: NameId| self.program.names.get(id as usize).cloned();
        let mut given = positional.into_iter();
        let mut named: Vec<Option<(Arc<str>, Val)>> = named.into_iter().map(Some).collect();
        let mut missing = Vec::new();
        let mut bound = Vec::with_capacity(definition.parameters.len());
        for (parameter, default) in &definition.parameters {
            let name = name_of(*parameter).unwrap_or_default();
            let by_name = |it: &&mut Option<(Arc<str>, Val)>| {
                it.as_ref().is_some_and(|(found, _)| *found == name)
            };
            let value = match given.next() {
                Some(value) => Some(value),
                None => named.iter_mut().find(by_name).and_then(Option::take).map(|(_, it)| it),
            };
            match value {
                Some(value) => bound.push((*parameter, value)),
                None => missing.push((*parameter, default)),
            }
        }
        for (parameter, value) in bound {
            self.set(parameter, value);
        }
        for (parameter, default) in missing {
            let value = match default {
                Some(default) => self.eval(default)?,
                None => Val::Undefined,
            };
            self.set(parameter, value);
        }
        let macro_name = self.program.names.get(definition.name as usize).cloned();
        let macro_name = macro_name.unwrap_or_default();
        let rest: Vec<Val> = given.collect();
        if definition.takes_varargs {
            let rest = self.tuple(rest)?;
            self.set(self.program.known.varargs, rest);
        } else if !rest.is_empty() {
            let count = definition.parameters.len();
            let message = format!("macro `{macro_name}` takes not more than {count} arguments");
            return Err(Fault::render(message));
        }
        let mut others = Dict::default();
        let mut caller = caller;
        for (name, value) in named.into_iter().flatten() {
            if &*name == "caller" {
                caller = Some(value);
            } else if definition.takes_kwargs {
                others.set(name, value);
            } else {
                let message = format!("macro `{macro_name}` takes no argument `{name}`");
                return Err(Fault::render(message));
            }
        }
        if definition.takes_kwargs {
            let others = self.dict(others)?;
            self.set(self.program.known.kwargs, others);
        }
        self.set(self.program.known.caller, caller.unwrap_or(Val::Undefined));
        self.nested(&definition.body)?;
        Ok(())
    }
}
