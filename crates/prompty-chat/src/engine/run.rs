//! Runs the statements of a program, on a budget.

use std::cell::Cell;
use std::rc::Rc;

use super::arguments::Arguments;
use super::budget::Meter;
use super::dict::Dict;
use super::fault::{Fault, shown};
use super::heap::{Heap, LoopState, NewList};
use super::program::{CALLER, Filter, KWARGS, LOOP, Loop, Macro, Program, Statement, VARARGS};
use super::scopes::Variables;
use super::text::{Text, Writer};
use super::value::{Outcome, Val};
use prompty_core::jinja::is_python_space;
use prompty_core::template::RenderLimits;
use prompty_core::value::Map;
use prompty_core::work::add_steps;

/// How many steps, each with some room on the stack, may be open at once.
const MAX_OPEN: usize = 200;
/// How deep lists and maps may lie in each other where something walks through all of them.
pub(super) const MAX_NESTING: usize = 130;

/// A filter: the value, and the arguments.
pub(super) type FilterFn = fn(&mut Run<'_>, &Val, &Arguments) -> Outcome;
/// A test: the value, and the arguments.
pub(super) type TestFn = fn(&mut Run<'_>, &Val, &[Val]) -> Outcome<bool>;

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
    pub(super) meter: Rc<Meter>,
    /// What is written to: the output, or what is being captured.
    pub(super) out: Writer,
    pub(super) variables: Variables<'p>,
    /// The texts that stand in the template.
    constants: &'p [String],
    open: usize,
    calls: usize,
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
        let meter = Rc::new(Meter::new(limits));
        Self {
            program,
            limits,
            now,
            heap: Heap::default(),
            out: Writer::output(&meter, limits.max_output),
            meter,
            variables: Variables::new(inputs, program.names.len()),
            constants,
            open: 0,
            calls: 0,
            rewrites: Cell::new(false),
        }
    }

    /// Runs the whole template.
    pub(super) fn whole(mut self) -> Outcome<Written> {
        let program = self.program;
        self.statements(&program.body)?;
        Ok(Written { text: self.out.into_string(), rewrites: self.rewrites.get() })
    }

    /// Notes that a text was not used whole: letters of it may come to stand beside letters that
    /// they did not stand beside. Other letter cases and notations of a text count as whole, and so
    /// does what only puts something in front of it or behind.
    pub(super) fn note_rewriting(&self) {
        self.rewrites.set(true);
    }

    /// Notes it where a text to be filled in is none of the template's own: its places go out of it.
    pub(super) fn note_form(&self, form: &str) -> Outcome<()> {
        if self.rewrites.get() {
            return Ok(());
        }
        self.meter.pay(self.constants.len())?;
        for constant in self.constants.iter().filter(|constant| constant.len() == form.len()) {
            self.meter.pay(form.len())?;
            add_steps(form.len());
            if constant == form {
                return Ok(());
            }
        }
        self.note_rewriting();
        Ok(())
    }

    /// Notes it if a part of a text is not all of it but for white space around.
    pub(super) fn note_part(&self, whole: &str, part: &str) {
        self.note_parts(whole, [part]);
    }

    /// The same for many parts of a text, which is looked at once.
    pub(super) fn note_parts<'t>(&self, whole: &str, parts: impl IntoIterator<Item = &'t str>) {
        if self.rewrites.get() {
            return;
        }
        add_steps(whole.len());
        let whole = whole.trim_matches(is_python_space);
        for part in parts {
            add_steps(part.len());
            if part.trim_matches(is_python_space) != whole {
                self.note_rewriting();
                return;
            }
        }
    }

    /// A text that is being built.
    pub(super) fn writer(&self) -> Writer {
        Writer::new(&self.meter)
    }

    /// A copy of a text.
    pub(super) fn copy(&self, text: &str) -> Outcome {
        Text::copy(text, &self.meter).map(Val::String)
    }

    /// A list that a template has made.
    pub(super) fn list(&mut self, items: NewList) -> Outcome {
        self.heap.add_list(items, &self.meter).map(Val::List)
    }

    pub(super) fn tuple(&mut self, items: NewList) -> Outcome {
        self.heap.add_list(items, &self.meter).map(Val::Tuple)
    }

    /// A tuple of a few values.
    pub(super) fn tuple_of<const N: usize>(&mut self, values: [Val; N]) -> Outcome {
        let mut items = NewList::default();
        for value in values {
            items.push(value, &self.meter)?;
        }
        self.tuple(items)
    }

    pub(super) fn dict(&mut self, dict: Dict) -> Outcome {
        self.heap.add_dict(dict, &self.meter).map(Val::Dict)
    }

    /// Goes one step deeper; [`Run::leave`] must follow where it succeeds.
    #[inline]
    pub(super) fn enter(&mut self) -> Outcome<()> {
        self.open += 1;
        if self.open > MAX_OPEN {
            self.open -= 1;
            return Err(Fault::limit("macros, loops or expressions are nested too deep"));
        }
        self.meter.pay_steps(1)
    }

    /// Takes a step into a value, which is a limit where lists and maps lie too deep in each other.
    #[inline]
    pub(super) fn nest(&self, depth: usize, why: &str) -> Outcome<()> {
        if depth > MAX_NESTING {
            return Err(Fault::limit(why));
        }
        self.meter.pay_steps(1)
    }

    pub(super) fn leave(&mut self) {
        self.open -= 1;
    }

    fn statements(&mut self, statements: &'p [Statement]) -> Outcome<Flow> {
        for statement in statements {
            self.meter.pay_steps(1)?;
            match statement {
                Statement::Text(text) => self.out.push(text)?,
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
                let value = self.filtered(body, filters)?;
                self.bind(target, value)?;
            }
            Statement::FilterBlock { filters, body } => {
                let value = self.filtered(body, filters)?;
                self.print(&value)?;
            }
            Statement::With { bindings, body } => {
                let mut values = Vec::with_capacity(bindings.len());
                for (_, value) in bindings {
                    values.push(self.eval(value)?);
                }
                return self.inside(self.variables.scope, |run| {
                    for ((target, _), value) in bindings.iter().zip(values) {
                        run.bind(target, value)?;
                    }
                    run.nested(body)
                });
            }
            Statement::Macro(id) => {
                let Some(definition) = self.program.macros.get(*id as usize) else {
                    return Ok(Flow::Next);
                };
                let value = self.make_macro(*id)?;
                self.set(definition.name, value)?;
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
            Statement::Text(_)
            | Statement::Output(_)
            | Statement::Set { .. }
            | Statement::If { .. } => {}
        }
        Ok(Flow::Next)
    }

    fn make_macro(&mut self, definition: u32) -> Outcome {
        self.hold()?;
        self.heap.add_macro(definition, self.variables.scope, &self.meter)
    }

    /// What is written meanwhile, as a text.
    fn captured(&mut self, write: impl FnOnce(&mut Self) -> Outcome<()>) -> Outcome {
        let captured = Writer::captured(&self.meter, self.limits.max_output);
        let outer = std::mem::replace(&mut self.out, captured);
        let done = write(self);
        let text = std::mem::replace(&mut self.out, outer);
        done?;
        text.finish().map(Val::String)
    }

    /// What statements write, through filters.
    fn filtered(&mut self, body: &'p [Statement], filters: &'p [Filter]) -> Outcome {
        let scope = self.variables.scope;
        let written = self.captured(|run| run.inside(scope, |run| run.nested(body)).map(drop))?;
        filters.iter().try_fold(written, |value, filter| self.apply(filter, &value))
    }

    /// The items of a loop: all that its condition holds for.
    fn loop_items(&mut self, looped: &'p Loop, iterable: &Val) -> Outcome<NewList> {
        let Some(condition) = &looped.condition else { return self.all_items(iterable) };
        let all = self.all_items(iterable)?;
        let mut kept = NewList::default();
        for index in 0..all.len() {
            self.meter.pay_steps(1)?;
            let Some(item) = all.get(index) else { break };
            let keep = self.inside(self.variables.scope, |run| {
                run.bind(&looped.target, item.clone())?;
                run.eval(condition)
            })?;
            if self.is_true(&keep) {
                kept.push(item.clone(), &self.meter)?;
            }
        }
        Ok(kept)
    }

    /// Runs a loop's body for each item.
    fn repeat(&mut self, id: u32, looped: &'p Loop, iterable: &Val, depth: usize) -> Outcome<()> {
        let items = self.loop_items(looped, iterable);
        let items = items.map_err(|fault| fault.at(looped.iterable.at))?;
        if items.is_empty() {
            return self
                .inside(self.variables.scope, |run| run.nested(&looped.otherwise))
                .map(drop);
        }
        let recursive = looped.recursive.then_some((id, self.variables.scope));
        if looped.recursive {
            self.hold()?;
        }
        let count = items.len();
        let state = LoopState { items, index: 0, depth, last: None, recursive };
        let state = self.heap.add_loop(state, &self.meter)?;
        for index in 0..count {
            let Some(running) = self.heap.loop_state_mut(state) else { break };
            running.index = index;
            let item = running.items.get(index).cloned().unwrap_or(Val::Undefined);
            let flow = self.inside(self.variables.scope, |run| {
                run.bind(&looped.target, item).map_err(|fault| fault.at(looped.iterable.at))?;
                run.set(LOOP, Val::Loop(state))?;
                run.nested(&looped.body)
            })?;
            if matches!(flow, Flow::Break) {
                break;
            }
        }
        Ok(())
    }

    /// `loop(items)` in a recursive loop.
    pub(super) fn repeat_again(&mut self, state: u32, items: &Val) -> Outcome {
        let running = self.heap.loop_state(state);
        let Some((Some((id, scope)), depth)) = running.map(|it| (it.recursive, it.depth)) else {
            return Err(Fault::render("only a loop marked `recursive` can be called"));
        };
        let program = self.program;
        let Some(looped) = program.loops.get(id as usize) else { return Ok(Val::Undefined) };
        let before = std::mem::replace(&mut self.variables.scope, scope);
        let text = self.captured(|run| {
            run.enter()?;
            let done = run.repeat(id, looped, items, depth + 1);
            run.leave();
            done
        });
        self.variables.scope = before;
        text
    }

    /// What a macro writes.
    pub(super) fn call_macro(
        &mut self,
        id: u32,
        arguments: &Arguments,
        caller: Option<Val>,
    ) -> Outcome {
        let Some((definition, scope)) = self.heap.macro_parts(id) else {
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
        let text = self.captured(|run| {
            run.inside(scope, |run| run.macro_body(definition, arguments, caller))
        })?;
        self.calls -= 1;
        Ok(text)
    }

    fn macro_body(
        &mut self,
        definition: &'p Macro,
        arguments: &Arguments,
        caller: Option<Val>,
    ) -> Outcome<()> {
        let program = self.program;
        let name_of = |id: u32| program.names.get(id as usize).map_or("", |name| name);
        let Arguments { positional, named, repeated } = arguments;
        let parameters = definition.parameters.len();
        self.meter.pay_items(parameters)?;
        let mut is_taken = vec![false; named.len()];
        let mut missing = Vec::new();
        for (index, (parameter, default)) in definition.parameters.iter().enumerate() {
            let value = match positional.get(index) {
                Some(value) => Some(value),
                None => named.place(name_of(*parameter), &self.meter)?.and_then(|place| {
                    if let Some(taken) = is_taken.get_mut(place) {
                        *taken = true;
                    }
                    named.entry(place).map(|(_, value)| value)
                }),
            };
            match value {
                Some(value) => self.set(*parameter, value.clone())?,
                None => missing.push((*parameter, default)),
            }
        }
        for (parameter, default) in missing {
            let value = match default {
                Some(default) => self.eval(default)?,
                None => Val::Undefined,
            };
            self.set(parameter, value)?;
        }
        let macro_name = name_of(definition.name);
        if definition.reads.varargs {
            let mut rest = NewList::default();
            rest.extend(positional.behind(parameters), &self.meter)?;
            let rest = self.tuple(rest)?;
            self.set(VARARGS, rest)?;
        } else if positional.len() > parameters {
            let message =
                format!("macro `{macro_name}` takes not more than {parameters} arguments");
            return Err(Fault::render(message));
        }
        let refuse = |meter: &Meter, name: &Text| {
            let name = name.read(meter).map(shown)?;
            Err(Fault::render(format!("macro `{macro_name}` takes no argument `{name}`")))
        };
        if let Some(name) = repeated {
            return refuse(&self.meter, name);
        }
        let mut others = Dict::default();
        let mut caller = caller;
        for (entry, is_taken) in named.each(&self.meter).zip(is_taken) {
            let (name, value) = entry?;
            let Some(name) = name.as_text().filter(|_| !is_taken) else { continue };
            if name.is("caller") {
                caller = Some(value.clone());
            } else if definition.reads.kwargs {
                others.set(name, value.clone(), &self.meter)?;
            } else {
                return refuse(&self.meter, name);
            }
        }
        if definition.reads.kwargs {
            let others = self.dict(others)?;
            self.set(KWARGS, others)?;
        }
        self.set(CALLER, caller.unwrap_or(Val::Undefined))?;
        self.nested(&definition.body)?;
        Ok(())
    }
}
