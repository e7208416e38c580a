//! Calls: their classification (T1), the markers around them (T2, T3), the name (T4), the arguments
//! (T5, T6) and the id (T7).

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

pub(super) fn find(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: KnownParts<'_>,
) -> ProbeResult<DetectedTools> {
    let Some(reply) = known.turns.reply(&called.output) else {
        return Err(
            prober.error_at_last_probe("the assistant's turn with tool calls was not found")
        );
    };
    let reply = body(reply, &known);
    let reply = reply.after(CONTENT).unwrap_or(reply);
    if known.headers.is_none()
        && let Some(calls) = json_call::find(reply)
    {
        let mut found = read_json_calls(called, &known, calls);
        find_space_before_opener(prober, called, &mut found.tools);
        return Ok(found);
    }
    let found = find_named_calls(prober, called, &known, reply);
    let mut found =
        found.ok_or_else(|| prober.error_at_last_probe("the format of tool calls is not clear"))?;
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
fn body<'t>(reply: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let Some(headed) = known.headers else {
        return known.turns.without_end(reply, known.after_content);
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
    let closed = headed.closers.iter().find_map(|it| message.without_end_of(it));
    closed.unwrap_or(message)
}

/// The text before the calls, without the markers of empty reasoning and empty content.
fn without_empty_parts<'t>(open: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let mut open = without_reasoning(open, known.reasoning);
    for marker in known.content.iter().flat_map(|it| [&it.open, &it.close]) {
        open = open.without_start_of(&marker.text).unwrap_or(open);
    }
    open
}

fn read_json_calls(
    called: &CallRender,
    known: &KnownParts<'_>,
    calls: json_call::JsonCalls<'_>,
) -> DetectedTools {
    let open = without_empty_parts(calls.open, known);
    let frame = if calls.array {
        let mut frame = CallFrame {
            section_open: Some(open),
            section_close: Some(calls.close),
            ..CallFrame::default()
        };
        frame.separator = calls.between.map_or("", Piece::text);
        frame
    } else {
        CallFrame::new(open, calls.between, calls.close, |_| false)
    };
    let shape = CallShape::Json(calls.call);
    combine(called, &frame, calls.array, shape)
}

