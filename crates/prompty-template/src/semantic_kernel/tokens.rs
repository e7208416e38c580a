//! Splits the content of a block into tokens: `plugin.function $variable name='value'`.

use super::blocks::is_escape;
use crate::SyntaxError;
use crate::tree::Name;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;

/// The maximum length of a name in bytes.
const MAX_NAME: usize = 256;

/// The characters that separate tokens.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A token of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockToken {
    BlockOperand(BlockOperand),
    Function(Name),
    Named(Name, BlockOperand),
}

/// A token with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockOperand {
    /// A variable. The span is that of the name, without its `$`.
    Variable(Name),
    /// A string literal. The span includes the quotation marks.
    Text(String, TemplateSpan),
}

/// Splits the content of a block into tokens.
///
/// # Errors
///
/// Returns an error for tokens without a blank between them, invalid names, and arguments without a
/// value.
pub(super) fn tokens(text: &str, content: TemplateSpan) -> Result<Vec<BlockToken>, SyntaxError> {
    let mut reader = TokenReader { text, position: content.start, end: content.end };
    let mut tokens = Vec::new();
    loop {
        let had_blank = reader.skip_blanks();
        let Some(next) = reader.peek() else { return Ok(tokens) };
        if !had_blank && !tokens.is_empty() {
            return Err(reader.not_separated());
        }
        tokens.push(match next {
            '$' | '\'' | '"' => BlockToken::BlockOperand(reader.operand()?),
            _ if tokens.is_empty() => BlockToken::Function(reader.function()?),
            _ => reader.named_argument()?,
        });
    }
}

impl BlockOperand {
    /// Returns its span in the source, including the `$`.
    pub(super) fn source_span(&self) -> TemplateSpan {
        match self {
            Self::Variable(name) => {
                TemplateSpan::new(name.span.start.saturating_sub(1), name.span.end)
            }
            Self::Text(_, span) => *span,
        }
    }
}

/// Reads the tokens of one block.
struct TokenReader<'t> {
    text: &'t str,
    position: usize,
    end: usize,
}

impl<'t> TokenReader<'t> {
    #[expect(clippy::string_slice, reason = "each method finds what it skips in this rest")]
    fn rest(&self) -> &'t str {
        &self.text[self.position..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips blanks. Returns whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches(BLANKS).len();
        self.position += blanks;
        blanks > 0
    }

    /// Takes the text up to the next blank, or up to a character for which `ends` returns true.
    fn word(&mut self, ends: impl Fn(char) -> bool) -> (&'t str, TemplateSpan) {
        let rest = self.rest();
        let is_end = |character: char| BLANKS.contains(&character) || ends(character);
        let word = rest.split(is_end).next().unwrap_or(rest);
        let span = TemplateSpan::new(self.position, self.position + word.len());
        self.position = span.end;
        (word, span)
    }

    /// Reads a variable or a string literal.
    fn operand(&mut self) -> Result<BlockOperand, SyntaxError> {
        match self.peek() {
            Some('$') => self.variable().map(BlockOperand::Variable),
            Some(mark) => self.string_literal(mark),
            None => Err(self.not_separated()),
        }
    }

    fn variable(&mut self) -> Result<Name, SyntaxError> {
        let (written, span_with_sign) = self.word(|_| false);
        let name = written.strip_prefix('$').unwrap_or(written);
        let span = TemplateSpan::new(span_with_sign.start + 1, span_with_sign.end);
        if name.is_empty() {
            let error = SyntaxError::new(span_with_sign, "missing name after `$`");
            return Err(error.with_help("write the name of an input, as in `{{$name}}`"));
        }
        if !name.chars().all(is_name) {
            let message = format!("`{}` is not a valid variable", excerpt(written));
            let error = SyntaxError::new(span_with_sign, message);
            return Err(error.with_help(variable_help(name)));
        }
        check_length(name, span)?;
        Ok(Name::new(name, span))
    }

    /// Reads a string literal, in which `\'`, `\"` and `\\` are escape sequences.
    fn string_literal(&mut self, mark: char) -> Result<BlockOperand, SyntaxError> {
        let start = self.position;
        let written = self.rest();
        let mut value = String::new();
        let mut characters = written.char_indices().skip(1).peekable();
        while let Some((index, character)) = characters.next() {
            let pair = written.as_bytes().get(index..index + 2);
            if pair.is_some_and(is_escape) {
                value.extend(characters.next().map(|(_, escaped)| escaped));
                continue;
            }
            if character == mark {
                self.position = start + index + 1;
                return Ok(BlockOperand::Text(value, TemplateSpan::new(start, self.position)));
            }
            value.push(character);
        }
        let message = format!("this string has no closing {mark}");
        let error = SyntaxError::new(TemplateSpan::new(start, self.end), message);
        Err(error.with_help(format!("close it with {mark}; inside the string, write \\{mark}")))
    }

