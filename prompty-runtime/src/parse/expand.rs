//! Puts threads and media in the place of their placeholders (§6.7).

use super::{Section, trim_blank_lines};
use crate::message::{ContentPart, Message};
use crate::nonce::{PLACEHOLDER_PREFIX, Rich};
use crate::value::Map;

/// Appends the messages of one section. A thread ends the message before it and begins one behind
/// it, with the same role and metadata; media stay in their message. Messages of a thread are data:
/// nothing in them is looked for.
pub(super) fn expand(section: Section<'_>, rich: &[(String, Rich)], messages: &mut Vec<Message>) {
    let text = section.text;
    let mut parts = Parts::default();
    let mut split = false;
    let mut done = 0;
    let mut search = 0;
    while let Some(at) = text.get(search..).and_then(|rest| rest.find(PLACEHOLDER_PREFIX)) {
        let start = search + at;
        let Some((placeholder, value)) = find_placeholder(text, start, rich) else {
            search = start + PLACEHOLDER_PREFIX.len();
            continue;
        };
        let before = text.get(done..start).unwrap_or_default();
        done = start + placeholder.len();
        search = done;
        match value {
            Rich::Thread(thread) => {
                parts.push_text(before.trim());
                parts.flush(&section, messages);
                messages.extend(thread.iter().cloned());
                split = true;
            }
            Rich::Image(media) => parts.push_media(before, ContentPart::Image(media.clone())),
            Rich::File(media) => parts.push_media(before, ContentPart::File(media.clone())),
            Rich::Audio(media) => parts.push_media(before, ContentPart::Audio(media.clone())),
        }
    }
    let rest = text.get(done..).unwrap_or_default();
    parts.push_text(if split && parts.is_empty() { rest.trim() } else { trim_blank_lines(rest) });
    if parts.is_empty() && !split {
        parts.parts.push(ContentPart::Text(String::new()));
    }
    parts.flush(&section, messages);
}

/// The rich input whose placeholder stands at `start`; the longest, since a name can end like
/// another's placeholder.
fn find_placeholder<'rich>(
    text: &str,
    start: usize,
    rich: &'rich [(String, Rich)],
) -> Option<(&'rich str, &'rich Rich)> {
    let rest = text.get(start..)?;
    let fitting = rich.iter().filter(|(placeholder, _)| rest.starts_with(placeholder.as_str()));
    let longest = fitting.max_by_key(|(placeholder, _)| placeholder.len())?;
    Some((longest.0.as_str(), &longest.1))
}

/// The parts of the message that is being put together.
#[derive(Default)]
struct Parts {
    parts: Vec<ContentPart>,
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
