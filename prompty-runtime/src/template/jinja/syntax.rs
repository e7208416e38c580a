//! Reads Jinja: the engine's parser, and the conversion of its tree into ours.
//!
//! The engine's spans are those of tokens: some begin at the token before an expression, some cover
//! a filter's name only. Names are slices of the text, so their places are exact; the place of an
//! expression is put together from its parts.

use minijinja::machinery::{self, ast as engine};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;

use super::{guard, mistakes};
use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;
use prompty_core::jinja::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, For, If, Macro, Name, Node, NodeKind, Target,
    Template, UnaryOperator,
};
use prompty_core::value::Value;

/// The syntax that templates have: Jinja's own, and the final newline stays.
pub(crate) fn configuration() -> SyntaxConfig {
    let mut builder = SyntaxConfig::builder();
    builder.keep_trailing_newline(true);
    // Only delimiters can be wrong, and those are the engine's own.
    builder.build().unwrap_or_default()
}

/// A template's text as a tree.
///
/// # Errors
///
/// Where the text is no Jinja, or is longer or deeper than templates may be.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    guard::check(text)?;
    match machinery::parse(text, "", configuration()) {
        Ok(engine::Stmt::Template(template)) => {
            let converter = Converter { text };
            Ok(Template { nodes: converter.nodes(&template.children) })
        }
        Ok(_) => Ok(Template::default()),
        Err(error) => Err(mistakes::explain(text, &error)),
    }
}

/// What the engine knows of a place.
fn engine_span(span: machinery::Span) -> Span {
    Span::new(span.start_offset as usize, span.end_offset as usize)
}

struct Converter<'text> {
    text: &'text str,
}

impl<'text> Converter<'text> {
    fn nodes(&self, statements: &[engine::Stmt<'text>]) -> Vec<Node> {
        statements.iter().filter_map(|statement| self.node(statement)).collect()
    }

    fn node(&self, statement: &engine::Stmt<'text>) -> Option<Node> {
        let (kind, keyword) = match statement {
            engine::Stmt::Template(_) => return None,
            engine::Stmt::EmitRaw(raw) => return self.text_node(raw.raw),
            engine::Stmt::EmitExpr(output) => {
                let span = engine_span(output.span());
                let end = self.after("}}", span.end);
                let kind = NodeKind::Output(self.expr(&output.expr));
                return Some(Node { kind, span: Span::new(span.start, end) });
            }
            engine::Stmt::ForLoop(node) => (self.for_loop(node), node.span()),
            engine::Stmt::IfCond(node) => (self.condition(node), node.span()),
            engine::Stmt::Set(node) => (
                NodeKind::Set { target: self.target(&node.target), value: self.expr(&node.expr) },
                node.span(),
            ),
            engine::Stmt::SetBlock(node) => (
                NodeKind::SetBlock {
                    target: self.target(&node.target),
                    filters: node.filter.as_ref().map_or_else(Vec::new, |f| self.filters(f)),
                    body: self.nodes(&node.body),
                },
                node.span(),
            ),
            engine::Stmt::WithBlock(node) => (
                NodeKind::With {
                    bindings: node
                        .assignments
                        .iter()
                        .map(|(target, value)| (self.target(target), self.expr(value)))
                        .collect(),
                    body: self.nodes(&node.body),
                },
                node.span(),
            ),
            engine::Stmt::FilterBlock(node) => (
                NodeKind::FilterBlock {
                    filters: self.filters(&node.filter),
                    body: self.nodes(&node.body),
                },
                node.span(),
            ),
            engine::Stmt::Macro(node) => {
                let name = self.name(node.name);
                (NodeKind::Macro(self.template_macro(node, name)), node.span())
            }
            engine::Stmt::CallBlock(node) => {
                let keyword = engine_span(node.span()).start;
                let caller = Name::new("caller", Span::new(keyword, keyword + "call".len()));
                let caller = self.template_macro(&node.macro_decl, caller);
                let call = self.call(&node.call);
                (NodeKind::CallBlock { call, caller }, node.span())
            }
            engine::Stmt::Do(node) => (NodeKind::Do(self.call(&node.call)), node.span()),
            engine::Stmt::AutoEscape(node) => {
                (self.unsupported("autoescape", &node.body), node.span())
            }
            engine::Stmt::Block(node) => (self.unsupported("block", &node.body), node.span()),
            engine::Stmt::Import(node) => (self.unsupported("import", &[]), node.span()),
            engine::Stmt::FromImport(node) => (self.unsupported("from", &[]), node.span()),
            engine::Stmt::Extends(node) => (self.unsupported("extends", &[]), node.span()),
            engine::Stmt::Include(node) => (self.unsupported("include", &[]), node.span()),
        };
        Some(Node { kind, span: self.tags(engine_span(keyword)) })
    }

    fn text_node(&self, text: &'text str) -> Option<Node> {
        if text.is_empty() {
            return None;
        }
        Some(Node { kind: NodeKind::Text(text.to_owned()), span: self.place(text) })
    }

    fn unsupported(&self, construct: &'static str, body: &[engine::Stmt<'text>]) -> NodeKind {
        NodeKind::Unsupported { construct, body: self.nodes(body) }
    }

