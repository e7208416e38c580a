//! Checks single operations. Their operands have every shape, and grow until they exceed the
//! budget.

use operations::measure::check_growing;
use operations::{Engine, cases};

use super::{is_done, limits, on_all_cores};

/// A render has the default limits, divided by this number.
const LIMITS_DIVISOR: u16 = 256;

/// Methods of Python for which the chat engine has only an error message.
const UNAVAILABLE: [&str; 3] = ["encode", "fromkeys", "translate"];

/// Forms that look up an unknown name. Only the cost of the lookup is checked.
const UNKNOWN: [&str; 4] = ["a|map(b)|list", "a|select(b)|list", "a|reject(b)|list", "a.b.c.d.e"];

fn check(engine: Engine) {
    let operations = engine.operations();
    let (mut over_budget, mut never_succeed) = (Vec::new(), Vec::new());
    let checked = on_all_cores(&operations, |operation| {
        let cases = cases(operation).into_iter();
        cases.map(|it| check_growing(engine, &it, limits(LIMITS_DIVISOR))).collect::<Vec<_>>()
    });
    for (operation, checked) in operations.iter().zip(checked) {
        let (ends, failed): (Vec<_>, Vec<_>) = checked.into_iter().partition(Result::is_ok);
        let works = ends.iter().flatten().flatten().any(is_done);
        let count = failed.len();
        match failed.into_iter().find_map(Result::err) {
            Some(first) => over_budget.push(format!("{first} ({count} cases)")),
            None if works => {}
            None if UNAVAILABLE.contains(&operation.name) => {}
            None if UNKNOWN.contains(&operation.form.as_str()) => {}
            None => never_succeed.push(operation.form.clone()),
        }
    }
    let (count, all) = (over_budget.len(), operations.len());
    assert!(over_budget.is_empty(), "{count} operations of {all}:\n{}", over_budget.join("\n"));
    assert!(never_succeed.is_empty(), "these never_succeed succeed:\n{}", never_succeed.join("\n"));
}

#[test]
fn operations_of_chat_templates_stay_within_the_budget() {
    check(Engine::Chat);
}

#[test]
fn operations_of_prompts_stay_within_the_budget() {
    check(Engine::Prompts);
}
