//! The prompts, and the types of their answers. The compiler checks each prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use typed_prompty::prompt;

prompt!(
    #[prompt(types(passages = Passage))]
    pub Support,
    "prompts/support.prompty"
);

/// A search result for a question.
#[derive(Debug)]
pub struct Passage {
    pub title: &'static str,
    pub text: &'static str,
}

prompt!(
    #[prompt(output = Ticket, output_schema)]
    pub Triage { complaint: &str },
    "
system:
Make a ticket of the customer's complaint.

user:
{{ complaint }}
"
);

prompt!(pub Agent { question: &str }, "
system:
You help customers of Contoso with their orders. Look an order up before you cancel it.

user:
{{ question }}
");

/// A complaint, prepared for the support team.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Ticket {
    /// At most ten words.
    pub title: String,
    /// From 1 (some day) to 5 (now).
    #[schemars(range(min = 1, max = 5))]
    pub urgency: u8,
    /// What the customer wants, if they say so.
    pub wish: Option<Wish>,
}

/// What a customer wants.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    Refund,
    Repair,
    Replacement,
}
