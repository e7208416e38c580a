//! A format made ready to run: the markers that can stand in each state of the machine.

use super::markers::{MarkerSet, Search};
use super::ways::Ways;
use crate::reply::format::{
    Arguments, CallShape, JsonCall, Marker, NamePlace, NamedCall, ReplyFormat, Text, Tools, Turn,
};
use crate::reply::options::{CallsInReasoning, ReplyOptions};
use prompty_core::message::Tool;

/// What a marker in the text of a reply does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    OpenReasoning,
    CloseReasoning,
    OpenContent,
    CloseContent,
    OpenSection,
    CloseSection,
    OpenCall,
    CloseCall,
    /// The prefix of a name, where the call's opener is missing.
    OpenName,
    /// What stands behind the arguments of a named call.
    CloseNamed,
    OpenKey,
    OpenHeader,
    CloseBody,
    EndTurn,
    /// A control token without a meaning at its place.
    Stray,
}

/// A format, the tools and the options, ready to run. Shared by all streams of a parser.
#[derive(Debug)]
pub(in crate::reply) struct Program {
    pub(in crate::reply) format: ReplyFormat,
    /// Nothing where the caller did not say which tools there are.
    pub(in crate::reply) known_tools: Option<Vec<Tool>>,
    pub(in crate::reply) options: ReplyOptions,
    pub(super) content_markers: MarkerSet<Action>,
    pub(super) reasoning_markers: MarkerSet<Action>,
    /// Reasoning that the prompt opened.
    pub(super) prompt_reasoning_markers: MarkerSet<Action>,
    /// What ends the header of a message.
    pub(super) header_markers: MarkerSet<Action>,
    /// Whether a reply begins with the header of a message.
    pub(super) begins_in_header: bool,
    /// Between calls.
    pub(super) call_markers: MarkerSet<Action>,
    /// Between and behind the arguments of a tagged call.
    pub(super) argument_markers: MarkerSet<Action>,
    /// What ends a call that went wrong.
    pub(super) recovery_markers: MarkerSet<Action>,
    /// Whether a call may stand without any marker around it.
    pub(super) bare_calls: bool,
    /// The way through a named call.
    pub(super) ways: Ways,
}

impl Program {
    pub(in crate::reply) fn new(
        format: ReplyFormat,
        known_tools: Option<Vec<Tool>>,
        options: ReplyOptions,
    ) -> Self {
        let tools = format.tools.as_ref();
        let has_tools = known_tools.as_ref().is_none_or(|tools| !tools.is_empty());
        let bare_calls = has_tools
            && format.headers.is_none()
            && tools.is_some_and(|tools| may_stand_bare(tools, known_tools.is_some()));
        let prompt_opened = options.calls_in_reasoning != CallsInReasoning::Text;
        let model_opened = options.calls_in_reasoning == CallsInReasoning::End;
        Self {
            content_markers: content_markers(&format),
            reasoning_markers: reasoning_markers(&format, model_opened),
            prompt_reasoning_markers: reasoning_markers(&format, prompt_opened),
            header_markers: header_markers(&format),
            begins_in_header: begins_in_header(&format),
            call_markers: call_markers(&format),
            argument_markers: argument_markers(&format),
            recovery_markers: recovery_markers(&format),
            bare_calls,
            ways: Ways::new(&format),
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
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.known_tools.as_ref()?.iter().find(|tool| tool.name == name)
    }

    /// Whether the caller offered a tool of that name, or did not say which there are.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.known_tools.is_none() || self.tool(name).is_some()
    }

