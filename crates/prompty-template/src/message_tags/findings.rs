//! What is said of tags that cannot be right.

use super::body::{Broken, BrokenKind, FoundTag};
use super::words::ROLES;
use crate::message_tags::syntax::{Element, TagProblem};
use crate::tree::{Call, Name};
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::message::Role;

fn wrong(message: impl Into<String>, span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::MessageTag, message).with_span(span)
}

fn role_names() -> String {
    let names: Vec<String> = ROLES.iter().map(|role| format!("`{role}`")).collect();
    names.join(", ")
}

pub(super) fn outside(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::TextOutsideMessages, "text outside of messages")
        .with_span(span)
        .with_label("belongs to no message")
        .with_help("put it into a message: `<message role=\"system\">…</message>`")
}

pub(super) fn broken(broken: &Broken) -> Diagnostic<TemplateSpan> {
    let (message, label, help) = match broken.what {
        BrokenKind::Cdata => (
            "`<![CDATA[` is never closed".to_owned(),
            "needs `]]>` in the same body",
            "close it, or write `&lt;` for `<`",
        ),
        BrokenKind::Comment => (
            "`<!--` is never closed".to_owned(),
            "needs `-->` in the same body",
            "close it, or write `&lt;` for `<`",
        ),
        BrokenKind::Block(element) => (
            format!("a block stands in the tag `<{}>`", element.name()),
            "a tag holds values alone",
            "write the whole tag in each branch",
        ),
        BrokenKind::Tag(element, problem) => {
            let (label, help) = match problem {
                TagProblem::NoName | TagProblem::NoEnd => {
                    ("has no `>`", "close it; if it is prose, write `&lt;` for `<`")
                }
                TagProblem::NoQuotes => (
                    "an attribute has no value in quotation marks",
                    "write it as in `<message role=\"user\">`",
                ),
                TagProblem::Stray => (
                    "something stands in it that is no attribute",
                    "write it as in `<message role=\"user\">`",
                ),
                TagProblem::Twice => ("an attribute stands twice", "remove one of them"),
                TagProblem::TooMany => ("has more than 64 attributes", "remove some of them"),
            };
            (format!("the tag `<{}>` cannot be read", element.name()), label, help)
        }
    };
    wrong(message, broken.span).with_label(label).with_help(help)
}

pub(super) fn no_role(tag: &FoundTag) -> Diagnostic<TemplateSpan> {
    let finding = wrong("a message without a role", tag.name_span).with_label("needs `role`");
    let similar = tag.attributes.iter().find(|it| it.name.eq_ignore_ascii_case("role"));
    match similar {
        Some(written) => finding.with_help(format!("write `role` for `{}`", written.name)),
        None => finding
            .with_help("write `<message role=\"user\">`; if it is prose, write `&lt;message&gt;`"),
    }
}

pub(super) fn data_role(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("a role that is computed", span)
        .with_label("whoever gives the value would choose who speaks")
        .with_help("write the role into the template")
        .with_help(
            "messages of a conversation come in as one input: declare it with `kind: thread` and print it \
             outside of messages",
        )
}

pub(super) fn unknown_role(name: &str, span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    let finding = Diagnostic::new(Code::UnknownRole, format!("unknown role `{name}`"))
        .with_label("no such role");
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
        None => finding.with_help(format!("there are: {}", role_names())),
    };
    finding.with_span(span)
}

pub(super) fn part_outside(tag: &FoundTag, element: Element) -> Diagnostic<TemplateSpan> {
    wrong(format!("`<{}>` outside of a message", element.name()), tag.name_span)
        .with_label("is a part of a message")
        .with_help("put it into a message: `<message role=\"user\">…</message>`")
}

pub(super) fn no_url(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    let name = element.name();
    wrong(format!("what stands in `<{name}>` is no URL"), span)
        .with_label("no file is read")
        .with_help("write a URL that begins with `https://`, `http://` or `data:`")
        .with_help(format!("or declare an input with `kind: {name}`, and print it here"))
}

