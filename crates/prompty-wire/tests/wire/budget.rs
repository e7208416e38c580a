//! The budget of the readers of answers: memory and steps are proportional to the bytes of a body,
//! whatever its shape is.

use std::thread;

use prompty_wire::{Embeddings, Images, ModelListing, Protocol, WireError};
use work_counting::{Work, count_work};

use super::answer_shapes::{ANSWERS, STREAMS, long_shapes, short_shapes};

/// The maximum memory for each byte of a body.
const PER_BYTE: u64 = 8;

/// The memory that a reader may need in addition, for a limited number of items, and of values that
/// only the provider understands.
const CONSTANT: u64 = 14 << 20;

/// The steps that a reader may need in addition.
const CONSTANT_STEPS: u64 = 1 << 10;

/// The length of most bodies in bytes.
const LENGTH: usize = 8 << 10;

/// The memory in addition to [`PER_BYTE`] that needs a longer body to see whether it grows.
const SUSPICIOUS: u64 = 512 << 10;

/// The length of the longer bodies, as a multiple of [`LENGTH`].
const LONGER: usize = 96;

/// The maximum ratio of a shape to the median of all shapes.
const MAX_RATIO: u64 = 10;

/// One of the counts of work.
type CountOf = fn(&Work) -> u64;

/// Reads a body, whatever the result is.
type ReadBody = fn(&str);

/// The work of reading one shape, and the length of the body.
struct Measured {
    name: String,
    length: u64,
    work: Work,
}

impl Measured {
    fn new(name: &str, body: &str, read: impl FnOnce(&str)) -> Self {
        let ((), work) = count_work(|| read(body));
        Self { name: name.to_owned(), length: body.len() as u64, work }
    }

    fn is_suspicious(&self) -> bool {
        self.work.bytes.max(self.work.held) > self.length * PER_BYTE + SUSPICIOUS
    }
}

/// Measures a shape. If it needs more memory than its length allows, it is measured again, with a
/// longer body.
fn measure(name: &str, body: impl Fn(usize) -> String, read: impl Fn(&str)) -> Measured {
    let measured = Measured::new(name, &body(LENGTH), &read);
    match measured.is_suspicious() {
        true => Measured::new(name, &body(LENGTH * LONGER), &read),
        false => measured,
    }
}

/// Fails if a shape needs more memory than its length allows, or much more work than the others.
#[track_caller]
fn check(measured: &[Measured]) {
    let mut failures = Vec::new();
    let counts: [(&str, u64, CountOf); 3] = [
        ("steps", CONSTANT_STEPS, |it| it.steps),
        ("allocated bytes", CONSTANT, |it| it.bytes),
        ("held bytes", CONSTANT, |it| it.held),
    ];
    for (name, constant, count) in counts {
        let mut all: Vec<u64> = measured.iter().map(|it| count(&it.work) / it.length).collect();
        all.sort_unstable();
        let most = all[all.len() / 2].max(1) * MAX_RATIO;
        let most = if name == "held bytes" { PER_BYTE } else { most };
        for it in measured.iter().filter(|it| count(&it.work) > it.length * most + constant) {
            failures.push(format!(
                "{} {name} for each byte: {}",
                count(&it.work) / it.length,
                it.name
            ));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn read_stream(protocol: Protocol, body: &str, piece: usize) {
    let mut stream = protocol.reader();
    body.as_bytes().chunks(piece).for_each(|piece| _ = stream.push_bytes(piece));
    _ = stream.finish();
}

fn lines(events: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    events
        .into_iter()
        .map(|event| format!("data: {}\n\n", event.as_ref().replace('\n', "")))
        .collect()
}

/// Complete answers of models.
fn complete_answers() -> Vec<Measured> {
    let mut measured = Vec::new();
    for (protocol, sample) in ANSWERS {
        let read = |body: &str| _ = protocol.read(200, body.as_bytes());
        let shapes = long_shapes(sample);
        measured.extend(shapes.iter().map(|shape| measure(&shape.name, &shape.json, read)));
    }
    measured
}

/// Model lists, embeddings, images and errors.
fn other_answers() -> Vec<Measured> {
    let models = r#"{"data": [{"id": "a", "name": "b", "input_modalities": ["text"], "properties":
        {"model": {"name": "a"}}}], "value": [{"name": "c"}], "has_more": true, "last_id": "a"}"#;
    let embeddings = r#"{"model": "m", "data": [{"index": 0, "embedding": [0.5]}], "usage": {}}"#;
    let images = r#"{"data": [{"url": "a", "b64_json": "b", "revised_prompt": "c"}]}"#;
    let error = r#"{"error": {"message": "a", "type": "b", "code": "c", "param": "d"}}"#;
    let readers: [(&str, ReadBody); 6] = [
        (models, |json| _ = ModelListing::OpenAi.read(200, json.as_bytes())),
        (models, |json| _ = ModelListing::Foundry.read(200, json.as_bytes())),
        (embeddings, |json| _ = Embeddings::read(200, json.as_bytes())),
        (images, |json| _ = Images::read(200, json.as_bytes())),
        (error, |json| _ = WireError::from_response(500, json.as_bytes())),
        (error, |json| _ = Protocol::OpenAiChat.read(200, json.as_bytes())),
    ];
    let mut measured = Vec::new();
    for (sample, read) in readers {
        let shapes = long_shapes(sample);
        measured.extend(shapes.iter().map(|shape| measure(&shape.name, &shape.json, read)));
    }
    measured
}

/// Streams with one long event.
fn streams() -> Vec<Measured> {
    let mut measured = Vec::new();
    for (protocol, events) in STREAMS {
        let read = |body: &str| read_stream(protocol, body, 4 << 10);
        for (at, event) in events.iter().enumerate() {
            for shape in long_shapes(event) {
                let body = |length| {
                    let json = (shape.json)(length);
                    let mut events = events.to_vec();
                    events[at] = &json;
                    lines(events)
                };
                measured.push(measure(&shape.name, body, read));
            }
        }
    }
    measured
}

/// Streams that repeat one event.
fn repeated_events() -> Vec<Measured> {
    let mut measured = Vec::new();
    for (protocol, events) in STREAMS {
        for (at, event) in events.iter().enumerate() {
            for (number, (name, json)) in short_shapes(event).into_iter().enumerate() {
                let piece = [4 << 10, usize::MAX][number % 2];
                let read = |body: &str| read_stream(protocol, body, piece);
                let body = |length: usize| {
                    let (before, after) = (&events[..at], &events[at..]);
                    let same = vec![json.as_str(); length / json.len() + 1];
                    lines(before.iter().copied().chain(same).chain(after.iter().copied()))
                };
                measured.push(measure(&format!("repeated: {name}"), body, read));
            }
        }
    }
    measured
}

#[test]
fn every_shape_needs_memory_and_steps_in_proportion_to_its_length() {
    let all = [complete_answers, other_answers, streams, repeated_events];
    // Work is counted for each thread.
    let measured: Vec<Measured> = thread::scope(|scope| {
        let threads = all.map(|measure| scope.spawn(measure));
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    check(&measured);
}
