//! Tests of what models read and write: chat templates, replies, tools and grammars.
//!
//! They are one program, because linking a program takes as long as running its tests.

#[path = "../control_tokens/main.rs"]
mod control_tokens;
#[path = "../embedded.rs"]
mod embedded;
#[path = "../grammars/main.rs"]
mod grammars;
#[path = "../llama_server.rs"]
mod llama_server_example;
#[path = "../partial/main.rs"]
mod partial;
#[path = "../templates/main.rs"]
mod templates;
#[path = "../tools/main.rs"]
mod tools;
