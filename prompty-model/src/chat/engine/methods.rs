//! The methods of texts. Those of lists and maps are in [`super::containers`].

use std::borrow::Cow;

use super::containers::{OF_CYCLERS, OF_LISTS, OF_LOOPS, OF_MAPS, OF_TUPLES};
use super::format;
use super::run::{Arguments, Run};
use super::value::{Fault, Outcome, Val};
use prompty_core::jinja::is_python_space;
use prompty_core::text::slice;

/// Which sides of a text are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Both,
}

/// The names of a text's methods.
const OF_TEXTS: &[&str] = &[
    "capitalize",
    "casefold",
    "center",
    "count",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
    "encode",
];

/// The names of a float's methods.
const OF_FLOATS: &[&str] = &["is_integer"];

/// The names of all methods, with what Python calls the type that has them.
pub(super) const ALL: &[(&str, &[&str])] = &[
    ("str", OF_TEXTS),
    ("float", OF_FLOATS),
    ("dict", OF_MAPS),
    ("list", OF_LISTS),
    ("tuple", OF_TUPLES),
    ("LoopContext", OF_LOOPS),
    ("Cycler", OF_CYCLERS),
];

/// Whether a value has a method of that name.
pub(super) fn is_method(value: &Val, name: &str) -> bool {
    let names = match value {
        Val::String(_) | Val::Safe(_) => OF_TEXTS,
        Val::Float(_) => OF_FLOATS,
        Val::Dict(_) => OF_MAPS,
        Val::List(_) => OF_LISTS,
        Val::Tuple(_) => OF_TUPLES,
        Val::Loop(_) => OF_LOOPS,
        Val::Cycler(_) => OF_CYCLERS,
        _ => return false,
    };
    names.contains(&name)
}

