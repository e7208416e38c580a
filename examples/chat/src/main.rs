//! A chat in the terminal, with any server that speaks OpenAI's chat completions.
//!
//! ```text
//! llama-server -m MODEL.gguf --jinja        # or `ollama serve`, `vllm serve MODEL`, a hosted service
//! cargo run --manifest-path examples/chat/Cargo.toml
//! ```
//!
//! `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `MODEL` say which server and model; without a URL it is OpenAI where there is
//! a key, otherwise `http://127.0.0.1:8080/v1`. The answers go to the standard output; all else goes to the standard
//! error output. Where the questions come from a file, a question without an answer makes the exit code 1.

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
/clear       forgets the conversation
/save FILE   writes the conversation to a file, as JSON
/load FILE   goes on with the conversation of a file
/quit        ends the chat, as the end of the input does
Ctrl-C       cancels an answer; where none comes, it ends the chat";

fn main() -> ExitCode {
    let mut terminal = Terminal::new();
    match chat(&mut terminal) {
        Ok(true) => ExitCode::SUCCESS,
        // Who sits at the terminal has seen what went wrong; a script sees the code.
        Ok(false) if Terminal::is_entered() => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            terminal.error(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Carries lines out until no more come. Says whether all of them could be.
fn chat(terminal: &mut Terminal) -> Result<bool, Failure> {
    let provider = Provider::new(Settings::from_env()?, Interrupt::install()?);
    let mut conversation = Conversation::new(provider);
    let mut is_well = true;
    while let Some(line) = terminal.read_line()?.filter(|line| line != "/quit") {
        match carry_out(&line, &mut conversation, terminal) {
            Ok(()) => {}
            // Nobody reads the answers any more.
            Err(failure @ Failure::Output(_)) => return Err(failure),
            // Whatever else goes wrong, the chat goes on.
            Err(failure) => {
                terminal.error(&failure);
                is_well &= matches!(failure, Failure::Cancelled(_));
            }
        }
    }
    Ok(is_well)
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
