//! Converts objects: finds the entry of each property, and converts the entries.

use std::rc::Rc;

use prompty_core::schema::{self, Keywords, Schema};
use prompty_core::value::{Map, Value};

use super::{FitResult, Fitter, Leniency, alias, expected, kinds, names};
use crate::output::repair::RepairKind;
use crate::output::written_form::WrittenValue;

/// An object that is being converted.
struct OpenObject<'value, 'schema> {
    source: WrittenValue<'value>,
    schema: Schema<'schema>,
    fitted: Map,
    /// The keys of the entries that properties have used.
    used_keys: Vec<&'value str>,
    /// The keys that are not names of properties, with their spellings. They are computed when they
    /// are needed.
    other_keys: Option<Vec<(String, &'value str)>>,
}

/// A property of a schema.
#[derive(Clone, Copy)]
struct Property<'schema> {
    index: usize,
    name: &'schema str,
    part: Schema<'schema>,
    is_required: bool,
}

impl<'value, 'schema> OpenObject<'value, 'schema> {
    #[inline(never)]
    fn new(source: WrittenValue<'value>, schema: Schema<'schema>) -> Box<Self> {
        let (used_keys, other_keys) = (Vec::new(), None);
        Box::new(Self { source, schema, fitted: Map::new(), used_keys, other_keys })
    }

    /// The property of the schema with an index.
    #[inline(never)]
    fn property(&self, index: usize) -> Option<Property<'schema>> {
        let keywords = self.schema.keywords()?;
        let (name, part) = keywords.properties()?.entry(index)?;
        let is_required = keywords.requires(name);
        Some(Property { index, name, part: self.schema.part(part), is_required })
    }

    #[inline(never)]
    fn insert(&mut self, key: &str, value: Value) {
        self.fitted.insert(key, value);
    }

    /// Inserts the default value of an optional property.
    #[inline(never)]
    fn insert_default(&mut self, property: Property<'schema>) {
        let keywords = property.part.keywords().filter(|_| !property.is_required);
        if let Some(default) = keywords.and_then(|it| it.map().get("default")) {
            self.fitted.insert(property.name, default.clone());
        }
    }

    /// The only entry whose key has one of these spellings.
    fn find_alike(
        &mut self,
        wanted: &names::PropertyNames,
        fold: names::Fold,
    ) -> Option<(&'value str, WrittenValue<'value>)> {
        let (source, properties) = (self.source, self.schema.keywords()?.properties());
        let other_keys = self.other_keys.get_or_insert_with(|| {
            let is_name = |key: &str| properties.is_some_and(|it| it.contains_key(key));
            let keys = source.entries().map(|(key, _)| key).filter(|key| !is_name(key));
            keys.map(|key| (fold(key), key)).collect()
        });
        let mut alike = other_keys.iter().filter(|(spelling, _)| wanted.includes(spelling));
        let ((_, key), None) = (alike.next()?, alike.next()) else { return None };
        source.entry(key)
    }
}

impl<'schema> Fitter<'schema> {
    pub(super) fn fit_object(
        &mut self,
        source: WrittenValue<'_>,
        schema: &Schema<'schema>,
    ) -> FitResult {
        let mut object = OpenObject::new(source, *schema);
        let mut index = 0;
        while let Some(property) = object.property(index) {
            self.fit_property(&mut object, &property)?;
            index += 1;
        }
        index = 0;
        while let Some((key, entry)) = source.entry_at(index) {
            self.fit_other_entry(&mut object, key, entry)?;
            index += 1;
        }
        Ok(Value::Object(object.fitted))
    }

