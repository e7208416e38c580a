//! Compiles a template's tree to a [`Program`]: names become numbers; filters are looked up. Each
//! method of the compiler is named after the node that it compiles.

use std::sync::Arc;

use super::functions;
use super::program::{
    self, Argument, BOUND, Expr, ExprKind, Filter, Loop, Macro, NameId, Program, SpecialReads,
    Statement, Target,
};
use super::run::MAX_NESTED_STEPS;
use super::table::Entry;
use super::value::Function;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::ordered_map::OrderedMap;
use prompty_template::SyntaxError;
use prompty_template::tree::{self, BinaryOperator, Call, Node, NodeKind, Template, UnaryOperator};

type Result<T> = std::result::Result<T, SyntaxError>;

/// Compiles a template.
///
/// # Errors
///
/// Returns an error if an expression is nested too deeply or if a feature is not available.
pub(super) fn compile(template: &Template) -> Result<Program> {
    let names = BOUND.into_iter().map(Arc::from).zip(0..).collect();
    let mut compiler = Compiler { names, ..Compiler::default() };
    let body = compiler.statements(&template.nodes)?;
    let Compiler { names, macros, loops, .. } = compiler;
    let functions = names.keys().map(|name| Function::named(name)).collect();
    Ok(Program { body, names: names.into_keys().collect(), functions, macros, loops })
}

#[derive(Default)]
struct Compiler {
    /// The names, each with its number.
    names: OrderedMap<Arc<str>, usize>,
    macros: Vec<Macro>,
    loops: Vec<Loop>,
    /// The number of blocks and expressions that are being compiled. It has the limit of the steps
    /// of a render.
    depth: usize,
    /// The special variables that the current macro reads.
    reads: SpecialReads,
}

impl Compiler {
    /// The number of a name, which may be new.
    fn name(&mut self, name: &str) -> NameId {
        let next = self.names.len();
        index(*self.names.get_or_insert_with(name.into(), || next))
    }

    fn statements(&mut self, nodes: &[Node]) -> Result<Vec<Statement>> {
        let mut statements = Vec::with_capacity(nodes.len());
        self.depth += 1;
        for node in nodes {
            statements.push(self.statement(node)?);
        }
        self.depth -= 1;
        Ok(statements)
    }

    /// Compiles a statement. Each kind has a separate function, as in [`kind`](Self::kind).
    fn statement(&mut self, node: &Node) -> Result<Statement> {
        match &node.kind {
            NodeKind::Text(text) => Ok(Statement::Text(text.as_str().into())),
            NodeKind::Output(value) => self.expr(value).map(Statement::Output),
            NodeKind::Do(value) => self.expr(value).map(Statement::Do),
            NodeKind::If(branching) => self.if_statement(branching),
            NodeKind::For(repeated) => self.for_statement(repeated),
            NodeKind::Set { target, value } => self.set(target, value, node.span),
            NodeKind::SetBlock { target, filters, body } => {
                self.set_block(target, filters, body, node.span)
            }
            NodeKind::With { bindings, body } => self.with(bindings, body, node.span),
            NodeKind::FilterBlock { filters, body } => self.filter_block(filters, body),
            NodeKind::Macro(declared) => self.macro_statement(declared),
            NodeKind::CallBlock { call, caller } => self.call_block(call, caller),
            NodeKind::Break => Ok(Statement::Break),
            NodeKind::Continue => Ok(Statement::Continue),
            NodeKind::Scope { body, .. } | NodeKind::Block { body, .. } => {
                self.with(&[], body, node.span)
            }
            _ => Err(unavailable(node.span, "this tag")),
        }
    }

    fn if_statement(&mut self, branching: &tree::If) -> Result<Statement> {
        let mut branches = Vec::with_capacity(branching.branches.len());
        for (test, body) in &branching.branches {
            let test = self.expr(test)?;
            branches.push((test, self.statements(body)?));
        }
        let otherwise = branching.otherwise.as_deref().unwrap_or_default();
        self.statements(otherwise).map(|otherwise| Statement::If { branches, otherwise })
    }

    fn for_statement(&mut self, repeated: &tree::For) -> Result<Statement> {
        let id = self.add_loop(repeated)?;
        let body = self.statements(&repeated.body)?;
        let otherwise = self.statements(&repeated.otherwise)?;
        if let Some(looped) = self.loops.get_mut(id) {
            (looped.body, looped.otherwise) = (body, otherwise);
        }
        Ok(Statement::For(index(id)))
    }

    /// Adds a loop without its bodies. Returns its index.
    fn add_loop(&mut self, repeated: &tree::For) -> Result<usize> {
        let target = self.target(&repeated.target, repeated.iterable.span)?;
        let iterable = self.expr(&repeated.iterable)?;
        let condition = repeated.condition.as_ref().map(|it| self.expr(it)).transpose()?;
        let (recursive, body, otherwise) = (repeated.recursive, Vec::new(), Vec::new());
        self.loops.push(Loop { target, iterable, condition, recursive, body, otherwise });
        Ok(self.loops.len() - 1)
    }

