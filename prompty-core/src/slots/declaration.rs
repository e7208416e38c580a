//! Checks of a declaration of slots, for `#[derive(Prompt)]`.

use crate::diagnostic::suggest::suggest;
use crate::diagnostic::{Code, Diagnostic, SourceSpan};
use crate::schema::shape::OutputFormat;
use crate::value::Value;

use super::layout::{Layout, check_title};
use super::placeholders::next_placeholder;
use super::references;
use super::slot::Slot;
use super::store::trimmed;
use super::titles::comparable;

/// A field, as text with placeholders refers to it.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Its name, which the placeholders use.
    pub name: String,
    /// Whether it has a value for the placeholders.
    pub availability: ValueAvailability,
}

/// Whether a field has a value for the placeholders with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueAvailability {
    /// It always has one.
    Always,
    /// It may have none.
    IfGiven,
    /// It is skipped, or its value cannot be written as text.
    Never,
}

/// The slot with a name. `title_syntax` is how to write a block with this name as a custom title.
///
/// # Errors
///
/// Returns a diagnostic that suggests a slot if the name is unknown.
pub fn find_slot(name: &str, title_syntax: &str) -> Result<Slot, Box<Diagnostic>> {
    if let Some(slot) = Slot::from_name(name) {
        return Ok(slot);
    }
    let known: Vec<&str> = Slot::ALL.iter().map(|slot| slot.name()).collect();
    // `Chat History` is the title of a slot, and `instructions` its name in references.
    let titled = Slot::ALL.iter().copied().find(|slot| is_same_title(slot.title(), name));
    let close = titled.or_else(|| references::referenced_slot(name));
    let unknown = Diagnostic::new(Code::UnknownKey, format!("unknown slot `{name}`"));
    Err(Box::new(match (close, suggest(name, &known)) {
        (Some(slot), _) => unknown.with_help(format!("use the slot `{slot}`")),
        (None, Some(close)) => {
            unknown.with_help(format!("a slot with a similar name exists: `{close}`"))
        }
        (None, None) => unknown
            .with_help(format!("available slots: `{}`", known.join("`, `")))
            .with_help(format!("to add a block with a custom title, write `{title_syntax}`")),
    }))
}

/// Checks a custom title.
///
/// # Errors
///
/// Returns a diagnostic if it is not a valid title, or if it is the title of a slot.
pub fn check_custom_title(title: &str) -> Result<(), Box<Diagnostic>> {
    let is_of_slot =
        |slot: &&Slot| [slot.name(), slot.title()].map(comparable).contains(&comparable(title));
    let invalid = check_title(title).err();
    let (message, help) = if let Some(slot) = Slot::ALL.iter().find(is_of_slot) {
        let message = format!("`{title}` is the title of the slot `{slot}`");
        (message, "use the slot or another title")
    } else if Layout::new().role_names().any(|role| is_same_title(role, title)) {
        let message = format!("the title `{title}` is the name of a role");
        let help =
            "use another title: if the prompt is sent as one text, this title begins a message";
        (message, help)
    } else if let Some((_, placeholder, _)) = next_placeholder(title) {
        let message = format!("unexpected placeholder `{}` in a title", placeholder.written);
        (message, "remove the placeholder; write the value below the title")
    } else if title.trim().is_empty() {
        ("the title is empty".to_owned(), "describe the content of the block")
    } else if let Some(error) = &invalid {
        (error.to_string(), error.help().unwrap_or_default())
    } else {
        return Ok(());
    };
    Err(Box::new(Diagnostic::new(Code::Declaration, message).with_help(help)))
}

/// Whether two titles look the same. Invisible characters, case and the script of similar letters
/// are ignored.
pub fn is_same_title(one: &str, other: &str) -> bool {
    comparable(one) == comparable(other)
}

