//! Finds the format of arguments (T5, T6, A1, A2), if the name of the call is in markup. The texts
//! before and after the arguments are returned with it, for the steps that follow.
//!
//! Examples of the formats of a call `FIRST` with two arguments:
//!
//! - `find_json`: `<f=FIRST>{"KEY": "VALUE", "OTHER_KEY": 7357191}</f>`
//! - `find_literal`: `FIRST(KEY="VALUE", OTHER_KEY=7357191)`
//! - `find_tagged`: `<f=FIRST><p=KEY>VALUE</p><p=OTHER_KEY>7357191</p></f>`
//! - `find_nested`: `<FIRST><KEY>VALUE</KEY><OTHER_KEY>7357191</OTHER_KEY></FIRST>`

use super::conversation::{ITEM, KEY, NUMBER, OTHER_KEY, OTHER_VALUE, SECOND, TYPES, VALUE};
use super::frame::text;
use super::piece::{MOST_STARTS, Piece, contains_text, leading_json, same_len};
use prompty_reply::format::{Arguments, Hint, List, Marker, Quoting, Suffix, Text};

/// The format of arguments, and the texts around them.
#[derive(Debug)]
pub(super) struct DetectedArguments<'t> {
    pub(super) arguments: Arguments,
    /// The text between the name and the arguments.
    pub(super) suffix: Piece<'t>,
    /// The same in the second call.
    pub(super) next_suffix: Option<Piece<'t>>,
    /// The text after the arguments of the first call.
    pub(super) following: Piece<'t>,
    /// The text after the arguments of the second call.
    pub(super) next_following: Option<Piece<'t>>,
    /// The text after the first value. It helps to decide about a marker between two calls: if the
    /// marker also follows a value, it does not close a call (see [`CallFrame::new`]).
    ///
    /// [`CallFrame::new`]: super::frame::CallFrame::new
    pub(super) after_value: String,
}

/// The outputs for other calls, from the name on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OtherCallPieces<'t> {
    /// A call without arguments.
    pub(super) bare: Option<Piece<'t>>,
    /// A call with a value of each type.
    pub(super) typed: Option<Piece<'t>>,
}

/// Finds arguments in JSON after the name of the first call.
pub(super) fn find_json<'t>(
    first: Piece<'t>,
    second: Option<Piece<'t>>,
) -> Option<DetectedArguments<'t>> {
    let (suffix, following) = around_object(first, OTHER_KEY)?;
    let next = second.and_then(|it| around_object(it, KEY));
    Some(DetectedArguments {
        arguments: Arguments::Json,
        suffix,
        next_suffix: next.map(|it| it.0),
        following,
        next_following: next.map(|it| it.1),
        after_value: following.text().to_owned(),
    })
}

/// The texts before and after a JSON object with a key. The object may be written as a string.
fn around_object<'t>(piece: Piece<'t>, key: &str) -> Option<(Piece<'t>, Piece<'t>)> {
    let front = piece.before(KEY)?;
    front.text().match_indices(['{', '"']).take(MOST_STARTS).find_map(|(at, _)| {
        let (value, length) = leading_json(piece.from(at).text())?;
        let quoted = value.as_str().and_then(leading_json).map(|it| it.0);
        let object = quoted.as_ref().unwrap_or(&value);
        (object.as_object().is_some() && contains_text(object, key))
            .then(|| (piece.to(at), piece.from(at + length)))
    })
}

/// The texts between the sentinels of the first call. The examples are those of
/// `<f=FIRST><p=KEY>VALUE</p><p=OTHER_KEY>7357191</p></f>`.
#[derive(Clone, Copy)]
struct ArgumentTexts<'t> {
    /// From the name to the first key: `><p=`.
    front: Piece<'t>,
    /// From the first key to its value, a string: `>`.
    assign: Piece<'t>,
    /// From that value to the second key: `</p><p=`.
    gap: Piece<'t>,
    /// From the second key to its value, a number: `>`.
    other_assign: Piece<'t>,
    /// From that value on: `</p></f>`.
    following: Piece<'t>,
}

/// The second call: the text from its name to its key, and the text after its value.
type NextCall<'t> = Option<(Piece<'t>, Piece<'t>)>;

