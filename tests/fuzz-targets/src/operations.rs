//! Consecutive operations of both engines, on operands of any shape and size. The work of a render
//! is at most ten times the budget that it spent, whatever its result.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use operations::measure::measure;
use operations::{Case, Engine, Operation, Step, shapes};
use prompty_core::ErrorKind;
use prompty_template::RenderLimits;

/// The maximum number of consecutive operations.
const MAX_STEPS: usize = 3;
/// The maximum size of an operand. A larger one only ends the render earlier.
const MAX_SIZE: usize = 1 << 17;

static CHAT: LazyLock<Vec<Operation>> = LazyLock::new(|| Engine::Chat.operations());
static PROMPTS: LazyLock<Vec<Operation>> = LazyLock::new(|| Engine::Prompts.operations());

/// Limits that end every render early.
fn limits() -> RenderLimits {
    RenderLimits::default().with_fuel(2_000).with_max_output(1 << 15)
}

/// An engine, a case of its operations, and the size of the operands.
fn case(bytes: &mut Unstructured<'_>) -> Result<(Engine, Case<'static>, usize)> {
    let (engine, operations) = match bytes.arbitrary()? {
        true => (Engine::Chat, &*CHAT),
        false => (Engine::Prompts, &*PROMPTS),
    };
    let size = bytes.int_in_range(1..=MAX_SIZE)?;
    let mut steps = Vec::new();
    for _ in 0..bytes.int_in_range(1..=MAX_STEPS)? {
        let operation = bytes.choose(operations)?;
        let choices = operation.operands.iter().map(|classes| shapes(classes));
        let shapes = choices.map(|choice| bytes.choose(&choice).copied()).collect::<Result<_>>()?;
        steps.push(Step { operation, shapes });
    }
    Ok((engine, Case { steps }, size))
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(bytes: &[u8]) -> bool {
    let Ok((engine, case, size)) = case(&mut Unstructured::new(bytes)) else { return false };
    let (template, inputs) = case.template(size);
    let measured = measure(engine, &template, &inputs, limits());
    if let Err(error) = measured.check() {
        panic!("{engine:?}: {case}, size {size}: {error}\n{template}");
    }
    assert!(
        matches!(
            measured.failed,
            None | Some(
                ErrorKind::Render | ErrorKind::Limit | ErrorKind::Refused | ErrorKind::Undefined
            )
        ),
        "{engine:?}: {case}, size {size}: {measured:?}\n{template}"
    );
    measured.failed.is_none()
}
