//! Replies of a length: long lists of the smallest parts, deep, repeated, mixed, damaged in each way
//! that is repaired, and with other text around.

/// A reply and its name.
pub(crate) struct Reply {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// What is repeated in an array.
const ITEMS: [&str; 28] = [
    "1,",
    "0 ",
    "\"\",",
    "\"a\",",
    "'a',",
    "a,",
    "a b ",
    "[],",
    "{},",
    "null,",
    "None,",
    "true,",
    "1.5,",
    "\"1\",",
    "{\"a\": 1},",
    "{\"a\": [1]},",
    "{a:1},",
    "{\"a\":\"x\"} ",
    "/**/",
    "//\n",
    "# x\n",
    "...,",
    "\"x\"y\",",
    "\"\\n\\u00e4\",",
    "\"\n\",",
    ",",
    ":",
    "\u{201c}a\u{201d}\u{ff0c}",
];

/// What is repeated in an object, with a number in the place of `#`.
const ENTRIES: [&str; 14] = [
    "\"k#\":1,",
    "\"k#\":\"\",",
    "k#:a,",
    "'k#':'a',",
    "\"k#\" 1,",
    "\"k#\"=>1,",
    "\"k#\":[],",
    "\"k#\":,",
    "\"k#\":\"x\"y\",",
    "\"k#\": a b\n",
    "\"k#\":{\"a\":1},",
    "\"a\":1,",
    "\"A\":1,",
    "\"k#\":```\nx\n```\n",
];

/// What is repeated in a string.
const IN_TEXT: [&str; 22] = [
    "a",
    " ",
    "\n",
    "\\n",
    "\\u00e4",
    "\\q",
    "\u{1f600}",
    "\"x",
    "\n\"x",
    "\", x",
    "\": ",
    "\", /*",
    "\" \"k\"/* ",
    "{\"k",
    "\\\"",
    "]",
    "}\n",
    "\" + \"",
    ", k: ",
    "'",
    "`",
    "\" // ",
];

/// What is repeated around, or in place of, a value.
const PROSE: [&str; 22] = [
    "a word. ",
    "[",
    "{",
    "[ x",
    "{ y ",
    "[x] ",
    "[1] ",
    "{}",
    "```\n",
    "```json\n{}\n```\n",
    "</think>",
    "[1]</think>",
    "<think>",
    "</",
    "(",
    "\"",
    "{\"",
    "\n\n",
    "/* ",
    "[see this",
    "{\"a\": 1} ",
    "[\"",
];

/// What is repeated, nested in each other, with its end.
const NESTED: [(&str, &str); 8] = [
    ("[", "]"),
    ("{\"a\":", "}"),
    ("[[],", "]"),
    ("{\"a\":1,\"b\":[", "]}"),
    ("{a:", "}"),
    ("[\"x\" ", "]"),
    ("{\"a\":\"{\\\"a\\\":1}\",\"b\":[", "]}"),
    ("[{\"a\":", "}]"),
];

/// Depths of nested values. The largest is too deep.
const DEPTHS: [usize; 4] = [8, 40, 100, 300];

/// All replies, of about this length.
pub(crate) fn all(length: usize) -> Vec<Reply> {
    let mut replies = Vec::new();
    let mut add = |name: String, text: String| replies.push(Reply { name, text });
    for item in ITEMS {
        let items = repeated(item, length);
        add(format!("a list of {item:?}"), format!("[{items}]"));
        add(format!("a list of {item:?} without an end"), format!("[{items}"));
        add(format!("a list of {item:?} as `a`"), format!("{{\"a\": [{items}]}}"));
        add(format!("lists of one {item:?}"), repeated(&format!("[{item}] "), length));
        add(
            format!("a list of {item:?} in prose"),
            format!("Here it is:\n[{items}]\nThat is all."),
        );
        add(format!("a list of {item:?} in a fence"), format!("```json\n[{items}]\n```"));
        add(format!("a list of {item:?} after reasoning"), format!("<think>[1]</think>[{items}]"));
        add(
            format!("a list of {item:?} in a string"),
            format!("\"[{}]\"", items.replace('"', "\\\"")),
        );
    }
    for entry in ENTRIES {
        let entries = numbered(entry, length);
        add(format!("entries {entry:?}"), format!("{{{entries}}}"));
        add(format!("entries {entry:?} without an end"), format!("{{{entries}"));
        add(
            format!("objects of one {entry:?}"),
            format!("[{}]", repeated(&format!("{{{entry}}},"), length)),
        );
    }
    for part in IN_TEXT {
        let text = repeated(part, length);
        for (open, close) in
            [("{\"a\": \"", "\"}"), ("[\"", "\"]"), ("\"", "\""), ("{\"", "\": 1}"), ("[\"", "")]
        {
            add(format!("a string of {part:?} in {open}{close}"), format!("{open}{text}{close}"));
        }
        add(format!("a bare string of {part:?}"), format!("{{a: x{text}}}"));
        add(format!("a text of {part:?}"), text);
    }
    for part in PROSE {
        let prose = repeated(part, length);
        add(format!("prose of {part:?}"), prose.clone());
        add(format!("prose of {part:?} before a value"), format!("{prose} {{\"a\": 1}}"));
        add(format!("prose of {part:?} after a value"), format!("{{\"a\": 1}} {prose}"));
        add(format!("reasoning of {part:?}"), format!("<think>{prose}</think>{{\"a\": [1]}}"));
        add(format!("a fence of {part:?}"), format!("```json\n{prose}\n```"));
    }
    for ((open, close), depth) in NESTED.into_iter().flat_map(|it| DEPTHS.map(|depth| (it, depth)))
    {
        let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        add(
            format!("{depth} levels of {open:?}, again and again"),
            repeated(&format!("{nested}\n"), length),
        );
        add(
            format!("a list of {depth} levels of {open:?}"),
            format!("[{}]", repeated(&format!("{nested},"), length)),
        );
        let inner = repeated("1,", length);
        add(
            format!("a list in {depth} levels of {open:?}"),
            format!("{}[{inner}]{}", open.repeat(depth), close.repeat(depth)),
        );
    }
    let key = repeated("key", length / 2);
    for value in ["1,", "\"1\",", "{\"a\":1},", "{\"a\":[]}"] {
        let values = repeated(value, length / 2);
        add(format!("a list of {value:?} in a long key"), format!("{{\"{key}\": [{values}]}}"));
    }
    let mixed: Vec<&str> = ITEMS.into_iter().chain(IN_TEXT).chain(PROSE).collect();
    for step in [1, 7, 13, 29] {
        let unit: String = mixed.iter().cycle().step_by(step).take(mixed.len()).copied().collect();
        add(format!("a mixture with the step {step}"), repeated(&unit, length));
        add(
            format!("a list of a mixture with the step {step}"),
            format!("[{}]", repeated(&unit, length)),
        );
    }
    replies
}

fn repeated(unit: &str, length: usize) -> String {
    unit.repeat((length / unit.len()).max(1))
}

fn numbered(entry: &str, length: usize) -> String {
    let entries = (0..length / entry.len()).map(|index| entry.replace('#', &index.to_string()));
    entries.collect()
}
