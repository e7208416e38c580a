//! What a template language gives: one trait.
//!
//! A language reads texts into the one tree of templates ([`tree`](crate::tree)). The checker, the
//! boundaries of messages, the macros and the step engine work on that tree, so a language that
//! gives nothing but its parser has all of them. How a template runs is not here: an engine does that.

use std::borrow::Cow;
use std::fmt;

use crate::builtins::Builtin;
use crate::tree::{ExprKind, NodeKind};
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};

/// How many bytes the name of an input has at most.
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
    /// Reads a template. All spans are bytes of `text`; the span of a [`NodeKind::Text`] holds exactly
    /// what is written.
    ///
    /// # Errors
    ///
    /// What is no template, with its place and with help.
    fn parse(&self, text: &str) -> Result<Template, SyntaxError>;

    /// How a template prints the variable `name`. Help texts show it.
    fn output(&self, name: &str) -> String;

    /// How a template prints the variable `name` as it is, where [`Language::output`] escapes it.
    fn unescaped(&self, name: &str) -> String {
        self.output(name)
    }

    /// How an author makes sure that nothing is printed where `value` is missing, as a sentence without a
    /// full stop. `whole` is the expression that `value` is a part of, and `default` a value of its type.
    fn guard(&self, value: &str, whole: &str, default: &str) -> Cow<'static, str> {
        let _ = (value, whole, default);
        "make it required, or give it a default".into()
    }

    /// Whether a template can use an input of this name. By default the parser says so.
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

    /// The functions that every template has, beside those of the host.
    fn functions(&self) -> &'static [Builtin] {
        &[]
    }

    /// What of a template that can be read its engine cannot be trusted with.
    fn refused(&self, text: &str, template: &Template) -> Option<SyntaxError> {
        let _ = (text, template);
        None
    }

    /// What else is to be said of a template that can be read. The places are in `text`.
    fn findings(&self, text: &str, template: &Template) -> Vec<Diagnostic<TemplateSpan>> {
        let _ = (text, template);
        Vec::new()
    }

    /// How a template calls a function of the host whose name has a dot, such as `time.now`.
    fn function_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if name.contains('.') { name.replace('.', "_").into() } else { name.into() }
    }

    /// Whether functions are those of plugins: a function may have the name of a variable, of `time.now`
    /// the name `now` is enough where no other plugin has it, and functions see the inputs of the render.
    fn has_plugins(&self) -> bool {
        false
    }

    /// Whether functions see the inputs of the render behind their own arguments.
    fn functions_see_inputs(&self) -> bool {
        self.has_plugins()
    }

    /// Whether functions are helpers: a name alone calls one, and goes before an input of that name.
    fn has_helpers(&self) -> bool {
        false
    }

    /// Whether values go through filters. Where they do not, a filter in the tree is what the language
    /// escapes.
    fn has_filters(&self) -> bool {
        false
    }

    /// Whether statements stand between `{%` and `%}`: then tags that blanks have split are told, and what
    /// templates of that notation are used to.
    fn has_statement_tags(&self) -> bool {
        false
    }

    /// Whether a loop over messages that writes their roles and contents may stand for a thread.
    fn has_thread_loops(&self) -> bool {
        false
    }

    /// Whether texts and lists have a `length`.
    fn has_lengths(&self) -> bool {
        false
    }

    /// Whether a name that a template sets holds everywhere behind that, also outside of the block.
    fn keeps_names(&self) -> bool {
        false
    }
}
