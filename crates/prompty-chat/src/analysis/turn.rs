//! The turns: the opener and the end of the assistant's turn, and the opener of the user's turn.
//!
//! Example: in `<U>USER</s><A>CONTENT</s><U>NEXT_USER</s>`, `<U>` opens the user's turn and `</s>`
//! closes it, `<A>` opens the assistant's turn, and `</s>` is its end.

use super::conversation::{CONTENT, FIRST, NEXT_USER, REASON, USER, after_question};
use super::piece::{Piece, same_len};
use super::probe::FormatProber;
use super::renders::ConversationRenders;
use prompty_reply::format::Marker;

/// The texts around the assistant's turn.
#[derive(Debug, Default)]
pub(super) struct TurnMarkers {
    /// The text that closes the user's turn.
    pub(super) user_close: String,
    /// The opener of the assistant's turn, up to the start of the reply.
    pub(super) open: String,
    /// The opener of the user's turn.
    pub(super) user_open: String,
    /// The end of an assistant's turn that is not the last; it may be empty.
    pub(super) end: String,
}

impl TurnMarkers {
    /// Compares the renders, and `calls`, the output for calls.
    pub(super) fn find(
        prober: &mut FormatProber<'_>,
        renders: &ConversationRenders,
        calls: Option<&str>,
    ) -> Self {
        let mut found = Self::default();
        found.find_open(renders, calls);
        found.find_end(renders);
        found.refine_end(renders, calls);
        prober.note("turn", format_args!("{found:?}"));
        found
    }

    /// Finds the opener of the assistant's turn: the text between the user message and the reply
    /// that all outputs have in common. In the example at the head, `</s><A>` is between the two.
    /// After the question alone is `</s>`, which closes the user's turn, so `<A>` is the opener.
    fn find_open(&mut self, renders: &ConversationRenders, calls: Option<&str>) {
        let Some(front) = renders.before_content() else { return };
        let alone = renders.alone.as_deref().and_then(after_question);
        let thinking = renders.prompt_with_thinking.as_deref().and_then(after_question);
        let close_len = match (alone, thinking) {
            // The template writes no generation prompt, so the end of the user's turn is not known.
            (Some(alone), Some(thinking)) if alone.text() == thinking.text() => 0,
            (Some(alone), _) if front.text().starts_with(alone.text()) => alone.len(),
            (Some(alone), _) => front.common_start_len(alone),
            (None, _) => 0,
        };
        // If nothing is left for an opener, the user's turn has no closer, and all is the opener.
        let close_len = if front.from(close_len).is_blank() { 0 } else { close_len };
        self.user_close = front.to(close_len).text().to_owned();

        let mut open = front.from(close_len);
        let followed = renders.followed.as_deref().map(Piece::new);
        let others = [
            followed.and_then(|it| it.between(USER, CONTENT)),
            renders.reasoned.as_deref().and_then(after_question).and_then(|it| it.before(REASON)),
            calls.and_then(after_question).and_then(|it| it.before(FIRST)),
            thinking,
            renders.prompt_without_thinking.as_deref().and_then(after_question),
            renders.prompt_by_default.as_deref().and_then(after_question),
        ];
        for other in others.into_iter().flatten() {
            if !other.text().starts_with(&self.user_close) {
                continue;
            }
            let common = open.common_start(other.from(close_len));
            if !common.is_blank() {
                open = common;
            }
        }
        self.open = open.text().to_owned();
    }

    /// Finds the end of the answer and the opener of the next user message. Both are between
    /// `CONTENT` and `NEXT_USER`. In the example, that is `</s><U>`. After an answer that is the
    /// last message is only `</s>`, so `<U>` is the opener.
    fn find_end(&mut self, renders: &ConversationRenders) {
        let Some(following) = renders.after_content() else { return };
        let followed = renders.followed.as_deref().map(Piece::new);
        let parts =
            followed.and_then(|it| Some((it.between(CONTENT, NEXT_USER)?, it.before(USER)?)));
        let Some((between, front)) = parts else {
            self.end = following.text().to_owned();
            return;
        };
        // The text after the last answer is the end if it also follows an answer that is not the
        // last. Otherwise the end is found in the text between the two messages.
        let mut end = following;
        if following.is_blank() || !between.text().starts_with(following.text()) {
            // The opener of the user's turn is also before the first message.
            end = between.without_last(between.common_end_len(front));
            if end.is_blank() {
                // The start of the conversation ends like a turn: with the first marker.
                let common = between.common_start(renders.before_content().unwrap_or(following));
                end = between.to(common.first_marker_end().unwrap_or(0));
            }
        }
        self.end = end.text().to_owned();
        self.user_open = between.from(end.len()).text().to_owned();
        self.shorten_open();
    }

    /// Removes the closer of content from the end: calls and user messages end without it.
    fn refine_end(&mut self, renders: &ConversationRenders, calls: Option<&str>) {
        // Only an end that is all of the text after the last content may begin with the closer.
        let Some(following) = renders.after_content().filter(|it| it.text() == self.end) else {
            return;
        };
        let calls = calls.and_then(after_question).map(|it| following.common_end(it));
        let end = calls.filter(|it| !it.is_blank()).unwrap_or(following);
        // `</answer></s>`, and `</s>` closes the user's turn: the end is `</s>`.
        self.end = match end.strip_trimmed_suffix(&self.user_close) {
            Some(rest) if !rest.is_blank() => end.from(rest.len()).text().to_owned(),
            _ => end.text().to_owned(),
        };
    }