    fn set(
        &mut self,
        target: &tree::Target,
        value: &tree::Expr,
        tag: TemplateSpan,
    ) -> Result<Statement> {
        Ok(Statement::Set { target: self.target(target, tag)?, value: self.expr(value)? })
    }

    fn set_block(
        &mut self,
        target: &tree::Target,
        filters: &[Call],
        body: &[Node],
        tag: TemplateSpan,
    ) -> Result<Statement> {
        let target = self.target(target, tag)?;
        let filters = self.filters(filters)?;
        self.statements(body).map(|body| Statement::SetBlock { target, filters, body })
    }

    fn with(
        &mut self,
        bindings: &[(tree::Target, tree::Expr)],
        body: &[Node],
        tag: TemplateSpan,
    ) -> Result<Statement> {
        let bindings = bindings
            .iter()
            .map(|(target, value)| Ok((self.target(target, tag)?, self.expr(value)?)))
            .collect::<Result<Vec<_>>>()?;
        self.statements(body).map(|body| Statement::With { bindings, body })
    }

    fn filter_block(&mut self, filters: &[Call], body: &[Node]) -> Result<Statement> {
        let filters = self.filters(filters)?;
        self.statements(body).map(|body| Statement::FilterBlock { filters, body })
    }

    fn call_block(&mut self, call: &tree::Expr, caller: &tree::Macro) -> Result<Statement> {
        let parameters = self.parameters(caller)?;
        let call = self.expr(call)?;
        self.finish_macro(caller, parameters).map(|caller| Statement::CallBlock { call, caller })
    }

    fn filters(&mut self, filters: &[Call]) -> Result<Vec<Filter>> {
        filters.iter().map(|filter| self.filter(filter)).collect()
    }

    fn filter(&mut self, call: &Call) -> Result<Filter> {
        self.call(call, functions::filter(&call.name.text))
    }

    fn call<F>(
        &mut self,
        call: &Call,
        function: Option<&'static Entry<F>>,
    ) -> Result<program::Call<F>> {
        Ok(program::Call {
            name: call.name.text.as_str().into(),
            function,
            arguments: self.arguments(&call.arguments)?,
            at: start(call.name.span),
        })
    }

    /// The parameters of a macro, with the defaults of the last ones.
    fn parameters(&mut self, declared: &tree::Macro) -> Result<Vec<(NameId, Option<Expr>)>> {
        let required = declared.parameters.len().saturating_sub(declared.defaults.len());
        let defaults = declared.defaults.iter().map(Some);
        let defaults = std::iter::repeat_n(None, required).chain(defaults);
        declared
            .parameters
            .iter()
            .zip(defaults)
            .map(|(name, default)| {
                let id = self.name(&name.text);
                Ok((id, default.map(|default| self.expr(default)).transpose()?))
            })
            .collect()
    }

    fn macro_statement(&mut self, declared: &tree::Macro) -> Result<Statement> {
        let parameters = self.parameters(declared)?;
        self.finish_macro(declared, parameters).map(Statement::Macro)
    }

    /// Compiles the body of a macro, and adds the macro to the program. The body of a `call` block
    /// is a macro, too.
    fn finish_macro(
        &mut self,
        declared: &tree::Macro,
        parameters: Vec<(NameId, Option<Expr>)>,
    ) -> Result<u32> {
        let name = self.name(&declared.name.text);
        let outer_reads = std::mem::take(&mut self.reads);
        let body = self.statements(&declared.body)?;
        let reads = self.reads;
        // As in Jinja, the surrounding macro also reads what this one reads.
        self.reads.varargs |= outer_reads.varargs;
        self.reads.kwargs |= outer_reads.kwargs;
        let id = index(self.macros.len());
        self.macros.push(Macro { name, parameters, body, reads });
        Ok(id)
    }

    /// Compiles an assignment target. `tag` is the span of the tag that assigns.
    fn target(&mut self, target: &tree::Target, tag: TemplateSpan) -> Result<Target> {
        Ok(match target {
            tree::Target::Name(name) => Target::Name(self.name(&name.text)),
            tree::Target::Tuple(targets) => {
                let targets = targets.iter().map(|target| self.target(target, tag));
                Target::Tuple(targets.collect::<Result<_>>()?)
            }
            tree::Target::Attribute(place) => {
                let tree::ExprKind::Attribute { value, name } = &place.kind else {
                    return Err(no_target(place.span));
                };
                let tree::ExprKind::Variable(namespace) = &value.kind else {
                    return Err(no_target(name.span));
                };
                let namespace = self.name(namespace);
                Target::Attribute {
                    namespace,
                    name: name.text.as_str().into(),
                    at: start(place.span),
                }
            }
            _ => return Err(unavailable(tag, "this form of assignment")),
        })
    }

