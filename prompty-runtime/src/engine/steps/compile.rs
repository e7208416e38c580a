//! Compiles the tree of a template into steps.

use super::call::compile_call;
use super::expressions::ExpressionCompiler;
use super::path::NamePath;
use super::program::{Block, Operation, Step, StepProgram, Subject};
use crate::engine::insertions::{LiteralPiece, PendingInsertions};
use crate::engine::unsupported::UnsupportedConstruct;
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
    /// As in Mustache: from the innermost section outwards, and then in the inputs. In addition to
    /// Mustache, `list.0` is an item of a list. Empty strings, zero and empty maps are false, as in
    /// the other template languages.
    Sections,
    /// As in Handlebars: the enclosing blocks determine where a name is looked up.
    Blocks,
}

/// Compiles a template into steps.
pub(super) fn compile_steps(
    template: &Template,
    marks: &Marks,
    extensions: &Extensions,
    names: NameLookup,
) -> Result<StepProgram, SyntaxError> {
    let (boundaries, outputs) = match marks {
        Marks::Boundaries(boundaries) => (boundaries, None),
        Marks::Fences(boundaries) => (boundaries, Some(0)),
    };
    let mut compiler = StepCompiler {
        boundaries,
        extensions,
        insertions: PendingInsertions::new(boundaries),
        outputs,
        open_partials: Vec::new(),
        partials: Vec::new(),
        steps: Vec::new(),
        expressions: (names == NameLookup::Blocks)
            .then(|| ExpressionCompiler::new(&template.nodes, extensions)),
    };
    let main = compiler.compile_nodes(&template.nodes)?;
    compiler.insertions.finish()?;
    let slot_count = compiler.expressions.as_ref().map_or(0, ExpressionCompiler::slot_count);
    Ok(StepProgram { main, partials: compiler.partials, slot_count })
}

/// Compiles nodes. The methods `push_…` add steps to the body that is being compiled.
struct StepCompiler<'m> {
    boundaries: &'m Boundaries,
    extensions: &'m Extensions,
    insertions: PendingInsertions<'m>,
    /// The number of outputs so far, if outputs are fenced.
    outputs: Option<usize>,
    /// The enclosing partials: their numbers in the tree, and their indices in `partials`.
    open_partials: Vec<(usize, usize)>,
    partials: Vec<Vec<Step>>,
    /// The steps of the body that is being compiled.
    steps: Vec<Step>,
    /// Present if names are looked up in blocks.
    expressions: Option<ExpressionCompiler<'m>>,
}

impl<'m> StepCompiler<'m> {
    /// Compiles the nodes of a body, and returns its steps.
    fn compile_nodes(&mut self, nodes: &'m [Node]) -> Result<Vec<Step>, SyntaxError> {
        let outer = std::mem::replace(&mut self.steps, Vec::with_capacity(nodes.len()));
        for node in nodes {
            if let Some(call) = self.boundaries.call_at(node.span) {
                self.compile_message(node, call)?;
                continue;
            }
            match &node.kind {
                NodeKind::Text(text) => self.push_text(text, node.span),
                NodeKind::Output(expr) => self.compile_output(expr)?,
                NodeKind::Section(section) => {
                    let subject = NamePath::from_expr(&section.subject);
                    let body = self.compile_nodes(&section.body)?;
                    self.steps.push(match section.inverted {
                        true => Step::Inverted { subject, body },
                        false => Step::Section { subject, body },
                    });
                }
                NodeKind::RecursivePartial(partial) => {
                    let step = self.compile_partial(partial, node.span)?;
                    self.steps.push(step);
                }
                NodeKind::Recursion { number, indentation } => {
                    let enclosing =
                        self.open_partials.iter().rev().find(|(open, _)| open == number);
                    let Some((_, index)) = enclosing else { return Err(unsupported(node)) };
                    let (index, indentation) = (*index, indentation.clone());
                    self.steps.push(Step::Partial { index, indentation, span: node.span });
                }
                NodeKind::Indentation => self.steps.push(Step::Indentation),
                NodeKind::If(branching) => self.compile_if(branching, node)?,
                NodeKind::Context(block) => self.compile_block(block, node)?,
                NodeKind::Set { target: Target::Name(name), value } => {
                    self.compile_assignment(name, value, node)?;
                }
                NodeKind::CallBlock { .. } => {
                    let message = "a message block does not open a message in this prompt";
                    let error = SyntaxError::new(node.span, message);
                    return Err(error.with_help(
                        "set the parser `message-tags`, or open a message with a line such as `user:`",
                    ));
                }
                _ => return Err(unsupported(node)),
            }
        }
        Ok(std::mem::replace(&mut self.steps, outer))
    }

