//! From the tree of a template to the steps that a render takes.

use super::call::compile_call;
use super::expressions::ExpressionCompiler;
use super::path::Path;
use super::program::{Block, Operation, Step, Steps, Subject};
use crate::engine::insertions::{LiteralPiece, PendingInsertions};
use crate::engine::{Extensions, Marks};
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::Boundaries;
use prompty_template::SyntaxError;
use prompty_template::message_tags::MessageCall;
use prompty_template::message_tags::pieces::TagPiece;
use prompty_template::tree::{
    ContextBlock, ContextKind, Expr, ExprKind, If, Name, Node, NodeKind, RecursivePartial, Target,
    Template,
};

/// How a name in a template is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameLookup {
    /// As in Mustache: first in the item or value of the innermost section, then in those around it,
    /// last in the inputs. Beyond Mustache, `list.0` is an item of a list, and empty texts, zero and
    /// empty maps are false as they are in the other template languages.
    Sections,
    /// As in Handlebars: the blocks around a name say where it is looked up.
    Blocks,
}

/// Makes the steps of a template.
pub(super) fn steps(
    template: &Template,
    marks: &Marks,
    extensions: &Extensions,
    names: NameLookup,
) -> Result<Steps, SyntaxError> {
    let (boundaries, outputs) = match marks {
        Marks::Boundaries(boundaries) => (boundaries, None),
        Marks::Fences(boundaries) => (boundaries, Some(0)),
    };
    let mut compiler = Compiler {
        boundaries,
        extensions,
        untaken: PendingInsertions::new(boundaries),
        outputs,
        open: Vec::new(),
        partials: Vec::new(),
        steps: Vec::new(),
        expressions: (names == NameLookup::Blocks)
            .then(|| ExpressionCompiler::new(&template.nodes, extensions)),
    };
    let main = compiler.nodes(&template.nodes)?;
    compiler.untaken.finish()?;
    let slot_count = compiler.expressions.as_ref().map_or(0, ExpressionCompiler::slot_count);
    Ok(Steps { main, partials: compiler.partials, slot_count })
}

struct Compiler<'m> {
    boundaries: &'m Boundaries,
    extensions: &'m Extensions,
    untaken: PendingInsertions<'m>,
    /// How many outputs there were, where they are fenced.
    outputs: Option<usize>,
    /// The partials around: their numbers in the tree, and their places among `partials`.
    open: Vec<(usize, usize)>,
    partials: Vec<Vec<Step>>,
    /// The steps of the body that is being compiled.
    steps: Vec<Step>,
    /// Present if names are looked up in blocks.
    expressions: Option<ExpressionCompiler<'m>>,
}

impl<'m> Compiler<'m> {
    fn nodes(&mut self, nodes: &'m [Node]) -> Result<Vec<Step>, SyntaxError> {
        let outer = std::mem::replace(&mut self.steps, Vec::with_capacity(nodes.len()));
        for node in nodes {
            if let Some(call) = self.boundaries.call_at(node.span) {
                self.message(node, call)?;
                continue;
            }
            match &node.kind {
                NodeKind::Text(text) => self.text(text, node.span),
                NodeKind::Output(expr) => self.output(expr)?,
                NodeKind::Section(section) => {
                    let subject = Path::from_expr(&section.subject);
                    let body = self.nodes(&section.body)?;
                    self.steps.push(match section.inverted {
                        true => Step::Inverted { subject, body },
                        false => Step::Section { subject, body },
                    });
                }
                NodeKind::RecursivePartial(partial) => {
                    let step = self.partial(partial, node.span)?;
                    self.steps.push(step);
                }
                NodeKind::Recursion { number, indentation } => {
                    let around = self.open.iter().rev().find(|(open, _)| open == number);
                    let Some((_, index)) = around else { return Err(not_run(node.span)) };
                    let (index, indentation) = (*index, indentation.clone());
                    self.steps.push(Step::Partial { index, indentation, span: node.span });
                }
                NodeKind::Indentation => self.steps.push(Step::Indentation),
                NodeKind::If(branching) => self.branches(branching, node.span)?,
                NodeKind::Context(block) => self.block(block, node.span)?,
                NodeKind::Set { target: Target::Name(name), value } => {
                    self.assignment(name, value, node.span)?;
                }
                NodeKind::CallBlock { .. } => {
                    let message = "a block of a message needs the parser `message-tags`";
                    let error = SyntaxError::new(node.span, message);
                    return Err(error.with_help("a line `user:` by itself opens a message"));
                }
                _ => return Err(not_run(node.span)),
            }
        }
        Ok(std::mem::replace(&mut self.steps, outer))
    }

    /// The branches of an `if`, one after the other. Each ends with a step that skips the others.
    fn branches(&mut self, branching: &'m If, span: TemplateSpan) -> Result<(), SyntaxError> {
        let mut parts = Vec::with_capacity(branching.branches.len());
        for (condition, body) in &branching.branches {
            let mut part = self.computed(condition, span)?;
            let body = self.nodes(body)?;
            part.push(Step::Compute(Operation::SkipUnlessTrue(body.len() + 1)));
            part.extend(body);
            parts.push(part);
        }
        let otherwise = branching.otherwise.as_deref().unwrap_or_default();
        let otherwise = self.nodes(otherwise)?;
        let mut left: usize =
            otherwise.len() + parts.iter().map(|part| part.len() + 1).sum::<usize>();
        for part in parts {
            left = left.saturating_sub(part.len() + 1);
            self.steps.extend(part);
            self.steps.push(Step::Skip(left));
        }
        self.steps.extend(otherwise);
        Ok(())
    }

