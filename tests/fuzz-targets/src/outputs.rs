//! Values from replies. A reply is read the same however it is split, and the events of a value add
//! up to the value. Each repair has a place in the text, and twice the text takes twice the work.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

use prompty_core::value::Value;
use prompty_output::output::{Leniency, Output, OutputEvent};
use work_counting::{Work, check_linear, count_work};

/// Schemas of different kinds: anything, an object, an array, a choice, alternatives, recursion.
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
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    output.with_leniency(leniency).with_truncated()
}

/// The events of a stream, to compare a text in pieces with the complete text.
#[derive(Debug, Default, PartialEq)]
struct StreamedOutput {
    /// The incomplete strings, by their paths.
    open: BTreeMap<String, String>,
    /// The complete values in order, as JSON.
    done: Vec<(String, String)>,
    /// Their paths.
    done_paths: BTreeSet<String>,
}

impl StreamedOutput {
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
                assert!(!matches!(value, Value::String(_)), "`{path}` is a string");
            }
            OutputEvent::Done { path, value } => {
                let path = path.to_string();
                self.assert_open(&path);
                let streamed_text = self.open.remove(&path);
                if let Value::String(text) = &value {
                    let streamed_text = streamed_text.unwrap_or_default();
                    assert_eq!(streamed_text, **text, "text of `{path}`");
                }
                assert!(self.done_paths.insert(path.clone()), "`{path}` was already complete");
                self.done.push((path, value.to_json()));
            }
            // The earlier events are invalid.
            OutputEvent::Restarted => *self = Self::default(),
            other => panic!("unknown event {other:?}"),
        }
    }

    /// No event of a value follows its end.
    fn assert_open(&self, path: &str) {
        assert!(!self.done_paths.contains(path), "`{path}` was already complete");
    }
}

/// The events of a stream for a text in pieces, and the final value.
fn stream_events<'t>(
    output: &Output<Value>,
    pieces: impl Iterator<Item = &'t str>,
) -> (StreamedOutput, Option<String>) {
    let mut stream = output.stream();
    let mut streamed = StreamedOutput::default();
    for piece in pieces {
        stream.push(piece).into_iter().for_each(|event| streamed.add(event));
        black_box(stream.value_so_far());
    }
    stream.end().into_iter().for_each(|event| streamed.add(event));
    (streamed, stream.finish().ok().map(|it| it.value.to_json()))
}

/// A text in pieces of the given sizes, over and over.
fn pieces<'t>(text: &'t str, sizes: &'t [u8]) -> impl Iterator<Item = &'t str> {
    let mut rest = text;
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        let size = usize::from(*sizes.next()? % 16) + 1;
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The work to read a repeated text in small pieces.
fn count_reading(output: &Output<Value>, text: &str, times: usize, size: u8) -> Work {
    let all = text.repeat(times);
    let ((), work) = count_work(|| {
        let mut stream = output.stream();
        pieces(&all, &[size]).for_each(|piece| drop(black_box(stream.push(piece))));
        let _ = black_box(stream.finish());
    });
    work
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let [choice, work, sizes @ ..] = data else { return false };
    let Some((sizes, text)) = sizes.split_at_checked(3) else { return false };
    let text = String::from_utf8_lossy(text);
    let output = output(*choice);

    let complete = stream_events(&output, std::iter::once(&*text));
    assert_eq!(
        stream_events(&output, pieces(&text, sizes)),
        complete,
        "in pieces of {sizes:?}: {text:?}"
    );
    let parsed = output.parse(&text);
    assert_eq!(parsed.as_ref().ok().map(|it| it.value.to_json()), complete.1, "{text:?}");
    if let Ok(parsed) = &parsed {
        let is_done = complete.0.done_paths.contains("");
        assert!(
            !(is_done && parsed.truncated),
            "a truncated value is reported as complete: {text:?}"
        );
        for repair in &parsed.repairs {
            let is_piece = repair.range().is_none_or(|range| text.get(range).is_some());
            assert!(is_piece, "the repair {repair} is outside of {text:?}");
        }
    }

    // The work is only counted for some texts, because that takes long. The shortest of them is so
    // long that the limits on reading again, which begin after 400 bytes, have begun. If a limit
    // begins between the first two sizes, larger ones decide.
    if !text.is_empty() && work % 32 == 0 {
        let few = 8_192 / text.len() + 1;
        let reading = |times| count_reading(&output, &text, times, sizes[0]);
        if check_linear(few, reading).is_err()
            && let Err(growth) = check_linear(few * 4, reading)
        {
            panic!("the work grows faster than {text:?}: {growth}");
        }
    }
    parsed.is_ok()
}
