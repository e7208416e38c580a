//! Replaces placeholders by threads and media (§6.7).

use std::borrow::Cow;

use super::section::{OpenMessage, Section};
use crate::nonce::{Markers, PLACEHOLDER_PREFIX, Rendered, Rich, RichWithRoles};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::Error;
use prompty_core::message::{Content, ContentPart, Message, RepetitionBudget, ThreadRoles};
use prompty_core::text::{trim_line_breaks, trim_line_breaks_end, trim_line_breaks_start};
use prompty_core::work::add_steps;

/// The distance from the beginning of a text that is not a placeholder to the next place where one
/// can begin. In `__PROMPTY_THREAD__PROMPTY_THREAD_`, the prefix is found at 0 and at 16.
const NEXT_SEARCH: usize = 1;

/// Checks how much the threads and media take that a rendered text contains more than once.
///
/// # Errors
///
/// Returns [`ErrorKind::Limit`](prompty_core::error::ErrorKind::Limit) if all uses after the first
/// ones take more bytes.
pub(crate) fn check_repetitions(rendered: &Rendered, max_bytes: usize) -> Result<(), Error> {
    let rich = RichInputs::borrowed(rendered);
    rich.charge_repetitions(rendered.text(), &mut RepetitionBudget::new(max_bytes))
}

/// The rich inputs of a rendered prompt, sorted by their placeholders.
pub(super) struct RichInputs<'a> {
    entries: Vec<RichEntry<'a>>,
    markers: &'a Markers,
}

struct RichEntry<'a> {
    placeholder: Cow<'a, str>,
    rich: Cow<'a, Rich>,
    /// The roles that the input allows if it is a thread.
    roles: ThreadRoles,
    /// The remaining occurrences of the placeholder. The last one moves an owned value out of the
    /// entry, and those before it get a copy.
    uses: usize,
}

impl<'a> RichInputs<'a> {
    /// The rich inputs of a rendered prompt that stays. Each occurrence gets a copy.
    pub(super) fn borrowed(rendered: &'a Rendered) -> Self {
        let rich = rendered.rich().iter().zip(rendered.roles());
        let entries = rich.map(|((placeholder, rich), roles)| RichEntry {
            placeholder: Cow::Borrowed(placeholder),
            rich: Cow::Borrowed(rich),
            roles: roles.clone(),
            uses: usize::MAX,
        });
        Self::sorted(entries.collect(), rendered.markers())
    }

    /// The rich inputs of a rendered prompt that is consumed. The last occurrence of each in `text`
    /// moves its value out.
    pub(super) fn owned(rich: RichWithRoles, text: &str, markers: &'a Markers) -> Self {
        let entries = rich.map(|((placeholder, rich), roles)| RichEntry {
            placeholder: Cow::Owned(placeholder),
            rich: Cow::Owned(rich),
            roles,
            uses: 0,
        });
        let mut inputs = Self::sorted(entries.collect(), markers);
        inputs.count_uses(text);
        inputs
    }