    /// Compiles the branches of an `if`. Each branch ends with a step that skips the others:
    ///
    /// ```text
    /// {{#if a}}A{{else}}B{{/if}}  =>  input a, skip 2 unless true, text A, skip 1, text B
    /// ```
    fn compile_if(&mut self, branching: &'m If, node: &Node) -> Result<(), SyntaxError> {
        let mut branches = Vec::with_capacity(branching.branches.len());
        for (condition, body) in &branching.branches {
            let mut branch = self.compile_value(condition, node)?;
            let body = self.compile_nodes(body)?;
            // The body and the step after it.
            branch.push(Step::Compute(Operation::SkipUnlessTrue(body.len() + 1)));
            branch.extend(body);
            branches.push(branch);
        }
        let otherwise = branching.otherwise.as_deref().unwrap_or_default();
        let otherwise = self.compile_nodes(otherwise)?;
        let mut steps_left: usize =
            otherwise.len() + branches.iter().map(|branch| branch.len() + 1).sum::<usize>();
        for branch in branches {
            steps_left = steps_left.saturating_sub(branch.len() + 1);
            self.steps.extend(branch);
            self.steps.push(Step::Skip(steps_left));
        }
        self.steps.extend(otherwise);
        Ok(())
    }

    /// Compiles a block of Handlebars. Its body, but not its `else`, is in the context of the
    /// subject.
    fn compile_block(&mut self, block: &'m ContextBlock, node: &Node) -> Result<(), SyntaxError> {
        if !matches!(block.kind, ContextKind::Each | ContextKind::With | ContextKind::Section) {
            return Err(unsupported(node));
        }
        self.steps.extend(self.compile_value(&block.subject, node)?);
        self.expressions.iter_mut().for_each(|it| it.enter(block));
        let body = self.compile_nodes(&block.body)?;
        self.expressions.iter_mut().for_each(ExpressionCompiler::leave);
        let otherwise = self.compile_nodes(&block.otherwise)?;
        let subject = Subject::from_expr(&block.subject);
        let block = Block { kind: block.kind, subject, body, otherwise };
        self.steps.push(Step::Block(Box::new(block)));
        Ok(())
    }

    /// Compiles an assignment to a name that has a slot.
    fn compile_assignment(
        &mut self,
        name: &Name,
        value: &Expr,
        node: &Node,
    ) -> Result<(), SyntaxError> {
        self.steps.extend(self.compile_value(value, node)?);
        let slot = self.expressions.as_ref().and_then(|it| it.slot(&name.text));
        self.steps.push(Step::Assign(slot.ok_or_else(|| unsupported(node))?));
        Ok(())
    }

    /// The steps that push the value of an expression of a node.
    fn compile_value(&self, expr: &Expr, node: &Node) -> Result<Vec<Step>, SyntaxError> {
        let Some(expressions) = &self.expressions else { return Err(unsupported(node)) };
        let mut steps = Vec::new();
        expressions.push_value(expr, &mut steps)?;
        Ok(steps)
    }

