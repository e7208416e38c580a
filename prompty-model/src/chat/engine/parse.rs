//! From tokens to a [`Program`]: the statements. Expressions are in [`super::expressions`].

use std::collections::HashMap;
use std::sync::Arc;

use super::expressions::MAX_ARGUMENTS;
use super::lex::{self, Kind, Token};
use super::run::Function;
use super::tree::{Expr, ExprKind, Filter, Known, Loop, Macro, NameId, Program, Statement, Target};
use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;

/// The longest template, in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// How deep blocks may lie in each other.
const MAX_BLOCKS: usize = 64;

/// A normalised text as a program.
pub(super) fn program(source: &str) -> Result<Program, SyntaxError> {
    if source.len() > MAX_LENGTH {
        return Err(SyntaxError::new(Span::new(0, 0), "the template is longer than 1 MiB"));
    }
    let tokens = lex::tokens(source)?;
    let mut parser = Parser {
        tokens: &tokens,
        next: 0,
        names: Names::default(),
        macros: Vec::new(),
        loops: Vec::new(),
        blocks: 0,
        brackets: 0,
    };
    let known = Known {
        r#loop: parser.names.id("loop"),
        caller: parser.names.id("caller"),
        varargs: parser.names.id("varargs"),
        kwargs: parser.names.id("kwargs"),
    };
    let body = parser.statements(&[])?;
    let functions = parser.names.all.iter().map(|name| Function::named(name)).collect();
    let (macros, loops) = (parser.macros, parser.loops);
    Ok(Program { body, names: parser.names.all, functions, macros, loops, known })
}

/// Gives each name a number.
#[derive(Default)]
pub(super) struct Names {
    all: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, NameId>,
}

impl Names {
    pub(super) fn id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NameId::try_from(self.all.len()).unwrap_or(NameId::MAX);
        let name: Arc<str> = name.into();
        self.all.push(name.clone());
        self.ids.insert(name, id);
        id
    }
}

pub(super) struct Parser<'s, 't> {
    tokens: &'t [Token<'s>],
    next: usize,
    pub(super) names: Names,
    macros: Vec<Macro>,
    loops: Vec<Loop>,
    blocks: usize,
    /// How many brackets, signs and `not`s are open.
    pub(super) brackets: usize,
}

