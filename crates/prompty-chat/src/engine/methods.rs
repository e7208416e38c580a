//! The methods of strings, with their costs. Their behaviour is in
//! [`prompty_template::jinja::methods`]. The methods of lists and maps are in
//! [`super::containers`].

use std::borrow::Cow;

use super::arguments::Arguments;
use super::containers::{ContainerMethod, OF_CYCLERS, OF_LISTS, OF_LOOPS, OF_MAPS, OF_TUPLES};
use super::fault::{Fault, shorten};
use super::format::{self, FormatValues};
use super::heap::ItemList;
use super::run::Run;
use super::table::{Table, find, names};
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::text::CharacterSet;
use prompty_core::work::add_steps;
use prompty_template::jinja::is_python_space;
use prompty_template::jinja::methods::{self as python, Direction, ExpandedPiece, Pieces, Side};

/// The cost of sorting the characters of a text, in units of work for each byte.
const SORTING_COST: usize = 8;

/// A method of a string. Its arguments are the string, which is already paid for, the name of the
/// method, and the arguments of the call.
type TextMethod = fn(&mut Run<'_>, &str, &str, &Arguments) -> Outcome;

/// The methods of strings.
const OF_TEXTS: &Table<TextMethod> = &[
    (&["capitalize"], |run, text, _, _| run.change_case(text, python::capitalized)),
    (&["casefold"], |run, text, _, _| {
        // Each character is looked up twice: its lower case, and the folded form of that.
        run.meter.pay_characters(text)?;
        run.meter.pay_characters(text)?;
        run.change_case(text, |text| python::folded(text).collect())
    }),
    (&["lower"], |run, text, _, _| run.change_case(text, str::to_lowercase)),
    (&["upper"], |run, text, _, _| run.change_case(text, str::to_uppercase)),
    (&["title"], |run, text, _, _| {
        run.meter.pay_characters(text)?;
        run.change_case(text, |text| python::titled(text, python::is_not_letter).collect())
    }),
    (&["swapcase"], |run, text, _, _| {
        run.meter.pay_characters(text)?;
        run.change_case(text, python::swapped)
    }),
    (&["strip", "lstrip", "rstrip"], |run, text, name, arguments| {
        let characters = stripped_characters(run, arguments)?;
        let side = match name {
            "lstrip" => Side::Left,
            "rstrip" => Side::Right,
            _ => Side::Both,
        };
        run.part(text, python::strip(text, characters.as_ref(), side))
    }),
    (&["removeprefix"], |run, text, _, arguments| {
        let part = run.text(arguments.need(0, "prefix")?)?;
        run.part(text, text.strip_prefix(&*part).unwrap_or(text))
    }),
    (&["removesuffix"], |run, text, _, arguments| {
        let part = run.text(arguments.need(0, "suffix")?)?;
        run.part(text, text.strip_suffix(&*part).unwrap_or(text))
    }),
    (&["startswith", "endswith"], |run, text, name, arguments| {
        let text = bounded_part(text, arguments, 1);
        let side = if name == "startswith" { Side::Left } else { Side::Right };
        let holds = |part: &Text| part.is_at(side, text, &run.meter);
        match arguments.need(0, "prefix")? {
            Val::Tuple(id) => {
                for part in run.heap.list(*id).iter_paid(&run.meter) {
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
                None => Err(Fault::render(format!("`{name}` expects a string"))),
            },
        }
    }),
    (&["split", "rsplit"], |run, text, name, arguments| {
        run.split(text, arguments, direction(name))
    }),
    (&["splitlines"], |run, text, _, arguments| {
        let keeps = arguments.get(0, "keepends").is_some_and(|it| run.is_true(it));
        let mut parts = SplitParts::of_text(text);
        for line in python::lines(text, keeps) {
            parts.push(run, line)?;
        }
        run.list(parts.list)
    }),
    (&["partition", "rpartition"], |run, text, name, arguments| {
        let separator = run.searched_for(arguments.need(0, "sep")?)?;
        if separator.is_empty() {
            return Err(Fault::render("the separator is empty"));
        }
        let parts = python::partition(text, &separator, direction(name));
        run.note_parts(text, parts.iter().copied().filter(|part| !part.is_empty()));
        let [before, between, after] = parts.map(|part| run.copy(part));
        run.tuple_of([before?, between?, after?])
    }),
    (&["replace"], |run, text, _, arguments| {
        let from = run.text(arguments.need(0, "old")?)?;
        let to = run.text(arguments.need(1, "new")?)?;
        let most = arguments.get(2, "count").and_then(Val::as_integer);
        replace_text(run, text, &from, &to, most)
    }),
    (&["find", "rfind", "index", "rindex"], |run, text, name, arguments| {
        let part = run.searched_for(arguments.need(0, "sub")?)?;
        match python::find(text, &part, direction(name)) {
            Some(place) => Ok(Val::from(place)),
            None if name.ends_with("find") => Ok(Val::Integer(-1)),
            None => {
                let help = match name {
                    "rindex" => "use `rfind`, which returns -1",
                    _ => "use `find`, which returns -1",
                };
                let message = format!("`{name}` did not find `{}`", shorten(&part));
                Err(Fault::render(message).with_help(help))
            }
        }
    }),
    (&["count"], |run, text, _, arguments| {
        let part = run.searched_for(arguments.need(0, "sub")?)?;
        Ok(Val::from(text.matches(&*part).count()))
    }),
    (&["join"], |run, text, _, arguments| {
        let mut items = run.items(arguments.need(0, "iterable")?)?;
        let mut joined = run.writer();
        let mut separator = "";
        while let Some(item) = items.next(run)? {
            joined.push(separator)?;
            separator = text;
            let Some(item) = item.as_text() else {
                return Err(Fault::unexpected("`join` expects strings", &item));
            };
            joined.push(item.read(&run.meter)?)?;
        }
        joined.finish().map(Val::String)
    }),
    (&["center", "ljust", "rjust", "zfill"], |run, text, name, arguments| {
        let width = arguments.count(0, "width", 0)?;
        let fill = match arguments.get(1, "fillchar").and_then(Val::as_text) {
            None => Some(' '),
            Some(fill) if fill.has_several() => None,
            Some(fill) => fill.last_character(),
        };
        let Some(fill) = fill else {
            return Err(Fault::render("the fill character must be a single character"));
        };
        match name {
            "center" => align_text(run, text, width, fill, Side::Both),
            "ljust" => align_text(run, text, width, fill, Side::Right),
            "rjust" => align_text(run, text, width, fill, Side::Left),
            _ => {
                let (sign, missing, digits) = python::zeros(text, width);
                let mut filled = run.writer();
                filled.push_repeated('0', missing)?;
                filled.push(digits)?;
                run.note_part(text, filled.as_str());
                let mut signed = run.writer();
                signed.push(sign)?;
                signed.push(filled.as_str())?;
                signed.finish().map(Val::String)
            }
        }
    }),
    (&["expandtabs"], |run, text, _, arguments| {
        let width = arguments.count(0, "tabsize", 8)?;
        let mut expanded = run.writer();
        for piece in python::expanded(text, width) {
            match piece {
                ExpandedPiece::Spaces(spaces) => expanded.push_repeated(' ', spaces)?,
                ExpandedPiece::Character(character) => expanded.push_char(character)?,
                _ => {}
            }
        }
        run.note_part(text, expanded.as_str());
        expanded.finish().map(Val::String)
    }),
    (&["format"], |run, text, _, arguments| {
        format::braces(run, text, FormatValues::Arguments(arguments))
    }),
    (&["format_map"], |run, text, _, arguments| match arguments.need(0, "mapping")? {
        Val::Dict(id) => format::braces(run, text, FormatValues::Map(*id)),
        _ => format::braces(run, text, FormatValues::Arguments(&Arguments::default())),
    }),
    (&["istitle"], |run, text, name, _| {
        run.meter.pay_characters(text)?;
        Ok(Val::Bool(python::is(name, text).unwrap_or(false)))
    }),
    (
        &[
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
            "isupper",
        ],
        |_, text, name, _| Ok(Val::Bool(python::is(name, text).unwrap_or(false))),
    ),
    (&["translate", "encode"], |_, _, name, _| Err(Fault::unavailable(name))),
];

/// All methods, each with the name of its Python type.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let containers = [
        ("dict", OF_MAPS),
        ("list", OF_LISTS),
        ("list", OF_TUPLES),
        ("tuple", OF_TUPLES),
        ("LoopContext", OF_LOOPS),
        ("Cycler", OF_CYCLERS),
    ];
    let of_texts = names(OF_TEXTS).map(|name| ("str", name));
    let of_containers = containers.into_iter();
    let of_containers =
        of_containers.flat_map(|(of, methods)| names(methods).map(move |name| (of, name)));
    of_texts.chain(of_containers).chain([("float", "is_integer")])
}

