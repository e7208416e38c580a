//! Calls: their classification (T1), the markers around them (T2, T3), the name (T4), the arguments
//! (T5, T6) and the id (T7).
//!
//! Calls are JSON (`json_call`), or have their name in markup. Example of the second:
//! `<call><f=FIRST>{"KEY": …}</f></call><call><f=SECOND>{"KEY": …}</f></call>`. The arguments are
//! removed first (`arguments`), then ids, a namespace, and the markers around the calls (`frame`).
//! The rest is the text around the name: `<f=`, `>` and `</f>`.

use super::arguments::{self, OtherCallPieces, around_difference};
use super::content::without_reasoning;
use super::conversation::{
    CONTENT, FIRST, FIRST_ID, KEY, ProbeCall, SECOND, SECOND_ID, TYPED, ToolOffer, after_question,
    bare_call, typed_call,
};
use super::frame::{CallFrame, marker, text};
use super::headers::{self, namespace};
use super::json_call;
use super::piece::Piece;
use super::probe::{FormatProber, ProbeResult};
use super::quoting;
use super::renders::CallRender;
use super::turn::TurnMarkers;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Content, Hint, List, Marker, NamePlace,
    NamedCall, Reasoning, Suffix, Text, Tools,
};

/// The results of the steps before the calls are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownParts<'k> {
    pub(super) turns: &'k TurnMarkers,
    /// The text after the content of a reply without calls.
    pub(super) after_content: Piece<'k>,
    pub(super) reasoning: Option<&'k Reasoning>,
    pub(super) content: Option<&'k Content>,
    pub(super) headers: Option<&'k headers::DetectedHeaders>,
}

impl KnownParts<'_> {
    /// Whether the header of a call contains the name of the tool.
    fn has_recipient(&self) -> bool {
        self.headers.is_some_and(|it| !it.headers.recipient.is_empty())
    }
}

/// The format of calls, and the end of a turn that ends with a call.
#[derive(Debug)]
pub(super) struct DetectedTools {
    pub(super) tools: Tools,
    pub(super) end: Option<Marker>,
}

/// The texts around the parts of calls.
struct CallParts<'t> {
    /// From the start of the reply to the first name, or to the id before it.
    open: Piece<'t>,
    /// From the end of the first call's arguments to the second name, or to the id before it.
    between: Option<Piece<'t>>,
    /// From the end of the last call's arguments to the end of the turn.
    close: Piece<'t>,
}

/// Finds the format of calls in their output.
pub(super) fn find(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: KnownParts<'_>,
) -> ProbeResult<DetectedTools> {
    let not_found = "the assistant's turn with tool calls was not found";
    let reply = known.turns.reply(&called.output);
    let reply = reply.ok_or_else(|| prober.error_at_last_probe(not_found))?;
    let reply = message_with_call(reply, &known);
    let reply = reply.after(CONTENT).unwrap_or(reply);
    let json_calls = if known.headers.is_none() { json_call::find(reply) } else { None };
    let found = match json_calls {
        Some(calls) => Some(read_json_calls(called, &known, calls)),
        None => find_named_calls(prober, called, &known, reply),
    };
    let mut found = found.ok_or_else(|| {
        prober.error_at_last_probe("the probes do not show the format of tool calls")
    })?;
    find_space_before_opener(prober, called, &mut found.tools);
    Ok(found)
}

/// Adds white space between content and a call to the opener, if there is none between two calls.
fn find_space_before_opener(prober: &mut FormatProber<'_>, called: &CallRender, tools: &mut Tools) {
    let has_section = !tools.section_open.is_none();
    if has_section || tools.call_open.is_none() || !tools.separator.is_empty() {
        return;
    }
    let output = called.render_after_content(prober);
    let answered = output.as_deref().and_then(after_question).and_then(|it| it.after(CONTENT));
    let front = answered.and_then(|it| it.before(&tools.call_open.text));
    if let Some(front) = front.filter(|it| it.is_blank()) {
        tools.call_open.before = text(front.text());
    }
}