/// Finds arguments with their own markup after the name of the first call. The formats are tried in
/// this order, because the later ones would also match texts of the earlier ones:
///
/// 1. nested: the key is also in the closer of a value;
/// 2. literal: quotes are around a string, but not around a number;
/// 3. literal: all values have quotes, or none has, and they are a list in brackets;
/// 4. tagged.
pub(super) fn find_marked<'t>(
    first: Piece<'t>,
    second: Option<Piece<'t>>,
    others: OtherCallPieces<'t>,
) -> Option<DetectedArguments<'t>> {
    let texts = ArgumentTexts {
        front: first.before(KEY)?,
        assign: first.between(KEY, VALUE)?,
        gap: first.between(VALUE, OTHER_KEY)?,
        other_assign: first.between(OTHER_KEY, NUMBER)?,
        following: first.after(NUMBER)?,
    };
    let next = second.and_then(|it| Some((it.before(KEY)?, it.after(OTHER_VALUE)?)));
    // The closer of a value contains the key: `</KEY>`.
    if texts.gap.contains(KEY) {
        return find_nested(&texts, next, others);
    }
    // Only the string has quotes: `KEY="VALUE", OTHER_KEY=7`.
    let quote = texts.assign.text().strip_prefix(texts.other_assign.text()).unwrap_or("");
    if !quote.trim().is_empty() && texts.gap.text().starts_with(quote) {
        return find_literal(&texts, next, texts.other_assign.text(), quote);
    }
    // A template may write quotes around all values, or around none. Even if it writes them around
    // numbers, the format has them only for strings: a model writes numbers without quotes.
    let quote = if quote.is_empty() { quote_of_all(&texts) } else { "" };
    let assign =
        texts.assign.text().strip_suffix(quote).filter(|_| is_assignment_list(&texts, quote));
    if let Some(found) = assign.and_then(|assign| find_literal(&texts, next, assign, quote)) {
        return Some(found);
    }
    let (texts, next) = without_quotes(&texts, next).unwrap_or((texts, next));
    find_tagged(&texts, next, others)
}

/// The texts without the quotes, if markup quotes all strings but no number, as in
/// `<v><|q|>VALUE<|q|></v>` and `<v>7</v>`. The result is as if both were written like the number;
/// `quoting` finds the quotes themselves.
fn without_quotes<'t>(
    texts: &ArgumentTexts<'t>,
    next: NextCall<'t>,
) -> Option<(ArgumentTexts<'t>, NextCall<'t>)> {
    let quote = texts.assign.text().strip_prefix(texts.other_assign.text())?;
    let close = texts.following.to(texts.following.first_marker_end()?).text();
    let unquoted = |following: Piece<'t>| following.find(close).map(|at| following.from(at));
    let next = next.and_then(|(front, following)| Some((front, unquoted(following)?)));
    let texts = ArgumentTexts {
        assign: texts.assign.to(texts.other_assign.len()),
        gap: unquoted(texts.gap)?,
        ..*texts
    };
    Marker::new(quote).is_markup().then_some((texts, next))
}

/// The text around each value, for strings and numbers alike; empty if there is none. Example: `"`
/// in `KEY="VALUE", OTHER_KEY="7357191"`.
fn quote_of_all<'t>(texts: &ArgumentTexts<'t>) -> &'t str {
    let assign = texts.assign.text();
    let is_quote = |quote: &&str| {
        let around = [texts.gap.text(), texts.following.text()];
        around.iter().all(|it| it.starts_with(quote)) && texts.other_assign.text().ends_with(quote)
    };
    let ends = assign.char_indices().skip(1).filter_map(|(at, _)| assign.get(at..));
    ends.filter(|quote| !quote.trim().is_empty()).find(is_quote).unwrap_or("")
}

/// Whether the arguments are in brackets, with a comma between them and no markup before a key.
fn is_assignment_list(texts: &ArgumentTexts<'_>, quote: &str) -> bool {
    let following = texts.following.text().strip_prefix(quote);
    let opener = match following.and_then(|it| it.trim_start().chars().next()) {
        Some(')') => "(",
        Some(']') => "[",
        Some('}') => "{",
        _ => return false,
    };
    let separator = texts.gap.text().strip_prefix(quote).map(str::trim);
    texts.front.text().trim_end().ends_with(opener) && separator == Some(",")
}

