//! The engine that chat templates run on: Jinja2 as `transformers` sets it up, and bounded.
//!
//! Chat templates are written for Python. They change lists in place, ask texts for Python's
//! methods, print lists as Python does, and come from strangers. So this is an interpreter of its own
//! with Python's values: every step, and every byte read or built, is paid for, nothing can outlive
//! the render, and no step depends on what else the program is built with.
//!
//! [`compile`] makes a [`program`] of the tree that the front end of Jinja gives; `interpreter` and `eval`
//! walk it, on the values and the budget of a `run`; `filters`, `lists`, `predicates`, `methods`, `containers`, `format`, `json` and `clock` are what
//! templates call.

mod arguments;
mod budget;
mod clock;
mod compile;
mod containers;
mod dict;
mod eval;
mod facts;
mod fault;
mod filters;
mod format;
mod functions;
mod heap;
mod indexes;
mod interpreter;
mod items;
mod json;
mod keys;
mod lists;
mod lookup;
mod methods;
#[doc(hidden)]
pub mod operations;
mod operators;
mod predicates;
mod print;
mod program;
mod run;
mod scopes;
mod table;
mod text;
mod value;

use std::sync::Arc;

use self::facts::Facts;
use self::fault::Cause;
use self::interpreter::Interpreter;
use self::program::Program;
pub(crate) use self::run::Written;
use self::text::string;
use prompty_core::diagnostic::SourceText;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::internal::json::write_string;
use prompty_core::value::{Map, Value};
use prompty_template::jinja::{self, Dialect};
use prompty_template::{RenderLimits, SyntaxError};

/// What a template's places are named after.
const NAME: &str = "chat template";

/// The most bytes that a template may have. The largest known ones have thirty thousand; what has many
/// times more is no chat template, and would be read, analysed and searched for markup all the same.
const MOST_BYTES: usize = 1 << 20;

/// A template, compiled once. Cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    source: SourceText,
    /// What runs; nothing but an error where a text was never compiled.
    program: Result<Program, Error>,
    facts: Facts,
    limits: RenderLimits,
}

