//! The methods of texts. Those of lists and maps are in [`super::containers`].

use std::borrow::Cow;

use super::arguments::Arguments;
use super::containers::{OF_CYCLERS, OF_LISTS, OF_LOOPS, OF_MAPS, OF_TUPLES};
use super::fault::Fault;
use super::format::{self, Given};
use super::heap::NewList;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::jinja::is_python_space;
use prompty_core::text::{CharacterSet, slice};
use prompty_core::work::add_steps;

/// What it costs to sort the characters of a text, for each byte of it.
const SORTING: usize = 8;

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
                let text = text.read(&self.meter)?;
                self.text_method(text, name, arguments)
            }
            Val::Float(number) => Ok(Val::Bool(number.fract() == 0.0)),
            _ => self.container_method(value, name, arguments),
        }
    }

    fn text_method(&mut self, text: &str, name: &str, arguments: &Arguments) -> Outcome {
        match name {
            "capitalize" => self.recased(text, capitalized),
            "casefold" | "lower" => self.recased(text, str::to_lowercase),
            "upper" => self.recased(text, str::to_uppercase),
            "title" => {
                self.meter.pay_letters(text)?;
                self.recased(text, |text| titled(text, is_no_letter).collect())
            }
            "swapcase" => {
                self.meter.pay_letters(text)?;
                self.recased(text, swapped)
            }
            "strip" | "lstrip" | "rstrip" => {
                let ends = Stripped::of_arguments(self, arguments)?;
                self.part(text, ends.strip(text, name != "rstrip", name != "lstrip"))
            }
            "removeprefix" => {
                let part = self.text(arguments.need(0, "prefix")?)?;
                self.part(text, text.strip_prefix(&*part).unwrap_or(text))
            }
            "removesuffix" => {
                let part = self.text(arguments.need(0, "suffix")?)?;
                self.part(text, text.strip_suffix(&*part).unwrap_or(text))
            }
            "startswith" | "endswith" => {
                let text = cut(text, arguments, 1);
                let holds = |part: &Text| match name {
                    "startswith" => part.is_start_of(text, &self.meter),
                    _ => part.is_end_of(text, &self.meter),
                };
                match arguments.need(0, "prefix")? {
                    Val::Tuple(id) => {
                        for part in self.heap.each_item(*id, &self.meter) {
                            if let Some(part) = part?.as_text()
                                && holds(part)?
                            {
                                return Ok(Val::Bool(true));
                            }
                        }
                        Ok(Val::Bool(false))
                    }
                    part => match part.as_text() {
                        Some(part) => holds(part).map(Val::Bool),
                        None => Err(Fault::render(format!("`{name}` takes a text"))),
                    },
                }
            }
            "split" | "rsplit" => self.split(text, arguments, name == "rsplit"),
            "splitlines" => {
                let keeps = arguments.get(0, "keepends").is_some_and(|it| self.is_true(it));
                let mut parts = Parts::of_text(text);
                for line in lines(text, keeps) {
                    parts.push(self, line)?;
                }
                self.list(parts.list)
            }
            "partition" | "rpartition" => {
                let separator = self.searched_for(arguments.need(0, "sep")?)?;
                if separator.is_empty() {
                    return Err(Fault::render("the separator is empty"));
                }
                let is_first = name == "partition";
                let parts = match is_first {
                    true => text.split_once(&*separator),
                    false => text.rsplit_once(&*separator),
                };
                let parts = match parts {
                    Some((before, behind)) => [before, &*separator, behind],
                    None if is_first => [text, "", ""],
                    None => ["", "", text],
                };
                self.note_parts(text, parts.iter().copied().filter(|part| !part.is_empty()));
                let [before, between, behind] = parts.map(|part| self.copy(part));
                self.tuple_of([before?, between?, behind?])
            }
            "replace" => {
                let from = self.text(arguments.need(0, "old")?)?;
                let to = self.text(arguments.need(1, "new")?)?;
                let most = arguments.get(2, "count").and_then(Val::as_integer);
                replaced(self, text, &from, &to, most)
            }
            "find" | "rfind" | "index" | "rindex" => {
                let part = self.searched_for(arguments.need(0, "sub")?)?;
                let found =
                    if name.starts_with('r') { text.rfind(&*part) } else { text.find(&*part) };
                match found {
                    Some(at) => Ok(Val::from(slice(text, ..at).chars().count())),
                    None if name.ends_with("find") => Ok(Val::Integer(-1)),
                    None => Err(Fault::render("the text does not have this part")),
                }
            }
            "count" => {
                let part = self.searched_for(arguments.need(0, "sub")?)?;
                Ok(Val::from(text.matches(&*part).count()))
            }
            "join" => {
                let mut items = self.items(arguments.need(0, "iterable")?)?;
                let mut joined = self.writer();
                let mut separator = "";
                while let Some(item) = items.next(self)? {
                    joined.push(separator)?;
                    separator = text;
                    let Some(item) = item.as_text() else {
                        let message = format!("`join` joins texts, not a {}", item.type_name());
                        return Err(Fault::render(message));
                    };
                    joined.push(item.read(&self.meter)?)?;
                }
                joined.finish().map(Val::String)
            }
            "center" | "ljust" | "rjust" | "zfill" => {
                let width = super::filters::count(arguments, 0, "width", 0)?;
                let fill = match arguments.get(1, "fillchar").and_then(Val::as_text) {
                    None => Some(' '),
                    Some(fill) if fill.has_several() => None,
                    Some(fill) => fill.last_character(),
                };
                let Some(fill) = fill else {
                    return Err(Fault::render("a text is filled up with one character"));
                };
                match name {
                    "center" => aligned(self, text, width, fill, Side::Both),
                    "ljust" => aligned(self, text, width, fill, Side::Right),
                    "rjust" => aligned(self, text, width, fill, Side::Left),
                    _ => {
                        let signs = usize::from(text.starts_with(['-', '+']));
                        let (sign, digits) = text.split_at_checked(signs).unwrap_or(("", text));
                        let missing = width.saturating_sub(signs + digits.chars().count());
                        let mut filled = self.writer();
                        filled.push_repeated('0', missing)?;
                        filled.push(digits)?;
                        self.note_part(text, filled.as_str());
                        let mut signed = self.writer();
                        signed.push(sign)?;
                        signed.push(filled.as_str())?;
                        signed.finish().map(Val::String)
                    }
                }
            }
            "expandtabs" => {
                let width = super::filters::count(arguments, 0, "tabsize", 8)?;
                let mut expanded = self.writer();
                let mut column = 0;
                for character in text.chars() {
                    match character {
                        '\t' if width > 0 => {
                            let spaces = width - column % width;
                            expanded.push_repeated(' ', spaces)?;
                            column += spaces;
                        }
                        '\t' => {}
                        '\n' | '\r' => {
                            expanded.push_char(character)?;
                            column = 0;
                        }
                        _ => {
                            expanded.push_char(character)?;
                            column += 1;
                        }
                    }
                }
                self.note_part(text, expanded.as_str());
                expanded.finish().map(Val::String)
            }
            "format" => format::braces(self, text, Given::Arguments(arguments)),
            "format_map" => match arguments.need(0, "mapping")? {
                Val::Dict(id) => format::braces(self, text, Given::Map(*id)),
                _ => format::braces(self, text, Given::Arguments(&Arguments::default())),
            },
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
                self.meter.pay_letters(text)?;
                let is_title = titled(text, is_no_letter).eq(text.chars());
                Ok(Val::Bool(is_title && is_upper_or_lower(text)))
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    /// A text that another is searched for. It is read once more than others, to prepare the search.
    fn searched_for<'v>(&self, value: &'v Val) -> Outcome<Cow<'v, str>> {
        let text = self.text(value)?;
        self.meter.pay(text.len())?;
        Ok(text)
    }

    /// A text that was cut out of another.
    pub(super) fn part(&self, whole: &str, part: &str) -> Outcome {
        self.note_part(whole, part);
        self.copy(part)
    }

    /// A text in other letter cases. Markup is looked for in whatever case of ASCII alone, and some
    /// letters beyond it, such as the sign of Kelvin, become ones of ASCII.
    pub(super) fn recased(&self, text: &str, change: impl FnOnce(&str) -> String) -> Outcome {
        let beyond = |character: &char| !character.is_ascii();
        let recased = Text::changed(
            text,
            |text| {
                let recased = change(text);
                if !text.is_ascii()
                    && !text.chars().filter(beyond).eq(recased.chars().filter(beyond))
                {
                    self.note_rewriting();
                }
                recased
            },
            &self.meter,
        )?;
        Ok(Val::String(recased))
    }

    fn split(&mut self, text: &str, arguments: &Arguments, from_right: bool) -> Outcome {
        let most = match arguments.get(1, "maxsplit").and_then(Val::as_integer) {
            Some(most) if most >= 0 => usize::try_from(most).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let pieces = most.saturating_add(1);
        let mut parts = Parts::of_text(text);
        match arguments.get(0, "sep") {
            None | Some(Val::None) => {
                let mut words = Words { rest: text, left: most, from_right };
                words.try_for_each(|word| parts.push(self, word))?;
            }
            Some(separator) => match separator.as_text() {
                Some(separator) if separator.is_empty() => {
                    return Err(Fault::render("the separator is empty"));
                }
                Some(separator) => {
                    let separator = separator.read(&self.meter)?;
                    self.meter.pay(separator.len())?;
                    match from_right {
                        true => text
                            .rsplitn(pieces, separator)
                            .try_for_each(|part| parts.push(self, part))?,
                        false => text
                            .splitn(pieces, separator)
                            .try_for_each(|part| parts.push(self, part))?,
                    }
                }
                None => return Err(Fault::render("the separator must be a text")),
            },
        }
        if from_right {
            parts.list.reverse();
        }
        self.list(parts.list)
    }
}

