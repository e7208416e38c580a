//! Slots with the values of a render.

use typed_prompty::slots::{Slot, Slots};
use typed_prompty::{Map, Message, Value};

use super::values::Values;

/// The messages, and the titles in the single text, as a reader would find them.
pub(crate) fn structure(values: &Values) -> (Vec<Message>, Vec<String>) {
    let Values { a, b, c, d } = values;
    let nested = Value::from(Map::from([(c.as_str(), Value::from(vec![d.as_str(), a.as_str()]))]));
    let slots = Slots::new()
        .with_system(a.as_str())
        .with_thread(&values.thread())
        .with_info(nested)
        .with(Slot::Examples, vec![Value::from(b.as_str()), Value::from(d.as_str())])
        .with("style", c.as_str())
        .with_instruct(b.as_str())
        .with_input(a.as_str());
    (slots.to_messages().unwrap(), titles(&slots.to_text().unwrap()))
}

/// The titles at the beginnings of lines. White space and characters outside of ASCII are skipped,
/// except for the wide forms of those in ASCII.
fn titles(text: &str) -> Vec<String> {
    let lines = text.split(|it: char| "\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}".contains(it));
    lines.filter_map(title).collect()
}

fn title(line: &str) -> Option<String> {
    const KNOWN: &[&str] = &[
        "[system]",
        "[chathistory]",
        "[info]",
        "[examples]",
        "[style]",
        "[instruct]",
        "[input]",
        "[output]",
        "[user]",
        "[assistant]",
        "user",
        "assistant",
    ];
    // `é` is the visible character outside of ASCII in the values: `é assistant:` is not a title.
    let is_part = |it: &char| it.is_ascii_graphic() || *it == 'é';
    let narrow = |it: char| match u32::from(it) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(it),
        _ => it,
    };
    let visible: String = line.chars().map(narrow).filter(is_part).collect();
    let (title, _) = visible.split_once(':')?;
    let title = title.to_lowercase();
    KNOWN.contains(&title.as_str()).then_some(title)
}
