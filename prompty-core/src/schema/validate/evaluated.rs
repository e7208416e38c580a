//! What schemas have looked at in a list or a map: `unevaluatedItems` and `unevaluatedProperties` are for
//! the rest.

use super::{Check, Evaluated, Held, excerpt};
use crate::schema::keywords::Keywords;
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::Value;

impl<'a> Check<'a> {
    /// Holds the keywords of a schema against a value, and then what they have not looked at, where the
    /// schema asks for it.
    pub(super) fn collecting(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> Held {
        let keyword = match value {
            Value::Array(_) => "unevaluatedItems",
            Value::Object(_) => "unevaluatedProperties",
            _ => return self.keywords(schema, keywords, value, at),
        };
        let Some(rest) = keywords.map().get(keyword) else {
            return self.keywords(schema, keywords, value, at);
        };
        let outer = self.evaluated.replace(Evaluated::default());
        let held = self.keywords(schema, keywords, value, at);
        let held = held.and_then(|()| self.rest(schema.part(rest), value, at));
        self.end_evaluated(outer, true)?;
        held
    }

    /// Notes that an item was looked at.
    pub(super) fn has_item(&mut self, index: usize) -> Held {
        let Some(evaluated) = &mut self.evaluated else { return Ok(()) };
        evaluated.items.insert(index);
        self.pay(1)
    }

    /// Notes that what stands under a name was looked at.
    pub(super) fn has_name(&mut self, name: &'a str) -> Held {
        let Some(evaluated) = &mut self.evaluated else { return Ok(()) };
        evaluated.names.insert(name);
        self.pay(1)
    }

    /// Begins to note anew; gives what was noted before.
    pub(super) fn begin_evaluated(&mut self) -> Option<Evaluated<'a>> {
        let begun = self.evaluated.as_ref().map(|_| Evaluated::default());
        std::mem::replace(&mut self.evaluated, begun)
    }

    /// Goes on with what was noted before, and with what was noted since, where that counts.
    pub(super) fn end_evaluated(&mut self, outer: Option<Evaluated<'a>>, counts: bool) -> Held {
        let inner = std::mem::replace(&mut self.evaluated, outer);
        let (Some(all), Some(inner)) = (&mut self.evaluated, inner) else { return Ok(()) };
        if !counts {
            return Ok(());
        }
        let more = inner.items.len() + inner.names.len();
        all.items.extend(inner.items);
        all.names.extend(inner.names);
        self.pay(more)
    }

    /// Holds what was not looked at against the schema of the rest.
    fn rest(&mut self, rest: Schema<'a>, value: &'a Value, at: &Pointer<'a>) -> Held {
        let is_closed = rest.value() == Some(&Value::Bool(false));
        for (index, item) in value.as_array().unwrap_or_default().iter().enumerate() {
            self.pay(1)?;
            if self.evaluated.as_ref().is_none_or(|it| !it.items.contains(&index)) {
                self.hold_inside(rest, item, &at.index(index))?;
                self.has_item(index)?;
            }
        }
        for (name, value) in value.as_object().into_iter().flat_map(crate::value::Map::iter) {
            self.pay(1)?;
            if self.evaluated.as_ref().is_some_and(|it| it.names.contains(name)) {
                continue;
            }
            match is_closed {
                true => self.note(at, format!("must not have `{}`", excerpt(name))),
                false => self.hold_inside(rest, value, &at.name(name))?,
            }
            self.has_name(name)?;
        }
        Ok(())
    }
}
