//! Renders to pieces that say where they come from.

use std::sync::LazyLock;

use regex::Regex;

use crate::error::{Error, ErrorKind};
use crate::template::{RenderFailure, Scope};

#[cfg(feature = "jinja2")]
use crate::template::{
    Extensions, RenderLimits, Undefined,
    ast::{Expr, ExprKind},
    jinja::{self, JinjaTemplate},
    walk,
};

/// A piece of a rendered prompt. The texts of all pieces, joined, are the rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a piece of a rendered prompt comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The template's own text. Only this may hold role markers.
    Literal,
    /// The value of an expression.
    Interpolated {
        /// The input or variable that the expression begins with, if there is one.
        source: Option<String>,
        /// Whether that input is declared `strict`.
        strict: bool,
    },
}

/// A template compiled for renders to segments.
#[derive(Debug)]
pub(super) struct SegmentTemplate {
    #[cfg(feature = "jinja2")]
    template: JinjaTemplate,
    /// The root variable of each output, in the order of the tree.
    sources: Vec<Option<String>>,
}

/// A line that begins as a role marker does, whatever follows (the draft's segments).
static ROLE_PREFIX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?im)^\s*(system|user|assistant|developer)\s*:").ok());

#[cfg(feature = "jinja2")]
impl SegmentTemplate {
    /// `None` where the text cannot be compiled; the pipeline has said so before.
    pub(super) fn compile(
        text: &str,
        extensions: &Extensions,
        limits: RenderLimits,
        undefined: Undefined,
    ) -> Option<Self> {
        let tree = jinja::syntax::parse(text).ok()?;
        let template = JinjaTemplate::compile_fenced(text, extensions, limits, undefined).ok()?;
        let mut sources = Vec::new();
        walk::direct_outputs(&tree.nodes, &mut |output| sources.push(root_of(output)));
        Some(Self { template, sources })
    }

    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        self.template.render(scope)
    }
}

#[cfg(not(feature = "jinja2"))]
impl SegmentTemplate {
    fn render(&self, _: Scope<'_>) -> Result<String, RenderFailure> {
        Ok(String::new())
    }
}

/// The variable that an expression begins with.
#[cfg(feature = "jinja2")]
fn root_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(name.clone()),
        ExprKind::Attribute { value, .. }
        | ExprKind::Index { value, .. }
        | ExprKind::Slice { value, .. }
        | ExprKind::Filter { value, .. }
        | ExprKind::Test { value, .. }
        | ExprKind::Method { value, .. }
        | ExprKind::Conditional { value, .. } => root_of(value),
        ExprKind::Unary { operand, .. } => root_of(operand),
        ExprKind::Binary { left, right, .. } => root_of(left).or_else(|| root_of(right)),
        _ => None,
    }
}

/// Renders and cuts the text at its fences.
pub(super) fn render(
    template: &SegmentTemplate,
    scope: Scope<'_>,
    strict: &[&str],
) -> Result<Vec<Segment>, RenderFailure> {
    let text = template.render(scope)?;
    let mut segments = Segments { list: Vec::new() };
    // Fences come in pairs, so every other piece between them is an output's text.
    let mut pieces = text.split(scope.nonce).enumerate();
    if let Some((_, first)) = pieces.next() {
        segments.literal(first);
    }
    for (number, piece) in pieces {
        let (index, text) =
            piece.strip_prefix(':').and_then(|piece| piece.split_once(';')).unwrap_or(("", piece));
        if number % 2 == 0 {
            segments.literal(text);
            continue;
        }
        let index: usize = index.parse().unwrap_or(usize::MAX);
        let source = template.sources.get(index).cloned().flatten();
        let strict = source.as_deref().is_some_and(|source| strict.contains(&source));
        if strict && ROLE_PREFIX.as_ref().is_some_and(|expression| expression.is_match(text)) {
            return Err(violation(source.as_deref().unwrap_or_default()).into());
        }
        let origin = Origin::Interpolated { source, strict };
        segments.list.push(Segment { text: text.to_owned(), origin });
    }
    Ok(segments.list)
}

fn violation(input: &str) -> Error {
    let message = format!("input `{input}` is strict and holds a line that opens a role");
    Error::new(ErrorKind::StrictViolation, message)
        .with_help("refuse the input, or do not declare it `strict`")
}

struct Segments {
    list: Vec<Segment>,
}

impl Segments {
    /// Adds literal text, joined to literal text before it.
    fn literal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some(Segment { text: last, origin: Origin::Literal }) => last.push_str(text),
            _ => self.list.push(Segment { text: text.to_owned(), origin: Origin::Literal }),
        }
    }
}
