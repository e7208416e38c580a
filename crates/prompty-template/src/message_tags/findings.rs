//! The diagnostics for message tags.

use super::body::{FoundTag, InvalidMarkup, InvalidMarkupKind};
use super::roles::ROLES;
use crate::message_tags::syntax::{Element, TagProblem};
use crate::tree::{Call, Name};
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::message::Role;

fn tag_error(message: impl Into<String>, span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::MessageTag, message).with_span(span)
}

fn role_names() -> String {
    let names: Vec<String> = ROLES.iter().map(|role| format!("`{role}`")).collect();
    names.join(", ")
}

pub(super) fn outside(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::TextOutsideMessages, "text outside of messages")
        .with_span(span)
        .with_label("is not part of a message")
        .with_help("put it into a message: `<message role=\"system\">…</message>`")
}

pub(super) fn invalid_markup(broken: &InvalidMarkup) -> Diagnostic<TemplateSpan> {
    let (message, label, help) = match broken.kind {
        InvalidMarkupKind::Cdata => (
            "`<![CDATA[` is never closed".to_owned(),
            "needs `]]>` in the same block",
            "close it, or write `&lt;` for `<`",
        ),
        InvalidMarkupKind::Comment => (
            "`<!--` is never closed".to_owned(),
            "needs `-->` in the same block",
            "close it, or write `&lt;` for `<`",
        ),
        InvalidMarkupKind::Block(element) => (
            format!("the tag `<{}>` contains a block", element.name()),
            "only values are allowed inside a tag",
            "write the complete tag in each branch",
        ),
        InvalidMarkupKind::Tag(element, problem) => {
            let (label, help) = match problem {
                TagProblem::NoName | TagProblem::NoEnd => {
                    ("has no `>`", "close it; if it is prose, write `&lt;` for `<`")
                }
                TagProblem::NoQuotes => {
                    ("an attribute has no quoted value", "write it as in `<message role=\"user\">`")
                }
                TagProblem::Stray => (
                    "contains something that is not an attribute",
                    "write it as in `<message role=\"user\">`",
                ),
                TagProblem::Twice => {
                    ("has an attribute that is specified twice", "remove one of them")
                }
                TagProblem::TooMany => ("has more than 64 attributes", "remove some of them"),
            };
            (format!("invalid tag `<{}>`", element.name()), label, help)
        }
    };
    tag_error(message, broken.span).with_label(label).with_help(help)
}

pub(super) fn missing_role(tag: &FoundTag) -> Diagnostic<TemplateSpan> {
    let finding = tag_error("a message without a role", tag.name_span).with_label("missing `role`");
    let misspelt = tag.attributes.iter().find(|it| it.name.eq_ignore_ascii_case("role"));
    match misspelt {
        Some(written) => finding.with_help(format!("rename `{}` to `role`", written.name)),
        None => finding
            .with_help("write `<message role=\"user\">`; if it is prose, write `&lt;message&gt;`"),
    }
}

pub(super) fn computed_role(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("the role is computed", span)
        .with_label("the value could be any role")
        .with_help("write the role as a literal in the template")
        .with_help(
            "to insert a conversation, declare an input with `kind: thread` and print it outside \
             of messages",
        )
}

pub(super) fn unknown_role(name: &str, span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    let finding = Diagnostic::new(Code::UnknownRole, format!("unknown role `{name}`"))
        .with_label("not a role");
    let names = ROLES.each_ref().map(Role::as_str);
    let lower = name.trim().to_lowercase();
    let meant = match lower.as_str() {
        "human" => Some("user".to_owned()),
        "ai" | "bot" | "model" => Some("assistant".to_owned()),
        "function" => Some("tool".to_owned()),
        other => suggest(other, &names),
    };
    let finding = match meant {
        Some(meant) => finding.with_help(format!("a role with a similar name exists: `{meant}`")),
        None => finding.with_help(format!("available roles: {}", role_names())),
    };
    finding.with_span(span)
}

pub(super) fn part_outside(tag: &FoundTag, element: Element) -> Diagnostic<TemplateSpan> {
    tag_error(format!("`<{}>` outside of a message", element.name()), tag.name_span)
        .with_label("must be inside a message")
        .with_help("put it into a message: `<message role=\"user\">…</message>`")
}

pub(super) fn not_a_url(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    let name = element.name();
    tag_error(format!("the content of `<{name}>` is not a URL"), span)
        .with_label("files are not read")
        .with_help("write a URL that begins with `https://`, `http://` or `data:`")
        .with_help(format!("or declare an input with `kind: {name}`, and print it here"))
}

pub(super) fn nested(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::AlmostTag, "a message inside a message is text")
        .with_span(span)
        .with_label("does not open a message")
        .with_help("close the previous message; if it is prose, write `&lt;` for `<`, or use CDATA")
}

