//! Finds how a model writes tool calls, in the output for two calls with sentinels.
//!
//! The findings are the classification of calls (T1), the markers around them (T2, T3), the name
//! (T4), the arguments (T5, T6) and the id (T7). These numbers name the findings; they are not the
//! order of the steps. [`find`] takes these steps:
//!
//! 1. [`message_with_call`] removes the end of the turn, and other messages of the reply.
//! 2. `json_call::find` reads calls that are JSON, such as `{"name": "FIRST", …}`. For these,
//!    [`read_json_calls`] finds the markers around them, and step 3 is not needed.
//! 3. Other calls have their name in markup. [`find_named_calls`] removes one part after another:
//!    the names ([`NamedCallTexts`]), the arguments (`arguments`), an id ([`suffix_and_id`],
//!    [`TextsAroundCalls::take_ids`]) and a namespace ([`TextsAroundCalls::take_namespace`]). The
//!    rest is markers: around all calls or each of them (`frame`, [`take_list_brackets`]), and
//!    around each name ([`take_name_markers`]).
//! 4. [`combine`] creates the [`Tools`] from the parts.
//!
//! Example of step 3. The message is in one line, and `{…}` are arguments in JSON with `KEY`:
//!
//! ```text
//! <calls><call><f=FIRST>{…}</f></call><call><f=SECOND>{…}</f></call></calls>
//!
//! NamedCallTexts::find   open                    <calls><call><f=
//!                        after_first_name        >{…}</f></call><call><f=
//!                        after_second_name       >{…}</f></call></calls>
//! arguments::find_json   suffix of the name      >
//!                        between                 </f></call><call><f=
//!                        close                   </f></call></calls>
//! CallFrame::new         section_open, _close    <calls>     </calls>
//!                        call_open, _close       <call><f=   </f></call>
//! take_name_markers      call_open, _close       <call>      </call>
//!                        prefix, close of NAME   <f=         </f>
//! ```
//!
//! The other steps find nothing here.

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
use super::probe::{FormatProber, ProbeResult, probe_error};
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
    /// A text after calls that is the end of the turn, and no closer (see [`combine`]).
    pub(super) end: Option<Marker>,
}

/// Finds the format of calls in their output. The steps are at the head of this file.
pub(super) fn find(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: KnownParts<'_>,
) -> ProbeResult<DetectedTools> {
    let not_found = "the assistant's turn with tool calls was not found";
    let reply = known.turns.reply(&called.output);
    let reply = reply.ok_or_else(|| probe_error(prober.records.last(), not_found))?;
    let message = message_with_call(reply, &known);
    // In one style (`AbsentContent::Filled`), the message also has content, before the calls.
    let message = message.after(CONTENT).unwrap_or(message);
    let json_calls = if known.headers.is_none() { json_call::find(message) } else { None };
    let found = match json_calls {
        Some(calls) => Some(read_json_calls(called, &known, calls)),
        None => find_named_calls(prober, called, &known, message),
    };
    let mut found = found.ok_or_else(|| {
        probe_error(prober.records.last(), "the probes do not show the format of tool calls")
    })?;
    find_space_before_opener(prober, called, &mut found.tools);
    Ok(found)
}

/// Finds the white space that a template writes between content and the first call, but not between
/// two calls. It becomes the text before the opener of a call ([`Marker::before`]).
fn find_space_before_opener(prober: &mut FormatProber<'_>, called: &CallRender, tools: &mut Tools) {
    let has_section = !tools.section_open.is_none();
    if has_section || tools.call_open.is_none() || !tools.separator.is_empty() {
        return;
    }
    let output = called.render_after_content(prober);
    let calls = output.as_deref().and_then(after_question).and_then(|it| it.after(CONTENT));
    let before_opener = calls.and_then(|it| it.before(&tools.call_open.text));
    if let Some(space) = before_opener.filter(|it| it.is_blank()) {
        tools.call_open.before = text(space.text());
    }
}

/// The message with the first call, without its closer. If replies have no headers, the reply is a
/// single message, and the end of the turn closes it.
fn message_with_call<'t>(reply: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let Some(headed) = known.headers else { return without_turn_end(reply, known) };
    let opener = &*headed.headers.open.text;
    // Takes the first message with the key of an argument, or else the last message.
    let mut rest = reply;
    let message = loop {
        match rest.split_once(opener) {
            Some((message, _)) if message.contains(KEY) => break message,
            Some((_, next)) => rest = next,
            None => break rest,
        }
    };
    let closed = headed.closers.iter().find_map(|it| message.strip_trimmed_suffix(it));
    closed.unwrap_or(message)
}

/// The reply without the end of the turn. If the last turn does not end as other turns do, its end
/// is what it has in common with the text after content without calls.
fn without_turn_end<'t>(reply: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let end = || reply.without_last(reply.common_end_len(known.after_content));
    reply.strip_trimmed_suffix(&known.turns.end).unwrap_or_else(end)
}

