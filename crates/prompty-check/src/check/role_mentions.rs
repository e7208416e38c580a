//! Lines that name a role but do not open a message: `User: hi`, `### System`, `<|im_start|>user`.
//!
//! Only a role marker opens a message: `user:`, alone on its line. All other lines that name a
//! role are text. Some are meant as text, such as the lines of a dialogue in a message. The author
//! of the others probably meant a marker, so they are reported.
//!
//! Above all messages, at most one line is reported. If a template has no messages, that is the
//! complete template.
//!
//! - `User: hi` is reported if it is the first line of the template.
//! - A token such as `<|user|>` is reported if the template has no messages. Tokens never occur in
//!   ordinary text, so one suffices.
//! - Another notation, such as `### User`, is reported if the template has no messages, the line is
//!   its first, and a later line marks another role in the same way. One such line alone can be
//!   ordinary text. But an author who does not know markers begins with a role, and marks the next
//!   one in the same way.
//!
//! An author who has written a marker knows the notation. So if the template has messages, only the
//! first of these rules applies: such a line would become a system message without a marker, which
//! [`Code::LeadingText`] reports in any case.
//!
//! In each message, the first line such as `User: hi` is reported, with two exceptions:
//!
//! - Lines that name different roles are a dialogue, which is text.
//! - If a marker of the template has the role of the line, the author knows how to open a message
//!   of that role. So the line is meant as text.

use std::ops::Range;

use super::almost_markers::role_named;
use super::checker::Checker;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, TemplateSpan};
use prompty_core::message::Role;
use prompty_core::work::add_steps;
use prompty_template::role_markers::syntax::match_line;

/// The maximum length of a line that is checked completely. Longer lines are ordinary text.
const LONGEST: usize = 120;
/// The maximum number of further lines in a help text.
const LISTED: usize = 3;

/// How a line names a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// `User: hello`
    RoleThenText,
    /// `<|im_start|>user`, `<|user|>`
    Token,
    /// `<user>`, `<message role="user">`
    Tag,
    /// `[user]`
    Bracket,
    /// `### User`, `**User**`
    Heading,
    /// `User message:`
    Label,
    /// `user`
    Word,
}

/// A line that names a role.
#[derive(Debug)]
struct RoleMention {
    role: Role,
    notation: Notation,
    /// The part of the line that names the role.
    span: TemplateSpan,
    /// The number of the message that contains the line. Message 0 is the text above all messages.
    message: usize,
    /// Whether it is the first line of the template that is not blank.
    is_first_line: bool,
}

/// The lines of a template that name a role and are not markers.
#[derive(Debug, Default)]
pub(super) struct RoleMentions {
    lines: Vec<RoleMention>,
    /// The number of messages that have opened.
    messages: usize,
    /// Whether a line that is not blank has been recorded.
    has_text: bool,
}

impl RoleMentions {
    /// Records that a message opens.
    pub(super) fn open_message(&mut self) {
        self.messages += 1;
        self.has_text = true;
    }

    /// Records a line that cannot name a role.
    pub(super) fn add_other_line(&mut self) {
        self.has_text = true;
    }

    /// Records a line that may name a role. `start` is its place in the template. `text` has the
    /// character `x` in place of each byte of a printed value: `User: {{ a }}` is `User: xxxxxxx`.
    /// It is empty if the line has tags.
    pub(super) fn add_line(&mut self, text: &str, start: usize) {
        let is_first_line = !std::mem::replace(&mut self.has_text, true);
        let Some((role, notation, range)) = named_role(text) else { return };
        let span = TemplateSpan::new(range.start, range.end).shifted(start);
        let message = self.messages;
        self.lines.push(RoleMention { role, notation, span, message, is_first_line });
    }
}

