//! Prompts that the Rust compiler understands.
