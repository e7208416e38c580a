//! The budget of a Jinja2 render: how much it may build, read and write.
//!
//! The engine's fuel bounds neither memory nor time. Here, everything that can be large is charged
//! before it is done: bytes that are built, and bytes that are read, compared or searched. List
//! items, calls and allocations count as bytes in proportion to their time and memory, see
//! [`super::costs`].
//!
//! Each list and map is measured with all its contents when a template makes it. So no value can
//! become too deep or too large to be printed, compared or dropped.
//!
//! A filter charges with these methods of [`Meter`]:
//!
//! - [`charge_read_bytes`](Meter::charge_read_bytes) or one of the other `charge_read…`, before it
//!   reads,
//! - [`charge`](Meter::charge), before it builds a text or list of a known size;
//!   [`check_room`](Meter::check_room) if only the maximum is known,
//! - [`materialize`](Meter::materialize), for a list or map that it returns.

use std::fmt;

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, State};

use super::bridge::{self, EngineResult, engine_error};
use super::costs::{ALLOCATION, ENTRY, SKIPPED, SLOT, STEP, text_room, work_limit_error};
use super::size::{self, SizeCache, SizeMeasurer, ValueSize, is_live};
use prompty_core::value::Value;
use prompty_core::work::{COUNTS, add_paid};

/// A template may build this many times its maximum output.
const BUILD_FACTOR: usize = 4;
/// For each byte that may be built, this many bytes may be read.
const READ_FACTOR: usize = 8;
/// The minimum of bytes that may be read. Small limits must allow small prompts with large inputs.
const MIN_READ: usize = 64 << 20;

/// The limits of a render, shared by all filters of a template.
#[derive(Clone, Copy)]
pub(super) struct JinjaBudget {
    /// The number of bytes of strings and lists that may be built, not counting the output.
    built: usize,
    /// The number of bytes that comparisons, filters and tests may read.
    read: usize,
}

/// The work of a render so far.
#[derive(Default)]
struct SpentWork {
    built: usize,
    read: usize,
    written: usize,
    /// The number of engine steps that are already counted as paid.
    steps: u64,
    sizes: SizeCache,
    /// The left sides of products whose right side is not yet known, the innermost last.
    factors: Vec<EngineValue>,
}

impl JinjaBudget {
    pub(super) fn new(max_output: usize) -> Self {
        let built = max_output.saturating_mul(BUILD_FACTOR);
        Self { built, read: built.saturating_mul(READ_FACTOR).max(MIN_READ) }
    }
}

/// The budget of a render together with the engine's state, which stores the work so far.
pub(super) struct Meter<'m, 's, 'env> {
    budget: JinjaBudget,
    pub(super) state: &'m mut State<'s, 'env>,
}

impl<'m, 's, 'env> Meter<'m, 's, 'env> {
    pub(super) fn new(budget: JinjaBudget, state: &'m mut State<'s, 'env>) -> Self {
        Self { budget, state }
    }

    /// Charges for bytes that will be built.
    pub(super) fn charge(&mut self, bytes: usize) -> EngineResult<()> {
        self.spend(bytes, "builds", self.budget.built, |spent| &mut spent.built)
    }

    /// Checks that so many bytes can still be built. They are charged when their size is known.
    pub(super) fn check_room(&mut self, bytes: usize) -> EngineResult<()> {
        if spent_work(self.state).built.saturating_add(bytes) <= self.budget.built {
            return Ok(());
        }
        Err(work_limit_error("builds", self.budget.built))
    }

    /// Charges for a text that will be written.
    pub(super) fn charge_written(&mut self, bytes: usize) -> EngineResult<()> {
        self.spend(bytes, "writes", self.budget.built, |spent| &mut spent.written)
    }

    /// Charges for bytes that will be read.
    pub(super) fn charge_read_bytes(&mut self, bytes: usize) -> EngineResult<()> {
        self.spend(bytes, "reads", self.budget.read, |spent| &mut spent.read)
    }

    /// Adds bytes to one part of the work so far, which has a limit.
    fn spend(
        &mut self,
        bytes: usize,
        what: &str,
        limit: usize,
        part: fn(&mut SpentWork) -> &mut usize,
    ) -> EngineResult<()> {
        let spent = part(spent_work(self.state));
        *spent = spent.saturating_add(bytes);
        if *spent > limit {
            return Err(work_limit_error(what, limit));
        }
        count_paid(self.state, bytes);
        Ok(())
    }

    /// Charges for reading a complete value, and returns its size.
    pub(super) fn charge_read(&mut self, value: &EngineValue) -> EngineResult<usize> {
        let bytes = match value.kind() {
            ValueKind::String => value.as_str().map_or(0, str::len),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => self.size(value)?.bytes,
            _ => return Ok(0),
        };
        self.charge_read_bytes(bytes)?;
        Ok(bytes)
    }

    /// Charges for searching a string. Other values cost nothing.
    pub(super) fn charge_read_text(&mut self, value: &EngineValue) -> EngineResult<()> {
        value.as_str().map_or(Ok(()), |text| self.charge_read_bytes(text.len()))
    }

    /// Charges for walking over all characters or items of a value.
    pub(super) fn charge_walk(&mut self, value: &EngineValue) -> EngineResult<()> {
        match value.kind() {
            ValueKind::String => self.charge_read_text(value),
            ValueKind::Seq | ValueKind::Iterable => {
                let items = value.len().unwrap_or_default();
                self.charge_read_bytes(items.saturating_mul(SKIPPED))
            }
            _ => Ok(()),
        }
    }

