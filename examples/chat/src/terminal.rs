//! The terminal: reads lines, shows answers as they come, and that something is awaited.
//!
//! Answers go to the standard output and all else to the standard error output, so that `chat < questions >
//! answers` writes the answers alone.

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use console::style;
use indicatif::ProgressBar;
use typed_prompty::message::ToolResult;
use typed_prompty::reply::Event;

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
    Call,
}

impl Terminal {
    pub fn new() -> Self {
        Self { spinner: ProgressBar::hidden(), open: None }
    }

    /// Whether a person enters the lines.
    pub fn is_entered() -> bool {
        io::stdin().is_terminal()
    }

    /// The next line that the user enters; nothing where no more comes.
    pub fn read_line(&mut self) -> io::Result<Option<String>> {
        let mut input = io::stdin().lock();
        if Self::is_entered() {
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
            Event::CallStarted { name, .. } => {
                self.end_line();
                self.turn_to(Text::Call);
                eprint!("{} ", style(printable(name)).cyan().for_stderr());
                Ok(())
            }
            Event::Arguments { text, .. } => {
                eprint!("{}", style(printable(text)).cyan().for_stderr());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Shows what a tool gave.
    pub fn show_result(&mut self, result: &ToolResult) {
        let text: String = result.content.iter().filter_map(|part| part.as_text()).collect();
        self.note(&format!("{} gave {text}", result.name));
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
            Some(Text::Reasoning | Text::Call) => eprintln!(),
            None => {}
        }
    }
}

/// A text without what could steer the terminal, or turn the order of what it shows: models and providers are
/// strangers.
fn printable(text: &str) -> String {
    let steers = |it: char| match it {
        '\n' | '\t' => false,
        // They open and close text of the other direction, and so does a right-to-left language without them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => it.is_control(),
    };
    text.chars().filter(|it| !steers(*it)).collect()
}
