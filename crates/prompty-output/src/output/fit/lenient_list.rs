//! Converts the items of a list, and leaves out those that do not fit.

use prompty_core::schema::{self, Schema};
use prompty_core::value::Value;

use super::{FitError, FitResult, Fitter, all_steps, too_large};
use crate::output::lenient_list::LENIENT;
use crate::output::path::{Path, Step};
use crate::output::repair::Repair;
use crate::output::written_form::WrittenValue;

/// The cost of a left out item, as of other repairs that lose a part of the value.
const SKIP_COST: usize = 4;

/// The state before an item, to which the conversion returns if the item does not fit.
struct ItemStart {
    repairs: usize,
    cost: usize,
    needs_error: bool,
}

/// Whether the items of an array may be left out.
pub(super) fn is_lenient(schema: &Schema<'_>) -> bool {
    let keyword = schema.keywords().and_then(|keywords| keywords.map().get(LENIENT));
    keyword.is_some_and(Value::is_true)
}

impl<'schema> Fitter<'schema> {
    pub(super) fn fit_lenient_list(
        &mut self,
        source: WrittenValue<'_>,
        schema: &Schema<'schema>,
    ) -> FitResult {
        let mut fitted = self.list_for(source);
        let mut index = 0;
        while let Some(item) = source.item(index) {
            let start = self.start_item();
            let item = self.fit_item(index, item, schema);
            self.end_item(&start, index, item, schema, &mut fitted)?;
            index += 1;
        }
        Ok(Value::from(fitted))
    }

    #[inline(never)]
    fn start_item(&mut self) -> ItemStart {
        let needs_error = std::mem::replace(&mut self.needs_error, true);
        ItemStart { repairs: self.repairs.len(), cost: self.cost, needs_error }
    }

    /// Adds an item to the list, or leaves it out.
    #[inline(never)]
    fn end_item(
        &mut self,
        start: &ItemStart,
        index: usize,
        item: FitResult,
        list: &Schema<'schema>,
        fitted: &mut Vec<Value>,
    ) -> FitResult<()> {
        self.needs_error = start.needs_error;
        // Without steps left, it is not known whether the item fits.
        if self.steps_left == 0 {
            return item.and_then(|item| self.misfit(&item, too_large));
        }
        let reason = match item {
            Ok(_) if self.is_try => return Ok(()),
            Ok(item) => match self.violation(&item, list.child(schema::Step::Index(index))) {
                None => {
                    fitted.push(item);
                    return Ok(());
                }
                Some(reason) => reason,
            },
            Err(misfit) => {
                let FitError { path, message } = misfit.into_error();
                // The path of the item itself is that of the repair.
                let outer = self.path.steps().len() + 1;
                let inner = Path::from_steps(path.steps().iter().skip(outer).cloned());
                reason(&inner, &message)
            }
        };
        self.repairs.truncate(start.repairs);
        self.cost = start.cost + SKIP_COST;
        if !self.is_try {
            let path = self.path.join(Step::Index(index));
            self.repairs.push(Repair::of_skipped_item(path, &reason));
        }
        Ok(())
    }

    /// The first constraint that an item violates, such as a bound, with its place in the item.
    fn violation(&mut self, item: &Value, schema: Option<Schema<'schema>>) -> Option<String> {
        // The work is charged, because lists may be nested in each other.
        self.steps_left = self.steps_left.saturating_sub(all_steps(item.into()));
        let violation = schema?.violations(item).into_iter().next()?;
        Some(reason(&Path::from_pointer(&violation.pointer), &violation.message))
    }
}

/// The reason why an item was left out, with the place inside of the item.
fn reason(inner: &Path, message: &str) -> String {
    match inner.steps() {
        [] => message.to_owned(),
        _ => format!("at {inner}: {message}"),
    }
}