/// Texts that are cut out of another, one after the other.
#[derive(Debug)]
struct Parts<'t> {
    /// The other text, without the white space around it.
    whole: &'t str,
    list: NewList,
}

impl<'t> Parts<'t> {
    fn of_text(whole: &'t str) -> Self {
        Self { whole: whole.trim_matches(is_python_space), list: NewList::default() }
    }

    fn push(&mut self, run: &Run<'_>, part: &str) -> Outcome<()> {
        if part.trim_matches(is_python_space) != self.whole {
            run.note_rewriting();
        }
        let part = run.copy(part)?;
        self.list.push(part, &run.meter)
    }
}

/// The part of a text from one argument to the next.
fn cut<'t>(text: &'t str, arguments: &Arguments, first: usize) -> &'t str {
    let bound = |index: usize| arguments.positional.get(index).and_then(Val::as_integer);
    let (start, stop) = (bound(first), bound(first + 1));
    if start.is_none() && stop.is_none() {
        return text;
    }
    let count = text.chars().count();
    let length = i128::try_from(count).unwrap_or(i128::MAX);
    let byte = |bound: i128| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        let place = usize::try_from(bound.clamp(0, length)).unwrap_or_default();
        text.char_indices().nth(place).map_or(text.len(), |(at, _)| at)
    };
    let (start, stop) = (byte(start.unwrap_or(0)), byte(stop.unwrap_or(length)));
    slice(text, start..stop.max(start))
}

