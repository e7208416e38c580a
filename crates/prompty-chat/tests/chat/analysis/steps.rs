//! The findings of the steps of an analysis.

use super::{analyze, source};

#[test]
fn each_step_has_a_finding() {
    let analysis = analyze(source("tagged"));
    let steps: Vec<_> = analysis.findings().iter().map(|it| it.step).collect();
    let expected =
        ["turn", "R1", "R2", "R3", "C1", "T1", "T2", "T3", "T4", "T5", "T6", "T7", "A1", "A2"];
    assert_eq!(steps, expected);
    let found = |step: &str| &*analysis.findings().iter().find(|it| it.step == step).unwrap().found;
    assert_eq!(found("R1"), "reasoning is shown before content");
    assert_eq!(
        found("R2"),
        r#"the prompt ends with "<ponder>", without thinking "<ponder></ponder>\n""#
    );
    assert_eq!(found("T4"), r#"("<to=", ">\n", "</to>\n"), namespace """#);
    assert_eq!(found("A1"), r#"("<set=", ">\n")"#);
}

#[test]
fn a_failed_attempt_leaves_no_findings() {
    let analysis = analyze(source("named_id"));
    let turns = analysis.findings().iter().filter(|it| it.step == "turn").count();
    assert_eq!(turns, 1);
}
