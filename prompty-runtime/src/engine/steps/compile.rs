//! From the tree of a template to the steps that a render takes.

use super::call::{Call, compile_call};
use super::path::Path;
use crate::engine::insertions::{LiteralPiece, PendingInsertions};
use crate::engine::{Extensions, Marks};
use prompty_core::diagnostic::Span;
use prompty_template::Boundaries;
use prompty_template::SyntaxError;
use prompty_template::message_tags::MessageCall;
use prompty_template::message_tags::pieces::TagPiece;
use prompty_template::tree::{
    Expr, ExprKind, Indentation, Node, NodeKind, RecursivePartial, Template,
};

/// A node of the tree, made ready to run.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Text(Box<str>),
    /// The digits of the render's nonce.
    Nonce,
    /// A value, HTML-escaped.
    Escaped(Path),
    /// A value as it is.
    Raw(Path),
    /// A value in the attributes of a role marker.
    Attribute(Path),
    /// A constant in the attributes of a role marker.
    AttributeText(Box<str>),
    /// What a function of the host gives.
    Call(Call),
    Section {
        subject: Path,
        body: Vec<Step>,
    },
    Inverted {
        subject: Path,
        body: Vec<Step>,
    },
    /// A partial that names itself, by its place among [`Steps::partials`].
    Partial {
        index: usize,
        indentation: Indentation,
        span: Span,
    },
    /// The indentation of the partial around.
    Indentation,
}

/// The steps of a template.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub(super) main: Vec<Step>,
    /// The steps of the partials that name themselves.
    pub(super) partials: Vec<Vec<Step>>,
}

/// Makes the steps of a template.
pub(super) fn steps(
    template: &Template,
    marks: &Marks,
    extensions: &Extensions,
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
    };
    let main = compiler.nodes(&template.nodes)?;
    compiler.untaken.finish()?;
    Ok(Steps { main, partials: compiler.partials })
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
}

impl Compiler<'_> {
    fn nodes(&mut self, nodes: &[Node]) -> Result<Vec<Step>, SyntaxError> {
        let mut steps = Vec::with_capacity(nodes.len());
        for node in nodes {
            if let Some(call) = self.boundaries.call_at(node.span) {
                self.message(node, call, &mut steps)?;
                continue;
            }
            match &node.kind {
                NodeKind::Text(text) => self.text(text, node.span, &mut steps),
                NodeKind::Output(expr) => self.output(expr, &mut steps)?,
                NodeKind::Section(section) => {
                    let subject = Path::from_expr(&section.subject);
                    let body = self.nodes(&section.body)?;
                    steps.push(match section.inverted {
                        true => Step::Inverted { subject, body },
                        false => Step::Section { subject, body },
                    });
                }
                NodeKind::RecursivePartial(partial) => {
                    steps.push(self.partial(partial, node.span)?);
                }
                NodeKind::Recursion { number, indentation } => {
                    let around = self.open.iter().rev().find(|(open, _)| open == number);
                    let Some((_, index)) = around else { return Err(not_run(node.span)) };
                    let (index, indentation) = (*index, indentation.clone());
                    steps.push(Step::Partial { index, indentation, span: node.span });
                }
                NodeKind::Indentation => steps.push(Step::Indentation),
                _ => return Err(not_run(node.span)),
            }
        }
        Ok(steps)
    }

    fn partial(&mut self, partial: &RecursivePartial, span: Span) -> Result<Step, SyntaxError> {
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
    fn text(&mut self, text: &str, span: Span, steps: &mut Vec<Step>) {
        steps.extend(self.untaken.cut(text, span).into_iter().map(|part| match part {
            LiteralPiece::Text(text) => Step::Text(text),
            LiteralPiece::Nonce => Step::Nonce,
        }));
    }

    /// A call that marks where a message begins or ends, or a block that is a message.
    fn message(
        &mut self,
        node: &Node,
        call: &MessageCall,
        steps: &mut Vec<Step>,
    ) -> Result<(), SyntaxError> {
        // It counts as an output.
        self.outputs = self.outputs.map(|index| index + 1);
        self.tag(call.opening(), steps)?;
        if let NodeKind::CallBlock { caller, .. } = &node.kind {
            let body = self.nodes(&caller.body)?;
            steps.extend(body);
        }
        self.tag(call.closing(), steps)
    }

    fn tag(&self, pieces: Vec<TagPiece<&Expr>>, steps: &mut Vec<Step>) -> Result<(), SyntaxError> {
        for piece in pieces {
            steps.push(match piece {
                TagPiece::Text(text) => Step::Text(text.into()),
                TagPiece::Nonce => Step::Nonce,
                TagPiece::Value(value) => self.written(value, true)?,
            });
        }
        Ok(())
    }

    fn output(&mut self, expr: &Expr, steps: &mut Vec<Step>) -> Result<(), SyntaxError> {
        let step = self.output_step(expr)?;
        let Some(index) = self.outputs else {
            steps.push(step);
            return Ok(());
        };
        self.outputs = Some(index + 1);
        let opening = Step::Text(format!(":{index};").into());
        steps.extend([Step::Nonce, opening, step, Step::Nonce, Step::Text(";".into())]);
        Ok(())
    }

    fn output_step(&self, expr: &Expr) -> Result<Step, SyntaxError> {
        let value = match &expr.kind {
            ExprKind::Filter { value, .. } => value,
            _ => expr,
        };
        let is_attribute = [expr, value].iter().any(|it| self.boundaries.has_attribute_at(it.span));
        self.written(expr, is_attribute)
    }

    /// What writes an expression, which may stand in the attributes of a marker.
    fn written(&self, expr: &Expr, is_attribute: bool) -> Result<Step, SyntaxError> {
        match &expr.kind {
            ExprKind::Function(function) => {
                compile_call(function, expr.span, is_attribute, self.extensions).map(Step::Call)
            }
            ExprKind::Literal(constant) => {
                let text = constant.to_string().into();
                Ok(if is_attribute { Step::AttributeText(text) } else { Step::Text(text) })
            }
            ExprKind::Filter { value, .. } => {
                let path = Path::from_expr(value);
                Ok(if is_attribute { Step::Attribute(path) } else { Step::Escaped(path) })
            }
            _ => {
                let path = Path::from_expr(expr);
                Ok(if is_attribute { Step::Attribute(path) } else { Step::Raw(path) })
            }
        }
    }
}

fn not_run(span: Span) -> SyntaxError {
    SyntaxError::new(span, "no engine can run this")
}
