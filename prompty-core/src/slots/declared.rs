//! What a declaration of slots must keep to. `#[derive(Prompt)]` asks here, and shows in the program what it
//! is told.

use crate::diagnostic::suggest::suggest;
use crate::diagnostic::{Code, Diagnostic, SourceSpan};
use crate::schema::shape::OutputFormat;
use crate::value::Value;

use super::layout::{Layout, check_title};
use super::placeholders::next_placeholder;
use super::references;
use super::slot::Slot;
use super::store::trimmed;
use super::titles::plain;

/// A field, as texts with placeholders see it.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Its name, which the placeholders have.
    pub name: String,
    /// Whether its value stands for them.
    pub stands: Stands,
}

/// Whether the value of a field stands for the placeholders of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// It always does.
    Always,
    /// It may have no value.
    IfGiven,
    /// It is nothing that a text can hold, or is left out.
    Never,
}

/// The slot of a name. `own` is how a block of the author's own is written with that name.
///
/// # Errors
///
/// A finding that suggests the slot which was meant, if the name is that of none.
pub fn slot(name: &str, own: &str) -> Result<Slot, Box<Diagnostic>> {
    if let Some(slot) = Slot::from_name(name) {
        return Ok(slot);
    }
    let known: Vec<&str> = Slot::ALL.iter().map(|slot| slot.name()).collect();
    let titled = Slot::ALL.iter().copied().find(|slot| plain(slot.title()) == plain(name));
    let close = titled.or_else(|| references::slot(name)).map(|slot| slot.name().to_owned());
    let found = Diagnostic::new(Code::UnknownKey, format!("there is no slot `{name}`"));
    Err(Box::new(match close.or_else(|| suggest(name, &known)) {
        Some(close) => found.with_help(format!("did you mean `{close}`?")),
        None => found
            .with_help(format!("there are `{}`", known.join("`, `")))
            .with_help(format!("a block of your own has a title: `{own}`")),
    }))
}

/// Checks a title of the author's own.
///
/// # Errors
///
/// A finding if it is no title, or if it is that of a slot.
pub fn title(title: &str) -> Result<(), Box<Diagnostic>> {
    let wrong = |message: String, help: String| {
        Err(Box::new(Diagnostic::new(Code::Declaration, message).with_help(help)))
    };
    let is_slots = |slot: &&Slot| [slot.name(), slot.title()].map(plain).contains(&plain(title));
    if let Some(slot) = Slot::ALL.iter().find(is_slots) {
        let message = format!("`{title}` stands for the slot `{slot}`");
        return wrong(message, "use the slot, or another title".to_owned());
    }
    if Layout::new().role_names().any(|role| plain(role) == plain(title)) {
        let message = format!("`{title}` is the name of a role");
        return wrong(
            message,
            "in a prompt of one text it begins what somebody said; use another title".to_owned(),
        );
    }
    if let Some((_, placeholder, _)) = next_placeholder(title) {
        let message = format!("the title has the placeholder `{}`", placeholder.written);
        return wrong(
            message,
            "a title stands as it is written; put the value below it".to_owned(),
        );
    }
    if title.trim().is_empty() {
        return wrong("a block needs a title".to_owned(), "write what the block holds".to_owned());
    }
    match check_title(title) {
        Ok(()) => Ok(()),
        Err(error) => wrong(error.to_string(), error.help().unwrap_or_default().to_owned()),
    }
}

/// Whether two titles pass for one: what a reader does not see makes no difference.
pub fn is_same_title(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

/// Checks that a slot can hold a text of the author's.
///
/// # Errors
///
/// A finding if the slot holds no text, or if the text is no format that we have.
pub fn text(slot: Slot, text: &str) -> Result<(), Box<Diagnostic>> {
    let holds_none = match slot {
        Slot::ChatHistory => Some("messages"),
        Slot::Tools => Some("tools"),
        Slot::Options => Some("a map"),
        Slot::Output => Some("the shape of the answer"),
        _ => None,
    };
    if let Some(held) = holds_none {
        let message = format!("the slot `{slot}` holds {held}, and no text");
        let help = match slot {
            Slot::Output => "write the type of the answer: `output = Answer`".to_owned(),
            _ => format!("give it to a field: `#[prompt(slot = \"{slot}\")]`"),
        };
        return Err(Box::new(Diagnostic::new(Code::WrongValue, message).with_help(help)));
    }
    let has_placeholder = next_placeholder(text).is_some();
    match OutputFormat::from_name(text) {
        Err(error) if slot == Slot::OutputFormat && !has_placeholder => {
            let help = error.help().unwrap_or_default();
            Err(Box::new(Diagnostic::new(Code::WrongValue, error.to_string()).with_help(help)))
        }
        _ => Ok(()),
    }
}

/// The text that a slot holds where the author has written one: without the white space around it, and the
/// indentation that its lines share.
pub fn text_in_slot(text: &str) -> String {
    match trimmed(Value::from(text)) {
        Value::String(text) => String::from(&*text),
        _ => String::new(),
    }
}

/// Whether a prompt has something to send if this slot is filled.
pub fn is_enough(slot: Slot) -> bool {
    Slot::ENOUGH.contains(&slot)
}

/// The names of a text's placeholders, in order.
pub fn placeholder_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, placeholder, behind)) = next_placeholder(rest) {
        names.push(placeholder.name.to_owned());
        rest = behind;
    }
    names
}

