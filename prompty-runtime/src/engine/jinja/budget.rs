//! What a render may build, read and write: the engine's fuel alone bounds neither memory nor time.
//!
//! Whatever can be large is paid for here before it is done: bytes that are built and held, and bytes
//! that are read, compared or searched. An item of a list, a call and an allocation stand for so many
//! bytes, each in proportion to its time and memory; see the constants.
//!
//! Every list and map that a template makes is measured when it is made, with all that it holds, so
//! that nothing can come to be that is too deep or too large to be printed, compared or dropped.

use std::fmt;

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, State};

use super::bridge::{self, EngineResult, engine_error};
use super::costs::{ALLOCATION, ENTRY, SKIPPED, SLOT, STEP, text_room, too_much};
use super::size::{self, Ruler, Size, Sizes, is_live};
use prompty_core::value::Value;
use prompty_core::work::{COUNTS, add_paid};

/// How many bytes may be read for each that may be built.
const READS: usize = 8;
/// The least that may be read, so that small limits do not refuse small prompts with large inputs.
const LEAST_READ: usize = 64 << 20;

/// How much a render may do, shared by all filters of a template.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    /// How many bytes of texts and lists may be built beside the output.
    built: usize,
    /// How many bytes may be read by comparisons, filters and tests.
    read: usize,
}

/// What a render has done so far.
#[derive(Default)]
struct Spent {
    built: usize,
    read: usize,
    written: usize,
    /// How many steps of the engine have been counted as paid.
    steps: u64,
    sizes: Sizes,
    /// The left sides of the products whose right side is not known yet, the innermost last.
    factors: Vec<EngineValue>,
}

impl Budget {
    pub(super) fn new(max_output: usize) -> Self {
        let built = max_output.saturating_mul(4);
        Self { built, read: built.saturating_mul(READS).max(LEAST_READ) }
    }
}

/// A render's budget with the state of the render, which holds what has been spent.
pub(super) struct Meter<'m, 's, 'env> {
    budget: Budget,
    pub(super) state: &'m mut State<'s, 'env>,
}

impl<'m, 's, 'env> Meter<'m, 's, 'env> {
    pub(super) fn new(budget: Budget, state: &'m mut State<'s, 'env>) -> Self {
        Self { budget, state }
    }

    /// Charges for bytes that will be built.
    pub(super) fn charge(&mut self, bytes: usize) -> EngineResult<()> {
        let spent = spent(self.state);
        spent.built = spent.built.saturating_add(bytes);
        if spent.built > self.budget.built {
            return Err(too_much("builds", self.budget.built));
        }
        count_paid(self.state, bytes);
        Ok(())
    }

    /// Refuses what would be built where there is no room for it. It is charged when its size is
    /// known.
    pub(super) fn room(&mut self, bytes: usize) -> EngineResult<()> {
        if spent(self.state).built.saturating_add(bytes) <= self.budget.built {
            return Ok(());
        }
        Err(too_much("builds", self.budget.built))
    }

    /// Charges for a text that will be written.
    pub(super) fn write(&mut self, bytes: usize) -> EngineResult<()> {
        let spent = spent(self.state);
        spent.written = spent.written.saturating_add(bytes);
        if spent.written > self.budget.built {
            return Err(too_much("writes", self.budget.built));
        }
        count_paid(self.state, bytes);
        Ok(())
    }

    /// Charges for bytes that will be read.
    pub(super) fn read_bytes(&mut self, bytes: usize) -> EngineResult<()> {
        let spent = spent(self.state);
        spent.read = spent.read.saturating_add(bytes);
        if spent.read > self.budget.read {
            return Err(too_much("reads", self.budget.read));
        }
        count_paid(self.state, bytes);
        Ok(())
    }

    /// Charges for a value that will be read as a whole, and says how many bytes it counts for.
    pub(super) fn read(&mut self, value: &EngineValue) -> EngineResult<usize> {
        let bytes = match value.kind() {
            ValueKind::String => value.as_str().map_or(0, str::len),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => self.size(value)?.bytes,
            _ => return Ok(0),
        };
        self.read_bytes(bytes)?;
        Ok(bytes)
    }

    /// Charges for a text that will be searched; what is no text is not.
    pub(super) fn read_text(&mut self, value: &EngineValue) -> EngineResult<()> {
        value.as_str().map_or(Ok(()), |text| self.read_bytes(text.len()))
    }

    /// Charges for walking past all characters or items of a value.
    pub(super) fn walk(&mut self, value: &EngineValue) -> EngineResult<()> {
        match value.kind() {
            ValueKind::String => self.read_text(value),
            ValueKind::Seq | ValueKind::Iterable => {
                let items = value.len().unwrap_or_default();
                self.read_bytes(items.saturating_mul(SKIPPED))
            }
            _ => Ok(()),
        }
    }

    /// Charges for a value that the engine has just made: a text or list from the template's own, or
    /// one that there was [room](Self::room) for. Gives it back, no longer lazy.
    pub(super) fn pay(&mut self, value: EngineValue) -> EngineResult {
        match value.kind() {
            ValueKind::String => {
                self.charge(text_room(value.as_str().map_or(0, str::len)))?;
                Ok(value)
            }
            ValueKind::Seq | ValueKind::Map if !is_live(&value) => {
                let room = if value.kind() == ValueKind::Map { ENTRY } else { SLOT };
                let items = value.len().unwrap_or_default();
                self.charge(items.saturating_mul(room).saturating_add(ALLOCATION))?;
                self.measured(value)
            }
            _ => self.measured(value),
        }
    }

