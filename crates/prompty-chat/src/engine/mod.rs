//! The engine that runs chat templates: Jinja2 as `transformers` configures it, with limits.
//!
//! Chat templates are written for Python. They change lists in place, call Python's methods of
//! strings, use numbers as keys, print lists like Python, and may come from strangers. The engine
//! of prompts cannot run them: its values are different, and its fuel limits neither memory nor
//! time. Loop controls and ordered maps would have to be enabled in it for prompts, too.
//!
//! So this is a separate interpreter with Python's values. It pays for every step, and for every
//! byte that it reads or builds. No value outlives the render, no file is read, and the features of
//! other crates change no step.
//!
//! [`compile`] makes a [`program`] of the tree that the front end of Jinja parses. `interpreter`
//! executes its statements and `eval` its expressions. Their state is a `run`: the lists and maps
//! (`heap`), the limits that are left (`budget`) and the output; and the variables (`scopes`). What
//! they do with values is in `lookup`, `operators`, `items` and `print`. Templates call `filters`,
//! `lists`, `predicates`, `methods`, `containers`, `format`, `json`, `clock` and `wrapped_lines`.

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
mod wrapped_lines;

use std::sync::Arc;

use self::facts::TemplateFacts;
use self::fault::FaultCause;
use self::interpreter::Interpreter;
use self::program::Program;
pub(crate) use self::run::RenderOutput;
use self::text::string;
use prompty_core::diagnostic::SourceText;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::internal::json::write_string;
use prompty_core::value::{Map, Value};
use prompty_template::jinja::{self, Dialect};
use prompty_template::{RenderLimits, SyntaxError};

/// The name of a template in error messages.
const NAME: &str = "chat template";

/// The maximum length of a template in bytes. The largest known ones have thirty thousand. A much
/// longer text is not a chat template, but would still be parsed, analysed and searched for markup.
const MOST_BYTES: usize = 1 << 20;

/// A template, compiled once. Cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    compiled: Arc<CompiledTemplate>,
}

#[derive(Debug)]
struct CompiledTemplate {
    source: SourceText,
    /// The program, or the error of a text that does not compile.
    program: Result<Program, Error>,
    facts: TemplateFacts,
    limits: RenderLimits,
}

impl Engine {
    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`ErrorKind::TemplateSyntax`], with the line and a snippet, if the
    /// template is not valid, and of kind [`ErrorKind::Limit`] if it is too long.
    pub(crate) fn compile(source: &str, limits: RenderLimits) -> Result<Self, Error> {
        if source.len() > MOST_BYTES {
            let length = source.len();
            let message =
                format!("the chat template has {length} bytes, but the limit is {MOST_BYTES}");
            let help = "check that this is the chat template of the model";
            return Err(Error::new(ErrorKind::Limit, message).with_help(help));
        }
        let source = SourceText::new(NAME, normalise(source));
        let (program, facts) = match compile_program(source.text()) {
            Ok(compiled) => compiled,
            Err(error) => return Err(syntax_error(&source, error)),
        };
        Ok(Self {
            compiled: Arc::new(CompiledTemplate { source, program: Ok(program), facts, limits }),
        })
    }

    /// Creates a template whose renders all fail with the same error.
    pub(crate) fn with_error(error: Error) -> Self {
        let (source, facts) = (SourceText::new(NAME, ""), TemplateFacts::default());
        let (program, limits) = (Err(error), RenderLimits::default());
        Self { compiled: Arc::new(CompiledTemplate { source, program, facts, limits }) }
    }

    /// The syntax error in a template, if there is one, with its place in the normalised text.
    pub(crate) fn mistake(normalised: &str) -> Option<SyntaxError> {
        compile_program(normalised).err()
    }

    /// Renders the template. `now` is a time in seconds since 1970, or `None` for the current time.
    /// The render takes no more than `fuel`, which may be a budget for several renders.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`ErrorKind::Refused`] with the template's message if the template
    /// raises one, of kind [`ErrorKind::Render`] if it fails, and of kind [`ErrorKind::Limit`] if
    /// it exceeds a limit.
    pub(crate) fn render(
        &self,
        variables: &Map,
        now: Option<i64>,
        fuel: &mut u64,
    ) -> Result<RenderOutput, Error> {
        let CompiledTemplate { source, program, limits, facts } = &*self.compiled;
        let program = program.as_ref().map_err(Error::duplicate)?;
        let limits = limits.with_fuel(limits.fuel.min(*fuel));
        let now = now.unwrap_or_else(clock::now);
        let interpreter = Interpreter::new(program, limits, variables, &facts.strings, now);
        let meter = interpreter.meter();
        let written = interpreter.run_template();
        *fuel = fuel.saturating_sub(limits.fuel.saturating_sub(meter.steps_left()));
        written.map_err(|fault| {
            let FaultCause { kind, message, help, at } = fault.into_cause();
            let error = Error::new(kind, message);
            let error = match help {
                Some(help) => error.with_help(help),
                None => error,
            };
            match at {
                Some(at) => error.with_place(source.place(at as usize)),
                None => error,
            }
        })
    }

    /// The maximum fuel of one render.
    pub(crate) fn fuel(&self) -> u64 {
        self.compiled.limits.fuel
    }

    /// The distinct strings in the template's expressions and its literal text, in the order of
    /// their first use.
    pub(crate) fn string_constants(&self) -> &[String] {
        &self.compiled.facts.strings
    }

    /// The attributes and keys that the template reads from values, in the order of first use.
    pub(crate) fn attributes(&self) -> &[String] {
        &self.compiled.facts.attributes
    }

    /// Whether a word appears in the template, as a string or as an attribute.
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

    /// The variables that the template may read before it sets them, in the order of first use.
    pub(crate) fn variables(&self) -> &[String] {
        &self.compiled.facts.variables
    }
}

/// A template's text in the form that positions refer to: without a byte order mark, with `\n` for
/// each line end and without the last one.
pub(super) fn normalise(text: &str) -> String {
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

/// Formats a time in seconds since 1970, or the current time, as `strftime` does.
pub(super) fn date(now: Option<i64>, form: &str) -> String {
    clock::format(now.unwrap_or_else(clock::now), form)
}

/// A string in JSON's notation, without the quotes.
pub(super) fn json_text(text: &str, ensure_ascii: bool) -> String {
    without_quotes(&string(|out| write_string(out, text, ensure_ascii)))
}

/// A string as Python prints it in a list, without the quotes.
pub(super) fn python_text(text: &str) -> String {
    without_quotes(&string(|out| print::write_quoted(text, out)))
}

/// A string escaped for HTML.
pub(super) fn html_text(text: &str) -> String {
    string(|out| filters::write_escaped(text, out))
}

fn without_quotes(quoted: &str) -> String {
    let mut characters = quoted.chars();
    characters.next();
    characters.next_back();
    characters.as_str().to_owned()
}

/// The program of a template's text, and facts about it.
fn compile_program(text: &str) -> Result<(Program, TemplateFacts), SyntaxError> {
    let template = jinja::parse(text, &Dialect::CHAT)?;
    Ok((compile::compile(&template)?, facts::find(&template)))
}

/// The error for a syntax error in a template, with its line.
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
