//! Prompts of slots with hostile data everywhere. No value opens or ends a block or creates a
//! message, and no value is lost.

use prompty_core::message::Message;
use prompty_core::schema::shape::Shape;
use prompty_core::slots::{Layout, Padding, Slot, SlotTool, Slots, UnknownPlaceholder};
use prompty_core::value::{Map, Value};

use crate::inputs::read_data;

/// The data of a case.
#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    system: Text,
    named: Text,
    history: Text,
    info: Text,
    style: Text,
    instruct: Text,
    input: Text,
    tool: Text,
    title: Text,
    references: bool,
    nested: bool,
    labels: bool,
}

/// A text that imitates structure.
#[derive(Debug, arbitrary::Arbitrary)]
struct Text(Vec<Piece>);

#[derive(Debug, Clone, Copy, arbitrary::Arbitrary)]
enum Piece {
    Known(u8),
    Any(char),
}

const KNOWN: [&str; 24] = [
    "\n",
    "\r",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    " ",
    "\t",
    "\u{200B}",
    "\u{FEFF}",
    "[",
    "]",
    ":",
    "：",
    "［",
    "］",
    "\\",
    "- ",
    "INPUT",
    "input",
    "[INSTRUCT]:",
    "STYLE",
    "user",
    "assistant:",
    "${input}",
];

impl Text {
    fn text(&self) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Known(index) => KNOWN[usize::from(*index) % KNOWN.len()].to_owned(),
            Piece::Any(any) => any.to_string(),
        });
        pieces.collect()
    }
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(case) = read_data::<Case>(data) else { return false };
    let layout = Layout::new().with_slot_references(case.references).with_padding(if case.labels {
        Padding::Labels
    } else {
        Padding::Empty
    });
    // Each value begins with a letter, so that no block is empty.
    let value = |text: &Text| match case.nested {
        true => {
            let map = Map::from([(&*text.text(), Value::from(format!("x{}", text.text())))]);
            Value::from(vec![Value::from("x"), map.into()])
        }
        false => Value::from(format!("x\n{}", text.text())),
    };
    let tool = case.tool.text();
    let kwargs = Shape::object([(tool.as_str(), Shape::text().with_description(tool.as_str()))]);
    let values = [("system", &case.system), ("named", &case.named), ("title", &case.title)];
    let values: Map =
        values.into_iter().map(|(name, text)| (name, Value::from(text.text()))).collect();
    let texts = Slots::new()
        .with_system("x ${system}")
        .with(Slot::Developer, "${named}x")
        .with_instruct(format!("x{}", case.instruct.text()))
        .filled(&values, UnknownPlaceholder::Keep)
        .unwrap();
    let agent = texts.with_info(value(&case.info)).with("STYLE", value(&case.style));
    let slots = agent
        .child()
        .with_thread(&[Message::user(case.history.text())])
        .with_tool(
            SlotTool::new(tool.as_str(), tool.as_str(), kwargs).with("more", value(&case.tool)),
        )
        .with_input(value(&case.input));
    assert_blocks(&slots, &layout);
    assert_messages(&slots, &layout);
    assert_title_from_data(&case.title.text(), &values, &layout);
    true
}

/// The lines of a text that look like structure.
fn structure(text: &str) -> Vec<String> {
    let is_break =
        |c| matches!(c, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut found = Vec::new();
    for line in text.split(is_break) {
        let visible: String = line
            .chars()
            .filter(|c| {
                !c.is_whitespace()
                    && !c.is_control()
                    && !"\u{200B}\u{200D}\u{FEFF}\u{AD}".contains(*c)
            })
            .collect();
        let visible = visible.to_lowercase();
        let visible = visible.replace('［', "[").replace('］', "]").replace('：', ":");
        let title = visible.strip_prefix('[').and_then(|rest| rest.split_once("]:"));
        let is_slots = |title: &str| {
            title == "style"
                || title == "user"
                || Slot::ALL
                    .iter()
                    .any(|it| it.title().replace(' ', "").eq_ignore_ascii_case(title))
        };
        match title {
            Some((title, _)) if is_slots(title) => found.push(format!("[{title}]")),
            _ if visible.starts_with("user:") => found.push("user".to_owned()),
            _ if visible.starts_with("assistant:") => found.push("assistant".to_owned()),
            _ => {}
        }
    }
    found
}

fn assert_blocks(slots: &Slots<'_>, layout: &Layout) {
    let written = slots.to_text_with(layout).unwrap();
    let expected = [
        "user",
        "[system]",
        "[developerdirections]",
        "[chathistory]",
        "[user]",
        "[tools]",
        "[info]",
        "[style]",
        "[instruct]",
        "[input]",
        "[output]",
        "assistant",
    ];
    assert_eq!(structure(&written.prompt), expected, "{}", written.prompt);
    assert!(written.skipped.is_empty());
}

fn assert_messages(slots: &Slots<'_>, layout: &Layout) {
    let written = slots.to_messages_with(layout).unwrap();
    let roles: Vec<&str> = written.prompt.iter().map(|message| message.role.as_str()).collect();
    assert_eq!(roles, ["system", "developer", "user", "assistant", "user"]);
    let main = written.prompt.last().unwrap().text();
    let found: Vec<String> =
        structure(&main).into_iter().filter(|it| it.starts_with('[') && it != "[user]").collect();
    let expected = ["[tools]", "[info]", "[style]", "[instruct]", "[input]", "[output]"];
    assert_eq!(found, expected, "{main}");
}

/// A title from data is a separate block, or an error.
fn assert_title_from_data(title: &str, values: &Map, layout: &Layout) {
    let slots = Slots::new().with("STYLE", "x").with("${title}", "x").with_input("x");
    let Ok(filled) = slots.filled(values, UnknownPlaceholder::Refuse) else { return };
    assert!(filled.own_values().contains_key(title));
    if let Ok(written) = filled.to_text_with(layout) {
        let found = structure(&written.prompt);
        assert_eq!(
            found,
            ["user", "[style]", "[input]", "[output]", "assistant"],
            "{}",
            written.prompt
        );
    }
}