    fn sorted(mut entries: Vec<RichEntry<'a>>, markers: &'a Markers) -> Self {
        entries.sort_by(|left, right| left.placeholder.cmp(&right.placeholder));
        Self { entries, markers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Counts the occurrences of each placeholder. The count may be too high, since occurrences
    /// that overlap are all counted. Then a value is copied once more than necessary.
    fn count_uses(&mut self, text: &str) {
        if self.is_empty() {
            return;
        }
        let mut search = 0;
        while let Some(at) = text.get(search..).and_then(|rest| rest.find(PLACEHOLDER_PREFIX)) {
            add_steps(at);
            let start = search + at;
            let found = text.get(start..).and_then(|rest| self.find(rest));
            if let Some(entry) = found.and_then(|index| self.entries.get_mut(index)) {
                entry.uses = entry.uses.saturating_add(1);
            }
            search = start + NEXT_SEARCH;
        }
    }

    /// The index of the rich input whose placeholder begins a text. The longest placeholder wins,
    /// since one can be a prefix of another; of equal ones, the last wins.
    fn find(&self, text: &str) -> Option<usize> {
        // This counts the search. The comparison of the placeholder with the text is counted below.
        add_steps(
            PLACEHOLDER_PREFIX.len() + self.entries.len().checked_ilog2().unwrap_or(0) as usize,
        );
        let mut before = self.entries.len();
        let mut text = text;
        loop {
            let entries = self.entries.get(..before)?;
            let index = entries.partition_point(|it| &*it.placeholder <= text).checked_sub(1)?;
            let placeholder = &*entries.get(index)?.placeholder;
            let common = common_prefix(placeholder, text);
            add_steps(common.saturating_sub(PLACEHOLDER_PREFIX.len()));
            if common == 0 {
                return None;
            }
            if common == placeholder.len() {
                return Some(index);
            }
            // A placeholder that begins the text is also a prefix of the common part. With the
            // placeholders `P_a__` and `P_a__b__`, the text `P_a__bc` first finds the second one;
            // the common part is `P_a__b`, which finds the first one.
            text = text.get(..common)?;
            before = index;
        }
    }

    /// The spans of all placeholders in a text, from left to right.
    pub(super) fn placeholder_spans(&self, text: &str) -> Vec<TemplateSpan> {
        self.placeholders(text).map(|(span, _)| span).collect()
    }

    /// The spans of all placeholders in a text, from left to right, with the indexes of their
    /// entries.
    fn placeholders(&self, text: &str) -> impl Iterator<Item = (TemplateSpan, usize)> {
        let mut search = 0;
        std::iter::from_fn(move || {
            loop {
                let at = text.get(search..)?.find(PLACEHOLDER_PREFIX)?;
                add_steps(at);
                let start = search + at;
                let index = self.find(text.get(start..)?);
                if let Some((index, entry)) = index.and_then(|it| Some((it, self.entries.get(it)?)))
                {
                    search = start + entry.placeholder.len();
                    return Some((TemplateSpan::new(start, search), index));
                }
                search = start + NEXT_SEARCH;
            }
        })
    }

    /// Charges for the uses of each rich input in a text after its first one.
    fn charge_repetitions(&self, text: &str, budget: &mut RepetitionBudget) -> Result<(), Error> {
        // For each entry, the bytes of a copy after its first use.
        let mut copied_bytes: Vec<Option<usize>> = vec![None; self.entries.len()];
        for (_, index) in self.placeholders(text) {
            let (Some(entry), Some(bytes)) = (self.entries.get(index), copied_bytes.get_mut(index))
            else {
                continue;
            };
            match *bytes {
                Some(bytes) => budget.charge(self.markers.input_name(&entry.placeholder), bytes)?,
                None => *bytes = Some(entry.rich.copied_bytes()),
            }
        }
        Ok(())
    }

    /// Takes the rich input whose placeholder begins a text.
    fn take_at(&mut self, text: &str) -> Option<PlaceholderValue<'_>> {
        let index = self.find(text)?;
        let entry = self.entries.get_mut(index)?;
        entry.uses = entry.uses.saturating_sub(1);
        let rich = match &mut entry.rich {
            Cow::Owned(rich) if entry.uses == 0 => {
                Cow::Owned(std::mem::replace(rich, Rich::Thread(Vec::new())))
            }
            Cow::Owned(rich) => Cow::Borrowed(&*rich),
            Cow::Borrowed(rich) => Cow::Borrowed(*rich),
        };
        let name = self.markers.input_name(&entry.placeholder);
        Some(PlaceholderValue { length: entry.placeholder.len(), name, rich, roles: &entry.roles })
    }
}

/// The rich input of a placeholder in a text.
struct PlaceholderValue<'t> {
    /// The length of the placeholder in bytes.
    length: usize,
    /// The name of the input.
    name: &'t str,
    rich: Cow<'t, Rich>,
    roles: &'t ThreadRoles,
}

