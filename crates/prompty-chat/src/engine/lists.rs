//! The filters of lists and maps, and the functions that create them.

use super::arguments::{Arguments, any_names, named, positional};
use super::clock;
use super::dict::Dict;
use super::fault::{Fault, shorten};
use super::filters;
use super::heap::ItemList;
use super::items::Items;
use super::keys::{AttributePath, SortKey, fold_case, sort_by_keys, sort_items, sort_positions};
use super::methods::Method;
use super::run::{FilterFn, Run};
use super::table::{Table, accept};
use super::value::{Function, Outcome, Val};
use prompty_core::error::ErrorKind;
use prompty_template::jinja::is_python_space;
use prompty_template::tree::BinaryOperator;
use std::cmp::Ordering;

/// The maximum number of integers in a range.
const LONGEST_RANGE: i128 = 100_000;

/// The filters of lists and maps.
pub(super) const FILTERS: &Table<FilterFn> = &[
    (&["attr"], named(&["name"]), attr),
    (&["batch"], named(&["linecount", "fill_with"]), batch),
    (&["dictsort"], named(&["case_sensitive", "by", "reverse"]), dict_sort),
    // The filter `random` takes the first item, so that a template always has the same output.
    (&["first", "random"], positional(0), first),
    (&["groupby"], named(&["attribute", "default", "case_sensitive"]), group_by),
    (&["items"], positional(0), items),
    (&["join"], named(&["d", "attribute"]), join),
    (&["last"], positional(0), |run, value, _| run.last_item(value)),
    (&["length", "count"], positional(0), length),
    (&["list"], positional(0), |run, value, _| {
        let items = run.all_items(value)?;
        run.list(items)
    }),
    (&["map"], any_names(usize::MAX), map),
    (&["max"], named(&["case_sensitive", "attribute"]), |run, value, arguments| {
        extreme(run, value, arguments, Ordering::Greater)
    }),
    (&["min"], named(&["case_sensitive", "attribute"]), |run, value, arguments| {
        extreme(run, value, arguments, Ordering::Less)
    }),
    (&["reject"], positional(usize::MAX), |run, value, args| {
        choose(run, value, args, Subject::Item, false)
    }),
    (&["rejectattr"], positional(usize::MAX), |run, value, args| {
        choose(run, value, args, Subject::Attribute, false)
    }),
    (&["reverse"], positional(0), reverse),
    (&["select"], positional(usize::MAX), |run, value, args| {
        choose(run, value, args, Subject::Item, true)
    }),
    (&["selectattr"], positional(usize::MAX), |run, value, args| {
        choose(run, value, args, Subject::Attribute, true)
    }),
    (&["slice"], named(&["slices", "fill_with"]), slice),
    (&["sort"], named(&["reverse", "case_sensitive", "attribute"]), sort),
    (&["sum"], named(&["attribute", "start"]), sum),
    (&["unique"], named(&["case_sensitive", "attribute"]), unique),
    (&["xmlattr"], named(&["autospace"]), xml_attributes),
];

fn first(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    Ok(run.items(value)?.next(run)?.unwrap_or(Val::Undefined))
}

fn attr(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let name = run.string(arguments, 0, "name")?;
    match value {
        // The filter reads attributes only. The entries of a map are not attributes.
        Val::Dict(_) if Method::of(value, name).is_none() => Ok(Val::Undefined),
        _ => {
            run.meter.pay_memory(name.len())?;
            run.attribute(value, &name.into())
        }
    }
}

/// The required argument of `batch` and `slice`.
fn count_of_parts(arguments: &Arguments, name: &'static str) -> Outcome<usize> {
    match arguments.need_count(0, name)? {
        0 => Err(Fault::render(format!("the argument `{name}` must be at least 1"))),
        count => Ok(count),
    }
}

/// The value that fills short batches and slices.
fn filling(arguments: &Arguments) -> Option<Val> {
    arguments.get(1, "fill_with").filter(|fill| !matches!(fill, Val::None)).cloned()
}

