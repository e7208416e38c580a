//! The literals that the machine expects in each state. Of two with the same text, the one that was
//! added first counts, so the order in these functions matters.

use super::markers::MarkerSet;
use crate::format::{Arguments, CallShape, JsonCall, Marker, NamedCall, ReplyFormat};
use crate::layout::{LeafId, Literal, Mark, Order};
use crate::options::CallsInReasoning;
use prompty_core::message::ToolSpec;
use prompty_core::value::Value;

/// The literals that are expected in each state.
#[derive(Debug)]
pub(super) struct ExpectedMarkers {
    pub(super) in_content: MarkerSet<LeafId>,
    pub(super) in_reasoning: MarkerSet<LeafId>,
    /// In reasoning that the prompt opened.
    pub(super) in_prompt_reasoning: MarkerSet<LeafId>,
    pub(super) in_header: MarkerSet<LeafId>,
    pub(super) between_calls: MarkerSet<LeafId>,
    /// Between the arguments of a call, and after them.
    pub(super) in_arguments: MarkerSet<LeafId>,
    /// After a malformed call.
    pub(super) after_malformed_call: MarkerSet<LeafId>,
}

/// If replies are sequences of messages, these end the body of a message. The end of the turn ends
/// any reply.
const MESSAGE_ENDS: &[Mark] =
    &[Mark::HeaderOpen, Mark::CompleteHeader, Mark::HeaderStart, Mark::BodyClose, Mark::TurnEnd];
/// If the end of a header is missing, a message may end or another one begin.
const IN_HEADER: &[Mark] = &[Mark::HeaderEnd, Mark::HeaderOpen, Mark::BodyClose, Mark::TurnEnd];
const CLOSERS: &[Mark] = &[Mark::NamedClose, Mark::CallClose, Mark::SectionClose];

impl ExpectedMarkers {
    /// Collects the literals of a layout.
    pub(super) fn new(order: &Order, calls: CallsInReasoning) -> Self {
        Self {
            in_content: in_content(order),
            in_reasoning: in_reasoning(order, calls == CallsInReasoning::End),
            in_prompt_reasoning: in_reasoning(order, calls != CallsInReasoning::Text),
            in_header: in_header(order),
            between_calls: between_calls(order),
            in_arguments: in_arguments(order),
            after_malformed_call: after_malformed_call(order),
        }
    }
}

/// The beginnings of calls without markers, for the offered tools. They may follow text. Their
/// spaces match any white space or none: `{ "name" : "time" , "arguments" : {`, `[ time (`.
pub(super) fn bare_call_beginnings(format: &ReplyFormat, known_tools: &[ToolSpec]) -> Vec<Marker> {
    let Some(tools) = format.tools.as_ref().filter(|_| format.headers.is_none()) else {
        return Vec::new();
    };
    let texts = known_tools.iter().filter_map(|tool| match &tools.shape {
        CallShape::Json(call) if tools.is_bare() => {
            let object = json_beginning(call, &tool.name)?;
            Some(if tools.array { format!("[ {object}") } else { object })
        }
        CallShape::Named(NamedCall {
            prefix, arguments: Arguments::Literal { open, .. }, ..
        }) => tools.array.then(|| format!("[ {} {} {open}", prefix.text, tool.name)),
        _ => None,
    });
    texts.map(|text| Marker { text: text.into(), ..Marker::NONE }).collect()
}

/// A call object up to its arguments. `None` unless the name is first and the arguments are next.
fn json_beginning(call: &JsonCall, name: &str) -> Option<String> {
    let quoted = |text: &str| Value::from(text).to_json();
    let name = quoted(name);
    if call.name_is_key {
        return Some(format!("{{ {name} : {{"));
    }
    let mut order = call.order.iter().filter(|key| **key != call.function_field);
    if order.next().is_some_and(|first| *first != call.name_field)
        || order.next().is_some_and(|next| *next != call.args_field)
    {
        return None;
    }
    let call_begins =
        format!("{{ {} : {name} , {} : {{", quoted(&call.name_field), quoted(&call.args_field));
    Some(match &*call.function_field {
        "" => call_begins,
        function => format!("{{ {} : {call_begins}", quoted(function)),
    })
}

