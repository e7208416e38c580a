//! From the tree of a template to a template of the `handlebars` crate.
//!
//! The crate's template holds the texts and the blocks. Everything that has a value is a call of one helper,
//! which gets the number of a [`Step`]: names, constants and helpers are then looked up in the values that
//! the host gave, which JSON could not hold byte for byte.

use std::collections::HashMap;

use handlebars::template::{ExpressionSpecBuilder, HelperTemplate, Parameter, TemplateElement};
use handlebars::{JsonValue, Template as Compiled};

use crate::engine::Marks;
use crate::engine::insertions::{LiteralPiece, PendingInsertions};
use prompty_core::diagnostic::Span;
use prompty_template::Boundaries;
use prompty_template::SyntaxError;
use prompty_template::message_tags::MessageCall;
use prompty_template::message_tags::pieces::TagPiece;
use prompty_template::tree::{
    ContextBlock, ContextKind, Expr, If, Node, NodeKind, Target, Template,
};

/// The name of the one helper.
pub(super) const STEP: &str = "step";

/// What the helper does at a place.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The digits of the render's nonce.
    Nonce,
    /// A value.
    Print(Expr),
    /// A value in the attributes of a role marker.
    Attribute(Expr),
    /// The first of the template's bodies whose condition holds, or the inverse template.
    Choose(Vec<Expr>),
    /// The template for each value, or the inverse template.
    Enter { kind: ContextKind, subject: Expr, parameters: Vec<Box<str>> },
    /// A name for a value.
    Set { name: Box<str>, value: Expr },
}

/// A template, and what the helper does in it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) template: Compiled,
    pub(super) steps: Vec<Step>,
}

/// Makes a program of a tree.
pub(super) fn program(template: &Template, marks: &Marks) -> Result<Program, SyntaxError> {
    let (boundaries, outputs) = match marks {
        Marks::Boundaries(boundaries) => (boundaries, None),
        Marks::Fences(boundaries) => (boundaries, Some(0)),
    };
    let untaken = PendingInsertions::new(boundaries);
    let mut compiler = Compiler { boundaries, untaken, outputs, steps: Vec::new() };
    let template = compiler.body(&template.nodes)?;
    compiler.untaken.finish()?;
    Ok(Program { template, steps: compiler.steps })
}

struct Compiler<'m> {
    boundaries: &'m Boundaries,
    untaken: PendingInsertions<'m>,
    /// How many outputs there were, where they are fenced.
    outputs: Option<usize>,
    steps: Vec<Step>,
}