/// A method of a value.
#[derive(Clone, Copy)]
pub(super) enum Method {
    Text(TextMethod),
    Container(ContainerMethod),
    /// The method `is_integer` of floats.
    Float,
}

impl Method {
    /// The method of a value with a name.
    pub(super) fn of(value: &Val, name: &str) -> Option<Self> {
        let container = match value {
            Val::String(_) | Val::Safe(_) => return find(OF_TEXTS, name).map(Self::Text),
            Val::Float(_) => return (name == "is_integer").then_some(Self::Float),
            Val::Dict(_) => find(OF_MAPS, name),
            Val::List(_) => find(OF_LISTS, name).or_else(|| find(OF_TUPLES, name)),
            Val::Tuple(_) => find(OF_TUPLES, name),
            Val::Loop(_) => find(OF_LOOPS, name),
            Val::Cycler(_) => find(OF_CYCLERS, name),
            _ => None,
        };
        container.map(Self::Container)
    }
}

impl Run<'_> {
    /// Calls a method of a value.
    #[inline(never)]
    pub(super) fn call_method(
        &mut self,
        value: &Val,
        method: Method,
        name: &str,
        arguments: &Arguments,
    ) -> Outcome {
        match (method, value) {
            (Method::Text(method), Val::String(text) | Val::Safe(text)) => {
                let text = text.read(&self.meter)?;
                method(self, text, name, arguments)
            }
            (
                Method::Container(method),
                Val::Dict(id) | Val::List(id) | Val::Tuple(id) | Val::Loop(id) | Val::Cycler(id),
            ) => method(self, *id, name, arguments),
            (Method::Float, Val::Float(number)) => Ok(Val::Bool(number.fract() == 0.0)),
            _ => Err(Fault::unavailable(name)),
        }
    }

    /// A string to search for. It is read once more, to prepare the search.
    fn searched_for<'v>(&self, value: &'v Val) -> Outcome<Cow<'v, str>> {
        let text = self.text(value)?;
        self.meter.pay_units(text.len())?;
        Ok(text)
    }

    /// A string that was cut out of another.
    pub(super) fn part(&self, original: &str, part: &str) -> Outcome {
        self.note_part(original, part);
        self.copy(part)
    }

    /// A string with its case changed. Markup is searched for in any case of ASCII letters. Some
    /// characters outside of ASCII, such as the Kelvin sign, become ASCII letters, which is noted.
    pub(super) fn change_case(&self, text: &str, change: impl FnOnce(&str) -> String) -> Outcome {
        let beyond = |character: &char| !character.is_ascii();
        let changed = Text::changed(
            text,
            |text| {
                let changed = change(text);
                if !text.is_ascii()
                    && !text.chars().filter(beyond).eq(changed.chars().filter(beyond))
                {
                    self.note_rewriting();
                }
                changed
            },
            &self.meter,
        )?;
        Ok(Val::String(changed))
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
                    self.meter.pay_units(separator.len())?;
                    Some(separator)
                }
                None => return Err(Fault::render("the separator must be a string")),
            },
        };
        let mut parts = SplitParts::of_text(text);
        Pieces::new(text, separator, cuts, direction)
            .try_for_each(|part| parts.push(self, part))?;
        if direction == Direction::Backwards {
            parts.list.reverse();
        }
        self.list(parts.list)
    }
}

