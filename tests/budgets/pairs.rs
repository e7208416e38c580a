//! Each operation applied to the result of each other one that gives what it takes.

use operations::measure::check_growing;
use operations::{Engine, pairs};

use crate::{is_done, limits};

/// Pairs are many, so that each has a smaller part of the default limits.
const PART: u16 = 1024;

fn check(engine: Engine) {
    let operations = engine.operations();
    let mut beyond = Vec::new();
    let (mut count, mut done) = (0, 0);
    for pair in pairs(&operations) {
        count += 1;
        match check_growing(engine, &pair, limits(PART)) {
            Ok(ends) => done += usize::from(ends.iter().any(is_done)),
            Err(message) => beyond.push(message),
        }
    }
    assert!(beyond.is_empty(), "{} pairs of {count}:\n{}", beyond.len(), beyond.join("\n"));
    assert!(done * 2 > count, "only {done} pairs of {count} ever succeed");
}

#[test]
fn chat_templates_do_no_more_than_they_pay_for() {
    check(Engine::Chat);
}

#[test]
fn prompts_do_no_more_than_they_pay_for() {
    check(Engine::Prompts);
}
