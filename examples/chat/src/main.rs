//! A chat in the terminal, with any server that speaks OpenAI's chat completions.
//!
//! ```text
//! llama-server -m MODEL.gguf --jinja        # or `ollama serve`, `vllm serve MODEL`, a hosted service
//! cargo run --manifest-path examples/chat/Cargo.toml
//! ```
//!
//! `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `MODEL` select the server and the model. Without a URL,
//! the server is OpenAI if there is a key, and `http://127.0.0.1:8080/v1` otherwise. Answers are
//! written to the standard output, and everything else to the standard error output. If the
//! questions come from a file and one of them gets no answer, the exit code is 1.

mod conversation;
mod failure;
mod interrupt;
mod provider;
mod settings;
mod terminal;
mod tools;

use std::fs;
use std::process::ExitCode;

use conversation::Conversation;
use failure::Failure;
use interrupt::Interrupt;
use provider::Provider;
use settings::Settings;
use terminal::Terminal;

const HELP: &str = "\
/clear       removes the conversation
/save FILE   writes the conversation to a file, as JSON
/load FILE   continues with the conversation in a file
/quit        ends the chat, like the end of the input
Ctrl-C       cancels an answer, or ends the chat if no answer is arriving";

fn main() -> ExitCode {
    let mut terminal = Terminal::new();
    match chat(&mut terminal) {
        Ok(true) => ExitCode::SUCCESS,
        // A user at a terminal has seen the errors; a script gets the exit code.
        Ok(false) if Terminal::is_entered() => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            terminal.error(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Executes all lines of the input. Returns whether all of them succeeded.
fn chat(terminal: &mut Terminal) -> Result<bool, Failure> {
    let provider = Provider::new(Settings::from_env()?, Interrupt::install()?);
    let mut conversation = Conversation::new(provider);
    let mut all_succeeded = true;
    while let Some(line) = terminal.read_line()?.filter(|line| line != "/quit") {
        match execute(&line, &mut conversation, terminal) {
            Ok(()) => {}
            // The output was closed.
            Err(failure @ Failure::Output(_)) => return Err(failure),
            // After other errors, the chat continues.
            Err(failure) => {
                terminal.error(&failure);
                all_succeeded &= matches!(failure, Failure::Cancelled(_));
            }
        }
    }
    Ok(all_succeeded)
}

/// Executes a line: a command, or a question.
fn execute(
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
