//! The methods of strings, with their costs. Their behaviour is in
//! [`prompty_template::jinja::methods`]. The methods of lists and maps are in
//! [`super::containers`].

use super::arguments::{Arguments, any_names, named, positional};
use super::containers::{ContainerMethod, OF_CYCLERS, OF_LISTS, OF_LOOPS, OF_MAPS, OF_TUPLES};
use super::fault::{Fault, shorten};
use super::format::{self, FormatValues};
use super::heap::ItemList;
use super::run::Run;
use super::table::{Entry, Table, accept, find, names};
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
    (&["capitalize"], positional(0), |run, text, _, _| run.change_case(text, python::capitalized)),
    (&["casefold"], positional(0), |run, text, _, _| {
        // Each character is looked up twice: its lower case, and the folded form of that.
        run.meter.pay_characters(text)?;
        run.meter.pay_characters(text)?;
        run.change_case(text, |text| python::folded(text).collect())
    }),
    (&["lower"], positional(0), |run, text, _, _| run.change_case(text, str::to_lowercase)),
    (&["upper"], positional(0), |run, text, _, _| run.change_case(text, str::to_uppercase)),
    (&["title"], positional(0), |run, text, _, _| {
        run.meter.pay_characters(text)?;
        run.change_case(text, |text| python::titled(text, python::is_not_letter).collect())
    }),
    (&["swapcase"], positional(0), |run, text, _, _| {
        run.meter.pay_characters(text)?;
        run.change_case(text, python::swapped)
    }),
    (&["strip", "lstrip", "rstrip"], positional(1), |run, text, name, arguments| {
        let characters = stripped_characters(run, arguments)?;
        let side = match name {
            "lstrip" => Side::Left,
            "rstrip" => Side::Right,
            _ => Side::Both,
        };
        run.part(text, python::strip(text, characters.as_ref(), side))
    }),
    (&["removeprefix"], positional(1), |run, text, _, arguments| {
        let part = run.string(arguments, 0, "prefix")?;
        run.part(text, text.strip_prefix(part).unwrap_or(text))
    }),
    (&["removesuffix"], positional(1), |run, text, _, arguments| {
        let part = run.string(arguments, 0, "suffix")?;
        run.part(text, text.strip_suffix(part).unwrap_or(text))
    }),
    (&["startswith", "endswith"], positional(3), |run, text, name, arguments| {
        let bounded = bounded_part(run, text, arguments)?;
        let side = if name == "startswith" { Side::Left } else { Side::Right };
        let holds = |part: &Text| match bounded {
            Some((_, text)) => part.is_at(side, text, &run.meter),
            None => Ok(false),
        };
        match arguments.need(0, "prefix")? {
            Val::Tuple(id) => {
                for part in run.heap.list(*id).iter_paid(&run.meter) {
                    let part = part?;
                    let Some(part) = part.as_text() else {
                        let expectation = format!("`{name}` expects strings in the tuple");
                        return Err(Fault::unexpected(&expectation, part));
                    };
                    if holds(part)? {
                        return Ok(Val::Bool(true));
                    }
                }
                Ok(Val::Bool(false))
            }
            part => match part.as_text() {
                Some(part) => holds(part).map(Val::Bool),
                None => Err(Fault::unexpected(&format!("`{name}` expects a string"), part)),
            },
        }
    }),
    (&["split", "rsplit"], named(&["sep", "maxsplit"]), |run, text, name, arguments| {
        run.split(text, arguments, direction(name))
    }),
    (&["splitlines"], named(&["keepends"]), |run, text, _, arguments| {
        let keeps = arguments.boolean(0, "keepends")?;
        let mut parts = SplitParts::of_text(text);
        for line in python::lines(text, keeps) {
            parts.push(run, line)?;
        }
        run.list(parts.list)
    }),
    (&["partition", "rpartition"], positional(1), |run, text, name, arguments| {
        let separator = run.searched_for(arguments, "sep")?;
        if separator.is_empty() {
            return Err(Fault::render("the separator is empty"));
        }
        let parts = python::partition(text, separator, direction(name));
        run.note_parts(text, parts.iter().copied().filter(|part| !part.is_empty()));
        let [before, between, after] = parts.map(|part| run.copy(part));
        run.tuple_of([before?, between?, after?])
    }),
    (&["replace"], positional(3).with_names(&["count"]), |run, text, _, arguments| {
        let from = run.string(arguments, 0, "old")?;
        let to = run.string(arguments, 1, "new")?;
        let most = arguments.integer(2, "count")?;
        replace_text(run, text, from, to, most)
    }),
    (&["find", "rfind", "index", "rindex"], positional(3), |run, text, name, arguments| {
        let part = run.searched_for(arguments, "sub")?;
        let found = bounded_part(run, text, arguments)?.and_then(|(start, text)| {
            python::find(text, part, direction(name)).map(|place| start + place)
        });
        match found {
            Some(place) => Ok(Val::from(place)),
            None if name.ends_with("find") => Ok(Val::Integer(-1)),
            None => {
                let help = match name {
                    "rindex" => "use `rfind`, which returns -1",
                    _ => "use `find`, which returns -1",
                };
                let message = format!("`{name}` did not find `{}`", shorten(part));
                Err(Fault::render(message).with_help(help))
            }
        }
    }),
    (&["count"], positional(3), |run, text, _, arguments| {
        let part = run.searched_for(arguments, "sub")?;
        let bounded = bounded_part(run, text, arguments)?;
        Ok(Val::from(bounded.map_or(0, |(_, text)| text.matches(part).count())))
    }),
    (&["join"], positional(1), |run, text, _, arguments| {
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
    (&["center", "ljust", "rjust"], positional(2), |run, text, name, arguments| {
        let width = arguments.need_count(0, "width")?;
        let fill = match arguments.get(1, "fillchar") {
            None => Some(' '),
            Some(fill) => {
                fill.as_text().filter(|it| !it.has_several()).and_then(Text::last_character)
            }
        };
        let Some(fill) = fill else {
            return Err(Fault::render("the fill character must be a single character"));
        };
        let side = match name {
            "center" => Side::Both,
            "ljust" => Side::Right,
            _ => Side::Left,
        };
        align_text(run, text, width, fill, side)
    }),
    (&["zfill"], positional(1), |run, text, _, arguments| {
        let width = arguments.need_count(0, "width")?;
        let (sign, missing, digits) = python::zeros(text, width);
        let mut filled = run.writer();
        filled.push_repeated('0', missing)?;
        filled.push(digits)?;
        run.note_part(text, filled.as_str());
        let mut signed = run.writer();
        signed.push(sign)?;
        signed.push(filled.as_str())?;
        signed.finish().map(Val::String)
    }),
    (&["expandtabs"], named(&["tabsize"]), |run, text, _, arguments| {
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
    (&["format"], any_names(usize::MAX), |run, text, _, arguments| {
        format::braces(run, text, FormatValues::Arguments(arguments))
    }),
    (&["format_map"], positional(1), |run, text, _, arguments| {
        match arguments.need(0, "mapping")? {
            Val::Dict(id) => format::braces(run, text, FormatValues::Map(*id)),
            other => Err(Fault::unexpected("`format_map` expects a map", other)),
        }
    }),
    (&["istitle"], positional(0), |run, text, name, _| {
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
        positional(0),
        |_, text, name, _| Ok(Val::Bool(python::is(name, text).unwrap_or(false))),
    ),
    (&["translate", "encode"], any_names(usize::MAX), |_, _, name, _| {
        Err(Fault::unavailable(name))
    }),
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
    Text(&'static Entry<TextMethod>),
    Container(&'static Entry<ContainerMethod>),
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
                let method = accept(method, name, arguments)?;
                let text = text.read(&self.meter)?;
                method(self, text, name, arguments)
            }
            (
                Method::Container(method),
                Val::Dict(id) | Val::List(id) | Val::Tuple(id) | Val::Loop(id) | Val::Cycler(id),
            ) => accept(method, name, arguments)?(self, *id, name, arguments),
            (Method::Float, Val::Float(number)) => {
                positional(0).check(name, arguments)?;
                Ok(Val::Bool(number.fract() == 0.0))
            }
            _ => Err(Fault::unavailable(name)),
        }
    }

    /// A required argument that is a string. As in Python, other values are not converted.
    pub(super) fn string<'a>(
        &self,
        arguments: &'a Arguments,
        index: usize,
        name: &'static str,
    ) -> Outcome<&'a str> {
        let value = arguments.need(index, name)?;
        match value.as_text() {
            Some(text) => text.read(&self.meter),
            None => {
                Err(Fault::unexpected(&format!("the argument `{name}` must be a string"), value))
            }
        }
    }

    /// The first argument, which is a string to search for. It is read once more, to prepare the
    /// search.
    fn searched_for<'a>(&self, arguments: &'a Arguments, name: &'static str) -> Outcome<&'a str> {
        let text = self.string(arguments, 0, name)?;
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
        let most = arguments.integer(1, "maxsplit")?;
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

/// The part of a text between the bounds in the second and third argument, and where it starts.
/// `None` if the start is after the end: then Python finds nothing, not even an empty string.
fn bounded_part<'t>(
    run: &Run<'_>,
    text: &'t str,
    arguments: &Arguments,
) -> Outcome<Option<(usize, &'t str)>> {
    let (start, end) = (arguments.bound(1, "start")?, arguments.bound(2, "end")?);
    if start.is_some() || end.is_some() {
        // The characters are counted to find the bounds.
        run.meter.pay_units(text.len())?;
    }
    Ok(python::between(text, start, end))
}

/// The characters to strip, from the first argument; `None` for white space.
pub(super) fn stripped_characters(
    run: &Run<'_>,
    arguments: &Arguments,
) -> Outcome<Option<CharacterSet>> {
    let characters = match arguments.get(0, "chars") {
        None | Some(Val::None) => return Ok(None),
        Some(value) => value
            .as_text()
            .ok_or_else(|| Fault::unexpected("the argument `chars` must be a string", value))?,
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