/// The reply without the end of the turn. If a reply consists of several messages, it is the
/// message with the first call.
fn message_with_call<'t>(reply: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let Some(headed) = known.headers else {
        let end = || reply.without_last(reply.common_end_len(known.after_content));
        return reply.strip_trimmed_suffix(&known.turns.end).unwrap_or_else(end);
    };
    let reopen = &*headed.headers.open.text;
    let mut message = reply;
    while let Some(front) = message.before(reopen) {
        if front.contains(KEY) {
            message = front;
            break;
        }
        message = message.after(reopen).unwrap_or(message);
    }
    let closed = headed.closers.iter().find_map(|it| message.strip_trimmed_suffix(it));
    closed.unwrap_or(message)
}

/// The text before the calls, without the markers of empty reasoning and empty content.
fn without_empty_parts<'t>(open: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let mut open = without_reasoning(open, known.reasoning);
    for marker in known.content.iter().flat_map(|it| [&it.open, &it.close]) {
        open = open.strip_trimmed_prefix(&marker.text).unwrap_or(open);
    }
    open
}

/// T2, T3: the markers around calls that are JSON. Between the calls of a list is only a separator.
fn read_json_calls(
    called: &CallRender,
    known: &KnownParts<'_>,
    calls: json_call::JsonCalls<'_>,
) -> DetectedTools {
    let open = without_empty_parts(calls.open, known);
    let frame = match calls.array {
        true => CallFrame {
            section_open: Some(open),
            section_close: Some(calls.close),
            separator: calls.between.map_or("", Piece::text),
            ..CallFrame::default()
        },
        false => CallFrame::new(open, calls.between, calls.close, |_| false),
    };
    let shape = CallShape::Json(calls.call);
    combine(called, &frame, calls.array, shape)
}

/// The texts of calls whose names are in markup.
struct NamedCallTexts<'t> {
    /// Whether the name is in the body of the message, and not only in its header.
    in_body: bool,
    /// The text before the first name, if that is in the body.
    open: Piece<'t>,
    /// The first call, from the end of its name on.
    first: Piece<'t>,
    /// The second call, from the end of its name on.
    second: Option<Piece<'t>>,
}

impl<'t> NamedCallTexts<'t> {
    fn find(reply: Piece<'t>, known: &KnownParts<'_>) -> Option<Self> {
        let body = match known.headers {
            Some(headed) => reply.after(&headed.headers.end.text)?,
            None => reply,
        };
        let in_body = body.contains(FIRST);
        if !in_body && !known.has_recipient() {
            return None;
        }
        let (open, calls) = if in_body { body } else { reply }.split_once(FIRST)?;
        let open = if in_body { without_empty_parts(open, known) } else { open.to(0) };
        let first = calls.before(SECOND).unwrap_or(calls);
        Some(Self { in_body, open, first, second: calls.after(SECOND) })
    }
}

/// T4 to T7: calls with the name in markup.
fn find_named_calls(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: &KnownParts<'_>,
    reply: Piece<'_>,
) -> Option<DetectedTools> {
    let NamedCallTexts { in_body, open, first, second } = NamedCallTexts::find(reply, known)?;
    // T5, T6: the arguments.
    let other_calls;
    let found = match arguments::find_json(first, second) {
        Some(found) => found,
        None => {
            other_calls = OtherCalls::render(prober, called);
            arguments::find_marked(first, second, other_calls.pieces())?
        }
    };
    let mut arguments = found.arguments;
    if let Arguments::Tagged { value_close, quoting, .. } = &mut arguments {
        *quoting = quoting::find(prober, called, &value_close.text);
    }
    // T4: the text after the name. If that is in the header, it extends to the end of the header.
    let header_end = known.headers.filter(|_| !in_body).map(|it| &*it.headers.end.text);
    let suffix = header_end.and_then(|end| found.suffix.before(end)).unwrap_or(found.suffix);
    let next_suffix = found.next_suffix.filter(|_| !known.has_recipient());
    let (suffix, id_after_name) = suffix_and_id(suffix, next_suffix);
    let mut named = NamedCall {
        name: if in_body { NamePlace::Call } else { NamePlace::Header },
        prefix: Marker::NONE,
        suffix,
        namespace: Text::default(),
        id: id_after_name,
        arguments,
        close: Marker::NONE,
    };
    // T7: the id. Then the namespace of the name.
    let mut parts = CallParts {
        open,
        between: second.map(|_| found.following),
        close: found.next_following.unwrap_or(found.following),
    };
    parts.take_ids(&mut named);
    if in_body {
        parts.take_namespace(&mut named);
    }

    // T2, T3: the markers around calls.
    let follows_value = |text: &str| found.after_value.trim_start().starts_with(text);
    let mut frame = CallFrame::new(parts.open, parts.between, parts.close, follows_value);
    let array = take_list_brackets(&mut frame);
    take_name_markers(&mut frame, &mut named);
    Some(combine(called, &frame, array, CallShape::Named(named)))
}