impl<'s> Parser<'s, '_> {
    pub(super) fn token(&self) -> (&Kind<'s>, Span) {
        match self.tokens.get(self.next) {
            Some(token) => (&token.kind, token.span),
            None => (&Kind::End, Span::default()),
        }
    }

    pub(super) fn kind(&self) -> &Kind<'s> {
        self.token().0
    }

    pub(super) fn kind_after(&self) -> &Kind<'s> {
        self.tokens.get(self.next + 1).map_or(&Kind::End, |token| &token.kind)
    }

    pub(super) fn at(&self) -> u32 {
        offset(self.token().1.start)
    }

    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    pub(super) fn is_operator(&self, operator: &str) -> bool {
        matches!(self.kind(), Kind::Operator(found) if *found == operator)
    }

    pub(super) fn take_operator(&mut self, operator: &str) -> bool {
        let found = self.is_operator(operator);
        self.next += usize::from(found);
        found
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Name(found) if *found == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, operator: &'static str) -> Result<(), SyntaxError> {
        if self.take_operator(operator) {
            return Ok(());
        }
        self.unexpected(&format!("`{operator}`"))
    }

    pub(super) fn name(&mut self) -> Result<&'s str, SyntaxError> {
        match self.kind() {
            Kind::Name(name) => {
                let name = *name;
                self.advance();
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError::new(self.token().1, message))
    }

    pub(super) fn unexpected<T>(&self, expected: &str) -> Result<T, SyntaxError> {
        let found = match self.kind() {
            Kind::Text(_) => "text".to_owned(),
            Kind::VariableBegin => "`{{`".to_owned(),
            Kind::VariableEnd => "`}}`".to_owned(),
            Kind::BlockBegin => "`{%`".to_owned(),
            Kind::BlockEnd => "`%}`".to_owned(),
            Kind::Name(name) => format!("`{name}`"),
            Kind::String(_) => "a text".to_owned(),
            Kind::Integer(number) => format!("`{number}`"),
            Kind::Float(number) => format!("`{number}`"),
            Kind::Operator(operator) => format!("`{operator}`"),
            Kind::End => "the end of the template".to_owned(),
        };
        self.fail(format!("expected {expected}, found {found}"))
    }

    fn block_end(&mut self) -> Result<(), SyntaxError> {
        if *self.kind() != Kind::BlockEnd {
            return self.unexpected("`%}`");
        }
        self.advance();
        Ok(())
    }

    /// Statements up to a tag that begins with one of the words; that word comes next.
    fn statements(&mut self, ends: &[&str]) -> Result<Vec<Statement>, SyntaxError> {
        self.blocks += 1;
        if self.blocks > MAX_BLOCKS {
            return self.fail("blocks are nested too deep");
        }
        let mut body = Vec::new();
        loop {
            match self.kind() {
                Kind::End if ends.is_empty() => break,
                Kind::End => {
                    let end = ends.last().copied().unwrap_or_default();
                    return self.fail(format!("`{{% {end} %}}` is missing"));
                }
                Kind::Text(text) => {
                    body.push(Statement::Text((*text).into()));
                    self.advance();
                }
                Kind::VariableBegin => {
                    self.advance();
                    let value = self.tuple(true)?;
                    if *self.kind() != Kind::VariableEnd {
                        return self.unexpected("`}}`");
                    }
                    self.advance();
                    body.push(Statement::Output(value));
                }
                Kind::BlockBegin => {
                    self.advance();
                    if ends.iter().any(|end| self.is_word(end)) {
                        break;
                    }
                    let statement = self.statement()?;
                    body.extend(statement);
                }
                _ => return self.unexpected("text or a tag"),
            }
        }
        self.blocks -= 1;
        Ok(body)
    }

    /// A body up to its end tag, which is read too.
    fn body(&mut self, end: &'static str) -> Result<Vec<Statement>, SyntaxError> {
        self.block_end()?;
        let body = self.statements(&[end])?;
        self.advance();
        // `endblock name` and `endmacro name` may repeat the name.
        if matches!(self.kind(), Kind::Name(_)) {
            self.advance();
        }
        self.block_end()?;
        Ok(body)
    }

    /// What stands in one tag, with all that it encloses.
    fn statement(&mut self) -> Result<Option<Statement>, SyntaxError> {
        let (kind, span) = self.token();
        let Kind::Name(tag) = kind else { return self.unexpected("the name of a tag") };
        let tag = *tag;
        self.advance();
        let statement = match tag {
            "if" => return self.condition().map(Some),
            "for" => return self.repetition().map(Some),
            "set" => return self.assignment().map(Some),
            "with" => self.with()?,
            "filter" => {
                let filters = self.filters()?;
                Statement::FilterBlock { filters, body: self.body("endfilter")? }
            }
            "macro" => {
                let name = self.name()?;
                let name = self.names.id(name);
                let parameters = self.parameters()?;
                Statement::Macro(self.finish_macro(name, parameters, "endmacro")?)
            }
            "call" => {
                let parameters = match self.is_operator("(") {
                    true => self.parameters()?,
                    false => Vec::new(),
                };
                let call = self.expression()?;
                if !matches!(call.kind, ExprKind::Call(..)) {
                    return self.unexpected("a call of a macro");
                }
                let name = self.names.id("caller");
                let caller = self.finish_macro(name, parameters, "endcall")?;
                Statement::CallBlock { call, caller }
            }
            "do" => {
                let value = self.tuple(true)?;
                self.block_end()?;
                Statement::Do(value)
            }
            "break" | "continue" => {
                self.block_end()?;
                if tag == "break" { Statement::Break } else { Statement::Continue }
            }
            "generation" => Statement::Scope(self.body("endgeneration")?),
            "block" => {
                self.name()?;
                while matches!(self.kind(), Kind::Name("scoped" | "required")) {
                    self.advance();
                }
                Statement::Scope(self.body("endblock")?)
            }
            "autoescape" => {
                self.expression()?;
                Statement::Scope(self.body("endautoescape")?)
            }
            "include" | "import" | "from" | "extends" => {
                let error = SyntaxError::new(span, format!("`{tag}` is not available"));
                return Err(error.with_help("a chat template stands alone"));
            }
            _ => return Err(SyntaxError::new(span, format!("unknown tag `{tag}`"))),
        };
        Ok(Some(statement))
    }

    fn condition(&mut self) -> Result<Statement, SyntaxError> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let test = self.tuple(true)?;
            self.block_end()?;
            let body = self.statements(&["elif", "else", "endif"])?;
            branches.push((test, body));
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                self.block_end()?;
                otherwise = self.statements(&["endif"])?;
            }
            self.advance();
            self.block_end()?;
            return Ok(Statement::If { branches, otherwise });
        }
    }

    fn repetition(&mut self) -> Result<Statement, SyntaxError> {
        let target = self.target()?;
        if !self.take_word("in") {
            return self.unexpected("`in`");
        }
        let iterable = self.tuple(false)?;
        let condition = if self.take_word("if") { Some(self.expression()?) } else { None };
        let recursive = self.take_word("recursive");
        self.block_end()?;
        let body = self.statements(&["else", "endfor"])?;
        let mut otherwise = Vec::new();
        if self.take_word("else") {
            self.block_end()?;
            otherwise = self.statements(&["endfor"])?;
        }
        self.advance();
        self.block_end()?;
        let id = offset(self.loops.len());
        self.loops.push(Loop { target, iterable, condition, recursive, body, otherwise });
        Ok(Statement::For(id))
    }

    fn assignment(&mut self) -> Result<Statement, SyntaxError> {
        let target = self.target()?;
        if self.take_operator("=") {
            let value = self.tuple(true)?;
            self.block_end()?;
            return Ok(Statement::Set { target, value });
        }
        let mut filters = Vec::new();
        while self.take_operator("|") {
            filters.push(self.filter()?);
        }
        Ok(Statement::SetBlock { target, filters, body: self.body("endset")? })
    }

    fn with(&mut self) -> Result<Statement, SyntaxError> {
        let mut bindings = Vec::new();
        while *self.kind() != Kind::BlockEnd {
            if !bindings.is_empty() {
                self.expect(",")?;
            }
            let target = self.target()?;
            self.expect("=")?;
            bindings.push((target, self.expression()?));
        }
        Ok(Statement::With { bindings, body: self.body("endwith")? })
    }

    fn filters(&mut self) -> Result<Vec<Filter>, SyntaxError> {
        let mut filters = vec![self.filter()?];
        while self.take_operator("|") {
            filters.push(self.filter()?);
        }
        Ok(filters)
    }

    fn parameters(&mut self) -> Result<Vec<(NameId, Option<Expr>)>, SyntaxError> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is_operator(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            let name = self.name()?;
            let name = self.names.id(name);
            let default = if self.take_operator("=") { Some(self.expression()?) } else { None };
            parameters.push((name, default));
            if parameters.len() > MAX_ARGUMENTS {
                return self.fail("a macro has too many parameters");
            }
        }
        self.advance();
        Ok(parameters)
    }

    fn finish_macro(
        &mut self,
        name: NameId,
        parameters: Vec<(NameId, Option<Expr>)>,
        end: &'static str,
    ) -> Result<u32, SyntaxError> {
        let first = self.next;
        let body = self.body(end)?;
        let tokens = self.tokens.get(first..self.next).unwrap_or_default();
        let reads = |name| tokens.iter().any(|token| token.kind == Kind::Name(name));
        let (takes_varargs, takes_kwargs) = (reads("varargs"), reads("kwargs"));
        let id = offset(self.macros.len());
        self.macros.push(Macro { name, parameters, body, takes_varargs, takes_kwargs });
        Ok(id)
    }

    /// What `for`, `set` and `with` bind.
    fn target(&mut self) -> Result<Target, SyntaxError> {
        let first = self.one_target()?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let mut targets = vec![first];
        while self.take_operator(",") {
            if !matches!(self.kind(), Kind::Name(_)) && !self.is_operator("(") {
                break;
            }
            if self.is_word("in") {
                break;
            }
            targets.push(self.one_target()?);
        }
        Ok(Target::Tuple(targets))
    }

    fn one_target(&mut self) -> Result<Target, SyntaxError> {
        if self.is_operator("(") {
            self.open()?;
            let target = self.target()?;
            self.expect(")")?;
            self.brackets -= 1;
            return Ok(target);
        }
        let at = self.at();
        let name = self.name()?;
        let id = self.names.id(name);
        if self.take_operator(".") {
            let name = self.name()?.into();
            return Ok(Target::Attribute { namespace: id, name, at });
        }
        Ok(Target::Name(id))
    }
}

/// A place in a text of at most [`MAX_LENGTH`] bytes.
pub(super) fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
