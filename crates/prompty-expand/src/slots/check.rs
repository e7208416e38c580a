//! Checks that slots, texts and fields are consistent.

use std::collections::BTreeSet;

use proc_macro2::Span;
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::Diagnostic;
use prompty_core::message::RichKind;
use prompty_core::slots::Slot;
use prompty_core::slots::declaration::{self, Replacement, ValueAvailability};
use syn::LitStr;

use super::parse::{
    BlockTarget, FieldDestination, SlotField, SlotPromptDeclaration, located_error,
};
use crate::errors::Errors;
use crate::source;

/// Checks a declaration. It does not report the consequences of an earlier error.
pub(super) fn check_declaration(prompt: &SlotPromptDeclaration, errors: &mut Errors) {
    for text in &prompt.texts {
        if let BlockTarget::Slot(slot) = text.target
            && let Err(found) = declaration::check_text(slot, &text.text.value())
        {
            errors.push(located_error(&found, text.text.span()));
        }
    }
    prompt.fields.iter().for_each(|field| check_type(field, errors));
    check_blocks(prompt, errors);
    check_placeholders(prompt, errors);
    if errors.is_empty() {
        check_use(prompt, errors);
        check_not_empty(prompt, errors);
    }
}

/// The filled blocks, each with the span of the code that fills it.
fn filled_blocks(prompt: &SlotPromptDeclaration) -> Vec<(BlockTarget, Span)> {
    let of_texts = prompt.texts.iter().map(|text| (text.target.clone(), text.span));
    let of_output = prompt.output.iter().map(|output| {
        let span = syn::spanned::Spanned::span(output);
        (BlockTarget::Slot(Slot::Output), span)
    });
    let of_fields = prompt.fields.iter().filter_map(|field| match &field.destination {
        FieldDestination::Block(target, span) => Some((target.clone(), *span)),
        FieldDestination::History(_, span) => Some((BlockTarget::Slot(Slot::ChatHistory), *span)),
        FieldDestination::Placeholders | FieldDestination::Nowhere => None,
    });
    of_texts.chain(of_output).chain(of_fields).collect()
}

/// Checks that each block is filled once.
fn check_blocks(prompt: &SlotPromptDeclaration, errors: &mut Errors) {
    let blocks = filled_blocks(prompt);
    for (index, (target, span)) in blocks.iter().enumerate() {
        let is_same = |other: &BlockTarget| match (target, other) {
            (BlockTarget::Slot(slot), BlockTarget::Slot(other)) => slot == other,
            (BlockTarget::Title(title), BlockTarget::Title(other)) => {
                declaration::is_same_title(title, other)
            }
            _ => false,
        };
        let mut before = blocks.iter().take(index).map(|(other, _)| other);
        let Some(first) = before.find(|other| is_same(other)) else { continue };
        let (message, help) = match target {
            BlockTarget::Slot(slot) => (
                format!("the slot `{slot}` is filled twice"),
                "combine both values, or give one of them its own title: `title = \"…\"`",
            ),
            BlockTarget::Title(title) if title == first.name() => {
                (format!("two blocks have the title `{title}`"), "change one of the titles")
            }
            BlockTarget::Title(title) => (
                format!("the titles `{}` and `{title}` are too similar", first.name()),
                "change one of the titles",
            ),
        };
        errors.add(*span, &message, help);
    }
}

/// Reports a field whose type cannot be the value of its slot.
fn check_type(field: &SlotField, errors: &mut Errors) {
    let FieldDestination::Block(BlockTarget::Slot(slot), _) = field.destination else { return };
    let value_type = field.value_type.non_null();
    let is_plain = matches!(value_type, ValueType::Integer | ValueType::Float | ValueType::Boolean);
    let (expected, is_wrong, help) = match slot {
        Slot::Options => (
            "an object",
            is_plain
                || matches!(
                    value_type,
                    ValueType::String | ValueType::Array(_) | ValueType::Rich(RichKind::Thread)
                ),
            "use a `Map`, or a struct with `#[derive(ToValue)]`",
        ),
        Slot::OutputFormat => (
            "the name of a format",
            is_plain
                || matches!(
                    value_type,
                    ValueType::Array(_) | ValueType::Object(_) | ValueType::Rich(RichKind::Thread)
                ),
            "use a string: `json`, `markdown` or `text`",
        ),
        _ => return,
    };
    if is_wrong {
        let found = value_type.name();
        let message =
            format!("the slot `{slot}` needs {expected}, but this field is of kind `{found}`");
        errors.add(syn::spanned::Spanned::span(&field.ty), &message, help);
    }
}