impl Engine {
    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`], with the line and a snippet, and [`ErrorKind::Limit`] where the
    /// template is too large.
    pub(crate) fn compile(source: &str, limits: RenderLimits) -> Result<Self, Error> {
        if source.len() > MOST_BYTES {
            let length = source.len();
            let message = format!(
                "the chat template has {length} bytes; a chat template may have {MOST_BYTES} at most"
            );
            let help = "check that this is the model's chat template: the largest known ones have some \
                        tens of kilobytes";
            return Err(Error::new(ErrorKind::Limit, message).with_help(help));
        }
        let source = SourceText::new(NAME, normalised(source));
        let (program, facts) = match compiled(source.text()) {
            Ok(compiled) => compiled,
            Err(error) => return Err(syntax_error(&source, error)),
        };
        Ok(Self { compiled: Arc::new(Compiled { source, program: Ok(program), facts, limits }) })
    }

    /// A template whose every render is this error.
    pub(crate) fn failing(error: Error) -> Self {
        let (source, facts) = (SourceText::new(NAME, ""), Facts::default());
        let (program, limits) = (Err(error), RenderLimits::default());
        Self { compiled: Arc::new(Compiled { source, program, facts, limits }) }
    }

    /// The mistake in a template's syntax, if there is one, with its place in the normalised text.
    pub(crate) fn mistake(normalised: &str) -> Option<SyntaxError> {
        compiled(normalised).err()
    }

    /// What the template writes for these variables, at a moment in seconds since 1970 or now, with what
    /// is known of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] with what the template said, where it raises;
    /// [`ErrorKind::Render`] where it fails; [`ErrorKind::Limit`] where it does too much.
    pub(crate) fn render_at(&self, variables: &Map, now: Option<i64>) -> Result<Written, Error> {
        self.render_with_fuel(variables, now, &mut { u64::MAX })
    }

    /// The same with the fuel of several renders, from which the render takes its own.
    ///
    /// # Errors
    ///
    /// As [`render_at`](Self::render_at).
    pub(crate) fn render_with_fuel(
        &self,
        variables: &Map,
        now: Option<i64>,
        fuel: &mut u64,
    ) -> Result<Written, Error> {
        let Compiled { source, program, limits, facts } = &*self.compiled;
        let program = program.as_ref().map_err(Error::duplicate)?;
        let limits = limits.with_fuel(limits.fuel.min(*fuel));
        let now = now.unwrap_or_else(clock::now);
        let interpreter = Interpreter::new(program, limits, variables, &facts.strings, now);
        let meter = interpreter.meter();
        let written = interpreter.whole();
        *fuel = fuel.saturating_sub(limits.fuel.saturating_sub(meter.steps_left()));
        written.map_err(|fault| {
            let Cause { kind, message, at } = fault.into_cause();
            let error = Error::new(kind, message);
            match at {
                Some(at) => error.with_place(source.place(at as usize)),
                None => error,
            }
        })
    }

    /// How much fuel one render may take.
    pub(crate) fn fuel(&self) -> u64 {
        self.compiled.limits.fuel
    }

    /// Every distinct text that stands in the template's expressions or as its literal text, in the
    /// order of their first use.
    pub(crate) fn string_constants(&self) -> &[String] {
        &self.compiled.facts.strings
    }

    /// The attributes and entries that the template asks its values for, in the order of first use.
    pub(crate) fn attributes(&self) -> &[String] {
        &self.compiled.facts.attributes
    }

    /// Whether the template has a word of its own: compares with it, or asks values for it.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.compiled.facts.words.contains(word)
    }

    /// The constants that a variable is compared with, in the order of first use.
    pub(crate) fn compared_with(&self, name: &str) -> impl Iterator<Item = &Value> {
        let compared = self.compiled.facts.compared.iter();
        compared.filter(move |(known, _)| known == name).map(|(_, value)| value)
    }

    /// The template's text.
    pub(crate) fn text(&self) -> &str {
        self.compiled.source.text()
    }

    /// The variables that the template reads and does not surely set itself before, in the order of
    /// first use.
    pub(crate) fn variables(&self) -> &[String] {
        &self.compiled.facts.variables
    }
}

/// A template's text as the places in it are counted: without a byte order mark, with `\n` for each
/// line end and without the last one.
pub(super) fn normalised(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut text = match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text.to_owned(),
    };
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// A moment in seconds since 1970, or now, as `strftime` writes it.
pub(super) fn date(now: Option<i64>, form: &str) -> String {
    clock::format(now.unwrap_or_else(clock::now), form)
}

/// A text as JSON has it, without the quotes.
pub(super) fn json_text(text: &str, ensure_ascii: bool) -> String {
    without_quotes(&string(|out| write_string(out, text, ensure_ascii)))
}

/// A text as Python prints it in a list, without the quotes.
pub(super) fn python_text(text: &str) -> String {
    without_quotes(&string(|out| print::write_quoted(text, out)))
}

/// A text as HTML has it.
pub(super) fn html_text(text: &str) -> String {
    string(|out| filters::write_escaped(text, out))
}

fn without_quotes(quoted: &str) -> String {
    let mut characters = quoted.chars();
    characters.next();
    characters.next_back();
    characters.as_str().to_owned()
}

/// The program of a template's text, and what can be said of it.
fn compiled(text: &str) -> Result<(Program, Facts), SyntaxError> {
    let template = jinja::parse(text, &Dialect::CHAT)?;
    Ok((compile::compile(&template)?, facts::find(&template)))
}

/// A mistake in a template, with the line that it stands in.
fn syntax_error(source: &SourceText, error: SyntaxError) -> Error {
    let (_, line) = source.line_at(error.span.start);
    let shown: String = line.trim().chars().take(120).collect();
    let help = match error.help {
        Some(help) => format!("{help}; the line is `{shown}`"),
        None => format!("the line is `{shown}`"),
    };
    let place = source.place(error.span.start);
    Error::new(ErrorKind::TemplateSyntax, error.message).with_place(place).with_help(help)
}