/// The length of the longest common prefix of two texts.
fn common_prefix(left: &str, right: &str) -> usize {
    let same = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    // Different characters can begin with the same bytes.
    (0..=same).rev().find(|end| left.is_char_boundary(*end)).unwrap_or(0)
}

/// What follows a piece of a text with placeholders.
pub(super) enum PieceEnd<'t> {
    /// The messages of a thread, with the name of the input and the roles that it allows.
    Thread(Vec<Message>, &'t str, &'t ThreadRoles),
    Media(ContentPart),
    /// The end of the text.
    End,
}

/// Splits a text at its placeholders. Calls `visit` with each piece, its position in the text, and
/// what follows it.
pub(super) fn visit_pieces<'t>(
    text: &'t str,
    rich: &mut RichInputs<'_>,
    mut visit: impl FnMut(&'t str, usize, PieceEnd<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    // Only rich inputs have placeholders.
    if rich.is_empty() {
        return visit(text, 0, PieceEnd::End);
    }
    let mut done = 0;
    let mut search = 0;
    while let Some(at) = text.get(search..).and_then(|rest| rest.find(PLACEHOLDER_PREFIX)) {
        add_steps(at);
        let start = search + at;
        let Some(found) = text.get(start..).and_then(|rest| rich.take_at(rest)) else {
            search = start + NEXT_SEARCH;
            continue;
        };
        #[expect(clippy::string_slice, reason = "`find` returns character boundaries")]
        let (piece, piece_start) = (&text[done..start], done);
        done = start + found.length;
        search = done;
        let end_of_piece = match found.rich.into_owned() {
            Rich::Thread(thread) => PieceEnd::Thread(thread, found.name, found.roles),
            Rich::Part(part) => PieceEnd::Media(part),
        };
        visit(piece, piece_start, end_of_piece)?;
    }
    #[expect(clippy::string_slice, reason = "the last placeholder ends there")]
    let rest = &text[done..];
    visit(rest, done, PieceEnd::End)
}

/// Appends the messages of one section. A thread ends the current message, and the text after it
/// begins another message with the same role and metadata. Media stay in their message. Messages
/// of a thread are data, so they are not searched for placeholders.
///
/// # Errors
///
/// Returns an error if a thread does not allow the role of one of its messages.
pub(super) fn expand(
    section: Section<'_>,
    rich: &mut RichInputs<'_>,
    messages: &mut Vec<Message>,
) -> Result<(), Error> {
    let mut message = Message::new(section.role, Content::new());
    message.metadata = section.metadata;
    let mut message = OpenMessage::new(message);
    let keeps_ends = section.keeps_ends;
    // The specification leaves open what happens to newlines next to media, so they are removed, as
    // next to a thread. At the ends of the section, they may belong to the message.
    visit_pieces(section.text, rich, |text, start, end_of_piece| {
        let keeps_start = keeps_ends && start == 0;
        match end_of_piece {
            PieceEnd::Thread(thread, name, roles) => {
                message.push_text(if keeps_start { text.trim_end() } else { text.trim() });
                message.split(messages);
                roles.expand(name, thread, messages)?;
            }
            PieceEnd::Media(part) => {
                let text = trim_line_breaks_end(text);
                let text = if keeps_start { text } else { trim_line_breaks_start(text) };
                message.push_text(text);
                message.push(part);
            }
            PieceEnd::End if keeps_start => message.push_text(text),
            // Directly after a thread, white space in the line is also removed.
            PieceEnd::End if keeps_ends && message.follows_thread() => {
                message.push_text(text.trim_start());
            }
            PieceEnd::End if keeps_ends => message.push_text(trim_line_breaks_start(text)),
            PieceEnd::End if message.follows_thread() => message.push_text(text.trim()),
            PieceEnd::End => message.push_text(trim_line_breaks(text)),
        }
        Ok(())
    })?;
    message.close(messages);
    Ok(())
}
