//! A chat in the terminal, with any server that speaks OpenAI's chat completions.
//!
//! ```text
//! llama-server -m MODEL.gguf --jinja        # or `ollama serve`, `vllm serve MODEL`, a hosted service
//! cargo run --manifest-path examples/chat/Cargo.toml
//! ```
//!
//! `OPENAI_BASE_URL` (default: `http://127.0.0.1:8080/v1`), `OPENAI_API_KEY` and `MODEL` say which server and
//! model. The answers go to the standard output; all else goes to the standard error output.

mod conversation;
mod failure;
mod interrupt;
mod provider;
mod terminal;
mod tools;

use std::error::Error;
use std::fs;

use conversation::Conversation;
use failure::Failure;
use interrupt::Interrupt;
use provider::Provider;
use terminal::Terminal;

const HELP: &str = "\
/clear       forgets the conversation
/save FILE   writes the conversation to a file, as JSON
/load FILE   goes on with the conversation of a file
/quit        ends the chat, as the end of the input does
Ctrl-C       cancels an answer; where none comes, it ends the chat";

fn main() -> Result<(), Box<dyn Error>> {
    let mut terminal = Terminal::new();
    let mut conversation = Conversation::new(Provider::from_environment(Interrupt::install()?));
    while let Some(line) = terminal.read_line()?.filter(|line| line != "/quit") {
        match carry_out(&line, &mut conversation, &mut terminal) {
            Ok(()) => {}
            // Nobody reads the answers any more.
            Err(Failure::Output(error)) => return Err(error.into()),
            // Whatever else goes wrong, the chat goes on.
            Err(failure) => terminal.error(&failure),
        }
    }
    Ok(())
}

/// Does what a line says: a command, or a question.
fn carry_out(
    line: &str,
    conversation: &mut Conversation,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    match line.split_once(' ').unwrap_or((line, "")) {
        ("", _) => {}
        ("/clear", _) => conversation.clear(),
        ("/save", path) if !path.is_empty() => save(conversation, path)?,
        ("/load", path) if !path.is_empty() => load(conversation, path)?,
        (command, _) if command.starts_with('/') => terminal.note(HELP),
        _ => conversation.ask(line, terminal)?,
    }
    Ok(())
}

fn save(conversation: &Conversation, path: &str) -> Result<(), Failure> {
    let json = serde_json::to_vec_pretty(conversation.messages()).map_err(Into::into);
    json.and_then(|json| fs::write(path, json)).map_err(|error| Failure::file(path, error))
}

fn load(conversation: &mut Conversation, path: &str) -> Result<(), Failure> {
    let messages = fs::read(path).and_then(|json| Ok(serde_json::from_slice(&json)?));
    conversation.replace(messages.map_err(|error| Failure::file(path, error))?);
    Ok(())
}