    fn block(&mut self, block: &'m ContextBlock, span: TemplateSpan) -> Result<(), SyntaxError> {
        if !matches!(block.kind, ContextKind::Each | ContextKind::With | ContextKind::Section) {
            return Err(not_run(span));
        }
        self.steps.extend(self.computed(&block.subject, span)?);
        self.expressions.iter_mut().for_each(|it| it.enter(block));
        let body = self.nodes(&block.body)?;
        self.expressions.iter_mut().for_each(ExpressionCompiler::leave);
        let otherwise = self.nodes(&block.otherwise)?;
        let subject = Subject::of_expr(&block.subject);
        let block = Block { kind: block.kind, subject, body, otherwise };
        self.steps.push(Step::Block(Box::new(block)));
        Ok(())
    }

    fn assignment(
        &mut self,
        name: &Name,
        value: &Expr,
        span: TemplateSpan,
    ) -> Result<(), SyntaxError> {
        self.steps.extend(self.computed(value, span)?);
        let slot = self.expressions.as_ref().and_then(|it| it.slot(&name.text));
        self.steps.push(Step::Assign(slot.ok_or_else(|| not_run(span))?));
        Ok(())
    }

    /// The steps that push the value of an expression, which a node has.
    fn computed(&self, expr: &Expr, node: TemplateSpan) -> Result<Vec<Step>, SyntaxError> {
        let Some(expressions) = &self.expressions else { return Err(not_run(node)) };
        let mut steps = Vec::new();
        expressions.push(expr, &mut steps)?;
        Ok(steps)
    }

    fn partial(
        &mut self,
        partial: &'m RecursivePartial,
        span: TemplateSpan,
    ) -> Result<Step, SyntaxError> {
        let index = self.partials.len();
        self.partials.push(Vec::new());
        self.open.push((partial.number, index));
        let body = self.nodes(&partial.body)?;
        self.open.pop();
        if let Some(steps) = self.partials.get_mut(index) {
            *steps = body;
        }
        Ok(Step::Partial { index, indentation: partial.indentation.clone(), span })
    }

    /// A literal text, cut where markers take the nonce.
    fn text(&mut self, text: &str, span: TemplateSpan) {
        self.steps.extend(self.untaken.cut(text, span).into_iter().map(|part| match part {
            LiteralPiece::Text(text) => Step::Text(text),
            LiteralPiece::Nonce => Step::Nonce,
        }));
    }

    /// A call that marks where a message begins or ends, or a block that is a message.
    fn message(&mut self, node: &'m Node, call: &MessageCall) -> Result<(), SyntaxError> {
        // It counts as an output.
        self.outputs = self.outputs.map(|index| index + 1);
        self.tag(call.opening())?;
        if let NodeKind::CallBlock { caller, .. } = &node.kind {
            let body = self.nodes(&caller.body)?;
            self.steps.extend(body);
        }
        self.tag(call.closing())
    }

    fn tag(&mut self, pieces: Vec<TagPiece<&Expr>>) -> Result<(), SyntaxError> {
        for piece in pieces {
            match piece {
                TagPiece::Text(text) => self.steps.push(Step::Text(text.into())),
                TagPiece::Nonce => self.steps.push(Step::Nonce),
                TagPiece::Value(value) => self.written(value, true)?,
            }
        }
        Ok(())
    }

    fn output(&mut self, expr: &Expr) -> Result<(), SyntaxError> {
        let is_attribute =
            [expr, unescaped(expr)].iter().any(|it| self.boundaries.has_attribute_at(it.span));
        let Some(index) = self.outputs else { return self.written(expr, is_attribute) };
        self.outputs = Some(index + 1);
        self.steps.extend([Step::Nonce, Step::Text(format!(":{index};").into())]);
        self.written(expr, is_attribute)?;
        self.steps.extend([Step::Nonce, Step::Text(";".into())]);
        Ok(())
    }

    /// Adds the steps that write an expression, which may be in the attributes of a marker.
    fn written(&mut self, expr: &Expr, is_attribute: bool) -> Result<(), SyntaxError> {
        let print = |subject| match is_attribute {
            true => Step::PrintAttribute(subject),
            false => Step::Print(subject),
        };
        match (&expr.kind, &self.expressions) {
            (ExprKind::Literal(constant), _) => {
                let text = constant.to_string().into();
                let step = if is_attribute { Step::AttributeText(text) } else { Step::Text(text) };
                self.steps.push(step);
            }
            (_, Some(expressions)) => {
                expressions.push(expr, &mut self.steps)?;
                self.steps.push(print(Subject::of_expr(expr)));
            }
            (ExprKind::Function(function), _) => {
                self.steps.push(Step::Call(compile_call(function, expr.span, self.extensions)?));
                self.steps.push(print(Subject::of_expr(expr)));
            }
            _ if is_attribute => self.steps.push(Step::Attribute(Path::from_expr(unescaped(expr)))),
            (ExprKind::Filter { value, .. }, _) => {
                self.steps.push(Step::Escaped(Path::from_expr(value)));
            }
            _ => self.steps.push(Step::Raw(Path::from_expr(expr))),
        }
        Ok(())
    }
}

/// A printed value without its escaping.
fn unescaped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Filter { value, .. } => value,
        _ => expr,
    }
}

fn not_run(span: TemplateSpan) -> SyntaxError {
    SyntaxError::new(span, "no engine can run this")
}
