//! From a Mustache template and inputs to text.

use std::fmt::Write;

use super::output::Output;
use super::syntax;
use crate::diagnostic::Span;
use crate::error::{Error, ErrorKind};
use crate::template::ast::{Expr, ExprKind, Node, NodeKind};
use crate::template::{
    Insertion, Placeholder, RenderFailure, RenderLimits, SyntaxError, Template, Undefined,
};
use crate::value::{Map, Value};

/// A Mustache template that is ready to render, from any thread and as often as you like.
///
/// ```
/// use prompty_runtime::template::mustache::{MustacheTemplate, RenderCall};
/// use prompty_runtime::value::Map;
///
/// let template = MustacheTemplate::compile("Hello {{name}}!")?;
/// let inputs = Map::from([("name", "Ada")]);
/// let mut text = String::new();
/// template.render(&RenderCall::new(&inputs), &mut text)?;
/// assert_eq!(text, "Hello Ada!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MustacheTemplate {
    tree: Template,
    steps: Vec<Step>,
}

/// What one render is given.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RenderCall<'a> {
    /// The values by their names.
    pub inputs: &'a Map,
    /// The inputs that print as a placeholder; each stands before an input of the same name.
    pub placeholders: &'a [Placeholder],
    /// The digits that the template's [`Insertion`]s write.
    pub nonce: &'a str,
    /// What becomes of a name that has no value.
    pub undefined: Undefined,
    /// How much the render may cost.
    pub limits: RenderLimits,
}

impl<'a> RenderCall<'a> {
    /// A render of inputs without placeholders and nonce, within the default limits; names without a
    /// value are empty.
    pub fn new(inputs: &'a Map) -> Self {
        Self {
            inputs,
            placeholders: &[],
            nonce: "",
            undefined: Undefined::default(),
            limits: RenderLimits::default(),
        }
    }

    /// The same render with inputs that print as placeholders.
    #[must_use]
    pub fn with_placeholders(mut self, placeholders: &'a [Placeholder]) -> Self {
        self.placeholders = placeholders;
        self
    }

    /// The same render with the digits of a nonce.
    #[must_use]
    pub fn with_nonce(mut self, nonce: &'a str) -> Self {
        self.nonce = nonce;
        self
    }

    /// The same render with another treatment of names that have no value.
    #[must_use]
    pub fn with_undefined(mut self, undefined: Undefined) -> Self {
        self.undefined = undefined;
        self
    }

    /// The same render within other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: RenderLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// A node of the tree, made ready to run.
#[derive(Debug, Clone)]
enum Step {
    Text(Box<str>),
    Nonce { before: Box<str>, after: Box<str> },
    Escaped(Path),
    Raw(Path),
    Section { subject: Path, body: Vec<Step> },
    Inverted { subject: Path, body: Vec<Step> },
}

/// A dotted name; without parts it is the item of the section around it.
#[derive(Debug, Clone)]
struct Path {
    parts: Vec<Box<str>>,
    span: Span,
}

impl Path {
    fn of(expr: &Expr) -> Self {
        let mut parts = Vec::new();
        let mut inner = expr;
        while let ExprKind::Attribute { value, name } = &inner.kind {
            parts.push(name.text.as_str().into());
            inner = value;
        }
        if let ExprKind::Variable(name) = &inner.kind {
            parts.push(name.as_str().into());
        }
        parts.reverse();
        Self { parts, span: expr.span }
    }

    fn shown(&self) -> String {
        if self.parts.is_empty() { ".".to_owned() } else { self.parts.join(".") }
    }
}

impl MustacheTemplate {
    /// Compiles a template's text.
    ///
    /// # Errors
    ///
    /// Whatever [`parse`](super::parse) refuses, and partials.
    pub fn compile(text: &str) -> Result<Self, SyntaxError> {
        Self::compile_with_insertions(text, &[])
    }

    /// Compiles a template's text with places at which each render writes its nonce. Insertions that
    /// lie neither in a literal text nor at its edge are left out.
    ///
    /// # Errors
    ///
    /// As [`MustacheTemplate::compile`].
    pub fn compile_with_insertions(
        text: &str,
        insertions: &[Insertion],
    ) -> Result<Self, SyntaxError> {
        let tree = syntax::parse(text)?;
        let mut insertions: Vec<&Insertion> = insertions.iter().collect();
        insertions.sort_by_key(|insertion| insertion.offset);
        let mut left = insertions.as_slice();
        let steps = compile_nodes(&tree.nodes, &mut left)?;
        Ok(Self { tree, steps })
    }