/// Checks that a slot accepts a text.
///
/// # Errors
///
/// Returns a diagnostic if the slot does not accept text, or if the text is an unknown format.
pub fn check_text(slot: Slot, text: &str) -> Result<(), Box<Diagnostic>> {
    let other_content = match slot {
        Slot::ChatHistory => Some("messages"),
        Slot::Tools => Some("tools"),
        Slot::Options => Some("an object"),
        Slot::Output => Some("the shape of the answer"),
        _ => None,
    };
    if let Some(expected) = other_content {
        let message = format!("the slot `{slot}` does not accept text; expected {expected}");
        let help = match slot {
            Slot::Output => "write the type of the answer: `output = Answer`".to_owned(),
            _ => format!("fill it from a field: `#[prompt(slot = \"{slot}\")]`"),
        };
        return Err(Box::new(Diagnostic::new(Code::WrongValue, message).with_help(help)));
    }
    // A format is only known after its placeholders are filled.
    let has_placeholder = next_placeholder(text).is_some();
    match OutputFormat::from_name(text) {
        Err(error) if slot == Slot::OutputFormat && !has_placeholder => {
            let help = error.help().unwrap_or_default();
            Err(Box::new(Diagnostic::new(Code::WrongValue, error.to_string()).with_help(help)))
        }
        _ => Ok(()),
    }
}

/// The text of a slot, without surrounding white space and shared indentation.
pub fn text_in_slot(text: &str) -> String {
    match trimmed(Value::from(text)) {
        Value::String(text) => String::from(&*text),
        _ => String::new(),
    }
}

/// Whether filling this slot gives the prompt something to send.
pub fn is_enough(slot: Slot) -> bool {
    Slot::ENOUGH.contains(&slot)
}

/// The names of a text's placeholders, in order.
pub fn placeholder_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, placeholder, after)) = next_placeholder(rest) {
        names.push(placeholder.name.to_owned());
        rest = after;
    }
    names
}

/// Checks that each placeholder of a text refers to a field that always has a value.
pub fn check_placeholders(text: &str, fields: &[Replacement]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, placeholder, after)) = next_placeholder(rest) {
        let end = text.len() - after.len();
        let span = SourceSpan::new(end - placeholder.written.len(), end);
        rest = after;
        let field = fields.iter().find(|field| field.name == placeholder.name);
        let finding = match field.map(|field| field.availability) {
            Some(ValueAvailability::Always) => continue,
            Some(ValueAvailability::IfGiven) => optional_field(placeholder.name),
            Some(ValueAvailability::Never) => field_without_value(placeholder.name),
            None => unknown_field(placeholder.name, fields),
        };
        found.push(finding.with_span(span));
    }
    found
}

fn optional_field(name: &str) -> Diagnostic {
    let message = format!("the placeholder of the optional field `{name}` may have no value");
    Diagnostic::new(Code::UnguardedOptional, message).with_help(
        "change the type of the field to one that is not `Option`, or put it into a slot",
    )
}

fn field_without_value(name: &str) -> Diagnostic {
    let message = format!("the field `{name}` cannot be used in a placeholder");
    Diagnostic::new(Code::UnknownInput, message).with_help(
        "add another field for it: skipped fields, histories, attachments, tools and the shape of \
         the answer cannot be written as text",
    )
}

