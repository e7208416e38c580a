//! The syntax errors of Jinja templates: their messages, places and help texts.
//!
//! The lexer makes its errors with the functions. The parser passes the token that it cannot use to
//! [`ErrorContext::unexpected`], which looks for a known mistake around that token, in this order:
//! a tag or block that is not closed, syntax of another language, an open bracket. Otherwise the
//! error names the token and what was expected.

use super::dialect::{Dialect, TAGS};
use super::foreign_syntax;
use super::split_tags::split_tags;
use super::token::{Token, TokenKind};
use super::{MAX_BRACKETS, MAX_DEPTH};
use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::value::internal::excerpt;

/// A tag that opened a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockOpener {
    pub(super) keyword: &'static str,
    pub(super) tag: TemplateSpan,
}

/// A tag that is being parsed.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenTag<'s> {
    pub(super) opener: TemplateSpan,
    /// Its first word; `None` for an output.
    pub(super) keyword: Option<&'s str>,
}

/// The context of a syntax error.
#[derive(Debug)]
pub(super) struct ErrorContext<'p, 's> {
    pub(super) text: &'s str,
    pub(super) dialect: &'p Dialect,
    /// The unexpected token.
    pub(super) token: &'p Token<'s>,
    pub(super) tag: Option<OpenTag<'s>>,
    /// The innermost open block.
    pub(super) block: Option<BlockOpener>,
}

/// Returns the error for `{{`, `{%` or `{#` without its closing delimiter.
pub(super) fn not_closed(opener: &str, place: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(place, format!("`{opener}` is never closed"))
        .with_help(format!("close it with `{closer}`"))
}

pub(super) fn string_not_closed(quote: TemplateSpan) -> SyntaxError {
    SyntaxError::new(quote, "this string is never closed")
        .with_help("close it with the same quotation mark")
}

pub(super) fn invalid_escape(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this escape sequence is incomplete")
        .with_help("write a backslash as `\\\\`")
}

pub(super) fn not_a_number(written: &str, place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, format!("`{}` is not a supported number", excerpt(written)))
        .with_help("write it with digits, at most 38 of them")
}

/// Returns the error for `0..3`, whose first dot was read as a part of a number.
pub(super) fn range_of_numbers(text: &str, dots: usize) -> SyntaxError {
    let known = text.get(dots..).and_then(foreign_syntax::find_operator);
    let (written, help) = known.unwrap_or(("..", "write `range`"));
    let place = TemplateSpan::new(dots, dots + written.len());
    SyntaxError::new(place, format!("`{written}` is not an operator")).with_help(help)
}

pub(super) fn too_long(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this expression is too long")
        .with_help("split it with `{% set %}`, or compute the value outside of the template")
}

pub(super) fn nested_too_deep(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(
        place,
        format!("blocks or brackets are nested more than {MAX_DEPTH} levels deep"),
    )
    .with_help("split the template, or bind parts of it with `{% set %}`")
}

pub(super) fn too_many_brackets(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, format!("brackets are nested more than {MAX_BRACKETS} levels deep"))
        .with_help("bind inner parts with `{% set %}`")
}

pub(super) fn too_many_blocks(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "too many nested blocks or `elif` branches")
        .with_help("look the text up in a map, or choose it outside of the template")
}

