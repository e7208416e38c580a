//! Reads the constraints of a schema, keyword by keyword.

use std::rc::Rc;

use prompty_core::schema::{
    Combination, Count, CountKind, Items, Keywords, Kinds, LocatedSchema, SchemaForm, is_annotation,
};
use prompty_core::value::{Map, Value};

use super::compiler::Compiler;
use super::constraints::{AlternativeGroup, ArrayKeywords, Constraints, ObjectKeywords};
use super::values::ValueSet;
use crate::grammar::{Result, budget};

impl<'s> Constraints<'s> {
    /// Adds the constraints of a schema.
    pub(super) fn add(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        schema: &LocatedSchema<'s>,
        depth: usize,
    ) -> Result<()> {
        compiler.enter(schema, depth)?;
        let keywords = match schema.schema.form() {
            SchemaForm::Everything => return Ok(()),
            SchemaForm::Nothing => {
                self.is_impossible = true;
                return Ok(());
            }
            SchemaForm::Keywords(keywords) => keywords,
            SchemaForm::Malformed(other) => {
                let found = other.kind_name();
                let message = format!("expected a schema (an object or a boolean), found {found}");
                let help = "write an object such as `{\"type\": \"string\"}`";
                return Err(schema.error(message).with_help(help));
            }
        };
        compiler.spend_on_items(schema, keywords.map().len())?;
        self.add_object(schema, keywords);
        self.add_array(schema, keywords);
        for (keyword, value) in keywords.map().iter() {
            self.add_keyword(compiler, schema, keywords, (keyword, value), depth)?;
        }
        Ok(())
    }