/// Checks that each placeholder has a field.
fn check_placeholders(prompt: &SlotPromptDeclaration, errors: &mut Errors) {
    let replacement = |field: &SlotField| Replacement {
        name: field.name(),
        availability: placeholder_use(field),
    };
    let fields: Vec<Replacement> = prompt.fields.iter().map(replacement).collect();
    for text in &prompt.texts {
        for found in declaration::check_placeholders(&text.text.value(), &fields) {
            errors.push(placeholder_error(&text.text, &found));
        }
    }
}

/// The error for a diagnostic at its place in a literal.
fn placeholder_error(literal: &LitStr, diagnostic: &Diagnostic) -> syn::Error {
    let source = source::inline(literal);
    syn::Error::new(source.span(), source.render(diagnostic).trim_end())
}

/// Checks that each field has a use.
fn check_use(prompt: &SlotPromptDeclaration, errors: &mut Errors) {
    let used = used_names(prompt);
    for field in &prompt.fields {
        let name = field.name();
        if matches!(field.destination, FieldDestination::Placeholders) && !used.contains(&name) {
            let message = format!("the field `{name}` is never used");
            let help = format!(
                "assign it to a slot (`#[prompt(slot = \"info\")]`), write `${{{name}}}` in a text, \
                 or skip it: `#[prompt(skip)]`"
            );
            errors.add(field.ident.span(), &message, &help);
        }
    }
}

/// The names of all placeholders.
fn used_names(prompt: &SlotPromptDeclaration) -> BTreeSet<String> {
    let texts = prompt.texts.iter();
    texts.flat_map(|text| declaration::placeholder_names(&text.text.value())).collect()
}

/// Checks that the prompt is not empty.
fn check_not_empty(prompt: &SlotPromptDeclaration, errors: &mut Errors) {
    let is_enough = |target: &BlockTarget| match target {
        BlockTarget::Slot(slot) => declaration::is_enough(*slot),
        BlockTarget::Title(_) => true,
    };
    // Blank texts do not count.
    let texts = prompt.texts.iter().filter(|text| !text.text.value().trim().is_empty());
    let fields = prompt.fields.iter().filter_map(|field| match &field.destination {
        FieldDestination::Block(target, _) => Some(target),
        FieldDestination::History(..)
        | FieldDestination::Placeholders
        | FieldDestination::Nowhere => None,
    });
    let mut filled = texts.map(|text| &text.target).chain(fields);
    if prompt.is_part || prompt.output.is_some() || filled.any(is_enough) {
        return;
    }
    let help = "fill `input`, `info`, `instruct`, `output` or `attachment`, or a block with your \
                own title; if it only adds to the slots of a parent, add `#[prompt(part)]`";
    let message = "this prompt is empty";
    errors.add(prompt.ident.span(), message, help);
}

/// The fields whose values replace placeholders of the texts.
pub(super) fn placeholder_fields(
    prompt: &SlotPromptDeclaration,
) -> impl Iterator<Item = &SlotField> {
    let used = used_names(prompt);
    let fields =
        prompt.fields.iter().filter(|field| placeholder_use(field) != ValueAvailability::Never);
    fields.filter(move |field| used.contains(&field.name()))
}

/// Whether the value of a field can replace placeholders.
fn placeholder_use(field: &SlotField) -> ValueAvailability {
    match &field.destination {
        FieldDestination::Block(
            BlockTarget::Slot(Slot::Attachment | Slot::Tools | Slot::Output),
            _,
        )
        | FieldDestination::History(..)
        | FieldDestination::Nowhere => ValueAvailability::Never,
        _ if field.value_type.is_nullable() => ValueAvailability::IfGiven,
        FieldDestination::Block(..) | FieldDestination::Placeholders => ValueAvailability::Always,
    }
}