    fn expr(&mut self, expr: &tree::Expr) -> Result<Expr> {
        self.depth += 1;
        if self.depth > MAX_NESTED_STEPS {
            return Err(too_long(expr.span));
        }
        let kind = self.kind(expr)?;
        self.depth -= 1;
        Ok(Expr { kind, at: start(error_place(expr)) })
    }

    fn boxed(&mut self, expr: &tree::Expr) -> Result<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn exprs<'t>(&mut self, exprs: impl IntoIterator<Item = &'t tree::Expr>) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    /// A variable that is read.
    fn variable(&mut self, name: &str) -> ExprKind {
        self.reads.varargs |= name == "varargs";
        self.reads.kwargs |= name == "kwargs";
        ExprKind::Name(self.name(name))
    }

    /// Compiles the kind of an expression. Each kind has a separate function. Then the stack frame
    /// that is active while an operand is compiled stays small.
    fn kind(&mut self, expr: &tree::Expr) -> Result<ExprKind> {
        match &expr.kind {
            tree::ExprKind::Variable(name) => Ok(self.variable(name)),
            tree::ExprKind::Literal(value) => Ok(ExprKind::Literal(value.clone())),
            tree::ExprKind::Attribute { value, name } => self.attribute(value, name),
            tree::ExprKind::Index { value, index } => self.item(value, index),
            tree::ExprKind::Slice { value, bounds } => self.slice(value, bounds),
            tree::ExprKind::Unary { operator, operand } => self.unary(*operator, operand),
            // All parts are joined in one step.
            tree::ExprKind::Binary { operator: BinaryOperator::Concatenate, .. } => {
                self.exprs(concatenated(expr)).map(ExprKind::Concatenate)
            }
            tree::ExprKind::Binary { operator, left, right } => self.binary(*operator, left, right),
            tree::ExprKind::Comparison { first, rest } => self.comparison(first, rest),
            tree::ExprKind::Conditional { condition, value, otherwise } => {
                self.conditional(condition, value, otherwise.as_deref())
            }
            tree::ExprKind::Filter { value, call } => self.filter_expr(value, call),
            tree::ExprKind::Test { value, call } => self.test_expr(value, call),
            tree::ExprKind::Function(call) => self.function(call),
            tree::ExprKind::Method { value, call } => self.method(value, call),
            tree::ExprKind::Invocation { value, arguments } => self.invocation(value, arguments),
            tree::ExprKind::List(items) => self.exprs(items).map(ExprKind::List),
            tree::ExprKind::Tuple(items) => self.exprs(items).map(ExprKind::Tuple),
            tree::ExprKind::Map(entries) => self.dict(entries),
            _ => Err(unavailable(expr.span, "this kind of expression")),
        }
    }

    fn attribute(&mut self, value: &tree::Expr, name: &tree::Name) -> Result<ExprKind> {
        Ok(ExprKind::Attribute(self.boxed(value)?, name.text.as_str().into()))
    }

    fn item(&mut self, value: &tree::Expr, index: &tree::Expr) -> Result<ExprKind> {
        Ok(ExprKind::Item(self.boxed(value)?, self.boxed(index)?))
    }

    fn slice(
        &mut self,
        value: &tree::Expr,
        bounds: &[Option<Box<tree::Expr>>; 3],
    ) -> Result<ExprKind> {
        let value = self.boxed(value)?;
        let mut numbers = Box::new([None, None, None]);
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            *number = bound.as_deref().map(|bound| self.expr(bound)).transpose()?;
        }
        Ok(ExprKind::Slice(value, numbers))
    }

    fn comparison(
        &mut self,
        first: &tree::Expr,
        rest: &[(BinaryOperator, tree::Expr)],
    ) -> Result<ExprKind> {
        let first = self.boxed(first)?;
        let rest: Result<Vec<_>> =
            rest.iter().map(|(operator, operand)| Ok((*operator, self.expr(operand)?))).collect();
        Ok(ExprKind::Compare(first, rest?))
    }

    fn conditional(
        &mut self,
        condition: &tree::Expr,
        value: &tree::Expr,
        otherwise: Option<&tree::Expr>,
    ) -> Result<ExprKind> {
        Ok(ExprKind::Conditional {
            value: self.boxed(value)?,
            condition: self.boxed(condition)?,
            otherwise: otherwise.map(|it| self.boxed(it)).transpose()?,
        })
    }

    fn filter_expr(&mut self, value: &tree::Expr, call: &Call) -> Result<ExprKind> {
        Ok(ExprKind::Filter(self.boxed(value)?, Box::new(self.filter(call)?)))
    }

    fn test_expr(&mut self, value: &tree::Expr, call: &Call) -> Result<ExprKind> {
        let value = self.boxed(value)?;
        let test = self.call(call, functions::test(&call.name.text))?;
        Ok(ExprKind::Test(value, Box::new(test)))
    }

    fn function(&mut self, call: &Call) -> Result<ExprKind> {
        let callee = Expr { kind: self.variable(&call.name.text), at: start(call.name.span) };
        Ok(ExprKind::Invocation(Box::new(callee), self.arguments(&call.arguments)?))
    }

    fn method(&mut self, value: &tree::Expr, call: &Call) -> Result<ExprKind> {
        let callee = ExprKind::Attribute(self.boxed(value)?, call.name.text.as_str().into());
        let callee = Box::new(Expr { kind: callee, at: start(call.name.span) });
        Ok(ExprKind::Invocation(callee, self.arguments(&call.arguments)?))
    }

    fn invocation(&mut self, value: &tree::Expr, arguments: &[tree::Argument]) -> Result<ExprKind> {
        Ok(ExprKind::Invocation(self.boxed(value)?, self.arguments(arguments)?))
    }

    fn dict(&mut self, entries: &[(tree::Expr, tree::Expr)]) -> Result<ExprKind> {
        let entries: Result<Vec<_>> =
            entries.iter().map(|(key, value)| Ok((self.expr(key)?, self.expr(value)?))).collect();
        Ok(ExprKind::Dict(entries?))
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &tree::Expr) -> Result<ExprKind> {
        // `not a in b` is `a not in b`.
        if let (
            UnaryOperator::Not,
            tree::ExprKind::Binary { operator: BinaryOperator::In, left, right },
        ) = (operator, &operand.kind)
        {
            return self.compare(BinaryOperator::NotIn, left, right);
        }
        let kind = match operator {
            UnaryOperator::Not => ExprKind::Not,
            UnaryOperator::Minus => ExprKind::Minus,
            UnaryOperator::Plus => ExprKind::Plus,
            _ => return Err(unavailable(operand.span, "this operator")),
        };
        self.boxed(operand).map(kind)
    }

    fn compare(
        &mut self,
        operator: BinaryOperator,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> Result<ExprKind> {
        let left = self.boxed(left)?;
        let right = self.expr(right)?;
        Ok(ExprKind::Compare(left, vec![(operator, right)]))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> Result<ExprKind> {
        if operator.is_comparison() {
            return self.compare(operator, left, right);
        }
        let left = self.boxed(left)?;
        let right = self.boxed(right)?;
        Ok(match operator {
            BinaryOperator::And => ExprKind::And(left, right),
            BinaryOperator::Or => ExprKind::Or(left, right),
            _ => ExprKind::Arithmetic(operator, left, right),
        })
    }

    fn arguments(&mut self, arguments: &[tree::Argument]) -> Result<Vec<Argument>> {
        arguments
            .iter()
            .map(|argument| {
                let value = self.expr(argument.expr())?;
                Ok(match argument {
                    tree::Argument::Positional(_) => Argument::Positional(value),
                    tree::Argument::Named(name, _) => {
                        Argument::Named(name.text.as_str().into(), value)
                    }
                    tree::Argument::Spread(_) => Argument::List(value),
                    tree::Argument::SpreadNamed(_) => Argument::Dict(value),
                    _ => return Err(unavailable(argument.expr().span, "this kind of argument")),
                })
            })
            .collect()
    }
}

/// The parts of `a ~ b ~ c`.
pub(super) fn concatenated(expr: &tree::Expr) -> Vec<&tree::Expr> {
    let (mut parts, mut rest) = (Vec::new(), expr);
    while let tree::ExprKind::Binary { operator: BinaryOperator::Concatenate, left, right } =
        &rest.kind
    {
        parts.push(&**right);
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// The span that the errors of an expression refer to.
fn error_place(expr: &tree::Expr) -> TemplateSpan {
    match &expr.kind {
        tree::ExprKind::Attribute { name, .. } => name.span,
        tree::ExprKind::Index { index, .. } => index.span,
        tree::ExprKind::Filter { call, .. }
        | tree::ExprKind::Test { call, .. }
        | tree::ExprKind::Method { call, .. } => call.name.span,
        _ => expr.span,
    }
}

fn too_long(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this expression is too long").with_help("split it with `{% set %}`")
}

fn unavailable(place: TemplateSpan, what: &str) -> SyntaxError {
    SyntaxError::new(place, format!("{what} is not available in a chat template"))
}

fn no_target(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "only attributes of a namespace can be set")
        .with_help("create it with `{% set ns = namespace() %}`, and set `ns.name`")
}

/// The start of a span as a program stores it. A template is shorter than 4 GiB.
fn start(place: TemplateSpan) -> u32 {
    index(place.start)
}

fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
