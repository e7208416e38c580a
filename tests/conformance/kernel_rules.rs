//! The rules by which the outcome of a case of message tags may differ from upstream. Each rule
//! checks that it applies to the case and that the outcome is right. Any other outcome is a
//! failure.

use std::sync::LazyLock;

use prompty_core::message::Message;
use regex::Regex;
use serde_json::Value;

use crate::frame::Rule;
use crate::kernel_messages::{expected_parts, parts, text_of};

const UNKNOWN_NAMES: Rule = Rule::named("filters and functions that prompts do not support");
const AUTHOR_TAGS: Rule = Rule::named("only the template's author can write tags and roles");
const TRUST_FLAGS: Rule = Rule::named("trust flags are not needed");
const UNSAFE_DATA: Rule = Rule::named("data that is unsafe upstream is safe here");
const NO_FALLBACK: Rule = Rule::named("a prompt never falls back to one user message");
const TEXT_OUTSIDE: Rule =
    Rule::named("text outside messages and messages without a role are rejected");
const UNKNOWN_ATTRIBUTE: Rule = Rule::named("an unknown attribute of a value prints nothing");
const OWN_ARGUMENTS: Rule =
    Rule::named("a function sees only its own arguments, except in Semantic Kernel's language");
const UNCHANGED_VALUES: Rule = Rule::named("a template sees values of any type unchanged");
const CDATA: Rule = Rule::named("CDATA and comments are read as in XML");

/// A case whose outcome differs from upstream.
pub(crate) struct DifferentOutcome<'c> {
    /// The case.
    pub(crate) case: &'c Value,
    /// The text with the tags: a template or a rendered text.
    pub(crate) text: &'c str,
    /// The messages; empty after an error.
    pub(crate) found: &'c [Message],
    /// The message of the error; empty if there is no error.
    pub(crate) error: &'c str,
}

/// Whether a rule applies to a case, and the outcome is the right one.
type RuleCheck = fn(&DifferentOutcome<'_>) -> bool;

const RULES: [(Rule, RuleCheck); 10] = [
    (UNKNOWN_NAMES, names_unknown),
    (AUTHOR_TAGS, rejects_computed_tags),
    (TRUST_FLAGS, keeps_trusted_data),
    (UNSAFE_DATA, keeps_unsafe_data),
    (NO_FALLBACK, is_read_or_rejected),
    (TEXT_OUTSIDE, rejects_text_outside),
    (UNKNOWN_ATTRIBUTE, prints_nothing),
    (OWN_ARGUMENTS, sees_no_inputs),
    (UNCHANGED_VALUES, sees_unchanged_values),
    (CDATA, has_no_delimiters),
];

/// Checked after the others, since it applies to texts that are already rendered.
const LOST: Rule = Rule::named("no text of a message is lost");

/// The rule by which the different outcome of a case is right.
pub(crate) fn rule(other: &DifferentOutcome<'_>) -> Option<Rule> {
    let found = RULES.iter().find(|(_, is_right)| is_right(other));
    found.map(|(rule, _)| *rule).or_else(|| keeps_more(other).then_some(LOST))
}

/// The errors about filters and functions that prompts do not support.
const UNKNOWN: [&str; 8] = [
    "array is unknown",
    "camel_case is unknown",
    "snake_case is unknown",
    "snakeCase is unknown",
    "get is unknown",
    "messages is unknown",
    "filter safe is unknown",
    "filter e is unknown",
];

/// The errors of the checker, and of a render with data.
const OUTSIDE: [&str; 2] =
    ["text outside of messages", "a value that is not a thread is printed outside of messages"];
const NO_ROLE: &str = "a message without a role";
const COMPUTED: &str = "the role is computed";

impl DifferentOutcome<'_> {
    fn is_messages(&self) -> bool {
        self.error.is_empty()
    }

    fn is_rejected(&self, why: &[&str]) -> bool {
        why.iter().any(|why| self.error.starts_with(why))
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.case["tags"].as_array().is_some_and(|tags| tags.iter().any(|it| it == tag))
    }

    /// Whether all strings of the inputs that the template prints by name are in a message.
    fn data_arrives(&self) -> bool {
        let variables = self.case["variables"].as_object().into_iter().flatten();
        let printed = variables.filter(|(name, _)| {
            [format!("{{{{${name}}}}}"), format!("{{{{ {name} }}}}")]
                .iter()
                .any(|output| self.without_comments().contains(output.as_str()))
        });
        printed.flat_map(|(_, value)| texts(value)).all(|text| self.arrives(&text))
    }

    fn arrives(&self, text: &str) -> bool {
        self.found.iter().any(|message| message.text().contains(text.trim()))
    }

    fn without_comments(&self) -> String {
        static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?s)<!--.*?-->").unwrap());
        COMMENT.replace_all(self.text, "").into_owned()
    }

    /// The text without messages that have a role.
    fn outside(&self) -> String {
        MESSAGE.replace_all(self.text, "").trim().to_owned()
    }
}

static MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?s)<message role=["'](\w+)["']>(.*?)</message>"#).unwrap());

/// All strings in a value, except for the roles of a history.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => {
            map.iter().filter(|(name, _)| *name != "role").flat_map(|(_, it)| texts(it)).collect()
        }
        _ => Vec::new(),
    }
}

/// There is an error that names the filter or the function of the template.
fn names_unknown(other: &DifferentOutcome<'_>) -> bool {
    let name = |unknown: &str| {
        unknown.trim_start_matches("filter ").trim_end_matches(" is unknown").to_owned()
    };
    UNKNOWN
        .iter()
        .any(|unknown| other.error.starts_with(unknown) && other.text.contains(&name(unknown)))
}