/// `[1, 2, 3]|batch(2)` is `[[1, 2], [3]]`.
fn batch(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let size = count_of_parts(arguments, "linecount")?;
    let fill = filling(arguments);
    let mut items = run.items(value)?;
    let (mut batches, mut batch) = (ItemList::default(), ItemList::default());
    while let Some(item) = items.next(run)? {
        batch.push(item, &run.meter)?;
        if batch.len() == size {
            batches.push(run.list(std::mem::take(&mut batch))?, &run.meter)?;
        }
    }
    if !batch.is_empty() {
        if let Some(fill) = fill {
            batch.extend_repeated(&[fill], size - batch.len(), &run.meter)?;
        }
        batches.push(run.list(batch)?, &run.meter)?;
    }
    run.list(batches)
}

/// `[1, 2, 3, 4]|slice(3)` is `[[1, 2], [3], [4]]`.
fn slice(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let slices = count_of_parts(arguments, "slices")?;
    let fill = filling(arguments);
    let count = run.count_items(value)?;
    // The first slices get one of the remaining items each.
    let (size, longer) = (count / slices, count % slices);
    let mut items = run.items(value)?;
    let mut parts = ItemList::default();
    for index in 0..slices {
        let is_longer = index < longer;
        let mut part = ItemList::default();
        for _ in 0..size + usize::from(is_longer) {
            let Some(item) = items.next(run)? else { break };
            part.push(item, &run.meter)?;
        }
        if let Some(fill) = fill.as_ref().filter(|_| !is_longer) {
            part.push(fill.clone(), &run.meter)?;
        }
        parts.push(run.list(part)?, &run.meter)?;
    }
    run.list(parts)
}

fn dict_sort(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let case_sensitive = run.flag(arguments, 0, "case_sensitive", false);
    let by_value = match arguments.get(1, "by").map(Val::as_text) {
        None => false,
        Some(Some(by)) if by.is("key") => false,
        Some(Some(by)) if by.is("value") => true,
        Some(_) => return Err(Fault::render("`dictsort` sorts by `'key'` or `'value'`")),
    };
    let reverse = arguments.boolean(2, "reverse")?;
    let Val::Dict(id) = *value else {
        return Err(Fault::unexpected("`dictsort` expects a map", value));
    };
    let (mut keys, mut pairs) = (ItemList::default(), ItemList::default());
    for position in 0..run.heap.dict(id).len() {
        let Some((name, value)) = run.entry_at(id, position)? else { break };
        let key = if by_value { value.clone() } else { name.clone() };
        keys.push(fold_case(run, key, case_sensitive)?, &run.meter)?;
        pairs.push(run.tuple_of([name, value])?, &run.meter)?;
    }
    let sorted = sort_by_keys(run, &pairs, &keys, reverse)?;
    run.list(sorted)
}

/// Pairs of a key and the items that have it, in the order of the keys. Keys that differ only in
/// case are one group; the key of its first item is shown.
fn group_by(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let path = AttributePath::new(run, arguments.need(0, "attribute")?)?;
    let default = arguments.get(1, "default").cloned();
    let case_sensitive = run.flag(arguments, 2, "case_sensitive", false);
    let (mut keys, mut shown_keys, mut items) =
        (ItemList::default(), ItemList::default(), ItemList::default());
    let mut all = run.items(value)?;
    while let Some(item) = all.next(run)? {
        let mut key = path.of_item(run, item.clone())?;
        if let Some(default) = default.as_ref().filter(|_| key.is_undefined()) {
            key = default.clone();
        }
        shown_keys.push(key.clone(), &run.meter)?;
        keys.push(fold_case(run, key, case_sensitive)?, &run.meter)?;
        items.push(item, &run.meter)?;
    }
    let mut groups = ItemList::default();
    let positions = sort_positions(run, keys.as_slice(), false)?;
    let mut rest = positions.as_slice();
    while let Some((&first, mut tail)) = rest.split_first() {
        // All positions at the start of the rest whose keys are equal to the first.
        let mut group = ItemList::default();
        group.push(items.get(first).cloned().unwrap_or(Val::Undefined), &run.meter)?;
        while let Some((&position, further)) = tail.split_first()
            && let (Some(first_key), Some(key), Some(item)) =
                (keys.get(first), keys.get(position), items.get(position))
            && run.is_equal(first_key, key, 0)?
        {
            group.push(item.clone(), &run.meter)?;
            tail = further;
        }
        let name = shown_keys.get(first).cloned().unwrap_or(Val::Undefined);
        let group = run.list(group)?;
        groups.push(run.tuple_of([name, group])?, &run.meter)?;
        rest = tail;
    }
    run.list(groups)
}