/// Checks that each placeholder of a text has a field that always has a value.
pub fn placeholders(text: &str, fields: &[Replacement]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, placeholder, behind)) = next_placeholder(rest) {
        let end = text.len() - behind.len();
        let span = SourceSpan::new(end - placeholder.written.len(), end);
        rest = behind;
        let field = fields.iter().find(|field| field.name == placeholder.name);
        let finding = match field.map(|field| field.stands) {
            Some(Stands::Always) => continue,
            Some(Stands::IfGiven) => may_be_missing(placeholder.name),
            Some(Stands::Never) => without_value(placeholder.name),
            None => without_field(placeholder.name, fields),
        };
        found.push(finding.with_span(span));
    }
    found
}

fn may_be_missing(name: &str) -> Diagnostic {
    let message = format!("`{name}` may be missing, and then nothing stands for its placeholder");
    Diagnostic::new(Code::UnguardedOptional, message)
        .with_help("give the field a type that is no `Option`, or put it into a slot")
}

fn without_value(name: &str) -> Diagnostic {
    let message = format!("the field `{name}` has no value that can stand for its placeholder");
    Diagnostic::new(Code::UnknownInput, message).with_help(
        "add a field for it: histories, attachments, tools and the shape of the answer hold nothing that a \
         text can show, and what is skipped has no use",
    )
}

fn without_field(name: &str, fields: &[Replacement]) -> Diagnostic {
    let standing = fields.iter().filter(|field| field.stands != Stands::Never);
    let known: Vec<&str> = standing.map(|field| field.name.as_str()).collect();
    let whole = name.split(['.', '[']).next().unwrap_or_default();
    let help = match suggest(name, &known) {
        _ if whole != name && known.contains(&whole) => {
            "a placeholder stands for a whole field: add one for this part of it".to_owned()
        }
        Some(close) => format!("did you mean `${{{close}}}`?"),
        None if known.is_empty() => "add a field of this name".to_owned(),
        None => format!("there are `${{{}}}`", known.join("}`, `${")),
    };
    let message = format!("no field stands for the placeholder `${{{name}}}`");
    Diagnostic::new(Code::UnknownInput, message).with_help(help)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is a failed test")]
mod tests {
    use crate::diagnostic::Diagnostic;

    use super::{
        Replacement, Stands, is_same_title, placeholders, slot, text, text_in_slot, title,
    };
    use crate::slots::Slot;

    fn fields() -> [Replacement; 3] {
        let fields =
            [("company", Stands::Always), ("tone", Stands::IfGiven), ("photo", Stands::Never)];
        fields.map(|(name, stands)| Replacement { name: name.to_owned(), stands })
    }

    fn told(found: &[Diagnostic]) -> Vec<String> {
        found.iter().map(|it| format!("{}; {}", it.message, it.help.join("; "))).collect()
    }

    #[test]
    fn a_wrong_name_of_a_slot_suggests_the_one_that_was_meant() {
        assert_eq!(slot("info", ""), Ok(Slot::Info));
        let meant = [
            ("imput", "input"),
            ("Chat History", "chat_history"),
            ("output requirement", "output_format"),
            ("instructions", "instruct"),
            ("ActionResults", "action_results"),
        ];
        for (wrong, right) in meant {
            assert_eq!(slot(wrong, "").unwrap_err().help, [format!("did you mean `{right}`?")]);
        }
        let found = slot("mood", "title = \"mood\"").unwrap_err();
        assert!(
            found.help.concat().ends_with("a block of your own has a title: `title = \"mood\"`")
        );
    }

    #[test]
    fn a_title_is_a_line_that_is_no_slots() {
        assert_eq!(title("House rules"), Ok(()));
        for wrong in ["", " ", "a\nb", "[a]", "a\u{2028}b", "info", "INFO", "User", "ABOUT ${name}"]
        {
            assert!(title(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn titles_that_look_alike_are_the_same() {
        assert!(is_same_title("House rules", "HOUSE\u{200B} RULES"));
        assert!(!is_same_title("House rules", "House rule"));
    }

    #[test]
    fn a_slot_that_holds_no_text_says_what_it_holds() {
        assert_eq!(text(Slot::Info, "x"), Ok(()));
        assert_eq!(text(Slot::OutputFormat, "json"), Ok(()));
        assert_eq!(text(Slot::OutputFormat, "${format}"), Ok(()));
        let wrong = [Slot::ChatHistory, Slot::Tools, Slot::Options, Slot::Output];
        assert!(wrong.iter().all(|slot| text(*slot, "x").is_err()));
        assert!(text(Slot::OutputFormat, "hybrid").is_err());
    }

    #[test]
    fn a_text_in_a_slot_is_written_without_the_indentation_of_the_program() {
        assert_eq!(text_in_slot("\n    a\n      b\n\n    c\n"), "a\n  b\n\nc");
    }

    #[test]
    fn a_placeholder_without_a_value_is_told_at_its_place() {
        let text = "${company} ${ compny } ${company.name} ${} ${tone} ${photo}";
        let found = placeholders(text, &fields());
        let expected = [
            "no field stands for the placeholder `${compny}`; did you mean `${company}`?",
            "no field stands for the placeholder `${company.name}`; a placeholder stands for a whole \
             field: add one for this part of it",
            "`tone` may be missing, and then nothing stands for its placeholder; give the field a type \
             that is no `Option`, or put it into a slot",
            "the field `photo` has no value that can stand for its placeholder; add a field for it: \
             histories, attachments, tools and the shape of the answer hold nothing that a text can show, \
             and what is skipped has no use",
        ];
        assert_eq!(told(&found), expected);
        let spans: Vec<(usize, usize)> =
            found.iter().filter_map(|it| it.span).map(|it| (it.start, it.end)).collect();
        assert_eq!(spans, [(11, 22), (23, 38), (43, 50), (51, 59)]);
    }
}
