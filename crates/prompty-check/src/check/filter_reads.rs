//! The parts of its input that a filter reads: all of it, its length, or attributes of its items.
//! If only attributes are read, the structs of a list need no conversion.

use super::call_arguments::{constant_text, named, positional};
use super::checker::Checker;
use super::types::{Type, Value};
use super::uses::Sources;
use prompty_template::tree::Call;

impl Checker<'_> {
    /// Records what a filter reads of its input: all of it, its length, or an attribute of its
    /// items. Returns the sources of the result if that is the list or one of its items.
    pub(super) fn read_by_filter(&mut self, value: &Value, call: &Call) -> Sources {
        let name = call.name.text.as_str();
        // A filter of the host may read anything.
        let is_of_host = self.extensions.filters.iter().any(|filter| filter == name);
        let is_list = matches!(value.kind, Type::List(_));
        let attribute = match name {
            "selectattr" | "rejectattr" => positional(call, 0),
            "join" => named(call, "attribute").or_else(|| positional(call, 1)),
            _ => named(call, "attribute"),
        };
        let attribute = attribute.and_then(constant_text);
        let is_plain = call.arguments.is_empty();
        match (name, attribute) {
            _ if is_of_host => {}
            ("length" | "count", _) if is_plain => {
                self.uses.mark_counted(&value.sources);
                return Sources::default();
            }
            ("first" | "last", _) if is_plain && is_list => {
                return self.uses.item(&value.sources);
            }
            ("reverse" | "list", _) if is_plain && is_list => return value.sources.clone(),
            ("sort" | "unique" | "selectattr" | "rejectattr", Some(paths)) => {
                self.read_of_items(value, paths, call);
                return value.sources.clone();
            }
            ("min" | "max", Some(paths)) => {
                self.read_of_items(value, paths, call);
                return self.uses.item(&value.sources);
            }
            ("map" | "join" | "sum", Some(paths)) => {
                self.read_of_items(value, paths, call);
                return Sources::default();
            }
            _ => {}
        }
        self.uses.mark_read(&value.sources);
        Sources::default()
    }

    /// Records that attributes of the items are read. `paths` is for example `name,author.name`.
    fn read_of_items(&mut self, value: &Value, paths: &str, call: &Call) {
        let span = call.name.span.in_source(self.body);
        let item = self.uses.item(&value.sources);
        for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let mut read = item.clone();
            for name in path.split('.') {
                // `0` is an item, and `name` an attribute.
                read = match name.parse::<usize>() {
                    Ok(_) => self.uses.item(&read),
                    Err(_) => self.uses.attribute(&read, name, span),
                };
            }
            self.uses.mark_read(&read);
        }
    }
}
