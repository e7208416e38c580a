//! Replaces placeholders by threads and media (§6.7).

use std::borrow::Cow;

use super::section::{Section, trim_blank_lines};
use crate::nonce::{PLACEHOLDER_PREFIX, Rich};
use prompty_core::message::{Content, ContentPart, Message};
use prompty_core::text::slice;
use prompty_core::value::Map;
use prompty_core::work::add_steps;

/// The rich inputs of a rendered prompt, with their placeholders.
pub(super) struct RichInputs<'a> {
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    placeholder: Cow<'a, str>,
    rich: Cow<'a, Rich>,
    /// How many more times the placeholder occurs. An owned value is moved out at the last one.
    uses: usize,
}

impl<'a> RichInputs<'a> {
    pub(super) fn borrowed(rich: &'a [(String, Rich)]) -> Self {
        let entries = rich.iter().map(|(placeholder, rich)| Entry {
            placeholder: Cow::Borrowed(placeholder),
            rich: Cow::Borrowed(rich),
            uses: usize::MAX,
        });
        Self { entries: entries.collect() }
    }

    pub(super) fn owned(rich: Vec<(String, Rich)>, text: &str) -> Self {
        let entries = rich.into_iter().map(|(placeholder, rich)| Entry {
            uses: text.matches(placeholder.as_str()).count(),
            placeholder: Cow::Owned(placeholder),
            rich: Cow::Owned(rich),
        });
        Self { entries: entries.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Finds the rich input whose placeholder begins a text, with the length of the placeholder.
    /// The longest placeholder wins, since one can be a prefix of another.
    fn take_at(&mut self, text: &str) -> Option<(usize, Cow<'_, Rich>)> {
        let fitting = self.entries.iter_mut().filter(|it| text.starts_with(&*it.placeholder));
        let entry = fitting.max_by_key(|entry| entry.placeholder.len())?;
        entry.uses = entry.uses.saturating_sub(1);
        let rich = match &mut entry.rich {
            Cow::Owned(rich) if entry.uses == 0 => {
                Cow::Owned(std::mem::replace(rich, Rich::Thread(Vec::new())))
            }
            Cow::Owned(rich) => Cow::Borrowed(&*rich),
            Cow::Borrowed(rich) => Cow::Borrowed(*rich),
        };
        Some((entry.placeholder.len(), rich))
    }
}

/// Appends the messages of one section. A thread ends the message before it, and the text after it
/// begins another message with the same role and metadata. Media stay in their message. Messages of
/// a thread are data, so they are not searched for placeholders.
pub(super) fn expand(
    section: &Section<'_>,
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) {
    let text = section.text;
    let mut message = OpenMessage::default();
    let mut split = false;
    let mut done = 0;
    let mut search = 0;
    while let Some(at) = text.get(search..).and_then(|rest| rest.find(PLACEHOLDER_PREFIX)) {
        add_steps(at + rich.entries.len());
        let start = search + at;
        let Some((length, value)) = text.get(start..).and_then(|rest| rich.take_at(rest)) else {
            search = start + PLACEHOLDER_PREFIX.len();
            continue;
        };
        let before = slice(text, done..start);
        done = start + length;
        search = done;
        match value.into_owned() {
            Rich::Thread(thread) => {
                message.push_text(before.trim());
                message.flush(section, messages);
                messages.extend(thread);
                split = true;
            }
            Rich::Image(media) => message.push_media(before, ContentPart::Image(media)),
            Rich::File(media) => message.push_media(before, ContentPart::File(media)),
            Rich::Audio(media) => message.push_media(before, ContentPart::Audio(media)),
        }
    }
    let rest = slice(text, done..);
    message.push_text(if split && message.is_empty() {
        rest.trim()
    } else {
        trim_blank_lines(rest)
    });
    if message.is_empty() && !split {
        message.parts.push(ContentPart::Text(String::new()));
    }
    message.flush(section, messages);
}

/// The content of the message that is being built.
#[derive(Default)]
struct OpenMessage {
    parts: Content,
}

impl OpenMessage {
    fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn push_text(&mut self, text: &str) {
        let text = trim_blank_lines(text);
        if !text.is_empty() {
            self.parts.push(ContentPart::Text(text.to_owned()));
        }
    }

    fn push_media(&mut self, before: &str, part: ContentPart) {
        self.push_text(before);
        self.parts.push(part);
    }

    fn flush(&mut self, section: &Section<'_>, messages: &mut Vec<Message>) {
        if self.parts.is_empty() {
            return;
        }
        let mut message = Message::new(section.role.clone(), std::mem::take(&mut self.parts));
        message.metadata =
            if section.metadata.is_empty() { Map::new() } else { section.metadata.clone() };
        messages.push(message);
    }
}
