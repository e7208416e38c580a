//! The trait that a template language implements.
//!
//! A language parses its text into the [`tree`](crate::tree) that all languages share. The checker,
//! the boundaries of messages, the macros and the step engine work on that tree, so a language
//! needs only its parser to use all of them. Templates are run by engines, which are not part of
//! this crate.
//!
//! The methods of `Language` describe what the trees do not show, such as filters or helpers.
//! Other modules ask for the property that they need, and never which language it is. Otherwise a
//! language of a host would get fewer checks than a built-in one.

use std::borrow::Cow;
use std::fmt;

use crate::builtins::Builtin;
use crate::tree::{ExprKind, NodeKind};
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};

/// The maximum length of an input's name, in bytes.
const LONGEST_NAME: usize = 256;

/// A template language.
///
/// ```
/// # mod typed_prompty {
/// #     pub use prompty_core::diagnostic;
/// #     pub mod template { pub use prompty_template::*; }
/// # }
/// use typed_prompty::diagnostic::TemplateSpan;
/// use typed_prompty::template::tree::{Expr, ExprKind, Node, NodeKind};
/// use typed_prompty::template::{Language, SyntaxError, Template};
///
/// /// `Hi <name>`: a variable is between angle brackets.
/// #[derive(Debug)]
/// struct Angle;
///
/// impl Language for Angle {
///     fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
///         let mut nodes = Vec::new();
///         let mut start = 0;
///         for (place, sign) in text.match_indices(['<', '>']) {
///             let (span, piece) = (TemplateSpan::new(start, place), &text[start..place]);
///             start = place + sign.len();
///             let variable = Expr::new(ExprKind::Variable(piece.to_owned()), span);
///             nodes.push(match sign {
///                 "<" => Node::new(NodeKind::Text(piece.to_owned()), span),
///                 _ => Node::new(NodeKind::Output(variable), span),
///             });
///         }
///         let (span, rest) = (TemplateSpan::new(start, text.len()), text[start..].to_owned());
///         nodes.push(Node::new(NodeKind::Text(rest), span));
///         Ok(Template::new(nodes))
///     }
///
///     fn output(&self, name: &str) -> String {
///         format!("<{name}>")
///     }
/// }
///
/// assert_eq!(Angle.parse("Hi <name>!")?.nodes.len(), 3);
/// # Ok::<(), SyntaxError>(())
/// ```
pub trait Language: fmt::Debug + Send + Sync {
    /// Parses a template. All spans are byte ranges of `text`. The span of a [`NodeKind::Text`]
    /// covers exactly the bytes that are written.
    ///
    /// # Errors
    ///
    /// Returns an error with its place and a help text if `text` is not a valid template.
    fn parse(&self, text: &str) -> Result<Template, SyntaxError>;

    /// Returns the source that prints the variable `name`. Help texts show it.
    fn output(&self, name: &str) -> String;

    /// Returns the source that prints the variable `name` unescaped, if [`Language::output`]
    /// escapes it.
    fn unescaped(&self, name: &str) -> String {
        self.output(name)
    }

    /// Returns an instruction for an author whose template prints a `value` that may be missing. It
    /// has no full stop. `expression` is the expression that contains `value`, and `default` is a
    /// value of its type.
    fn guard(&self, value: &str, expression: &str, default: &str) -> Cow<'static, str> {
        let _ = (value, expression, default);
        "make it required, or give it a default".into()
    }

    /// Whether a template can use an input of this name. The default implementation asks the
    /// parser.
    fn is_variable(&self, name: &str) -> bool {
        if name.len() > LONGEST_NAME {
            return false;
        }
        let Ok(template) = self.parse(&self.output(name)) else { return false };
        let [node] = template.nodes.as_slice() else { return false };
        let NodeKind::Output(expr) = &node.kind else { return false };
        let printed = match &expr.kind {
            ExprKind::Filter { value, .. } => value,
            _ => expr,
        };
        matches!(&printed.kind, ExprKind::Variable(found) if found == name)
    }

    /// The functions that every template has, in addition to those of the host.
    fn functions(&self) -> &'static [Builtin] {
        &[]
    }

    /// The first construct of a valid template that the engine cannot run safely.
    fn refused(&self, text: &str, template: &Template) -> Option<SyntaxError> {
        let _ = (text, template);
        None
    }

    /// Additional diagnostics for a valid template. Their spans are in `text`.
    fn findings(&self, text: &str, template: &Template) -> Vec<Diagnostic<TemplateSpan>> {
        let _ = (text, template);
        Vec::new()
    }

    /// The name by which a template calls a host function whose name has a dot, such as `time.now`.
    fn function_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if name.contains('.') { name.replace('.', "_").into() } else { name.into() }
    }

    /// Whether functions belong to plugins. Then a function may have the same name as a variable,
    /// `now` is enough for `time.now` if no other plugin has a `now`, and functions see the inputs
    /// of the render.
    fn has_plugins(&self) -> bool {
        false
    }

    /// Whether functions receive the inputs of the render after their own arguments.
    fn functions_see_inputs(&self) -> bool {
        self.has_plugins()
    }

    /// Whether functions are helpers. A name alone calls a helper and takes priority over an input.
    fn has_helpers(&self) -> bool {
        false
    }

    /// Whether the language has filters. If it does not, a filter in the tree represents the
    /// language's escaping.
    fn has_filters(&self) -> bool {
        false
    }

    /// Whether statements are written between `{%` and `%}`, as in Jinja. Then the checker also
    /// reports tags with a space in their delimiters, and its help texts use Jinja's syntax.
    fn has_statement_tags(&self) -> bool {
        false
    }

    /// Whether a loop over messages that writes their roles and contents may represent a thread.
    fn has_thread_loops(&self) -> bool {
        false
    }

    /// Whether a template's last line break is not written, as in Jinja2.
    fn drops_last_line_break(&self) -> bool {
        false
    }

    /// Whether strings and lists have a `length`.
    fn has_lengths(&self) -> bool {
        false
    }

    /// Whether a name that a template sets stays visible after the block that sets it.
    fn keeps_names(&self) -> bool {
        false
    }
}
