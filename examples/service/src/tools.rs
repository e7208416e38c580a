//! The tools that the model may call: functions whose parameters and comments become schemas.

use serde::Serialize;
use typed_prompty::message::ToolResult;
use typed_prompty::tools::{Call, ToolError, ToolSet, tool};

/// All tools. A call of an unknown tool, or with invalid arguments, is an error for the model.
#[derive(ToolSet)]
pub enum Action {
    Order(OrderArguments),
    Cancel(CancelArguments),
}

/// Executes a call.
///
/// # Errors Returns an error if the call does not fit its tool, or if the tool fails.
/// [`ToolError::to_result`] converts it to a message for the model.
pub async fn execute(call: &impl Call) -> Result<ToolResult, ToolError> {
    match Action::from_call(call)? {
        Action::Order(order) => call.answer(&order.answer().await?),
        Action::Cancel(cancel) => call.answer(&cancel.answer().await?),
    }
}

/// An order of a customer.
#[derive(Serialize)]
pub struct Order {
    number: u32,
    item: &'static str,
    sent: bool,
}

/// Looks up an order.
#[tool]
pub async fn order(
    /// The number of the order.
    number: u32,
) -> Result<Order, String> {
    // A real service would query its database here.
    match number {
        17 => Ok(Order { number, item: "blender", sent: false }),
        18 => Ok(Order { number, item: "kettle", sent: true }),
        _ => Err(format!("unknown order {number}")),
    }
}

/// Cancels an order that was not sent yet.
#[tool]
pub async fn cancel(
    /// The number of the order.
    number: u32,
    /// Why the customer does not want it.
    reason: Option<String>,
) -> Result<String, String> {
    let order = order(number).await?;
    match order.sent {
        true => Err(format!("the {} is on its way", order.item)),
        false => {
            let reason = reason.as_deref().unwrap_or("no reason");
            Ok(format!("order {number} ({}) is cancelled: {reason}", order.item))
        }
    }
}
