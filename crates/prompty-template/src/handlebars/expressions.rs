//! Parses the content of Handlebars tags: names, constants, calls of helpers, and names after `as`.
//!
//! [`read`] splits `each (sorted items) by="name" as |item|` into the head `each`, two arguments,
//! and the parameter `item`. The arguments are expressions already, and the caller decides what the
//! head means. A [`ResolveCall`] function converts a call in parentheses.

use super::names::{ContextBlocks, NamePath};
use crate::SyntaxError;
use crate::tree::{Argument, Expr, ExprKind, Name};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// The maximum number of parts of a name and of arguments of a call. Recursive walks over the tree
/// depend on it.
const MAX_DEPTH: usize = 64;

/// The maximum nesting of parentheses. The parser needs about 10 KB of stack for each level in a
/// debug build, and a small thread has 512 KB.
const MAX_PARENTHESES: usize = 30;

/// The maximum length of a name in bytes. A name in a loop is looked up in each iteration.
const MAX_NAME: usize = 256;

/// The parsed content of a tag.
#[derive(Debug)]
pub(super) struct TagContent {
    pub(super) head: TagHead,
    pub(super) arguments: Vec<Argument>,
    /// The names after `as`.
    pub(super) parameters: Vec<Name>,
    /// The span without surrounding white space.
    pub(super) span: TemplateSpan,
}

impl TagContent {
    /// Returns the name at the beginning, if it is a plain name.
    pub(super) fn simple_name(&self) -> Option<&Name> {
        match &self.head {
            TagHead::Path(path) => path.simple(),
            TagHead::Literal(..) | TagHead::Call(_) => None,
        }
    }
}

/// The first part of a tag, or of a call in parentheses.
#[derive(Debug)]
pub(super) enum TagHead {
    Path(NamePath),
    /// A constant, and the name that it means if it is alone in a tag: `{{"a b"}}` prints the input
    /// `a b`.
    Literal(Expr, Name),
    /// A call in parentheses.
    Call(Box<TagContent>),
}

impl TagHead {
    pub(super) fn span(&self) -> TemplateSpan {
        match self {
            Self::Path(path) => path.span,
            Self::Literal(expr, _) => expr.span,
            Self::Call(content) => content.span,
        }
    }
}

/// Converts a call in parentheses into an expression.
pub(super) type ResolveCall = fn(&ContextBlocks, TagContent) -> Result<Expr, SyntaxError>;

/// Parses the content of a tag in these blocks.
pub(super) fn read(
    text: &str,
    span: TemplateSpan,
    blocks: &ContextBlocks,
    resolve_call: ResolveCall,
) -> Result<TagContent, SyntaxError> {
    let (position, end) = (span.start, span.end);
    let mut reader = TagContentReader { text, position, end, depth: 0, blocks, resolve_call };
    let content = reader.content(span)?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok(content),
        Some(next) => Err(reader.unexpected(next)),
    }
}

/// Parses the content of one tag.
struct TagContentReader<'r> {
    text: &'r str,
    position: usize,
    end: usize,
    depth: usize,
    blocks: &'r ContextBlocks,
    resolve_call: ResolveCall,
}

