//! What is said of a template that cannot be read: in plain words, where it is, and how to mend it.

use super::dialect::{Dialect, TAGS};
use super::habits;
use super::split_tags::split_tags;
use super::token::{Kind, Token};
use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::diagnostic::suggest::suggest;

/// A tag that opened a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBlock {
    pub(super) keyword: &'static str,
    pub(super) tag: TemplateSpan,
}

/// The tag that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenTag<'s> {
    pub(super) opener: TemplateSpan,
    /// Its first word; an output has none.
    pub(super) keyword: Option<&'s str>,
}

/// What the parser knows of the place where it can read no further.
#[derive(Debug)]
pub(super) struct Place<'p, 's> {
    pub(super) text: &'s str,
    pub(super) dialect: &'p Dialect,
    /// The token that does not belong there.
    pub(super) token: &'p Token<'s>,
    pub(super) tag: Option<OpenTag<'s>>,
    /// The innermost block that is open.
    pub(super) block: Option<OpenBlock>,
}

/// `{{`, `{%` or `{#` without what closes it.
pub(super) fn not_closed(opener: &str, place: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(place, format!("`{opener}` is not closed"))
        .with_help(format!("close it with `{closer}`"))
}

pub(super) fn text_not_closed(quote: TemplateSpan) -> SyntaxError {
    SyntaxError::new(quote, "this text is not closed")
        .with_help("close it with the same quotation mark")
}

pub(super) fn broken_escape(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this escape in a text is not complete")
        .with_help("a backslash itself is written `\\\\`")
}

pub(super) fn no_number(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this is not a number")
}

/// `0..3`, whose first dot a number took.
pub(super) fn range_of_numbers(text: &str, dots: usize) -> SyntaxError {
    let known = text.get(dots..).and_then(habits::operator);
    let (written, help) = known.unwrap_or(("..", "write `range`"));
    let place = TemplateSpan::new(dots, dots + written.len());
    SyntaxError::new(place, format!("`{written}` is not an operator")).with_help(help)
}

pub(super) fn too_long(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "this expression is too long")
        .with_help("split it with `{% set %}`, or compute the value before it becomes an input")
}

pub(super) fn nested_too_deep(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "blocks or brackets are nested too deep")
        .with_help("split the template, or bind parts of it with `{% set %}`")
}

pub(super) fn too_many_blocks(place: TemplateSpan) -> SyntaxError {
    SyntaxError::new(place, "blocks are nested too deep, or `elif` too often")
        .with_help("look the text up in a map, or choose it before it becomes an input")
}