/// Returns a diagnostic if the name of an unknown element is similar to that of a known one.
pub(super) fn similar(tag: &FoundTag) -> Option<Diagnostic<TemplateSpan>> {
    let lower = tag.name.to_ascii_lowercase();
    let meant = match lower.as_str() {
        // Common names of HTML and prose, which are not misspellings.
        "i" | "a" | "b" | "p" | "u" | "s" | "img" | "time" | "form" | "next" | "test" | "title" => {
            return None;
        }
        other => suggest(other, &Element::names())?,
    };
    Some(
        Diagnostic::new(Code::AlmostTag, format!("`<{}>` is text", tag.name))
            .with_span(tag.name_span)
            .with_label("not a message tag")
            .with_help(format!("an element with a similar name exists: `<{meant}>`")),
    )
}

pub(super) fn mismatched(span: TemplateSpan, open: Element) -> Diagnostic<TemplateSpan> {
    tag_error(format!("`<{}>` is still open here", open.name()), span)
        .with_label("closes another element")
        .with_help(format!("write `</{}>` before it", open.name()))
}

pub(super) fn stray(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    tag_error(format!("`</{}>` has no opening tag", element.name()), span)
        .with_label("no open element has this name")
        .with_help("remove it; if it is prose, write `&lt;` for `<`")
}

pub(super) fn unclosed(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("`<message>` is never closed", span)
        .with_label("opened here")
        .with_help("write `</message>` where the message ends")
}

pub(super) fn unclosed_part(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    tag_error(format!("`<{}>` is never closed", element.name()), span)
        .with_label("opened here")
        .with_help(format!(
            "write `</{}>` where the part ends; if it is prose, write `&lt;` for `<`",
            element.name()
        ))
}

pub(super) fn unclosed_call(span: TemplateSpan, role: Option<&Role>) -> Diagnostic<TemplateSpan> {
    let help = match role {
        Some(role) => format!("call `message` with `{role}` once more where the message ends"),
        None => "call `message` with its role once more where the message ends".to_owned(),
    };
    tag_error("the message is never closed", span).with_label("opened here").with_help(help)
}

pub(super) fn open_in_some_branches(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("a message or part is open in only some branches", span)
        .with_label("opened or closed in only some branches")
        .with_help(
            "open and close each message in the same branch, and in the same iteration of a loop",
        )
}

pub(super) fn still_open(
    span: TemplateSpan,
    role: Option<&Role>,
    is_call: bool,
) -> Diagnostic<TemplateSpan> {
    let open = match role {
        Some(role) => format!("the message of `{role}`"),
        None => "another message".to_owned(),
    };
    let help = match (is_call, role) {
        (true, Some(role)) => {
            format!("call `message` with `{role}` before it, to close that message")
        }
        (true, None) => "close it in the branch that opens it".to_owned(),
        (false, _) => {
            "write `</message>` before it, and do not mix tags with calls of `message`".to_owned()
        }
    };
    tag_error(format!("{open} is still open here"), span)
        .with_label("opens another message")
        .with_help(help)
}

pub(super) fn nested_block(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("a message cannot contain another message", span)
        .with_label("the message around it is still open")
        .with_help("close that message before this one")
}

pub(super) fn captured(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("a message in a block that captures its output", span)
        .with_label("does not open a message")
        .with_help("move it out of macros, recursive loops, `set`, `filter` and `call` blocks")
}

pub(super) fn misplaced(name: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("`message` does not open a message here", name)
        .with_label("is not alone in an output")
        .with_help("write it alone in an output, not in expressions, tags, CDATA or comments")
}

pub(super) fn partial_in_other_context(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    tag_error("the partial is used both inside and outside of CDATA or a comment", span)
        .with_label("its tags have a different meaning here")
        .with_help("use it outside of CDATA and comments")
}

pub(super) fn attribute_name(name: &Name) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(
        Code::WrongArguments,
        format!("`{}` is not a valid attribute name", name.text.escape_debug()),
    )
    .with_span(name.span)
    .with_label("becomes an attribute of the message")
    .with_help("begin it with a letter or `_`; letters, digits, `_`, `-`, `.` and `:` may follow")
}

pub(super) fn too_many(name: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::WrongArguments, "a message has more than 64 attributes")
        .with_span(name)
        .with_label("exceeds the limit")
        .with_help("remove some of them")
}

pub(super) fn call_without_role(call: &Call) -> Diagnostic<TemplateSpan> {
    tag_error("a message without a role", call.name.span)
        .with_label("missing role")
        .with_help(format!("available roles: {}", role_names()))
}

pub(super) fn argument(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::WrongArguments, "`message` takes a role and named attributes")
        .with_span(span)
        .with_label("is neither a role nor a named attribute")
        .with_help("name it, as in `name=\"Ada\"`")
}