/// The text before the calls, without the markers of empty reasoning and empty content.
fn without_empty_parts<'t>(open: Piece<'t>, known: &KnownParts<'_>) -> Piece<'t> {
    let mut open = without_reasoning(open, known.reasoning);
    for marker in known.content.iter().flat_map(|it| [&it.open, &it.close]) {
        open = open.strip_trimmed_prefix(&marker.text).unwrap_or(open);
    }
    open
}

/// T2, T3: the markers around calls that are JSON. The text between two calls of a JSON list is
/// only a separator. Calls outside of a list may also have markers around each of them.
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
    combine(called, &frame, calls.array, CallShape::Json(calls.call))
}

/// The texts before and after the names of calls, if the names are in markup.
struct NamedCallTexts<'t> {
    /// Whether the name is in the body of the message, and not only in its header.
    in_body: bool,
    /// The text before the first name; empty if the name is in the header.
    open: Piece<'t>,
    /// From the end of the first name to the second name, or to the end of the message.
    after_first_name: Piece<'t>,
    /// From the end of the second name to the end of the message; `None` for a single call.
    after_second_name: Option<Piece<'t>>,
}

impl<'t> NamedCallTexts<'t> {
    /// Finds the names in a message. Its body is the text after its header, if it has a header.
    fn find(message: Piece<'t>, known: &KnownParts<'_>) -> Option<Self> {
        let body = match known.headers {
            Some(headed) => message.after(&headed.headers.end.text)?,
            None => message,
        };
        let in_body = body.contains(FIRST);
        if !in_body && !known.has_recipient() {
            return None;
        }
        let text_with_name = if in_body { body } else { message };
        let (open, following) = text_with_name.split_once(FIRST)?;
        let open = if in_body { without_empty_parts(open, known) } else { open.to(0) };
        let after_first_name = following.before(SECOND).unwrap_or(following);
        let after_second_name = following.after(SECOND);
        Some(Self { in_body, open, after_first_name, after_second_name })
    }
}

/// T2 to T7: the format of calls with the name in markup.
fn find_named_calls(
    prober: &mut FormatProber<'_>,
    called: &CallRender,
    known: &KnownParts<'_>,
    message: Piece<'_>,
) -> Option<DetectedTools> {
    let texts = NamedCallTexts::find(message, known)?;
    let (first, second) = (texts.after_first_name, texts.after_second_name);
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
    // T4: the text between the name and the arguments. If the name is in the header, the text ends
    // with the header. The text in the second call is not cut there, so the two are not compared.
    let header_end = known.headers.filter(|_| !texts.in_body).map(|it| &*it.headers.end.text);
    let suffix = header_end.and_then(|end| found.suffix.before(end)).unwrap_or(found.suffix);
    let next_suffix = found.next_suffix.filter(|_| !known.has_recipient());
    let (suffix, id_after_name) = suffix_and_id(suffix, next_suffix);
    let mut named = NamedCall {
        name: if texts.in_body { NamePlace::Call } else { NamePlace::Header },
        prefix: Marker::NONE,
        suffix,
        namespace: Text::default(),
        id: id_after_name,
        arguments,
        close: Marker::NONE,
    };
    // T7: the id. Then the namespace of the name; the one in a header is found by `headers`.
    // The text after the first call's arguments is before the second call, if there is one.
    let mut around = TextsAroundCalls {
        open: texts.open,
        between: second.map(|_| found.following),
        close: found.next_following.unwrap_or(found.following),
    };
    around.take_ids(&mut named);
    if texts.in_body {
        around.take_namespace(&mut named);
    }

    // T2, T3: the markers around calls. T4: the markers around the name.
    let follows_value = |text: &str| found.after_value.trim_start().starts_with(text);
    let mut frame = CallFrame::new(around.open, around.between, around.close, follows_value);
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

/// Divides the text between the name and the arguments. `next` is that of the second call. The text
/// is one of these:
///
/// - an id between two markers: `[ID]FIRST_ID[ARGS]`,
/// - a number that counts the calls, between two markers: `:0>`, and `:1>` in `next`,
/// - otherwise, a marker.
fn suffix_and_id(suffix: Piece<'_>, next: Option<Piece<'_>>) -> (Suffix, Option<CallId>) {
    if let Some((prefix, following)) = suffix.split_once(FIRST_ID) {
        let id = CallId {
            position: CallIdPosition::BetweenFuncAndArgs,
            prefix: Marker::new(prefix),
            suffix: Marker::new(following),
        };
        return (Suffix::default(), Some(id));
    }
    let Some(next) = next.filter(|next| next.text() != suffix.text()) else {
        return (Suffix::new(suffix), None);
    };
    let (front_len, end_len) = around_difference(suffix, next);
    let end = Marker::new(suffix.from(suffix.len() - end_len));
    // A hint may also say the type of a value, but a count does not.
    let hint = Some(Hint { end, string: List::Borrowed(&[]) });
    (Suffix { text: Marker::new(suffix.to(front_len)), hint }, None)
}

/// The texts that remain around calls after their names and arguments are removed. The ids and the
/// namespace are removed from them next. Then they are the input of [`CallFrame::new`].
struct TextsAroundCalls<'t> {
    /// From the start of the message or its body to the first name.
    open: Piece<'t>,
    /// From the end of the first call's arguments to the second name; `None` for a single call.
    between: Option<Piece<'t>>,
    /// From the end of the last call's arguments to the end of the message.
    close: Piece<'t>,
}

