//! Tells the events of one reply, and holds what they make: the reply so far.

use std::borrow::Cow;

use prompty_reply::provider::EventBuffer;
use prompty_reply::{Event, Events, Reply, ReplyCall};

/// What was told of a reply.
#[derive(Debug, Clone, Default)]
pub(super) struct Telling {
    /// The events; nothing where the reply alone counts.
    events: Option<EventBuffer>,
    reply: Reply,
    /// How many events were told.
    count: usize,
}

static NO_EVENTS: EventBuffer = EventBuffer::new();

impl Telling {
    /// Tells events, too.
    pub(super) fn with_events() -> Self {
        Self { events: Some(EventBuffer::new()), ..Self::default() }
    }

    /// Tells no events from now on.
    pub(super) fn silence(&mut self) {
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

    pub(super) fn reply(&self) -> &Reply {
        &self.reply
    }

    pub(super) fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    pub(super) fn into_reply(self) -> Reply {
        self.reply
    }

    /// How much was told, to find out whether something was.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn tell(&mut self, event: Event<'_>) {
        self.count += 1;
        self.reply.add(event);
        if let Some(events) = &mut self.events {
            events.add(event);
        }
    }

    /// Tells content that may be taken over: the only one of a whole answer, for example.
    pub(super) fn take_content(&mut self, text: Cow<'_, str>) {
        match text {
            Cow::Owned(text) if self.events.is_none() && self.reply.content().is_empty() => {
                self.count += 1;
                self.reply.take_content(text);
            }
            text => self.tell(Event::Content { text: &text }),
        }
    }

    /// Tells that a call begins, which the reply takes over. What is told is its index.
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

    /// Tells that a call has ended.
    pub(super) fn end_call(&mut self, index: usize, complete: bool) {
        self.count += 1;
        let Some(call) = self.reply.call_mut(index) else { return };
        call.complete = complete;
        if let Some(events) = &mut self.events {
            events.add(Event::CallEnded { index, id: &call.id, complete, mended: false });
        }
    }
}