    /// Charges for a value that the engine has just made: one as large as a literal of the
    /// template, or one that [`check_room`](Self::check_room) allowed. Returns it without laziness.
    pub(super) fn charge_new_value(&mut self, value: EngineValue) -> EngineResult {
        match value.kind() {
            ValueKind::String => {
                self.charge(text_room(value.as_str().map_or(0, str::len)))?;
                Ok(value)
            }
            ValueKind::Seq | ValueKind::Map if !is_live(&value) => {
                let room = if value.kind() == ValueKind::Map { ENTRY } else { SLOT };
                let items = value.len().unwrap_or_default();
                self.charge(items.saturating_mul(room).saturating_add(ALLOCATION))?;
                self.materialize(value)
            }
            _ => self.materialize(value),
        }
    }

    /// Measures a value that is already charged, and collects a lazy list. A lazy list holds its
    /// sources, which may be lazy again without end.
    pub(super) fn materialize(&mut self, value: EngineValue) -> EngineResult {
        match value.kind() {
            ValueKind::Iterable => {
                let items = self.collect_items(&value)?;
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

    /// Collects the items of a lazy list. Each is charged before it is made.
    fn collect_items(&mut self, value: &EngineValue) -> EngineResult {
        let known = value.len().unwrap_or_default();
        self.charge(known.saturating_mul(SLOT).saturating_add(ALLOCATION))?;
        self.charge_read_bytes(known.saturating_mul(SKIPPED))?;
        let mut items = Vec::with_capacity(known);
        for item in value.try_iter()? {
            // The length was unknown, so the list grows. It may have twice the capacity it needs.
            if items.len() >= known {
                self.charge(2 * SLOT)?;
            }
            items.push(item);
        }
        Ok(EngineValue::from(items))
    }

    /// Converts a value of the engine, and charges if that needs a copy.
    pub(super) fn convert(&mut self, value: &EngineValue) -> EngineResult<Value> {
        self.charge_copy(value)?;
        bridge::from_engine(value).map_err(engine_error)
    }

    /// Charges for the copy that [`convert`](Self::convert) makes of a list or map.
    pub(super) fn charge_copy(&mut self, value: &EngineValue) -> EngineResult<()> {
        let is_container =
            matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map);
        if !is_container || bridge::is_shared(value) {
            return Ok(());
        }
        let bytes = self.size(value)?.bytes;
        self.charge(bytes)
    }

    /// The left side of a product. The product is charged when the right side is known.
    pub(super) fn remember_left_factor(&mut self, value: &EngineValue) {
        spent_work(self.state).factors.push(value.clone());
    }

    /// Charges for the product of a value and the last remembered left side. One of them is the
    /// number of repetitions: `'a' * 3` or `3 * 'a'`.
    pub(super) fn charge_product(&mut self, right: &EngineValue) -> EngineResult<()> {
        let left = spent_work(self.state).factors.pop().unwrap_or_default();
        let (repeated, times) = match right.as_usize() {
            Some(times) => (&left, times),
            None => (right, left.as_usize().unwrap_or_default()),
        };
        self.charge(size::copied_at_once(repeated).saturating_mul(times))
    }

    /// Measures a value.
    ///
    /// # Errors
    ///
    /// Returns an error if it is too large or too deep.
    pub(super) fn size(&mut self, value: &EngineValue) -> EngineResult<ValueSize> {
        if value.kind() == ValueKind::String {
            return Ok(ValueSize::text(value.as_str().map_or(0, str::len)));
        }
        if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
            return Ok(ValueSize::ITEM);
        }
        let spent = spent_work(self.state);
        let mut measurer = SizeMeasurer {
            max_read: self.budget.read,
            sizes: &mut spent.sizes,
            read: &mut spent.read,
        };
        measurer.measure_container(value, 0)
    }
}

fn spent_work<'s>(state: &'s mut State<'_, '_>) -> &'s mut SpentWork {
    state.get_or_insert_extension_with(SpentWork::default)
}

/// Counts for the tests what a render pays.
fn count_paid(state: &mut State<'_, '_>, bytes: usize) {
    if COUNTS {
        add_paid(bytes);
        count_steps_paid(state);
    }
}

/// Counts for the tests what a render has paid in steps of the engine.
pub(super) fn count_steps_paid(state: &mut State<'_, '_>) {
    let (steps, _) = state.fuel_levels().unwrap_or_default();
    let spent = spent_work(state);
    let more = steps.saturating_sub(std::mem::replace(&mut spent.steps, steps));
    add_paid(usize::try_from(more).unwrap_or(usize::MAX).saturating_mul(STEP));
}

/// The number of bytes that are written before they are charged together.
const CHARGE_STRIDE: usize = 1024;

/// A text that is charged while it is written, so that the budget bounds it.
pub(super) struct MeteredText<'p, 'm, 's, 'env> {
    meter: &'p mut Meter<'m, 's, 'env>,
    text: String,
    /// The number of bytes that were written but not charged yet.
    unpaid: usize,
    /// The error of the first charge that failed.
    failure: Option<EngineError>,
}

impl<'p, 'm, 's, 'env> MeteredText<'p, 'm, 's, 'env> {
    pub(super) fn new(meter: &'p mut Meter<'m, 's, 'env>) -> Self {
        Self { meter, text: String::new(), unpaid: 0, failure: None }
    }

    /// The text, or the error of the charge that failed.
    pub(super) fn finish(mut self) -> EngineResult<String> {
        self.settle();
        self.failure.map_or(Ok(self.text), Err)
    }

    /// Charges for the unpaid bytes.
    fn settle(&mut self) {
        if let Err(error) = self.meter.charge(std::mem::take(&mut self.unpaid)) {
            self.failure.get_or_insert(error);
        }
    }
}

impl fmt::Write for MeteredText<'_, '_, '_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.unpaid = self.unpaid.saturating_add(piece.len());
        if self.unpaid >= CHARGE_STRIDE {
            self.settle();
        }
        if self.failure.is_some() {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}