/// T4 to T7: calls with the name in markup.
fn find_named_calls(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: &KnownParts<'_>,
    reply: Piece<'_>,
) -> Option<DetectedTools> {
    let headed = known.headers.filter(|it| !it.headers.recipient.is_empty());
    let end = known.headers.map(|it| &*it.headers.end.text);
    let inside = match end {
        Some(end) => reply.after(end)?,
        None => reply,
    };
    // The name may be only in the header, or also in the body.
    let in_body = inside.contains(FIRST);
    let front = if in_body { inside } else { reply };
    if !in_body && headed.is_none() {
        return None;
    }
    let open = front.before(FIRST)?;
    let first = front.after(FIRST)?;
    let second = first.after(SECOND);
    let own = second.map_or(first, |_| first.before(SECOND).unwrap_or(first));

    let other_calls;
    let found = match arguments::find_json(own, second) {
        Some(found) => found,
        None => {
            other_calls = OtherCalls::render(prober, called);
            arguments::find_marked(own, second, other_calls.pieces())?
        }
    };
    let mut arguments = found.arguments;
    if let Arguments::Tagged { value_close, quoting, .. } = &mut arguments {
        *quoting = quoting::find(prober, called, &value_close.text);
    }
    let (suffix, id_after_name) =
        name_and_id(headed, in_body, found.suffix, found.next_suffix, end);
    let mut named = NamedCall {
        name: if headed.is_some() && !in_body { NamePlace::Header } else { NamePlace::Call },
        prefix: Marker::NONE,
        suffix,
        namespace: Text::default(),
        id: id_after_name,
        arguments,
        close: Marker::NONE,
    };
    let mut parts = CallParts {
        open: if in_body { without_empty_parts(open, known) } else { front.to(0) },
        between: second.map(|_| found.following),
        close: found.next_following.unwrap_or(found.following),
    };
    parts.take_ids(&mut named);
    if in_body {
        parts.take_namespace(&mut named);
    }

    let begins = |text: &str| found.after_value.trim_start().starts_with(text);
    let mut frame = CallFrame::new(parts.open, parts.between, parts.close, begins);
    let array = take_list_brackets(&mut frame);
    split_opener(&mut frame, &mut named);
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

/// The text after the name: a marker, a number that counts the calls, or the id.
fn name_and_id(
    headed: Option<&headers::DetectedHeaders>,
    in_body: bool,
    suffix: Piece<'_>,
    next: Option<Piece<'_>>,
    end: Option<&str>,
) -> (Suffix, Option<CallId>) {
    // If the name is in the header, the suffix extends to the end of the header.
    let suffix = match end {
        Some(end) if headed.is_some() && !in_body => suffix.before(end).unwrap_or(suffix),
        _ => suffix,
    };
    if let (Some(prefix), Some(following)) = (suffix.before(FIRST_ID), suffix.after(FIRST_ID)) {
        let id = CallId {
            position: CallIdPosition::BetweenFuncAndArgs,
            prefix: marker(Some(prefix)),
            suffix: marker(Some(following)),
        };
        return (Suffix::default(), Some(id));
    }
    let hint = next.filter(|next| next.text() != suffix.text() && headed.is_none());
    let Some(next) = hint else { return (Suffix::new(suffix), None) };
    let (front, following) = around_difference(suffix, next);
    let end = Marker::new(suffix.from(suffix.len() - following));
    let hint = Some(Hint { end, string: List::Borrowed(&[]) });
    (Suffix { text: Marker::new(suffix.to(front)), hint }, None)
}

impl CallParts<'_> {
    /// Finds an id before the name or after the arguments, and removes it from the texts.
    fn take_ids(&mut self, named: &mut NamedCall) {
        if let (Some(front), Some(following)) =
            (self.open.before(FIRST_ID), self.open.after(FIRST_ID))
        {
            named.id = Some(CallId {
                position: CallIdPosition::PreFuncName,
                prefix: Marker::NONE,
                suffix: marker(Some(following)),
            });
            self.open = front;
            self.between = self.between.and_then(|it| it.before(SECOND_ID));
        }
        let ids = if self.between.is_some() { [FIRST_ID, SECOND_ID] } else { [FIRST_ID; 2] };
        let close = self.close.before(ids[1]).zip(self.close.after(ids[1]));
        if let Some((prefix, following)) = close {
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
        let both = self.between.is_none_or(|it| it.text().ends_with(namespace));
        if namespace.is_empty() || !both {
            return;
        }
        self.open = self.open.without_end(namespace.len());
        self.between = self.between.map(|it| it.without_end(namespace.len()));
        named.namespace = text(namespace);
        if named.suffix.hint.is_some() && named.id.is_none() {
            named.name = NamePlace::Id;
        }
    }
}

/// Whether `[` and `]` enclose all calls. They are removed from the markers.
fn take_list_brackets(frame: &mut CallFrame<'_>) -> bool {
    let (Some(open), Some(close)) = (frame.section_open, frame.section_close) else { return false };
    let (Some(front), Some(following)) = (open.without_end_of("["), close.without_start_of("]"))
    else {
        return false;
    };
    frame.section_open = Some(front).filter(|it| !it.is_blank());
    frame.section_close = Some(following).filter(|it| !it.is_blank());
    true
}

/// If two markers open a call and the second contains the name, it is the name's prefix.
fn split_opener(frame: &mut CallFrame<'_>, named: &mut NamedCall) {
    let Some(open) = frame.call_open else { return };
    let inner = open.open_marker().filter(|at| !open.to(*at).is_blank());
    let same = |outer: Piece<'_>| {
        frame.call_close.is_some_and(|it| it.without_start_of(outer.text()).is_some())
    };
    if let Some(at) = inner.filter(|at| !same(open.to(*at))) {
        named.prefix = marker(Some(open.from(at)));
        frame.call_open = Some(open.to(at));
    }
    let Some(close) = frame.call_close else { return };
    let Some(at) = close.last_marker().filter(|at| !close.to(*at).is_blank()) else { return };
    // Markers around the arguments only, such as a fence, are closed before the call.
    let fence = {
        let (open, front) = (&*named.suffix.text.text, close.to(at));
        let letters = open.chars().zip(front.text().trim().chars());
        letters.take_while(|(a, b)| a == b && !a.is_alphanumeric() && *a != '<').count() > 1
    };
    if !named.prefix.is_none() || fence {
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
