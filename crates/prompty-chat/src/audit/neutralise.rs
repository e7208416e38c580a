//! Breaks markup in data with invisible characters, so that it only looks like markup.

use super::data::{Usage, replace_texts, stripped};
use super::markup::Markup;
use crate::capabilities::ProbedTemplate;
use crate::request::Request;

/// Invisible characters that break markup and are not white space. The first one that no markup
/// contains is used.
const JOINERS: [char; 3] = ['\u{2060}', '\u{200d}', '\u{feff}'];

/// The markup to break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeutraliseScope {
    /// Markup within a piece of data.
    Inside,
    /// In addition, parts of markup at the start and the end of a piece.
    Edges,
}

/// A copy of the request with the markup in its data broken.
pub(super) fn neutralise(
    request: &Request<'_>,
    template: ProbedTemplate<'_>,
    markup: &Markup,
    scope: NeutraliseScope,
) -> Request<'static> {
    let is_free = |it: &char| !markup.tokens().iter().any(|token| token.contains(*it));
    let joiner = JOINERS.into_iter().find(is_free).unwrap_or('\u{2060}');
    replace_texts(request, template.capabilities, &mut |_, usage, text| {
        // Names that the template reads, such as `type`, must not change.
        if usage != Usage::Text && template.engine.has_word(text) {
            return None;
        }
        let broken = break_markup(text, markup, joiner, scope);
        (broken != text).then_some(broken)
    })
}

/// Inserts the joiner after the first character of each marker, and at both ends of a piece whose
/// neighbours could complete it to markup.
#[expect(clippy::string_slice, reason = "`places` gives places in the text, in their order")]
fn break_markup(text: &str, markup: &Markup, joiner: char, scope: NeutraliseScope) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut at = 0;
    for place in markup.places(text) {
        let first = text[place.start..].chars().next();
        let end = place.start + first.map_or(0, char::len_utf8);
        broken.push_str(&text[at..end]);
        broken.push(joiner);
        at = end;
    }
    broken.push_str(&text[at..]);
    if scope == NeutraliseScope::Edges && markup.threat(&broken).is_some() {
        let core = stripped(&broken);
        let (front, back) = broken.split_once(core).unwrap_or(("", ""));
        return format!("{front}{joiner}{core}{joiner}{back}");
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::super::markup::{Markup, Threat};
    use super::{NeutraliseScope, break_markup};

    #[test]
    fn no_markup_is_left() {
        let markup = Markup::new(["<|end|>", "|><|", "::"].map(str::to_owned), &[]).unwrap();
        for text in ["<|end|>", "a<|end|><|end|>b", ":::", "::::", "é<|end|>"] {
            let found = break_markup(text, &markup, '\u{2060}', NeutraliseScope::Inside);
            assert_ne!(markup.threat(&found), Some(Threat::Complete), "{found:?}");
            assert_eq!(found.replace('\u{2060}', ""), text);
            let found = break_markup(text, &markup, '\u{2060}', NeutraliseScope::Edges);
            assert_eq!(markup.threat(&found), None, "{found:?}");
        }
        assert_eq!(break_markup("fine\n", &markup, '\u{2060}', NeutraliseScope::Edges), "fine\n");
        assert_eq!(break_markup(" a <\n", &markup, '-', NeutraliseScope::Edges), " -a <-\n");
    }
}
