//! The filters of lists and maps, and the functions that make some.

use std::cmp::Ordering;
use std::sync::Arc;

use super::filters::{self, count, flag};
use super::predicates;
use super::program::Comparison;
use super::run::{Arguments, FilterFn, Function, Run};
use super::value::{Dict, Fault, Outcome, Val};
use prompty_core::error::ErrorKind;

/// How many numbers a range has at most.
const LONGEST_RANGE: i128 = 100_000;

/// The filters of lists and maps.
pub(super) const FILTERS: &[(&str, FilterFn)] = &[
    ("attr", attr),
    ("batch", batch),
    ("dictsort", dict_sort),
    ("first", first),
    ("groupby", group_by),
    ("items", items),
    ("join", join),
    ("last", |run, value, _| Ok(run.items(value)?.pop().unwrap_or(Val::Undefined))),
    ("length", length),
    ("count", length),
    ("list", |run, value, _| {
        let items = run.items(value)?;
        run.list(items)
    }),
    ("map", map),
    ("max", |run, value, arguments| extreme(run, value, arguments, Ordering::Greater)),
    ("min", |run, value, arguments| extreme(run, value, arguments, Ordering::Less)),
    // The first one, so that a template always writes the same.
    ("random", first),
    ("reject", |run, value, arguments| choose(run, value, arguments, false, false)),
    ("rejectattr", |run, value, arguments| choose(run, value, arguments, true, false)),
    ("reverse", reverse),
    ("select", |run, value, arguments| choose(run, value, arguments, false, true)),
    ("selectattr", |run, value, arguments| choose(run, value, arguments, true, true)),
    ("slice", slice),
    ("sort", sort),
    ("sum", sum),
    ("unique", unique),
    ("xmlattr", xml_attributes),
];

fn first(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    Ok(run.items(value)?.into_iter().next().unwrap_or(Val::Undefined))
}

fn attr(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let name: Arc<str> = run.text(arguments.need(0, "name")?)?.into();
    match value {
        // The filter looks at attributes alone, and a map's entries are none.
        Val::Dict(_) if !super::methods::is_method(value, &name) => Ok(Val::Undefined),
        _ => run.attribute(value, &name),
    }
}

fn batch(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let size = count(arguments, 0, "linecount", 1)?.max(1);
    let fill = arguments.get(1, "fill_with").filter(|fill| !matches!(fill, Val::None)).cloned();
    let items = run.items(value)?;
    let mut batches = Vec::new();
    for chunk in items.chunks(size) {
        let mut chunk = chunk.to_vec();
        if let Some(fill) = &fill {
            run.pay_built(size.saturating_mul(size_of::<Val>()))?;
            chunk.resize(size, fill.clone());
        }
        batches.push(run.list(chunk)?);
    }
    run.list(batches)
}

fn slice(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let slices = count(arguments, 0, "slices", 1)?.max(1);
    run.pay_built(slices.saturating_mul(size_of::<Val>()))?;
    let fill = arguments.get(1, "fill_with").filter(|fill| !matches!(fill, Val::None)).cloned();
    let items = run.items(value)?;
    let (size, longer) = (items.len() / slices, items.len() % slices);
    let mut rest = items.into_iter();
    let mut parts = Vec::new();
    for index in 0..slices {
        let is_longer = index < longer;
        let mut part: Vec<Val> = rest.by_ref().take(size + usize::from(is_longer)).collect();
        if let Some(fill) = fill.as_ref().filter(|_| !is_longer && longer > 0) {
            part.push(fill.clone());
        }
        parts.push(run.list(part)?);
    }
    run.list(parts)
}

/// A key that sorts without regard to case, as Jinja's filters do unless told otherwise.
fn folded(value: Val, case_sensitive: bool) -> Val {
    match value.as_str() {
        Some(text) if !case_sensitive => Val::from(text.to_lowercase()),
        _ => value,
    }
}

