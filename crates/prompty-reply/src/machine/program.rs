//! A format prepared for the machine: its layout, the tools and the options.

use super::call_path::CallPath;
use super::expected_markers::{ExpectedMarkers, bare_call_beginnings};
use super::markers::Search;
use super::state::State;
use crate::format::{Arguments, CallShape, JsonCall, NamedCall, ReplyFormat, Tools};
use crate::layout::{LayoutPart, Order, looks_like_control};
use crate::options::ReplyOptions;
use prompty_core::message::ToolSpec;

/// A format, the tools and the options, prepared for the machine. All streams of a parser share it.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) format: ReplyFormat,
    /// The offered tools. `None` if the caller did not give any list.
    pub(crate) known_tools: Option<Vec<ToolSpec>>,
    pub(crate) options: ReplyOptions,
    /// The state at the start of a reply.
    pub(super) start: State,
    /// Whether a call may appear without any marker around it, at the start of content.
    pub(super) bare_calls: bool,
    /// Whether such a call may also follow text.
    pub(super) calls_begin_in_text: bool,
    /// The markers that are expected in each state.
    pub(super) expected_markers: ExpectedMarkers,
    /// The parts of a call, and which may follow which.
    pub(super) call_path: CallPath,
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
            && tools.is_some_and(|tools| may_be_bare(tools, known_tools.is_some()));
        let order = Order::new(&LayoutPart::of_format(&format));
        let mut expected_markers = ExpectedMarkers::new(&order, options.calls_in_reasoning);
        let call_path = CallPath::new(order);
        let beginnings = bare_call_beginnings(&format, known_tools.as_deref().unwrap_or_default());
        for beginning in &beginnings {
            expected_markers.in_content.add(beginning, call_path.start_leaf());
        }
        Self {
            bare_calls,
            calls_begin_in_text: !beginnings.is_empty(),
            expected_markers,
            start: if begins_in_header(&format) { call_path.header() } else { State::Text },
            call_path,
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

    /// The offered tool with this name, if the caller gave the tools.
    pub(super) fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.known_tools.as_ref()?.iter().find(|tool| tool.name == name)
    }

    /// Whether the caller offered a tool of this name, or did not give a list of tools.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.known_tools.is_none() || self.tool(name).is_some()
    }

    /// Whether a word in markup is valid: it has no line break, no angle bracket and no marker of
    /// calls. Otherwise the end of the word is missing.
    pub(super) fn is_plain_word(&self, word: &str) -> bool {
        let ExpectedMarkers { in_arguments, after_malformed_call, .. } = &self.expected_markers;
        let mut markers = [in_arguments, after_malformed_call].into_iter();
        !word.contains(['\n', '<', '>'])
            && markers.all(|markers| matches!(markers.search(word, true), Search::Sure(_)))
    }

    /// Whether a text may be the key of an argument.
    pub(super) fn is_key(&self, key: &str) -> bool {
        let may_be_first = |it: char| it.is_alphanumeric() || "_$@".contains(it);
        key.starts_with(may_be_first) && !key.contains(['"', '\'', '=']) && self.is_plain_word(key)
    }

    /// Whether a text may be the name of a tool: a word, or the name of an offered tool.
    pub(super) fn is_name(&self, name: &str) -> bool {
        let is_word = |it: char| {
            it.is_ascii_alphanumeric() || (!it.is_whitespace() && !"<>{}[]()\"'=,;`".contains(it))
        };
        // With a colon, it is the rest of a damaged marker or of an id.
        let may_have_colon = self.known_tools.is_none();
        let begins = name.starts_with(|it: char| it.is_alphanumeric() || it == '_');
        (begins && (may_have_colon || !name.contains(':')) && name.chars().all(is_word))
            || self.tool(name).is_some()
    }

    /// The characters that a call without markers begins with.
    pub(super) fn bare_starts(&self) -> &'static [char] {
        if self.named().is_some() { &['['] } else { &['{', '['] }
    }

    /// Whether a marker is a control token, which is never text.
    pub(super) fn is_control(&self, mark: &str) -> bool {
        self.format.turn.control_tokens.iter().any(|token| mark.contains(&**token))
            || looks_like_control(mark)
    }
}

/// Whether calls are recognised without markers around them. JSON objects are recognised if the
/// tools are known, because then the name distinguishes a call from other JSON, or if the format
/// has no markers. Lists of Python calls are recognised if the format has no markers.
fn may_be_bare(tools: &Tools, tools_are_known: bool) -> bool {
    match &tools.shape {
        CallShape::Json(_) => tools_are_known || tools.is_bare(),
        CallShape::Named(call) => {
            let is_call_list = tools.array && matches!(call.arguments, Arguments::Literal { .. });
            is_call_list && tools.is_bare() && call.prefix.is_none()
        }
    }
}

/// Whether the opener of the assistant's turn ends with the opener of a message's header.
fn begins_in_header(format: &ReplyFormat) -> bool {
    let turn_open = format.turn.open.trim_end();
    let headers = format.headers.as_ref();
    headers.is_some_and(|it| !it.open.is_none() && turn_open.ends_with(&*it.open.text))
}
