//! The state of a render, which filters, tests and methods work on: its values, its budget and its output.

use std::cell::Cell;
use std::rc::Rc;

use super::arguments::Arguments;
use super::budget::Meter;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::{Heap, NewList};
use super::text::{Text, Writer};
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;
use prompty_template::RenderLimits;
use prompty_template::jinja::is_python_space;

/// How many steps, each with some room on the stack, may be open at once.
const MAX_OPEN: usize = 200;
/// How deep lists and maps may lie in each other where something walks through all of them.
pub(super) const MAX_NESTING: usize = 130;

/// A filter: the value, and the arguments.
pub(super) type FilterFn = fn(&mut Run<'_>, &Val, &Arguments) -> Outcome;
/// A test: the value, and the arguments.
pub(super) type TestFn = fn(&mut Run<'_>, &Val, &[Val]) -> Outcome<bool>;

/// How filters and tests are found by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) filter: fn(&str) -> Option<FilterFn>,
    pub(super) test: fn(&str) -> Option<TestFn>,
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
    /// The filters and tests, for those that call others.
    pub(super) named: Named,
    pub(super) limits: RenderLimits,
    /// Now, in seconds.
    pub(super) now: i64,
    pub(super) heap: Heap,
    pub(super) meter: Rc<Meter>,
    /// What is written to: the output, or what is being captured.
    pub(super) out: Writer,
    /// The texts that stand in the template.
    constants: &'p [String],
    open: usize,
    pub(super) rewrites: Cell<bool>,
}

impl<'p> Run<'p> {
    pub(super) fn new(
        named: Named,
        limits: RenderLimits,
        constants: &'p [String],
        now: i64,
    ) -> Self {
        let meter = Rc::new(Meter::new(limits));
        Self {
            named,
            limits,
            now,
            heap: Heap::default(),
            out: Writer::output(&meter, limits.max_output),
            meter,
            constants,
            open: 0,
            rewrites: Cell::new(false),
        }
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
}
