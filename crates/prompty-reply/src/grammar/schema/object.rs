//! Objects: properties in the schema's order, and properties with other names.

use super::basic::{BasicRule, braced, list, pair, quoted};
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::escape;
use crate::grammar::delimiters::prefix_tree;
use crate::grammar::fields::optional_fields;
use crate::grammar::{CharacterClass, Expression, GrammarBuilder, Result, budget};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::ordered_map::OrderedMap;
use prompty_core::schema::{LocatedSchema, SchemaForm};
use prompty_core::value::Map;

/// The maximum length of a name from which other names must differ. Each of its characters needs
/// alternatives in the grammar.
const LONGEST_NAME: usize = 500;

/// The expression of objects that match the constraints.
pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    name: &str,
    depth: usize,
) -> Result<Expression> {
    let size = constraints.size;
    if constraints.objects.is_empty()
        && constraints.required.is_empty()
        && size.is_none()
        && !constraints.is_closed_object
    {
        return Ok(BasicRule::Object.reference(compiler.builder));
    }
    let names = property_names(constraints);
    let space = BasicRule::Space.reference(compiler.builder);
    let additional = unnamed_property(compiler, constraints, &names, name, depth)?;
    let mut properties = Vec::new();
    let indices_for_unnamed = indices_of_open_schemas(constraints);
    for (&property, named_by) in &names {
        let root = compiler.root();
        compiler.spend_on_text(&root, property)?;
        compiler.spend_on_items(&root, indices_for_unnamed.len() + named_by.len())?;
        // Names that only `required` lists are among them, or no object could match.
        let schemas = schemas_of(constraints, property, named_by, &indices_for_unnamed);
        let name = compiler.child_name(name, property);
        let value = compiler.compile(&schemas, &name, depth + 1)?;
        let key = quoted(escape::text(property).into());
        let property_rule = compiler.builder.rule(property, pair(key, &space, value)).into();
        properties.push((property_rule, constraints.required.contains_key(property)));
    }
    if !size.is_none() {
        if names.is_empty() {
            let all = match additional {
                Some(additional) => list(additional, &space, size.least(), size.at_most),
                None if size.least() > 0 => return Ok(Expression::NOTHING),
                None => Expression::EMPTY,
            };
            return Ok(braced("{", all, "}", &space));
        }
        let required = properties.iter().filter(|(_, is_required)| *is_required).count();
        check_size(compiler, constraints, required, properties.len(), additional.is_some())?;
    }
    let separator = Expression::sequence([",".into(), space.clone()]);
    let inner = optional_fields(compiler.builder, properties, additional, &separator);
    Ok(braced("{", inner, "}", &space))
}

/// The known names in order, with the indices of the schemas that name them: names with a schema,
/// then those that are only required.
type PropertyNames<'s> = OrderedMap<&'s str, Vec<usize>>;

fn property_names<'s>(constraints: &Constraints<'s>) -> PropertyNames<'s> {
    let mut names = PropertyNames::new();
    for (at, object) in constraints.objects.iter().enumerate() {
        for name in object.properties.into_iter().flat_map(Map::keys) {
            names.get_or_insert_with(name, Vec::new).push(at);
        }
    }
    for name in constraints.required.keys() {
        names.get_or_insert_with(name, Vec::new);
    }
    names
}

/// The indices of the schemas that apply to properties that they do not name.
fn indices_of_open_schemas(constraints: &Constraints<'_>) -> Vec<usize> {
    let objects = constraints.objects.iter().enumerate();
    objects.filter(|(_, object)| object.additional.is_some()).map(|(at, _)| at).collect()
}

/// The schemas of a property, in the order of the schemas that contain them.
fn schemas_of<'s>(
    constraints: &Constraints<'s>,
    property: &'s str,
    named_by: &[usize],
    indices_for_unnamed: &[usize],
) -> Vec<LocatedSchema<'s>> {
    let mut places: Vec<usize> = named_by.iter().chain(indices_for_unnamed).copied().collect();
    places.sort_unstable();
    places.dedup();
    let objects = places.into_iter().filter_map(|at| constraints.objects.get(at));
    objects.filter_map(|object| object.property(property)).collect()
}

/// Whether unnamed properties are allowed. A schema that names properties and has no keyword for
/// others allows no others.
fn is_open(constraints: &Constraints<'_>) -> bool {
    let has_additional = constraints.objects.iter().any(|object| object.additional.is_some());
    let names = constraints.objects.iter().any(|object| object.properties.is_some());
    has_additional || !(names || constraints.is_closed_object)
}

