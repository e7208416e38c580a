//! The layout of calls.

use super::{Literal, Mark, Part, Slot, Unit};
use crate::format::{
    Arguments, CallId, CallIdPosition, CallShape, List, Marker, NamePlace, NamedCall, ReplyFormat,
    Suffix, Text, Tools, Turn,
};

/// All calls of a reply.
pub(super) fn calls(tools: &Tools, format: &ReplyFormat) -> Part {
    let list = |text: &'static str| if tools.array { Marker::new(text) } else { Marker::NONE };
    let between = Marker::new(&tools.separator);
    let separator = match tools.array {
        true if between.is_none() => Literal::new(Marker::new(","), Mark::ListSeparator),
        true => Literal::new(between, Mark::ListSeparator),
        false => Literal::new(between, Mark::CallSeparator),
    };
    let call = Box::new(call(tools, format));
    let calls = Part::row([
        Part::spellings(Part::row([]), tokens(tools, &format.turn)),
        Literal::free(&tools.section_open, Mark::SectionOpen).into(),
        Literal::free(&list("["), Mark::ListOpen).into(),
        Part::Repeat { part: call, separator, many: tools.parallel },
        Literal::free(&list("]"), Mark::ListClose).into(),
        Literal::free(&tools.section_close, Mark::SectionClose).into(),
    ]);
    calls.unit(Unit::Calls)
}

/// Tokens of the checkpoint that may stand in front of calls for which the template writes no marker.
fn tokens(tools: &Tools, turn: &Turn) -> Vec<Part> {
    let is_bare = tools.is_bare() && (tools.array || matches!(tools.shape, CallShape::Json(_)));
    let is_of_turn =
        |token: &&Text| turn.user_open.contains(&***token) || turn.open.contains(&***token);
    let tokens = turn.control_tokens.iter().filter(|token| is_bare && !is_of_turn(token));
    let literal = |token: &Text| {
        Literal::free(&Marker { text: token.clone(), ..Marker::NONE }, Mark::CallToken).into()
    };
    tokens.map(literal).collect()
}

/// One call, with the markers around it.
fn call(tools: &Tools, format: &ReplyFormat) -> Part {
    let inside = match &tools.shape {
        CallShape::Json(call) => Part::Slot(Slot::Object(call.clone())),
        CallShape::Named(call) => named(call),
    };
    Part::row([
        Literal::with_short(Literal::free(&tools.call_open, Mark::CallOpen), format),
        inside.unit(Unit::Call),
        Literal::free(&tools.call_close, Mark::CallClose).into(),
    ])
}

fn named(call: &NamedCall) -> Part {
    let id_at = |position| {
        let id = call.id.as_ref().filter(|id| id.position == position);
        id.map_or_else(|| Part::row([]), id_part)
    };
    let begins_itself = begins_itself(&call.arguments);
    let arguments = arguments(&call.arguments).unit(Unit::Arguments);
    let name = match call.name {
        // The header of the message has it.
        NamePlace::Header => Part::row([]),
        NamePlace::Call | NamePlace::Id => Part::row([
            id_at(CallIdPosition::PreFuncName),
            Literal::required(&call.prefix, Mark::NamePrefix).into(),
            Part::Slot(Slot::Name { namespace: call.namespace.clone() }),
            match &call.id {
                Some(id) if id.position == CallIdPosition::BetweenFuncAndArgs => {
                    id_behind_name(id, &call.suffix, begins_itself)
                }
                _ => suffix(&call.suffix, Mark::NameSuffix, begins_itself),
            },
        ]),
    };
    Part::row([
        name,
        arguments,
        id_at(CallIdPosition::PostArgs),
        Literal::free(&call.close, Mark::NamedClose).into(),
    ])
}

/// An id between the name and the arguments. What stands behind it opens the arguments, also where the id is
/// missing; or something else does there.
fn id_behind_name(id: &CallId, name_suffix: &Suffix, begins_itself: bool) -> Part {
    let name_suffix_part = suffix(name_suffix, Mark::NameSuffix, begins_itself);
    if id.suffix.is_none() {
        return Part::row([id_part(id), name_suffix_part]);
    }
    let opener = Suffix { text: id.suffix.clone(), hint: None };
    if name_suffix.text.is_none() || *name_suffix == opener {
        let without_suffix = CallId { suffix: Marker::NONE, ..id.clone() };
        return Part::row([
            id_part(&without_suffix),
            suffix(&opener, Mark::IdSuffix, begins_itself),
        ]);
    }
    Part::Choice(vec![id_part(id), name_suffix_part])
}

