//! A1 and A2: the format of the arguments of a call whose name is in markup, and where they end.

use super::align::{MOST_STARTS, Piece, contains_text, leading_json};
use super::conversation::{ITEM, KEY, NUMBER, OTHER_KEY, OTHER_VALUE, SECOND, TYPES, VALUE};
use super::frame::text;
use prompty_reply::format::{Arguments, Hint, List, Marker, Quoting, Suffix, Text};

/// The format of arguments, and the texts around them.
#[derive(Debug)]
pub(super) struct Found<'t> {
    pub(super) arguments: Arguments,
    /// Between the name and the arguments.
    pub(super) suffix: Piece<'t>,
    /// The same in the second call.
    pub(super) next_suffix: Option<Piece<'t>>,
    /// Behind the arguments of the first call.
    pub(super) behind: Piece<'t>,
    /// Behind the arguments of the second call.
    pub(super) next_behind: Option<Piece<'t>>,
    /// What follows a value; other markers may begin in the same way.
    pub(super) after_value: String,
}

/// The outputs for other calls, from the name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Others<'t> {
    /// A call without arguments.
    pub(super) bare: Option<Piece<'t>>,
    /// A call with a value of each type.
    pub(super) typed: Option<Piece<'t>>,
}

/// Arguments as JSON, behind the name of the first call.
pub(super) fn json<'t>(first: Piece<'t>, second: Option<Piece<'t>>) -> Option<Found<'t>> {
    let (suffix, behind) = around_object(first, OTHER_KEY)?;
    let next = second.and_then(|it| around_object(it, KEY));
    Some(Found {
        arguments: Arguments::Json,
        suffix,
        next_suffix: next.map(|it| it.0),
        behind,
        next_behind: next.map(|it| it.1),
        after_value: behind.text().to_owned(),
    })
}

/// The texts in front of a JSON object with a key, and behind it.
fn around_object<'t>(piece: Piece<'t>, key: &str) -> Option<(Piece<'t>, Piece<'t>)> {
    let front = piece.before(KEY)?;
    front.text().match_indices(['{', '"']).take(MOST_STARTS).find_map(|(at, _)| {
        let (value, length) = leading_json(piece.from(at).text())?;
        let inner = value.as_str().and_then(leading_json).map(|it| it.0);
        let found = inner.as_ref().unwrap_or(&value);
        (found.as_object().is_some() && contains_text(found, key))
            .then(|| (piece.to(at), piece.from(at + length)))
    })
}

/// The texts between the sentinels of the first call.
#[derive(Clone, Copy)]
struct Cut<'t> {
    /// From the name to the first key.
    front: Piece<'t>,
    /// From the first key to its value, a text.
    assign: Piece<'t>,
    /// From that value to the second key.
    gap: Piece<'t>,
    /// From the second key to its value, a number.
    other_assign: Piece<'t>,
    /// From that value on.
    behind: Piece<'t>,
}

/// Arguments with their own markup, behind the name of the first call.
pub(super) fn marked<'t>(
    first: Piece<'t>,
    second: Option<Piece<'t>>,
    others: Others<'t>,
) -> Option<Found<'t>> {
    let cut = Cut {
        front: first.before(KEY)?,
        assign: first.between(KEY, VALUE)?,
        gap: first.between(VALUE, OTHER_KEY)?,
        other_assign: first.between(OTHER_KEY, NUMBER)?,
        behind: first.after(NUMBER)?,
    };
    let next = second.and_then(|it| Some((it.before(KEY)?, it.after(OTHER_VALUE)?)));
    if cut.gap.contains(KEY) {
        return nested(&cut, next, others);
    }
    let quote = cut.assign.text().strip_prefix(cut.other_assign.text()).unwrap_or("");
    if !quote.trim().is_empty() && cut.gap.text().starts_with(quote) {
        return literal(&cut, next, cut.other_assign.text(), quote);
    }
    // A template may write all values with quotes, or none. The model writes numbers without.
    let quote = if quote.is_empty() { quote_of_all(&cut) } else { "" };
    let assign =
        cut.assign.text().strip_suffix(quote).filter(|_| is_row_of_assignments(&cut, quote));
    if let Some(found) = assign.and_then(|assign| literal(&cut, next, assign, quote)) {
        return Some(found);
    }
    let (cut, next) = without_quotes(&cut, next).unwrap_or((cut, next));
    tagged(&cut, next, others)
}

