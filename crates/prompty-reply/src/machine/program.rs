//! A format made ready to run: its layout, the tools and the options.

use super::markers::Search;
use super::state::State;
use super::watched::{Watched, beginnings};
use super::ways::Ways;
use crate::format::{Arguments, CallShape, JsonCall, NamedCall, ReplyFormat, Tools};
use crate::layout::{Order, Part, looks_like_control};
use crate::options::{CallsInReasoning, ReplyOptions};
use prompty_core::message::ToolSpec;

/// A format, the tools and the options, ready to run. Shared by all streams of a parser.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) format: ReplyFormat,
    /// Nothing where the caller did not say which tools there are.
    pub(crate) known_tools: Option<Vec<ToolSpec>>,
    pub(crate) options: ReplyOptions,
    /// Where a reply begins.
    pub(super) start: State,
    /// Whether a call may stand without any marker around it.
    pub(super) bare_calls: bool,
    /// Whether such a call may stand behind text.
    pub(super) calls_begin_in_text: bool,
    /// What is looked for in each place.
    pub(super) watched: Watched,
    /// The way through a call.
    pub(super) ways: Ways,
}

impl Program {
    pub(crate) fn new(
        format: ReplyFormat,
        known_tools: Option<Vec<ToolSpec>>,
        options: ReplyOptions,
    ) -> Self {
        let tools = format.tools.as_ref();
        let has_tools = known_tools.as_ref().is_none_or(|tools| !tools.is_empty());
        let bare_calls = has_tools
            && format.headers.is_none()
            && tools.is_some_and(|tools| may_stand_bare(tools, known_tools.is_some()));
        let order = Order::new(&Part::of_format(&format));
        let prompt_opened = options.calls_in_reasoning != CallsInReasoning::Text;
        let model_opened = options.calls_in_reasoning == CallsInReasoning::End;
        let mut watched = Watched::new(&order, model_opened, prompt_opened);
        let ways = Ways::new(order);
        let beginnings = beginnings(&format, known_tools.as_deref().unwrap_or_default());
        for beginning in &beginnings {
            watched.in_content.add(beginning, ways.no_leaf());
        }
        Self {
            bare_calls,
            calls_begin_in_text: !beginnings.is_empty(),
            watched,
            start: if begins_in_header(&format) { ways.header() } else { State::Text },
            ways,
            format,
            known_tools,
            options,
        }
    }

    pub(super) fn tools(&self) -> Option<&Tools> {
        self.format.tools.as_ref()
    }

    pub(super) fn json(&self) -> Option<&JsonCall> {
        match &self.tools()?.shape {
            CallShape::Json(call) => Some(call),
            CallShape::Named(_) => None,
        }
    }

    pub(super) fn named(&self) -> Option<&NamedCall> {
        match &self.tools()?.shape {
            CallShape::Named(call) => Some(call),
            CallShape::Json(_) => None,
        }
    }

    /// The tool of a name, among those that the caller gave.
    pub(super) fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.known_tools.as_ref()?.iter().find(|tool| tool.name == name)
    }

    /// Whether the caller offered a tool of that name, or did not say which there are.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.known_tools.is_none() || self.tool(name).is_some()
    }

    /// Whether a word in markup is one: it holds no line break, no angle bracket and no marker of calls. Where it
    /// does, what ends the word is missing.
    pub(super) fn is_plain_word(&self, word: &str) -> bool {
        let Watched { in_arguments, behind_broken, .. } = &self.watched;
        let mut markers = [in_arguments, behind_broken].into_iter();
        !word.contains(['\n', '<', '>'])
            && markers.all(|markers| matches!(markers.search(word, true), Search::Sure(_)))
    }

    /// Whether a text may be the key of an argument.
    pub(super) fn is_key(&self, key: &str) -> bool {
        let begins = |it: char| it.is_alphanumeric() || "_$@".contains(it);
        key.starts_with(begins) && !key.contains(['"', '\'', '=']) && self.is_plain_word(key)
    }

    /// Whether a text may be the name of a tool: one that is offered, or a word.
    pub(super) fn is_name(&self, name: &str) -> bool {
        let is_word = |it: char| {
            it.is_ascii_alphanumeric() || (!it.is_whitespace() && !"<>{}[]()\"'=,;`".contains(it))
        };
        // With a colon it is the rest of a damaged marker, or that of an id.
        let may_be = !name.contains(':') || self.known_tools.is_none();
        let begins = name.starts_with(|it: char| it.is_alphanumeric() || it == '_');
        (begins && may_be && name.chars().all(is_word)) || self.tool(name).is_some()
    }

    /// What a call without markers begins with.
    pub(super) fn bare_starts(&self) -> &'static [char] {
        if self.named().is_some() { &['['] } else { &['{', '['] }
    }

    /// Whether a marker is a control token, which is never text.
    pub(super) fn is_control(&self, mark: &str) -> bool {
        self.format.turn.control_tokens.iter().any(|token| mark.contains(&**token))
            || looks_like_control(mark)
    }
}

/// Whether calls are recognised without markers around them. JSON objects are, where the tools are
/// known, so that a name tells a call from other JSON, or where the format has no markers. So are lists of
/// calls as Python writes them, where the format has no markers.
fn may_stand_bare(tools: &Tools, tools_are_known: bool) -> bool {
    match &tools.shape {
        CallShape::Json(_) => tools_are_known || tools.is_bare(),
        CallShape::Named(call) => {
            let is_row = tools.array && matches!(call.arguments, Arguments::Literal { .. });
            is_row && tools.is_bare() && call.prefix.is_none()
        }
    }
}

/// Whether the opener of the assistant's turn ends with the opener of a message's header.
fn begins_in_header(format: &ReplyFormat) -> bool {
    let turn_open = format.turn.open.trim_end();
    let headers = format.headers.as_ref();
    headers.is_some_and(|it| !it.open.is_none() && turn_open.ends_with(&*it.open.text))
}
