//! Puts threads and media in the place of their placeholders (§6.7).

use std::borrow::Cow;

use super::section::{Section, trim_blank_lines};
use crate::nonce::{PLACEHOLDER_PREFIX, Rich};
use prompty_core::message::{Content, ContentPart, Message};
use prompty_core::text::slice;
use prompty_core::value::Map;
use prompty_core::work::add_steps;

/// The rich inputs of a rendered prompt, by their placeholders.
pub(super) struct RichInputs<'a> {
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    placeholder: Cow<'a, str>,
    rich: Cow<'a, Rich>,
    /// How often the placeholder is still to come; an owned value is moved out at the last.
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

    /// The rich input whose placeholder a text begins with, and the placeholder's length. The
    /// longest wins, since a name can end like another's placeholder.
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

/// Appends the messages of one section. A thread ends the message before it and begins one behind
/// it, with the same role and metadata; media stay in their message. Messages of a thread are data:
/// nothing in them is looked for.
pub(super) fn expand(
    section: &Section<'_>,
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) {
    let text = section.text;
    let mut parts = Parts::default();
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
                parts.push_text(before.trim());
                parts.flush(section, messages);
                messages.extend(thread);
                split = true;
            }
            Rich::Image(media) => parts.push_media(before, ContentPart::Image(media)),
            Rich::File(media) => parts.push_media(before, ContentPart::File(media)),
            Rich::Audio(media) => parts.push_media(before, ContentPart::Audio(media)),
        }
    }
    let rest = slice(text, done..);
    parts.push_text(if split && parts.is_empty() { rest.trim() } else { trim_blank_lines(rest) });
    if parts.is_empty() && !split {
        parts.parts.push(ContentPart::Text(String::new()));
    }
    parts.flush(section, messages);
}

/// The parts of the message that is being put together.
#[derive(Default)]
struct Parts {
    parts: Content,
}

impl Parts {
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