impl TagContentReader<'_> {
    #[expect(clippy::string_slice, reason = "each method finds what it skips in this rest")]
    fn rest(&self) -> &str {
        &self.text[self.position..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
    }

    fn span_from(&self, start: usize) -> TemplateSpan {
        TemplateSpan::new(start, self.position)
    }

    fn unexpected(&self, next: char) -> SyntaxError {
        let place = TemplateSpan::new(self.position, self.position + next.len_utf8());
        let error = SyntaxError::new(place, format!("unexpected `{next}`"));
        match next {
            '|' => error.with_help("call a helper instead of a filter, as in `{{json value}}`"),
            '=' if self.rest().starts_with("==") => {
                error.with_help("compare two values with a helper: `{{#if (equals a b)}}`")
            }
            '=' => error.with_help("write the argument's name before the `=`, as in `name=value`"),
            _ => error.with_help(
                "write a name, or a helper with its arguments, separated by spaces; put names with \
                 other characters in brackets: `[first name]`",
            ),
        }
    }

    /// Parses a head with its arguments, up to the end or a closing parenthesis.
    fn content(&mut self, tag: TemplateSpan) -> Result<TagContent, SyntaxError> {
        self.skip_blanks();
        let start = self.position;
        let head = match self.peek() {
            None | Some(')') => {
                let error = SyntaxError::new(tag, "expected a name");
                return Err(
                    error.with_help("write the name of an input, or a helper with its arguments")
                );
            }
            Some(_) => self.head()?,
        };
        let mut content = TagContent {
            head,
            arguments: Vec::new(),
            parameters: Vec::new(),
            span: self.span_from(start),
        };
        loop {
            let before = self.position;
            self.skip_blanks();
            match self.peek() {
                None | Some(')') => break,
                Some('|') => return Err(self.unexpected('|')),
                Some(next) if before == self.position => return Err(self.unexpected(next)),
                Some(_) => {}
            }
            if self.depth == 0 && self.begins_parameters() {
                content.parameters = self.parameters()?;
                break;
            }
            let argument = self.argument()?;
            check_order(&content.arguments, &argument)?;
            content.arguments.push(argument);
            content.span = self.span_from(start);
        }
        Ok(content)
    }

    /// Parses `(helper arguments)`.
    fn parenthesised_call(&mut self) -> Result<TagContent, SyntaxError> {
        let start = self.position;
        self.position += 1;
        self.depth += 1;
        if self.depth > MAX_PARENTHESES {
            let message = format!("parentheses are nested more than {MAX_PARENTHESES} levels deep");
            return Err(SyntaxError::new(self.span_from(start), message)
                .with_help("bind an inner call to a name with `{{set \"name\" (…)}}`"));
        }
        let opening = self.span_from(start);
        let mut content = self.content(opening)?;
        self.depth -= 1;
        self.skip_blanks();
        if self.peek() != Some(')') {
            let error = SyntaxError::new(opening, "the parenthesis is never closed");
            return Err(error.with_help("write `)` after the last argument of the call"));
        }
        self.position += 1;
        content.span = self.span_from(start);
        Ok(content)
    }

    fn argument(&mut self) -> Result<Argument, SyntaxError> {
        let start = self.position;
        let name = self.identifier();
        if !name.is_empty() {
            let name = Name::new(name, TemplateSpan::new(start, start + name.len()));
            self.position = name.span.end;
            self.skip_blanks();
            if self.peek() == Some('=') {
                self.position += 1;
                self.skip_blanks();
                return Ok(Argument::Named(name, self.value()?));
            }
            self.position = start;
        }
        self.value().map(Argument::Positional)
    }

    /// Parses the value of an argument.
    fn value(&mut self) -> Result<Expr, SyntaxError> {
        match self.head()? {
            TagHead::Path(path) => self.blocks.resolve(path),
            TagHead::Literal(expr, _) => Ok(expr),
            TagHead::Call(content) => (self.resolve_call)(self.blocks, *content),
        }
    }

    /// Parses a name, a constant or a call in parentheses.
    fn head(&mut self) -> Result<TagHead, SyntaxError> {
        let start = self.position;
        let (value, name) = match self.peek() {
            Some('(') => return Ok(TagHead::Call(Box::new(self.parenthesised_call()?))),
            Some(quote @ ('"' | '\'')) => {
                let text = self.string_literal(quote)?;
                (Value::from(text.clone()), text)
            }
            _ => match number(self.rest()).or_else(|| self.keyword()) {
                Some((value, written)) => {
                    let name = written.to_owned();
                    self.position += name.len();
                    (value, name)
                }
                None => return self.path().map(TagHead::Path),
            },
        };
        let span = self.span_from(start);
        let constant = Expr { kind: ExprKind::Literal(value), span };
        Ok(TagHead::Literal(constant, Name::new(name, span)))
    }

    /// Returns the constant that is next, with its source, without taking it.
    fn keyword(&self) -> Option<(Value, &str)> {
        let word = self.identifier();
        let value = match word {
            "true" => Value::from(true),
            "false" => Value::from(false),
            "null" | "undefined" => Value::Null,
            _ => return None,
        };
        let is_path = self.rest().strip_prefix(word)?.starts_with(['.', '/']);
        (!is_path).then_some((value, word))
    }

    /// Parses a string literal.
    fn string_literal(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1).peekable();
        while let Some((offset, character)) = characters.next() {
            if character == quote {
                self.position = start + offset + 1;
                return Ok(text);
            }
            let is_escape = character == '\\';
            match characters.next_if(|(_, next)| is_escape && *next == quote) {
                Some((_, quote)) => text.push(quote),
                None => text.push(character),
            }
        }
        let message = format!("the string is never closed: missing `{quote}`");
        let error = SyntaxError::new(TemplateSpan::new(start, start + 1), message);
        Err(error.with_help("close it with the same quotation mark"))
    }

    /// Returns the longest name at the position, without taking it; it may be empty.
    fn identifier(&self) -> &str {
        let rest = self.rest();
        rest.split(|next: char| !is_in_name(next)).next().unwrap_or(rest)
    }

    /// Parses a name with its parts: `../user.name`, `@index`.
    fn path(&mut self) -> Result<NamePath, SyntaxError> {
        let start = self.position;
        let mut path = NamePath {
            is_data: self.peek() == Some('@'),
            up: 0,
            this: None,
            parts: Vec::new(),
            span: TemplateSpan::default(),
        };
        if path.is_data {
            self.position += 1;
        }
        loop {
            self.segment(&mut path, start)?;
            match self.peek() {
                Some('/' | '.') => self.position += 1,
                _ => break,
            }
            // A separator may end `../` and `./`, but not a name.
            let is_at_end = self.peek().is_none_or(|next| next.is_whitespace() || next == ')');
            if is_at_end && path.parts.is_empty() {
                break;
            }
        }
        path.span = self.span_from(start);
        if path.span.end - path.span.start > MAX_NAME || path.parts.len() + path.up > MAX_DEPTH {
            return Err(SyntaxError::new(path.span, "the name is too long").with_help(format!(
                "write a name of at most {MAX_NAME} bytes and {MAX_DEPTH} parts"
            )));
        }
        Ok(path)
    }

    /// Parses `..`, `.`, `this`, a name, or a name in brackets.
    fn segment(&mut self, path: &mut NamePath, path_start: usize) -> Result<(), SyntaxError> {
        let start = self.position;
        let rest = self.rest();
        let word = self.identifier();
        let dots = match word {
            "this" => "this",
            _ if rest.starts_with("..") => "..",
            _ if rest.starts_with('.') => ".",
            _ => "",
        };
        // The path goes up to an enclosing context, or begins with the current one.
        if !dots.is_empty() {
            self.position += dots.len();
            if !path.parts.is_empty() {
                let span = self.span_from(path_start);
                let written = span.text_in(self.text).map_or_else(|| dots.into(), excerpt);
                let error = SyntaxError::new(span, format!("`{written}` is not a valid name"));
                return Err(
                    error.with_help(format!("write `{dots}` only at the beginning of a name"))
                );
            }
            path.up += usize::from(dots == "..");
            path.this = Some(self.span_from(start));
            return Ok(());
        }
        let (name, length) = match rest.strip_prefix('[').map(|inside| inside.split_once(']')) {
            Some(Some((name, _))) => (name, name.len() + "[]".len()),
            Some(None) => {
                let bracket = TemplateSpan::new(start, start + 1);
                return Err(SyntaxError::new(bracket, "the bracket is never closed")
                    .with_help("write `]` after the name"));
            }
            None => (word, word.len()),
        };
        if length == 0 {
            return Err(match self.peek() {
                Some(next) => self.unexpected(next),
                None => SyntaxError::new(self.span_from(path_start), "the name is incomplete")
                    .with_help("write a name after the `.`, `/` or `@`"),
            });
        }
        let name = name.to_owned();
        self.position += length;
        path.parts.push(Name::new(name, self.span_from(start)));
        Ok(())
    }

    /// Whether `as |…|` is next.
    fn begins_parameters(&self) -> bool {
        let Some(rest) = self.rest().strip_prefix("as") else { return false };
        rest.starts_with(char::is_whitespace) && rest.trim_start().starts_with('|')
    }

    /// Parses `as |item index|`.
    fn parameters(&mut self) -> Result<Vec<Name>, SyntaxError> {
        let start = self.position;
        self.position += "as".len();
        self.skip_blanks();
        self.position += 1;
        let mut names: Vec<Name> = Vec::new();
        loop {
            self.skip_blanks();
            let place = self.position;
            let name = self.identifier().to_owned();
            self.position += name.len();
            if !name.is_empty() && names.len() < 2 {
                names.push(Name::new(name, self.span_from(place)));
                continue;
            }
            if self.peek() == Some('|') && name.is_empty() && !names.is_empty() {
                self.position += 1;
                return Ok(names);
            }
            let error =
                SyntaxError::new(self.span_from(start), "expected one or two names after `as`");
            return Err(error.with_help("write them between bars: `as |item index|`"));
        }
    }
}