impl Place<'_, '_> {
    /// What is written where the lexer found a token or a tag.
    #[expect(clippy::string_slice, reason = "the lexer found the place in the same text")]
    fn written(&self, span: TemplateSpan) -> &str {
        &self.text[span.start..span.end]
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.token.span, message)
    }

    /// Something else was expected than what stands here.
    pub(super) fn unexpected(&self, expected: &str) -> SyntaxError {
        if let Kind::Mistake(error) = &self.token.kind {
            return (**error).clone();
        }
        self.unclosed_tag()
            .or_else(|| self.unclosed_block())
            .or_else(|| self.foreign_operator())
            .or_else(|| self.foreign_form())
            .or_else(|| self.unclosed_bracket())
            .unwrap_or_else(|| self.other_than(expected))
    }

    /// A tag that does not exist or does not belong here; its name is the token.
    pub(super) fn unknown_tag(&self, name: &str) -> SyntaxError {
        if let Some(error) = self.unclosed_tag() {
            return error;
        }
        let opened = |tag: &str| TAGS.contains(&tag) || matches!(tag, "block" | "autoescape");
        let is_part = matches!(name, "else" | "elif")
            || name
                .strip_prefix("end")
                .is_some_and(|tag| opened(tag) || self.dialect.has_extra_tag(tag));
        if !is_part {
            let help = help_for_tag(name, self.dialect);
            return self.error(format!("unknown tag `{name}`")).with_help(help);
        }
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
                self.error(format!("`{name}` with no block that is open"))
                    .with_help(format!("remove it, or open the block with `{{% {opener} %}}`"))
            }
            Some(block) => {
                let tag = shortened(self.written(block.tag));
                self.error(format!("`{name}` inside `{tag}`, which is still open")).with_help(
                    format!("close that block first with `{{% end{} %}}`", block.keyword),
                )
            }
        }
    }

    /// The last tag above the token whose braces are apart, so that it is text.
    fn split_opener(&self) -> Option<SyntaxError> {
        let before = self.text.get(..self.token.span.start)?;
        let tag = split_tags(before).filter(|tag| tag.opener == "{%").last()?;
        let place = TemplateSpan::new(tag.range.start, tag.range.end);
        let written = self.text.get(tag.range)?;
        let error = SyntaxError::new(place, format!("`{written}` opens no tag"));
        Some(error.with_help(format!("write `{{% {}` with the brace beside the `%`", tag.word)))
    }

    /// The tag around the token, if nothing closes it.
    fn unclosed_tag(&self) -> Option<SyntaxError> {
        let opener = self.tag?.opener;
        let written = self.written(opener).trim_end_matches(['-', '+']);
        let closer = if written == "{{" { "}}" } else { "%}" };
        let rest = self.text.get(opener.end..)?;
        let close = rest.find(closer);
        let next = ["{{", "{%", "{#"].iter().filter_map(|opener| rest.find(opener)).min();
        let is_open = match (close, next) {
            (None, _) => true,
            (Some(close), Some(next)) => next < close,
            (Some(_), None) => false,
        };
        let (sign, brace) = closer.split_at_checked(1)?;
        let line = rest.get(..next.unwrap_or(rest.len()))?.split('\n').next()?;
        let apart = line.match_indices(sign).find_map(|(at, _)| {
            let behind = line.get(at + 1..)?.strip_prefix([' ', '\t'])?;
            let behind_brace = behind.trim_start().strip_prefix(brace)?;
            line.get(at..line.len() - behind_brace.len())
        });
        is_open.then(|| match apart {
            None => not_closed(written, opener, closer),
            Some(apart) => not_closed(written, opener, closer)
                .with_help(format!("write `{closer}`: `{apart}` does not close it")),
        })
    }

    /// The block that the template ends in.
    fn unclosed_block(&self) -> Option<SyntaxError> {
        if self.tag.is_some() || self.token.kind != Kind::End {
            return None;
        }
        let block = self.block?;
        let tag = shortened(self.written(block.tag));
        let error = SyntaxError::new(block.tag, format!("`{tag}` is never closed"));
        Some(error.with_help(format!("add `{{% end{} %}}` where it ends", block.keyword)))
    }

    /// Operators and characters of other languages.
    fn foreign_operator(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let start = self.token.span.start;
        let found = self.text.get(start..)?;
        let error = |start: usize, length: usize, message: &str, help: &str| {
            Some(
                SyntaxError::new(TemplateSpan::new(start, start + length), message).with_help(help),
            )
        };
        if tag.keyword.is_none()
            && self.text.get(tag.opener.end..start)?.trim().is_empty()
            && let Some((written, help)) = habits::block(found)
        {
            let message = format!("`{{{{{written}` belongs to another template engine");
            return error(start, written.len(), &message, help);
        }
        // The tokens before this one may have taken the operator's first characters.
        for taken in [2, 1, 0] {
            let begin = start.saturating_sub(taken);
            if let Some((written, help)) = self.text.get(begin..).and_then(habits::operator)
                && written.len() > taken
            {
                return error(
                    begin,
                    written.len(),
                    &format!("`{written}` is not an operator"),
                    help,
                );
            }
        }
        if found.starts_with(['\u{201C}', '\u{201D}', '\u{2018}', '\u{2019}', '\u{AB}', '\u{BB}']) {
            let length = found.chars().next().map_or(0, char::len_utf8);
            let message = "a curved quotation mark does not begin a text";
            return error(start, length, message, "write `\"` or `'`");
        }
        if found.starts_with('=') && !found.starts_with("==") {
            let help = match tag.keyword {
                Some(_) => "compare with `==`",
                None => "compare with `==`; to bind a name, write `{% set name = value %}`",
            };
            return error(start, 1, "`=` does not compare", help);
        }
        None
    }

    /// Words in an order that other languages have.
    fn foreign_form(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let before = self.text.get(tag.opener.end..self.token.span.start)?.trim_end();
        let follows = |word: &str| before.ends_with(word);
        match (&self.token.kind, tag.keyword) {
            (Kind::Name("if"), Some("else")) => {
                Some(self.error("`else if` is not a tag").with_help("write `elif`"))
            }
            (_, Some("if" | "elif")) if follows(" let") => Some(
                self.error("a template has no patterns")
                    .with_help("leave `let` out: `{% if x %}` asks whether there is a value"),
            ),
            (Kind::Name("for"), keyword)
                if keyword != Some("for") || before.contains(['[', '(']) =>
            {
                Some(self.error("an expression has no loop").with_help(
                    "write `{% for item in list %}`, or `list | map(attribute=\"name\")` for one \
                     attribute of each item",
                ))
            }
            (Kind::String(_) | Kind::Integer(_) | Kind::Float(_) | Kind::Operator(":"), _) => {
                let (rest, name) = before.rsplit_once('|')?;
                let name = name.trim();
                let is_name = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
                let is_filter = is_name && !name.is_empty() && !rest.is_empty();
                is_filter.then(|| {
                    self.error(format!("the arguments of `{name}` stand in parentheses"))
                        .with_help(format!("write `{name}(...)`"))
                })
            }
            _ => None,
        }
    }

    /// A bracket that is still open where the tag ends.
    fn unclosed_bracket(&self) -> Option<SyntaxError> {
        let tag = self.tag?;
        let rest = self.text.get(self.token.span.start..)?;
        if !rest.starts_with("}}") && !rest.starts_with("%}") && !rest.starts_with("-}}") {
            return None;
        }
        let inside = self.text.get(tag.opener.end..self.token.span.start)?;
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
        let is_third_brace = at == 0 && closer == '}';
        let at = tag.opener.end + at;
        let error =
            SyntaxError::new(TemplateSpan::new(at, at + 1), format!("`{opener}` is not closed"));
        Some(error.with_help(match is_third_brace {
            true => "close it with `}`, or write two braces: nothing is escaped".to_owned(),
            false => format!("close it with `{closer}`"),
        }))
    }

    fn other_than(&self, expected: &str) -> SyntaxError {
        let found = self.written(self.token.span);
        if self.token.kind == Kind::Unknown {
            let error = self.error(format!("unexpected character `{found}`"));
            return if found.chars().all(char::is_alphabetic) {
                error.with_help("names are written with the letters a to z, digits and `_`")
            } else {
                error
            };
        }
        let what = match self.token.kind {
            Kind::End => "end of the template".to_owned(),
            _ => format!("`{}`", shortened(found)),
        };
        let error = self.error(format!("unexpected {what}, expected {expected}"));
        let begins_value = match &self.token.kind {
            Kind::Name(_) | Kind::String(_) | Kind::Integer(_) | Kind::Float(_) => true,
            Kind::Operator(operator) => matches!(*operator, "(" | "[" | "{"),
            _ => false,
        };
        match (expected, self.tag.and_then(|tag| tag.keyword)) {
            ("`}}`", _) if begins_value => error.with_help(
                "one value stands between `{{` and `}}`: join texts with `~`, filter with `|`",
            ),
            ("`in`", Some("for")) => error.with_help("write `{% for item in list %}`"),
            ("a name", _) if found == "|" => {
                error.with_help("the name of a filter stands behind `|`")
            }
            _ => error,
        }
    }
}

fn help_for_tag(name: &str, dialect: &Dialect) -> String {
    match name {
        "elseif" | "elsif" | "elif" => return "write `elif`".to_owned(),
        "break" | "continue" => {
            return "choose the items in the loop's tag: `{% for x in xs if condition %}`"
                .to_owned();
        }
        "end" => {
            return "name the block that ends here: `{% endif %}`, `{% endfor %}`".to_owned();
        }
        "comment" => return "comments are written `{# ... #}`".to_owned(),
        "message" if dialect.extra_tags.is_empty() => {
            return "with the parser `message-tags`, a message is a block such as \
                    `{% call message(\"user\") %}...{% endcall %}`"
                .to_owned();
        }
        "system" | "user" | "assistant" if dialect.extra_tags.is_empty() => {
            return format!(
                "with the parser `message-tags`, a message is a block such as \
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
        None => {
            let own: Vec<String> = own.iter().map(|tag| format!("`{tag}`")).collect();
            format!("the tags are: {}", own.join(", "))
        }
    }
}

/// The first line of a piece of the template, cut where it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 40 {
        return line.to_owned();
    }
    line.chars().take(37).chain("...".chars()).collect()
}
