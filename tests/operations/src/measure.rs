//! Whether what a render did is within what it paid for.

use prompty_core::ErrorKind;
use prompty_core::value::Map;
use prompty_template::RenderLimits;
use work_counting::{Work, count_work};

use crate::case::Case;
use crate::engine::Engine;

/// How much of anything may be done for what was paid.
const MOST: u64 = 10;
/// What a render takes that does nothing.
const AT_ONCE: u64 = 64 << 10;

/// How a render ended, and what it did.
#[derive(Debug)]
pub struct Measured {
    /// The kind of its error, if there was one.
    pub failed: Option<ErrorKind>,
    /// The error's message, or nothing.
    pub message: String,
    /// What it did, and what it paid.
    pub work: Work,
}

impl Measured {
    /// Whether nothing was done beyond what was paid for.
    ///
    /// # Errors
    ///
    /// Says what was done beyond.
    pub fn check(&self) -> Result<(), String> {
        let Work { steps, bytes, held, paid, .. } = self.work;
        let bound = paid.saturating_mul(MOST).saturating_add(AT_ONCE);
        let beyond: Vec<String> = [("did", steps), ("allocated", bytes), ("held", held)]
            .into_iter()
            .filter(|(_, done)| *done > bound)
            .map(|(what, done)| format!("{what} {done}"))
            .collect();
        if beyond.is_empty() {
            return Ok(());
        }
        Err(format!("paid {paid}, but {}", beyond.join(" and ")))
    }
}

/// Renders a template and counts.
///
/// # Panics
///
/// Where the template's syntax is wrong.
pub fn measure(engine: Engine, template: &str, inputs: &Map, limits: RenderLimits) -> Measured {
    let compiled = match engine.compile(template, limits) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{template}: {error:?}"),
    };
    let (result, work) = count_work(|| compiled.render(inputs));
    let error = result.err();
    let message = error.as_ref().map(ToString::to_string).unwrap_or_default();
    Measured { failed: error.map(|error| error.kind()), message, work }
}

/// Sizes of operands: the first is small, each next one eight times as large.
fn sizes(limits: RenderLimits) -> impl Iterator<Item = usize> {
    let largest = limits.max_output.saturating_mul(8);
    std::iter::successors(Some(64), |size: &usize| size.checked_mul(8))
        .take_while(move |size| *size <= largest)
}

/// Renders a case with operands that grow until the budget does not admit them, and checks each
/// render. Gives how the renders ended, in their order.
///
/// # Errors
///
/// Says which size did more than was paid for.
pub fn check_growing(
    engine: Engine,
    case: &Case<'_>,
    limits: RenderLimits,
) -> Result<Vec<Option<ErrorKind>>, String> {
    let mut ends = Vec::new();
    for size in sizes(limits) {
        let (template, inputs) = case.written(size);
        let measured = measure(engine, &template, &inputs, limits);
        measured.check().map_err(|beyond| format!("{case}, size {size}: {beyond}"))?;
        ends.push(measured.failed);
        if measured.failed == Some(ErrorKind::Limit) {
            break;
        }
    }
    Ok(ends)
}
