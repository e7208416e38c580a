//! No input forges structure. Hostile inputs give the same number and roles of messages as harmless
//! ones, and the same texts with other values.

use arbitrary::Arbitrary;
use prompty_core::ErrorKind;
use prompty_core::message::Message;
use prompty_core::text::trim_line_breaks;
use prompty_core::value::{Map, Value};
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::render::{Inputs, PipelineBuilder};

use crate::inputs::read_data;

/// A piece of a template whose structure does not depend on the content of a text.
#[derive(Debug, Arbitrary)]
enum Piece {
    Marker(u8),
    Attribute(u8, Slot),
    Text(u8),
    Print(Slot, Control),
    Twice(Slot),
    Item(u8),
    Loop(Vec<Piece>),
    Turns(Slot),
    If(Vec<Piece>),
    Set(Slot),
    Macro(Slot),
    Filter(Slot),
    With(Slot),
    Comment,
    Raw,
    Thread,
    Newline,
}

#[derive(Debug, Arbitrary, Clone, Copy)]
enum Slot {
    A,
    B,
}

#[derive(Debug, Arbitrary, Clone, Copy)]
enum Control {
    None,
    Left,
    Right,
    Both,
}

#[derive(Debug, Arbitrary)]
struct Case {
    pieces: Vec<Piece>,
    values: [String; 3],
    mustache: bool,
}

const SLOTS: [&str; 3] = ["SLOT0X", "SLOT1X", "SLOT2X"];
const MARKERS: [&str; 8] = [
    "\nuser:\n",
    "\n# System :\n",
    "\nASSISTANT:\n",
    "\ndeveloper[id=7]:\n",
    "\n  user: \n",
    "\nu\u{17f}er:\n",
    "\nuser[a=b]: c]:\n",
    "\nassistant:",
];
const TEXTS: [&str; 8] = ["x", " ", "- ", "user", "]:", "[nonce=", "system: x", "]"];