    /// Whether a text may be a key: it holds no line break, no angle bracket and no marker of calls. Where it
    /// does, what closes the key is missing.
    pub(super) fn is_plain_name(&self, name: &str) -> bool {
        let holds = |markers: &MarkerSet<Action>| {
            matches!(markers.search(name, true), Search::Found { .. })
        };
        !name.is_empty()
            && !name.contains(['\n', '<', '>'])
            && !holds(&self.argument_markers)
            && !holds(&self.recovery_markers)
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

/// Whether a marker looks like a control token: people do not write a bar inside of brackets.
fn looks_like_control(mark: &str) -> bool {
    ["<|", "|>", "<｜", "｜>"].iter().any(|part| mark.contains(part))
}

/// Whether calls are recognised without markers around them. JSON objects are, where the tools are
/// known, so that a name tells a call from other JSON, or where the format has no markers. So are lists of
/// calls as Python writes them, where the format has no markers.
fn may_stand_bare(tools: &Tools, tools_are_known: bool) -> bool {
    let without_markers = tools.section_open.is_none() && tools.call_open.is_none();
    match &tools.shape {
        CallShape::Json(_) => tools_are_known || without_markers,
        CallShape::Named(call) => {
            let is_row = tools.array && matches!(call.arguments, Arguments::Literal { .. });
            is_row && without_markers && call.prefix.is_none()
        }
    }
}

fn content_markers(format: &ReplyFormat) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    if let Some(headers) = &format.headers {
        add_headers(&mut markers, format);
        markers.add(&headers.end, Action::Stray);
        add_end(&mut markers, format);
        return markers;
    }
    if let Some(reasoning) = &format.reasoning {
        markers.add(&reasoning.open, Action::OpenReasoning);
    }
    markers.add(&format.content.open, Action::OpenContent);
    add_openers(&mut markers, format);
    // Without the words behind its first token, the opener of reasoning is still clear.
    if let Some(reasoning) = &format.reasoning
        && let Some((token, words)) = reasoning.open.text.split_once('>')
        && !words.is_empty()
        && looks_like_control(token)
    {
        let token = Marker { text: format!("{token}>").into(), ..reasoning.open.clone() };
        markers.add_unless_others_begin_so(&token, Action::OpenReasoning);
    }
    markers.add(&format.content.close, Action::CloseContent);
    if let Some(reasoning) = &format.reasoning {
        markers.add(&reasoning.close, Action::CloseReasoning);
    }
    add_end(&mut markers, format);
    add_strays(&mut markers, format);
    add_tokens_before_calls(&mut markers, format);
    markers
}

/// Tokens of the checkpoint that may stand in front of calls for which the template writes no marker.
fn add_tokens_before_calls(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    let Turn { user_open, open, control_tokens, .. } = &format.turn;
    let is_bare = format.tools.as_ref().is_some_and(|tools| {
        let without_markers = tools.section_open.is_none() && tools.call_open.is_none();
        without_markers && matches!(tools.shape, CallShape::Json(_))
    });
    for token in control_tokens.iter().filter(|_| is_bare) {
        if !user_open.contains(&**token) && !open.contains(&**token) {
            markers.add(&Marker { text: token.clone(), ..Marker::NONE }, Action::OpenCall);
        }
    }
}

/// Control tokens at places where they have no meaning.
fn add_strays(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    let mut add = |mark: &str| {
        if looks_like_control(mark) {
            markers.add(&Marker { text: mark.to_owned().into(), ..Marker::NONE }, Action::Stray);
        }
    };
    if let Some(tools) = &format.tools {
        add(&tools.section_close.text);
        add(&tools.call_close.text);
    }
    // The tokens that open the turn. Some models repeat them, or go on behind the turn's end.
    for token in format.turn.open.split_inclusive('>') {
        if let Some((_, mark)) = token.split_at_checked(token.rfind('<').unwrap_or(token.len())) {
            add(mark.trim_end());
        }
    }
}

fn reasoning_markers(format: &ReplyFormat, calls_end_it: bool) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    if format.headers.is_some() {
        add_headers(&mut markers, format);
        add_end(&mut markers, format);
        return markers;
    }
    if let Some(reasoning) = &format.reasoning {
        markers.add(&reasoning.close, Action::CloseReasoning);
        if looks_like_control(&reasoning.open.text) {
            markers.add(&reasoning.open, Action::Stray);
        }
        // The template shows no opener, and some models write one.
        if reasoning.open.is_none()
            && let Some(text) = reasoning.close.mirrored_opener()
        {
            let opener = Marker { text, ..reasoning.close.clone() };
            markers.add(&Marker { before: Text::default(), ..opener }, Action::OpenReasoning);
        }
    }
    if calls_end_it {
        markers.add(&format.content.open, Action::OpenContent);
        add_openers(&mut markers, format);
    }
    add_end(&mut markers, format);
    markers
}