/// The outputs for other calls. They show the format of arguments that are not JSON.
struct OtherCalls {
    /// A call without arguments.
    bare: Option<String>,
    /// A call with a value of each type.
    typed: Option<String>,
}

impl OtherCalls {
    fn render(prober: &mut FormatProber<'_>, called: &CallRender) -> Self {
        let mut render = |name: &str, calls: &[ProbeCall], offer: ToolOffer| {
            called.render_other(prober, name, calls, offer)
        };
        Self {
            bare: render("a call without arguments", &bare_call(), ToolOffer::Plain),
            typed: render("a call with values of all types", &typed_call(), ToolOffer::Typed),
        }
    }

    fn pieces(&self) -> OtherCallPieces<'_> {
        OtherCallPieces {
            bare: from_name(self.bare.as_deref(), SECOND),
            typed: from_name(self.typed.as_deref(), TYPED),
        }
    }
}

/// The rest of an output after the user message, from the last occurrence of a tool's name.
fn from_name<'t>(render: Option<&'t str>, name: &str) -> Option<Piece<'t>> {
    let following = after_question(render?)?;
    following.text().rfind(name).map(|at| following.from(at))
}

/// The text after the name: a marker, an id (`[ID]FIRST_ID[ARGS]`), or a number that counts the
/// calls (`:0>` and, after the next name, `:1>`).
fn suffix_and_id(suffix: Piece<'_>, next: Option<Piece<'_>>) -> (Suffix, Option<CallId>) {
    if let Some((prefix, following)) = suffix.split_once(FIRST_ID) {
        let id = CallId {
            position: CallIdPosition::BetweenFuncAndArgs,
            prefix: marker(Some(prefix)),
            suffix: marker(Some(following)),
        };
        return (Suffix::default(), Some(id));
    }
    let Some(next) = next.filter(|next| next.text() != suffix.text()) else {
        return (Suffix::new(suffix), None);
    };
    let (front_len, end_len) = around_difference(suffix, next);
    let end = Marker::new(suffix.from(suffix.len() - end_len));
    let hint = Some(Hint { end, string: List::Borrowed(&[]) });
    (Suffix { text: Marker::new(suffix.to(front_len)), hint }, None)
}

