//! What stands between the tags of a template: white space, text that looks like a tag, and URLs.

use super::ends::Beside;
use super::findings;
use super::outline::Outline;
use super::state::State;
use super::words::is_url;
use crate::message_tags::syntax::{Element, lookalike};
use prompty_core::diagnostic::TemplateSpan;

impl Outline<'_> {
    /// Marks the white space of a text that may stand at an end of its message, or beside a value that is no text.
    pub(super) fn literal(&mut self, span: TemplateSpan, state: &State, behind: Beside) {
        let Some(text) = span.text_in(self.text) else { return };
        let is_blank = text.trim().is_empty();
        let before = self.before;
        if !is_blank {
            self.before = Beside::Text;
        }
        if state.message.is_none() {
            if !is_blank {
                self.outside(span, state);
            } else if before == Beside::Edge {
                self.marks.edge_takes(span);
            }
            return;
        }
        if is_blank {
            return self.marks.space(span, before.max(behind));
        }
        let leading = span.start + text.len() - text.trim_start().len();
        let trailing = span.start + text.trim_end().len();
        self.marks.space(TemplateSpan::new(span.start, leading), before);
        self.lookalikes(TemplateSpan::new(leading, trailing));
        self.marks.space(TemplateSpan::new(trailing, span.end), behind);
    }

    /// Marks what looks like a message tag in CDATA.
    fn lookalikes(&mut self, span: TemplateSpan) {
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

    /// Tells text that stands outside of messages.
    pub(super) fn outside(&mut self, span: TemplateSpan, state: &State) {
        if state.message.is_some() || self.told_outside {
            return;
        }
        self.told_outside = true;
        let Some(text) = span.text_in(self.text) else { return };
        let start = span.start + text.len() - text.trim_start().len();
        let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
        self.report(findings::outside(TemplateSpan::new(start, start + line.len())));
    }

    /// The content of an image, a sound or a file that holds no value.
    pub(super) fn url(&mut self, span: TemplateSpan, element: Element) {
        let Some(text) = span.text_in(self.text) else { return };
        let url = text.trim();
        if !is_url(url) {
            let start = span.start + text.len() - text.trim_start().len();
            let place = TemplateSpan::new(start, start + url.len());
            self.report(findings::no_url(place, element));
        }
    }
}