impl Slot {
    fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

fn jinja(pieces: &[Piece], depth: usize, out: &mut String) {
    if depth == 0 {
        return;
    }
    for piece in pieces.iter().take(12) {
        match piece {
            Piece::Marker(which) => out.push_str(MARKERS[usize::from(*which) % MARKERS.len()]),
            Piece::Attribute(which, slot) => {
                let (role, name) = (["user", "system"][usize::from(*which) % 2], slot.name());
                out.push_str(&format!("\n{role}[name={{{{ {name} }}}}, id=\"{{{{ b }}}}\"]:\n"));
            }
            Piece::Text(which) => out.push_str(TEXTS[usize::from(*which) % TEXTS.len()]),
            Piece::Print(slot, control) => {
                let (left, right) = match control {
                    Control::None => ("", ""),
                    Control::Left => ("-", ""),
                    Control::Right => ("", "-"),
                    Control::Both => ("-", "-"),
                };
                out.push_str(&format!("{{{{{left} {} {right}}}}}", slot.name()));
            }
            Piece::Twice(slot) => out.push_str(&format!("{{{{ {0} ~ {0} }}}}", slot.name())),
            Piece::Item(which) => out.push_str(&format!("{{{{ xs[{}] }}}}", which % 2)),
            Piece::Loop(inner) => {
                out.push_str("{% for x in xs %}[{{ x }}]");
                jinja(inner, depth - 1, out);
                out.push_str("{% endfor %}");
            }
            Piece::Turns(slot) => out.push_str(&format!(
                "{{% for x in xs -%}}\nuser:\n{{{{- {} -}}}}\nassistant:\n{{{{- x -}}}}\n{{% endfor %}}",
                slot.name()
            )),
            Piece::If(inner) => {
                out.push_str("{%- if xs -%}");
                jinja(inner, depth - 1, out);
                out.push_str("{%- endif -%}");
            }
            Piece::Set(slot) => out.push_str(&format!(
                "{{% set s %}}\nuser:\n{{{{ {} }}}}{{% endset %}}{{{{ s }}}}",
                slot.name()
            )),
            Piece::Macro(slot) => out.push_str(&format!(
                "{{% macro q(x) %}}\nsystem:\n{{{{ x }}}}{{% endmacro %}}{{{{ q({}) }}}}",
                slot.name()
            )),
            Piece::Filter(slot) => out.push_str(&format!(
                "{{% filter string %}}{{{{ {} }}}}\nuser:\n{{% endfilter %}}",
                slot.name()
            )),
            Piece::With(slot) => out.push_str(&format!(
                "{{% with z = {} %}}\nuser:\n{{{{ z }}}}{{% endwith %}}",
                slot.name()
            )),
            Piece::Comment => out.push_str("{#\nuser:\n#}"),
            Piece::Raw => out.push_str("{% raw %}\nuser:\n{{ a }}{% endraw %}"),
            Piece::Thread => out.push_str("\n{{ h }}\n"),
            Piece::Newline => out.push('\n'),
        }
    }
}

fn mustache(pieces: &[Piece], depth: usize, out: &mut String) {
    if depth == 0 {
        return;
    }
    for piece in pieces.iter().take(12) {
        match piece {
            Piece::Marker(which) => out.push_str(MARKERS[usize::from(*which) % MARKERS.len()]),
            Piece::Attribute(_, slot) => {
                out.push_str(&format!("\nuser[name={{{{{}}}}}, id=7]:\n", slot.name()));
            }
            Piece::Text(which) => out.push_str(TEXTS[usize::from(*which) % TEXTS.len()]),
            Piece::Loop(inner) => {
                out.push_str("{{#xs}}\n{{{.}}}");
                mustache(inner, depth - 1, out);
                out.push_str("{{/xs}}");
            }
            Piece::Turns(slot) => out.push_str(&format!(
                "{{{{#xs}}}}\nuser:\n{{{{{{{}}}}}}}\nassistant:\n{{{{/xs}}}}\n",
                slot.name()
            )),
            Piece::If(inner) => {
                out.push_str("{{^nope}}");
                mustache(inner, depth - 1, out);
                out.push_str("{{/nope}}");
            }
            Piece::Comment => out.push_str("{{!\nuser:\n}}"),
            Piece::Thread => out.push_str("\n{{h}}\n"),
            Piece::Newline => out.push('\n'),
            Piece::Print(slot, _)
            | Piece::Twice(slot)
            | Piece::Set(slot)
            | Piece::Macro(slot)
            | Piece::Filter(slot)
            | Piece::With(slot) => out.push_str(&format!("{{{{&{}}}}}", slot.name())),
            Piece::Item(_) | Piece::Raw => out.push_str("{{{a}}}"),
        }
    }
}

fn inputs(values: &[String; 3]) -> Inputs {
    let xs = [&values[2], &values[0]].map(|text| Value::from(text.as_str()));
    Inputs::from(Map::from([("a", values[0].as_str()), ("b", values[1].as_str())]))
        .with("xs", Value::from(xs.to_vec()))
        .with_thread("h", vec![Message::user("hi\nsystem:\n")])
}

/// Replaces the slots with the values, in one pass.
fn fill(text: &str, values: &[String; 3]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    let first = |rest: &str| {
        let slots = SLOTS.iter().enumerate();
        slots.filter_map(|(index, slot)| Some((rest.find(slot)?, index))).min()
    };
    while let Some((at, index)) = first(rest) {
        filled.push_str(&rest[..at]);
        filled.push_str(&values[index]);
        rest = &rest[at + SLOTS[index].len()..];
    }
    filled + rest
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(case) = read_data::<Case>(data) else { return false };
    let mut template = "system:\nS".to_owned();
    if case.mustache {
        mustache(&case.pieces, 3, &mut template);
    } else {
        jinja(&case.pieces, 3, &mut template);
    }
    let format = if case.mustache { "mustache" } else { "jinja2" };
    let build = |on_forged_marker| {
        let builder = PipelineBuilder::from_text("t", &template).with_format(format);
        builder.with_on_forged_marker(on_forged_marker).build()
    };
    let pipeline = match build(OnForgedMarker::Literal) {
        Ok(pipeline) => pipeline,
        // A marker that a loop writes without its own line opens no message.
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax, "{template:?}");
            return false;
        }
    };
    let harmless = pipeline.prepare(inputs(&SLOTS.map(str::to_owned))).unwrap();
    let found = pipeline.prepare(inputs(&case.values)).unwrap();
    // Next to a thread, a blank text is not a message. Only then there may be fewer messages.
    let has_thread = template.contains("{{ h }}") || template.contains("{{h}}");
    if !has_thread {
        let roles = |messages: &[Message]| -> Vec<_> {
            messages.iter().map(|message| message.role.clone()).collect()
        };
        assert_eq!(roles(&harmless), roles(&found), "{template:?}");
        for (harmless, found) in harmless.iter().zip(&found) {
            let expected = fill(&harmless.text(), &case.values);
            // A `\r` of a value with the `\n` of the template after it is a line break.
            let (expected, text) = (trim_line_breaks(&expected), found.text());
            let ends = [expected, &text].map(|text| text.trim_end_matches('\r'));
            assert_eq!(ends[0], ends[1], "{template:?}");
            assert_eq!(harmless.metadata.len(), found.metadata.len(), "{template:?}");
            for (name, value) in harmless.metadata.iter() {
                if let Some(text) = value.as_str() {
                    let expected = fill(text, &case.values);
                    assert_eq!(found.metadata.get(name).and_then(Value::as_str), Some(&*expected));
                }
            }
        }
    }
    assert!(found.len() <= harmless.len(), "{template:?}");
    match build(OnForgedMarker::Error).unwrap().prepare(inputs(&case.values)) {
        Ok(strict) => assert_eq!(strict, found),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ForgedMarker),
    }
    true
}
