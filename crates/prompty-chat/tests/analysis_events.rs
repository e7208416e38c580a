//! The events of an analysis in `tracing`.
//!
//! `tracing` caches for the whole process whether an event has a subscriber. So this test needs a
//! separate process.
#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is a failure")]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use prompty_chat::ChatTemplate;

/// Records the steps of events.
#[derive(Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Visit for Recorder {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "step" {
            self.0.lock().unwrap().push(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Recorder(Arc::clone(&self.0)));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn each_finding_is_an_event() {
    let recorder = Recorder::default();
    let steps = Arc::clone(&recorder.0);
    let template =
        ChatTemplate::from_text(include_str!("chat/analysis/templates/literal_token.jinja"));
    let template = template.expect("it compiles");
    let analysis = tracing::subscriber::with_default(recorder, || template.analyze());
    let analysis = analysis.expect("it is clear");
    let expected: Vec<_> = analysis.findings().iter().map(|it| it.step.to_owned()).collect();
    assert_eq!(*steps.lock().unwrap(), expected);
}
