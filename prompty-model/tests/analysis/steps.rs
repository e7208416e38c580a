//! The findings of the steps of an analysis, and their events in `tracing`.

use crate::{analyze, source};

#[test]
fn each_step_says_what_it_found() {
    let analysis = analyze(source("tagged"));
    let steps: Vec<_> = analysis.findings().iter().map(|it| it.step).collect();
    let expected =
        ["turn", "R1", "R2", "R3", "C1", "T1", "T2", "T3", "T4", "T5", "T6", "T7", "A1", "A2"];
    assert_eq!(steps, expected);
    let found = |step: &str| &*analysis.findings().iter().find(|it| it.step == step).unwrap().found;
    assert_eq!(found("R1"), "reasoning is shown in front of content");
    assert_eq!(
        found("R2"),
        r#"the prompt ends with "<ponder>", without thinking "<ponder></ponder>\n""#
    );
    assert_eq!(found("T4"), r#"("<to=", ">\n", "</to>\n"), namespace """#);
    assert_eq!(found("A1"), r#"("<set=", ">\n")"#);
}

#[test]
fn a_failed_attempt_leaves_no_findings() {
    let analysis = analyze(source("named_id"));
    let turns = analysis.findings().iter().filter(|it| it.step == "turn").count();
    assert_eq!(turns, 1);
}

#[cfg(feature = "tracing")]
mod traced {
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use crate::{analyze, source};

    /// Writes down the steps of events.
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
        let analysis =
            tracing::subscriber::with_default(recorder, || analyze(source("literal_token")));
        let expected: Vec<_> = analysis.findings().iter().map(|it| it.step.to_owned()).collect();
        assert_eq!(*steps.lock().unwrap(), expected);
    }
}
