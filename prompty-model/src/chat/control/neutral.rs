//! Breaks markup in data, so that it only looks like some.

use super::data::{Asked, Use, core, replaced};
use super::markup::Markup;
use crate::chat::source::ChatTemplate;

/// What breaks markup: it cannot be seen, and is no white space. The first of those that no markup
/// holds.
const JOINERS: [char; 3] = ['\u{2060}', '\u{200d}', '\u{feff}'];

/// How much is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Markup within a piece of data.
    Within,
    /// And what a piece begins or ends with that could be a part of markup.
    Edges,
}

/// The same data with its markup broken.
pub(super) fn neutral(
    asked: &Asked<'_>,
    template: &ChatTemplate,
    markup: &Markup,
    reach: Reach,
) -> Asked<'static> {
    let is_free = |it: &char| !markup.tokens().iter().any(|token| token.contains(*it));
    let joiner = JOINERS.into_iter().find(is_free).unwrap_or('\u{2060}');
    replaced(asked, template.capabilities(), &mut |_, usage, text| {
        // What the template asks for by name, such as `type`, must stay what it is.
        if usage != Use::Text && template.engine().has_word(text) {
            return None;
        }
        let broken = broken(text, markup, joiner, reach);
        (broken != text).then_some(broken)
    })
}

fn broken(text: &str, markup: &Markup, joiner: char, reach: Reach) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut at = 0;
    for place in markup.places(text) {
        let first = text.get(place.start..).and_then(|it| it.chars().next());
        let behind = place.start + first.map_or(0, char::len_utf8);
        broken.push_str(text.get(at..behind).unwrap_or_default());
        broken.push(joiner);
        at = behind;
    }
    broken.push_str(text.get(at..).unwrap_or_default());
    if reach == Reach::Edges && markup.threat(&broken).is_some() {
        let core = core(&broken);
        let start = broken.find(core).unwrap_or_default();
        let end = start + core.len();
        let (front, back) = (broken.get(..start), broken.get(end..));
        let edged = [front, Some(core), back].map(Option::unwrap_or_default);
        let [front, core, back] = edged;
        return format!("{front}{joiner}{core}{joiner}{back}");
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::{Reach, broken};
    use crate::chat::control::markup::{Markup, Threat};

    #[test]
    fn no_markup_is_left() {
        let markup = Markup::of(["<|end|>", "|><|", "::"].map(str::to_owned), &[]);
        for text in ["<|end|>", "a<|end|><|end|>b", ":::", "::::", "é<|end|>"] {
            let found = broken(text, &markup, '\u{2060}', Reach::Within);
            assert_ne!(markup.threat(&found), Some(Threat::Whole), "{found:?}");
            assert_eq!(found.replace('\u{2060}', ""), text);
            let found = broken(text, &markup, '\u{2060}', Reach::Edges);
            assert_eq!(markup.threat(&found), None, "{found:?}");
        }
        assert_eq!(broken("fine\n", &markup, '\u{2060}', Reach::Edges), "fine\n");
        assert_eq!(broken(" a <\n", &markup, '-', Reach::Edges), " -a <-\n");
    }
}
