//! The generation prompt of a template that writes it behind every conversation, asked or not.
//!
//! Such a template never shows where a turn ends: behind each answer stands the opener of the next one. It
//! is found by comparing outputs, and taken off all of them.

use super::align::Piece;
use super::conversation::{CONTENT, NEXT_USER, USER, behind_question};

/// The outputs in which the generation prompt shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'t> {
    /// A question alone.
    pub(super) alone: &'t str,
    /// A question and an answer.
    pub(super) answered: &'t str,
    /// A question, an answer and a question.
    pub(super) followed: &'t str,
}

/// The generation prompt, if the template writes it always.
pub(super) fn generation_prompt(shown: Shown<'_>) -> Option<&str> {
    let asked = behind_question(shown.alone)?;
    let said = behind_question(shown.answered)?.after(CONTENT)?;
    let between = Piece::whole(shown.followed).between(CONTENT, NEXT_USER)?;
    // What ends an answer stands there, too, where another turn follows.
    let common = said.common_start(between);
    let own = said.from(common.len());
    if own.is_blank() {
        return None;
    }
    // Turns may begin alike: as the conversation does.
    let front = Piece::whole(shown.answered).before(USER)?;
    let opener = leading_markers(front).find_map(|marker| common.text().rfind(marker.text()));
    let prompt = said.from(opener.unwrap_or(common.len()));
    asked.text().ends_with(prompt.text()).then(|| prompt.text())
}

/// The markers that a text begins with, with nothing between them.
fn leading_markers(text: Piece<'_>) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.first_marker()?;
        let marker = rest.to(end).trim_start();
        rest = rest.from(end);
        Some(marker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prompt of a template that opens and closes turns so.
    fn found([front, user_open, user_end, open, end, always]: [&str; 6]) -> Option<String> {
        let ask = format!("{front}{user_open}{USER}{user_end}");
        let said = format!("{ask}{open}{CONTENT}{end}");
        let shown = Shown {
            alone: &format!("{ask}{always}"),
            answered: &format!("{said}{always}"),
            followed: &format!("{said}{user_open}{NEXT_USER}{user_end}{always}"),
        };
        generation_prompt(shown).map(str::to_owned)
    }

    #[test]
    fn the_prompt_begins_as_turns_do() {
        let bare = found(["<s>", "<T>user:", "<E>", "<T>bot:", "<E>", "<T>bot:"]);
        assert_eq!(bare.as_deref(), Some("<T>bot:"));
        let told =
            found(["<s><T>system:x<E>", "<T>user:", "<E>", "<T>bot:<o>", "</o><E>", "<T>bot:"]);
        assert_eq!(told.as_deref(), Some("<T>bot:"));
    }

    #[test]
    fn what_ends_both_turns_is_not_in_the_prompt() {
        let bare = found(["<s>", "<U>", "<E>", "<A>", "<E>", "<A>"]);
        assert_eq!(bare.as_deref(), Some("<A>"));
        let told = found(["<s><S>x<E>", "<U>", "<E>", "<A>", "<E>", "<A>"]);
        assert_eq!(told.as_deref(), Some("<A>"));
        let without_end = found(["", "<U>", "", "<A>", "", "<A>"]);
        assert_eq!(without_end.as_deref(), Some("<A>"));
    }

    #[test]
    fn an_end_of_a_turn_is_no_prompt() {
        assert_eq!(found(["", "[INST]", "[/INST]", "", "</s>", ""]), None);
        assert_eq!(found(["", "<T>user:", "<E>", "<T>bot:", "<E>", ""]), None);
    }
}