impl TextsAroundCalls<'_> {
    /// Finds an id before the name (`FIRST_ID:FIRST`) or after the arguments (`{…}#FIRST_ID`), and
    /// removes it from the texts, with the marker between it and the name or the arguments.
    fn take_ids(&mut self, named: &mut NamedCall) {
        if let Some((front, following)) = self.open.split_once(FIRST_ID) {
            named.id = Some(CallId {
                position: CallIdPosition::PreFuncName,
                prefix: Marker::NONE,
                suffix: Marker::new(following),
            });
            self.open = front;
            self.between = self.between.and_then(|it| it.before(SECOND_ID));
        }
        let last_id = if self.between.is_some() { SECOND_ID } else { FIRST_ID };
        if let Some((prefix, following)) = self.close.split_once(last_id) {
            named.id = Some(CallId {
                position: CallIdPosition::PostArgs,
                prefix: Marker::new(prefix),
                suffix: Marker::NONE,
            });
            self.close = following;
            self.between = self.between.and_then(|it| it.after(FIRST_ID));
        }
    }

    /// Finds a constant word before the names, and removes it: `functions.` in
    /// `<call>functions.FIRST>`. If a number follows the name, the id consists of the word, the
    /// name and the number: `functions.FIRST:0`.
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

/// Removes `[` at the end of the section's opener, and `]` at the start of its closer. Returns
/// whether both are there.
fn take_list_brackets(frame: &mut CallFrame<'_>) -> bool {
    let (Some(open), Some(close)) = (frame.section_open, frame.section_close) else { return false };
    let outside = open.strip_trimmed_suffix("[").zip(close.strip_trimmed_prefix("]"));
    let Some((front, following)) = outside else { return false };
    frame.section_open = Some(front).filter(|it| !it.is_blank());
    frame.section_close = Some(following).filter(|it| !it.is_blank());
    true
}

/// Divides the markers of a call into those of the call itself and those of the name. In
/// `<call><f=FIRST>{…}</f></call>`, the opener `<call><f=` is divided into the call's opener
/// `<call>` and the name's prefix `<f=`. The closer `</f></call>` is divided before its last
/// marker: `</f>` belongs to the name ([`NamedCall::close`]), and `</call>` to the call.
///
/// A closer is divided only if the name has a prefix, or if a fence is around the arguments.
fn take_name_markers(frame: &mut CallFrame<'_>, named: &mut NamedCall) {
    let Some(open) = frame.call_open else { return };
    let prefix_start = open.open_marker_start().filter(|at| !open.to(*at).is_blank());
    // In `<sep><f=FIRST>{…}<sep>`, the text before the prefix also closes the call. Such a text
    // does not open a call, so the opener is not divided.
    let closes_call = |outer: Piece<'_>| {
        frame.call_close.is_some_and(|it| it.strip_trimmed_prefix(outer.text()).is_some())
    };
    if let Some(at) = prefix_start.filter(|at| !closes_call(open.to(*at))) {
        named.prefix = Marker::new(open.from(at));
        frame.call_open = Some(open.to(at));
    }
    let Some(close) = frame.call_close else { return };
    let Some(at) = close.last_marker_start().filter(|at| !close.to(*at).is_blank()) else { return };
    // The opener of a fence around the arguments is between the name and the arguments.
    if !named.prefix.is_none() || is_fence(&named.suffix.text.text, close.to(at).text().trim()) {
        named.close = Marker::new(close.to(at));
        frame.call_close = Some(close.from(at));
    }
}

/// Whether two markers begin with the same punctuation of at least two characters, such as
/// "```json" and "```". Tags are not fences, so `<` does not count.
fn is_fence(opener: &str, closer: &str) -> bool {
    let pairs = opener.chars().zip(closer.chars());
    pairs.take_while(|(a, b)| a == b && !a.is_alphanumeric() && *a != '<').count() > 1
}

/// Combines the parts of the format. In two cases, a text after calls that has no opener is not a
/// closer but the end of the turn.
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
    // The text after all calls, if neither a marker nor the `[` of a list opens them.
    let mut end = None;
    if tools.section_open.is_none() && !tools.section_close.is_none() && !array {
        end = Some(std::mem::take(&mut tools.section_close));
    }
    // The text after a call, if its name is in the header, and nothing in the body opens it.
    let is_in_header = matches!(&tools.shape, CallShape::Named(named)
        if named.prefix.is_none() && named.name == NamePlace::Header);
    if tools.call_open.is_none() && is_in_header && !tools.call_close.is_none() {
        end = Some(std::mem::take(&mut tools.call_close));
    }
    DetectedTools { tools, end }
}