    fn for_loop(&self, node: &engine::ForLoop<'text>) -> NodeKind {
        NodeKind::For(For {
            target: self.target(&node.target),
            iterable: self.expr(&node.iter),
            condition: node.filter_expr.as_ref().map(|condition| self.expr(condition)),
            recursive: node.recursive,
            body: self.nodes(&node.body),
            otherwise: self.nodes(&node.else_body),
        })
    }

    /// An `if` with its branches: the engine gives an `elif` as an `if` that is alone in the `else`.
    fn condition(&self, node: &engine::IfCond<'text>) -> NodeKind {
        let mut branches = vec![(self.expr(&node.expr), self.nodes(&node.true_body))];
        let mut rest = node.false_body.as_slice();
        while let [engine::Stmt::IfCond(next)] = rest {
            let start = engine_span(next.span()).start;
            if !self.from(start).starts_with("elif") {
                break;
            }
            branches.push((self.expr(&next.expr), self.nodes(&next.true_body)));
            rest = next.false_body.as_slice();
        }
        let otherwise = (!rest.is_empty()).then(|| self.nodes(rest));
        NodeKind::If(If { branches, otherwise })
    }

    fn template_macro(&self, node: &engine::Macro<'text>, name: Name) -> Macro {
        Macro {
            name,
            parameters: node.args.iter().flat_map(|name| self.target_names(name)).collect(),
            defaults: node.defaults.iter().map(|default| self.expr(default)).collect(),
            body: self.nodes(&node.body),
        }
    }

    fn target_names(&self, target: &engine::Expr<'text>) -> Vec<Name> {
        self.target(target).names().into_iter().cloned().collect()
    }

    fn target(&self, target: &engine::Expr<'text>) -> Target {
        match target {
            engine::Expr::Var(variable) => Target::Name(self.name(variable.id)),
            engine::Expr::List(list) => {
                Target::Tuple(list.items.iter().map(|item| self.target(item)).collect())
            }
            other => Target::Attribute(self.expr(other)),
        }
    }

    /// The filters of a block, innermost first.
    fn filters(&self, filter: &engine::Expr<'text>) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut rest = Some(filter);
        while let Some(engine::Expr::Filter(filter)) = rest {
            calls.push(Call {
                name: self.name(filter.name),
                arguments: self.arguments(&filter.args),
            });
            rest = filter.expr.as_ref();
        }
        calls.reverse();
        calls
    }

    fn expr(&self, expr: &engine::Expr<'text>) -> Expr {
        match expr {
            engine::Expr::Var(variable) => self.variable(variable.id),
            engine::Expr::Const(constant) => Expr {
                kind: ExprKind::Literal(literal(&constant.value)),
                span: engine_span(constant.span()),
            },
            engine::Expr::UnaryOp(node) => self.unary(node),
            engine::Expr::BinOp(node) => self.binary(node),
            engine::Expr::Compare(node) => self.comparison(node),
            engine::Expr::IfExpr(node) => self.conditional(node),
            engine::Expr::Filter(node) => self.filter(node),
            engine::Expr::Test(node) => self.test(node),
            engine::Expr::Call(node) => self.call(node),
            engine::Expr::GetAttr(node) => {
                let value = self.expr(&node.expr);
                let name = self.name(node.name);
                let span = self.opened(&value).to(name.span);
                Expr { kind: ExprKind::Attribute { value: Box::new(value), name }, span }
            }
            engine::Expr::GetItem(node) => {
                let value = self.expr(&node.expr);
                let index = Box::new(self.expr(&node.subscript_expr));
                let span = self.opened(&value).to(engine_span(node.span()));
                Expr { kind: ExprKind::Index { value: Box::new(value), index }, span }
            }
            engine::Expr::Slice(node) => {
                let value = self.expr(&node.expr);
                let bounds = [&node.start, &node.stop, &node.step]
                    .map(|bound| bound.as_ref().map(|bound| Box::new(self.expr(bound))));
                let span = self.opened(&value).to(engine_span(node.span()));
                Expr { kind: ExprKind::Slice { value: Box::new(value), bounds }, span }
            }
            engine::Expr::List(node) => self.list(&node.items, node.span()),
            engine::Expr::Tuple(node) => self.list(&node.items, node.span()),
            engine::Expr::Map(node) => Expr {
                kind: ExprKind::Map(
                    node.keys
                        .iter()
                        .zip(&node.values)
                        .map(|(key, value)| (self.expr(key), self.expr(value)))
                        .collect(),
                ),
                span: engine_span(node.span()),
            },
        }
    }

