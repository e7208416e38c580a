//! Parses tags, and the blocks that they open and close.

use super::block::ParserBlock;
use super::{BLOCK_COST, JinjaParser, MAX_BLOCKS, Result};
use crate::SyntaxError;
use crate::jinja::syntax_errors::{self, BlockOpener, OpenTag};
use crate::jinja::token::TokenKind;
use crate::tree::{Call, Expr, ExprKind, For, If, Macro, Name, Node, NodeKind, Target, Template};
use prompty_core::diagnostic::TemplateSpan;

/// A parsed tag, without its `%}`.
pub(super) enum Statement {
    /// A tag without a block.
    Alone(NodeKind),
    /// A tag that opens a block: the block's keyword, and its node without bodies.
    Opening(&'static str, NodeKind),
}

impl JinjaParser<'_> {
    /// Parses the complete template.
    pub(super) fn template(mut self) -> Result<Template> {
        let mut nodes = Vec::new();
        loop {
            let span = self.token.span;
            match self.token.kind {
                TokenKind::End if self.blocks.is_empty() => {
                    return Ok(Template { nodes, raw: self.raw });
                }
                TokenKind::Text(text) => {
                    nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span });
                    self.advance();
                }
                TokenKind::Raw(text) => {
                    nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span });
                    self.raw.push(span);
                    self.advance();
                }
                TokenKind::VariableBegin => nodes.push(self.output(span)?),
                TokenKind::BlockBegin => nodes = self.block_tag(span, nodes)?,
                _ => return self.unexpected("text or a tag"),
            }
        }
    }

    fn output(&mut self, opener: TemplateSpan) -> Result<Node> {
        self.advance();
        self.tag = Some(OpenTag { opener, keyword: None });
        let value = self.one_or_tuple(Self::expression)?.into_expr();
        if self.token.kind != TokenKind::VariableEnd {
            return self.unexpected("`}}`");
        }
        self.advance();
        self.tag = None;
        Ok(Node { kind: NodeKind::Output(value), span: TemplateSpan::new(opener.start, self.end) })
    }

    /// Parses a tag. Takes the nodes before it, and returns the list for the nodes after it.
    fn block_tag(&mut self, opener: TemplateSpan, mut nodes: Vec<Node>) -> Result<Vec<Node>> {
        self.advance();
        let TokenKind::Name(keyword) = self.token.kind else {
            self.tag = Some(OpenTag { opener, keyword: None });
            return self.unexpected("the name of a tag");
        };
        self.tag = Some(OpenTag { opener, keyword: Some(keyword) });
        if self.blocks.last().is_some_and(|block| block.has_part(keyword)) {
            return self.part_of_block(keyword, nodes);
        }
        // For a block, `end_of_block` leaves this level.
        self.enter()?;
        match self.statement(keyword)? {
            Statement::Alone(kind) => {
                self.tag_end()?;
                self.leave();
                nodes.push(Node { kind, span: TemplateSpan::new(opener.start, self.end) });
                Ok(nodes)
            }
            Statement::Opening(keyword, kind) => {
                let end = self.token.span;
                let opener = BlockOpener { keyword, tag: self.tag_end()? };
                let (is_in_else, elif_cost, before) = (false, 0, nodes);
                self.blocks.push(ParserBlock { opener, kind, is_in_else, elif_cost, before });
                self.check_blocks(end)?;
                Ok(Vec::new())
            }
        }
    }

    /// Takes the `%}` of the current tag, and returns the span of the tag.
    fn tag_end(&mut self) -> Result<TemplateSpan> {
        if self.token.kind != TokenKind::BlockEnd {
            return self.unexpected("`%}`");
        }
        self.advance();
        let opener = self.tag.take().map_or(self.token.span, |tag| tag.opener);
        Ok(TemplateSpan::new(opener.start, self.end))
    }

    fn check_blocks(&self, place: TemplateSpan) -> Result<()> {
        if BLOCK_COST * self.blocks.len() + self.elif_cost > MAX_BLOCKS {
            return Err(syntax_errors::too_many_blocks(place));
        }
        Ok(())
    }

    /// Parses a tag that continues or closes the innermost block. `nodes` are the body before it.
    fn part_of_block(&mut self, keyword: &str, nodes: Vec<Node>) -> Result<Vec<Node>> {
        self.advance();
        if let Some(block) = self.blocks.last_mut() {
            block.end_body(nodes);
        }
        match keyword {
            "elif" => self.elif()?,
            "else" => {
                self.tag_end()?;
                if let Some(block) = self.blocks.last_mut() {
                    block.is_in_else = true;
                }
            }
            _ => return self.end_of_block(keyword),
        }
        Ok(Vec::new())
    }

    /// Parses the rest of an `elif` tag, which opens the next branch.
    fn elif(&mut self) -> Result<()> {
        let test = self.test()?;
        let end = self.token.span;
        self.tag_end()?;
        self.elif_cost += self.dialect.elif_cost;
        if let Some(block) = self.blocks.last_mut() {
            block.elif_cost += self.dialect.elif_cost;
            if let NodeKind::If(branching) = &mut block.kind {
                branching.branches.push((test, Vec::new()));
            }
        }
        self.check_blocks(end)
    }

    /// Parses the rest of a tag that closes a block. Returns the nodes before the block, and its
    /// node.
    fn end_of_block(&mut self, keyword: &str) -> Result<Vec<Node>> {
        let may_repeat_name = self.dialect.end_tags_repeat_names || keyword == "endblock";
        if may_repeat_name && matches!(self.token.kind, TokenKind::Name(_)) {
            self.advance();
        }
        self.tag_end()?;
        self.leave();
        let Some(block) = self.blocks.pop() else { return Ok(Vec::new()) };
        self.elif_cost -= block.elif_cost;
        let mut nodes = block.before;
        let span = TemplateSpan::new(block.opener.tag.start, self.end);
        nodes.push(Node { kind: block.kind, span });
        Ok(nodes)
    }

    /// Parses a tag from its keyword up to its `%}`.
    fn statement(&mut self, keyword: &str) -> Result<Statement> {
        let span = self.token.span;
        let body = Vec::new();
        if !self.dialect.parses_other_templates
            && matches!(keyword, "include" | "import" | "from" | "extends")
        {
            let error = SyntaxError::new(span, format!("`{keyword}` is not available"));
            return Err(error.with_help(
                "move the content into the chat template, which cannot use other files",
            ));
        }
        Ok(match keyword {
            "if" => {
                self.advance();
                let branches = vec![(self.test()?, body)];
                Statement::Opening("if", NodeKind::If(If { branches, otherwise: None }))
            }
            "for" => Statement::Opening("for", self.for_loop()?),
            "set" => self.assignment()?,
            "with" => Statement::Opening("with", self.with()?),
            "filter" => {
                self.advance();
                let mut filters = vec![self.call_of_filter()?];
                self.more_filters(&mut filters)?;
                Statement::Opening("filter", NodeKind::FilterBlock { filters, body })
            }
            "macro" => Statement::Opening("macro", self.macro_declaration()?),
            "call" => Statement::Opening("call", self.call_block(Name::new("caller", span))?),
            "do" => Statement::Alone(self.do_tag()?),
            "block" => {
                self.advance();
                let tag = self.template_block()?;
                Statement::Opening("block", NodeKind::Block { tag, body })
            }
            "autoescape" => {
                self.advance();
                self.expression()?;
                let construct = "autoescape";
                Statement::Opening(construct, NodeKind::Scope { construct, body })
            }
            "generation" | "break" | "continue" if self.dialect.has_extra_tag(keyword) => {
                self.advance();
                let construct = "generation";
                match keyword {
                    "break" => Statement::Alone(NodeKind::Break),
                    "continue" => Statement::Alone(NodeKind::Continue),
                    _ => Statement::Opening(construct, NodeKind::Scope { construct, body }),
                }
            }
            "include" | "import" | "from" | "extends" => {
                self.advance();
                Statement::Alone(NodeKind::OtherTemplate(Box::new(self.other_template(keyword)?)))
            }
            _ => return Err(self.error_context().unknown_tag(keyword)),
        })
    }

    fn macro_declaration(&mut self) -> Result<NodeKind> {
        self.advance();
        let name = self.name()?;
        let (parameters, defaults) = self.parameters()?;
        Ok(NodeKind::Macro(Macro { name, parameters, defaults, body: Vec::new() }))
    }

    fn do_tag(&mut self) -> Result<NodeKind> {
        self.advance();
        Ok(NodeKind::Do(match self.dialect.do_takes_any_expression {
            true => self.one_or_tuple(Self::expression)?.into_expr(),
            false => self.call_of_macro("expected a call: `{% do function(value) %}`")?,
        }))
    }

    /// Parses the condition of an `if` or `elif`.
    fn test(&mut self) -> Result<Expr> {
        let test = match self.dialect.has_tuples_everywhere {
            true => self.one_or_tuple(Self::expression)?,
            false => self.or()?,
        };
        Ok(test.into_expr())
    }

    fn for_loop(&mut self) -> Result<NodeKind> {
        self.advance();
        let target = self.targets(false)?;
        if !self.take_word("in") {
            return self.unexpected("`in`");
        }
        let iterable = self.one_or_tuple(Self::or)?.into_expr();
        let condition =
            if self.take_word("if") { Some(self.expression()?.into_expr()) } else { None };
        let recursive = self.take_word("recursive");
        let (body, otherwise) = (Vec::new(), Vec::new());
        Ok(NodeKind::For(For { target, iterable, condition, recursive, body, otherwise }))
    }

    fn assignment(&mut self) -> Result<Statement> {
        self.advance();
        let target = self.targets(true)?;
        if matches!(self.token.kind, TokenKind::BlockEnd) || self.is_operator("|") {
            let mut filters = Vec::new();
            self.more_filters(&mut filters)?;
            let kind = NodeKind::SetBlock { target, filters, body: Vec::new() };
            return Ok(Statement::Opening("set", kind));
        }
        self.expect("=", "`=`")?;
        let value = self.one_or_tuple(Self::expression)?.into_expr();
        Ok(Statement::Alone(NodeKind::Set { target, value }))
    }

    fn with(&mut self) -> Result<NodeKind> {
        self.advance();
        let mut bindings = Vec::new();
        while self.token.kind != TokenKind::BlockEnd {
            if !bindings.is_empty() {
                self.expect(",", "`,`")?;
            }
            let target = match self.dialect.has_tuples_everywhere {
                true => self.targets(false)?,
                false => self.target(false)?,
            };
            self.expect("=", "`=`")?;
            bindings.push((target, self.expression()?.into_expr()));
        }
        Ok(NodeKind::With { bindings, body: Vec::new() })
    }

    fn call_block(&mut self, name: Name) -> Result<NodeKind> {
        self.advance();
        let (parameters, defaults) = match self.is_operator("(") {
            true => self.parameters()?,
            false => (Vec::new(), Vec::new()),
        };
        let call = self.call_of_macro("expected a call of a macro: `{% call name(value) %}`")?;
        let caller = Macro { name, parameters, defaults, body: Vec::new() };
        Ok(NodeKind::CallBlock { call, caller })
    }

    /// Parses an expression that must be a call. `message` is the error for another expression.
    fn call_of_macro(&mut self, message: &str) -> Result<Expr> {
        let value = self.expression()?;
        match value.expr.kind {
            ExprKind::Function(_) | ExprKind::Method { .. } | ExprKind::Invocation { .. } => {
                Ok(value.into_expr())
            }
            _ => Err(SyntaxError::new(value.span, message)
                .with_help("write the name with its arguments in parentheses")),
        }
    }

    /// Parses further filters, each after a `|`.
    fn more_filters(&mut self, filters: &mut Vec<Call>) -> Result<()> {
        while self.take_operator("|") {
            filters.push(self.call_of_filter()?);
        }
        Ok(())
    }

    /// Parses the parameters of a macro in parentheses, and the defaults of the last parameters.
    fn parameters(&mut self) -> Result<(Vec<Name>, Vec<Expr>)> {
        self.expect("(", "`(`")?;
        let (mut parameters, mut defaults) = (Vec::new(), Vec::new());
        while !self.take_operator(")") {
            if !parameters.is_empty() {
                self.expect(",", "`,`")?;
                if self.take_operator(")") {
                    break;
                }
            }
            if parameters.len() >= self.dialect.max_arguments {
                let message =
                    format!("a macro has more than {} parameters", self.dialect.max_arguments);
                let error = SyntaxError::new(self.token.span, message);
                return Err(error.with_help("combine them in a list or a map"));
            }
            parameters.push(self.bound_name()?);
            if self.take_operator("=") {
                defaults.push(self.expression()?.into_expr());
            } else if !defaults.is_empty() {
                return self.unexpected("`=`");
            }
        }
        Ok((parameters, defaults))
    }

    /// Parses one target, or several with commas between them.
    fn targets(&mut self, may_have_attributes: bool) -> Result<Target> {
        let first = self.target_but_not_in(may_have_attributes)?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let mut targets = vec![first];
        while self.take_operator(",") {
            let is_end = self.is_operator(")")
                || self.is_word("in")
                || matches!(self.token.kind, TokenKind::BlockEnd | TokenKind::VariableEnd);
            if is_end {
                break;
            }
            targets.push(self.target_but_not_in(may_have_attributes)?);
        }
        Ok(Target::Tuple(targets))
    }

    /// Like [`JinjaParser::target`], but rejects `in`, which ends the targets of a loop.
    fn target_but_not_in(&mut self, may_have_attributes: bool) -> Result<Target> {
        if self.is_word("in") {
            return self.unexpected("a name");
        }
        self.target(may_have_attributes)
    }

    /// Parses a name, an attribute of a namespace if allowed, or targets in parentheses.
    fn target(&mut self, may_have_attributes: bool) -> Result<Target> {
        if self.take_operator("(") {
            let targets = self.targets(may_have_attributes)?;
            self.expect(")", "`)`")?;
            return Ok(targets);
        }
        let name = self.bound_name()?;
        if !may_have_attributes || !self.is_operator(".") {
            return Ok(Target::Name(name));
        }
        let start = name.span;
        let mut value = Expr { kind: ExprKind::Variable(name.text), span: start };
        while self.take_operator(".") {
            let name = self.name()?;
            let span = start.to(name.span);
            value = Expr { kind: ExprKind::Attribute { value: Box::new(value), name }, span };
        }
        Ok(Target::Attribute(value))
    }

    /// Parses a name that may be bound.
    pub(super) fn bound_name(&mut self) -> Result<Name> {
        match self.token.kind {
            TokenKind::Name(name) if self.dialect.reserved_names.contains(&name) => {
                let message = format!("`{name}` is reserved and cannot be bound");
                Err(SyntaxError::new(self.token.span, message).with_help("use another name"))
            }
            _ => self.name(),
        }
    }
}
