//! The rules by which a case of message tags may have another outcome than upstream's. Each names the cases
//! that it is for and the outcome that is right for them; any other outcome is a failure.

use std::sync::LazyLock;

use prompty_core::message::Message;
use regex::Regex;
use serde_json::Value;

use crate::kernel_messages::{expected_parts, parts, text_of};

/// A case whose outcome is not upstream's.
pub(crate) struct Other<'c> {
    /// The case.
    pub(crate) case: &'c Value,
    /// The text with the tags: a template, or what it rendered to.
    pub(crate) text: &'c str,
    /// The messages; none where there is an error.
    pub(crate) found: &'c [Message],
    /// What the error says; empty where there is none.
    pub(crate) error: &'c str,
}

/// A rule: what it says, and whether a case is one of those with the outcome that is right for them.
type Rule = (&'static str, fn(&Other<'_>) -> bool);

const RULES: [Rule; 10] = [
    ("filters and functions that prompts do not have", names_what_is_not_there),
    ("tags and roles are the author's to write", makes_no_tag),
    ("trust flags are not needed", trusted_data_is_data),
    ("what is unsafe upstream comes out safe", unsafe_data_is_data),
    ("nothing falls back to one message of the user", is_read_or_refused),
    ("text outside of messages and a message without a role are refused", refuses_text_outside),
    ("an attribute that a value does not have prints nothing", prints_nothing),
    ("a function sees its own arguments, except in Semantic Kernel's language", sees_no_inputs),
    ("a template sees values as they are, of any type", sees_values),
    ("CDATA and comments are read as XML reads them", has_no_marks),
];

/// Beside the others, since it is for texts that are rendered already.
const LOST: &str = "no text of a message is lost";