/// The texts around values where markup quotes all texts, and no number. What quotes is found by itself.
fn without_quotes<'t>(cut: &Cut<'t>, next: Next<'t>) -> Option<(Cut<'t>, Next<'t>)> {
    let quote = cut.assign.text().strip_prefix(cut.other_assign.text())?;
    let close = cut.behind.to(cut.behind.first_marker()?).text();
    let unquoted = |behind: Piece<'t>| behind.find(close).map(|at| behind.from(at));
    let next = next.and_then(|(front, behind)| Some((front, unquoted(behind)?)));
    let cut =
        Cut { assign: cut.assign.to(cut.other_assign.len()), gap: unquoted(cut.gap)?, ..*cut };
    Marker::new(quote).is_markup().then_some((cut, next))
}

/// What stands around each value, texts and numbers alike; empty where nothing does.
fn quote_of_all<'t>(cut: &Cut<'t>) -> &'t str {
    let assign = cut.assign.text();
    let is_quote = |quote: &&str| {
        let around = [cut.gap.text(), cut.behind.text()];
        around.iter().all(|it| it.starts_with(quote)) && cut.other_assign.text().ends_with(quote)
    };
    let ends = assign.char_indices().skip(1).filter_map(|(at, _)| assign.get(at..));
    ends.filter(|quote| !quote.trim().is_empty()).find(is_quote).unwrap_or("")
}

/// Whether the arguments stand in brackets, with a comma between two of them and nothing in front of a key.
fn is_row_of_assignments(cut: &Cut<'_>, quote: &str) -> bool {
    let behind = |piece: &Piece<'_>| {
        let behind = piece.text().strip_prefix(quote)?;
        behind.trim_start().chars().next()
    };
    let closer = behind(&cut.behind);
    let opener = match closer {
        Some(')') => "(",
        Some(']') => "[",
        Some('}') => "{",
        _ => return false,
    };
    let separator = cut.gap.text().strip_prefix(quote).map(str::trim);
    cut.front.text().trim_end().ends_with(opener) && separator == Some(",")
}

type Next<'t> = Option<(Piece<'t>, Piece<'t>)>;

/// `open KEY assign VALUE separator … close`, texts in quotes.
fn literal<'t>(cut: &Cut<'t>, next: Next<'t>, assign: &str, quote: &str) -> Option<Found<'t>> {
    let open = cut.front.text();
    let bracket = open.trim_end().chars().next_back()?;
    let closer = match bracket {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    let at = open.rfind(bracket)?;
    let unquoted = |piece: Piece<'t>| match piece.text().strip_prefix(quote) {
        Some(_) => piece.from(quote.len()),
        None => piece,
    };
    let last = unquoted(cut.behind);
    let behind = last.after(closer.encode_utf8(&mut [0; 4]))?;
    let close = last.to(last.len() - behind.len());
    let closed = |piece: Piece<'t>| unquoted(piece).without_start_of(close.text());
    let separator = cut.gap.text().strip_prefix(quote)?;
    let token = if matches!(quote, "'" | "\"") { "" } else { quote };
    Some(Found {
        arguments: Arguments::Literal {
            open: text(open.get(at..)?),
            assign: text(assign),
            separator: text(separator),
            quote: text(token),
            close: text(close.text()),
        },
        suffix: cut.front.to(at),
        next_suffix: next.and_then(|it| it.0.text().rfind(bracket).map(|at| it.0.to(at))),
        behind,
        next_behind: next.and_then(|it| closed(it.1)),
        after_value: cut.gap.text().to_owned(),
    })
}

/// Divides the text between the name and the first key: one part belongs to the name, the other opens a
/// key and stands at the end of `gap`, too.
fn split_front<'t>(cut: &Cut<'t>, gap: Piece<'t>, bare: Option<Piece<'t>>, after: &str) -> usize {
    let front = cut.front;
    let mut opener = front.shared_end(gap);
    let own = bare.map_or(0, |bare| front.shared_start(bare));
    if own + opener > front.len() {
        let both = front.from(front.len() - opener).to(own + opener - front.len());
        if both.is_blank() || !after.trim_start().starts_with(both.text().trim()) {
            opener = front.len() - own;
        }
    }
    let opened = front.from(front.len() - opener);
    front.len() - opened.trim_start().len()
}