/// A computed role is an error. With a computed name of an element, the tags are text of one
/// message.
fn rejects_computed_tags(other: &DifferentOutcome<'_>) -> bool {
    if other.text.contains("<{{") {
        return matches!(other.found, [message] if message.role.as_str() == "user"
            && message.text().starts_with('<'));
    }
    other.is_rejected(&[COMPUTED])
}

/// Data is in the messages unchanged, or it is rejected because it is outside of messages.
fn keeps_trusted_data(other: &DifferentOutcome<'_>) -> bool {
    let is_set = |flag: &Value| flag == true;
    let flags = other.case["allow_dangerously_set_content"].as_object();
    let variables = other.case["input_variables"].as_array();
    let is_trusted = flags.is_some_and(|flags| flags.values().any(is_set))
        || variables
            .is_some_and(|all| all.iter().any(|it| is_set(&it["allow_dangerously_set_content"])));
    is_trusted
        && match other.is_messages() {
            true => other.data_arrives(),
            false => other.is_rejected(&OUTSIDE) && !other.outside().is_empty(),
        }
}

/// Data is in the messages unchanged.
fn keeps_unsafe_data(other: &DifferentOutcome<'_>) -> bool {
    let is_unsafe = other.has_tag("hole") || other.has_tag("role-collapse");
    is_unsafe && other.is_messages() && other.data_arrives()
}

/// Tags that all have a role give their messages. Otherwise there is an error.
fn is_read_or_rejected(other: &DifferentOutcome<'_>) -> bool {
    if other.case["expect"]["fell_back_to_user_message"] != true {
        return false;
    }
    if !other.is_messages() {
        return other.is_rejected(&["invalid tag `<message>`", "`<text>` is still open"])
            || rejects_text_outside(other);
    }
    let messages: Vec<_> = MESSAGE
        .captures_iter(other.text)
        .map(|message| (message[1].to_owned(), text_of(&message[2])))
        .collect();
    let found: Vec<_> =
        other.found.iter().map(|it| (it.role.to_string(), text_of(&it.text()))).collect();
    found == messages
}

/// There is an error about text outside of messages, or about a message without a role.
fn rejects_text_outside(other: &DifferentOutcome<'_>) -> bool {
    (other.is_rejected(&OUTSIDE) || other.is_rejected(&[NO_ROLE])) && !other.outside().is_empty()
}

/// There is one empty message.
fn prints_nothing(other: &DifferentOutcome<'_>) -> bool {
    let is_empty = matches!(other.found, [message] if message.text().is_empty());
    other.text.contains(".__class__") && is_empty
}

/// The text lacks what the function would read from an input.
fn sees_no_inputs(other: &DifferentOutcome<'_>) -> bool {
    let takes_more = other.case["functions"].as_object().is_some_and(|all| {
        all.values().any(|it| it["params"].as_array().is_some_and(|names| !names.is_empty()))
    });
    let before = other.text.split("{{").next().unwrap_or_default();
    let is_alone = matches!(other.found, [message] if message.text() == before);
    other.case["format"] == "jinja2" && takes_more && other.text.contains("()") && is_alone
}

/// Templates that inspect values, and what they print. Upstream inspects the encoded values.
const INSPECTIONS: [(&str, &str); 2] =
    [("{{ x | length }}", "1"), ("{% if x == 'a&b' %}yes{% else %}no{% endif %}", "yes")];

/// The messages contain the strings of a value that is not a string. For strings, the template
/// prints what is right for the unchanged value.
fn sees_unchanged_values(other: &DifferentOutcome<'_>) -> bool {
    if other.case["expect"]["expect_error"]["type"] == "NotImplementedError" {
        let given = texts(&other.case["variables"]);
        return other.is_messages() && given.iter().all(|text| other.arrives(text));
    }
    let seen = INSPECTIONS.iter().find(|(template, _)| *template == other.text);
    seen.is_some_and(|(_, seen)| matches!(other.found, [message] if message.text() == *seen))
}

/// The messages are the same, without the delimiters of comments and CDATA, which .NET keeps.
fn has_no_delimiters(other: &DifferentOutcome<'_>) -> bool {
    let without = |expected: &Value| {
        let mut text = expected["content"].as_str().unwrap_or_default().to_owned();
        text = text.replace("<![CDATA[", "").replace("]]>", "");
        while let Some((before, rest)) = text.split_once("<!--") {
            let after = rest.split_once("-->").map_or("", |(_, after)| after);
            text = format!("{before}{after}");
        }
        vec![("text".to_owned(), text_of(&text))]
    };
    let Some(expected) = other.case["expect"]["messages"].as_array() else { return false };
    let pairs = || other.found.iter().zip(expected);
    other.text.contains("<!")
        && other.found.len() == expected.len()
        && pairs().all(|(found, expected)| parts(found) == without(expected))
}

/// The messages have all their parts, and additional parts that the text contains.
fn keeps_more(other: &DifferentOutcome<'_>) -> bool {
    let Some(expected) = other.case["expect"]["messages"].as_array() else { return false };
    let has_more = |(found, expected): (&Message, &Value)| {
        let (found, expected) = (parts(found), expected_parts(expected));
        let mut wanted = expected.iter().peekable();
        let more: Vec<_> =
            found.iter().filter(|part| wanted.next_if(|it| it == part).is_none()).collect();
        let is_in_text = more.iter().all(|(_, content)| other.text.contains(content.trim()));
        wanted.peek().is_none() && is_in_text && more.len() == found.len() - expected.len()
    };
    other.found.len() == expected.len() && other.found.iter().zip(expected).all(has_more)
}