/// What is stripped off the ends of a text.
#[derive(Debug)]
pub(super) enum Stripped {
    WhiteSpace,
    Characters(CharacterSet),
}

impl Stripped {
    /// The characters of the first argument, or else white space.
    pub(super) fn of_arguments(run: &Run<'_>, arguments: &Arguments) -> Outcome<Self> {
        let Some(characters) = arguments.get(0, "chars").and_then(Val::as_text) else {
            return Ok(Self::WhiteSpace);
        };
        let characters = characters.read(&run.meter)?;
        if !characters.is_ascii() {
            // What is not ASCII is copied and sorted.
            run.meter.pay_built(characters.len().saturating_mul(2))?;
            run.meter.pay(characters.len().saturating_mul(SORTING))?;
        }
        Ok(Self::Characters(CharacterSet::new(characters)))
    }

    pub(super) fn strip<'t>(&self, text: &'t str, left: bool, right: bool) -> &'t str {
        let is_taken = |character: char| match self {
            Self::WhiteSpace => is_python_space(character),
            Self::Characters(set) => set.contains(character),
        };
        let text = if left { text.trim_start_matches(is_taken) } else { text };
        if right { text.trim_end_matches(is_taken) } else { text }
    }
}

/// The words of a text, with at most so many cuts; from the right in reverse order. What is left
/// behind the last cut stays as it is.
struct Words<'t> {
    rest: &'t str,
    /// How many cuts are left.
    left: usize,
    from_right: bool,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = match self.from_right {
            true => self.rest.trim_end_matches(is_python_space),
            false => self.rest.trim_start_matches(is_python_space),
        };
        if rest.is_empty() {
            return None;
        }
        let cut = match self.from_right {
            _ if self.left == 0 => None,
            true => rest.rmatch_indices(is_python_space).next(),
            false => rest.match_indices(is_python_space).next(),
        };
        let Some((at, space)) = cut else {
            self.rest = "";
            return Some(rest);
        };
        self.left -= 1;
        let (before, behind) = (slice(rest, ..at), slice(rest, at + space.len()..));
        let (word, rest) = if self.from_right { (behind, before) } else { (before, behind) };
        self.rest = rest;
        Some(word)
    }
}

/// The lines of a text, as `splitlines` cuts them.
fn lines(text: &str, keeps_ends: bool) -> impl Iterator<Item = &str> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(at) = rest.find(is_end) else { return Some(std::mem::take(&mut rest)) };
        let behind = slice(rest, at..);
        let length = match behind.starts_with("\r\n") {
            true => 2,
            false => behind.chars().next().map_or(1, char::len_utf8),
        };
        let line = slice(rest, ..if keeps_ends { at + length } else { at });
        rest = slice(rest, at + length..);
        Some(line)
    })
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
pub(super) fn titled(text: &str, ends: fn(char) -> bool) -> impl Iterator<Item = char> {
    let mut begins = true;
    text.chars().flat_map(move |character| {
        let (upper, lower) = match begins {
            true => (Some(character.to_uppercase()), None),
            false => (None, Some(character.to_lowercase())),
        };
        begins = ends(character);
        upper.into_iter().flatten().chain(lower.into_iter().flatten())
    })
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
    let mut replaced = run.writer();
    let mut written = 0;
    add_steps(text.len());
    for (at, part) in text.match_indices(from).take(most) {
        replaced.push(slice(text, written..at))?;
        replaced.push(to)?;
        written = at + part.len();
        run.meter.pay_items(1)?;
        run.note_rewriting();
    }
    replaced.push(slice(text, written..))?;
    replaced.finish().map(Val::String)
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
    let left = match side {
        Side::Left => missing,
        Side::Right => 0,
        // Python puts the odd one to the left where the width is odd.
        Side::Both => missing / 2 + (missing & width & 1),
    };
    let mut aligned = run.writer();
    aligned.push_repeated(fill, left)?;
    aligned.push(text)?;
    aligned.push_repeated(fill, missing - left)?;
    aligned.finish().map(Val::String)
}