/// Finds `open KEY assign VALUE separator … close`, with strings in quotes. In
/// `(KEY="VALUE", OTHER_KEY=7)`, `(` is `open`, `=` is `assign`, and `, ` is the separator.
fn find_literal<'t>(
    texts: &ArgumentTexts<'t>,
    next: NextCall<'t>,
    assign: &str,
    quote: &str,
) -> Option<DetectedArguments<'t>> {
    let open = texts.front.text();
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
    let last = unquoted(texts.following);
    let following = last.after(closer.encode_utf8(&mut [0; 4]))?;
    let close = last.to(last.len() - following.len());
    let closed = |piece: Piece<'t>| unquoted(piece).strip_trimmed_prefix(close.text());
    let separator = texts.gap.text().strip_prefix(quote)?;
    // The quotes of JSON and Python are implied.
    let token = if matches!(quote, "'" | "\"") { "" } else { quote };
    Some(DetectedArguments {
        arguments: Arguments::Literal {
            open: text(open.get(at..)?),
            assign: text(assign),
            separator: text(separator),
            quote: text(token),
            close: text(close.text()),
        },
        suffix: texts.front.to(at),
        next_suffix: next.and_then(|it| it.0.text().rfind(bracket).map(|at| it.0.to(at))),
        following,
        next_following: next.and_then(|it| closed(it.1)),
        after_value: texts.gap.text().to_owned(),
    })
}

/// The offset that divides the text between the name and the first key. The first part belongs to
/// the name: it also follows the name of the call without arguments, `bare`. The second part opens
/// a key: it is also at the end of `gap`. Example: `><p=` is divided into `>` and `<p=`.
///
/// A marker in both parts belongs to the name, unless the text after a value, `after_value`, begins
/// with it.
fn split_front<'t>(
    front: Piece<'t>,
    gap: Piece<'t>,
    bare: Option<Piece<'t>>,
    after_value: &str,
) -> usize {
    let mut opener_len = front.common_end_len(gap);
    let suffix_len = bare.map_or(0, |bare| front.common_start_len(bare));
    if suffix_len + opener_len > front.len() {
        let both = front.to(suffix_len).from(front.len() - opener_len);
        if both.is_blank() || !after_value.trim_start().starts_with(both.text().trim()) {
            opener_len = front.len() - suffix_len;
        }
    }
    let opener = front.from(front.len() - opener_len);
    front.len() - opener.trim_start().len()
}

/// Finds `key_open KEY key_close VALUE value_close`. In `<p=KEY>VALUE</p>`, these are `<p=`, `>`
/// and `</p>`.
///
/// Example: the text from the name to the first key is `><p=`, from a value to the next key it is
/// `</p><p=`, and after the last value `</p></f>`. So `<p=` is at the end of the first two, and
/// `</p>` at the start of the last two.
fn find_tagged<'t>(
    texts: &ArgumentTexts<'t>,
    next: NextCall<'t>,
    others: OtherCallPieces<'t>,
) -> Option<DetectedArguments<'t>> {
    let bare = others.bare.and_then(|it| it.after(SECOND));
    let at = split_front(texts.front, texts.gap, bare, texts.gap.text());
    let (suffix, key_open) = (texts.front.to(at), texts.front.from(at));
    if key_open.is_blank() && texts.assign.is_blank() {
        return None;
    }
    // The closer of a value is the text that follows each value. After it is the separator.
    let gap = texts.gap.strip_trimmed_suffix(key_open.text()).filter(|_| !key_open.is_blank());
    let gap = gap.unwrap_or(texts.gap);
    let close_len = gap.common_start_len(texts.following);
    let close_len = next.map_or(close_len, |it| gap.to(close_len).common_start_len(it.1));
    let (value_close, separator) = (gap.to(close_len), gap.from(close_len).text().trim());
    let following = texts.following.from(close_len);
    let next_suffix = next.map(|it| it.0.without_last(key_open.len()));
    Some(DetectedArguments {
        arguments: Arguments::Tagged {
            key_open: Marker::new(key_open),
            key_close: key_close(texts, others.typed),
            value_close: Marker::new(value_close),
            separator: text(separator),
            quoting: Quoting::NONE,
        },
        suffix,
        next_suffix,
        following,
        next_following: next.map(|it| it.1.from(close_len)),
        after_value: texts.gap.text().to_owned(),
    })
}

