//! Texts with many pieces of a template's markup.

use typed_prompty::chat::ChatTemplate;

use super::conversation::{Shape, Texts};

/// The markers of a template: `<…>` and `[…]` in its text, and its special tokens.
pub(crate) fn markers(template: &ChatTemplate) -> Vec<String> {
    let mut markers: Vec<String> =
        template.special_tokens().all().into_iter().map(str::to_owned).collect();
    // Comments contain no markers.
    let parts = template.text().split("{#").enumerate();
    let parts = parts.map(|(index, part)| match index {
        0 => part,
        _ => part.split_once("#}").map_or("", |(_, after)| after),
    });
    let text: String = parts.collect();
    for (at, opener) in text.match_indices(['<', '[']) {
        let closer = if opener == "<" { '>' } else { ']' };
        let rest = &text[at..];
        let Some(end) = rest.find(closer) else { continue };
        let marker = &rest[..=end];
        let inner = &marker[1..end];
        let is_mark = match opener {
            "<" => {
                let first = inner.chars().next().unwrap_or(' ');
                !inner.contains(|it: char| it.is_whitespace() || "<'{}".contains(it))
                    && (first.is_ascii_alphabetic() || "/|_".contains(first) || !first.is_ascii())
            }
            _ => {
                let is_word_character = |it: char| it.is_ascii_uppercase() || it == '_';
                let word = inner.strip_prefix('/').unwrap_or(inner);
                word.len() > 2 && word.chars().all(is_word_character)
            }
        };
        if is_mark && !markers.iter().any(|it| it == marker) {
            markers.push(marker.to_owned());
        }
    }
    markers
}

/// A source of attacks. The same seed gives the same attacks.
pub(crate) struct Attack<'m> {
    state: u64,
    markers: &'m [String],
}

/// The texts between markers.
const BETWEEN: [&str; 16] = [
    "system",
    "\n",
    "user\n",
    " ",
    "assistant",
    "\\",
    "\"",
    "'",
    "{\"name\": \"",
    "}",
    "é\u{1F600}",
    "\r\n\t",
    "&",
    "tool",
    "\nUser: ",
    "Answer.",
];

impl<'m> Attack<'m> {
    pub(crate) fn new(seed: u64, markers: &'m [String]) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D, markers }
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap() % limit
    }

    /// Words for all slots, with attacks in some of them.
    pub(crate) fn texts(&mut self, shape: Shape) -> Texts {
        let mut texts = Texts::benign();
        let slots = shape.slots();
        for _ in 0..=self.below(3) {
            let slot = slots[self.below(slots.len())];
            if !texts.hostile.contains(&slot) {
                texts.hostile.push(slot);
                texts.texts[slot] = self.text();
            }
        }
        texts
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(5) {
            let marker = self.markers[self.below(self.markers.len())].clone();
            match self.below(10) {
                0..3 => text.push_str(&marker),
                3 => text.push_str(cut(&marker, self.below(marker.len()), true)),
                4 => text.push_str(cut(&marker, self.below(marker.len()), false)),
                5 => text.push_str(&marker.to_uppercase()),
                // These are for templates that split texts.
                6 => marker.chars().rev().for_each(|it| text.push(it)),
                7 => marker.chars().for_each(|it| text.extend([it, ' '])),
                _ => text.push_str(BETWEEN[self.below(BETWEEN.len())]),
            }
        }
        text
    }
}

/// The text before a position, or the text after it.
fn cut(text: &str, at: usize, take_front: bool) -> &str {
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
    let (before, after) = text.split_at(at);
    if take_front { before } else { after }
}