fn items(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    match value {
        Val::Undefined => run.list(ItemList::default()),
        Val::Dict(id) => run.pairs(*id),
        _ => Err(Fault::unexpected("`items` expects a map", value)),
    }
}

fn join(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let separator = match arguments.get(0, "d") {
        Some(separator) => run.text(separator)?,
        None => "".into(),
    };
    let path = AttributePath::of_argument(run, arguments.get(1, "attribute"))?;
    let mut text = run.writer();
    let mut between = "";
    let mut items = run.items(value)?;
    while let Some(item) = items.next(run)? {
        text.push(between)?;
        between = &separator;
        let item = path.of_item(run, item)?;
        run.write_text(&item, &mut text)?;
    }
    text.finish().map(Val::String)
}

/// The number of items or characters of a value. For an undefined value it is 0: templates read the
/// number of tools without testing whether there are any.
fn length(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    Ok(Val::from(match value {
        Val::Undefined => 0,
        Val::String(_) | Val::Safe(_) | Val::List(_) | Val::Tuple(_) | Val::Dict(_) => {
            run.count_items(value)?
        }
        Val::Loop(id) => run.heap.loop_state(*id).map_or(0, |it| it.items.len()),
        _ => return Err(Fault::wrong_type(value, "has no length")),
    }))
}

/// The items of a value that is true. As in Jinja, a false value of any type has no items.
fn items_if_true(run: &Run<'_>, value: &Val) -> Outcome<Items> {
    if run.is_true(value) { run.items(value) } else { Ok(Items::NONE) }
}

fn map(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let mut items = items_if_true(run, value)?;
    let mut mapped = ItemList::default();
    if let Some(path) = arguments.by_name("attribute") {
        let path = AttributePath::new(run, path)?;
        let default = arguments.by_name("default").cloned();
        while let Some(item) = items.next(run)? {
            run.meter.pay_steps(1)?;
            let mut found = path.of_item(run, item.clone())?;
            if let Some(default) = default.as_ref().filter(|_| found.is_undefined()) {
                found = default.clone();
            }
            mapped.push(found, &run.meter)?;
        }
        return run.list(mapped);
    }
    let [name, rest @ ..] = arguments.positional.as_slice() else {
        return Err(Fault::render("filter `map` needs the name of a filter or an attribute"));
    };
    let name = run.text(name)?;
    let filter = (run.tables.filter)(&name).ok_or_else(|| Fault::missing("filter", &name))?;
    let mut given = Arguments::default();
    given.positional.extend(rest, &run.meter)?;
    given.named = arguments.named.copied(&run.meter)?;
    let filter = accept(filter, &name, &given)?;
    while let Some(item) = items.next(run)? {
        run.enter()?;
        let item = filter(run, &item, &given)?;
        mapped.push(item, &run.meter)?;
        run.leave();
    }
    run.list(mapped)
}