impl Run<'_> {
    /// Calls a method that [`is_method`] knows.
    #[inline(never)]
    pub(super) fn call_method(
        &mut self,
        value: &Val,
        name: &str,
        arguments: &Arguments,
    ) -> Outcome {
        match value {
            Val::String(text) | Val::Safe(text) => {
                self.pay_read(text.len())?;
                self.text_method(text, name, arguments)
            }
            Val::Float(number) => Ok(Val::Bool(number.fract() == 0.0)),
            _ => self.container_method(value, name, arguments),
        }
    }

    fn text_method(&mut self, text: &str, name: &str, arguments: &Arguments) -> Outcome {
        let characters = || arguments.get(0, "chars").and_then(Val::as_str);
        match name {
            "capitalize" => self.recased(text, capitalized(text)),
            "casefold" | "lower" => self.recased(text, text.to_lowercase()),
            "upper" => self.recased(text, text.to_uppercase()),
            "title" => self.recased(text, titled(text, is_no_letter)),
            "swapcase" => self.recased(text, swapped(text)),
            "strip" => self.part(text, stripped(text, characters(), true, true)),
            "lstrip" => self.part(text, stripped(text, characters(), true, false)),
            "rstrip" => self.part(text, stripped(text, characters(), false, true)),
            "removeprefix" => {
                let part = self.text(arguments.need(0, "prefix")?)?;
                self.part(text, text.strip_prefix(&*part).unwrap_or(text))
            }
            "removesuffix" => {
                let part = self.text(arguments.need(0, "suffix")?)?;
                self.part(text, text.strip_suffix(&*part).unwrap_or(text))
            }
            "startswith" | "endswith" => {
                let is_start = name == "startswith";
                let text = self.cut(text, arguments, 1)?;
                let holds = |part: &str| match is_start {
                    true => text.starts_with(part),
                    false => text.ends_with(part),
                };
                match arguments.need(0, "prefix")? {
                    Val::Tuple(id) => {
                        let mut parts = self.heap.list(*id).iter();
                        Ok(Val::Bool(parts.any(|it| it.as_str().is_some_and(holds))))
                    }
                    part => match part.as_str() {
                        Some(part) => Ok(Val::Bool(holds(part))),
                        None => Err(Fault::render(format!("`{name}` takes a text"))),
                    },
                }
            }
            "split" | "rsplit" => self.split(text, arguments, name == "rsplit"),
            "splitlines" => {
                let keeps = arguments.get(0, "keepends").is_some_and(|it| self.is_true(it));
                self.texts(text, &lines(text, keeps))
            }
            "partition" | "rpartition" => {
                let separator = self.text(arguments.need(0, "sep")?)?;
                if separator.is_empty() {
                    return Err(Fault::render("the separator is empty"));
                }
                let is_first = name == "partition";
                let parts = match is_first {
                    true => text.split_once(&*separator),
                    false => text.rsplit_once(&*separator),
                };
                let parts = match parts {
                    Some((before, behind)) => [before, &separator, behind],
                    None if is_first => [text, "", ""],
                    None => ["", "", text],
                };
                self.pay_built(text.len())?;
                parts.iter().for_each(|part| {
                    if !part.is_empty() {
                        self.note_part(text, part);
                    }
                });
                self.tuple(parts.map(Val::from).to_vec())
            }
            "replace" => {
                let from = self.text(arguments.need(0, "old")?)?;
                let to = self.text(arguments.need(1, "new")?)?;
                let most = arguments.get(2, "count").and_then(Val::as_integer);
                replaced(self, text, &from, &to, most)
            }
            "find" | "rfind" | "index" | "rindex" => {
                let part = self.text(arguments.need(0, "sub")?)?;
                let found =
                    if name.starts_with('r') { text.rfind(&*part) } else { text.find(&*part) };
                match found {
                    Some(at) => Ok(Val::from(slice(text, ..at).chars().count())),
                    None if name.ends_with("find") => Ok(Val::Integer(-1)),
                    None => Err(Fault::render("the text does not have this part")),
                }
            }
            "count" => {
                let part = self.text(arguments.need(0, "sub")?)?;
                Ok(Val::from(text.matches(&*part).count()))
            }
            "join" => {
                let items = self.items(arguments.need(0, "iterable")?)?;
                let mut joined = String::new();
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(&mut joined, text)?;
                    }
                    if item.as_str().is_none() {
                        let message = format!("`join` joins texts, not a {}", item.type_name());
                        return Err(Fault::render(message));
                    }
                    self.write_text(item, &mut joined)?;
                }
                self.made(joined)
            }
            "center" | "ljust" | "rjust" | "zfill" => {
                let width = super::filters::count(arguments, 0, "width", 0)?;
                let mut fill =
                    arguments.get(1, "fillchar").and_then(Val::as_str).unwrap_or(" ").chars();
                let (Some(fill), None) = (fill.next(), fill.next()) else {
                    return Err(Fault::render("a text is filled up with one character"));
                };
                match name {
                    "center" => aligned(self, text, width, fill, Side::Both),
                    "ljust" => aligned(self, text, width, fill, Side::Right),
                    "rjust" => aligned(self, text, width, fill, Side::Left),
                    _ => {
                        let signs = usize::from(text.starts_with(['-', '+']));
                        let (sign, digits) = text.split_at_checked(signs).unwrap_or(("", text));
                        let width = width.saturating_sub(signs);
                        let digits = aligned(self, digits, width, '0', Side::Left)?;
                        self.note_part(text, digits.as_str().unwrap_or_default());
                        self.made(format!("{sign}{}", digits.as_str().unwrap_or_default()))
                    }
                }
            }
            "expandtabs" => {
                let width = super::filters::count(arguments, 0, "tabsize", 8)?;
                self.pay_built(text.matches('\t').count().saturating_mul(width))?;
                let mut expanded = String::new();
                let mut column = 0;
                for character in text.chars() {
                    match character {
                        '\t' if width > 0 => {
                            let spaces = width - column % width;
                            (0..spaces).for_each(|_| expanded.push(' '));
                            column += spaces;
                        }
                        '\t' => {}
                        '\n' | '\r' => {
                            expanded.push(character);
                            column = 0;
                        }
                        _ => {
                            expanded.push(character);
                            column += 1;
                        }
                    }
                }
                self.note_part(text, &expanded);
                self.made(expanded)
            }
            "format" => {
                let text = format::braces(self, text, arguments)?;
                self.made(text)
            }
            "format_map" => {
                let mut named = Arguments::default();
                if let Val::Dict(id) = arguments.need(0, "mapping")? {
                    for (name, value) in &self.heap.dict(*id).entries {
                        if let Val::String(name) | Val::Safe(name) = name {
                            named.named.push((name.clone(), value.clone()));
                        }
                    }
                }
                let text = format::braces(self, text, &named)?;
                self.made(text)
            }
            "isalnum" => Ok(Val::Bool(all(text, char::is_alphanumeric))),
            "isalpha" => Ok(Val::Bool(all(text, char::is_alphabetic))),
            "isascii" => Ok(Val::Bool(text.is_ascii())),
            "isdecimal" | "isdigit" | "isnumeric" => Ok(Val::Bool(all(text, char::is_numeric))),
            "isidentifier" => {
                let is_part = |c: char| c == '_' || c.is_alphanumeric();
                let begins = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
                Ok(Val::Bool(begins && text.chars().all(is_part)))
            }
            "islower" => Ok(Val::Bool(is_lower(text))),
            "isupper" => Ok(Val::Bool(is_upper(text))),
            "isprintable" => Ok(Val::Bool(!text.chars().any(char::is_control))),
            "isspace" => Ok(Val::Bool(all(text, is_python_space))),
            "istitle" => {
                Ok(Val::Bool(is_upper_or_lower(text) && titled(text, is_no_letter) == text))
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    /// A list of texts that were cut out of another.
    fn texts(&mut self, text: &str, parts: &[&str]) -> Outcome {
        self.pay_built(text.len().saturating_add(parts.len() * 2 * size_of::<Val>()))?;
        parts.iter().for_each(|part| self.note_part(text, part));
        self.list(parts.iter().copied().map(Val::from).collect())
    }

    /// A text that was cut out of another.
    pub(super) fn part(&self, whole: &str, part: &str) -> Outcome {
        self.note_part(whole, part);
        self.made(part)
    }

    /// A text in other letter cases. Markup is looked for in whatever case of ASCII alone, and some
    /// letters beyond it, such as the sign of Kelvin, become ones of ASCII.
    pub(super) fn recased(&self, text: &str, recased: String) -> Outcome {
        let beyond = |text: &str| text.chars().filter(|it| !it.is_ascii()).collect::<String>();
        if !text.is_ascii() && beyond(text) != beyond(&recased) {
            self.note_rewriting();
        }
        self.made(recased)
    }

    /// The part of a text from one argument to the next.
    fn cut<'t>(&self, text: &'t str, arguments: &Arguments, first: usize) -> Outcome<Cow<'t, str>> {
        let bound = |index: usize| arguments.positional.get(index).and_then(Val::as_integer);
        let (start, stop) = (bound(first), bound(first + 1));
        if start.is_none() && stop.is_none() {
            return Ok(Cow::Borrowed(text));
        }
        let length = i128::try_from(text.chars().count()).unwrap_or(i128::MAX);
        let clamp = |bound: i128| {
            let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
            usize::try_from(bound.clamp(0, length)).unwrap_or_default()
        };
        let (start, stop) = (clamp(start.unwrap_or(0)), clamp(stop.unwrap_or(length)));
        Ok(Cow::Owned(text.chars().take(stop).skip(start).collect()))
    }

    fn split(&mut self, text: &str, arguments: &Arguments, from_right: bool) -> Outcome {
        let most = match arguments.get(1, "maxsplit").and_then(Val::as_integer) {
            Some(most) if most >= 0 => usize::try_from(most).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let pieces = most.saturating_add(1);
        let mut parts: Vec<&str> = match arguments.get(0, "sep") {
            None | Some(Val::None) => words(text, most, from_right),
            Some(separator) => match separator.as_str() {
                Some("") => return Err(Fault::render("the separator is empty")),
                Some(separator) if from_right => text.rsplitn(pieces, separator).collect(),
                Some(separator) => text.splitn(pieces, separator).collect(),
                None => return Err(Fault::render("the separator must be a text")),
            },
        };
        if from_right {
            parts.reverse();
        }
        self.texts(text, &parts)
    }
}

