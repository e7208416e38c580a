//! Generates the boundaries of messages: their roles, and the attributes of role markers.
//!
//! The expressions in the line of a marker divide it into pieces (see [`Piece`]):
//!
//! ```text
//! user[name="{{ who }}", age=3]:
//!
//! user[name="     Piece::Marker: the role, and the line up to the first expression
//! {{ who }}       Piece::Node
//! ", age=3]:      Piece::Rest
//! ```
//!
//! [`Compiler::attributes`] joins the pieces between the brackets, with a placeholder for each
//! expression, and reads this text with the syntax of attributes. The value of `name` is then the
//! placeholder, for which the code of `who` is generated.

use proc_macro2::TokenStream;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::value::Value;
use prompty_template::role_markers::{TemplateMarker, syntax};
use prompty_template::tree::{Expr, Node, NodeKind};
use quote::{format_ident, quote_spanned};

use super::nodes::{Piece, SPLIT_MARKER};
use super::places::unescaped;
use super::{Compiler, Result, Scope, Tokens, unsupported};
use crate::type_names::join_capitalized;

/// The placeholder for an expression while a marker's attributes are read. It is one character, so
/// an expression that contains a comma cannot separate attributes.
const EXPRESSION: char = '\u{f8ff}';

impl Compiler<'_> {
    /// Generates the statement that opens a message, and those that set its attributes. `head` is
    /// the marker's line up to its first expression, and `within` is the rest of the line.
    pub(super) fn boundary(
        &self,
        marker: &TemplateMarker,
        head: &TemplateSpan,
        within: &[Piece<'_>],
        size: &TokenStream,
        scope: &Scope,
    ) -> Tokens {
        let (span, role) = (self.span, self.role(&marker.role));
        let mut statements = quote_spanned!(span=> writer.open(#role, #size););
        for (name, value) in self.attributes(marker, head, within, scope)? {
            statements.extend(quote_spanned!(span=> writer.attribute(#name, #value);));
        }
        Ok(statements)
    }

    /// The role of a message.
    pub(super) fn role(&self, role: &Role) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let name = role.as_str();
        let variant = format_ident!("{}", join_capitalized([name].into_iter()), span = span);
        quote_spanned!(span=> #facade::Role::#variant)
    }

    /// The names and values of a marker's attributes; the parameters are those of
    /// [`Self::boundary`].
    pub(super) fn attributes(
        &self,
        marker: &TemplateMarker,
        head: &TemplateSpan,
        within: &[Piece<'_>],
        scope: &Scope,
    ) -> Result<Vec<(String, TokenStream)>> {
        // If the pieces end before the line, a block begins in the line.
        let ends = within.iter().map(|piece| match piece {
            Piece::Rest(span) => span.end,
            _ => 0,
        });
        let line = self.slice(marker.line.start, marker.line.end);
        if ends.fold(head.end, usize::max) < marker.line.start + line.trim_end().len() {
            return unsupported(SPLIT_MARKER);
        }
        let Some(attributes) = marker.attributes else { return Ok(Vec::new()) };
        let (text, expressions) = self.attributes_with_placeholders(attributes, head, within)?;
        let mut expressions = expressions.into_iter();
        let mut read = Vec::new();
        for attribute in syntax::attributes(&text) {
            let name = attribute.name;
            if name.contains(EXPRESSION) {
                return unsupported("an expression in the name of a marker's attribute");
            }
            let value = if attribute.value.contains(EXPRESSION) {
                self.attribute_text(attribute.value, &mut expressions, scope)?
            } else {
                self.attribute_value(&attribute.typed())
            };
            read.push((name.to_owned(), value));
        }
        Ok(read)
    }

    /// The text of a marker's attributes with a placeholder for each expression, and the
    /// expressions.
    fn attributes_with_placeholders<'n>(
        &self,
        attributes: TemplateSpan,
        head: &TemplateSpan,
        within: &[Piece<'n>],
    ) -> Result<(String, Vec<&'n Expr>)> {
        let inside = |span: &TemplateSpan| {
            self.slice(span.start.max(attributes.start), span.end.min(attributes.end))
        };
        let mut text = inside(head).to_owned();
        let mut expressions = Vec::new();
        for piece in within {
            match piece {
                Piece::Rest(span) => text.push_str(inside(span)),
                Piece::Node(Node { kind: NodeKind::Output(value), .. }) => {
                    text.push(EXPRESSION);
                    expressions.push(value);
                }
                _ => return unsupported("a tag in a marker's attributes"),
            }
        }
        // The author's own text may contain the placeholder.
        if text.matches(EXPRESSION).count() != expressions.len() || text.contains("{%") {
            return unsupported("the attributes of a marker");
        }
        Ok((text, expressions))
    }

    /// The value of an attribute without expressions.
    fn attribute_value(&self, value: &Value) -> TokenStream {
        let span = self.span;
        match value {
            Value::Integer(number) => {
                let number = i64::try_from(*number).unwrap_or(i64::MAX);
                quote_spanned!(span=> #number)
            }
            Value::Bool(value) => quote_spanned!(span=> #value),
            Value::Float(number) => quote_spanned!(span=> #number),
            other => {
                let text = other.to_string();
                quote_spanned!(span=> #text)
            }
        }
    }

    /// The value of an attribute with expressions, which is a string.
    fn attribute_text<'e>(
        &self,
        value: &str,
        expressions: &mut impl Iterator<Item = &'e Expr>,
        scope: &Scope,
    ) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let mut code = quote_spanned!(span=> "");
        for (index, literal) in value.split(EXPRESSION).enumerate() {
            if index > 0 {
                let Some(expression) = expressions.next() else {
                    return unsupported("the attributes of a marker");
                };
                let value = self.value(unescaped(expression), scope)?;
                code =
                    quote_spanned!(span=> #facade::__private::filters::Concatenated(#code, #value));
            }
            if !literal.is_empty() {
                code = quote_spanned!(span=>
                    #facade::__private::filters::Concatenated(#code, #literal)
                );
            }
        }
        Ok(quote_spanned!(span=> &*#facade::Print::text(&#code)))
    }
}