    /// A variable; `null` is Prompty's way to write `none`.
    fn variable(&self, name: &'text str) -> Expr {
        let kind = match name {
            "null" => ExprKind::Literal(Value::Null),
            _ => ExprKind::Variable(name.to_owned()),
        };
        Expr { kind, span: self.place(name) }
    }

    fn list(&self, items: &[engine::Expr<'text>], span: machinery::Span) -> Expr {
        let items: Vec<Expr> = items.iter().map(|item| self.expr(item)).collect();
        let whole = engine_span(span);
        let span = items.first().map_or(whole, |first| first.span.to(whole));
        Expr { kind: ExprKind::List(items), span }
    }

    fn unary(&self, node: &engine::Spanned<engine::UnaryOp<'text>>) -> Expr {
        let operand = self.expr(&node.expr);
        let (operator, written) = match node.op {
            engine::UnaryOpKind::Not => (UnaryOperator::Not, "not"),
            engine::UnaryOpKind::Neg => (UnaryOperator::Minus, "-"),
        };
        let own = engine_span(node.span());
        // `not in` and `is not` stand inside their operand.
        let is_before = own.start < operand.span.start && self.from(own.start).starts_with(written);
        let whole = if is_before { own.to(operand.span) } else { operand.span };
        Expr { kind: ExprKind::Unary { operator, operand: Box::new(operand) }, span: whole }
    }

    fn binary(&self, node: &engine::Spanned<engine::BinOp<'text>>) -> Expr {
        let left = self.expr(&node.left);
        let right = self.expr(&node.right);
        let end = right.span.end.max(engine_span(node.span()).end);
        let span = Span::new(self.opened(&left).start, end);
        let operator = binary_operator(node.op);
        Expr {
            kind: ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) },
            span,
        }
    }

    fn comparison(&self, node: &engine::Spanned<engine::Compare<'text>>) -> Expr {
        let first = self.expr(&node.expr);
        let rest = node.ops.iter().map(|op| (comparison_operator(op.op), self.expr(&op.expr)));
        let rest: Vec<_> = rest.collect();
        let span = Span::new(self.opened(&first).start, engine_span(node.span()).end);
        Expr { kind: ExprKind::Comparison { first: Box::new(first), rest }, span }
    }

    fn conditional(&self, node: &engine::Spanned<engine::IfExpr<'text>>) -> Expr {
        let value = Box::new(self.expr(&node.true_expr));
        let condition = Box::new(self.expr(&node.test_expr));
        let otherwise = node.false_expr.as_ref().map(|expr| Box::new(self.expr(expr)));
        let span = Span::new(self.opened(&value).start, engine_span(node.span()).end);
        Expr { kind: ExprKind::Conditional { condition, value, otherwise }, span }
    }

    fn filter(&self, node: &engine::Spanned<engine::Filter<'text>>) -> Expr {
        let call = Call { name: self.name(node.name), arguments: self.arguments(&node.args) };
        let own = engine_span(node.span());
        let Some(value) = node.expr.as_ref() else {
            // Only a block's filter has no value, and those do not come here.
            return Expr { kind: ExprKind::Function(call), span: own };
        };
        let value = self.expr(value);
        let span = self.opened(&value).to(own);
        Expr { kind: ExprKind::Filter { value: Box::new(value), call }, span }
    }

    fn test(&self, node: &engine::Spanned<engine::Test<'text>>) -> Expr {
        let value = self.expr(&node.expr);
        let call = Call { name: self.name(node.name), arguments: self.arguments(&node.args) };
        let span = self.opened(&value).to(engine_span(node.span()));
        Expr { kind: ExprKind::Test { value: Box::new(value), call }, span }
    }

    fn call(&self, node: &engine::Spanned<engine::Call<'text>>) -> Expr {
        let arguments = self.arguments(&node.args);
        let own = engine_span(node.span());
        match &node.expr {
            engine::Expr::Var(variable) => {
                let name = self.name(variable.id);
                let span = name.span.to(own);
                Expr { kind: ExprKind::Function(Call { name, arguments }), span }
            }
            engine::Expr::GetAttr(attribute) => {
                let value = self.expr(&attribute.expr);
                let span = self.opened(&value).to(own);
                let call = Call { name: self.name(attribute.name), arguments };
                Expr { kind: ExprKind::Method { value: Box::new(value), call }, span }
            }
            other => {
                let value = self.expr(other);
                let span = self.opened(&value).to(own);
                Expr { kind: ExprKind::Invocation { value: Box::new(value), arguments }, span }
            }
        }
    }

    fn arguments(&self, arguments: &[engine::CallArg<'text>]) -> Vec<Argument> {
        let convert = |argument: &engine::CallArg<'text>| match argument {
            engine::CallArg::Pos(expr) => Argument::Positional(self.expr(expr)),
            engine::CallArg::Kwarg(name, expr) => Argument::Named(self.name(name), self.expr(expr)),
            engine::CallArg::PosSplat(expr) | engine::CallArg::KwargSplat(expr) => {
                Argument::Spread(self.expr(expr))
            }
        };
        arguments.iter().map(convert).collect()
    }

    fn name(&self, name: &'text str) -> Name {
        Name::new(name, self.place(name))
    }

    /// Where a part of the text stands in it.
    fn place(&self, part: &'text str) -> Span {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let span = Span::new(offset.min(self.text.len()), offset.saturating_add(part.len()));
        let is_part = self.text.get(span.start..span.end).is_some_and(|found| found == part);
        if is_part { span } else { Span::default() }
    }

    /// The place of an operand with the parentheses around it, given that an operator follows.
    fn opened(&self, operand: &Expr) -> Span {
        let behind = self.from(operand.span.end);
        let is_part = |character: &char| *character == ')' || character.is_ascii_whitespace();
        let mut missing =
            behind.chars().take_while(is_part).filter(|character| *character == ')').count();
        let mut start = operand.span.start;
        let before = self.text.get(..start).unwrap_or_default();
        for (index, byte) in before.bytes().enumerate().rev() {
            match byte {
                b'(' if missing > 0 => {
                    missing -= 1;
                    start = index;
                }
                _ if missing > 0 && byte.is_ascii_whitespace() => {}
                _ => break,
            }
        }
        Span::new(start, operand.span.end)
    }

    /// From the `{%` before a keyword to behind the `%}` of its last tag.
    fn tags(&self, keyword: Span) -> Span {
        let before = self.text.get(..keyword.start).unwrap_or_default();
        let start = before.rfind("{%").unwrap_or(keyword.start);
        Span::new(start, self.after("%}", keyword.end))
    }

    fn after(&self, closer: &str, offset: usize) -> usize {
        self.from(offset).find(closer).map_or(offset, |found| offset + found + closer.len())
    }

    fn from(&self, offset: usize) -> &'text str {
        self.text.get(offset..).unwrap_or_default()
    }
}

