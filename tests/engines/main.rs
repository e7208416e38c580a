//! Tests of the template engines: compiled prompts give the same messages as the engine, and no
//! engine does more work than its budget allows.
//!
//! Both are one test program: rustc compiles the prompts of `agreement` on one core while the
//! budgets use the others.

#[path = "../agreement/main.rs"]
mod agreement;
#[path = "../budgets/main.rs"]
mod budgets;