impl Compiler<'_> {
    fn body(&mut self, nodes: &[Node]) -> Result<Compiled, SyntaxError> {
        let mut body = Compiled::new();
        for node in nodes {
            match self.boundaries.call_at(node.span) {
                Some(call) => self.message(node, call, &mut body.elements)?,
                None => self.node(node, &mut body.elements)?,
            }
        }
        Ok(body)
    }

    fn node(&mut self, node: &Node, body: &mut Vec<TemplateElement>) -> Result<(), SyntaxError> {
        match &node.kind {
            NodeKind::Text(text) => {
                for part in self.untaken.cut(text, node.span) {
                    body.push(match part {
                        LiteralPiece::Text(text) => TemplateElement::RawString(text.into()),
                        LiteralPiece::Nonce => self.expression(Step::Nonce, node.span)?,
                    });
                }
            }
            NodeKind::Output(expr) => self.output(expr, body)?,
            NodeKind::If(branching) => body.push(self.choose(branching, node.span)?),
            NodeKind::Context(block) => body.push(self.enter(block, node.span)?),
            NodeKind::Set { target: Target::Name(name), value } => {
                let step = Step::Set { name: name.text.as_str().into(), value: value.clone() };
                body.push(self.expression(step, node.span)?);
            }
            NodeKind::CallBlock { .. } => {
                let message = "a block of a message needs the parser `message-tags`";
                let error = SyntaxError::new(node.span, message);
                return Err(error.with_help("a line `user:` by itself opens a message"));
            }
            _ => return Err(SyntaxError::new(node.span, "no engine can run this")),
        }
        Ok(())
    }

    /// A call that marks where a message begins or ends, or a block that is a message.
    fn message(
        &mut self,
        node: &Node,
        call: &MessageCall,
        body: &mut Vec<TemplateElement>,
    ) -> Result<(), SyntaxError> {
        // It counts as an output.
        self.outputs = self.outputs.map(|index| index + 1);
        self.tag(node.span, call.opening(), body)?;
        if let NodeKind::CallBlock { caller, .. } = &node.kind {
            body.extend(self.body(&caller.body)?.elements);
        }
        self.tag(node.span, call.closing(), body)
    }

    fn tag(
        &mut self,
        span: Span,
        pieces: Vec<TagPiece<&Expr>>,
        body: &mut Vec<TemplateElement>,
    ) -> Result<(), SyntaxError> {
        for piece in pieces {
            body.push(match piece {
                TagPiece::Text(text) => TemplateElement::RawString(text),
                TagPiece::Nonce => self.expression(Step::Nonce, span)?,
                TagPiece::Value(value) => {
                    self.expression(Step::Attribute(value.clone()), value.span)?
                }
            });
        }
        Ok(())
    }

    fn output(&mut self, expr: &Expr, body: &mut Vec<TemplateElement>) -> Result<(), SyntaxError> {
        let step = match self.boundaries.has_attribute_at(expr.span) {
            true => Step::Attribute(expr.clone()),
            false => Step::Print(expr.clone()),
        };
        let Some(index) = self.outputs else {
            body.push(self.expression(step, expr.span)?);
            return Ok(());
        };
        self.outputs = Some(index + 1);
        body.push(self.expression(Step::Nonce, expr.span)?);
        body.push(TemplateElement::RawString(format!(":{index};")));
        body.push(self.expression(step, expr.span)?);
        body.push(self.expression(Step::Nonce, expr.span)?);
        body.push(TemplateElement::RawString(";".to_owned()));
        Ok(())
    }

    fn choose(&mut self, branching: &If, span: Span) -> Result<TemplateElement, SyntaxError> {
        let conditions =
            branching.branches.iter().map(|(condition, _)| condition.clone()).collect();
        let mut call = self.call(Step::Choose(conditions), true, span)?;
        let mut bodies = Compiled::new();
        for (_, body) in &branching.branches {
            // A helper that is never called: it only holds the body.
            let mut holder = helper(0, true, span)?;
            holder.template = Some(self.body(body)?);
            bodies.elements.push(TemplateElement::HelperBlock(Box::new(holder)));
        }
        call.template = Some(bodies);
        call.inverse = branching.otherwise.as_ref().map(|body| self.body(body)).transpose()?;
        Ok(TemplateElement::HelperBlock(Box::new(call)))
    }

    fn enter(&mut self, block: &ContextBlock, span: Span) -> Result<TemplateElement, SyntaxError> {
        let step = Step::Enter {
            kind: block.kind,
            subject: block.subject.clone(),
            parameters: block.parameters.iter().map(|name| name.text.as_str().into()).collect(),
        };
        let mut call = self.call(step, true, span)?;
        call.template = Some(self.body(&block.body)?);
        call.inverse = Some(self.body(&block.otherwise)?);
        Ok(TemplateElement::HelperBlock(Box::new(call)))
    }

    fn expression(&mut self, step: Step, span: Span) -> Result<TemplateElement, SyntaxError> {
        Ok(TemplateElement::Expression(Box::new(self.call(step, false, span)?)))
    }

    fn call(
        &mut self,
        step: Step,
        is_block: bool,
        span: Span,
    ) -> Result<HelperTemplate, SyntaxError> {
        self.steps.push(step);
        helper(self.steps.len() - 1, is_block, span)
    }
}

/// A call of the one helper.
fn helper(step: usize, is_block: bool, span: Span) -> Result<HelperTemplate, SyntaxError> {
    let call = ExpressionSpecBuilder::default()
        .name(Parameter::Name(STEP.to_owned()))
        .params(vec![Parameter::Literal(JsonValue::from(step))])
        .hash(HashMap::new())
        .omit_pre_ws(false)
        .omit_pro_ws(false)
        .build();
    match call {
        Ok(call) => Ok(HelperTemplate::new(call, is_block, false)),
        Err(error) => Err(SyntaxError::new(span, error.to_string())),
    }
}
