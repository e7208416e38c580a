//! A format prepared for the machine: its layout, the tools and the options.
//!
//! For a format whose calls are `{"name": "time", "arguments": {"zone": "CET"}}` without markers
//! around them, and the offered tool `time`, [`Program::new`] computes:
//!
//! | field | value |
//! |---|---|
//! | `start` | [`State::Text`], because the format has no headers |
//! | `bare_at_start` | `true`: a `{` at the start of content may begin a call |
//! | `bare_in_text` | `true`: the next row has an entry |
//! | `expected_markers.in_content` | also `{ "name" : "time" , "arguments" : {` |
//!
//! With `<call>` and `</call>` around each call, `bare_at_start` is still `true`, because the
//! tools are known. `bare_in_text` is `false`, and `in_content` has the opener `<call>`.
//!
//! The methods answer questions about words: whether a word may be a name (`time`), a key (`zone`),
//! any word in markup, or a control token (`<|end|>`).

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
    /// The offered tools; empty if the caller offers none. `None` if the caller did not give any
    /// list: then each name may be that of a tool.
    pub(crate) known_tools: Option<Vec<ToolSpec>>,
    pub(crate) options: ReplyOptions,
    /// The state at the start of a reply: in a header if the prompt has opened it, otherwise text.
    pub(super) start: State,
    /// Whether a call without markers may be at the start of content. There, its first bracket is
    /// enough to try to read it.
    pub(super) bare_at_start: bool,
    /// Whether a call without markers may follow text. Text contains brackets too, so a complete
    /// beginning with the name of an offered tool is needed. `expected_markers.in_content` has
    /// these beginnings. The rule is that of [`bare_call_beginnings`], not of `may_be_bare`:
    /// neither of the two fields implies the other.
    pub(super) bare_in_text: bool,
    /// The markers that are expected in each state. Their values are ids of `call_path`.
    pub(super) expected_markers: ExpectedMarkers,
    /// The leaves of the format's layout, and which may follow which.
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
        let bare_at_start = has_tools
            && format.headers.is_none()
            && tools.is_some_and(|tools| may_be_bare(tools, known_tools.is_some()));
        let order = Order::new(&LayoutPart::of_format(&format));
        let mut expected_markers = ExpectedMarkers::new(&order, options.calls_in_reasoning);
        let call_path = CallPath::new(order);
        let beginnings = bare_call_beginnings(&format, known_tools.as_deref().unwrap_or_default());
        // The beginning of a call without markers is searched for as if it were a marker. Its value
        // is not a leaf, which distinguishes it from the markers of the layout.
        for beginning in &beginnings {
            expected_markers.in_content.add(beginning, call_path.call_start());
        }
        Self {
            bare_at_start,
            bare_in_text: !beginnings.is_empty(),
            expected_markers,
            start: if begins_in_header(&format) { call_path.header() } else { State::Text },
            call_path,
            format,
            known_tools,
            options,
        }
    }

    /// How the format writes calls, if it has calls.
    pub(super) fn tools(&self) -> Option<&Tools> {
        self.format.tools.as_ref()
    }

    /// The shape of calls, if each is a JSON object.
    pub(super) fn json(&self) -> Option<&JsonCall> {
        match &self.tools()?.shape {
            CallShape::Json(call) => Some(call),
            CallShape::Named(_) => None,
        }
    }

    /// The shape of calls, if their names are in markup, such as `<f=time>`, or in a header.
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
    /// calls. Otherwise the end of the word is missing: `zone`, but not `zone</call>`.
    pub(super) fn is_plain_word(&self, word: &str) -> bool {
        let ExpectedMarkers { in_arguments, after_malformed_call, .. } = &self.expected_markers;
        let mut markers = [in_arguments, after_malformed_call].into_iter();
        !word.contains(['\n', '<', '>'])
            // `true`: the word is complete, so no more text can complete a marker.
            && markers.all(|markers| matches!(markers.search(word, true), Search::NoMarker(_)))
    }

    /// Whether a text may be the key of an argument: `zone` or `$ref`, but not `"zone"` or `a=1`.
    pub(super) fn is_key(&self, key: &str) -> bool {
        let may_be_first = |it: char| it.is_alphanumeric() || "_$@".contains(it);
        key.starts_with(may_be_first) && !key.contains(['"', '\'', '=']) && self.is_plain_word(key)
    }

    /// Whether a text may be the name of a tool: a word such as `time.now`, or the name of an
    /// offered tool. The word need not be an offered tool; [`is_known`](Self::is_known) tests that.
    pub(super) fn is_name(&self, name: &str) -> bool {
        let is_word = |it: char| !it.is_whitespace() && !"<>{}[]()\"'=,;`".contains(it);
        // If the tools are known, a name with a colon must be that of an offered one. Any other is
        // the rest of a damaged marker or of an id.
        let may_have_colon = self.known_tools.is_none();
        let begins = name.starts_with(|it: char| it.is_alphanumeric() || it == '_');
        (begins && (may_have_colon || !name.contains(':')) && name.chars().all(is_word))
            || self.tool(name).is_some()
    }

    /// The characters that a call without markers begins with. A list of Python calls is
    /// `[time(zone='CET')]`; a JSON call is an object, and a list of them an array.
    pub(super) fn bare_starts(&self) -> &'static [char] {
        if self.named().is_some() { &['['] } else { &['{', '['] }
    }

    /// Whether a marker is a control token, which is never text.
    pub(super) fn is_control(&self, marker: &str) -> bool {
        self.format.turn.control_tokens.iter().any(|token| marker.contains(&**token))
            || looks_like_control(marker)
    }
}

/// Whether calls are recognised without markers around them. JSON objects are recognised if the
/// tools are known, because then the name distinguishes a call from other JSON, or if the format
/// has no markers. Lists of Python calls are recognised if the format has no markers, and no prefix
/// before the name: `[time(zone='CET')]`.
fn may_be_bare(tools: &Tools, tools_are_known: bool) -> bool {
    match &tools.shape {
        CallShape::Json(_) => tools_are_known || tools.is_bare(),
        CallShape::Named(call) => {
            let is_call_list = tools.array && matches!(call.arguments, Arguments::Literal { .. });
            is_call_list && tools.is_bare() && call.prefix.is_none()
        }
    }
}

/// Whether the opener of the assistant's turn ends with the opener of a message's header. The reply
/// then begins inside that header.
fn begins_in_header(format: &ReplyFormat) -> bool {
    let turn_open = format.turn.open.trim_end();
    let headers = format.headers.as_ref();
    headers.is_some_and(|it| !it.open.is_none() && turn_open.ends_with(&*it.open.text))
}