/// An id. No reply needs one.
fn id_part(id: &CallId) -> Part {
    let row = [
        Literal::required(&id.prefix, Mark::IdPrefix).into(),
        Part::Slot(Slot::Id),
        Literal::required(&id.suffix, Mark::IdSuffix).into(),
    ];
    Part::row(row).optional()
}

/// What stands behind a name or a key, and whether what follows shows by itself where it begins.
fn suffix(suffix: &Suffix, mark: Mark, next_begins_itself: bool) -> Part {
    let text = &suffix.text;
    let (written, end) = match &suffix.hint {
        None => (Literal::required(text, mark).into(), text),
        Some(hint) => {
            let word = Part::row([
                Literal::required(text, mark).into(),
                Part::Slot(Slot::Word { of_texts: hint.string.clone() }),
                Literal::required(&hint.end, Mark::WordEnd).into(),
            ]);
            (word, &hint.end)
        }
    };
    let mut others = with_other_attributes(text, end, mark);
    if mark == Mark::NameSuffix && suffix.hint.is_some() {
        others.push(Literal::required(end, mark).into());
    }
    let written = Part::spellings(written, others);
    if next_begins_itself { written.optional() } else { written }
}

/// The end of a tag behind a name in quotes, without the attributes that the template writes, or with others.
fn with_other_attributes(text: &Marker, end: &Marker, mark: Mark) -> Vec<Part> {
    let quote = text.text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote.filter(|_| end.text.ends_with('>')) else { return Vec::new() };
    let marker = |text: String, before: &Text, after: &Text| Marker {
        before: before.clone(),
        text: text.into(),
        after: after.clone(),
    };
    let none = Text::default();
    let without = marker(format!("{quote}>"), &text.before, &end.after);
    let others = Part::row([
        Literal::required(&marker(quote.to_string(), &text.before, &none), mark).into(),
        Part::Slot(Slot::Word { of_texts: List::Borrowed(&[]) }),
        Literal::required(&marker(">".to_owned(), &none, &end.after), Mark::WordEnd).into(),
    ]);
    vec![Literal::required(&without, mark).into(), others]
}

/// Whether arguments show by themselves where they begin.
fn begins_itself(arguments: &Arguments) -> bool {
    match arguments {
        // An object begins with its brace.
        Arguments::Json => true,
        Arguments::Tagged { key_open: opener, .. }
        | Arguments::Nested { open_prefix: opener, .. } => opener.is_markup(),
        Arguments::Literal { open, .. } => !open.is_empty(),
    }
}

fn arguments(arguments: &Arguments) -> Part {
    match arguments {
        Arguments::Json => Part::Slot(Slot::Json),
        Arguments::Tagged { key_open, key_close, value_close, separator, quoting } => {
            let argument = Part::row([
                Literal::required(key_open, Mark::KeyOpen).into(),
                Part::Slot(Slot::Key),
                suffix(key_close, Mark::KeyClose, false),
                Part::Slot(Slot::Value { quoting: quoting.clone() }),
                Literal::required(value_close, Mark::ValueClose).into(),
            ]);
            many(argument, separator)
        }
        // What closes a value has the key in it: the slot ends itself.
        Arguments::Nested { open_prefix, open_suffix, item, close_prefix, close_suffix } => {
            let (close_prefix, close_suffix) = (close_prefix.clone(), close_suffix.clone());
            let argument = Part::row([
                Literal::required(open_prefix, Mark::KeyOpen).into(),
                Part::Slot(Slot::Key),
                Literal::required(open_suffix, Mark::KeyClose).into(),
                Part::Slot(Slot::Tags { item: item.clone(), close_prefix, close_suffix }),
            ]);
            many(argument, &Text::default())
        }
        Arguments::Literal { open, assign, separator, quote, close } => Part::row([
            Literal::required(&Marker::new(open), Mark::ArgumentsOpen).into(),
            Part::Slot(Slot::Assignments {
                assign: assign.clone(),
                separator: separator.clone(),
                quote: quote.clone(),
                close: close.clone(),
            }),
        ]),
    }
}

fn many(argument: Part, separator: &Text) -> Part {
    let separator = Literal::new(Marker::new(separator), Mark::ArgumentSeparator);
    let argument = argument.unit(Unit::Argument);
    Part::Repeat { part: Box::new(argument), separator, many: true }
}
