//! The tools that the model may call: functions whose parameters and comments become schemas.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use typed_prompty::tools::{Toolbox, tool};

/// All tools.
pub fn toolbox() -> Toolbox<'static> {
    Toolbox::new().with(TimeArguments::answer).with(CalculateArguments::answer)
}

/// Returns the date and the time.
#[tool]
fn time(
    /// The time zone, such as `Europe/Berlin`; UTC if it is missing.
    zone: Option<String>,
) -> Result<String, jiff::Error> {
    let now = Timestamp::now().in_tz(zone.as_deref().unwrap_or("UTC"))?;
    Ok(now.strftime("%A, %Y-%m-%d %H:%M:%S %Z").to_string())
}

/// The operation.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// Calculates with two numbers.
#[tool]
fn calculate(left: f64, operator: Operator, right: f64) -> Result<f64, &'static str> {
    let result = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Power => left.powf(right),
    };
    // JSON has no infinity. The model gets this text as the result of the tool.
    if result.is_finite() { Ok(result) } else { Err("the result is not a finite number") }
}
