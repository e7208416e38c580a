//! Each operation alone, on operands in every shape that grow until the budget does not admit them.

use operations::measure::check_growing;
use operations::{Engine, cases};

use super::{is_done, limits, on_all_cores};

/// What part of the default limits a render has.
const PART: u16 = 256;

/// Methods of Python that the chat engine knows by name, to say that it does not have them.
const UNAVAILABLE: [&str; 3] = ["encode", "fromkeys", "translate"];

/// Forms that look for a name that nothing has: what is checked is what looking for it costs.
const UNKNOWN: [&str; 4] = ["a|map(b)|list", "a|select(b)|list", "a|reject(b)|list", "a.b.c.d.e"];

fn check(engine: Engine) {
    let operations = engine.operations();
    let (mut beyond, mut never) = (Vec::new(), Vec::new());
    let checked = on_all_cores(&operations, |operation| {
        let cases = cases(operation).into_iter();
        cases.map(|it| check_growing(engine, &it, limits(PART))).collect::<Vec<_>>()
    });
    for (operation, checked) in operations.iter().zip(checked) {
        let (ends, failed): (Vec<_>, Vec<_>) = checked.into_iter().partition(Result::is_ok);
        let works = ends.iter().flatten().flatten().any(is_done);
        let count = failed.len();
        match failed.into_iter().find_map(Result::err) {
            Some(first) => beyond.push(format!("{first} ({count} cases)")),
            None if works => {}
            None if UNAVAILABLE.contains(&operation.name) => {}
            None if UNKNOWN.contains(&operation.form.as_str()) => {}
            None => never.push(operation.form.clone()),
        }
    }
    let (count, all) = (beyond.len(), operations.len());
    assert!(beyond.is_empty(), "{count} operations of {all}:\n{}", beyond.join("\n"));
    assert!(never.is_empty(), "these never succeed:\n{}", never.join("\n"));
}

#[test]
fn chat_templates_do_no_more_than_they_pay_for() {
    check(Engine::Chat);
}

#[test]
fn prompts_do_no_more_than_they_pay_for() {
    check(Engine::Prompts);
}