impl ErrorContext<'_, '_> {
    /// Returns the source of a token or a tag.
    #[expect(clippy::string_slice, reason = "the lexer found the span in the same text")]
    fn source(&self, span: TemplateSpan) -> &str {
        &self.text[span.start..span.end]
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.token.span, message)
    }

    /// Returns the error for a token that is not the `expected` one.
    pub(super) fn unexpected(&self, expected: &str) -> SyntaxError {
        if let TokenKind::Error(error) = &self.token.kind {
            return (**error).clone();
        }
        self.unclosed_tag()
            .or_else(|| self.unclosed_block())
            .or_else(|| self.foreign_operator())
            .or_else(|| self.foreign_form())
            .or_else(|| self.unclosed_bracket())
            .unwrap_or_else(|| self.unexpected_token(expected))
    }

    /// Returns the error for a tag that does not exist or is not allowed here. Its name is the
    /// token.
    pub(super) fn unknown_tag(&self, name: &str) -> SyntaxError {
        if let Some(error) = self.unclosed_tag() {
            return error;
        }
        // These two open blocks too. They are not in `TAGS`, because help texts do not suggest them.
        let opened = |tag: &str| TAGS.contains(&tag) || matches!(tag, "block" | "autoescape");
        let is_part = matches!(name, "else" | "elif")
            || name
                .strip_prefix("end")
                .is_some_and(|tag| opened(tag) || self.dialect.has_extra_tag(tag));
        if !is_part {
            let help = help_for_tag(name, self.dialect);
            return self.error(format!("unknown tag `{name}`")).with_help(help);
        }
        // In `{ % if a %}x{% endif %}`, the opening tag is text, so no block is open.
        if self.block.is_none()
            && let Some(error) = self.split_opener()
        {
            return error;
        }
        match self.block {
            None => {
                let opener = match name {
                    "else" | "elif" => "if",
                    _ => name.strip_prefix("end").unwrap_or(name),
                };
                self.error(format!("`{name}` without an open block"))
                    .with_help(format!("remove it, or open the block with `{{% {opener} %}}`"))
            }
            Some(block) => {
                let tag = shortened(self.source(block.tag));
                self.error(format!("`{name}` inside `{tag}`, which is still open")).with_help(
                    format!("close that block first with `{{% end{} %}}`", block.keyword),
                )
            }
        }
    }

    /// Finds the last tag before the token whose delimiter contains a space, so that it is text.
    fn split_opener(&self) -> Option<SyntaxError> {
        let before = self.text.get(..self.token.span.start)?;
        let tag = split_tags(before).filter(|tag| tag.opener == "{%").last()?;
        let place = TemplateSpan::new(tag.range.start, tag.range.end);
        let written = self.text.get(tag.range)?;
        let error = SyntaxError::new(place, format!("`{written}` does not open a tag"));
        Some(
            error.with_help(format!(
                "write `{{% {}` without a space between `{{` and `%`",
                tag.word
            )),
        )
    }

    /// Returns an error if the tag around the token is not closed. A tag is not closed if there is no
    /// closing delimiter after it, or if another tag begins before that: `{{ a {{ b }}`. A closing
    /// delimiter with a space in it, as in `{{ a } }`, is shown in the help text.
    fn unclosed_tag(&self) -> Option<SyntaxError> {
        let opener = self.tag?.opener;
        let written = self.source(opener).trim_end_matches(['-', '+']);
        let closer = if written == "{{" { "}}" } else { "%}" };
        let rest = self.text.get(opener.end..)?;
        let close = rest.find(closer);
        let next = ["{{", "{%", "{#"].iter().filter_map(|opener| rest.find(opener)).min();
        let is_open = match (close, next) {
            (None, _) => true,
            (Some(close), Some(next)) => next < close,
            (Some(_), None) => false,
        };
        let line = rest.get(..next.unwrap_or(rest.len()))?.split('\n').next()?;
        let error = is_open.then(|| not_closed(written, opener, closer))?;
        Some(match split_closer(line, closer) {
            None => error,
            Some(split) => error.with_help(format!("write `{closer}` instead of `{split}`")),
        })
    }

    /// Returns an error if the template ends inside a block.
    fn unclosed_block(&self) -> Option<SyntaxError> {
        if self.tag.is_some() || self.token.kind != TokenKind::End {
            return None;
        }
        let block = self.block?;
        let tag = shortened(self.source(block.tag));
        let error = SyntaxError::new(block.tag, format!("`{tag}` is never closed"));
        Some(error.with_help(format!("add `{{% end{} %}}` where it ends", block.keyword)))
    }

    /// Returns an error for an operator or character of another language.
    fn foreign_operator(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let start = self.token.span.start;
        let source = self.text.get(start..)?;
        let error = |start: usize, length: usize, message: &str, help: &str| {
            Some(
                SyntaxError::new(TemplateSpan::new(start, start + length), message).with_help(help),
            )
        };
        if tag.keyword.is_none()
            && self.text.get(tag.opener.end..start)?.trim().is_empty()
            && let Some((written, help)) = foreign_syntax::find_tag(source)
        {
            let message = format!("`{{{{{written}` is syntax of another template engine");
            return error(start, written.len(), &message, help);
        }
        if let Some((begin, written, help)) = self.operator_around(start) {
            let message = format!("`{written}` is not an operator");
            return error(begin, written.len(), &message, help);
        }
        let first = source.chars().next()?;
        if CURVED_QUOTES.contains(&first) {
            let message = "a curved quotation mark does not begin a string";
            return error(start, first.len_utf8(), message, "write `\"` or `'`");
        }
        if first == '=' && !source.starts_with("==") {
            let help = match tag.keyword {
                Some(_) => "compare with `==`",
                None => "compare with `==`; to bind a name, write `{% set name = value %}`",
            };
            return error(start, 1, "`=` is not a comparison", help);
        }
        None
    }

    /// Returns the foreign operator that contains the position, with its start and its help text.
    /// The lexer may already have read its first one or two characters as an operator of Jinja: the
    /// `=` of `=>`, the `==` of `===`. So the search begins up to two bytes before the position.
    fn operator_around(&self, at: usize) -> Option<(usize, &'static str, &'static str)> {
        [2, 1, 0].into_iter().find_map(|taken| {
            let begin = at.saturating_sub(taken);
            let (written, help) = foreign_syntax::find_operator(self.text.get(begin..)?)?;
            (written.len() > taken).then_some((begin, written, help))
        })
    }

    /// Returns an error for a statement or expression form of another language.
    fn foreign_form(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let before = self.text.get(tag.opener.end..self.token.span.start)?.trim_end();
        let follows = |word: &str| before.ends_with(word);
        match (&self.token.kind, tag.keyword) {
            // `{% else if x %}`
            (TokenKind::Name("if"), Some("else")) => {
                Some(self.error("`else if` is not a tag").with_help("write `elif`"))
            }
            // `{% if let Some(x) = y %}`
            (_, Some("if" | "elif")) if follows(" let") => Some(
                self.error("`let` patterns are not supported")
                    .with_help("write `{% if x %}`, which tests whether there is a value"),
            ),
            // `{{ [x.name for x in list] }}`, `{% for x in [y for y in list] %}`
            (TokenKind::Name("for"), keyword)
                if keyword != Some("for") || before.contains(['[', '(']) =>
            {
                Some(self.error("a loop is not an expression").with_help(
                    "write `{% for item in list %}`, or `list | map(attribute=\"name\")` for one \
                     attribute of each item",
                ))
            }
            // `{{ list | join "," }}`, `{{ list | join: "," }}`
            (
                TokenKind::String(_)
                | TokenKind::Integer(_)
                | TokenKind::Float(_)
                | TokenKind::Operator(":"),
                _,
            ) => {
                let (rest, name) = before.rsplit_once('|')?;
                let name = name.trim();
                let is_name = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
                let is_filter = is_name && !name.is_empty() && !rest.is_empty();
                is_filter.then(|| {
                    self.error(format!("the arguments of `{name}` are not in parentheses"))
                        .with_help(format!("write `{name}(...)`"))
                })
            }
            _ => None,
        }
    }

    /// Returns an error for a bracket that is still open at the end of the tag: `{{ f(a }}`.
    /// Brackets in string literals do not count.
    ///
    /// Inside brackets, the lexer reads the characters of a closing delimiter as operators. So the
    /// token is the first of them that the parser cannot use: the `}` in `{% if f(a %}`, because
    /// `%` follows a value, and the `-` in `{{ f(a | -}}`.
    fn unclosed_bracket(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let rest = self.text.get(self.token.span.start..)?;
        let inside = self.text.get(tag.opener.end..self.token.span.start)?;
        let closer = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let is_after_percent =
            tag.keyword.is_some() && closer.starts_with('}') && inside.ends_with('%');
        if !is_after_percent && !closer.starts_with("}}") && !closer.starts_with("%}") {
            return None;
        }
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut quote = None;
        for (at, character) in inside.char_indices() {
            match (quote, character) {
                (Some(begun), _) if begun == character => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(character),
                (None, '(') => open.push((at, ')')),
                (None, '[') => open.push((at, ']')),
                (None, '{') => open.push((at, '}')),
                (None, ')' | ']' | '}') => {
                    open.pop();
                }
                _ => {}
            }
        }
        let (at, closer) = open.pop()?;
        let opener = inside.get(at..at + 1)?;
        // `{{{ name }}`
        let is_third_brace = at == 0 && closer == '}';
        let at = tag.opener.end + at;
        let error =
            SyntaxError::new(TemplateSpan::new(at, at + 1), format!("`{opener}` is never closed"));
        Some(error.with_help(match is_third_brace {
            true => "close it with `}`, or remove the third brace".to_owned(),
            false => format!("close it with `{closer}`"),
        }))
    }

    /// Returns the error for an unexpected token that needs no special explanation.
    fn unexpected_token(&self, expected: &str) -> SyntaxError {
        let found = self.source(self.token.span);
        if self.token.kind == TokenKind::Unknown {
            let error = self.error(format!("unexpected character `{found}`"));
            return if found.chars().all(char::is_alphabetic) {
                error.with_help("write names with the letters a to z and A to Z, digits and `_`")
            } else {
                error
            };
        }
        let what = match self.token.kind {
            TokenKind::End => "end of the template".to_owned(),
            _ => format!("`{}`", shortened(found)),
        };
        let error = self.error(format!("unexpected {what}, expected {expected}"));
        let begins_value = match &self.token.kind {
            TokenKind::Name(_)
            | TokenKind::String(_)
            | TokenKind::Integer(_)
            | TokenKind::Float(_) => true,
            TokenKind::Operator(operator) => matches!(*operator, "(" | "[" | "{"),
            _ => false,
        };
        match (expected, self.tag.and_then(|tag| tag.keyword)) {
            ("`}}`", _) if begins_value => error.with_help(
                "write one value between `{{` and `}}`; join strings with `~`, filter with `|`",
            ),
            ("`in`", Some("for")) => error.with_help("write `{% for item in list %}`"),
            ("a name", _) if found == "|" => {
                error.with_help("write the name of a filter after `|`")
            }
            _ => error,
        }
    }
}