/// The words of a text, with at most so many cuts; from the right in reverse order. What is left
/// behind the last cut stays as it is.
fn words(text: &str, most: usize, from_right: bool) -> Vec<&str> {
    let trimmed = |text: &'_ str| -> usize {
        match from_right {
            true => text.trim_end_matches(is_python_space).len(),
            false => text.len() - text.trim_start_matches(is_python_space).len(),
        }
    };
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let at = trimmed(rest);
        rest = if from_right { slice(rest, ..at) } else { slice(rest, at..) };
        if rest.is_empty() {
            return words;
        }
        let cut = match from_right {
            _ if words.len() >= most => None,
            true => rest.rmatch_indices(is_python_space).next(),
            false => rest.match_indices(is_python_space).next(),
        };
        let Some((at, space)) = cut else {
            words.push(rest);
            return words;
        };
        let (before, behind) = (rest.get(..at), rest.get(at + space.len()..));
        words.extend(if from_right { behind } else { before });
        rest = if from_right { before } else { behind }.unwrap_or_default();
    }
}

/// The lines of a text, as `splitlines` cuts them.
fn lines(text: &str, keeps_ends: bool) -> Vec<&str> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some(at) = rest.find(is_end) else {
            lines.push(rest);
            break;
        };
        let behind = slice(rest, at..);
        let length = match behind.starts_with("\r\n") {
            true => 2,
            false => behind.chars().next().map_or(1, char::len_utf8),
        };
        lines.extend(rest.get(..if keeps_ends { at + length } else { at }));
        rest = slice(rest, at + length..);
    }
    lines
}