fn unknown_field(name: &str, fields: &[Replacement]) -> Diagnostic {
    let usable = fields.iter().filter(|field| field.availability != ValueAvailability::Never);
    let known: Vec<&str> = usable.map(|field| field.name.as_str()).collect();
    // `company.name` and `companies[0]` refer to a part of a field.
    let field = name.split(['.', '[']).next().unwrap_or_default();
    let help = match suggest(name, &known) {
        _ if field != name && known.contains(&field) => {
            "add a field for this value: a placeholder cannot refer to a part of a field".to_owned()
        }
        Some(close) => format!("a placeholder with a similar name exists: `${{{close}}}`"),
        None if known.is_empty() => "add a field with this name".to_owned(),
        None => format!("available placeholders: `${{{}}}`", known.join("}`, `${")),
    };
    let message = format!("unknown field in the placeholder `${{{name}}}`");
    Diagnostic::new(Code::UnknownInput, message).with_help(help)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is a failed test")]
mod tests {
    use crate::diagnostic::Diagnostic;

    use super::{
        Replacement, ValueAvailability, check_custom_title, check_placeholders, check_text,
        find_slot, is_same_title, text_in_slot,
    };
    use crate::slots::Slot;

    fn fields() -> [Replacement; 3] {
        let fields = [
            ("company", ValueAvailability::Always),
            ("tone", ValueAvailability::IfGiven),
            ("photo", ValueAvailability::Never),
        ];
        fields.map(|(name, availability)| Replacement { name: name.to_owned(), availability })
    }

    fn summaries(found: &[Diagnostic]) -> Vec<String> {
        found.iter().map(|it| format!("{}; {}", it.message, it.help.join("; "))).collect()
    }

    #[test]
    fn a_misspelt_slot_suggests_the_right_one() {
        assert_eq!(find_slot("info", ""), Ok(Slot::Info));
        let meant = [
            ("imput", "input"),
            ("Chat History", "chat_history"),
            ("output requirement", "output_format"),
            ("instructions", "instruct"),
            ("ActionResults", "action_results"),
        ];
        for (wrong, right) in meant {
            let help = &find_slot(wrong, "").unwrap_err().help;
            assert!(help[0].ends_with(&format!(" `{right}`")), "{help:?}");
        }
        let found = find_slot("mood", "title = \"mood\"").unwrap_err();
        assert!(found.help.concat().ends_with("with a custom title, write `title = \"mood\"`"));
    }

    #[test]
    fn a_custom_title_is_a_line_that_no_slot_has() {
        assert_eq!(check_custom_title("House rules"), Ok(()));
        for wrong in ["", " ", "a\nb", "[a]", "a\u{2028}b", "info", "INFO", "User", "ABOUT ${name}"]
        {
            assert!(check_custom_title(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn titles_that_look_alike_are_the_same() {
        assert!(is_same_title("House rules", "HOUSE\u{200B} RULES"));
        assert!(!is_same_title("House rules", "House rule"));
    }

    #[test]
    fn some_slots_do_not_accept_text() {
        assert_eq!(check_text(Slot::Info, "x"), Ok(()));
        assert_eq!(check_text(Slot::OutputFormat, "json"), Ok(()));
        assert_eq!(check_text(Slot::OutputFormat, "${format}"), Ok(()));
        let wrong = [Slot::ChatHistory, Slot::Tools, Slot::Options, Slot::Output];
        assert!(wrong.iter().all(|slot| check_text(*slot, "x").is_err()));
        assert!(check_text(Slot::OutputFormat, "hybrid").is_err());
    }

    #[test]
    fn the_text_of_a_slot_loses_the_indentation_of_the_program() {
        assert_eq!(text_in_slot("\n    a\n      b\n\n    c\n"), "a\n  b\n\nc");
    }

    #[test]
    fn a_placeholder_without_a_value_is_reported_at_its_place() {
        let text = "${company} ${ compny } ${company.name} ${} ${tone} ${photo}";
        let found = check_placeholders(text, &fields());
        let expected = [
            "unknown field in the placeholder `${compny}`; a placeholder with a similar name exists: \
             `${company}`",
            "unknown field in the placeholder `${company.name}`; add a field for this value: a \
             placeholder cannot refer to a part of a field",
            "the placeholder of the optional field `tone` may have no value; change the type of \
             the field to one that is not `Option`, or put it into a slot",
            "the field `photo` cannot be used in a placeholder; add another field for it: skipped \
             fields, histories, attachments, tools and the shape of the answer cannot be written as \
             text",
        ];
        assert_eq!(summaries(&found), expected);
        let spans: Vec<(usize, usize)> =
            found.iter().filter_map(|it| it.span).map(|it| (it.start, it.end)).collect();
        assert_eq!(spans, [(11, 22), (23, 38), (43, 50), (51, 59)]);
    }
}