    /// Compiles a partial that contains itself. Inside its body, a [`NodeKind::Recursion`] refers
    /// to it by its number, so its index is known before its steps are.
    fn compile_partial(
        &mut self,
        partial: &'m RecursivePartial,
        span: TemplateSpan,
    ) -> Result<Step, SyntaxError> {
        let index = self.partials.len();
        self.partials.push(Vec::new());
        self.open_partials.push((partial.number, index));
        let body = self.compile_nodes(&partial.body)?;
        self.open_partials.pop();
        if let Some(steps) = self.partials.get_mut(index) {
            *steps = body;
        }
        Ok(Step::Partial { index, indentation: partial.indentation.clone(), span })
    }

    /// Adds literal text, split where role markers have the nonce.
    fn push_text(&mut self, text: &str, span: TemplateSpan) {
        self.steps.extend(self.insertions.cut(text, span).into_iter().map(|part| match part {
            LiteralPiece::Text(text) => Step::Text(text),
            LiteralPiece::Nonce => Step::Nonce,
        }));
    }

    /// Compiles a call that marks the start or end of a message, or a message block.
    fn compile_message(&mut self, node: &'m Node, call: &MessageCall) -> Result<(), SyntaxError> {
        // The call counts as an output.
        self.outputs = self.outputs.map(|index| index + 1);
        self.push_tag(call.opening())?;
        if let NodeKind::CallBlock { caller, .. } = &node.kind {
            let body = self.compile_nodes(&caller.body)?;
            self.steps.extend(body);
        }
        self.push_tag(call.closing())
    }

    /// Adds the steps that write a message tag.
    fn push_tag(&mut self, pieces: Vec<TagPiece<&Expr>>) -> Result<(), SyntaxError> {
        for piece in pieces {
            match piece {
                TagPiece::Text(text) => self.steps.push(Step::Text(text.into())),
                TagPiece::Nonce => self.steps.push(Step::Nonce),
                TagPiece::Value(value) => self.push_value(value, true)?,
            }
        }
        Ok(())
    }

    /// Compiles an output. For renders to segments it is fenced: see [`Marks::Fences`].
    fn compile_output(&mut self, expr: &Expr) -> Result<(), SyntaxError> {
        let is_attribute = [expr, without_escaping(expr)]
            .iter()
            .any(|it| self.boundaries.has_attribute_at(it.span));
        let Some(index) = self.outputs else { return self.push_value(expr, is_attribute) };
        self.outputs = Some(index + 1);
        self.steps.extend([Step::Nonce, Step::Text(format!(":{index};").into())]);
        self.push_value(expr, is_attribute)?;
        self.steps.extend([Step::Nonce, Step::Text(";".into())]);
        Ok(())
    }

    /// Adds the steps that write an expression. It may be in the attributes of a role marker.
    fn push_value(&mut self, expr: &Expr, is_attribute: bool) -> Result<(), SyntaxError> {
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
                expressions.push_value(expr, &mut self.steps)?;
                self.steps.push(print(Subject::from_expr(expr)));
            }
            (ExprKind::Function(function), _) => {
                self.steps.push(Step::Call(compile_call(function, expr.span, self.extensions)?));
                self.steps.push(print(Subject::from_expr(expr)));
            }
            // The names of Mustache. Its filter escapes HTML.
            _ if is_attribute => {
                self.steps.push(Step::Attribute(NamePath::from_expr(without_escaping(expr))));
            }
            (ExprKind::Filter { value, .. }, _) => {
                self.steps.push(Step::Escaped(NamePath::from_expr(value)));
            }
            _ => self.steps.push(Step::Raw(NamePath::from_expr(expr))),
        }
        Ok(())
    }
}

/// The expression without an escaping filter.
fn without_escaping(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Filter { value, .. } => value,
        _ => expr,
    }
}

fn unsupported(node: &Node) -> SyntaxError {
    UnsupportedConstruct::from_node(node).into()
}