fn is_no_letter(character: char) -> bool {
    !character.is_alphabetic()
}

fn all(text: &str, holds: fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(holds)
}

fn is_upper_or_lower(text: &str) -> bool {
    text.chars().any(|c| c.is_uppercase() || c.is_lowercase())
}

pub(super) fn is_lower(text: &str) -> bool {
    text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase)
}

pub(super) fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

/// The first character in upper case, the others in lower case.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let mut capitalized = String::with_capacity(text.len());
    if let Some(first) = characters.next() {
        capitalized.extend(first.to_uppercase());
    }
    capitalized.push_str(&characters.as_str().to_lowercase());
    capitalized
}

/// Each word with its first letter in upper case; `ends` tells what stands between words.
pub(super) fn titled(text: &str, ends: fn(char) -> bool) -> String {
    let mut titled = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        if begins {
            titled.extend(character.to_uppercase());
        } else {
            titled.extend(character.to_lowercase());
        }
        begins = ends(character);
    }
    titled
}

fn swapped(text: &str) -> String {
    let mut swapped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_uppercase() {
            swapped.extend(character.to_lowercase());
        } else {
            swapped.extend(character.to_uppercase());
        }
    }
    swapped
}

/// A text without white space, or without some characters, at its ends.
pub(super) fn stripped<'t>(
    text: &'t str,
    characters: Option<&str>,
    left: bool,
    right: bool,
) -> &'t str {
    let is_taken = |character: char| match characters {
        Some(characters) => characters.contains(character),
        None => is_python_space(character),
    };
    let text = if left { text.trim_start_matches(is_taken) } else { text };
    if right { text.trim_end_matches(is_taken) } else { text }
}

/// A text with a part replaced, at most so many times.
pub(super) fn replaced(
    run: &mut Run<'_>,
    text: &str,
    from: &str,
    to: &str,
    most: Option<i128>,
) -> Outcome {
    let most = match most {
        Some(most) if most >= 0 => usize::try_from(most).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    run.pay_read(text.len())?;
    let count = text.matches(from).take(most).count();
    if count > 0 {
        run.note_rewriting();
    }
    run.pay_built(text.len().saturating_add(count.saturating_mul(to.len())))?;
    Ok(Val::from(text.replacen(from, to, most)))
}

/// A text filled up to a width.
pub(super) fn aligned(
    run: &mut Run<'_>,
    text: &str,
    width: usize,
    fill: char,
    side: Side,
) -> Outcome {
    let missing = width.saturating_sub(text.chars().count());
    run.pay_built(text.len().saturating_add(missing.saturating_mul(fill.len_utf8())))?;
    let left = match side {
        Side::Left => missing,
        Side::Right => 0,
        // Python puts the odd one to the left where the width is odd.
        Side::Both => missing / 2 + (missing & width & 1),
    };
    let fill = |count: usize| std::iter::repeat_n(fill, count);
    let aligned: String = fill(left).chain(text.chars()).chain(fill(missing - left)).collect();
    Ok(Val::from(aligned))
}