    fn add_keyword(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        schema: &LocatedSchema<'s>,
        keywords: Keywords<'s>,
        (keyword, value): (&'s str, &'s Value),
        depth: usize,
    ) -> Result<()> {
        let fault = |fault| schema.keyword_error(&fault);
        match keyword {
            "type" => {
                if let Some(kinds) = keywords.kinds().map_err(fault)? {
                    self.kinds = Some(self.kinds.unwrap_or(Kinds::ANY).intersection(kinds));
                }
            }
            "const" => self.add_values(compiler, schema, std::slice::from_ref(value))?,
            "enum" => {
                let values = keywords.values().map_err(fault)?.unwrap_or_default();
                self.add_values(compiler, schema, values)?;
            }
            "$ref" => {
                let reference = keywords.reference().map_err(fault)?.unwrap_or_default();
                let target = compiler.target(schema, reference)?;
                self.add(compiler, &target, depth + 1)?;
            }
            "allOf" => {
                let parts = keywords.combination(Combination::AllOf).map_err(fault)?;
                compiler.spend_on_items(schema, parts.len())?;
                for part in schema.children(keyword, parts) {
                    self.add(compiler, &part, depth + 1)?;
                }
            }
            "anyOf" => self.add_group(compiler, schema, Combination::AnyOf)?,
            "oneOf" => self.add_group(compiler, schema, Combination::OneOf)?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.imply(Kinds::NUMBER);
                self.bounds.add(keywords.bounds().map_err(fault)?);
            }
            "minLength" | "maxLength" => {
                self.imply(Kinds::STRING);
                let count = keywords.count(CountKind::Characters).map_err(fault)?;
                self.length.add(count);
                self.lengths.extend(bounding(schema, keyword, CountKind::Characters, count));
            }
            "minItems" | "maxItems" => {
                self.imply(Kinds::ARRAY);
                self.items.add(keywords.count(CountKind::Items).map_err(fault)?);
            }
            "minProperties" | "maxProperties" => {
                self.imply(Kinds::OBJECT);
                let count = keywords.count(CountKind::Properties).map_err(fault)?;
                self.size.add(count);
                self.sizes.extend(bounding(schema, keyword, CountKind::Properties, count));
            }
            "pattern" => {
                let pattern = keywords.pattern().map_err(fault)?.unwrap_or_default();
                self.imply(Kinds::STRING);
                self.patterns.push((schema.clone(), pattern));
            }
            "format" => {
                let format = keywords.format().map_err(fault)?.unwrap_or_default();
                self.add_format(compiler, schema, keywords, format)?;
            }
            "required" => {
                let names = keywords.required().map_err(fault)?;
                compiler.spend_on_items(schema, names.len())?;
                self.imply(Kinds::OBJECT);
                self.required.extend(names.into_iter().map(|name| (name, ())));
            }
            // Read by `add_object` and `add_array`.
            "properties" | "additionalProperties" | "items" | "prefixItems" | "additionalItems" => {
            }
            // The grammar of an object lists all allowed properties, and that of an array all
            // items.
            "unevaluatedProperties" | "unevaluatedItems" if *value == Value::Bool(false) => {}
            _ if is_annotation(keyword) => {}
            _ if has_no_effect(keyword, value) => {}
            _ if needs_memory(keyword) => compiler.check_unsupported(
                schema,
                keyword,
                "a grammar cannot count or compare earlier text",
            )?,
            // JSON Schema ignores unknown keywords.
            _ => {}
        }
        Ok(())
    }

    fn add_values(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        schema: &LocatedSchema<'s>,
        values: &'s [Value],
    ) -> Result<()> {
        let known = self.values.take();
        let compared = known.as_ref().map_or(0, |known| known.len());
        compiler.spend(schema, budget::value_steps(values).saturating_add(compared))?;
        let values: ValueSet<'s> = values.iter().collect();
        self.values = Some(Rc::new(match known {
            None => values,
            Some(known) => known.and(&values),
        }));
        Ok(())
    }

    fn add_group(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        schema: &LocatedSchema<'s>,
        combination: Combination,
    ) -> Result<()> {
        let keywords = schema.schema.keywords();
        let parts = keywords.map_or(Ok(&[][..]), |keywords| keywords.combination(combination));
        let parts = parts.map_err(|fault| schema.keyword_error(&fault))?;
        compiler.spend_on_items(schema, parts.len())?;
        let alternatives = schema.children(combination.keyword(), parts);
        self.groups.push(AlternativeGroup { schema: schema.clone(), combination, alternatives });
        Ok(())
    }

    fn add_format(
        &mut self,
        compiler: &mut Compiler<'_, 's>,
        schema: &LocatedSchema<'s>,
        keywords: Keywords<'s>,
        format: &'s str,
    ) -> Result<()> {
        if super::format::is_known(format) {
            self.imply(Kinds::STRING);
            self.formats.push((schema.clone(), format));
            return Ok(());
        }
        // All other formats are annotations, according to the specification. Formats of numbers
        // only name a width.
        match keywords.kinds() {
            Ok(Some(kinds)) if Kinds::NUMBER.contains(kinds) => Ok(()),
            _ => compiler.record_widened(schema, "format"),
        }
    }

    fn add_object(&mut self, schema: &LocatedSchema<'s>, keywords: Keywords<'s>) {
        let properties = keywords.properties();
        let additional = keywords
            .additional_properties()
            .map(|value| schema.child("additionalProperties", value));
        if properties.is_some() || additional.is_some() {
            self.imply(Kinds::OBJECT);
            let schema = schema.clone();
            self.objects.push(ObjectKeywords { schema, properties, additional });
        }
        if keywords.map().get("unevaluatedProperties") == Some(&Value::Bool(false)) {
            self.imply(Kinds::OBJECT);
            self.is_closed_object = true;
        }
    }

    fn add_array(&mut self, schema: &LocatedSchema<'s>, keywords: Keywords<'s>) {
        if keywords.map().get("unevaluatedItems") == Some(&Value::Bool(false)) {
            self.is_closed_array = true;
        }
        let Some(Items { first: (keyword, first), rest }) = keywords.items() else { return };
        self.imply(Kinds::ARRAY);
        let first = schema.children(keyword, first);
        let rest = rest.map(|(keyword, value)| schema.child(keyword, value));
        self.arrays.push(ArrayKeywords { first, rest });
    }
}

/// The schema with the keyword that limits a count, if the keyword has an effect.
fn bounding<'s>(
    schema: &LocatedSchema<'s>,
    keyword: &str,
    counted: CountKind,
    count: Count,
) -> Option<(LocatedSchema<'s>, &'static str)> {
    let [least, most] = counted.keywords();
    let (keyword, bounds) = match keyword == least {
        true => (least, count.least() > 0),
        false => (most, count.at_most.is_some()),
    };
    bounds.then(|| (schema.clone(), keyword))
}

/// Whether a keyword that needs memory has a value without an effect.
fn has_no_effect(keyword: &str, value: &Value) -> bool {
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    match keyword {
        "uniqueItems" | "not" => *value == Value::Bool(false),
        "patternProperties" | "dependentRequired" | "dependentSchemas" | "dependencies" => is_empty,
        "propertyNames" | "unevaluatedProperties" | "unevaluatedItems" => {
            is_empty || *value == Value::Bool(true)
        }
        _ => false,
    }
}

/// Whether a keyword can only be checked by a reader with memory.
fn needs_memory(keyword: &str) -> bool {
    matches!(
        keyword,
        "not"
            | "if"
            | "patternProperties"
            | "propertyNames"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "uniqueItems"
            | "contains"
            | "multipleOf"
            | "$dynamicRef"
            | "$recursiveRef"
    )
}
