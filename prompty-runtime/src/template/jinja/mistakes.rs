//! Says in plain words what is wrong with a template that the engine cannot parse.

use minijinja::machinery::{Token, Tokenizer};

use super::syntax::configuration;
use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;

/// The tags that there are.
const TAGS: [&str; 8] = ["if", "for", "set", "with", "macro", "call", "filter", "raw"];

/// A mistake in the words of the person who has to mend it.
pub(super) fn explain(text: &str, error: &minijinja::Error) -> SyntaxError {
    let detail = error.detail().unwrap_or("the template cannot be read");
    let span = error.range().map_or(Span::new(text.len(), text.len()), |range| {
        clamp(text, Span::new(range.start, range.end))
    });
    let tags = Tags::before(text, span.end);
    tags.unclosed(text, detail)
        .or_else(|| tags.never_ended(text, detail))
        .or_else(|| tags.stray(text, detail, span))
        .or_else(|| wrong_operator(text, span, &tags))
        .unwrap_or_else(|| plain(text, detail, span, &tags))
}

/// The span moved onto character boundaries of the text.
fn clamp(text: &str, span: Span) -> Span {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Span::new(start, end)
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap_or_default()
}

/// A tag that opens a block.
struct Opened<'text> {
    keyword: &'text str,
    span: Span,
}

/// What the tokens before a mistake tell.
#[derive(Default)]
struct Tags<'text> {
    /// The blocks that are open.
    open: Vec<Opened<'text>>,
    /// Where the tag begins that holds the mistake, if a tag does.
    current: Option<Span>,
    /// The keyword of that tag.
    keyword: Option<&'text str>,
    /// Where the last token ends.
    end: usize,
}

impl<'text> Tags<'text> {
    /// Reads all tokens that begin before `offset`.
    fn before(text: &'text str, offset: usize) -> Self {
        let mut tags = Self::default();
        let mut tokenizer = Tokenizer::new(text, "", false, configuration());
        let mut is_keyword = false;
        while let Ok(Some((token, span))) = tokenizer.next_token() {
            let span = Span::new(span.start_offset as usize, span.end_offset as usize);
            if span.start >= offset {
                break;
            }
            if let (true, Token::Ident(keyword)) = (is_keyword, &token) {
                tags.keyword = Some(keyword);
            }
            is_keyword = matches!(token, Token::BlockStart);
            match token {
                Token::VariableStart | Token::BlockStart => {
                    tags.current = Some(span);
                    tags.keyword = None;
                }
                Token::BlockEnd => tags.close_tag(text, span.end),
                Token::VariableEnd => tags.current = None,
                _ => {}
            }
            tags.end = span.end;
        }
        tags
    }

    fn close_tag(&mut self, text: &str, end: usize) {
        let (Some(start), Some(keyword)) = (self.current.take(), self.keyword) else { return };
        let span = Span::new(start.start, end);
        let is_block = match keyword {
            "if" | "for" | "with" | "macro" | "call" | "filter" | "block" | "autoescape" => true,
            "set" => !slice(text, span).contains('='),
            _ => false,
        };
        if is_block {
            self.open.push(Opened { keyword, span });
        } else if keyword.starts_with("end") {
            self.open.pop();
        }
    }

    /// `{{`, `{%` or `{#` with nothing that closes it, or a text that is not closed.
    fn unclosed(&self, text: &str, detail: &str) -> Option<SyntaxError> {
        match detail {
            "unexpected end of comment" => return Some(self.unclosed_from(text, "{#", "#}")),
            "unexpected end of raw block" => {
                return Some(self.unclosed_from(text, "{%", "{% endraw %}"));
            }
            "unexpected end of string" => {
                let start = self.end + text.get(self.end..)?.find(['"', '\''])?;
                return Some(
                    SyntaxError::new(Span::new(start, start + 1), "this text is not closed")
                        .with_help("close it with the same quotation mark"),
                );
            }
            _ => {}
        }
        let opener = self.current?;
        let closer = if slice(text, opener).starts_with("{{") { "}}" } else { "%}" };
        let rest = text.get(opener.end..)?;
        let close = rest.find(closer);
        let next = ["{{", "{%", "{#"].iter().filter_map(|opener| rest.find(opener)).min();
        let is_open = match (close, next) {
            (None, _) => true,
            (Some(close), Some(next)) => next < close,
            (Some(_), None) => false,
        };
        is_open.then(|| Self::not_closed(text, opener, closer))
    }

