//! The tokens of a block: `plugin.function $variable name='value'`.

use super::blocks::is_escape;
use crate::SyntaxError;
use crate::tree::Name;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;

/// How many bytes a name may have.
const MAX_NAME: usize = 256;

/// What separates tokens.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Operand(Operand),
    Function(Name),
    Named(Name, Operand),
}

/// What has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand {
    /// A variable; the place is that of the name, without its `$`.
    Variable(Name),
    /// A text in quotation marks; the place holds those.
    Text(String, TemplateSpan),
}

/// The tokens of a block's content.
///
/// # Errors
///
/// Tokens that no blank separates, names that cannot be, arguments without a value.
pub(super) fn tokens(text: &str, content: TemplateSpan) -> Result<Vec<Token>, SyntaxError> {
    let mut reader = Reader { text, position: content.start, end: content.end };
    let mut tokens = Vec::new();
    loop {
        let had_blank = reader.skip_blanks();
        let Some(next) = reader.peek() else { return Ok(tokens) };
        if !had_blank && !tokens.is_empty() {
            return Err(reader.not_separated());
        }
        tokens.push(match next {
            '$' | '\'' | '"' => Token::Operand(reader.operand()?),
            _ if tokens.is_empty() => Token::Function(reader.function()?),
            _ => reader.named()?,
        });
    }
}