/// The first item whose key is the greatest, or the least.
fn extreme(run: &mut Run<'_>, value: &Val, arguments: &Arguments, wanted: Ordering) -> Outcome {
    let case_sensitive = run.flag(arguments, 0, "case_sensitive", false);
    let key = SortKey::new(run, arguments.get(1, "attribute"), case_sensitive)?;
    let mut best: Option<(Val, Val)> = None;
    let mut items = run.items(value)?;
    while let Some(item) = items.next(run)? {
        let key = key.of_item(run, &item)?;
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

/// What the filters that choose items test.
enum Subject {
    Item,
    /// An attribute of the item. Its path is the first argument.
    Attribute,
}

/// The items for which a test is true, or false if `wanted` is false. The arguments are the path of
/// an attribute if that is tested, the name of the test, and the arguments of the test.
fn choose(
    run: &mut Run<'_>,
    value: &Val,
    arguments: &Arguments,
    subject: Subject,
    wanted: bool,
) -> Outcome {
    let rest = arguments.positional.as_slice();
    let (path, rest) = match (subject, rest) {
        (Subject::Attribute, []) => {
            let name = if wanted { "selectattr" } else { "rejectattr" };
            return Err(Fault::render(format!("filter `{name}` needs the name of an attribute")));
        }
        (Subject::Attribute, [path, rest @ ..]) => (AttributePath::new(run, path)?, rest),
        (Subject::Item, rest) => (AttributePath::of_argument(run, None)?, rest),
    };
    let (test, test_arguments) = match rest {
        [] => (None, rest),
        [name, rest @ ..] => {
            let name = run.text(name)?;
            let test = (run.tables.test)(&name).ok_or_else(|| Fault::missing("test", &name))?;
            let (_, parameters, test) = test;
            parameters.check_count(&name, rest.len())?;
            (Some(test), rest)
        }
    };
    let mut chosen = ItemList::default();
    let mut items = items_if_true(run, value)?;
    while let Some(item) = items.next(run)? {
        run.meter.pay_steps(1)?;
        let subject = path.of_item(run, item.clone())?;
        let holds = match test {
            Some(test) => test(run, &subject, test_arguments)?,
            None => run.is_true(&subject),
        };
        if holds == wanted {
            chosen.push(item, &run.meter)?;
        }
    }
    run.list(chosen)
}

fn reverse(run: &mut Run<'_>, value: &Val, _: &Arguments) -> Outcome {
    if let Some(text) = value.as_text() {
        run.note_rewriting();
        let mut turned = run.writer();
        turned.push_all(text.read(&run.meter)?.chars().rev())?;
        return turned.finish().map(Val::String);
    }
    let mut items = run.all_items(value)?;
    items.reverse();
    run.list(items)
}

fn sort(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let reverse = arguments.boolean(0, "reverse")?;
    let case_sensitive = run.flag(arguments, 1, "case_sensitive", false);
    let key = SortKey::new(run, arguments.get(2, "attribute"), case_sensitive)?;
    let sorted = sort_items(run, value, &key, reverse)?;
    run.list(sorted)
}

fn sum(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let path = AttributePath::of_argument(run, arguments.get(0, "attribute"))?;
    let mut total = arguments.get(1, "start").cloned().unwrap_or(Val::Integer(0));
    if total.as_text().is_some() {
        return Err(Fault::render("`sum` cannot start with a string").with_help("use `join`"));
    }
    let mut items = run.items(value)?;
    while let Some(item) = items.next(run)? {
        let item = path.of_item(run, item)?;
        total = run.arithmetic(BinaryOperator::Add, &total, &item)?;
    }
    Ok(total)
}

fn unique(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let case_sensitive = run.flag(arguments, 0, "case_sensitive", false);
    let key = SortKey::new(run, arguments.get(1, "attribute"), case_sensitive)?;
    let mut seen = Dict::default();
    let mut kept = ItemList::default();
    let mut items = run.items(value)?;
    while let Some(item) = items.next(run)? {
        let key = key.of_item(run, &item)?;
        if run.position_of(&seen, &key)?.is_none() {
            seen.push(key, Val::None, &run.meter)?;
            kept.push(item, &run.meter)?;
        }
    }
    run.list(kept)
}

fn xml_attributes(run: &mut Run<'_>, value: &Val, arguments: &Arguments) -> Outcome {
    let Val::Dict(id) = *value else {
        return Err(Fault::render("`xmlattr` expects a map"));
    };
    let mut text = run.writer();
    for position in 0..run.heap.dict(id).len() {
        let Some((name, value)) = run.entry_at(id, position)? else { break };
        if matches!(value, Val::None | Val::Undefined) {
            continue;
        }
        let name = run.text(&name)?;
        if name.contains(|it| is_python_space(it) || matches!(it, '/' | '>' | '=')) {
            let message =
                format!("`xmlattr`: `{}` is not the name of an attribute", shorten(&name));
            return Err(Fault::render(message));
        }
        let value = filters::escape(run, &value, &Arguments::default())?;
        if !text.as_str().is_empty() || run.flag(arguments, 0, "autospace", true) {
            text.push(" ")?;
        }
        filters::write_escaped_text(&name, &mut text)?;
        text.push("=\"")?;
        run.write_text(&value, &mut text)?;
        text.push("\"")?;
    }
    text.finish().map(Val::String)
}

impl Run<'_> {
    /// Calls a built-in function.
    pub(super) fn call_function(&mut self, function: Function, arguments: &Arguments) -> Outcome {
        if let Some((names, parameters, _)) = function.entry() {
            parameters.check(names.first().copied().unwrap_or_default(), arguments)?;
        }
        match function {
            Function::Range => self.range(arguments),
            Function::Dict => self.make_dict(arguments),
            Function::Namespace => {
                let Val::Dict(id) = self.make_dict(arguments)? else { return Ok(Val::Undefined) };
                Ok(Val::Namespace(id))
            }
            Function::Cycler => {
                let mut items = ItemList::default();
                items.push(Val::Integer(0), &self.meter)?;
                items.extend(arguments.positional.as_slice(), &self.meter)?;
                self.heap.add_list(items, &self.meter).map(Val::Cycler)
            }
            Function::Joiner => {
                let separator = arguments.get(0, "sep").cloned();
                let mut items = ItemList::default();
                items.push(separator.unwrap_or_else(|| Val::literal(", ")), &self.meter)?;
                self.heap.add_list(items, &self.meter).map(Val::Joiner)
            }
            Function::RaiseException => {
                let message = match arguments.get(0, "message") {
                    Some(message) => {
                        let mut copy = self.writer();
                        self.write_text(message, &mut copy)?;
                        copy.into_string()
                    }
                    None => String::new(),
                };
                Err(Fault::new(ErrorKind::Refused, message))
            }
            Function::StrftimeNow => {
                let form = self.text(arguments.need(0, "format")?)?;
                self.meter.pay_characters(&form)?;
                self.meter
                    .pay_steps(form.matches('%').count().saturating_mul(clock::DIRECTIVE_STEPS))?;
                let mut text = self.writer();
                text.format(|out| clock::write(self.now, &form, out))?;
                self.note_format_string(&form)?;
                text.finish().map(Val::String)
            }
        }
    }

    fn range(&mut self, arguments: &Arguments) -> Outcome {
        let given = arguments.positional.as_slice();
        let numbers: Option<Vec<i128>> = given.iter().take(3).map(Val::as_integer).collect();
        let numbers = numbers.ok_or_else(|| Fault::render("`range` expects integers"))?;
        let (start, stop, step) = match *numbers {
            [stop] => (0, stop, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] if given.len() == 3 => (start, stop, step),
            _ => return Err(Fault::render("`range` expects one to three integers")),
        };
        let distance = if step < 0 { start.checked_sub(stop) } else { stop.checked_sub(start) };
        let count = match (step.unsigned_abs(), distance) {
            (0, _) => return Err(Fault::render("the step of `range` is 0")),
            (_, None) => LONGEST_RANGE + 1,
            (_, Some(distance)) if distance <= 0 => 0,
            (step, Some(distance)) => {
                let step = i128::try_from(step).unwrap_or(i128::MAX);
                (distance - 1) / step + 1
            }
        };
        if count > LONGEST_RANGE {
            return Err(Fault::limit("`range` has more than 100000 numbers")
                .with_help("loop over a list that is passed as a variable"));
        }
        self.meter.pay_steps(usize::try_from(count).unwrap_or_default())?;
        let mut items = ItemList::default();
        for index in 0..count {
            let number = start.saturating_add(index.saturating_mul(step));
            items.push(Val::Integer(number), &self.meter)?;
        }
        self.list(items)
    }

    fn make_dict(&mut self, arguments: &Arguments) -> Outcome {
        let mut dict = Dict::default();
        if let Some(source) = arguments.positional.get(0) {
            for (name, value) in self.entries_of(source)? {
                self.insert(&mut dict, name, value)?;
            }
        }
        for entry in arguments.named.iter_paid(&self.meter) {
            let (name, value) = entry?;
            self.insert(&mut dict, name.clone(), value.clone())?;
        }
        self.dict(dict)
    }

    /// Whether a test that is a comparison holds: `left is eq(right)`. `right` has the arguments.
    pub(super) fn holds(
        &mut self,
        operator: BinaryOperator,
        left: &Val,
        right: &[Val],
    ) -> Outcome<bool> {
        match right.first() {
            Some(right) => self.compare(operator, left, right),
            None => {
                let test = operator.as_str();
                Err(Fault::render(format!("test `{test}` takes 1 argument")))
            }
        }
    }
}