    fn unclosed_from(&self, text: &str, opener: &str, closer: &str) -> SyntaxError {
        let rest = text.get(self.end..).unwrap_or_default();
        let start = self.end + rest.find(opener).unwrap_or_default();
        let span = clamp(text, Span::new(start, start + opener.len()));
        Self::not_closed(text, span, closer)
    }

    fn not_closed(text: &str, opener: Span, closer: &str) -> SyntaxError {
        let written = slice(text, opener).trim_end_matches(['-', '+']);
        SyntaxError::new(opener, format!("`{written}` is not closed"))
            .with_help(format!("close it with `{closer}`"))
    }

    /// A block that the text ends in.
    fn never_ended(&self, text: &str, detail: &str) -> Option<SyntaxError> {
        if self.current.is_some() || !detail.starts_with("unexpected end of input") {
            return None;
        }
        let block = self.open.last()?;
        let message = format!("`{}` is never closed", shortened(slice(text, block.span)));
        Some(
            SyntaxError::new(block.span, message)
                .with_help(format!("add `{{% end{} %}}` where it ends", block.keyword)),
        )
    }

    /// A tag that does not exist or does not belong here.
    fn stray(&self, text: &str, detail: &str, span: Span) -> Option<SyntaxError> {
        let name = detail.strip_prefix("unknown statement ")?;
        let span = if slice(text, span) == name { span } else { self.current.unwrap_or(span) };
        let open = self.open.last();
        let is_part = matches!(name, "else" | "elif")
            || name.strip_prefix("end").is_some_and(|of| TAGS.contains(&of));
        let error = match (is_part, open) {
            (true, None) => {
                SyntaxError::new(span, format!("`{name}` with no block that is open")).with_help(
                    format!("remove it, or open the block with `{{% {} %}}`", opener_of(name)),
                )
            }
            (true, Some(block)) => {
                let tag = shortened(slice(text, block.span));
                SyntaxError::new(span, format!("`{name}` inside `{tag}`, which is still open"))
                    .with_help(format!(
                        "close that block first with `{{% end{} %}}`",
                        block.keyword
                    ))
            }
            (false, _) => {
                let error = SyntaxError::new(span, format!("unknown tag `{name}`"));
                error.with_help(help_for_tag(name))
            }
        };
        Some(error)
    }
}

fn opener_of(name: &str) -> &str {
    match name {
        "else" | "elif" => "if",
        _ => name.strip_prefix("end").unwrap_or(name),
    }
}

fn help_for_tag(name: &str) -> String {
    let known = TAGS.iter().copied();
    let ends = ["endif", "endfor", "endset", "endwith", "endmacro", "endcall", "endfilter"];
    let known = known.chain(ends).chain(["elif", "else"]);
    match name {
        "elseif" | "elsif" | "elif" => return "write `elif`".to_owned(),
        "break" | "continue" => {
            return "choose the items in the loop's tag: `{% for x in xs if condition %}`"
                .to_owned();
        }
        "comment" => return "comments are written `{# ... #}`".to_owned(),
        _ => {}
    }
    let nearest = known.map(|tag| (distance(name, tag), tag)).min();
    match nearest {
        Some((edits, tag)) if edits <= 2 && edits < name.chars().count() => {
            format!("a tag with a similar name exists: `{tag}`")
        }
        _ => format!("the tags are: {}", TAGS.map(|tag| format!("`{tag}`")).join(", ")),
    }
}

