//! Records the events of one reply, and builds the reply from them.

use std::borrow::Cow;

use prompty_reply::provider::EventBuffer;
use prompty_reply::{Event, Events, Reply, ReplyCall};

/// The events of a reply, and the reply so far.
#[derive(Debug, Clone, Default)]
pub(super) struct EventRecorder {
    /// The events; `None` if only the reply is needed.
    events: Option<EventBuffer>,
    pub(super) reply: Reply,
    /// The number of recorded events.
    count: usize,
}

static NO_EVENTS: EventBuffer = EventBuffer::new();

impl EventRecorder {
    /// A recorder that keeps the events, too.
    pub(super) fn with_events() -> Self {
        Self { events: Some(EventBuffer::new()), ..Self::default() }
    }

    /// Keeps no events from now on.
    pub(super) fn discard_events(&mut self) {
        self.events = None;
    }

    pub(super) fn clear_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.clear();
        }
    }

    pub(super) fn events(&self) -> Events<'_> {
        self.events.as_ref().unwrap_or(&NO_EVENTS).events()
    }

    /// The number of recorded events. Two counts show whether anything was recorded in between.
    pub(super) fn event_count(&self) -> usize {
        self.count
    }

    pub(super) fn record(&mut self, event: Event<'_>) {
        self.count += 1;
        self.reply.add(event);
        if let Some(events) = &mut self.events {
            events.add(event);
        }
    }

    /// Records content that can be moved into the reply, such as that of a complete answer.
    pub(super) fn move_content(&mut self, text: Cow<'_, str>) {
        match text {
            Cow::Owned(text) if self.events.is_none() && self.reply.content().is_empty() => {
                self.count += 1;
                self.reply.take_content(text);
            }
            text => self.record(Event::Content { text: &text }),
        }
    }

    /// Records the start of a call, which moves into the reply. Returns its index there.
    pub(super) fn begin_call(&mut self, call: ReplyCall) -> usize {
        self.count += 1;
        let index = self.reply.calls().len();
        if let Some(events) = &mut self.events {
            let ReplyCall { id, name, known, free_text, .. } = &call;
            let (known, free_text) = (*known, *free_text);
            events.add(Event::CallStarted { index, id, name, known, free_text });
        }
        self.reply.begin_call(call);
        index
    }

    /// Records the end of a call.
    pub(super) fn end_call(&mut self, index: usize, complete: bool) {
        self.count += 1;
        let Some(call) = self.reply.call_mut(index) else { return };
        call.complete = complete;
        if let Some(events) = &mut self.events {
            events.add(Event::CallEnded { index, id: &call.id, complete, repaired: false });
        }
    }
}
