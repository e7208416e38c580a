//! Resolves the names in a Handlebars template before it is rendered.
//!
//! In `{{#each items as |item|}}`, the path `item.name` is an attribute of the variable `item`,
//! `name` and `this.name` are attributes of the context, which is the item, `../name` is the input
//! `name`, and `@index` is a variable of that name. Outside of all blocks, a name is an input.

use crate::SyntaxError;
use crate::tree::{Expr, ExprKind, Name};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// The variables that `{{#each}}` provides, in addition to the item.
pub(super) const EACH_VARIABLES: [&str; 4] = ["first", "index", "key", "last"];

/// The help for an unknown variable.
const VARIABLES: &str = "available variables: `@index`, `@key`, `@first`, `@last`, `@root`";

/// The enclosing blocks that change the context of names, innermost last.
#[derive(Debug, Default)]
pub(super) struct ContextBlocks {
    list: Vec<NameContext>,
}

/// A block that changes the context of names.
#[derive(Debug)]
pub(super) struct NameContext {
    /// The names after `as`.
    pub(super) parameters: Vec<Name>,
    /// Whether it provides `@index` and the like.
    pub(super) repeats: bool,
}

/// The source form of a name: `../user.name`, `@index`, `this`.
#[derive(Debug)]
pub(super) struct NamePath {
    /// Whether it begins with `@`.
    pub(super) is_data: bool,
    /// The number of `../`.
    pub(super) up: usize,
    /// The span of `this`, `.` or the last `..`, if there is one.
    pub(super) this: Option<TemplateSpan>,
    pub(super) parts: Vec<Name>,
    pub(super) span: TemplateSpan,
}

impl NamePath {
    /// Returns the name, if the path is only a plain name.
    pub(super) fn simple(&self) -> Option<&Name> {
        match self.parts.as_slice() {
            [name] if !self.is_data && self.up == 0 && self.this.is_none() => Some(name),
            _ => None,
        }
    }
}

impl ContextBlocks {
    pub(super) fn enter(&mut self, block: NameContext) {
        self.list.push(block);
    }

    pub(super) fn leave(&mut self) -> Option<NameContext> {
        self.list.pop()
    }

    /// Whether an enclosing block has a parameter with this name.
    fn has_parameter(&self, name: &str) -> bool {
        self.list.iter().flat_map(|block| &block.parameters).any(|known| known.text == name)
    }

    /// Resolves a name to an expression.
    pub(super) fn resolve(&self, path: NamePath) -> Result<Expr, SyntaxError> {
        if path.is_data {
            return self.resolve_data(path);
        }
        let depth = self.list.len();
        if path.up > depth {
            let blocks = match depth {
                0 => "no enclosing block".to_owned(),
                1 => "one enclosing block".to_owned(),
                depth => format!("{depth} enclosing blocks"),
            };
            let message = format!("too many `../`: {blocks}");
            return Err(SyntaxError::new(path.span, message).with_help(
                "write one `../` for each enclosing `each`, `with` or section; an `if` needs none",
            ));
        }
        let mut parts = path.parts.into_iter();
        let is_plain = path.up == 0 && path.this.is_none();
        let first = parts.as_slice().first();
        let is_parameter = is_plain && first.is_some_and(|name| self.has_parameter(&name.text));
        if is_parameter && let Some(name) = parts.next() {
            return Ok(with_parts(variable(name), parts));
        }
        if path.up == depth {
            return self.resolve_input(parts, path.span);
        }
        // A context that is not written has an empty span.
        let empty = TemplateSpan::new(path.span.start, path.span.start);
        let span = path.this.unwrap_or(empty);
        let context = Expr { kind: ExprKind::Context(path.up), span };
        Ok(with_parts(context, parts))
    }

    /// Resolves a name among the inputs.
    fn resolve_input(
        &self,
        mut parts: std::vec::IntoIter<Name>,
        span: TemplateSpan,
    ) -> Result<Expr, SyntaxError> {
        let Some(name) = parts.next() else {
            let error = SyntaxError::new(span, "this expression means all inputs");
            return Err(error.with_help("write the name of one input, as in `{{name}}`"));
        };
        if name.text.starts_with('@') {
            let message = format!("`{}` cannot be the name of an input", excerpt(&name.text));
            return Err(SyntaxError::new(name.span, message)
                .with_help("write the variables of a block without brackets: `@index`"));
        }
        if self.has_parameter(&name.text) {
            let message =
                format!("`{}` is also a name after `as` of an enclosing block", name.text);
            let error = SyntaxError::new(name.span, message);
            return Err(error.with_help("rename the name after `as`"));
        }
        Ok(with_parts(variable(name), parts))
    }

    /// Resolves `@root.name`, `@index`, `@../key`.
    fn resolve_data(&self, path: NamePath) -> Result<Expr, SyntaxError> {
        let mut parts = path.parts.into_iter();
        let Some(name) = parts.next() else {
            return Err(SyntaxError::new(path.span, "missing name after `@`").with_help(VARIABLES));
        };
        if name.text == "root" && path.up == 0 {
            return self.resolve_input(parts, path.span);
        }
        if !EACH_VARIABLES.contains(&name.text.as_str()) {
            let message = format!("unknown variable `@{}`", excerpt(&name.text));
            return Err(SyntaxError::new(path.span, message).with_help(VARIABLES));
        }
        let loops = self.list.iter().filter(|block| block.repeats).count();
        if path.up >= loops {
            let message = format!("`@{}` without an enclosing `{{{{#each}}}}`", name.text);
            return Err(SyntaxError::new(path.span, message)
                .with_help("use it between `{{#each items}}` and `{{/each}}`"));
        }
        // `@../index` is a variable of that name. The engine counts its `../`.
        let up = "../".repeat(path.up);
        let name = Name::new(format!("@{up}{}", name.text), path.span);
        Ok(with_parts(variable(name), parts))
    }
}

fn variable(name: Name) -> Expr {
    Expr { kind: ExprKind::Variable(name.text), span: name.span }
}

/// Adds attributes to an expression. A number is the index of an item.
fn with_parts(value: Expr, parts: impl Iterator<Item = Name>) -> Expr {
    parts.fold(value, |value, name| {
        let span = value.span.to(name.span);
        let value = Box::new(value);
        let kind = match name.text.parse::<u32>() {
            Ok(index) => {
                let literal = ExprKind::Literal(Value::from(i64::from(index)));
                let index = Expr { kind: literal, span: name.span };
                ExprKind::Index { value, index: Box::new(index) }
            }
            Err(_) => ExprKind::Attribute { value, name },
        };
        Expr { kind, span }
    })
}