/// Sorts by keys; what cannot be compared is an error. The order of Python's values is not total
/// (think of `nan`), which the standard library's sorts do not take, so this merges by itself.
fn sort_by_keys(run: &Run<'_>, pairs: &mut Vec<(Val, Val)>, reverse: bool) -> Outcome<()> {
    let mut width = 1;
    while width < pairs.len() {
        run.pay(pairs.len())?;
        let mut merged = Vec::with_capacity(pairs.len());
        let mut rest = std::mem::take(pairs).into_iter().peekable();
        while rest.peek().is_some() {
            let left: Vec<_> = rest.by_ref().take(width).collect();
            let right: Vec<_> = rest.by_ref().take(width).collect();
            let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
            while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
                let is_later = match reverse {
                    true => run.order(b, a, "<", 0)? == Some(Ordering::Greater),
                    false => run.order(b, a, "<", 0)? == Some(Ordering::Less),
                };
                merged.extend(if is_later { right.next() } else { left.next() });
            }
            merged.extend(left);
            merged.extend(right);
        }
        *pairs = merged;
        width *= 2;
    }
    Ok(())
}

fn dict_sort(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let case_sensitive = flag(run, arguments, 0, "case_sensitive", false);
    let by_value = arguments.get(1, "by").and_then(Val::as_str) == Some("value");
    let reverse = flag(run, arguments, 2, "reverse", false);
    let Val::Dict(id) = *value else {
        return Err(Fault::render(format!("`dictsort` needs a map, not a {}", value.type_name())));
    };
    let entries = run.heap.dict(id).entries.clone();
    let mut pairs = Vec::with_capacity(entries.len());
    for (name, value) in entries {
        let key = folded(if by_value { value.clone() } else { name.clone() }, case_sensitive);
        pairs.push((key, run.tuple(vec![name, value])?));
    }
    sort_by_keys(run, &mut pairs, reverse)?;
    run.list(pairs.into_iter().map(|(_, pair)| pair).collect())
}

/// What an item has under an attribute such as `a.b.0`.
fn at_path(run: &mut Run<'_>, item: &Val, path: &Val) -> Outcome {
    if path.as_integer().is_some() {
        return run.item(item, path);
    }
    let path = run.text(path)?;
    let mut value = item.clone();
    for part in path.split('.') {
        let key = match part.parse::<i128>() {
            Ok(number) if part.bytes().all(|byte| byte.is_ascii_digit()) => Val::Integer(number),
            _ => Val::from(part),
        };
        value = run.item(&value, &key)?;
    }
    Ok(value)
}

/// What an item is compared by: itself, or an attribute of it.
fn key_of(run: &mut Run<'_>, item: &Val, attribute: Option<&Val>, case_sensitive: bool) -> Outcome {
    let key = match attribute {
        None | Some(Val::None) => item.clone(),
        Some(path) => {
            let several = path.as_str().filter(|path| path.contains(','));
            match several {
                None => at_path(run, item, path)?,
                Some(paths) => {
                    let mut keys = Vec::new();
                    for path in paths.split(',') {
                        let key = at_path(run, item, &Val::from(path.trim()))?;
                        keys.push(folded(key, case_sensitive));
                    }
                    run.tuple(keys)?
                }
            }
        }
    };
    Ok(folded(key, case_sensitive))
}

fn group_by(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let attribute = arguments.need(0, "attribute")?.clone();
    let default = arguments.get(1, "default").cloned();
    let case_sensitive = flag(run, arguments, 2, "case_sensitive", false);
    let mut pairs = Vec::new();
    for item in run.items(value)? {
        let mut key = at_path(run, &item, &attribute)?;
        if let Some(default) = default.as_ref().filter(|_| key.is_undefined()) {
            key = default.clone();
        }
        pairs.push((folded(key.clone(), case_sensitive), run.tuple(vec![key, item])?));
    }
    sort_by_keys(run, &mut pairs, false)?;
    let mut groups: Vec<(Val, Val, Vec<Val>)> = Vec::new();
    for (folded, pair) in pairs {
        let Val::Tuple(id) = pair else { continue };
        let [key, item] = run.heap.list(id) else { continue };
        let (key, item) = (key.clone(), item.clone());
        match groups.last_mut() {
            Some((last, _, items)) if run.is_equal(last, &folded, 0)? => items.push(item),
            _ => groups.push((folded, key, vec![item])),
        }
    }
    let mut list = Vec::new();
    for (_, key, items) in groups {
        let items = run.list(items)?;
        list.push(run.tuple(vec![key, items])?);
    }
    run.list(list)
}

