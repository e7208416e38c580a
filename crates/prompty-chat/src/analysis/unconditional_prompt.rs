//! Finds the generation prompt of a template that writes it after every conversation.
//!
//! Such a template never shows the end of a turn: after each answer it writes the opener of the
//! next one. The prompt is found by comparing outputs, and is then removed from all of them.

use super::conversation::{CONTENT, NEXT_USER, USER, after_question};
use super::piece::Piece;

/// The outputs that contain the generation prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptOutputs<'t> {
    /// A user message alone.
    pub(super) alone: &'t str,
    /// A user message and an answer.
    pub(super) answered: &'t str,
    /// A user message, an answer and another user message.
    pub(super) followed: &'t str,
}

/// The generation prompt, if the template always writes it.
///
/// Example: in `<s><T>user:USER<E><T>bot:CONTENT<E><T>bot:`, the text after the answer is
/// `<E><T>bot:`. If another question follows, the text between is `<E><T>user:`. Both begin with
/// `<E><T>`, in which `<T>` opens a turn, as at the start of the conversation. So the prompt is
/// `<T>bot:`. It must also be at the end of the output for the question alone.
pub(super) fn generation_prompt(outputs: PromptOutputs<'_>) -> Option<&str> {
    // The texts after the question and after the answer.
    let asked = after_question(outputs.alone)?;
    let answered = after_question(outputs.answered)?.after(CONTENT)?;
    let between = Piece::new(outputs.followed).between(CONTENT, NEXT_USER)?;
    let common = answered.common_start(between);
    if answered.from(common.len()).is_blank() {
        return None;
    }
    let front = Piece::new(outputs.answered).before(USER)?;
    let opener = leading_markers(front).find_map(|marker| common.text().rfind(marker.text()));
    let prompt = answered.from(opener.unwrap_or(common.len()));
    asked.text().ends_with(prompt.text()).then(|| prompt.text())
}

/// The markers that a text begins with, with nothing between them.
fn leading_markers(text: Piece<'_>) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.first_marker_end()?;
        let marker = rest.to(end).trim_start();
        rest = rest.from(end);
        Some(marker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prompt of a template that opens and closes turns with these texts.
    fn found([front, user_open, user_end, open, end, always]: [&str; 6]) -> Option<String> {
        let ask = format!("{front}{user_open}{USER}{user_end}");
        let said = format!("{ask}{open}{CONTENT}{end}");
        let outputs = PromptOutputs {
            alone: &format!("{ask}{always}"),
            answered: &format!("{said}{always}"),
            followed: &format!("{said}{user_open}{NEXT_USER}{user_end}{always}"),
        };
        generation_prompt(outputs).map(str::to_owned)
    }

    #[test]
    fn the_prompt_begins_like_turns() {
        let bare = found(["<s>", "<T>user:", "<E>", "<T>bot:", "<E>", "<T>bot:"]);
        assert_eq!(bare.as_deref(), Some("<T>bot:"));
        let with_system =
            found(["<s><T>system:x<E>", "<T>user:", "<E>", "<T>bot:<o>", "</o><E>", "<T>bot:"]);
        assert_eq!(with_system.as_deref(), Some("<T>bot:"));
    }

    #[test]
    fn the_end_of_a_turn_is_not_in_the_prompt() {
        let bare = found(["<s>", "<U>", "<E>", "<A>", "<E>", "<A>"]);
        assert_eq!(bare.as_deref(), Some("<A>"));
        let with_system = found(["<s><S>x<E>", "<U>", "<E>", "<A>", "<E>", "<A>"]);
        assert_eq!(with_system.as_deref(), Some("<A>"));
        let without_end = found(["", "<U>", "", "<A>", "", "<A>"]);
        assert_eq!(without_end.as_deref(), Some("<A>"));
    }

    #[test]
    fn an_end_of_a_turn_is_not_a_prompt() {
        assert_eq!(found(["", "[INST]", "[/INST]", "", "</s>", ""]), None);
        assert_eq!(found(["", "<T>user:", "<E>", "<T>bot:", "<E>", ""]), None);
    }
}