/// Quotation marks of printed text: `“”‘’«»`.
const CURVED_QUOTES: [char; 6] =
    ['\u{201C}', '\u{201D}', '\u{2018}', '\u{2019}', '\u{AB}', '\u{BB}'];

/// Returns the first closing delimiter that is written with a space in it: `} }` in `{{ a } }`.
fn split_closer<'t>(line: &'t str, closer: &str) -> Option<&'t str> {
    let (sign, brace) = closer.split_at_checked(1)?;
    line.match_indices(sign).find_map(|(at, _)| {
        let rest = line.get(at + 1..)?.strip_prefix([' ', '\t'])?;
        let after_brace = rest.trim_start().strip_prefix(brace)?;
        line.get(at..line.len() - after_brace.len())
    })
}

fn help_for_tag(name: &str, dialect: &Dialect) -> String {
    match name {
        "elseif" | "elsif" => return "write `elif`".to_owned(),
        "break" | "continue" => {
            return "filter the items in the loop's tag: `{% for x in xs if condition %}`"
                .to_owned();
        }
        "end" => {
            return "write the name of the block: `{% endif %}`, `{% endfor %}`".to_owned();
        }
        "comment" => return "write a comment as `{# ... #}`".to_owned(),
        "message" if dialect.extra_tags.is_empty() => {
            return "set the parser `message-tags`, and write a message as a block: \
                    `{% call message(\"user\") %}...{% endcall %}`"
                .to_owned();
        }
        "system" | "user" | "assistant" if dialect.extra_tags.is_empty() => {
            return format!(
                "set the parser `message-tags`, and write a message as a block: \
                 `{{% call {name}() %}}...{{% endcall %}}`"
            );
        }
        _ => {}
    }
    let ends = ["endif", "endfor", "endset", "endwith", "endmacro", "endcall", "endfilter"];
    let own: Vec<&str> = TAGS.iter().chain(dialect.extra_tags).copied().collect();
    let known: Vec<&str> = own.iter().copied().chain(ends).chain(["elif", "else"]).collect();
    match suggest(name, &known) {
        Some(tag) => format!("a tag with a similar name exists: `{tag}`"),
        None => format!("available tags: `{}`", own.join("`, `")),
    }
}

/// Returns the first line of a source piece, shortened if it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 40 {
        return line.to_owned();
    }
    line.chars().take(37).chain("...".chars()).collect()
}