impl Checker<'_> {
    /// Reports the lines that name a role and were probably meant to open a message. `markers` has
    /// the roles of the template's markers. Returns whether a line above all messages was reported:
    /// then the text above all messages needs no other finding.
    pub(super) fn report_role_mentions(
        &mut self,
        mentions: &RoleMentions,
        markers: &[Role],
    ) -> bool {
        let mut is_leading_reported = false;
        // The lines of one message are consecutive.
        for lines in mentions.lines.chunk_by(|left, right| left.message == right.message) {
            if lines.first().is_some_and(|line| line.message == 0) {
                is_leading_reported = self.roles_above_messages(lines, mentions.messages > 0);
            } else {
                self.roles_in_message(lines, markers);
            }
        }
        is_leading_reported
    }

    /// Reports one of the lines above the first message, by the rules at the head of this file.
    /// Returns whether there is a finding.
    fn roles_above_messages(&mut self, lines: &[RoleMention], has_messages: bool) -> bool {
        let Some(first) = lines.iter().find(|line| line.is_first_line || line.is_token()) else {
            return false;
        };
        if first.notation == Notation::RoleThenText {
            self.report_role_then_text(first);
            return true;
        }
        if has_messages {
            return false;
        }
        let others = other_roles(first, lines);
        if others.is_empty() && !first.is_token() {
            return false;
        }
        self.report_other_notation(first, &others);
        true
    }

    /// Reports the first line such as `User: hello` in one message, unless it is part of a dialogue
    /// or a marker has its role.
    fn roles_in_message(&mut self, lines: &[RoleMention], markers: &[Role]) {
        let mut lines_with_text =
            lines.iter().filter(|line| line.notation == Notation::RoleThenText);
        let Some(first) = lines_with_text.next() else { return };
        let is_dialogue = lines_with_text.any(|line| line.role != first.role);
        let has_marker = markers.contains(&first.role);
        add_steps(lines.len() + markers.len());
        if !is_dialogue && !has_marker {
            self.report_role_then_text(first);
        }
    }

    /// Reports a line such as `User: hello`.
    fn report_role_then_text(&mut self, line: &RoleMention) {
        let quoted = self.quoted(line.span);
        let message = format!("{quoted} does not open a message here");
        let label = "is text, because more follows on the line";
        let help = "to open a message, move the rest of the line to the next line";
        self.report_with_help(Code::MarkerProse, message, label, [help], line.span);
    }

    /// Reports the first line that marks a role in another notation. The help lists the others.
    fn report_other_notation(&mut self, first: &RoleMention, others: &[&RoleMention]) {
        let quoted = self.quoted(first.span);
        let mut diagnostic =
            Diagnostic::new(Code::NearMarker, format!("{quoted} does not open a message"))
                .with_label("text; the template has no role marker")
                .with_help(format!(
                    "write `{}:` alone on the line, and the message below it",
                    first.role
                ));
        let listed = others.iter().take(LISTED);
        let listed = listed.map(|it| format!("`{}:` for {}", it.role, self.quoted(it.span)));
        let listed = listed.collect::<Vec<_>>().join(", ");
        if !listed.is_empty() {
            diagnostic = diagnostic.with_help(format!("in the same way, write {listed}"));
        }
        if matches!(first.notation, Notation::Tag | Notation::Token) {
            let help = "remove closing markup: a message ends where the next one begins";
            diagnostic = diagnostic.with_help(help);
        }
        diagnostic.severity = Severity::Warning;
        self.report(diagnostic, first.span);
    }
}

/// The lines in the notation of `first` that name other roles than it, one for each role.
fn other_roles<'l>(first: &RoleMention, lines: &'l [RoleMention]) -> Vec<&'l RoleMention> {
    let mut others: Vec<&RoleMention> = Vec::new();
    for line in lines.iter().filter(|line| line.notation == first.notation) {
        let is_listed = others.iter().any(|other| other.role == line.role);
        if line.role != first.role && !is_listed {
            others.push(line);
        }
    }
    others
}

impl RoleMention {
    /// Whether the line is markup of a model's chat format, which never occurs in ordinary text.
    fn is_token(&self) -> bool {
        self.notation == Notation::Token
    }
}

/// The role that a line names, the notation, and the range of the part that names it.
fn named_role(line: &str) -> Option<(Role, Notation, Range<usize>)> {
    let text = line.trim();
    let start = line.len() - line.trim_start().len();
    if let Some((role, length)) = role_then_text(text) {
        return Some((role, Notation::RoleThenText, start..start + length));
    }
    if text.len() > LONGEST {
        return None;
    }
    add_steps(text.len());
    let (role, notation) = token(text)
        .map(|role| (role, Notation::Token))
        .or_else(|| Some((tag(text)?, Notation::Tag)))
        .or_else(|| Some((bracket(text)?, Notation::Bracket)))
        .or_else(|| Some((heading(text)?, Notation::Heading)))
        .or_else(|| Some((label(text.strip_suffix(':')?)?, Notation::Label)))
        .or_else(|| Some((role_named(text)?, Notation::Word)))?;
    Some((role, notation, start..start + text.len()))
}

/// The role of a line such as `User: hello`, and the length of the part that names it.
fn role_then_text(text: &str) -> Option<(Role, usize)> {
    let (head, rest) = text.split_once(':')?;
    // A longer beginning is ordinary text with a colon.
    if head.len() > 40 || rest.trim().is_empty() {
        return None;
    }
    let marker = match_line(&format!("{head}:"))?;
    Some((marker.role, head.len() + 1))
}

