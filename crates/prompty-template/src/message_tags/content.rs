//! Handles the text between the tags of a template: white space, text that looks like a tag, and
//! URLs.

use super::findings;
use super::neighbors::Neighbor;
use super::open_elements::OpenElements;
use super::outline::Outline;
use super::roles::is_url;
use crate::message_tags::syntax::{Element, lookalike};
use prompty_core::diagnostic::TemplateSpan;

impl Outline<'_> {
    /// Marks the white space at both ends of a text, if it may be at an end of its message, or next
    /// to a thread or media. In `<message> Hi {{ name }}`, the first space is at an end, and the
    /// second is next to a value. White space outside of messages is not marked.
    pub(super) fn literal_text(
        &mut self,
        span: TemplateSpan,
        state: &OpenElements,
        following: Neighbor,
    ) {
        let Some(text) = span.text_in(self.text) else { return };
        let is_blank = text.trim().is_empty();
        let before = self.before;
        if !is_blank {
            self.before = Neighbor::Text;
        }
        // Outside of messages, other text is an error, and white space after an edge is removed
        // together with the edge.
        if state.message.is_none() {
            if !is_blank {
                self.report_outside(span, state);
            } else if before == Neighbor::Edge {
                self.marks.extend_edge(span);
            }
            return;
        }
        if is_blank {
            return self.marks.space(span, before.max(following));
        }
        let leading = span.start + text.len() - text.trim_start().len();
        let trailing = span.start + text.trim_end().len();
        self.marks.space(TemplateSpan::new(span.start, leading), before);
        self.mark_lookalikes(TemplateSpan::new(leading, trailing));
        self.marks.space(TemplateSpan::new(trailing, span.end), following);
    }

    /// Marks text that looks like a message tag. Outside of CDATA, such text is a tag.
    fn mark_lookalikes(&mut self, span: TemplateSpan) {
        let Some(text) = span.text_in(self.text) else { return };
        let mut search = 0;
        for (start, _) in text.match_indices('<') {
            let Some(rest) = text.get(start..).filter(|_| start >= search) else { continue };
            let length = lookalike(rest).unwrap_or(0);
            if length > 0 {
                let place = span.start + start;
                self.marks.lookalike(TemplateSpan::new(place, place + length));
            }
            search = start + length;
        }
    }

    /// Reports text outside of messages, once after each message.
    pub(super) fn report_outside(&mut self, span: TemplateSpan, state: &OpenElements) {
        if state.message.is_some() || self.reported_outside {
            return;
        }
        self.reported_outside = true;
        let Some(text) = span.text_in(self.text) else { return };
        let start = span.start + text.len() - text.trim_start().len();
        let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
        self.report(findings::outside(TemplateSpan::new(start, start + line.len())));
    }

    /// Checks that the literal content of an image, an audio or a file is a URL.
    pub(super) fn check_url(&mut self, span: TemplateSpan, element: Element) {
        let Some(text) = span.text_in(self.text) else { return };
        let url = text.trim();
        if !is_url(url) {
            let start = span.start + text.len() - text.trim_start().len();
            let place = TemplateSpan::new(start, start + url.len());
            self.report(findings::not_a_url(place, element));
        }
    }
}
