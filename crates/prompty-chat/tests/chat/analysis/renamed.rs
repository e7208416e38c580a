//! Markers are not detected by their names: if all are renamed, the format is renamed as well.

use serde_json::Value;

use super::{TEMPLATES, analyze};

/// The words in the markers of the templates, and words to replace them.
const WORDS: &[(&str, &str)] = &[
    ("<<", "[<"),
    (">>", ">]"),
    ("mull", "xylo"),
    ("act»", "verb»"),
    ("turn ", "part "),
    ("/turn", "/part"),
    ("SPEAK", "UTTER"),
    ("STEPS", "LADDER"),
    ("FINISH", "OVER"),
    ("BEGIN", "ONSET"),
    ("\"no\"", "\"nth\""),
    ("\"do\"", "\"verb\""),
    ("\"args\"", "\"given\""),
    ("\"fn\"", "\"f\""),
    ("\"title\"", "\"label\""),
    ("\"tool\"", "\"who\""),
    ("\"with\"", "\"what\""),
    ("job", "chore"),
    ("stop", "halt"),
    ("pre>", "post>"),
    ("[ASK]", "[QUERY]"),
    ("[/ASK]", "[/QUERY]"),
    ("[RUN]", "[EXEC]"),
    ("[KEY]", "[NUM]"),
    ("[WITH]", "[FROM]"),
    ("ponder", "chew"),
    ("set=", "fill="),
    ("/set", "/fill"),
    ("to=", "at="),
    ("/to>", "/at>"),
    ("muse", "hum"),
    ("word", "line"),
    ("<|[|>", "<|(|>"),
    ("<|]|>", "<|)|>"),
    ("idea", "whim"),
    ("#!", "%%"),
    ("use tool", "via name"),
    ("/use", "/via"),
    ("entry", "cell"),
    ("mind", "head"),
    ("<|do|>", "<|doing|>"),
    ("<|/do|>", "<|/doing|>"),
    ("<|q|>", "<|tick|>"),
    ("aside", "margin"),
    ("go|>", "off|>"),
    ("<|go", "<|off"),
    ("run ", "perform "),
    ("wait", "pause"),
    ("<|from|>", "<|by|>"),
    ("<|on|>", "<|via|>"),
    ("<|text|>", "<|body|>"),
    ("notes", "draft"),
    ("wire", "cable"),
    (">air", ">aloud"),
    ("for=", "into="),
    ("tools.", "kit."),
    ("over|>", "end|>"),
    ("everyone", "anybody"),
    ("<id>", "<number>"),
    ("=== ANSWER ===", "*** REPLY ***"),
    ("### ", "@@@ "),
    ("do>", "act>"),
    ("name>", "who>"),
    ("arg>", "par>"),
    ("k>", "key>"),
    ("v>", "val>"),
    ("inner", "upper"),
    ("outer", "lower"),
];

fn rename(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A value with every string in it renamed.
fn renamed(value: Value) -> Value {
    match value {
        // The names of JSON fields are quoted in a template.
        Value::String(text) => {
            let quoted = rename(&format!("\"{text}\""));
            let inner = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            Value::String(inner.unwrap().to_owned())
        }
        Value::Array(items) => items.into_iter().map(renamed).collect(),
        Value::Object(map) => map.into_iter().map(|(key, it)| (key, renamed(it))).collect(),
        other => other,
    }
}

#[test]
fn a_format_follows_when_every_marker_is_renamed() {
    for (name, text) in TEMPLATES {
        let format = |text: &str| serde_json::to_value(analyze(text).format()).unwrap();
        assert_eq!(format(&rename(text)), renamed(format(text)), "{name}");
    }
}