fn items(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    match value {
        Val::Undefined => run.list(Vec::new()),
        Val::Dict(id) => pairs(run, *id),
        _ => Err(Fault::render(format!("`items` needs a map, not a {}", value.type_name()))),
    }
}

/// The entries of a map as a list of pairs.
pub(super) fn pairs(run: &mut Run<'_>, id: u32) -> Outcome {
    let entries = run.heap.dict(id).entries.clone();
    let mut list = Vec::with_capacity(entries.len());
    for (name, value) in entries {
        list.push(run.tuple(vec![name, value])?);
    }
    run.list(list)
}

fn join(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let separator = match arguments.get(0, "d") {
        Some(separator) => run.text(separator)?,
        None => String::new(),
    };
    let attribute = arguments.get(1, "attribute").filter(|it| !matches!(it, Val::None)).cloned();
    let mut text = String::new();
    for (index, item) in run.items(value)?.iter().enumerate() {
        if index > 0 {
            run.push(&mut text, &separator)?;
        }
        let item = match &attribute {
            Some(path) => at_path(run, item, path)?,
            None => item.clone(),
        };
        run.write_text(&item, &mut text)?;
    }
    run.made(text)
}

fn length(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    length_of(run, value)
}

/// How many items or characters a value has. Of nothing it is 0, as templates that ask for the
/// number of absent tools expect.
pub(super) fn length_of(run: &Run<'_>, value: &Val) -> Outcome {
    Ok(Val::from(match value {
        Val::Undefined => 0,
        Val::String(text) | Val::Safe(text) => {
            run.pay_read(text.len())?;
            text.chars().count()
        }
        Val::List(id) | Val::Tuple(id) => run.heap.list(*id).len(),
        Val::Dict(id) => run.heap.dict(*id).entries.len(),
        Val::Loop(id) => run.heap.loops.get(*id as usize).map_or(0, |it| it.items.len()),
        _ => return Err(Fault::render(format!("a {} has no length", value.type_name()))),
    }))
}

fn map(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    // As in Jinja, whatever counts as false has no items here, even where it is no list.
    let items = if run.is_true(value) { run.items(value)? } else { Vec::new() };
    let mut mapped = Vec::with_capacity(items.len());
    if let Some(path) = arguments.by_name("attribute").cloned() {
        let default = arguments.by_name("default").cloned();
        for item in items {
            run.pay(1)?;
            let mut found = at_path(run, &item, &path)?;
            if let Some(default) = default.as_ref().filter(|_| found.is_undefined()) {
                found = default.clone();
            }
            mapped.push(found);
        }
        return run.list(mapped);
    }
    let Some((name, rest)) = arguments.positional.split_first() else {
        return Err(Fault::render("`map` needs a filter or an attribute"));
    };
    let name = run.text(name)?;
    let Some(filter) = filters::named(&name) else {
        return Err(Fault::render(format!("there is no filter named `{name}`")));
    };
    let given = Arguments { positional: rest.to_vec(), named: arguments.named.clone() };
    for item in items {
        run.enter()?;
        mapped.push(filter(run, &item, &given)?);
        run.leave();
    }
    run.list(mapped)
}