/// The role of a line such as `<|user|>`, or `<|im_start|>user` with any name in the brackets.
fn token(text: &str) -> Option<Role> {
    let (inside, after) = text.strip_prefix('<')?.split_once('>')?;
    let name = inside.trim_start_matches('|').trim_end_matches('|');
    // `<|user|>`
    if name.len() < inside.len()
        && let Some(role) = role_named(name)
    {
        return Some(role);
    }
    if name.is_empty() || name.contains(char::is_whitespace) || name.starts_with('/') {
        return None;
    }
    // `<|im_start|>user`, `<|start_header_id|>user<|end_header_id|>`, but not `<b>user</b>`
    let (role, rest) = after.split_at_checked(after.find('<').unwrap_or(after.len()))?;
    let is_complete = rest.is_empty() || (!rest.starts_with("</") && rest.ends_with('>'));
    is_complete.then(|| role_named(role.trim_end())).flatten()
}

/// The role of a line such as `<user>` or `<message role="user">`.
fn tag(text: &str) -> Option<Role> {
    let (inside, after) = text.strip_prefix('<')?.split_once('>')?;
    if !after.is_empty() && !after.ends_with('>') {
        return None;
    }
    let attribute = || {
        let value = inside.split_once(" role=")?.1;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        role_named(value.get(1..)?.split(quote).next()?)
    };
    role_named(inside.trim()).or_else(attribute)
}

/// The role of a line such as `[user]`.
fn bracket(text: &str) -> Option<Role> {
    let text = text.strip_suffix(':').unwrap_or(text);
    role_named(text.strip_prefix('[')?.strip_suffix(']')?.trim())
}

/// The role of a line such as `### User`, `**User**` or `=== User ===`. List items do not count.
fn heading(text: &str) -> Option<Role> {
    let is_item = ["- ", "* ", "+ "].iter().any(|bullet| text.starts_with(bullet));
    let inside = text.trim_matches(|it: char| matches!(it, '#' | '*' | '_' | '=' | '-' | ' '));
    if is_item || inside.len() == text.len() {
        return None;
    }
    let inside = inside.strip_suffix(':').unwrap_or(inside);
    role_named(inside).or_else(|| label(inside))
}

/// The role of a line such as `User message`.
fn label(text: &str) -> Option<Role> {
    let (role, word) = text.split_once(' ')?;
    let word = word.trim().to_lowercase();
    let is_part = matches!(&*word, "prompt" | "message" | "instruction" | "instructions");
    is_part.then(|| role_named(role)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Notation, named_role};

    fn notation(line: &str) -> Option<(String, Notation)> {
        named_role(line).map(|(role, notation, _)| (role.to_string(), notation))
    }

    #[test]
    fn each_notation_is_recognised() {
        for (line, role, expected) in [
            ("<|im_start|>system", "system", Notation::Token),
            ("<|user|>", "user", Notation::Token),
            ("<start_of_turn>user", "user", Notation::Token),
            ("<|start_header_id|>user<|end_header_id|>", "user", Notation::Token),
            ("<system>", "system", Notation::Tag),
            ("<User>Hi</User>", "user", Notation::Tag),
            ("<message role='assistant'>", "assistant", Notation::Tag),
            ("[system]", "system", Notation::Bracket),
            ("[System]:", "system", Notation::Bracket),
            ("### System", "system", Notation::Heading),
            ("**User**", "user", Notation::Heading),
            ("## System Prompt", "system", Notation::Heading),
            ("=== developer ===", "developer", Notation::Heading),
            ("System Prompt:", "system", Notation::Label),
            ("User message:", "user", Notation::Label),
            ("  assistant ", "assistant", Notation::Word),
            ("User: hi", "user", Notation::RoleThenText),
            ("# system[a=b]: hi", "system", Notation::RoleThenText),
        ] {
            assert_eq!(notation(line), Some((role.to_owned(), expected)), "{line}");
        }
    }

    #[test]
    fn other_lines_do_not_name_a_role() {
        for line in [
            "",
            "<|im_end|>",
            "</system>",
            "<a>user</a> and more",
            "<b>user</b>",
            "<b>users</b>",
            "- user",
            "* system",
            "[user](https://example.com)",
            "[system, user]",
            "The user",
            "system of equations",
            "User input:",
            "Users: 3",
            "The user: hi",
            "http://user: x",
        ] {
            assert_eq!(notation(line), None, "{line}");
        }
    }
}
