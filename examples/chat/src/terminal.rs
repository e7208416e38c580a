//! The terminal: reads lines, shows answers as they come, and that something is awaited.
//!
//! Answers go to the standard output and all else to the standard error output, so that `chat < questions >
//! answers` writes the answers alone.

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use console::style;
use indicatif::ProgressBar;
use typed_prompty::message::ToolResult;
use typed_prompty::reply::{Event, ReplyCall};

use crate::failure::Failure;

/// What a person sees.
pub struct Terminal {
    /// What turns while something is awaited.
    spinner: ProgressBar,
    /// What was shown last, unless its line has ended.
    open: Option<Text>,
}

/// The texts that come in pieces.
#[derive(Clone, Copy, PartialEq)]
enum Text {
    Answer,
    Reasoning,
}

impl Terminal {
    pub fn new() -> Self {
        Self { spinner: ProgressBar::hidden(), open: None }
    }

    /// The next line that the user enters; nothing where no more comes.
    pub fn read_line(&mut self) -> io::Result<Option<String>> {
        let mut input = io::stdin().lock();
        if input.is_terminal() {
            eprint!("{} ", style(">").bold().for_stderr());
        }
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line)? {
            0 => Ok(None),
            _ => Ok(Some(String::from_utf8_lossy(&line).trim().to_owned())),
        }
    }

    /// Shows that something is awaited, until something else is shown. Nothing turns where nobody looks.
    pub fn wait(&mut self, what: &str) {
        self.end_line();
        if io::stdout().is_terminal() {
            self.spinner = ProgressBar::new_spinner().with_message(printable(what));
            self.spinner.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Shows a piece of an answer.
    pub fn show(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Content { text } | Event::Refusal { text } => {
                self.turn_to(Text::Answer);
                let mut output = io::stdout().lock();
                output.write_all(printable(text).as_bytes())?;
                output.flush()
            }
            Event::Reasoning { text } => {
                self.turn_to(Text::Reasoning);
                eprint!("{}", style(printable(text)).dim().for_stderr());
                Ok(())
            }
            // Calls are shown with their results.
            _ => Ok(()),
        }
    }

    /// Shows a call of a tool and its result.
    pub fn show_call(&mut self, call: &ReplyCall, result: &ToolResult) {
        let texts: String = result.content.iter().filter_map(|part| part.as_text()).collect();
        self.note(&format!("[{}({}): {texts}]", call.name, call.arguments));
    }

    /// Shows what is no part of an answer.
    pub fn note(&mut self, text: &str) {
        self.end_line();
        eprintln!("{}", style(printable(text)).cyan().for_stderr());
    }

    /// Shows what went wrong.
    pub fn error(&mut self, failure: &Failure) {
        self.end_line();
        eprintln!("{}", style(printable(&failure.to_string())).red().for_stderr());
    }

    fn turn_to(&mut self, text: Text) {
        if self.open != Some(text) {
            self.end_line();
        }
        self.open = Some(text);
    }

    /// Ends what was shown: what comes next begins a line.
    pub fn end_line(&mut self) {
        self.spinner.finish_and_clear();
        match self.open.take() {
            Some(Text::Answer) => println!(),
            Some(Text::Reasoning) => eprintln!(),
            None => {}
        }
    }
}

/// A text without what could steer the terminal: models and providers are strangers.
fn printable(text: &str) -> String {
    text.chars().filter(|it| !it.is_control() || matches!(it, '\n' | '\t')).collect()
}