    /// Shortens the opener so that it ends like the user's: the common text of all outputs may
    /// also contain the start of each reply.
    fn shorten_open(&mut self) {
        if let Some(open) = opener_like(&self.user_open, &self.open) {
            self.open = open;
            return;
        }
        // The opener may still begin with the text that closes the user's turn.
        let model = Piece::new(&self.user_open).trim_start();
        let Some(marker) = model.first_marker_end().map(|it| model.to(it).text()) else { return };
        let at = self.open.rfind(marker).filter(|at| *at > 0);
        let parts = at.and_then(|at| self.open.split_at_checked(at));
        let Some((close, open)) = parts else { return };
        if let Some(open) = opener_like(&self.user_open, open) {
            self.user_close += close;
            self.open = open;
        }
    }

    /// The ends of a turn that ends with content: `end`, and the end of the last answer if it
    /// differs. If a reply consists of several messages (`is_headed`), an end must not also be
    /// between two of them.
    pub(super) fn ends(&self, renders: &ConversationRenders, is_headed: bool) -> Vec<Marker> {
        let last = renders.after_content().filter(|it| {
            let (text, opener) = (it.text().trim(), self.open.trim());
            let begins_no_turn = opener.is_empty() || !text.contains(opener);
            begins_no_turn && !text.ends_with(self.end.trim())
        });
        let reasoned = renders.reasoned.as_deref().and_then(|it| self.reply(it));
        let between = reasoned.and_then(|it| it.between(REASON, CONTENT));
        let is_inside = is_headed && between.is_some_and(|it| it.contains(self.end.trim()));
        let end = Some(&*self.end).filter(|_| !is_inside);
        let texts = end.into_iter().chain(last.map(Piece::text));
        texts.map(Marker::new).filter(|it| !it.is_none()).collect()
    }

    /// The reply in an output: the text after the opener of the assistant's turn.
    pub(super) fn reply<'t>(&self, render: &'t str) -> Option<Piece<'t>> {
        let tail = after_question(render)?;
        tail.after(&self.open).or_else(|| tail.after(self.open.trim_end()))
    }

    /// The text after the opener in a generation prompt.
    pub(super) fn after_opener<'t>(&self, render: Option<&'t str>) -> Option<Piece<'t>> {
        let tail = after_question(render?)?;
        tail.after_last(&self.open).or_else(|| tail.after_last(self.open.trim_end()))
    }

    /// A reply, or its end, without the end of the turn if it has that.
    pub(super) fn without_end<'t>(&self, reply: Piece<'t>) -> Piece<'t> {
        reply.strip_trimmed_suffix(&self.end).unwrap_or(reply)
    }
}

/// The opener at the start of `text`, if it has the form of `model` with another role.
///
/// Example: `<|a|>user<|b|>` and `<|a|>assistant<|b|><think>`. The role begins after the common
/// start, `<|a|>`. The roles are `user` and `assistant`. After the role, the text must continue
/// like the model: with `<|b|>`. So the opener is `<|a|>assistant<|b|>`.
fn opener_like(model: &str, text: &str) -> Option<String> {
    let (model, text) = (Piece::new(model).trim_start(), Piece::new(text).trim_start());
    let same = same_len(model.text().chars(), text.text().chars());
    // Both roles may begin with the same letters.
    let role_start = model.to(same).text().trim_end_matches(char::is_alphabetic).len();
    let word_len = |piece: Piece<'_>| {
        let text = piece.text();
        text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len())
    };
    let (model, rest) = (model.from(role_start), text.from(role_start));
    let (model_role_len, role_len) = (word_len(model), word_len(rest));
    let (model_role, role) = (model.to(model_role_len).text(), rest.to(role_len).text());
    let suffix = model.from(model_role_len).text();
    // White space at the end belongs to the opener only if the text has it as well.
    let required = if suffix.trim().is_empty() { suffix } else { suffix.trim_end() };
    let blank = suffix.strip_prefix(required)?;
    let required = required.replace(model_role, role);
    let following = rest.from(role_len).text().strip_prefix(&*required)?;
    if model_role_len == 0 || role_len == 0 || required.is_empty() {
        return None;
    }
    let blank_len = Piece::new(blank).common_start_len(Piece::new(following));
    Some(text.to(role_start + role_len + required.len() + blank_len).text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::opener_like;

    #[test]
    fn an_opener_ends_as_the_users_does() {
        let found = opener_like("<|a|>m r=\"user\"<|s|>", "<|a|>m r=\"assistant\"<|s|><|a|>");
        assert_eq!(found.as_deref(), Some("<|a|>m r=\"assistant\"<|s|>"));
        assert_eq!(opener_like("<U>\n", "<A>\n<t>").as_deref(), Some("<A>\n"));
        assert_eq!(opener_like("<U>", "<A>\n<t>").as_deref(), Some("<A>"));
        assert_eq!(
            opener_like("<s>user\n", "<s>assistant\n<t>").as_deref(),
            Some("<s>assistant\n")
        );
        assert_eq!(opener_like("[INST]", "[/INST]"), None);
        assert_eq!(opener_like("<|s|>user<|m|>", "<|s|>assistant"), None);
    }
}
