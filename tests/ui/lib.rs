//! Cases of messages: see `main.rs`.
