//! Checks that slots, texts and fields go together.

use std::collections::BTreeSet;

use proc_macro2::Span;
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::Diagnostic;
use prompty_core::message::RichKind;
use prompty_core::slots::Slot;
use prompty_core::slots::declared::{self, Replacement, Stands};
use syn::LitStr;

use super::parse::{Declaration, Filling, Place, Target, told};
use crate::errors::Errors;
use crate::source;

/// Checks a declaration. What follows from a mistake that was told before is not told.
pub(super) fn declaration(prompt: &Declaration, errors: &mut Errors) {
    for text in &prompt.texts {
        if let Target::Slot(slot) = text.target
            && let Err(found) = declared::text(slot, &text.text.value())
        {
            errors.push(told(&found, text.text.span()));
        }
    }
    prompt.fields.iter().for_each(|field| check_type(field, errors));
    check_blocks(prompt, errors);
    check_placeholders(prompt, errors);
    if errors.is_empty() {
        check_use(prompt, errors);
        check_is_something(prompt, errors);
    }
}

/// The blocks that are filled, each with the place in the program that says so.
fn blocks(prompt: &Declaration) -> Vec<(Target, Span)> {
    let of_texts = prompt.texts.iter().map(|text| (text.target.clone(), text.span));
    let of_output = prompt.output.iter().map(|output| {
        let span = syn::spanned::Spanned::span(output);
        (Target::Slot(Slot::Output), span)
    });
    let of_fields = prompt.fields.iter().filter_map(|field| match &field.place {
        Place::Block(target, span) => Some((target.clone(), *span)),
        Place::History(_, span) => Some((Target::Slot(Slot::ChatHistory), *span)),
        Place::Placeholders | Place::Nowhere => None,
    });
    of_texts.chain(of_output).chain(of_fields).collect()
}

/// Checks that each block is filled once.
fn check_blocks(prompt: &Declaration, errors: &mut Errors) {
    let blocks = blocks(prompt);
    for (index, (target, span)) in blocks.iter().enumerate() {
        let is_same = |other: &Target| match (target, other) {
            (Target::Slot(slot), Target::Slot(other)) => slot == other,
            (Target::Title(title), Target::Title(other)) => declared::is_same_title(title, other),
            _ => false,
        };
        let mut before = blocks.iter().take(index).map(|(other, _)| other);
        let Some(first) = before.find(|other| is_same(other)) else { continue };
        let (message, help) = match target {
            Target::Slot(slot) => (
                format!("the slot `{slot}` is filled twice"),
                "put both into one value, or give one of them a title of its own: `title = \"…\"`",
            ),
            Target::Title(title) if title == first.name() => {
                (format!("two blocks have the title `{title}`"), "give one of them another title")
            }
            Target::Title(title) => (
                format!("the titles `{}` and `{title}` cannot be told apart", first.name()),
                "give one of them another title",
            ),
        };
        errors.add(*span, &message, help);
    }
}

/// Checks that a field's type is not one of which no value can stand in its slot.
fn check_type(field: &Filling, errors: &mut Errors) {
    let Place::Block(Target::Slot(slot), _) = field.place else { return };
    let value_type = field.value_type.non_null();
    let is_word = matches!(value_type, ValueType::Integer | ValueType::Float | ValueType::Boolean);
    let (expected, is_wrong, help) = match slot {
        Slot::Options => (
            "a map from names to values",
            is_word
                || matches!(
                    value_type,
                    ValueType::String | ValueType::Array(_) | ValueType::Rich(RichKind::Thread)
                ),
            "give it a `Map`, or a struct with `#[derive(ToValue)]`",
        ),
        Slot::OutputFormat => (
            "the name of a format",
            is_word
                || matches!(
                    value_type,
                    ValueType::Array(_) | ValueType::Object(_) | ValueType::Rich(RichKind::Thread)
                ),
            "give it a text: `json`, `markdown` or `text`",
        ),
        _ => return,
    };
    if is_wrong {
        let found = value_type.name();
        let message =
            format!("the slot `{slot}` holds {expected}, and this field is of kind `{found}`");
        errors.add(syn::spanned::Spanned::span(&field.ty), &message, help);
    }
}

/// Checks that each placeholder has a field.
fn check_placeholders(prompt: &Declaration, errors: &mut Errors) {
    let replacement = |field: &Filling| Replacement { name: field.name(), stands: stands(field) };
    let fields: Vec<Replacement> = prompt.fields.iter().map(replacement).collect();
    for text in &prompt.texts {
        for found in declared::placeholders(&text.text.value(), &fields) {
            errors.push(drawn(&text.text, &found));
        }
    }
}

/// A finding at its place in a literal.
fn drawn(literal: &LitStr, found: &Diagnostic) -> syn::Error {
    let source = source::inline(literal);
    syn::Error::new(source.span(), source.render(found).trim_end())
}

/// Checks that each field has a use.
fn check_use(prompt: &Declaration, errors: &mut Errors) {
    let used = used_names(prompt);
    for field in &prompt.fields {
        let name = field.name();
        if matches!(field.place, Place::Placeholders) && !used.contains(&name) {
            let message = format!("the field `{name}` fills no slot and no placeholder");
            let help = format!(
                "give it a slot (`#[prompt(slot = \"info\")]`), write `${{{name}}}` in a text, or leave \
                 it out: `#[prompt(skip)]`"
            );
            errors.add(field.ident.span(), &message, &help);
        }
    }
}

/// The names of all placeholders.
fn used_names(prompt: &Declaration) -> BTreeSet<String> {
    let texts = prompt.texts.iter();
    texts.flat_map(|text| declared::placeholder_names(&text.text.value())).collect()
}

/// Checks that there is something to send.
fn check_is_something(prompt: &Declaration, errors: &mut Errors) {
    let is_enough = |target: &Target| match target {
        Target::Slot(slot) => declared::is_enough(*slot),
        Target::Title(_) => true,
    };
    // Texts that are blank fill nothing.
    let texts = prompt.texts.iter().filter(|text| !text.text.value().trim().is_empty());
    let fields = prompt.fields.iter().filter_map(|field| match &field.place {
        Place::Block(target, _) => Some(target),
        Place::History(..) | Place::Placeholders | Place::Nowhere => None,
    });
    let mut filled = texts.map(|text| &text.target).chain(fields);
    if prompt.is_part || prompt.output.is_some() || filled.any(is_enough) {
        return;
    }
    let help = "fill `input`, `info`, `instruct`, `output` or `attachment`, or a block with a title of \
                your own; where requests take it over from a parent, say `#[prompt(part)]`";
    let message = "this prompt has nothing to send";
    errors.add(prompt.ident.span(), message, help);
}

/// The fields whose values stand for placeholders of the texts.
pub(super) fn replacing(prompt: &Declaration) -> impl Iterator<Item = &Filling> {
    let used = used_names(prompt);
    let fields = prompt.fields.iter().filter(|field| stands(field) != Stands::Never);
    fields.filter(move |field| used.contains(&field.name()))
}

/// Whether the value of a field can stand for placeholders.
fn stands(field: &Filling) -> Stands {
    match &field.place {
        Place::Block(Target::Slot(Slot::Attachment | Slot::Tools | Slot::Output), _)
        | Place::History(..)
        | Place::Nowhere => Stands::Never,
        Place::Block(..) | Place::Placeholders if field.value_type.is_nullable() => Stands::IfGiven,
        Place::Block(..) | Place::Placeholders => Stands::Always,
    }
}
