//! Each operation alone, on operands in every shape that grow until the budget does not admit them.

use operations::measure::check_growing;
use operations::{Engine, cases};
use prompty_core::ErrorKind;
use prompty_core::jinja::RenderLimits;

/// What part of the default limits a render has: what a budget admits is then small enough for a debug
/// build, and what each render takes at once is still far less.
const PART: u16 = 256;

/// Methods of Python that the chat engine knows by name, to say that it does not have them.
const UNAVAILABLE: [&str; 3] = ["encode", "fromkeys", "translate"];

fn limits() -> RenderLimits {
    let default = RenderLimits::default();
    let part = usize::from(PART);
    default.with_fuel(default.fuel / u64::from(PART)).with_max_output(default.max_output / part)
}

fn check(engine: Engine) {
    let operations = engine.operations();
    let (mut beyond, mut never) = (Vec::new(), Vec::new());
    for operation in &operations {
        let checked = cases(operation).into_iter().map(|it| check_growing(engine, &it, limits()));
        let (ends, failed): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
        // What a template raises itself is what it asked for.
        let is_done = |end: &Option<ErrorKind>| matches!(end, None | Some(ErrorKind::Refused));
        let works = ends.into_iter().flatten().flatten().any(|end| is_done(&end));
        let count = failed.len();
        match failed.into_iter().find_map(Result::err) {
            Some(first) => beyond.push(format!("{first} ({count} cases)")),
            None if works || UNAVAILABLE.contains(&operation.name) => {}
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
