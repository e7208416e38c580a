//! The data from which a pipeline is built: the prompt, and the options of the host.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::engine::Undefined;
use crate::parse::OnForgedMarker;
use crate::registry::Registry;
use prompty_check::definition::{Input, ValueType, text_body};
use prompty_core::diagnostic::{Place, SourceSpan, SourceText, TemplateSpan};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Role;
use prompty_core::trace::HiddenTexts;
use prompty_template::OUTPUT_REQUIREMENT;
use prompty_template::{RenderLimits, SyntaxError, TemplateCache};

/// The options of a [`PipelineBuilder`](super::PipelineBuilder).
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) registry: Registry,
    pub(super) limits: RenderLimits,
    pub(super) undefined: Undefined,
    pub(super) on_forged_marker: OnForgedMarker,
    pub(super) traces_inputs: bool,
}

/// The data of a prompt that a pipeline needs. Definitions and typed prompts provide it.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) name: Arc<str>,
    pub(crate) source: SourceText,
    /// The span of the template in the source.
    pub(crate) body: SourceSpan,
    /// Whether the body is that of a text prompt, with its line breaks at the end.
    pub(crate) is_text: bool,
    pub(crate) format: String,
    pub(crate) parser: String,
    /// Whether a line of an input that looks like a role marker is an error.
    pub(crate) strict: bool,
    /// The role of the message of a template without markers.
    pub(crate) role: Option<Role>,
    /// Whether only line breaks of the template are removed at the ends of messages.
    pub(crate) keeps_white_space: bool,
    pub(crate) inputs: Vec<Input>,
    /// The text about the output format, if the template may print it.
    pub(crate) output_requirement: Option<Arc<str>>,
    /// The cached tree of the template.
    pub(crate) tree: TemplateCache,
    /// The texts that came from the host's environment and files.
    pub(crate) hidden: HiddenTexts,
}

/// Hides the source, defaults that may contain credentials, and texts from the host.
impl fmt::Debug for Blueprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text| self.hidden.shown(text);
        f.debug_struct("Blueprint")
            .field("name", &self.name)
            .field("source", &self.source.name())
            .field("format", &shown(&self.format))
            .field("parser", &shown(&self.parser))
            .field("strict", &self.strict)
            .field("inputs", &self.shown_inputs())
            .finish_non_exhaustive()
    }
}

impl Blueprint {
    /// The text of the template.
    #[expect(clippy::string_slice, reason = "`compile` rejects a body outside of its source")]
    pub(super) fn template(&self) -> &str {
        &self.source.text()[self.body.start..self.body.end]
    }

    /// Makes the body that of a text prompt.
    pub(super) fn make_text(&mut self) {
        if !self.is_text {
            self.body = text_body(&self.source, self.body, &self.format);
            self.is_text = true;
        }
    }

    /// The names of the inputs, as `Debug` shows them.
    pub(super) fn shown_inputs(&self) -> Vec<&str> {
        self.inputs.iter().map(|input| self.hidden.shown(&input.name)).collect()
    }

    /// The place of a part of the template in the source.
    pub(super) fn place(&self, span: TemplateSpan) -> Place {
        self.source.place(span.in_source(self.body).start)
    }

    /// The names that are known to be strings in the template: declared inputs that are not threads
    /// or media, and the text about the output.
    pub(super) fn names_of_texts(&self) -> HashSet<&str> {
        let texts = self.inputs.iter().filter(|it| it.value_type.rich().is_none());
        let mut names: HashSet<&str> = texts.map(|input| input.name.as_str()).collect();
        names.extend(self.output_requirement.as_ref().map(|_| OUTPUT_REQUIREMENT));
        names
    }

    /// The declared inputs by their names.
    pub(super) fn inputs_by_name(&self) -> HashMap<&str, &Input> {
        self.inputs.iter().map(|input| (&*input.name, input)).collect()
    }

    /// Converts a syntax error of the template into an error with its place in the source.
    pub(super) fn syntax_error(&self, error: SyntaxError) -> Error {
        let place = self.place(error.span);
        let refused = Error::new(ErrorKind::TemplateSyntax, error.message).with_place(place);
        match error.help {
            Some(help) => refused.with_help(help),
            None => refused,
        }
    }

    /// Declares an input as a thread, whether or not the prompt declares it.
    pub(super) fn declare_thread(&mut self, name: &str) {
        if self.inputs.iter().all(|input| input.name != name) {
            self.inputs.push(Input::new(name, ValueType::Any).optional());
        }
        for input in self.inputs.iter_mut().filter(|input| input.name == name) {
            input.declare_thread();
        }
    }
}