fn literal(value: &minijinja::Value) -> Value {
    match value.kind() {
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => match i128::try_from(value.clone()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => Value::Float(f64::try_from(value.clone()).unwrap_or(f64::INFINITY)),
        },
        ValueKind::Number => Value::Float(f64::try_from(value.clone()).unwrap_or_default()),
        ValueKind::String => Value::from(value.as_str().unwrap_or_default()),
        _ => Value::Null,
    }
}

fn binary_operator(operator: engine::BinOpKind) -> BinaryOperator {
    match operator {
        engine::BinOpKind::Eq => BinaryOperator::Equal,
        engine::BinOpKind::Ne => BinaryOperator::NotEqual,
        engine::BinOpKind::Lt => BinaryOperator::Less,
        engine::BinOpKind::Lte => BinaryOperator::LessOrEqual,
        engine::BinOpKind::Gt => BinaryOperator::Greater,
        engine::BinOpKind::Gte => BinaryOperator::GreaterOrEqual,
        engine::BinOpKind::ScAnd => BinaryOperator::And,
        engine::BinOpKind::ScOr => BinaryOperator::Or,
        engine::BinOpKind::Add => BinaryOperator::Add,
        engine::BinOpKind::Sub => BinaryOperator::Subtract,
        engine::BinOpKind::Mul => BinaryOperator::Multiply,
        engine::BinOpKind::Div => BinaryOperator::Divide,
        engine::BinOpKind::FloorDiv => BinaryOperator::FloorDivide,
        engine::BinOpKind::Rem => BinaryOperator::Remainder,
        engine::BinOpKind::Pow => BinaryOperator::Power,
        engine::BinOpKind::Concat => BinaryOperator::Concatenate,
        engine::BinOpKind::In => BinaryOperator::In,
    }
}

fn comparison_operator(operator: engine::CompareOpKind) -> BinaryOperator {
    match operator {
        engine::CompareOpKind::Eq => BinaryOperator::Equal,
        engine::CompareOpKind::Ne => BinaryOperator::NotEqual,
        engine::CompareOpKind::Lt => BinaryOperator::Less,
        engine::CompareOpKind::Lte => BinaryOperator::LessOrEqual,
        engine::CompareOpKind::Gt => BinaryOperator::Greater,
        engine::CompareOpKind::Gte => BinaryOperator::GreaterOrEqual,
        engine::CompareOpKind::In => BinaryOperator::In,
        engine::CompareOpKind::NotIn => BinaryOperator::NotIn,
    }
}