    /// A value that has been paid for, measured and no longer lazy: a lazy list holds what it was made
    /// of, which may be lazy again, without end.
    pub(super) fn measured(&mut self, value: EngineValue) -> EngineResult {
        match value.kind() {
            ValueKind::Iterable => {
                let items = self.items(&value)?;
                self.size(&items)?;
                Ok(items)
            }
            ValueKind::Seq | ValueKind::Map if !is_live(&value) => {
                self.size(&value)?;
                Ok(value)
            }
            _ => Ok(value),
        }
    }

    /// The items of a lazy list, each paid for before it is made.
    fn items(&mut self, value: &EngineValue) -> EngineResult {
        let known = value.len().unwrap_or_default();
        self.charge(known.saturating_mul(SLOT).saturating_add(ALLOCATION))?;
        self.read_bytes(known.saturating_mul(SKIPPED))?;
        let mut items = Vec::with_capacity(known);
        for item in value.try_iter()? {
            if items.len() >= known {
                self.charge(2 * SLOT)?;
            }
            items.push(item);
        }
        Ok(EngineValue::from(items))
    }

    /// A value of the engine as ours, paid for where it must be copied.
    pub(super) fn convert(&mut self, value: &EngineValue) -> EngineResult<Value> {
        self.copied(value)?;
        bridge::from_engine(value).map_err(engine_error)
    }

    /// Charges for the copy that [`convert`](Self::convert) makes of a list or map.
    pub(super) fn copied(&mut self, value: &EngineValue) -> EngineResult<()> {
        let is_container =
            matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map);
        if !is_container || bridge::is_shared(value) {
            return Ok(());
        }
        let bytes = self.size(value)?.bytes;
        self.charge(bytes)
    }

    /// Charges for a product of the engine's `*`: remembers the left side.
    pub(super) fn left_factor(&mut self, value: &EngineValue) {
        spent(self.state).factors.push(value.clone());
    }

    /// Charges for a product whose left side was the last that is remembered.
    pub(super) fn right_factor(&mut self, right: &EngineValue) -> EngineResult<()> {
        let left = spent(self.state).factors.pop().unwrap_or_default();
        let (repeated, times) = match right.as_usize() {
            Some(times) => (&left, times),
            None => (right, left.as_usize().unwrap_or_default()),
        };
        self.charge(size::copied_at_once(repeated).saturating_mul(times))
    }

    /// A value's size, and an error where it is too large or too deep.
    pub(super) fn size(&mut self, value: &EngineValue) -> EngineResult<Size> {
        if value.kind() == ValueKind::String {
            return Ok(Size::text(value.as_str().map_or(0, str::len)));
        }
        if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
            return Ok(Size::ITEM);
        }
        let spent = spent(self.state);
        let mut ruler =
            Ruler { largest: self.budget.read, sizes: &mut spent.sizes, read: &mut spent.read };
        ruler.children(value, 0)
    }
}

fn spent<'s>(state: &'s mut State<'_, '_>) -> &'s mut Spent {
    state.get_or_insert_extension_with(Spent::default)
}

/// Counts what a render pays, for the tests.
fn count_paid(state: &mut State<'_, '_>, bytes: usize) {
    if COUNTS {
        add_paid(bytes);
        count_steps_paid(state);
    }
}

/// Counts what a render has paid so far in steps of the engine, for the tests.
pub(super) fn count_steps_paid(state: &mut State<'_, '_>) {
    let (steps, _) = state.fuel_levels().unwrap_or_default();
    let spent = spent(state);
    let more = steps.saturating_sub(std::mem::replace(&mut spent.steps, steps));
    add_paid(usize::try_from(more).unwrap_or(usize::MAX).saturating_mul(STEP));
}

/// How many bytes may be written before they are paid for together.
const STRIDE: usize = 1024;

/// A text that is paid for as it is written, so that the budget bounds it whatever writes it.
pub(super) struct PaidText<'p, 'm, 's, 'env> {
    meter: &'p mut Meter<'m, 's, 'env>,
    text: String,
    owed: usize,
    failure: Option<EngineError>,
}

impl<'p, 'm, 's, 'env> PaidText<'p, 'm, 's, 'env> {
    pub(super) fn new(meter: &'p mut Meter<'m, 's, 'env>) -> Self {
        Self { meter, text: String::new(), owed: 0, failure: None }
    }

    /// The text; or why it could not be paid for.
    pub(super) fn finish(mut self) -> EngineResult<String> {
        self.settle();
        self.failure.map_or(Ok(self.text), Err)
    }

    fn settle(&mut self) {
        if let Err(error) = self.meter.charge(std::mem::take(&mut self.owed)) {
            self.failure.get_or_insert(error);
        }
    }
}

impl fmt::Write for PaidText<'_, '_, '_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.owed = self.owed.saturating_add(piece.len());
        if self.owed >= STRIDE {
            self.settle();
        }
        if self.failure.is_some() {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}
