//! Each operation applied to the result of each other one that gives what it takes.

use operations::measure::check_growing;
use operations::{Engine, pairs};

use super::{is_done, limits, on_all_cores};

/// Pairs are many, so that each has a smaller part of the default limits.
const PART: u16 = 1024;

fn check(engine: Engine) {
    let operations = engine.operations();
    let pairs = pairs(&operations);
    let count = pairs.len();
    let checked = on_all_cores(&pairs, |pair| check_growing(engine, pair, limits(PART)));
    let (ends, failed): (Vec<_>, Vec<_>) = checked.into_iter().partition(Result::is_ok);
    let done = ends.iter().flatten().filter(|ends| ends.iter().any(is_done)).count();
    let beyond: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
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
