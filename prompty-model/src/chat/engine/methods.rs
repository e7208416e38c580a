//! The methods of texts, paid for; what they do is in [`prompty_core::jinja::methods`]. Those of lists and
//! maps are in [`super::containers`].

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
use prompty_core::jinja::methods::{self as python, Direction, Expanded, Pieces, Side};
use prompty_core::text::{CharacterSet, slice};
use prompty_core::work::add_steps;

/// What it costs to sort the characters of a text, for each byte of it.
const SORTING: usize = 8;

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
            "capitalize" => self.recased(text, python::capitalized),
            "casefold" => {
                // A letter is looked up twice: for its lower case, and for what that folds to.
                self.meter.pay_letters(text)?;
                self.meter.pay_letters(text)?;
                self.recased(text, |text| python::folded(text).collect())
            }
            "lower" => self.recased(text, str::to_lowercase),
            "upper" => self.recased(text, str::to_uppercase),
            "title" => {
                self.meter.pay_letters(text)?;
                self.recased(text, |text| python::titled(text, python::is_no_letter).collect())
            }
            "swapcase" => {
                self.meter.pay_letters(text)?;
                self.recased(text, python::swapped)
            }
            "strip" | "lstrip" | "rstrip" => {
                let ends = Stripped::of_arguments(self, arguments)?;
                let side = match name {
                    "lstrip" => Side::Left,
                    "rstrip" => Side::Right,
                    _ => Side::Both,
                };
                self.part(text, ends.strip(text, side))
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
            "split" | "rsplit" => self.split(text, arguments, direction(name)),
            "splitlines" => {
                let keeps = arguments.get(0, "keepends").is_some_and(|it| self.is_true(it));
                let mut parts = Parts::of_text(text);
                for line in python::lines(text, keeps) {
                    parts.push(self, line)?;
                }
                self.list(parts.list)
            }
            "partition" | "rpartition" => {
                let separator = self.searched_for(arguments.need(0, "sep")?)?;
                if separator.is_empty() {
                    return Err(Fault::render("the separator is empty"));
                }
                let parts = python::partition(text, &separator, direction(name));
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
                match python::find(text, &part, direction(name)) {
                    Some(place) => Ok(Val::from(place)),
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
                        let (sign, missing, digits) = python::zeros(text, width);
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
                for piece in python::expanded(text, width) {
                    match piece {
                        Expanded::Spaces(spaces) => expanded.push_repeated(' ', spaces)?,
                        Expanded::Character(character) => expanded.push_char(character)?,
                        _ => {}
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
            "istitle" => {
                self.meter.pay_letters(text)?;
                Ok(Val::Bool(python::is(name, text).unwrap_or(false)))
            }
            _ => match python::is(name, text) {
                Some(holds) => Ok(Val::Bool(holds)),
                None => Err(Fault::render(format!("the method `{name}` is not available"))),
            },
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

    fn split(&mut self, text: &str, arguments: &Arguments, direction: Direction) -> Outcome {
        let most = arguments.get(1, "maxsplit").and_then(Val::as_integer);
        let cuts = most.filter(|most| *most >= 0);
        let cuts = cuts.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        let separator = match arguments.get(0, "sep") {
            None | Some(Val::None) => None,
            Some(separator) => match separator.as_text() {
                Some(separator) if separator.is_empty() => {
                    return Err(Fault::render("the separator is empty"));
                }
                Some(separator) => {
                    let separator = separator.read(&self.meter)?;
                    self.meter.pay(separator.len())?;
                    Some(separator)
                }
                None => return Err(Fault::render("the separator must be a text")),
            },
        };
        let mut parts = Parts::of_text(text);
        Pieces::new(text, separator, cuts, direction)
            .try_for_each(|part| parts.push(self, part))?;
        if direction == Direction::Backwards {
            parts.list.reverse();
        }
        self.list(parts.list)
    }
}

/// From which end the method of a name cuts or searches.
fn direction(name: &str) -> Direction {
    if name.starts_with('r') { Direction::Backwards } else { Direction::Forwards }
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
    python::between(text, bound(first), bound(first + 1))
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

    pub(super) fn strip<'t>(&self, text: &'t str, side: Side) -> &'t str {
        let characters = match self {
            Self::WhiteSpace => None,
            Self::Characters(set) => Some(set),
        };
        python::strip(text, characters, side)
    }
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
    let (left, right) = python::fillers(text, width, side);
    let mut aligned = run.writer();
    aligned.push_repeated(fill, left)?;
    aligned.push(text)?;
    aligned.push_repeated(fill, right)?;
    aligned.finish().map(Val::String)
}