fn has_headers(order: &Order) -> bool {
    order.literals(Mark::HeaderEnd).next().is_some()
}

fn of_marks(order: &Order, marks: &[Mark]) -> MarkerSet<LeafId> {
    let mut set = MarkerSet::new();
    add(&mut set, order, marks);
    set
}

fn add(set: &mut MarkerSet<LeafId>, order: &Order, marks: &[Mark]) {
    for mark in marks {
        add_all(set, order.literals(*mark));
    }
}

fn add_all<'o>(set: &mut MarkerSet<LeafId>, literals: impl Iterator<Item = (LeafId, &'o Literal)>) {
    for (id, literal) in literals {
        match literal.mark {
            Mark::TurnEnd => set.add_truncatable(&literal.marker, id),
            _ => set.add(&literal.marker, id),
        }
    }
}

/// Adds the openers of calls. The white space between two calls may also precede the first call,
/// and is not content there.
fn add_openers(set: &mut MarkerSet<LeafId>, order: &Order) {
    for (id, literal) in order.call_openers() {
        let mut marker = literal.marker.clone();
        if literal.mark == Mark::CallOpen && marker.before.is_empty() {
            marker.before = order.space_between_calls.clone().into();
        }
        set.add(&marker, id);
    }
}

fn in_header(order: &Order) -> MarkerSet<LeafId> {
    let mut set = of_marks(order, IN_HEADER);
    add_openers(&mut set, order);
    set
}

fn in_content(order: &Order) -> MarkerSet<LeafId> {
    if has_headers(order) {
        let mut set = of_marks(order, MESSAGE_ENDS);
        add(&mut set, order, &[Mark::HeaderEnd]);
        add_openers(&mut set, order);
        return set;
    }
    let mut set = of_marks(order, &[Mark::ReasoningOpen, Mark::ContentOpen]);
    add_openers(&mut set, order);
    add(&mut set, order, &[Mark::ContentClose, Mark::ReasoningClose, Mark::TurnEnd]);
    // Only calls have these closers.
    for mark in [Mark::SectionClose, Mark::CallClose] {
        add_all(&mut set, order.literals(mark).filter(|(_, it)| it.marker.is_markup()));
    }
    add(&mut set, order, &[Mark::Stray, Mark::CallToken]);
    set
}

fn in_reasoning(order: &Order, calls_end_it: bool) -> MarkerSet<LeafId> {
    if has_headers(order) {
        return of_marks(order, MESSAGE_ENDS);
    }
    let mut set = of_marks(order, &[Mark::ReasoningClose, Mark::ReasoningOpen]);
    if calls_end_it {
        add(&mut set, order, &[Mark::ContentOpen]);
        add_openers(&mut set, order);
    }
    add(&mut set, order, &[Mark::TurnEnd]);
    set
}

fn between_calls(order: &Order) -> MarkerSet<LeafId> {
    // The opener of content is first, because it may be the same as the opener of a call.
    let mut set = of_marks(order, &[Mark::ContentOpen]);
    add_openers(&mut set, order);
    add(&mut set, order, CLOSERS);
    add(&mut set, order, MESSAGE_ENDS);
    set
}

fn in_arguments(order: &Order) -> MarkerSet<LeafId> {
    // A marker that could be the next argument or something else is the next argument.
    let mut set = of_marks(order, &[Mark::KeyOpen]);
    add(&mut set, order, CLOSERS);
    add(&mut set, order, MESSAGE_ENDS);
    add_openers(&mut set, order);
    set
}

fn after_malformed_call(order: &Order) -> MarkerSet<LeafId> {
    // The closer of a named call ends it too early if outer closers follow.
    let outermost = [Mark::SectionClose, Mark::CallClose];
    let mut set = of_marks(order, &outermost);
    if outermost.into_iter().flat_map(|it| order.literals(it)).next().is_none() {
        add(&mut set, order, &[Mark::NamedClose]);
    }
    add(&mut set, order, &[Mark::CallOpen, Mark::SectionOpen]);
    add(&mut set, order, MESSAGE_ENDS);
    set
}