/// `key_open KEY key_close VALUE value_close`.
fn tagged<'t>(cut: &Cut<'t>, next: Next<'t>, others: Others<'t>) -> Option<Found<'t>> {
    let bare = others.bare.and_then(|it| it.after(SECOND));
    let at = split_front(cut, cut.gap, bare, cut.gap.text());
    let (suffix, key_open) = (cut.front.to(at), cut.front.from(at));
    if key_open.is_blank() && cut.assign.is_blank() {
        return None;
    }
    let gap = cut.gap.without_end_of(key_open.text()).filter(|_| !key_open.is_blank());
    let gap = gap.unwrap_or(cut.gap);
    let close = gap.shared_start(cut.behind);
    let close = next.map_or(close, |it| gap.to(close).shared_start(it.1));
    let (value_close, separator) = (gap.to(close), gap.from(close).text().trim());
    let behind = cut.behind.from(close);
    let next_suffix = next.map(|it| it.0.without_end(key_open.len()));
    Some(Found {
        arguments: Arguments::Tagged {
            key_open: Marker::new(key_open),
            key_close: key_close(cut, others.typed),
            value_close: Marker::new(value_close),
            separator: text(separator),
            quoting: Quoting::NONE,
        },
        suffix,
        next_suffix,
        behind,
        next_behind: next.map(|it| it.1.from(close)),
        after_value: cut.gap.text().to_owned(),
    })
}

/// The text between a key and its value, with the word in it that depends on the value's type.
fn key_close(cut: &Cut<'_>, typed: Option<Piece<'_>>) -> Suffix {
    if cut.assign.text() == cut.other_assign.text() {
        return Suffix::new(cut.assign);
    }
    let (front, end) = around_difference(cut.assign, cut.other_assign);
    let word = |piece: Piece<'_>| piece.without_end(end).from(front).text().to_owned();
    let string = word(cut.assign);
    // A word that other types have, too, shows nothing.
    let typed = typed.map(|typed| {
        let words = TYPES.iter().filter_map(|(key, _, value)| {
            let assign = typed.between(key, value)?;
            (assign.len() >= front + end).then(|| word(assign))
        });
        words.collect::<Vec<_>>()
    });
    let unsure = typed.unwrap_or_default().contains(&string) || string == word(cut.other_assign);
    let string = if unsure { Vec::new() } else { vec![Text::Owned(string)] };
    Suffix {
        text: Marker::new(cut.assign.to(front)),
        hint: Some(Hint {
            end: Marker::new(cut.assign.from(cut.assign.len() - end)),
            string: List::Owned(string),
        }),
    }
}

/// Two texts that differ in a word: how many bytes are equal in front of it, and how many behind it.
pub(super) fn around_difference(one: Piece<'_>, other: Piece<'_>) -> (usize, usize) {
    let word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let front = same(&mut one.text().chars().zip(other.text().chars()));
    let front = one.to(front).text().trim_end_matches(word).len();
    let (one, other) = (one.from(front), other.from(front));
    let end = same(&mut one.text().chars().rev().zip(other.text().chars().rev()));
    let end = one.from(one.len() - end).text().trim_start_matches(word).len();
    (front, end)
}

/// `open_prefix KEY open_suffix VALUE close_prefix KEY close_suffix`.
fn nested<'t>(cut: &Cut<'t>, next: Next<'t>, others: Others<'t>) -> Option<Found<'t>> {
    let close_prefix = cut.gap.before(KEY)?;
    let gap = cut.gap.after(KEY)?;
    let bare = others.bare.and_then(|it| it.after(SECOND));
    let at = split_front(cut, gap, bare, close_prefix.text());
    let (suffix, open_prefix) = (cut.front.to(at), cut.front.from(at));
    let close_suffix = gap.without_end_of(open_prefix.text())?;
    let behind =
        |piece: Piece<'t>, key: &str| piece.after(key)?.without_start_of(close_suffix.text());
    let item = others.typed.and_then(|typed| {
        let front = typed.after(TYPES.iter().find(|it| it.2 == ITEM)?.0)?.before(ITEM)?;
        let tag = front.after_last(open_prefix.text().trim())?;
        let tag = tag.without_end_of(cut.assign.text()).unwrap_or(tag);
        (!tag.is_blank()).then(|| text(tag.text()))
    });
    Some(Found {
        arguments: Arguments::Nested {
            open_prefix: Marker::new(open_prefix),
            open_suffix: Marker::new(cut.assign),
            close_prefix: Marker::new(close_prefix),
            close_suffix: Marker::new(close_suffix),
            item: item.unwrap_or_default(),
        },
        suffix,
        next_suffix: next.map(|it| it.0.without_end(open_prefix.len())),
        behind: behind(cut.behind, OTHER_KEY)?,
        next_behind: next.and_then(|it| behind(it.1, KEY)),
        after_value: cut.gap.text().to_owned(),
    })
}