    /// Converts the entry of a property.
    fn fit_property<'value>(
        &mut self,
        object: &mut OpenObject<'value, 'schema>,
        property: &Property<'schema>,
    ) -> FitResult<()> {
        let Some(entry) = self.find_used_entry(object, property)? else { return Ok(()) };
        let fitted = self.fit_inside(schema::Step::Name(property.name), entry, &property.part)?;
        if !self.is_try {
            object.insert(property.name, fitted);
        }
        Ok(())
    }

    /// Converts an entry that the properties do not name, or removes it.
    fn fit_other_entry(
        &mut self,
        object: &mut OpenObject<'_, 'schema>,
        key: &str,
        entry: WrittenValue<'_>,
    ) -> FitResult<()> {
        if object.used_keys.contains(&key) {
            return Ok(());
        }
        let Some(part) = other_entries(&object.schema) else {
            self.record_unknown_key(key);
            return Ok(());
        };
        let fitted = self.fit_inside(schema::Step::Name(key), entry, &part)?;
        if !self.is_try {
            object.insert(key, fitted);
        }
        Ok(())
    }

    /// The entry of a property; `None` if it is missing and may be. A `null` that its schema does
    /// not allow counts as missing, if the property may be missing.
    #[inline(never)]
    fn find_used_entry<'value>(
        &mut self,
        object: &mut OpenObject<'value, 'schema>,
        property: &Property<'schema>,
    ) -> FitResult<Option<WrittenValue<'value>>> {
        let Some((key, entry)) = self.find_entry(object, property) else {
            if property.is_required {
                return self.missing(property);
            }
            object.insert_default(*property);
            return Ok(None);
        };
        object.used_keys.push(key);
        let may_be_missing = entry.value.is_null() && !property.is_required;
        if may_be_missing && !self.fits(entry, &property.part) {
            object.insert_default(*property);
            return Ok(None);
        }
        Ok(Some(entry))
    }

    /// The error of a missing required value. Not even `null` replaces it, since the model did not
    /// write it.
    fn missing<T>(&mut self, property: &Property<'schema>) -> FitResult<T> {
        let expected = || match property.part.resolved().keywords() {
            Some(keywords) => expected(kinds(keywords)),
            None => "a value".to_owned(),
        };
        self.enter(schema::Step::Name(property.name));
        let error = self.error(|| format!("expected {}, found nothing", expected()));
        self.leave();
        error
    }

    #[inline(never)]
    fn record_unknown_key(&mut self, key: &str) {
        self.enter(schema::Step::Name(key));
        self.record_repair(RepairKind::UnknownKey, 1);
        self.leave();
    }

    /// The entry of a property: by its name, by its alias, or by another spelling if only one key
    /// has it.
    fn find_entry<'value>(
        &mut self,
        object: &mut OpenObject<'value, 'schema>,
        property: &Property<'schema>,
    ) -> Option<(&'value str, WrittenValue<'value>)> {
        if let Some(found) = object.source.entry(property.name) {
            return Some(found);
        }
        if let Some(found) = alias(property.part).and_then(|it| object.source.entry(it)) {
            return Some(found);
        }
        if !self.allows(Leniency::Plain) {
            return None;
        }
        let fold: names::Fold = match self.allows(Leniency::Generous) {
            true => names::folded_without_accents,
            false => names::folded,
        };
        let all_names = self.names_of_properties(object.schema, fold);
        let wanted = all_names.get(property.index)?;
        let found = object.find_alike(wanted, fold)?;
        // The key could be another property as well.
        let mut others = all_names.iter().enumerate().filter(|it| it.0 != property.index);
        if others.any(|(_, other)| other.overlap(wanted)) {
            return None;
        }
        self.enter(schema::Step::Name(property.name));
        self.record_repair(RepairKind::KeySpelling, 1);
        self.leave();
        Some(found)
    }

    /// The names of all properties of a schema, in their order.
    fn names_of_properties(
        &mut self,
        schema: Schema<'schema>,
        fold: names::Fold,
    ) -> Rc<[names::PropertyNames]> {
        let known = self.property_names.entry(schema.address().unwrap_or_default());
        Rc::clone(known.or_insert_with(|| {
            let properties = schema.keywords().and_then(Keywords::properties);
            let names = properties.into_iter().flat_map(Map::iter).map(|(name, part)| {
                let alias = alias(schema.part(part));
                names::PropertyNames { name: fold(name), alias: alias.map(fold) }
            });
            names.collect()
        }))
    }
}

/// The schema of the entries that the properties do not name; `None` if they are not allowed.
#[inline(never)]
fn other_entries<'schema>(schema: &Schema<'schema>) -> Option<Schema<'schema>> {
    let keywords = schema.keywords()?;
    match keywords.free_entries() {
        // Without `properties`, it is the schema of a map, which accepts all keys by default.
        None if keywords.properties().is_none() => Some(schema.part(&Value::Bool(true))),
        None | Some(Value::Bool(false)) => None,
        Some(part) => Some(schema.part(part)),
    }
}