fn add_headers(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    let Some(headers) = &format.headers else { return };
    markers.add(&headers.open, Action::OpenHeader);
    for close in headers.close.iter() {
        markers.add(close, Action::CloseBody);
    }
}

fn add_openers(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    let Some(tools) = &format.tools else { return };
    markers.add(&tools.section_open, Action::OpenSection);
    markers.add(&first_call_open(tools), Action::OpenCall);
    if let CallShape::Named(call) = &tools.shape
        && call.name != NamePlace::Header
        && (tools.call_open.is_none() || call.prefix.is_markup())
    {
        markers.add(&call.prefix, Action::OpenName);
    }
}

/// What opens the first call, behind content. The white space that stands between two calls may stand
/// there, too; it does not belong to the content.
fn first_call_open(tools: &Tools) -> Marker {
    let mut open = tools.call_open.clone();
    if open.before.is_empty() && tools.separator.trim().is_empty() {
        open.before = tools.separator.clone();
    }
    open
}

fn add_end(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    for end in format.turn.end.iter() {
        markers.add_that_may_be_cut(end, Action::EndTurn);
    }
}

fn add_closers(markers: &mut MarkerSet<Action>, format: &ReplyFormat) {
    let Some(tools) = &format.tools else { return };
    if let CallShape::Named(call) = &tools.shape {
        markers.add(&call.close, Action::CloseNamed);
    }
    markers.add(&tools.call_close, Action::CloseCall);
    markers.add(&tools.section_close, Action::CloseSection);
    add_headers(markers, format);
    add_end(markers, format);
}

/// Whether the opener of the assistant's turn ends with the opener of a message's header.
fn begins_in_header(format: &ReplyFormat) -> bool {
    let turn_open = format.turn.open.trim_end();
    let headers = format.headers.as_ref();
    headers.is_some_and(|it| !it.open.is_none() && turn_open.ends_with(&*it.open.text))
}

fn header_markers(format: &ReplyFormat) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    if let Some(headers) = &format.headers {
        markers.add(&headers.end, Action::OpenContent);
    }
    markers
}

fn call_markers(format: &ReplyFormat) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    // First, as it may begin like the opener of a call.
    markers.add(&format.content.open, Action::OpenContent);
    add_openers(&mut markers, format);
    add_closers(&mut markers, format);
    markers
}

fn argument_markers(format: &ReplyFormat) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    if let Some(CallShape::Named(call)) = format.tools.as_ref().map(|tools| &tools.shape) {
        match &call.arguments {
            Arguments::Tagged { key_open, .. } => markers.add(key_open, Action::OpenKey),
            Arguments::Nested { open_prefix, .. } => markers.add(open_prefix, Action::OpenKey),
            Arguments::Json | Arguments::Literal { .. } => {}
        }
    }
    add_closers(&mut markers, format);
    add_openers(&mut markers, format);
    markers
}

fn recovery_markers(format: &ReplyFormat) -> MarkerSet<Action> {
    let mut markers = MarkerSet::new();
    let Some(tools) = &format.tools else { return markers };
    let outermost = [&tools.section_close, &tools.call_close];
    for closer in outermost {
        markers.add(
            closer,
            if closer == &tools.call_close { Action::CloseCall } else { Action::CloseSection },
        );
    }
    if outermost.into_iter().all(Marker::is_none)
        && let CallShape::Named(call) = &tools.shape
    {
        markers.add(&call.close, Action::CloseNamed);
    }
    markers.add(&tools.call_open, Action::OpenCall);
    markers.add(&tools.section_open, Action::OpenSection);
    add_headers(&mut markers, format);
    add_end(&mut markers, format);
    markers
}
