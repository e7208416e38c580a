//! Checks that the work of a render is within the budget that it spent.

use prompty_core::ErrorKind;
use prompty_core::value::Map;
use prompty_template::RenderLimits;
use work_counting::{Work, count_work};

use crate::case::Case;
use crate::engine::Engine;

/// The maximum ratio of work to the budget spent.
const MAX_RATIO: u64 = 10;
/// The work of a render that does nothing.
const BASE_WORK: u64 = 64 << 10;

/// The result of a render, and its work.
#[derive(Debug)]
pub struct Measurement {
    /// The kind of its error, if there was one.
    pub failed: Option<ErrorKind>,
    /// The message of its error, or an empty text.
    pub message: String,
    /// Its work, and the budget that it spent.
    pub work: Work,
}

impl Measurement {
    /// Checks that the work is within the budget spent.
    ///
    /// # Errors
    ///
    /// Returns the work beyond the budget as an error.
    pub fn check(&self) -> Result<(), String> {
        let Work { steps, bytes, held, paid, .. } = self.work;
        let bound = paid.saturating_mul(MAX_RATIO).saturating_add(BASE_WORK);
        let exceeded: Vec<String> = [("did", steps), ("allocated", bytes), ("held", held)]
            .into_iter()
            .filter(|(_, done)| *done > bound)
            .map(|(what, done)| format!("{what} {done}"))
            .collect();
        if exceeded.is_empty() {
            return Ok(());
        }
        Err(format!("paid {paid}, but {}", exceeded.join(" and ")))
    }
}

/// Renders a template, and counts the work.
///
/// # Panics
///
/// Panics if the syntax of the template is wrong.
pub fn measure(engine: Engine, template: &str, inputs: &Map, limits: RenderLimits) -> Measurement {
    let compiled = match engine.compile(template, limits) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{template}: {error:?}"),
    };
    let (result, work) = count_work(|| compiled.render(inputs));
    let error = result.err();
    let message = error.as_ref().map(ToString::to_string).unwrap_or_default();
    Measurement { failed: error.map(|error| error.kind()), message, work }
}

/// Sizes of operands. The first is small, and each next one is eight times as large.
fn sizes(limits: RenderLimits) -> impl Iterator<Item = usize> {
    let largest = limits.max_output.saturating_mul(8);
    std::iter::successors(Some(64), |size: &usize| size.checked_mul(8))
        .take_while(move |size| *size <= largest)
}

/// Renders a case with growing operands until the budget is exceeded, and checks each render.
/// Returns the errors of the renders, in order.
///
/// # Errors
///
/// Returns an error with the first size whose work exceeds the budget spent.
pub fn check_growing(
    engine: Engine,
    case: &Case<'_>,
    limits: RenderLimits,
) -> Result<Vec<Option<ErrorKind>>, String> {
    let mut ends = Vec::new();
    for size in sizes(limits) {
        let (template, inputs) = case.template(size);
        let measured = measure(engine, &template, &inputs, limits);
        measured.check().map_err(|error| format!("{case}, size {size}: {error}"))?;
        ends.push(measured.failed);
        if measured.failed == Some(ErrorKind::Limit) {
            break;
        }
    }
    Ok(ends)
}
