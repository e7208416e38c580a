//! The layout of calls. The head of the parent module shows it for a format with tags.

use super::{LayoutPart, Literal, Mark, Slot, Unit};
use crate::format::{
    Arguments, CallId, CallIdPosition, CallShape, List, Marker, NamePlace, NamedCall, ReplyFormat,
    Suffix, Text, Tools, Turn,
};

/// All calls of a reply.
pub(super) fn calls(tools: &Tools, format: &ReplyFormat) -> LayoutPart {
    let list = |text: &'static str| if tools.array { Marker::new(text) } else { Marker::NONE };
    let between = Marker::new(&tools.separator);
    let separator = match tools.array {
        true if between.is_none() => Literal::new(Marker::new(","), Mark::ListSeparator),
        true => Literal::new(between, Mark::ListSeparator),
        false => Literal::new(between, Mark::CallSeparator),
    };
    let call = Box::new(one_call(tools, format));
    let calls = LayoutPart::row([
        LayoutPart::spellings(LayoutPart::row([]), call_tokens(tools, &format.turn)),
        Literal::free(&tools.section_open, Mark::SectionOpen).into(),
        Literal::free(&list("["), Mark::ListOpen).into(),
        LayoutPart::Repeat { part: call, separator, many: tools.parallel },
        Literal::free(&list("]"), Mark::ListClose).into(),
        Literal::free(&tools.section_close, Mark::SectionClose).into(),
    ]);
    calls.unit(Unit::Calls)
}