    /// The template's tree.
    pub fn tree(&self) -> &Template {
        &self.tree
    }

    /// Renders the template and appends the text to `out`. After a failure `out` holds what was
    /// written until then.
    ///
    /// In strict mode ([`Undefined::Error`]) a name without a value may not be printed. A section
    /// may ask for it only where it lies in another section over a map: an item may lack what
    /// another one has, but an input that nobody gave is a mistake.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] beyond the limits, and [`ErrorKind::Undefined`] in strict mode.
    pub fn render(&self, call: &RenderCall<'_>, out: &mut String) -> Result<(), RenderFailure> {
        let output = Output::new(out, call.limits.max_output);
        Run { call, context: Vec::new(), fuel: call.limits.fuel, output }.run(&self.steps)
    }
}

/// The steps of nodes; takes the insertions that lie in them out of `insertions`.
fn compile_nodes(nodes: &[Node], insertions: &mut &[&Insertion]) -> Result<Vec<Step>, SyntaxError> {
    let mut steps = Vec::with_capacity(nodes.len());
    for node in nodes {
        match &node.kind {
            NodeKind::Text(text) => compile_text(text, node.span, insertions, &mut steps),
            NodeKind::Output(expr) => steps.push(match &expr.kind {
                ExprKind::Filter { value, .. } => Step::Escaped(Path::of(value)),
                _ => Step::Raw(Path::of(expr)),
            }),
            NodeKind::Section(section) => {
                let subject = Path::of(&section.subject);
                let body = compile_nodes(&section.body, insertions)?;
                steps.push(match section.inverted {
                    true => Step::Inverted { subject, body },
                    false => Step::Section { subject, body },
                });
            }
            // The parser makes no other node than these and partials.
            _ => {
                let message = "partials are not available: a prompt is one file";
                return Err(SyntaxError::new(node.span, message)
                    .with_help("write the partial's text here, or give it as an input"));
            }
        }
    }
    Ok(steps)
}

fn compile_text(text: &str, span: Span, insertions: &mut &[&Insertion], steps: &mut Vec<Step>) {
    let mut rest = text;
    let mut position = span.start;
    while let [first, others @ ..] = *insertions {
        if first.offset > span.end {
            break;
        }
        *insertions = others;
        let Some((before, behind)) =
            first.offset.checked_sub(position).and_then(|length| rest.split_at_checked(length))
        else {
            continue;
        };
        if !before.is_empty() {
            steps.push(Step::Text(before.into()));
        }
        steps.push(Step::Nonce {
            before: first.before.as_str().into(),
            after: first.after.as_str().into(),
        });
        rest = behind;
        position = first.offset;
    }
    if !rest.is_empty() {
        steps.push(Step::Text(rest.into()));
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Found<'a> {
    Value(&'a Value),
    Placeholder(&'a Placeholder),
    /// Nothing; so many parts of the name stand for something.
    Missing(usize),
}

/// One render on its way.
struct Run<'a, 'o> {
    call: &'a RenderCall<'a>,
    /// The items and values of the sections around, the innermost last.
    context: Vec<&'a Value>,
    fuel: u64,
    output: Output<'o>,
}

impl<'a> Run<'a, '_> {
    fn run(&mut self, steps: &[Step]) -> Result<(), RenderFailure> {
        for step in steps {
            self.spend()?;
            match step {
                Step::Text(text) => self.write(text)?,
                Step::Nonce { before, after } => {
                    self.write(before)?;
                    self.write(self.call.nonce)?;
                    self.write(after)?;
                }
                Step::Escaped(path) => match self.find(path) {
                    Found::Value(value) => write!(self.output.escaping(), "{value}")
                        .map_err(|_| self.call.limits.too_long().at(path.span))?,
                    other => self.print(other, path)?,
                },
                Step::Raw(path) => self.print(self.find(path), path)?,
                Step::Section { subject, body } => self.section(subject, body)?,
                Step::Inverted { subject, body } => self.inverted(subject, body)?,
            }
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<(), RenderFailure> {
        self.fuel = self.fuel.checked_sub(1).ok_or_else(|| self.call.limits.out_of_fuel())?;
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), RenderFailure> {
        self.output.write_str(text).map_err(|_| self.call.limits.too_long())
    }

    /// Prints what a name stands for, as it is.
    fn print(&mut self, found: Found<'_>, path: &Path) -> Result<(), RenderFailure> {
        match found {
            Found::Value(value) => write!(self.output, "{value}")
                .map_err(|_| self.call.limits.too_long().at(path.span)),
            Found::Placeholder(placeholder) => {
                self.write(&placeholder.text).map_err(|failure| failure.at(path.span))
            }
            Found::Missing(known) => match self.call.undefined {
                Undefined::Empty => Ok(()),
                Undefined::Error => Err(undefined(path, known)),
            },
        }
    }

    fn section(&mut self, subject: &Path, body: &[Step]) -> Result<(), RenderFailure> {
        match self.find(subject) {
            Found::Missing(known) => self.allow_missing(subject, known),
            Found::Placeholder(placeholder) if placeholder.is_empty => Ok(()),
            Found::Placeholder(_) => self.run(body),
            Found::Value(Value::Array(items)) => {
                for item in items.iter() {
                    self.spend()?;
                    self.run_in(item, body, subject)?;
                }
                Ok(())
            }
            Found::Value(value) if value.is_true() => self.run_in(value, body, subject),
            Found::Value(_) => Ok(()),
        }
    }

    fn inverted(&mut self, subject: &Path, body: &[Step]) -> Result<(), RenderFailure> {
        let holds = match self.find(subject) {
            Found::Missing(known) => {
                self.allow_missing(subject, known)?;
                false
            }
            Found::Placeholder(placeholder) => !placeholder.is_empty,
            Found::Value(value) => value.is_true(),
        };
        if holds { Ok(()) } else { self.run(body) }
    }

    /// Runs steps with one more value for names to be looked up in.
    fn run_in(
        &mut self,
        value: &'a Value,
        body: &[Step],
        subject: &Path,
    ) -> Result<(), RenderFailure> {
        if self.context.len() >= self.call.limits.max_depth {
            return Err(self.call.limits.too_deep().at(subject.span));
        }
        self.context.push(value);
        let result = self.run(body);
        self.context.pop();
        result
    }

    /// Refuses, in strict mode, a section over an input that was not given.
    fn allow_missing(&self, subject: &Path, known: usize) -> Result<(), RenderFailure> {
        let may_lack_it = self.context.iter().any(|value| value.as_object().is_some());
        match self.call.undefined {
            Undefined::Error if known == 0 && !may_lack_it => Err(undefined(subject, known)),
            _ => Ok(()),
        }
    }

    /// The first part is looked up in all sections around, the others in what was found only.
    fn find(&self, path: &Path) -> Found<'a> {
        let Some((first, others)) = path.parts.split_first() else {
            return self.context.last().map_or(Found::Missing(0), |item| Found::Value(item));
        };
        let mut value = match self.find_first(first) {
            Found::Value(value) => value,
            Found::Placeholder(_) if !others.is_empty() => return Found::Missing(1),
            other => return other,
        };
        for (index, part) in others.iter().enumerate() {
            match part_of(value, part) {
                Some(inner) => value = inner,
                None => return Found::Missing(index + 1),
            }
        }
        Found::Value(value)
    }

    fn find_first(&self, name: &str) -> Found<'a> {
        if let Some(value) = self.context.iter().rev().find_map(|value| value.get(name)) {
            return Found::Value(value);
        }
        if let Some(found) = self.call.placeholders.iter().find(|found| found.name == name) {
            return Found::Placeholder(found);
        }
        self.call.inputs.get(name).map_or(Found::Missing(0), Found::Value)
    }
}

fn part_of<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

fn undefined(path: &Path, known: usize) -> RenderFailure {
    let name = path.shown();
    let (message, help) = match (path.parts.get(known), path.parts.get(..known)) {
        (Some(part), Some(found)) if known > 0 => (
            format!("`{name}` is undefined: `{}` has no `{part}`", found.join(".")),
            format!("give it a value, or print it only where it has one: `{{{{#{name}}}}}…`"),
        ),
        _ if path.parts.is_empty() => (
            "`.` is undefined: there is no section around it".to_owned(),
            "put it into a section, as in `{{#items}}{{.}}{{/items}}`".to_owned(),
        ),
        _ => (
            format!("`{name}` is undefined"),
            format!("give `{name}` a value, or declare it as an input with a default"),
        ),
    };
    RenderFailure::from(Error::new(ErrorKind::Undefined, message).with_help(help)).at(path.span)
}
