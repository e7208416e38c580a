//! The terminal: reads lines, and shows answers while they arrive.
//!
//! Answers are written to the standard output, and everything else to the standard error output. So
//! `chat < questions > answers` writes only the answers to the file.

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use console::style;
use indicatif::ProgressBar;
use typed_prompty::message::ToolResult;
use typed_prompty::reply::Event;

use crate::failure::Failure;

/// The input and output of the chat.
pub struct Terminal {
    /// The spinner that is shown while the chat waits.
    spinner: ProgressBar,
    /// The kind of text in the last line, unless the line has ended.
    open: Option<Text>,
}

/// The kinds of text that arrive in pieces.
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

    /// Whether a user enters the lines at a terminal.
    pub fn is_entered() -> bool {
        io::stdin().is_terminal()
    }

    /// The next line of the input; `None` at its end.
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

    /// Shows a spinner until something else is shown. It is not shown if the output is not a
    /// terminal.
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
                self.begin_text(Text::Answer);
                let mut output = io::stdout().lock();
                output.write_all(printable(text).as_bytes())?;
                output.flush()
            }
            Event::Reasoning { text } => {
                self.begin_text(Text::Reasoning);
                eprint!("{}", style(printable(text)).dim().for_stderr());
                Ok(())
            }
            Event::CallStarted { name, .. } => {
                self.end_line();
                self.begin_text(Text::Call);
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

    /// Shows the result of a tool.
    pub fn show_result(&mut self, result: &ToolResult) {
        let text: String = result.content.iter().filter_map(|part| part.as_text()).collect();
        self.note(&format!("{} returned {text}", result.name));
    }

    /// Shows a message that is not part of an answer.
    pub fn note(&mut self, text: &str) {
        self.end_line();
        eprintln!("{}", style(printable(text)).cyan().for_stderr());
    }

    /// Shows an error.
    pub fn error(&mut self, failure: &Failure) {
        self.end_line();
        eprintln!("{}", style(printable(&failure.to_string())).red().for_stderr());
    }

    fn begin_text(&mut self, text: Text) {
        if self.open != Some(text) {
            self.end_line();
        }
        self.open = Some(text);
    }

    /// Ends the current line, so that the next text begins a new one.
    pub fn end_line(&mut self) {
        self.spinner.finish_and_clear();
        match self.open.take() {
            Some(Text::Answer) => println!(),
            Some(Text::Reasoning | Text::Call) => eprintln!(),
            None => {}
        }
    }
}

/// A text without characters that control the terminal or change the direction of text. The text of
/// models and providers is untrusted.
fn printable(text: &str) -> String {
    let steers = |it: char| match it {
        '\n' | '\t' => false,
        // These override the direction of text. Right-to-left languages do not need them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => it.is_control(),
    };
    text.chars().filter(|it| !steers(*it)).collect()
}