pub(super) fn nested(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::AlmostTag, "a message in a message is text")
        .with_span(span)
        .with_label("opens no message")
        .with_help("close the message before it; if it is prose, write `&lt;` for `<`, or put it into CDATA")
}

/// A finding if the name of an element without meaning is almost that of one.
pub(super) fn similar(tag: &FoundTag) -> Option<Diagnostic<TemplateSpan>> {
    let lower = tag.name.to_ascii_lowercase();
    let meant = match lower.as_str() {
        // Names of HTML that people mean.
        "i" | "a" | "b" | "p" | "u" | "s" | "img" | "time" | "form" | "next" | "test" | "title" => {
            return None;
        }
        other => suggest(other, &Element::names())?,
    };
    Some(
        Diagnostic::new(Code::AlmostTag, format!("`<{}>` is text", tag.name))
            .with_span(tag.name_span)
            .with_label("no element of messages")
            .with_help(format!("an element with a similar name exists: `<{meant}>`")),
    )
}

pub(super) fn mismatched(span: TemplateSpan, open: Element) -> Diagnostic<TemplateSpan> {
    wrong(format!("`<{}>` is still open here", open.name()), span)
        .with_label("closes another element")
        .with_help(format!("write `</{}>` before it", open.name()))
}

pub(super) fn stray(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    wrong(format!("`</{}>` closes nothing", element.name()), span)
        .with_label("nothing of that name is open")
        .with_help("remove it; if it is prose, write `&lt;` for `<`")
}

pub(super) fn unclosed(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("`<message>` is never closed", span)
        .with_label("opened here")
        .with_help("write `</message>` where the message ends")
}

pub(super) fn unclosed_part(span: TemplateSpan, element: Element) -> Diagnostic<TemplateSpan> {
    wrong(format!("`<{}>` is never closed", element.name()), span)
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
    wrong("the message is never closed", span).with_label("opened here").with_help(help)
}

pub(super) fn open_on_one_way(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("what is open depends on the way through the template", span)
        .with_label("opened or closed on one way alone")
        .with_help("open and close each message in the same branch, and in the same pass of a loop")
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
        (false, _) => "close it before, and mark all messages in one way".to_owned(),
    };
    wrong(format!("{open} is still open here"), span).with_label("opens another").with_help(help)
}

pub(super) fn nested_block(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("a message in a message", span)
        .with_label("the message around it is still open")
        .with_help("close that message before")
}

pub(super) fn captured(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("a message in a block that catches what it writes", span).with_label("opens no message").with_help(
        "mark messages outside of macros, `set`, `filter` and `call` blocks, and recursive loops",
    )
}

pub(super) fn misplaced(name: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("this call opens no message", name)
        .with_label("marks a message only where it stands by itself")
        .with_help("write it by itself, outside of other expressions, tags, CDATA and comments")
}

pub(super) fn partial_in_text(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    wrong("the partial stands in CDATA or in a comment here, and not where it begins", span)
        .with_label("its tags would count")
        .with_help("write it outside of CDATA and comments")
}

pub(super) fn attribute_name(name: &Name) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(
        Code::WrongArguments,
        format!("`{}` is no name of an attribute", name.text.escape_debug()),
    )
    .with_span(name.span)
    .with_label("becomes an attribute of the message")
    .with_help("begin it with a letter or `_`; letters, digits, `_`, `-`, `.` and `:` may follow")
}

pub(super) fn too_many(name: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::WrongArguments, "a message has more than 64 attributes")
        .with_span(name)
        .with_label("is one too many")
        .with_help("remove some of them")
}

pub(super) fn call_without_role(call: &Call) -> Diagnostic<TemplateSpan> {
    wrong("a message without a role", call.name.span)
        .with_label("needs a role")
        .with_help(format!("the roles are: {}", role_names()))
}

pub(super) fn argument(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::WrongArguments, "`message` takes a role and named attributes")
        .with_span(span)
        .with_label("is neither")
        .with_help("name it, as in `name=\"Ada\"`")
}
