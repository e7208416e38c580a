//! The budgets of both engines: no operation of a template does more than ten times what it pays for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, a panic is a failure")]

mod alone;
mod names;