/// The rule by which the outcome of a case is right.
pub(crate) fn rule(other: &Other<'_>) -> Option<&'static str> {
    let found = RULES.iter().find(|(_, is_right)| is_right(other));
    found.map(|(rule, _)| *rule).or_else(|| keeps_more(other).then_some(LOST))
}

/// What prompts do not have, as errors name it.
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

/// The messages of the checker, and of a render with data.
const OUTSIDE: [&str; 2] =
    ["text outside of messages", "an input that is not a thread is outside of messages"];
const NO_ROLE: &str = "a message without a role";
const COMPUTED: &str = "the role is computed";

impl Other<'_> {
    fn is_messages(&self) -> bool {
        self.error.is_empty()
    }

    fn is_refused(&self, why: &[&str]) -> bool {
        why.iter().any(|why| self.error.starts_with(why))
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.case["tags"].as_array().is_some_and(|tags| tags.iter().any(|it| it == tag))
    }

    /// Whether all texts of the inputs that the template prints by their names stand in a message.
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

/// All texts in a value, but the roles of a history.
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

/// An error that names the filter or the function of the template.
fn names_what_is_not_there(other: &Other<'_>) -> bool {
    let name = |unknown: &str| {
        unknown.trim_start_matches("filter ").trim_end_matches(" is unknown").to_owned()
    };
    UNKNOWN
        .iter()
        .any(|unknown| other.error.starts_with(unknown) && other.text.contains(&name(unknown)))
}

/// An error where a role is computed; where the name of an element is, the tags are text of one message.
fn makes_no_tag(other: &Other<'_>) -> bool {
    if other.text.contains("<{{") {
        return matches!(other.found, [message] if message.role.as_str() == "user"
            && message.text().starts_with('<'));
    }
    other.is_refused(&[COMPUTED])
}

/// Data is in the messages as it is, or refused where it stands outside of messages.
fn trusted_data_is_data(other: &Other<'_>) -> bool {
    let is_set = |flag: &Value| flag == true;
    let flags = other.case["allow_dangerously_set_content"].as_object();
    let variables = other.case["input_variables"].as_array();
    let is_trusted = flags.is_some_and(|flags| flags.values().any(is_set))
        || variables
            .is_some_and(|all| all.iter().any(|it| is_set(&it["allow_dangerously_set_content"])));
    is_trusted
        && match other.is_messages() {
            true => other.data_arrives(),
            false => other.is_refused(&OUTSIDE) && !other.outside().is_empty(),
        }
}

/// Data is in the messages as it is.
fn unsafe_data_is_data(other: &Other<'_>) -> bool {
    let is_unsafe = other.has_tag("hole") || other.has_tag("role-collapse");
    is_unsafe && other.is_messages() && other.data_arrives()
}

/// Where all is tags with a role, the messages that they say; otherwise an error.
fn is_read_or_refused(other: &Other<'_>) -> bool {
    if other.case["expect"]["fell_back_to_user_message"] != true {
        return false;
    }
    if !other.is_messages() {
        return other.is_refused(&["invalid tag `<message>`", "`<text>` is still open"])
            || refuses_text_outside(other);
    }
    let messages: Vec<_> = MESSAGE
        .captures_iter(other.text)
        .map(|message| (message[1].to_owned(), text_of(&message[2])))
        .collect();
    let found: Vec<_> =
        other.found.iter().map(|it| (it.role.to_string(), text_of(&it.text()))).collect();
    found == messages
}

/// An error, where there is such a text or such a message.
fn refuses_text_outside(other: &Other<'_>) -> bool {
    (other.is_refused(&OUTSIDE) || other.is_refused(&[NO_ROLE])) && !other.outside().is_empty()
}

/// One empty message of the user.
fn prints_nothing(other: &Other<'_>) -> bool {
    let is_empty = matches!(other.found, [message] if message.text().is_empty());
    other.text.contains(".__class__") && is_empty
}

/// The text without what the function would read from an input.
fn sees_no_inputs(other: &Other<'_>) -> bool {
    let takes_more = other.case["functions"].as_object().is_some_and(|all| {
        all.values().any(|it| it["params"].as_array().is_some_and(|names| !names.is_empty()))
    });
    let before = other.text.split("{{").next().unwrap_or_default();
    let is_alone = matches!(other.found, [message] if message.text() == before);
    other.case["format"] == "jinja2" && takes_more && other.text.contains("()") && is_alone
}

/// What templates that look at values print, which upstream sees encoded.
const SEEN: [(&str, &str); 2] =
    [("{{ x | length }}", "1"), ("{% if x == 'a&b' %}yes{% else %}no{% endif %}", "yes")];

/// The texts of a value that is no text; of texts, what the template says of them as they were given.
fn sees_values(other: &Other<'_>) -> bool {
    if other.case["expect"]["expect_error"]["type"] == "NotImplementedError" {
        let given = texts(&other.case["variables"]);
        return other.is_messages() && given.iter().all(|text| other.arrives(text));
    }
    let seen = SEEN.iter().find(|(template, _)| *template == other.text);
    seen.is_some_and(|(_, seen)| matches!(other.found, [message] if message.text() == *seen))
}

/// The same messages without the marks of comments and CDATA, which .NET keeps.
fn has_no_marks(other: &Other<'_>) -> bool {
    let without = |expected: &Value| {
        let mut text = expected["content"].as_str().unwrap_or_default().to_owned();
        text = text.replace("<![CDATA[", "").replace("]]>", "");
        while let Some((before, behind)) = text.split_once("<!--") {
            let behind = behind.split_once("-->").map_or("", |(_, behind)| behind);
            text = format!("{before}{behind}");
        }
        vec![("text".to_owned(), text_of(&text))]
    };
    let Some(expected) = other.case["expect"]["messages"].as_array() else { return false };
    let pairs = || other.found.iter().zip(expected);
    other.text.contains("<!")
        && other.found.len() == expected.len()
        && pairs().all(|(found, expected)| parts(found) == without(expected))
}

/// The messages with all their parts, and beside them parts that stand in the text, too.
fn keeps_more(other: &Other<'_>) -> bool {
    let Some(expected) = other.case["expect"]["messages"].as_array() else { return false };
    let has_more = |(found, expected): (&Message, &Value)| {
        let (found, expected) = (parts(found), expected_parts(expected));
        let mut wanted = expected.iter().peekable();
        let more: Vec<_> =
            found.iter().filter(|part| wanted.next_if(|it| it == part).is_none()).collect();
        let stand_there = more.iter().all(|(_, content)| other.text.contains(content.trim()));
        wanted.peek().is_none() && stand_there && more.len() == found.len() - expected.len()
    };
    other.found.len() == expected.len() && other.found.iter().zip(expected).all(has_more)
}