/// How many characters must be changed to make one word the other.
fn distance(left: &str, right: &str) -> usize {
    // A stranger's word may be long; what matters is whether it is near.
    let left: Vec<char> = left.chars().take(32).collect();
    let mut row: Vec<usize> = (0..=left.len()).collect();
    for (line, character) in right.chars().take(32).enumerate() {
        let mut previous = line;
        let mut next = vec![line + 1];
        for (above, other) in row.iter().skip(1).zip(&left) {
            let change = previous + usize::from(*other != character);
            let beside = next.last().copied().unwrap_or_default() + 1;
            next.push(change.min(beside).min(above + 1));
            previous = *above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Operators and characters of other languages.
fn wrong_operator(text: &str, span: Span, tags: &Tags<'_>) -> Option<SyntaxError> {
    tags.current?;
    let found = text.get(span.start..)?;
    let before = text.get(..span.start)?;
    let error = |start: usize, length: usize, message: &str, help: &str| {
        let span = clamp(text, Span::new(start, start + length));
        Some(SyntaxError::new(span, message).with_help(help))
    };
    if found.starts_with("&&") {
        return error(span.start, 2, "`&&` is no operator", "write `and`");
    }
    if found.starts_with('|') && before.ends_with('|') {
        return error(span.start - 1, 2, "`||` is no operator", "write `or`");
    }
    if found.starts_with('!') {
        return error(span.start, 1, "`!` is no operator", "write `not`");
    }
    if found.starts_with('?') {
        let help = "write `a if condition else b`";
        return error(span.start, 1, "`?` is no operator", help);
    }
    if found.starts_with(['\u{201C}', '\u{201D}', '\u{2018}', '\u{2019}', '\u{AB}', '\u{BB}']) {
        let length = found.chars().next().map_or(1, char::len_utf8);
        let message = "a curved quotation mark does not begin a text";
        return error(span.start, length, message, "write `\"` or `'`");
    }
    if found.starts_with('=') && !found.starts_with("==") {
        let help = match tags.keyword {
            Some(_) => "compare with `==`",
            None => "compare with `==`; to bind a name, write `{% set name = value %}`",
        };
        return error(span.start, 1, "`=` does not compare", help);
    }
    None
}

/// The engine's message with its words for tokens replaced by what stands there.
fn plain(text: &str, detail: &str, span: Span, tags: &Tags<'_>) -> SyntaxError {
    if detail.contains("maximum recursion") {
        return SyntaxError::new(span, "blocks or brackets are nested too deep")
            .with_help("split the template, or bind parts of it with `{% set %}`");
    }
    let found = slice(text, span);
    if detail == "unexpected character" {
        let character = found.chars().next().unwrap_or_default();
        let error = SyntaxError::new(span, format!("unexpected character `{character}`"));
        return if character.is_alphabetic() {
            error.with_help("names are written with the letters a to z, digits and `_`")
        } else {
            error
        };
    }
    let Some((_, expected)) = detail.split_once(", expected ") else {
        return SyntaxError::new(span, detail);
    };
    let expected = match expected {
        "end of variable block" => "`}}`",
        "end of block" => "`%}`",
        "identifier" => "a name",
        "expression" => "a value",
        "assignment operator" => "`=`",
        "in" => "`in`",
        other => other,
    };
    let what = if detail.starts_with("unexpected end of input") || found.is_empty() {
        "end of the template".to_owned()
    } else {
        format!("`{}`", shortened(found))
    };
    let error = SyntaxError::new(span, format!("unexpected {what}, expected {expected}"));
    let is_word =
        found.starts_with(|first: char| first.is_alphanumeric() || "_\"'([{".contains(first));
    match (expected, tags.keyword) {
        ("`}}`", _) if is_word => error.with_help(
            "one value stands between `{{` and `}}`: join texts with `~`, filter with `|`",
        ),
        ("`in`", Some("for")) => error.with_help("write `{% for item in list %}`"),
        ("a name", _) if found == "|" => error.with_help("the name of a filter stands behind `|`"),
        _ => error,
    }
}

/// The first line of a piece of the template, cut where it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 40 {
        return line.to_owned();
    }
    line.chars().take(37).chain("...".chars()).collect()
}
