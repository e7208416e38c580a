//! Finds the messages in the text of a source file.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A message in a source file.
#[derive(Debug, PartialEq)]
pub(crate) struct Message {
    /// The code or kind of the diagnostic or error, such as `Code::UnusedInput`. `-` if the
    /// function names none.
    pub(crate) code: String,
    /// `help: `, `label: `, `note: `, or nothing.
    pub(crate) role: &'static str,
    pub(crate) text: String,
    /// From 1.
    pub(crate) line: usize,
}

/// The enums whose variants are codes of messages.
const CODES: [&str; 2] = ["Code", "ErrorKind"];

/// Methods whose argument has a separate role.
const ROLES: [(&str, &str); 3] =
    [("with_help", "help: "), ("with_label", "label: "), ("with_note", "note: ")];

/// Macros whose text only developers see.
const FOR_DEVELOPERS: [&str; 5] = ["assert", "assert_eq", "debug_assert", "quote", "unreachable"];

/// All messages of a source file, in order.
///
/// # Errors
///
/// Returns an error if the text is not Rust.
pub(crate) fn messages(source: &str) -> syn::Result<Vec<Message>> {
    let mut finder = Finder::default();
    finder.visit_file(&syn::parse_file(source)?);
    Ok(finder.messages)
}

#[derive(Default)]
struct Finder {
    messages: Vec<Message>,
    /// The last code that the current function names.
    code: Option<String>,
    role: &'static str,
}

impl Finder {
    fn text(&mut self, text: String, span: Span) {
        let is_prose =
            text.split_whitespace().filter(|it| it.starts_with(char::is_alphabetic)).count() > 1;
        if is_prose {
            let code = self.code.clone().unwrap_or_else(|| "-".to_owned());
            let line = span.start().line;
            self.messages.push(Message { code, role: self.role, text, line });
        }
    }

    /// The literals and codes in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse2::<syn::LitStr>(TokenTree::from(literal).into()) {
                        self.text(text.value(), text.span());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn function(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = self.code.take();
        visit(self);
        self.code = outer;
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|it| it.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            self.function(|it| visit::visit_item_fn(it, function));
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(|it| visit::visit_impl_item_fn(it, function));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        // The code may be any argument; it counts for the arguments before it, too.
        for argument in &call.args {
            if let syn::Expr::Path(path) = argument {
                self.visit_expr_path(path);
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let mut segments = path.path.segments.iter().rev().map(|it| it.ident.to_string());
        if let (Some(variant), Some(of)) = (segments.next(), segments.next())
            && CODES.contains(&of.as_str())
        {
            self.code = Some(format!("{of}::{variant}"));
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        let role = ROLES.iter().find(|(method, _)| call.method == method);
        let outer = self.role;
        self.role = role.map_or(outer, |(_, role)| role);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
        self.role = outer;
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.text(text.value(), text.span());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
        if !FOR_DEVELOPERS.contains(&name.as_str()) {
            self.tokens(call.tokens.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_code_and_role_that_its_call_gives() {
        let found = messages(
            r#"
            /// Two words.
            fn f() {
                Diagnostic::new(Code::UnusedInput, format!("`{name}` is never used"))
                    .with_help("remove it, or use it");
                other("word");
            }
            impl T {
                fn g() { "no code here" }
            }
            #[cfg(test)]
            mod tests { fn f() { "not a message" } }
            "#,
        )
        .unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|it| format!("{}|{}{}|{}", it.code, it.role, it.text, it.line))
            .collect();
        let expected = [
            "Code::UnusedInput|`{name}` is never used|4",
            "Code::UnusedInput|help: remove it, or use it|5",
            "-|no code here|9",
        ];
        assert_eq!(shown, expected);
    }
}
