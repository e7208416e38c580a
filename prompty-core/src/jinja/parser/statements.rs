//! Tags, and the blocks that they open and close.

use super::{BLOCK, MAX_BLOCKS, Parser, Result};
use crate::diagnostic::Span;
use crate::jinja::SyntaxError;
use crate::jinja::lexer::Kind;
use crate::jinja::mistakes::{self, OpenBlock, OpenTag};
use crate::jinja::tree::{
    Call, Expr, ExprKind, For, If, Macro, Name, Node, NodeKind, Target, Template,
};

impl Parser<'_> {
    /// Reads the whole template.
    pub(super) fn template(mut self) -> Result<Template> {
        let nodes = self.nodes(&[])?;
        Ok(Template { nodes, raw: self.raw })
    }

    /// Nodes up to a tag that begins with one of the words, which is the next token then; up to the
    /// end where there are no words.
    fn nodes(&mut self, ends: &[&str]) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            let opener = self.token.span;
            match self.token.kind {
                Kind::End if ends.is_empty() => return Ok(nodes),
                Kind::Text(text) => {
                    nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span: opener });
                    self.advance();
                }
                Kind::Raw(text) => {
                    nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span: opener });
                    self.raw.push(opener);
                    self.advance();
                }
                Kind::VariableBegin => nodes.push(self.output(opener)?),
                Kind::BlockBegin => {
                    self.advance();
                    let keyword = match self.token.kind {
                        Kind::Name(keyword) => Some(keyword),
                        _ => None,
                    };
                    self.tag = Some(OpenTag { opener, keyword });
                    if ends.iter().any(|end| self.is_word(end)) {
                        return Ok(nodes);
                    }
                    self.enter()?;
                    let kind = self.statement()?;
                    self.leave();
                    nodes.push(Node { kind, span: Span::new(opener.start, self.end) });
                }
                _ => return self.unexpected("text or a tag"),
            }
        }
    }

    fn output(&mut self, opener: Span) -> Result<Node> {
        self.advance();
        self.tag = Some(OpenTag { opener, keyword: None });
        let value = self.tuple_or_expression()?.expr;
        if self.token.kind != Kind::VariableEnd {
            return self.unexpected("`}}`");
        }
        self.advance();
        self.tag = None;
        Ok(Node { kind: NodeKind::Output(value), span: Span::new(opener.start, self.end) })
    }

    /// Takes the `%}` of the tag at hand, and gives the place of the tag.
    fn tag_end(&mut self) -> Result<Span> {
        if self.token.kind != Kind::BlockEnd {
            return self.unexpected("`%}`");
        }
        self.advance();
        let opener = self.tag.take().map_or(self.token.span, |tag| tag.opener);
        Ok(Span::new(opener.start, self.end))
    }

    /// Takes the `%}` of a tag that opens a block.
    fn open_block(&mut self, keyword: &'static str) -> Result<()> {
        let end = self.token.span;
        let tag = self.tag_end()?;
        self.blocks.push(OpenBlock { keyword, tag });
        self.check_blocks(end)
    }

    fn check_blocks(&self, place: Span) -> Result<()> {
        if BLOCK * self.blocks.len() + self.elif_cost > MAX_BLOCKS {
            return Err(mistakes::too_many_blocks(place));
        }
        Ok(())
    }

    /// Takes the keyword and the `%}` of the tag that closes the block at hand.
    fn close_block(&mut self) -> Result<()> {
        self.advance();
        if self.dialect.end_tags_repeat_names && matches!(self.token.kind, Kind::Name(_)) {
            self.advance();
        }
        self.tag_end()?;
        self.blocks.pop();
        Ok(())
    }

    /// The body of a block, its opening tag read up to its `%}`, with its end tag.
    fn body(&mut self, keyword: &'static str, end: &str) -> Result<Vec<Node>> {
        self.open_block(keyword)?;
        let body = self.nodes(&[end])?;
        self.close_block()?;
        Ok(body)
    }

    /// What stands in one tag, with all that it encloses.
    fn statement(&mut self) -> Result<NodeKind> {
        let keyword = self.token.span;
        let Kind::Name(tag) = self.token.kind else { return self.unexpected("the name of a tag") };
        match tag {
            "if" => self.condition(),
            "for" => self.repetition(),
            "set" => self.assignment(),
            "with" => self.with(),
            "filter" => {
                self.advance();
                let mut filters = vec![self.call_of_filter()?];
                self.more_filters(&mut filters)?;
                Ok(NodeKind::FilterBlock { filters, body: self.body("filter", "endfilter")? })
            }
            "macro" => {
                self.advance();
                let name = self.name()?;
                let (parameters, defaults) = self.parameters()?;
                let body = self.body("macro", "endmacro")?;
                Ok(NodeKind::Macro(Macro { name, parameters, defaults, body }))
            }
            "call" => self.call_block(Name::new("caller", keyword)),
            "do" => {
                self.advance();
                let value = if self.dialect.do_takes_any_expression {
                    self.tuple_or_expression()?.expr
                } else {
                    self.call_of_macro("`do` takes a call: `{% do function(value) %}`")?
                };
                self.tag_end()?;
                Ok(NodeKind::Do(value))
            }
            "block" => {
                self.advance();
                let name = self.name()?;
                while self.take_word("scoped") || self.take_word("required") {}
                self.open_block("block")?;
                let body = self.nodes(&["endblock"])?;
                // Its name may stand behind `endblock` in every dialect.
                if matches!(self.ahead.kind, Kind::Name(found) if found == name.text) {
                    self.advance();
                }
                self.close_block()?;
                Ok(NodeKind::Scope { construct: "block", body })
            }
            "autoescape" => {
                self.advance();
                self.expression()?;
                let body = self.body("autoescape", "endautoescape")?;
                Ok(NodeKind::Scope { construct: "autoescape", body })
            }
            "include" => self.other_template("include"),
            "import" => self.other_template("import"),
            "from" => self.other_template("from"),
            "extends" => self.other_template("extends"),
            "generation" if self.dialect.has_extra_tag(tag) => {
                self.advance();
                let body = self.body("generation", "endgeneration")?;
                Ok(NodeKind::Scope { construct: "generation", body })
            }
            "break" | "continue" if self.dialect.has_extra_tag(tag) => {
                self.advance();
                self.tag_end()?;
                Ok(if tag == "break" { NodeKind::Break } else { NodeKind::Continue })
            }
            _ => Err(self.place().unknown_tag(tag)),
        }
    }

    /// A tag that names another template.
    fn other_template(&mut self, construct: &'static str) -> Result<NodeKind> {
        if !self.dialect.parses_other_templates {
            let message = format!("`{construct}` is not available");
            let error = SyntaxError::new(self.token.span, message);
            return Err(error.with_help("a chat template stands alone"));
        }
        while !matches!(
            self.token.kind,
            Kind::BlockEnd | Kind::End | Kind::Unknown | Kind::Mistake(_)
        ) {
            self.advance();
        }
        self.tag_end()?;
        Ok(NodeKind::Unsupported { construct })
    }

    fn condition(&mut self) -> Result<NodeKind> {
        let elif_cost = self.elif_cost;
        self.advance();
        let test = self.test()?;
        self.open_block("if")?;
        let mut branches = vec![(test, self.nodes(&["elif", "else", "endif"])?)];
        while self.take_word("elif") {
            let test = self.test()?;
            let end = self.token.span;
            self.tag_end()?;
            self.elif_cost += self.dialect.elif_cost;
            self.check_blocks(end)?;
            branches.push((test, self.nodes(&["elif", "else", "endif"])?));
        }
        let mut otherwise = None;
        if self.take_word("else") {
            self.tag_end()?;
            otherwise = Some(self.nodes(&["endif"])?).filter(|body| !body.is_empty());
        }
        self.close_block()?;
        self.elif_cost = elif_cost;
        Ok(NodeKind::If(If { branches, otherwise }))
    }

    /// What an `if` or `elif` asks.
    fn test(&mut self) -> Result<Expr> {
        let test = match self.dialect.has_bare_tuples {
            true => self.tuple_or_expression()?,
            false => self.or()?,
        };
        Ok(test.expr)
    }

    fn repetition(&mut self) -> Result<NodeKind> {
        self.advance();
        let target = self.targets(false)?;
        if !self.take_word("in") {
            return self.unexpected("`in`");
        }
        let iterable = match self.dialect.has_bare_tuples {
            true => self.tuple_of(Self::or)?,
            false => self.or()?,
        };
        let iterable = iterable.expr;
        let condition = if self.take_word("if") { Some(self.expression()?.expr) } else { None };
        let recursive = self.take_word("recursive");
        self.open_block("for")?;
        let body = self.nodes(&["else", "endfor"])?;
        let mut otherwise = Vec::new();
        if self.take_word("else") {
            self.tag_end()?;
            otherwise = self.nodes(&["endfor"])?;
        }
        self.close_block()?;
        Ok(NodeKind::For(For { target, iterable, condition, recursive, body, otherwise }))
    }

    fn assignment(&mut self) -> Result<NodeKind> {
        self.advance();
        let target = self.targets(true)?;
        if matches!(self.token.kind, Kind::BlockEnd) || self.is_operator("|") {
            let mut filters = Vec::new();
            self.more_filters(&mut filters)?;
            return Ok(NodeKind::SetBlock { target, filters, body: self.body("set", "endset")? });
        }
        self.expect("=", "`=`")?;
        let value = self.tuple_of(Self::expression)?.expr;
        self.tag_end()?;
        Ok(NodeKind::Set { target, value })
    }

    fn with(&mut self) -> Result<NodeKind> {
        self.advance();
        let mut bindings = Vec::new();
        while self.token.kind != Kind::BlockEnd {
            if !bindings.is_empty() {
                self.expect(",", "`,`")?;
            }
            let target = match self.dialect.has_bare_tuples {
                true => self.targets(false)?,
                false => self.target(false)?,
            };
            self.expect("=", "`=`")?;
            bindings.push((target, self.expression()?.expr));
        }
        Ok(NodeKind::With { bindings, body: self.body("with", "endwith")? })
    }

    fn call_block(&mut self, name: Name) -> Result<NodeKind> {
        self.advance();
        let (parameters, defaults) = match self.is_operator("(") {
            true => self.parameters()?,
            false => (Vec::new(), Vec::new()),
        };
        let call = self.call_of_macro("`call` takes a call of a macro: `{% call name(value) %}`")?;
        let body = self.body("call", "endcall")?;
        Ok(NodeKind::CallBlock { call, caller: Macro { name, parameters, defaults, body } })
    }

    /// An expression that must be a call.
    fn call_of_macro(&mut self, otherwise: &str) -> Result<Expr> {
        let value = self.expression()?;
        match value.expr.kind {
            ExprKind::Function(_) | ExprKind::Method { .. } | ExprKind::Invocation { .. } => {
                Ok(value.expr)
            }
            _ => Err(SyntaxError::new(value.span, otherwise)),
        }
    }

    /// The filters behind the `|`s that follow.
    fn more_filters(&mut self, filters: &mut Vec<Call>) -> Result<()> {
        while self.take_operator("|") {
            filters.push(self.call_of_filter()?);
        }
        Ok(())
    }

    /// The parameters of a macro in parentheses, and the defaults of the last of them.
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
                return self.fail("a macro has too many parameters");
            }
            parameters.push(self.bound_name()?);
            if self.take_operator("=") {
                defaults.push(self.expression()?.expr);
            } else if !defaults.is_empty() {
                return self.unexpected("`=`");
            }
        }
        Ok((parameters, defaults))
    }

    /// What a tag binds: one target, or several with commas between them.
    fn targets(&mut self, may_have_attributes: bool) -> Result<Target> {
        let first = self.one_of_targets(may_have_attributes)?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let mut targets = vec![first];
        while self.take_operator(",") {
            let is_end = self.is_operator(")")
                || self.is_word("in")
                || matches!(self.token.kind, Kind::BlockEnd | Kind::VariableEnd);
            if is_end {
                break;
            }
            targets.push(self.one_of_targets(may_have_attributes)?);
        }
        Ok(Target::Tuple(targets))
    }

    /// As [`Parser::target`], where `in` would end the targets.
    fn one_of_targets(&mut self, may_have_attributes: bool) -> Result<Target> {
        if self.is_word("in") {
            return self.unexpected("a name");
        }
        self.target(may_have_attributes)
    }

    /// A name, an attribute of a namespace where that may stand, or targets in parentheses.
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

    /// A name that may be bound.
    fn bound_name(&mut self) -> Result<Name> {
        match self.token.kind {
            Kind::Name(name) if self.dialect.reserved_names.contains(&name) => {
                self.fail(&format!("`{name}` is reserved and cannot be bound"))
            }
            _ => self.name(),
        }
    }
}