fn extreme(run: &mut Run<'_>, value: &Val, arguments: &Arguments, wanted: Ordering) -> Outcome {
    let case_sensitive = flag(run, arguments, 0, "case_sensitive", false);
    let attribute = arguments.get(1, "attribute").cloned();
    let mut best: Option<(Val, Val)> = None;
    for item in run.items(value)? {
        let key = key_of(run, &item, attribute.as_ref(), case_sensitive)?;
        let is_better = match &best {
            None => true,
            Some((best, _)) => run.order(&key, best, "<", 0)? == Some(wanted),
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(best.map_or(Val::Undefined, |(_, item)| item))
}

fn choose(
    run: &mut Run<'_>,
    value: &Val,
    arguments: &Arguments,
    by_attribute: bool,
    wanted: bool,
) -> Outcome {
    let mut given = arguments.positional.as_slice();
    let mut next = || {
        let (first, rest) = given.split_first()?;
        given = rest;
        Some(first)
    };
    let path = match by_attribute {
        true => match next() {
            Some(path) => Some(path),
            None => return Err(Fault::render("the attribute's name is missing")),
        },
        false => None,
    };
    let test = match next() {
        None => None,
        Some(name) => {
            let name = run.text(name)?;
            match predicates::named(&name) {
                Some(test) => Some(test),
                None => return Err(Fault::render(format!("there is no test named `{name}`"))),
            }
        }
    };
    let mut chosen = Vec::new();
    let items = if run.is_true(value) { run.items(value)? } else { Vec::new() };
    for item in items {
        run.pay(1)?;
        let subject = match path {
            Some(path) => at_path(run, &item, path)?,
            None => item.clone(),
        };
        let holds = match test {
            Some(test) => test(run, &subject, given)?,
            None => run.is_true(&subject),
        };
        if holds == wanted {
            chosen.push(item);
        }
    }
    run.list(chosen)
}

fn reverse(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    if let Some(text) = value.as_str() {
        run.pay_read(text.len())?;
        run.note_rewriting();
        return run.made(text.chars().rev().collect::<String>());
    }
    let mut items = run.items(value)?;
    items.reverse();
    run.list(items)
}

fn sort(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let reverse = flag(run, arguments, 0, "reverse", false);
    let case_sensitive = flag(run, arguments, 1, "case_sensitive", false);
    let attribute = arguments.get(2, "attribute").cloned();
    let mut pairs = Vec::new();
    for item in run.items(value)? {
        pairs.push((key_of(run, &item, attribute.as_ref(), case_sensitive)?, item));
    }
    sort_by_keys(run, &mut pairs, reverse)?;
    run.list(pairs.into_iter().map(|(_, item)| item).collect())
}

fn sum(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let attribute = arguments.get(0, "attribute").filter(|it| !matches!(it, Val::None)).cloned();
    let mut total = arguments.get(1, "start").cloned().unwrap_or(Val::Integer(0));
    for item in run.items(value)? {
        let item = match &attribute {
            Some(path) => at_path(run, &item, path)?,
            None => item,
        };
        total = run.arithmetic(super::program::Arithmetic::Add, &total, &item)?;
    }
    Ok(total)
}

fn unique(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let case_sensitive = flag(run, arguments, 0, "case_sensitive", false);
    let attribute = arguments.get(1, "attribute").cloned();
    let mut seen = Dict::default();
    let mut kept = Vec::new();
    for item in run.items(value)? {
        let key = key_of(run, &item, attribute.as_ref(), case_sensitive)?;
        if run.place_of(&seen, &key)?.is_none() {
            seen.push(key, Val::None);
            kept.push(item);
        }
    }
    run.list(kept)
}

fn xml_attributes(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let Val::Dict(id) = *value else {
        return Err(Fault::render("`xmlattr` needs a map"));
    };
    let mut text = String::new();
    for (name, value) in run.heap.dict(id).entries.clone() {
        if matches!(value, Val::None | Val::Undefined) {
            continue;
        }
        let escape = filters::named("escape").ok_or_else(|| Fault::render("no `escape`"))?;
        let value = escape(run, &value, &Arguments::default())?;
        if !text.is_empty() || flag(run, arguments, 0, "autospace", true) {
            text.push(' ');
        }
        run.write_text(&name, &mut text)?;
        text.push_str("=\"");
        run.write_text(&value, &mut text)?;
        text.push('"');
    }
    run.made(text)
}

impl Run<'_> {
    /// Calls a function that every template has.
    pub(super) fn call_function(&mut self, function: Function, arguments: &Arguments) -> Outcome {
        match function {
            Function::Range => self.range(arguments),
            Function::Dict => self.make_dict(arguments),
            Function::Namespace => {
                let Val::Dict(id) = self.make_dict(arguments)? else { return Ok(Val::Undefined) };
                Ok(Val::Namespace(id))
            }
            Function::Cycler => {
                let mut items = vec![Val::Integer(0)];
                items.extend(arguments.positional.iter().cloned());
                match self.list(items)? {
                    Val::List(id) => Ok(Val::Cycler(id)),
                    other => Ok(other),
                }
            }
            Function::Joiner => {
                let separator = arguments.get(0, "sep").cloned().unwrap_or_else(|| Val::from(", "));
                match self.list(vec![separator])? {
                    Val::List(id) => Ok(Val::Joiner(id)),
                    other => Ok(other),
                }
            }
            Function::RaiseException => {
                let message = match arguments.get(0, "message") {
                    Some(message) => self.text(message)?,
                    None => String::new(),
                };
                Err(Fault::new(ErrorKind::Refused, message))
            }
            Function::StrftimeNow => {
                let format = self.text(arguments.need(0, "format")?)?;
                self.pay_read(format.len().saturating_mul(8))?;
                let text = super::clock::format(self.now, &format);
                self.note_form(&format);
                self.made(text)
            }
        }
    }

    fn range(&mut self, arguments: &Arguments) -> Outcome {
        let mut numbers = Vec::new();
        for argument in &arguments.positional {
            match argument.as_integer() {
                Some(number) => numbers.push(number),
                None => return Err(Fault::render("`range` takes integers")),
            }
        }
        let (start, stop, step) = match numbers.as_slice() {
            [stop] => (0, *stop, 1),
            [start, stop] => (*start, *stop, 1),
            [start, stop, step] => (*start, *stop, *step),
            _ => return Err(Fault::render("`range` takes one to three integers")),
        };
        let distance = if step < 0 { start.checked_sub(stop) } else { stop.checked_sub(start) };
        let count = match (step.unsigned_abs(), distance) {
            (0, _) => return Err(Fault::render("a range's step cannot be 0")),
            (_, None) => LONGEST_RANGE + 1,
            (_, Some(distance)) if distance <= 0 => 0,
            (step, Some(distance)) => {
                let step = i128::try_from(step).unwrap_or(i128::MAX);
                (distance - 1) / step + 1
            }
        };
        if count > LONGEST_RANGE {
            return Err(Fault::limit("the range has more than 100000 numbers"));
        }
        self.pay(usize::try_from(count).unwrap_or_default())?;
        let items = (0..count).map(|index| Val::Integer(start.saturating_add(index * step)));
        let items = items.collect();
        self.list(items)
    }

    fn make_dict(&mut self, arguments: &Arguments) -> Outcome {
        let mut dict = Dict::default();
        if let Some(source) = arguments.positional.first() {
            self.extend_dict(&mut dict, source)?;
        }
        for (name, value) in &arguments.named {
            dict.set(name.clone(), value.clone());
        }
        self.dict(dict)
    }

    /// Adds the entries of a map or of a list of pairs.
    pub(super) fn extend_dict(&mut self, dict: &mut Dict, source: &Val) -> Outcome<()> {
        if let Val::Dict(id) | Val::Namespace(id) = source {
            let entries = self.heap.dict(*id).entries.clone();
            self.pay_built(entries.len() * 2 * size_of::<Val>())?;
            for (name, value) in entries {
                self.insert(dict, name, value)?;
            }
            return Ok(());
        }
        for pair in self.items(source)? {
            let [name, value] = <[Val; 2]>::try_from(self.items(&pair)?)
                .map_err(|_| Fault::render("a map is made of pairs"))?;
            self.pay_built(2 * size_of::<Val>())?;
            self.insert(dict, name, value)?;
        }
        Ok(())
    }

    /// A test by its comparison.
    pub(super) fn holds(
        &mut self,
        comparison: Comparison,
        left: &Val,
        right: &[Val],
    ) -> Outcome<bool> {
        match right.first() {
            Some(right) => self.compare(comparison, left, right),
            None => Err(Fault::render("this test needs something to compare with")),
        }
    }
}