/// Tokens of the checkpoint that may precede calls if the template writes no marker for calls. Some
/// models write such a token although the template does not. A token in the opener of a turn is
/// excluded, because it begins a turn.
fn call_tokens(tools: &Tools, turn: &Turn) -> Vec<LayoutPart> {
    // A named call outside a list begins with its own marker.
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
fn one_call(tools: &Tools, format: &ReplyFormat) -> LayoutPart {
    let inside = match &tools.shape {
        CallShape::Json(call) => LayoutPart::Slot(Slot::Object(call.clone())),
        CallShape::Named(call) => named_call(call),
    };
    LayoutPart::row([
        Literal::with_short_spelling(Literal::free(&tools.call_open, Mark::CallOpen), format),
        inside.unit(Unit::Call),
        Literal::free(&tools.call_close, Mark::CallClose).into(),
    ])
}

/// A call whose name is in markup: its id, name, arguments and closer.
fn named_call(call: &NamedCall) -> LayoutPart {
    let id_at = |position| {
        let id = call.id.as_ref().filter(|id| id.position == position);
        id.map_or_else(|| LayoutPart::row([]), id_part)
    };
    let arguments_are_recognisable = has_recognisable_start(&call.arguments);
    let arguments = arguments_part(&call.arguments).unit(Unit::Arguments);
    let name = match call.name {
        // The header of the message contains the name.
        NamePlace::Header => LayoutPart::row([]),
        NamePlace::Call | NamePlace::Id => LayoutPart::row([
            id_at(CallIdPosition::PreFuncName),
            Literal::required(&call.prefix, Mark::NamePrefix).into(),
            LayoutPart::Slot(Slot::Name { namespace: call.namespace.clone() }),
            match &call.id {
                Some(id) if id.position == CallIdPosition::BetweenFuncAndArgs => {
                    id_between_name_and_arguments(id, &call.suffix, arguments_are_recognisable)
                }
                _ => suffix_part(&call.suffix, Mark::NameSuffix, arguments_are_recognisable),
            },
        ]),
    };
    LayoutPart::row([
        name,
        arguments,
        id_at(CallIdPosition::PostArgs),
        Literal::free(&call.close, Mark::NamedClose).into(),
    ])
}

/// An id between the name and the arguments. In `NAME<id>ID<args>{}`, the suffix `<args>` of the id
/// opens the arguments, also if the id is missing: `NAME<args>{}`. If the name has a different
/// suffix `<only>`, that one opens the arguments without an id: `NAME<only>{}`.
fn id_between_name_and_arguments(
    id: &CallId,
    name_suffix: &Suffix,
    arguments_are_recognisable: bool,
) -> LayoutPart {
    let name_suffix_part = suffix_part(name_suffix, Mark::NameSuffix, arguments_are_recognisable);
    if id.suffix.is_none() {
        return LayoutPart::row([id_part(id), name_suffix_part]);
    }
    let opener = Suffix { text: id.suffix.clone(), hint: None };
    if name_suffix.text.is_none() || *name_suffix == opener {
        let without_suffix = CallId { suffix: Marker::NONE, ..id.clone() };
        return LayoutPart::row([
            id_part(&without_suffix),
            suffix_part(&opener, Mark::IdSuffix, arguments_are_recognisable),
        ]);
    }
    LayoutPart::Choice(vec![id_part(id), name_suffix_part])
}

/// An id. A reply may omit it.
fn id_part(id: &CallId) -> LayoutPart {
    let row = [
        Literal::required(&id.prefix, Mark::IdPrefix).into(),
        LayoutPart::Slot(Slot::Id),
        Literal::required(&id.suffix, Mark::IdSuffix).into(),
    ];
    LayoutPart::row(row).optional()
}

/// The text after a name or a key. It may be omitted if the start of the next part is recognisable.
fn suffix_part(suffix: &Suffix, mark: Mark, next_is_recognisable: bool) -> LayoutPart {
    let text = &suffix.text;
    let (written, end) = match &suffix.hint {
        None => (Literal::required(text, mark).into(), text),
        Some(hint) => {
            let word = LayoutPart::row([
                Literal::required(text, mark).into(),
                LayoutPart::Slot(Slot::Word { of_texts: hint.string.clone() }),
                Literal::required(&hint.end, Mark::WordEnd).into(),
            ]);
            (word, &hint.end)
        }
    };
    let mut others = with_other_attributes(text, end, mark);
    // A reply may write only the end: `NAME>` for `NAME:0>`.
    if mark == Mark::NameSuffix && suffix.hint.is_some() {
        others.push(Literal::required(end, mark).into());
    }
    let written = LayoutPart::spellings(written, others);
    if next_is_recognisable { written.optional() } else { written }
}

/// Spellings of a tag's end after a quoted name: without the attributes that the template writes,
/// or with others. If the template writes `<p name="city" type="string">`, a reply may also have
/// `<p name="city">` or `<p name="city" unit="km">`.
fn with_other_attributes(text: &Marker, end: &Marker, mark: Mark) -> Vec<LayoutPart> {
    let quote = text.text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote.filter(|_| end.text.ends_with('>')) else { return Vec::new() };
    let marker = |text: String, before: &Text, after: &Text| Marker {
        before: before.clone(),
        text: text.into(),
        after: after.clone(),
    };
    let none = Text::default();
    let without = marker(format!("{quote}>"), &text.before, &end.after);
    let others = LayoutPart::row([
        Literal::required(&marker(quote.to_string(), &text.before, &none), mark).into(),
        LayoutPart::Slot(Slot::Word { of_texts: List::Borrowed(&[]) }),
        Literal::required(&marker(">".to_owned(), &none, &end.after), Mark::WordEnd).into(),
    ]);
    vec![Literal::required(&without, mark).into(), others]
}

/// Whether the start of arguments is recognisable without a preceding marker.
fn has_recognisable_start(arguments: &Arguments) -> bool {
    match arguments {
        // An object begins with its brace.
        Arguments::Json => true,
        Arguments::Tagged { key_open: opener, .. }
        | Arguments::Nested { open_prefix: opener, .. } => opener.is_markup(),
        Arguments::Literal { open, .. } => !open.is_empty(),
    }
}

fn arguments_part(arguments: &Arguments) -> LayoutPart {
    match arguments {
        Arguments::Json => LayoutPart::Slot(Slot::Json),
        Arguments::Tagged { key_open, key_close, value_close, separator, quoting } => {
            let argument = LayoutPart::row([
                Literal::required(key_open, Mark::KeyOpen).into(),
                LayoutPart::Slot(Slot::Key),
                suffix_part(key_close, Mark::KeyClose, false),
                LayoutPart::Slot(Slot::Value { quoting: quoting.clone() }),
                Literal::required(value_close, Mark::ValueClose).into(),
            ]);
            repeated_argument(argument, separator)
        }
        // The closer of a value contains the key, so the slot ends itself.
        Arguments::Nested { open_prefix, open_suffix, item, close_prefix, close_suffix } => {
            let (close_prefix, close_suffix) = (close_prefix.clone(), close_suffix.clone());
            let argument = LayoutPart::row([
                Literal::required(open_prefix, Mark::KeyOpen).into(),
                LayoutPart::Slot(Slot::Key),
                Literal::required(open_suffix, Mark::KeyClose).into(),
                LayoutPart::Slot(Slot::Tags { item: item.clone(), close_prefix, close_suffix }),
            ]);
            repeated_argument(argument, &Text::default())
        }
        Arguments::Literal { open, assign, separator, quote, close } => LayoutPart::row([
            Literal::required(&Marker::new(open), Mark::ArgumentsOpen).into(),
            LayoutPart::Slot(Slot::Assignments {
                assign: assign.clone(),
                separator: separator.clone(),
                quote: quote.clone(),
                close: close.clone(),
            }),
        ]),
    }
}

fn repeated_argument(argument: LayoutPart, separator: &Text) -> LayoutPart {
    let separator = Literal::new(Marker::new(separator), Mark::ArgumentSeparator);
    let argument = argument.unit(Unit::Argument);
    LayoutPart::Repeat { part: Box::new(argument), separator, many: true }
}
