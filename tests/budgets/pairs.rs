//! Checks pairs of operations: the second one takes the result of the first one.

use operations::measure::check_growing;
use operations::{Engine, pairs};

use super::{is_done, limits, on_all_cores};

/// A render has the default limits, divided by this number. There are many pairs, so it is larger
/// than for single operations.
const LIMITS_DIVISOR: u16 = 1024;

fn check(engine: Engine) {
    let operations = engine.operations();
    let pairs = pairs(&operations);
    let count = pairs.len();
    let checked = on_all_cores(&pairs, |pair| check_growing(engine, pair, limits(LIMITS_DIVISOR)));
    let (ends, failed): (Vec<_>, Vec<_>) = checked.into_iter().partition(Result::is_ok);
    let done = ends.iter().flatten().filter(|ends| ends.iter().any(is_done)).count();
    let over_budget: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
    assert!(
        over_budget.is_empty(),
        "{} pairs of {count}:\n{}",
        over_budget.len(),
        over_budget.join("\n")
    );
    assert!(done * 2 > count, "only {done} pairs of {count} ever succeed");
}

#[test]
fn pairs_in_chat_templates_stay_within_the_budget() {
    check(Engine::Chat);
}

#[test]
fn pairs_in_prompts_stay_within_the_budget() {
    check(Engine::Prompts);
}