/// Writes an unnamed property, if they are allowed.
fn unnamed_property<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    names: &PropertyNames<'s>,
    name: &str,
    depth: usize,
) -> Result<Option<Expression>> {
    let schemas: Vec<LocatedSchema<'s>> =
        constraints.objects.iter().filter_map(|object| object.additional.clone()).collect();
    let is_closed =
        schemas.iter().any(|schema| matches!(schema.schema.form(), SchemaForm::Nothing));
    if !is_open(constraints) || is_closed {
        return Ok(None);
    }
    let name = compiler.child_name(name, "other");
    let value = compiler.compile(&schemas, &name, depth + 1)?;
    let space = BasicRule::Space.reference(compiler.builder);
    let key = match names.is_empty() {
        true => BasicRule::Text.reference(compiler.builder),
        false => {
            if let Some(long) = names.keys().find(|name| name.chars().nth(LONGEST_NAME).is_some()) {
                let start: String = long.chars().take(40).collect();
                let message =
                    format!("the property name `{start}…` has more than {LONGEST_NAME} characters");
                let help = "shorten it, or set `additionalProperties: false`";
                return Err(Error::new(ErrorKind::Limit, message).with_help(help));
            }
            let characters = names.keys().map(|name| name.len()).sum::<usize>();
            let steps = characters.saturating_mul(budget::PER_DIFFERENCE);
            compiler.spend(&compiler.root(), steps)?;
            key_other_than(compiler.builder, names.keys().copied())
        }
    };
    Ok(Some(compiler.builder.rule(&name, pair(key, &space, value)).into()))
}

/// Checks that the number of properties is already limited by their names.
fn check_size<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    required: usize,
    named: usize,
    is_open: bool,
) -> Result<()> {
    let size = constraints.size;
    let most = if is_open { usize::MAX } else { named };
    for (schema, keyword) in &constraints.sizes {
        let is_implied = match *keyword {
            "minProperties" => u32::try_from(required).unwrap_or(u32::MAX) >= size.least(),
            _ => size.contains(most.max(size.least() as usize)),
        };
        if !is_implied {
            let why = "it would require counting named properties";
            compiler.check_unsupported(schema, keyword, why)?;
        }
    }
    Ok(())
}

/// The number of characters of a key after which a new rule begins, so that expressions do not nest
/// deeply.
const PER_RULE: usize = 8;

/// A quoted key that differs from these keys. Each of its characters is escaped in only one way, so
/// that no other spelling of a known key is read as a new key.
///
/// For the keys `a` and `ab`, it is `"" | a (b ANY+ | [^b] ANY*) | [^a] ANY*` between quotes.
fn key_other_than<'s>(
    builder: &mut GrammarBuilder,
    keys: impl Iterator<Item = &'s str>,
) -> Expression {
    let any = escape::one_of(&CharacterClass::any());
    let any: Expression = builder.rule("key-char", any).into();
    let nodes = prefix_tree(keys);
    // Children follow their parents, so in reverse order they are written first.
    let mut expressions: Vec<Option<Expression>> = Vec::new();
    expressions.resize_with(nodes.len(), || None);
    for (at, node) in nodes.iter().enumerate().rev() {
        let known: CharacterClass = node.children.keys().map(|&key| (key, key)).collect();
        let mut ways = Vec::with_capacity(node.children.len() + 2);
        for (&character, &child) in &node.children {
            let Some(rest) = expressions.get_mut(child).and_then(Option::take) else { continue };
            let text = escape::text(character.encode_utf8(&mut [0; 4]));
            ways.push(Expression::sequence([text.into(), rest]));
        }
        let other = escape::one_of(&known.negated());
        ways.push(Expression::sequence([other, any.clone().repeated(0, None)]));
        if !node.ends_text {
            ways.push(Expression::EMPTY);
        }
        let mut expression = Expression::Choice(ways);
        if at > 0 && node.depth % PER_RULE == 0 {
            expression = builder.rule("other-key", expression).into();
        }
        if let Some(expressions) = expressions.get_mut(at) {
            *expressions = Some(expression);
        }
    }
    let key = expressions.first_mut().and_then(Option::take).unwrap_or(Expression::EMPTY);
    quoted(key)
}