impl Operand {
    /// Its place as the author wrote it.
    pub(super) fn written(&self) -> TemplateSpan {
        match self {
            Self::Variable(name) => {
                TemplateSpan::new(name.span.start.saturating_sub(1), name.span.end)
            }
            Self::Text(_, span) => *span,
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
    end: usize,
}

impl<'t> Reader<'t> {
    #[expect(clippy::string_slice, reason = "each method finds what it skips in this rest")]
    fn rest(&self) -> &'t str {
        &self.text[self.position..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes over blanks; whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches(BLANKS).len();
        self.position += blanks;
        blanks > 0
    }

    /// What stands up to the next blank, or up to where `ends` holds.
    fn word(&mut self, ends: impl Fn(char) -> bool) -> (&'t str, TemplateSpan) {
        let rest = self.rest();
        let ends = |character: char| BLANKS.contains(&character) || ends(character);
        let word = rest.split(ends).next().unwrap_or(rest);
        let span = TemplateSpan::new(self.position, self.position + word.len());
        self.position = span.end;
        (word, span)
    }

    /// A variable or a text in quotation marks.
    fn operand(&mut self) -> Result<Operand, SyntaxError> {
        match self.peek() {
            Some('$') => self.variable().map(Operand::Variable),
            Some(mark) => self.quoted(mark),
            None => Err(self.not_separated()),
        }
    }

    fn variable(&mut self) -> Result<Name, SyntaxError> {
        let (written, whole) = self.word(|_| false);
        let name = written.strip_prefix('$').unwrap_or(written);
        let span = TemplateSpan::new(whole.start + 1, whole.end);
        if name.is_empty() {
            let error = SyntaxError::new(whole, "there is no name behind `$`");
            return Err(error.with_help("write the name of an input, as in `{{$name}}`"));
        }
        if !name.chars().all(is_name) {
            let message = format!("`{}` is no variable", excerpt(written));
            let error = SyntaxError::new(whole, message);
            return Err(error.with_help(variable_help(name)));
        }
        long_enough(name, span)?;
        Ok(Name::new(name, span))
    }

    /// A text between two of the same quotation marks, in which `\'`, `\"` and `\\` are one character.
    fn quoted(&mut self, mark: char) -> Result<Operand, SyntaxError> {
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
                return Ok(Operand::Text(value, TemplateSpan::new(start, self.position)));
            }
            value.push(character);
        }
        let message = format!("this text has no {mark} at its end");
        let error = SyntaxError::new(TemplateSpan::new(start, self.end), message);
        Err(error.with_help(format!("end it with {mark}; inside of the text write \\{mark}")))
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
        if let Some(help) = why_no_function(name) {
            let message = format!("`{}` is no function", excerpt(name));
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        long_enough(name, span)?;
        Ok(Name::new(name, span))
    }

    /// `name = value`, with blanks around the sign or without.
    fn named(&mut self) -> Result<Token, SyntaxError> {
        let (name, span) = self.word(|character| character == '=');
        self.skip_blanks();
        if self.peek() != Some('=') {
            let message = format!("the argument `{}` has no value", excerpt(name));
            let help = "an argument is `$variable` or a text in quotation marks; behind the first, each \
                        has a name: `name='value'`";
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        if name.is_empty() || !name.chars().all(is_name) {
            let message = format!("`{}` is no name of an argument", excerpt(name));
            let error = SyntaxError::new(span, message);
            return Err(error.with_help("a name has letters, digits and `_`"));
        }
        long_enough(name, span)?;
        self.position += 1;
        self.skip_blanks();
        if !self.rest().starts_with(['$', '\'', '"']) {
            let (value, place) = self.word(|_| false);
            let message = format!("the value of `{name}` is neither a text nor a variable");
            let help = match excerpt(value) {
                value if value.is_empty() => {
                    format!("write `{name}='value'` or `{name}=$variable`")
                }
                value => format!("write `{name}='{value}'` for a text, or `{name}=$variable`"),
            };
            return Err(SyntaxError::new(span.to(place), message).with_help(help));
        }
        let value = self.operand()?;
        if value.written().text_in(self.text).is_some_and(|written| written.contains('=')) {
            let message = "the value of a named argument cannot hold `=`";
            let error = SyntaxError::new(value.written(), message);
            return Err(error.with_help("give the text as an input, and name that"));
        }
        Ok(Token::Named(Name::new(name, span), value))
    }

    /// No blank stands where a token begins.
    fn not_separated(&self) -> SyntaxError {
        let span = TemplateSpan::new(self.position.saturating_sub(1), self.end);
        let error = SyntaxError::new(span, "a blank is missing behind this quotation mark");
        error.with_help("separate arguments by blanks; inside of a text write \\' or \\\"")
    }
}

/// Whether a name may hold the character.
fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn long_enough(name: &str, span: TemplateSpan) -> Result<(), SyntaxError> {
    if name.len() <= MAX_NAME {
        return Ok(());
    }
    let error = SyntaxError::new(span, "the name is too long");
    Err(error.with_help(format!("a name has at most {MAX_NAME} bytes")))
}

fn variable_help(name: &str) -> &'static str {
    if name.contains('.') || name.contains('[') {
        return "values have no parts in this language: give the part as an input of its own";
    }
    if name.contains('|') {
        return "there are no filters in this language: call a function, as in `{{text.upper $name}}`";
    }
    "a name has ASCII letters, digits and `_`"
}

/// Why a word cannot name a function, as a way to mend it.
fn why_no_function(name: &str) -> Option<&'static str> {
    let is_part = |part: &str| part.chars().all(is_name);
    let parts = name.split('.').count();
    if parts <= 2 && name.split('.').all(is_part) {
        return None;
    }
    Some(if name.starts_with(['#', '/', '^', '>', '!', '&', '~', '%', '-']) {
        "this language has variables and calls only: for blocks, conditions and comments set the format \
         `handlebars`"
    } else if name.contains('(') {
        "arguments stand behind the name with blanks between: `{{time.add $date days='3'}}`"
    } else if name.contains('|') {
        "there are no filters in this language: call a function, as in `{{text.upper $name}}`"
    } else if name.contains(['\'', '"', '$']) {
        "write a blank before the argument"
    } else if parts > 2 {
        "a function is `name` or `plugin.name`, with one dot"
    } else {
        "a name has ASCII letters, digits and `_`, and one dot behind the plugin: `plugin.name`"
    })
}