impl CallParts<'_> {
    /// Finds an id before the name or after the arguments, and removes it from the texts.
    fn take_ids(&mut self, named: &mut NamedCall) {
        if let Some((front, following)) = self.open.split_once(FIRST_ID) {
            named.id = Some(CallId {
                position: CallIdPosition::PreFuncName,
                prefix: Marker::NONE,
                suffix: marker(Some(following)),
            });
            self.open = front;
            self.between = self.between.and_then(|it| it.before(SECOND_ID));
        }
        let ids = if self.between.is_some() { [FIRST_ID, SECOND_ID] } else { [FIRST_ID; 2] };
        if let Some((prefix, following)) = self.close.split_once(ids[1]) {
            named.id = Some(CallId {
                position: CallIdPosition::PostArgs,
                prefix: marker(Some(prefix)),
                suffix: Marker::NONE,
            });
            self.close = following;
            self.between = self.between.and_then(|it| it.after(ids[0]));
        }
    }

    /// Finds a constant word before the name, and removes it. If a number follows the name, the id
    /// consists of the word, the name and the number.
    fn take_namespace(&mut self, named: &mut NamedCall) {
        let namespace = namespace(self.open.text());
        let is_in_both = self.between.is_none_or(|it| it.text().ends_with(namespace));
        if namespace.is_empty() || !is_in_both {
            return;
        }
        self.open = self.open.without_last(namespace.len());
        self.between = self.between.map(|it| it.without_last(namespace.len()));
        named.namespace = text(namespace);
        if named.suffix.hint.is_some() && named.id.is_none() {
            named.name = NamePlace::Id;
        }
    }
}

/// Removes `[` and `]` around all calls from the markers. Returns whether they are there.
fn take_list_brackets(frame: &mut CallFrame<'_>) -> bool {
    let (Some(open), Some(close)) = (frame.section_open, frame.section_close) else { return false };
    let (Some(front), Some(following)) =
        (open.strip_trimmed_suffix("["), close.strip_trimmed_prefix("]"))
    else {
        return false;
    };
    frame.section_open = Some(front).filter(|it| !it.is_blank());
    frame.section_close = Some(following).filter(|it| !it.is_blank());
    true
}

/// Divides the markers of a call into those around the call and those around the name. If two
/// markers open a call and the second contains the name, as in `<call><f=FIRST>`, the second is the
/// name's prefix. The text before the last marker of `</f></call>` closes it.
fn take_name_markers(frame: &mut CallFrame<'_>, named: &mut NamedCall) {
    let Some(open) = frame.call_open else { return };
    let prefix_start = open.open_marker_start().filter(|at| !open.to(*at).is_blank());
    // `<call>` cannot open the call if the same text also closes it.
    let closes_call = |outer: Piece<'_>| {
        frame.call_close.is_some_and(|it| it.strip_trimmed_prefix(outer.text()).is_some())
    };
    if let Some(at) = prefix_start.filter(|at| !closes_call(open.to(*at))) {
        named.prefix = marker(Some(open.from(at)));
        frame.call_open = Some(open.to(at));
    }
    let Some(close) = frame.call_close else { return };
    let Some(at) = close.last_marker_start().filter(|at| !close.to(*at).is_blank()) else { return };
    // A fence around the arguments only is closed before the call. It begins with the same signs as
    // its opener, which is after the name: "```json" and "```".
    let is_fence = {
        let pairs = named.suffix.text.text.chars().zip(close.to(at).text().trim().chars());
        pairs.take_while(|(a, b)| a == b && !a.is_alphanumeric() && *a != '<').count() > 1
    };
    if !named.prefix.is_none() || is_fence {
        named.close = marker(Some(close.to(at)));
        frame.call_close = Some(close.from(at));
    }
}

/// Combines the parts of the format.
fn combine(
    called: &CallRender,
    frame: &CallFrame<'_>,
    array: bool,
    shape: CallShape,
) -> DetectedTools {
    let mut tools = Tools {
        section_open: marker(frame.section_open),
        section_close: marker(frame.section_close),
        call_open: marker(frame.call_open),
        call_close: marker(frame.call_close),
        separator: text(frame.separator),
        array,
        parallel: called.has_both,
        shape,
    };
    // A section without an opener has no closer either: that text ends the turn.
    let mut end = None;
    if tools.section_open.is_none() && !tools.section_close.is_none() && !array {
        end = Some(std::mem::take(&mut tools.section_close));
    }
    let is_bare_name = matches!(&tools.shape, CallShape::Named(named)
        if named.prefix.is_none() && named.name == NamePlace::Header);
    if tools.call_open.is_none() && is_bare_name && !tools.call_close.is_none() {
        end = Some(std::mem::take(&mut tools.call_close));
    }
    DetectedTools { tools, end }
}
