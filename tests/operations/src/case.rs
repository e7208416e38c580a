//! Cases: consecutive operations, each applied to the result of the previous one, on operands of a
//! size.

use std::fmt::{self, Display, Formatter, Write as _};

use prompty_core::value::Map;

use crate::operation::Operation;
use crate::shape::{Shape, shapes};

/// The names of operands in a form.
const VARIABLES: [&str; 3] = ["a", "b", "c"];

/// An operation and the shapes of its operands.
#[derive(Debug, Clone)]
pub struct Step<'o> {
    /// The operation.
    pub operation: &'o Operation,
    /// A shape for each operand. In all steps but the first, the result of the previous step
    /// replaces the first operand.
    pub shapes: Vec<&'static Shape>,
}

/// Consecutive operations.
#[derive(Debug, Clone)]
pub struct Case<'o> {
    /// The operations, in order.
    pub steps: Vec<Step<'o>>,
}

impl Case<'_> {
    /// The template and its inputs for operands of a size.
    pub fn template(&self, size: usize) -> (String, Map) {
        let mut template = String::new();
        let mut inputs = Map::new();
        for (index, step) in self.steps.iter().enumerate() {
            for (place, (variable, shape)) in VARIABLES.iter().zip(&step.shapes).enumerate() {
                if index > 0 && place == 0 {
                    template.push_str("{% set a = r %}");
                    continue;
                }
                let (code, data) = shape.operand(variable, size);
                template.push_str(&code);
                if let Some(data) = data {
                    let input = format!("data{index}{place}");
                    // Writing to a `String` does not fail.
                    let _ = write!(template, "{{% set {variable} = {input} %}}");
                    inputs.insert(input, data);
                }
            }
            let form = &step.operation.form;
            if step.operation.is_statement() {
                template.push_str(form);
            } else {
                let _ = write!(template, "{{% set r = {form} %}}");
            }
        }
        (template, inputs)
    }
}

impl Display for Case<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let names: Vec<&str> = step.shapes.iter().map(|shape| shape.name).collect();
            let then = if index > 0 { ", then " } else { "" };
            write!(f, "{then}`{}` of ({})", step.operation.form, names.join("; "))?;
        }
        Ok(())
    }
}

/// The number of shapes of a further operand that are combined with each shape of the first one.
const PARTNERS: usize = 3;

/// The cases of one operation. Each shape of the first operand is combined with some shapes of the
/// others, and all of those are used.
pub fn cases(operation: &Operation) -> Vec<Case<'_>> {
    let choices: Vec<Vec<&'static Shape>> =
        operation.operands.iter().map(|classes| shapes(classes)).collect();
    let Some((first, others)) = choices.split_first() else {
        return vec![Case { steps: vec![Step { operation, shapes: Vec::new() }] }];
    };
    let widest = others.iter().map(Vec::len).max().unwrap_or(1);
    let partners = widest.min(PARTNERS.max(widest.div_ceil(first.len())));
    let mut cases = Vec::new();
    for (row, shape) in first.iter().enumerate() {
        for partner in 0..partners {
            let mut shapes = vec![*shape];
            for (column, choice) in others.iter().enumerate() {
                let index = (row + partner * (column + 1)) % choice.len();
                shapes.extend(choice.get(index));
            }
            cases.push(Case { steps: vec![Step { operation, shapes }] });
        }
    }
    cases
}

/// All pairs of operations in which the second accepts the result of the first. The shapes of the
/// operands rotate, so that many pairs use each of them.
pub fn pairs(operations: &[Operation]) -> Vec<Case<'_>> {
    let mut pairs = Vec::new();
    let mut turn = 0;
    for first in operations {
        let Some(class) = first.result else { continue };
        for second in operations.iter().filter(|second| second.accepts(class)) {
            let mut step = |operation| {
                turn += 1;
                step(operation, turn)
            };
            pairs.push(Case { steps: vec![step(first), step(second)] });
        }
    }
    pairs
}

/// An operation on operands whose shapes depend on the number of the turn.
fn step(operation: &Operation, turn: usize) -> Step<'_> {
    let choices = operation.operands.iter().map(|classes| shapes(classes));
    let shapes = choices.enumerate().filter_map(|(place, choice)| {
        choice.get((turn + place * turn / 3) % choice.len().max(1)).copied()
    });
    Step { operation, shapes: shapes.collect() }
}
