//! The spans of the pipeline: their names, and what they record.
//!
//! `tracing` caches for the process whether a span has a subscriber, and may miss one that is set
//! during the first use of the span. So these tests run in their own process, one after the other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, a panic is a failure"
)]

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "rendering/hosts/mod.rs"]
mod hosts;

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prompty_check::definition::{Definition, LoadOptions};
use prompty_runtime::render::{Inputs, Pipeline};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use hosts::{hosted, wait};

/// Records the opened spans with their fields.
#[derive(Default)]
struct Recorder {
    spans: Arc<Mutex<Vec<String>>>,
    number: AtomicU64,
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(span.metadata().name().to_owned());
        span.record(&mut fields);
        self.spans.lock().unwrap().push(fields.0);
        Id::from_u64(self.number.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Locks out all other tests of this process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The spans that a function opens, in order.
fn spans(work: impl FnOnce()) -> Vec<String> {
    let recorder = Recorder::default();
    let spans = recorder.spans.clone();
    tracing::subscriber::with_default(recorder, work);
    spans.lock().unwrap().clone()
}

const TEXT: &str = "---\nname: greeting\n---\nuser:\n{{ who }}{{ user_token }}";

fn inputs() -> Inputs {
    Inputs::new().with("who", "Ada").with("user_token", "hunter2")
}

fn names(spans: &[String]) -> Vec<&str> {
    spans.iter().filter_map(|span| span.split(' ').next()).collect()
}

#[test]
fn each_step_opens_a_span_of_its_name() {
    let _alone = alone();
    let found = spans(|| {
        let pipeline = Pipeline::new(&Definition::from_text(TEXT).unwrap()).unwrap();
        pipeline.prepare(inputs()).unwrap();
    });
    assert_eq!(names(&found), ["load", "prepare", "render", "parse"]);
    assert!(found[1].contains("prompt=\"greeting\""), "{found:?}");
}

#[test]
fn async_methods_open_the_same_spans() {
    let _alone = alone();
    let found = spans(|| {
        let pipeline = Pipeline::new(&Definition::from_text(TEXT).unwrap()).unwrap();
        wait(pipeline.prepare_async(inputs())).unwrap();
    });
    assert_eq!(names(&found), ["load", "prepare", "render", "parse"]);
    let found = spans(|| {
        wait(hosted("waiting", "waiting").prepare_async([("who", "Ada")])).unwrap();
    });
    assert_eq!(names(&found), ["load", "prepare", "render", "parse"]);
}

#[test]
fn the_names_of_inputs_are_recorded_and_their_values_are_not() {
    let _alone = alone();
    let pipeline = Pipeline::new(&Definition::from_text(TEXT).unwrap()).unwrap();
    let found = spans(|| drop(pipeline.prepare(inputs()).unwrap())).concat();
    assert!(found.contains("who, user_token"), "{found}");
    assert!(!found.contains("Ada") && !found.contains("hunter2"), "{found}");
}

#[test]
fn values_are_recorded_if_enabled_and_secrets_never() {
    let _alone = alone();
    let builder = Pipeline::builder(&Definition::from_text(TEXT).unwrap()).with_traced_inputs();
    let pipeline = builder.build().unwrap();
    let found = spans(|| drop(pipeline.prepare(inputs()).unwrap())).concat();
    assert!(found.contains("Ada") && found.contains("[REDACTED]"), "{found}");
    assert!(!found.contains("hunter2"), "{found}");
}

#[test]
fn values_of_environment_variables_are_never_recorded() {
    let _alone = alone();
    let text = "---\nname: ${env:KEY}\ninputs: {who: '${env:KEY}'}\n---\nuser:\n{{ who }}";
    let options = LoadOptions::new().with_environment([("KEY", "hunter2")]);
    let found = spans(|| {
        let definition = Definition::from_text_with("t", text, &options).unwrap();
        let pipeline = Pipeline::builder(&definition).with_traced_inputs().build().unwrap();
        let inputs = pipeline.validate_inputs(Inputs::new()).unwrap();
        let rendered = pipeline.render(inputs.clone()).unwrap();
        pipeline.parse(&rendered).unwrap();
        pipeline.prepare(inputs.clone()).unwrap();
        wait(pipeline.prepare_async(inputs)).unwrap();
        Pipeline::new(&definition).unwrap().parse(&rendered).unwrap();
    });
    assert_eq!(found.len(), 10, "{found:?}");
    assert!(!found.concat().contains("hunter2"), "{found:?}");
    assert!(found.concat().contains("[REDACTED]"), "{found:?}");
}
