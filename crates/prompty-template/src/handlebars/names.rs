//! What names in a Handlebars template stand for: that is known before anything renders.

use crate::SyntaxError;
use crate::tree::{Expr, ExprKind, Name};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// The variables that `{{#each}}` gives, beside the item.
pub(super) const EACH: [&str; 4] = ["first", "index", "key", "last"];

/// The blocks around a place in whose values names are looked up, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    list: Vec<Block>,
}

#[derive(Debug)]
pub(super) struct Block {
    /// The names behind `as`.
    pub(super) parameters: Vec<Name>,
    /// Whether it has `@index` and the like.
    pub(super) repeats: bool,
}

/// A name as it is written: `../user.name`, `@index`, `this`.
#[derive(Debug)]
pub(super) struct Path {
    /// Whether it begins with `@`.
    pub(super) is_data: bool,
    /// How often it goes up.
    pub(super) up: usize,
    /// Where `this`, `.` or the last `..` stands, if one does.
    pub(super) this: Option<TemplateSpan>,
    pub(super) parts: Vec<Name>,
    pub(super) span: TemplateSpan,
}

impl Path {
    /// The name, where it is one name alone.
    pub(super) fn simple(&self) -> Option<&Name> {
        match self.parts.as_slice() {
            [name] if !self.is_data && self.up == 0 && self.this.is_none() => Some(name),
            _ => None,
        }
    }
}

impl Blocks {
    pub(super) fn enter(&mut self, block: Block) {
        self.list.push(block);
    }

    pub(super) fn leave(&mut self) -> Option<Block> {
        self.list.pop()
    }

    /// The names of all parameters, the innermost last.
    fn parameter(&self, name: &str) -> bool {
        self.list.iter().flat_map(|block| &block.parameters).any(|known| known.text == name)
    }

    /// What a name stands for.
    pub(super) fn resolve(&self, path: Path) -> Result<Expr, SyntaxError> {
        if path.is_data {
            return self.data(path);
        }
        let depth = self.list.len();
        if path.up > depth {
            let around = match depth {
                0 => "no block is around it".to_owned(),
                1 => "one block is around it".to_owned(),
                depth => format!("{depth} blocks are around it"),
            };
            let message = format!("`../` leads out of the template: {around}");
            return Err(SyntaxError::new(path.span, message).with_help(
                "`../` leaves an `each`, a `with` or a section; an `if` changes no names, and needs none",
            ));
        }
        let mut parts = path.parts.into_iter();
        let is_plain = path.up == 0 && path.this.is_none();
        let first = parts.as_slice().first();
        let is_parameter = is_plain && first.is_some_and(|name| self.parameter(&name.text));
        if is_parameter && let Some(name) = parts.next() {
            return Ok(with_parts(variable(name), parts));
        }
        if path.up == depth {
            return self.of_inputs(parts, path.span);
        }
        let start =
            path.this.unwrap_or_else(|| TemplateSpan::new(path.span.start, path.span.start));
        let context = Expr { kind: ExprKind::Context(path.up), span: start };
        Ok(with_parts(context, parts))
    }

    /// A name of the inputs.
    fn of_inputs(
        &self,
        mut parts: std::vec::IntoIter<Name>,
        span: TemplateSpan,
    ) -> Result<Expr, SyntaxError> {
        let Some(name) = parts.next() else {
            let error = SyntaxError::new(span, "here this stands for all inputs");
            return Err(error.with_help("name one of them, as in `{{name}}`"));
        };
        if name.text.starts_with('@') {
            let message = format!("no input has the name `{}`", excerpt(&name.text));
            return Err(SyntaxError::new(name.span, message)
                .with_help("the variables of a block stand without brackets: `@index`"));
        }
        if self.parameter(&name.text) {
            let message = format!("`{}` is a name of a block around this, too", name.text);
            let error = SyntaxError::new(name.span, message);
            return Err(error.with_help("give the name behind `as` another spelling"));
        }
        Ok(with_parts(variable(name), parts))
    }

    /// `@root.name`, `@index`, `@../key`.
    fn data(&self, path: Path) -> Result<Expr, SyntaxError> {
        let mut parts = path.parts.into_iter();
        let Some(name) = parts.next() else {
            return Err(SyntaxError::new(path.span, "there is no name behind `@`"));
        };
        if name.text == "root" && path.up == 0 {
            return self.of_inputs(parts, path.span);
        }
        if !EACH.contains(&name.text.as_str()) {
            let message = format!("unknown variable `@{}`", excerpt(&name.text));
            return Err(SyntaxError::new(path.span, message)
                .with_help("there are: `@index`, `@key`, `@first`, `@last`, `@root`"));
        }
        let loops = self.list.iter().filter(|block| block.repeats).count();
        if path.up >= loops {
            let message = format!("there is no `{{{{#each}}}}` whose `@{}` this is", name.text);
            return Err(SyntaxError::new(path.span, message)
                .with_help("use it between `{{#each items}}` and `{{/each}}`"));
        }
        let up = "../".repeat(path.up);
        let name = Name::new(format!("@{up}{}", name.text), path.span);
        Ok(with_parts(variable(name), parts))
    }
}

fn variable(name: Name) -> Expr {
    Expr { kind: ExprKind::Variable(name.text), span: name.span }
}

/// A value's attribute's attribute, and so on. A number is the place of an item.
fn with_parts(whole: Expr, parts: impl Iterator<Item = Name>) -> Expr {
    parts.fold(whole, |value, name| {
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
