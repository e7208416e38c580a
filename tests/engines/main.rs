//! What the engines promise: compiled prompts give what the engine gives, and no engine does more work
//! than a budget pays for.
//!
//! One program: rustc compiles the prompts of `agreement` on one core while the budgets use the others.

#[path = "../agreement/main.rs"]
mod agreement;
#[path = "../budgets/main.rs"]
mod budgets;
