//! Reads the errors and warnings in an expansion, and draws them as rustc does.

use proc_macro2::{LineColumn, Span, TokenStream, TokenTree};
use syn::{Ident, LitStr};

/// An error or a warning in an expansion.
pub(super) struct Report {
    /// The name of the lint; `None` for an error.
    lint: Option<String>,
    message: String,
    pub(super) start: LineColumn,
    end: LineColumn,
}

/// The reports in an expansion.
pub(super) fn of_expansion(tokens: TokenStream) -> Vec<Report> {
    let mut reports = Vec::new();
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let next = |count| tokens.get(at + count);
        let TokenTree::Group(group) = token else {
            if *token.to_string() == *"compile_error"
                && let Some(TokenTree::Group(group)) = next(2)
                && let Ok(text) = syn::parse2::<LitStr>(group.stream())
            {
                reports.push(Report::new(None, &text, token.span(), group.span()));
            }
            continue;
        };
        if let Some((name, note)) = warning(&group.stream()) {
            let lint = name.to_string().trim_start_matches("prompt_").to_owned();
            reports.push(Report::new(Some(lint), &note, name.span(), name.span()));
        } else {
            reports.extend(of_expansion(group.stream()));
        }
    }
    reports
}

/// The name and the text of a warning, if these tokens are its block: a deprecated constant, and a
/// use of it.
fn warning(block: &TokenStream) -> Option<(Ident, LitStr)> {
    let block: syn::Block = syn::parse2(quote::quote!({ #block })).ok()?;
    let [syn::Stmt::Item(syn::Item::Const(constant)), _] = block.stmts.as_slice() else {
        return None;
    };
    let deprecated = constant.attrs.iter().find(|it| it.path().is_ident("deprecated"))?;
    let mut note = None;
    let _ = deprecated.parse_nested_meta(|meta| {
        note = Some(meta.value()?.parse()?);
        Ok(())
    });
    Some((constant.ident.clone(), note?))
}

impl Report {
    fn new(lint: Option<String>, text: &LitStr, start: Span, end: Span) -> Self {
        Self { lint, message: text.value(), start: start.start(), end: end.end() }
    }

    /// The report, with its place in the Rust file. If the place has several lines, only the first
    /// is drawn.
    pub(super) fn draw(&self, file: &str, text: &str) -> String {
        let title = match &self.lint {
            None => "error: ".to_owned(),
            Some(lint) => format!("warning[{lint}]: "),
        };
        let indent = if self.lint.is_some() { "         " } else { "       " };
        let message = self.message.replace('\n', &format!("\n{indent}"));
        let (number, column) = (self.start.line, self.start.column);
        let line = text.lines().nth(number - 1).unwrap_or_default();
        let end = if self.end.line == number { self.end.column } else { line.chars().count() };
        let carets = "^".repeat(end.saturating_sub(column).max(1));
        let margin = " ".repeat(number.to_string().len());
        format!(
            "{title}{message}\n{margin}--> {file}:{number}:{}\n{margin} |\n{number} | {line}\n{margin} | {}{carets}\n",
            column + 1,
            " ".repeat(column),
        )
    }
}
