//! Values out of replies: whatever a model writes is read alike however it is cut, what is told of a value adds
//! up to it, what was mended has its place in the text, and twice the text takes twice the work.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use prompty_core::value::Value;
use prompty_output::output::{Leniency, Output, OutputEvent};
use work_counting::{Work, check_linear, count_work};

/// Schemas that look at different sides of a value: anything, an object, a list, a choice, alternatives.
const SCHEMAS: [&str; 6] = [
    "true",
    r#"{"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}"#,
    r#"{"type": "array", "items": {"properties": {"a": {}}, "additionalProperties": true}}"#,
    r#"{"enum": ["a", "b c"]}"#,
    r#"{"anyOf": [{"type": "array"}, {"properties": {"a": {"type": "number"}}}, {"type": "null"}]}"#,
    r##"{"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"a": {"$ref": "#/$defs/T"}}}}}"##,
];

fn output(choice: u8) -> Output<Value> {
    let schema = SCHEMAS[usize::from(choice) % SCHEMAS.len()];
    let leniency = match choice / 8 % 3 {
        0 => Leniency::Exact,
        1 => Leniency::Plain,
        _ => Leniency::Generous,
    };
    Output::from_schema(Value::from_json(schema).unwrap()).with_leniency(leniency)
}

/// What a stream told, so that pieces can be compared with the whole.
#[derive(Debug, Default, PartialEq)]
struct Told {
    /// The texts that are not whole yet, by their paths.
    open: BTreeMap<String, String>,
    /// The whole values, in their order, as JSON.
    done: Vec<(String, String)>,
    /// Their paths.
    whole: BTreeSet<String>,
}

impl Told {
    fn add(&mut self, event: OutputEvent) {
        match event {
            OutputEvent::Text { path, delta } => {
                let path = path.to_string();
                self.assert_open(&path);
                self.open.entry(path).or_default().push_str(&delta);
            }
            // A number grows differently in other pieces.
            OutputEvent::Scalar { path, value } => {
                self.assert_open(&path.to_string());
                assert!(!matches!(value, Value::String(_)), "`{path}` is a text");
            }
            OutputEvent::Done { path, value } => {
                let path = path.to_string();
                self.assert_open(&path);
                let told = self.open.remove(&path);
                if let Value::String(text) = &value {
                    assert_eq!(told.as_deref().unwrap_or_default(), &**text, "told of `{path}`");
                }
                assert!(self.whole.insert(path.clone()), "`{path}` was done");
                self.done.push((path, value.to_json()));
            }
            // What was told before is void.
            OutputEvent::Restarted => *self = Self::default(),
            other => panic!("{other:?} is not known here"),
        }
    }

    /// Nothing is told of a value behind its end.
    fn assert_open(&self, path: &str) {
        assert!(!self.whole.contains(path), "`{path}` was done");
    }
}

/// What a stream tells of a text in pieces, and the value in the end.
fn told<'t>(
    output: &Output<Value>,
    pieces: impl Iterator<Item = &'t str>,
) -> (Told, Option<String>) {
    let mut stream = output.stream();
    let mut told = Told::default();
    for piece in pieces {
        stream.push(piece).into_iter().for_each(|event| told.add(event));
        black_box(stream.value_so_far());
    }
    stream.end().into_iter().for_each(|event| told.add(event));
    (told, stream.finish().ok().map(|it| it.value.to_json()))
}

/// A text in pieces of the given sizes, over and over.
fn pieces<'t>(text: &'t str, sizes: &'t [u8]) -> impl Iterator<Item = &'t str> {
    let mut rest = text;
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        let size = usize::from(*sizes.next()? % 16) + 1;
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What it takes to read a text again and again, in small pieces.
fn work_of_reading(output: &Output<Value>, text: &str, times: usize, size: u8) -> Work {
    let all = text.repeat(times);
    let ((), work) = count_work(|| {
        let mut stream = output.stream();
        pieces(&all, &[size]).for_each(|piece| drop(black_box(stream.push(piece))));
        let _ = black_box(stream.finish());
    });
    work
}

fuzz_target!(|data: &[u8]| {
    let [choice, work, sizes @ ..] = data else { return };
    let Some((sizes, text)) = sizes.split_at_checked(3) else { return };
    let text = String::from_utf8_lossy(text);
    let output = output(*choice);

    let whole = told(&output, std::iter::once(&*text));
    assert_eq!(told(&output, pieces(&text, sizes)), whole, "in pieces of {sizes:?}: {text:?}");
    assert_eq!(output.parse(&text).ok().map(|it| it.value.to_json()), whole.1, "{text:?}");
    if let Ok(parsed) = output.parse(&text) {
        let is_done = whole.0.whole.contains("");
        assert!(!(is_done && parsed.truncated), "a value that is cut is told as whole: {text:?}");
        for repair in &parsed.repairs {
            let is_piece = repair.range().is_none_or(|range| text.get(range).is_some());
            assert!(is_piece, "the repair {repair} is at no place of {text:?}");
        }
    }

    // The work is counted for some of the texts only: it takes long.
    if !text.is_empty() && work % 32 == 0 {
        let few = 2_048 / text.len() + 1;
        let reading = |times| work_of_reading(&output, &text, times, sizes[0]);
        if let Err(growth) = check_linear(few, reading) {
            panic!("the work grows faster than {text:?} does: {growth}");
        }
    }
});