/// Returns an error if an argument cannot follow the others.
fn check_order(others: &[Argument], argument: &Argument) -> Result<(), SyntaxError> {
    let span = argument.expr().span;
    if let (Argument::Positional(_), Some(Argument::Named(..))) = (argument, others.last()) {
        return Err(SyntaxError::new(span, "a positional argument follows a named one")
            .with_help("put positional arguments before named ones"));
    }
    if others.len() >= MAX_DEPTH {
        let message = format!("a call has more than {MAX_DEPTH} arguments");
        return Err(SyntaxError::new(span, message)
            .with_help("pass the values as one list, prepared outside of the template"));
    }
    Ok(())
}

/// Whether a character is allowed in a name without brackets.
fn is_in_name(character: char) -> bool {
    const OTHERS: &str = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";
    !character.is_whitespace() && !OTHERS.contains(character)
}

/// Parses the number at the beginning of a text. Returns its value and its source.
fn number<'t>(text: &'t str) -> Option<(Value, &'t str)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let after_digits = |text: &'t str| text.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut rest = after_digits(unsigned);
    if rest.len() == unsigned.len() {
        return None;
    }
    if let Some(fraction) = rest.strip_prefix('.')
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        rest = after_digits(fraction);
    }
    if rest.starts_with(|next| is_in_name(next) || matches!(next, '.' | '/' | '[')) {
        return None;
    }
    let written = text.get(..text.len() - rest.len())?;
    let value = match written.parse::<i128>() {
        Ok(integer) => Value::Integer(integer),
        Err(_) => Value::from(written.parse::<f64>().ok()?),
    };
    Some((value, written))
}