    fn function(&mut self) -> Result<Name, SyntaxError> {
        let (name, span) = self.word(|_| false);
        let rest = self.rest().trim_start_matches(BLANKS);
        if name.contains('=') || rest.starts_with('=') {
            let error = SyntaxError::new(span, "a block cannot begin with a named argument");
            return Err(
                error.with_help("write a function before it, as in `{{time.add days='3'}}`")
            );
        }
        if let Some(help) = help_for_invalid_function(name) {
            let message = format!("`{}` is not a valid function name", excerpt(name));
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        check_length(name, span)?;
        Ok(Name::new(name, span))
    }

    /// Reads `name = value`, with optional blanks around the `=`.
    fn named_argument(&mut self) -> Result<BlockToken, SyntaxError> {
        let (name, span) = self.word(|character| character == '=');
        self.skip_blanks();
        if self.peek() != Some('=') {
            let message = format!("the argument `{}` has no value", excerpt(name));
            let help = "write an argument as `$variable` or a string in quotes, and name all \
                        but the first: `name='value'`";
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        if name.is_empty() || !name.chars().all(is_name) {
            let message = format!("`{}` is not a valid argument name", excerpt(name));
            let error = SyntaxError::new(span, message);
            return Err(error.with_help("write a name with letters, digits and `_`"));
        }
        check_length(name, span)?;
        self.position += 1;
        self.skip_blanks();
        if !self.rest().starts_with(['$', '\'', '"']) {
            let (value, place) = self.word(|_| false);
            let message = format!("the value of `{name}` is neither a string nor a variable");
            let help = match excerpt(value) {
                value if value.is_empty() => {
                    format!("write `{name}='value'` or `{name}=$variable`")
                }
                value => format!("write `{name}='{value}'` for a string, or `{name}=$variable`"),
            };
            return Err(SyntaxError::new(span.to(place), message).with_help(help));
        }
        let value = self.operand()?;
        if value.source_span().text_in(self.text).is_some_and(|written| written.contains('=')) {
            let message = "the value of a named argument cannot contain `=`";
            let error = SyntaxError::new(value.source_span(), message);
            return Err(error.with_help("pass the string as an input, and write the input's name"));
        }
        Ok(BlockToken::Named(Name::new(name, span), value))
    }

    /// Returns the error for a token without a blank before it.
    fn not_separated(&self) -> SyntaxError {
        let span = TemplateSpan::new(self.position.saturating_sub(1), self.end);
        let error = SyntaxError::new(span, "missing space after this quotation mark");
        error.with_help("separate arguments with spaces; inside a string, write \\' or \\\"")
    }
}

/// Whether a character is allowed in a name.
fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn check_length(name: &str, span: TemplateSpan) -> Result<(), SyntaxError> {
    if name.len() <= MAX_NAME {
        return Ok(());
    }
    let error = SyntaxError::new(span, "the name is too long");
    Err(error.with_help(format!("write a name of at most {MAX_NAME} bytes")))
}

fn variable_help(name: &str) -> &'static str {
    if name.contains('.') || name.contains('[') {
        return "pass the part as a separate input; values have no parts in this language";
    }
    if name.contains('|') {
        return "call a function, as in `{{text.upper $name}}`; this language has no filters";
    }
    "write a name with ASCII letters, digits and `_`"
}

/// Returns the help text for an invalid function name; `None` for a valid one.
fn help_for_invalid_function(name: &str) -> Option<&'static str> {
    let is_part = |part: &str| part.chars().all(is_name);
    let parts = name.split('.').count();
    if parts <= 2 && name.split('.').all(is_part) {
        return None;
    }
    Some(if name.starts_with(['#', '/', '^', '>', '!', '&', '~', '%', '-']) {
        "for blocks, conditions and comments, set the format `handlebars`; this language has only \
         variables and calls"
    } else if name.contains('(') {
        "write arguments after the name, separated by spaces: `{{time.add $date days='3'}}`"
    } else if name.contains('|') {
        "call a function, as in `{{text.upper $name}}`; this language has no filters"
    } else if name.contains(['\'', '"', '$']) {
        "write a space before the argument"
    } else if parts > 2 {
        "write a function as `name` or `plugin.name`, with a single dot"
    } else {
        "write a name with ASCII letters, digits and `_`, and one dot as in `plugin.name`"
    })
}
