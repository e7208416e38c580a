//! In which forms a template may write a text that it was given.

use std::borrow::Cow;

use crate::chat::engine;

/// The text as it is, and as JSON, Python and HTML have it; each form once.
pub(super) fn forms(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    let plain = |letter: char| {
        letter.is_ascii()
            && !letter.is_ascii_control()
            && !matches!(letter, '"' | '\'' | '\\' | '&' | '<' | '>')
    };
    if text.chars().all(plain) {
        return forms;
    }
    let mut add = |form: String| {
        if !forms.iter().any(|known| **known == *form) {
            forms.push(Cow::Owned(form));
        }
    };
    for ascii in [false, true] {
        let once = engine::json_text(text, ascii);
        // JSON text within JSON, as arguments are written that are a text.
        for twice in [false, true] {
            add(engine::json_text(&once, twice));
        }
        add(once);
    }
    add(engine::python_text(text));
    add(engine::html_text(text));
    forms
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn each_form_is_there_once() {
        assert_eq!(forms("plain text"), ["plain text"]);
        let found = forms("<\"é\n");
        for form in
            ["<\"é\n", "<\\\"é\\n", "<\\\"\\u00e9\\n", "<\\\\\\\"é\\\\n", "<\"é\\n", "&lt;&#34;é\n"]
        {
            assert!(found.iter().any(|it| it == form), "{form:?} in {found:?}");
        }
    }
}
