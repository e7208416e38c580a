//! The state of a render for filters, tests and methods: its values, budget and output.

use std::cell::Cell;
use std::rc::Rc;

use super::arguments::Arguments;
use super::budget::Meter;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::{Heap, ItemList};
use super::table::Entry;
use super::text::{Text, TextWriter};
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;
use prompty_template::RenderLimits;
use prompty_template::jinja::is_python_space;

/// The maximum number of nested steps: loops, branches, macros and expressions. Each needs up to 3 KB
/// of stack in a debug build, and a small thread has 512 KB.
pub(super) const MAX_NESTED_STEPS: usize = 150;
/// The maximum depth of nested lists and maps in operations that visit all of them. Such operations
/// call themselves, so this limits their stack.
pub(super) const MAX_NESTING: usize = 130;

/// A filter: the value, and the arguments.
pub(super) type FilterFn = fn(&mut Run<'_>, &Val, &Arguments) -> Outcome;
/// A test: the value, and the arguments.
pub(super) type TestFn = fn(&mut Run<'_>, &Val, &[Val]) -> Outcome<bool>;

/// Functions that look up filters and tests by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionTables {
    pub(super) filter: fn(&str) -> Option<&'static Entry<FilterFn>>,
    pub(super) test: fn(&str) -> Option<&'static Entry<TestFn>>,
}

/// The output of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderOutput {
    pub(crate) text: String,
    /// Whether the template cut, reversed or replaced parts of a text, or iterated over its
    /// characters. Then it may have built markup from text that contained none.
    pub(crate) may_have_built_markup: bool,
}

/// A running render.
pub(super) struct Run<'p> {
    /// The filters and tests, for filters that call others by name.
    pub(super) tables: FunctionTables,
    pub(super) limits: RenderLimits,
    /// The current time in seconds since 1970.
    pub(super) now: i64,
    pub(super) heap: Heap,
    pub(super) meter: Rc<Meter>,
    /// The current target of writing: the output, or a text that is being captured.
    pub(super) out: TextWriter,
    /// The strings in the template.
    constants: &'p [String],
    /// The number of steps that are being executed, each in the one before.
    nested_steps: usize,
    /// See [`RenderOutput::may_have_built_markup`].
    pub(super) may_have_built_markup: Cell<bool>,
}

impl<'p> Run<'p> {
    pub(super) fn new(
        tables: FunctionTables,
        limits: RenderLimits,
        constants: &'p [String],
        now: i64,
    ) -> Self {
        let meter = Rc::new(Meter::new(limits));
        Self {
            tables,
            limits,
            now,
            heap: Heap::default(),
            out: TextWriter::output(&meter, limits.max_output),
            meter,
            constants,
            nested_steps: 0,
            may_have_built_markup: Cell::new(false),
        }
    }

    /// Notes that characters of a text may get other neighbours than before, so that a marker may
    /// appear: removing `-` from `<-s>`, for example. Changing the case of a text, escaping it, or
    /// adding something before or after it does not count.
    pub(super) fn note_rewriting(&self) {
        self.may_have_built_markup.set(true);
    }

    /// Notes a rewriting if a format string is not one of the template's own strings: filling it
    /// removes its placeholders.
    pub(super) fn note_format_string(&self, form: &str) -> Outcome<()> {
        if self.may_have_built_markup.get() {
            return Ok(());
        }
        self.meter.pay_units(self.constants.len())?;
        for constant in self.constants.iter().filter(|constant| constant.len() == form.len()) {
            self.meter.pay_units(form.len())?;
            add_steps(form.len());
            if constant == form {
                return Ok(());
            }
        }
        self.note_rewriting();
        Ok(())
    }

    /// Notes a rewriting if `part` is less than `original`, apart from white space at its ends.
    pub(super) fn note_part(&self, original: &str, part: &str) {
        self.note_parts(original, [part]);
    }

    /// Like [`note_part`](Self::note_part), for several parts. The text is read only once.
    pub(super) fn note_parts<'t>(&self, original: &str, parts: impl IntoIterator<Item = &'t str>) {
        if self.may_have_built_markup.get() {
            return;
        }
        add_steps(original.len());
        let original = original.trim_matches(is_python_space);
        for part in parts {
            add_steps(part.len());
            if part.trim_matches(is_python_space) != original {
                self.note_rewriting();
                return;
            }
        }
    }

    /// Creates a writer for a new text.
    pub(super) fn writer(&self) -> TextWriter {
        TextWriter::new(&self.meter)
    }

    /// A copy of a text as a value.
    pub(super) fn copy(&self, text: &str) -> Outcome {
        Text::copy(text, &self.meter).map(Val::String)
    }

    /// A list that the template creates.
    pub(super) fn list(&mut self, items: ItemList) -> Outcome {
        self.heap.add_list(items, &self.meter).map(Val::List)
    }

    pub(super) fn tuple(&mut self, items: ItemList) -> Outcome {
        self.heap.add_list(items, &self.meter).map(Val::Tuple)
    }

    /// A tuple of the given values.
    pub(super) fn tuple_of<const N: usize>(&mut self, values: [Val; N]) -> Outcome {
        let mut items = ItemList::default();
        for value in values {
            items.push(value, &self.meter)?;
        }
        self.tuple(items)
    }

    pub(super) fn dict(&mut self, dict: Dict) -> Outcome {
        self.heap.add_dict(dict, &self.meter).map(Val::Dict)
    }

    /// Enters a nested step. If that succeeds, [`Run::leave`] must be called later.
    #[inline]
    pub(super) fn enter(&mut self) -> Outcome<()> {
        self.nested_steps += 1;
        if self.nested_steps > MAX_NESTED_STEPS {
            self.nested_steps -= 1;
            let message = format!(
                "macros, loops or expressions are nested more than {MAX_NESTED_STEPS} levels deep"
            );
            let help = "check that each recursive macro or loop ends";
            return Err(Fault::limit(message).with_help(help));
        }
        self.meter.pay_steps(1)
    }

    /// Leaves the step that was entered last.
    pub(super) fn leave(&mut self) {
        self.nested_steps -= 1;
    }

    /// Pays for a step into a nested value. It fails if lists and maps are nested too deeply.
    /// `what` is the start of its message: `the printed value is`.
    #[inline]
    pub(super) fn pay_nested_value(&self, depth: usize, what: &str) -> Outcome<()> {
        if depth > MAX_NESTING {
            let message = format!("{what} nested more than {MAX_NESTING} levels deep");
            return Err(Fault::limit(message).with_help("use fewer levels of lists and maps"));
        }
        self.meter.pay_steps(1)
    }
}