/// The direction in which the method with a name cuts or searches.
fn direction(name: &str) -> Direction {
    if name.starts_with('r') { Direction::Backwards } else { Direction::Forwards }
}

/// Strings that are cut out of another, in order.
#[derive(Debug)]
struct SplitParts<'t> {
    /// The other string, without the white space around it.
    original: &'t str,
    list: ItemList,
}

impl<'t> SplitParts<'t> {
    fn of_text(original: &'t str) -> Self {
        Self { original: original.trim_matches(is_python_space), list: ItemList::default() }
    }

    fn push(&mut self, run: &Run<'_>, part: &str) -> Outcome<()> {
        // A part that is the complete string was not split.
        if part.trim_matches(is_python_space) != self.original {
            run.note_rewriting();
        }
        let part = run.copy(part)?;
        self.list.push(part, &run.meter)
    }
}

/// The part of a text between the bounds that two arguments give: the argument number `first`, and
/// the next one.
fn bounded_part<'t>(text: &'t str, arguments: &Arguments, first: usize) -> &'t str {
    let bound = |index: usize| arguments.positional.get(index).and_then(Val::as_integer);
    python::between(text, bound(first), bound(first + 1))
}

/// The characters to strip, from the first argument; `None` for white space.
pub(super) fn stripped_characters(
    run: &Run<'_>,
    arguments: &Arguments,
) -> Outcome<Option<CharacterSet>> {
    let Some(characters) = arguments.get(0, "chars").and_then(Val::as_text) else {
        return Ok(None);
    };
    let characters = characters.read(&run.meter)?;
    if !characters.is_ascii() {
        // Characters outside of ASCII are copied and sorted.
        run.meter.pay_memory(characters.len().saturating_mul(2))?;
        run.meter.pay_units(characters.len().saturating_mul(SORTING_COST))?;
    }
    Ok(Some(CharacterSet::new(characters)))
}

/// A string with a part replaced, at most `most` times.
pub(super) fn replace_text(
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
    add_steps(text.len());
    for (index, part) in text.splitn(most.saturating_add(1), from).enumerate() {
        if index > 0 {
            replaced.push(to)?;
            run.meter.pay_items(1)?;
            run.note_rewriting();
        }
        replaced.push(part)?;
    }
    replaced.finish().map(Val::String)
}

/// A string padded to a width.
pub(super) fn align_text(
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