/// The text between a key and its value. It may contain a word that depends on the value's type. If
/// `" string="true">` is before a string and `" string="false">` before a number, the text is
/// `" string="`, the hint ends with `">`, and `true` is its word for strings.
fn key_close(texts: &ArgumentTexts<'_>, typed: Option<Piece<'_>>) -> Suffix {
    if texts.assign.text() == texts.other_assign.text() {
        return Suffix::new(texts.assign);
    }
    let (front_len, end_len) = around_difference(texts.assign, texts.other_assign);
    let word = |assign: Piece<'_>| assign.without_last(end_len).from(front_len).text().to_owned();
    let string_word = word(texts.assign);
    // A word that is also used for other types proves nothing.
    let is_of_other_type = |(key, _, value): &(&str, &str, &str)| {
        let assign = typed.and_then(|it| it.between(key, value));
        assign.is_some_and(|it| it.len() >= front_len + end_len && word(it) == string_word)
    };
    let proves_nothing =
        TYPES.iter().any(is_of_other_type) || string_word == word(texts.other_assign);
    let string = if proves_nothing { Vec::new() } else { vec![Text::Owned(string_word)] };
    Suffix {
        text: Marker::new(texts.assign.to(front_len)),
        hint: Some(Hint {
            end: Marker::new(texts.assign.from(texts.assign.len() - end_len)),
            string: List::Owned(string),
        }),
    }
}

/// For two texts that differ in a word: the number of equal bytes before it, and after it. For
/// `:0>` and `:1>`, both are 1.
pub(super) fn around_difference(one: Piece<'_>, other: Piece<'_>) -> (usize, usize) {
    let is_of_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let front_len = same_len(one.text().chars(), other.text().chars());
    let front_len = one.to(front_len).text().trim_end_matches(is_of_word).len();
    let (one, other) = (one.from(front_len), other.from(front_len));
    let end_len = same_len(one.text().chars().rev(), other.text().chars().rev());
    let end_len = one.from(one.len() - end_len).text().trim_start_matches(is_of_word).len();
    (front_len, end_len)
}

/// Finds `open_prefix KEY open_suffix VALUE close_prefix KEY close_suffix`. In `<KEY>VALUE</KEY>`,
/// these are `<`, `>`, `</` and `>`.
fn find_nested<'t>(
    texts: &ArgumentTexts<'t>,
    next: NextCall<'t>,
    others: OtherCallPieces<'t>,
) -> Option<DetectedArguments<'t>> {
    let (close_prefix, gap) = texts.gap.split_once(KEY)?;
    let bare = others.bare.and_then(|it| it.after(SECOND));
    let at = split_front(texts.front, gap, bare, close_prefix.text());
    let (suffix, open_prefix) = (texts.front.to(at), texts.front.from(at));
    let close_suffix = gap.strip_trimmed_suffix(open_prefix.text())?;
    let following =
        |piece: Piece<'t>, key: &str| piece.after(key)?.strip_trimmed_prefix(close_suffix.text());
    // The tag around an item of a list: `item` in `<LIST_KEY><item>ITEM</item></LIST_KEY>`.
    let item = others.typed.and_then(|typed| {
        let front = typed.after(TYPES.iter().find(|it| it.2 == ITEM)?.0)?.before(ITEM)?;
        let tag = front.after_last(open_prefix.text().trim())?;
        let tag = tag.strip_trimmed_suffix(texts.assign.text()).unwrap_or(tag);
        (!tag.is_blank()).then(|| text(tag.text()))
    });
    Some(DetectedArguments {
        arguments: Arguments::Nested {
            open_prefix: Marker::new(open_prefix),
            open_suffix: Marker::new(texts.assign),
            close_prefix: Marker::new(close_prefix),
            close_suffix: Marker::new(close_suffix),
            item: item.unwrap_or_default(),
        },
        suffix,
        next_suffix: next.map(|it| it.0.without_last(open_prefix.len())),
        following: following(texts.following, OTHER_KEY)?,
        next_following: next.and_then(|it| following(it.1, KEY)),
        after_value: texts.gap.text().to_owned(),
    })
}
