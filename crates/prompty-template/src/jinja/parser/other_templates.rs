//! Parses tags that name other templates, and `block` tags.

use super::{JinjaParser, Result};
use crate::jinja::token::TokenKind;
use crate::tree::{Expr, ExprKind, Name, OtherTemplate, TemplateBlock, TemplateNames};

impl JinjaParser<'_> {
    /// Parses the rest of a tag that names other templates. They are the first argument of all
    /// these tags.
    pub(super) fn other_template(&mut self, keyword: &str) -> Result<OtherTemplate> {
        let names = self.template_names()?;
        match keyword {
            "include" => {
                let may_be_missing = self.take_words(["ignore", "missing"]);
                let sees_context = self.context()?.unwrap_or(true);
                Ok(OtherTemplate::Include { names, may_be_missing, sees_context })
            }
            "import" => {
                if !self.take_word("as") {
                    return self.unexpected("`as` and a name");
                }
                let module = self.bound_name()?;
                let sees_context = self.context()?.unwrap_or(false);
                Ok(OtherTemplate::Import { names, module, sees_context })
            }
            "from" => self.import_of_names(names),
            _ => Ok(OtherTemplate::Extends { names }),
        }
    }

    /// Parses the rest of a `block` tag.
    pub(super) fn template_block(&mut self) -> Result<TemplateBlock> {
        let name = self.name()?;
        let mut block = TemplateBlock { name, is_scoped: false, is_required: false };
        loop {
            if self.take_word("scoped") {
                block.is_scoped = true;
            } else if self.take_word("required") {
                block.is_required = true;
            } else {
                return Ok(block);
            }
        }
    }

    /// Parses `import a, b as c with context` after `from` and the names of the templates.
    fn import_of_names(&mut self, names: TemplateNames) -> Result<OtherTemplate> {
        if !self.take_word("import") {
            return self.unexpected("`import`");
        }
        let mut imported: Vec<(Name, Name)> = Vec::new();
        let sees_context = loop {
            if !imported.is_empty() {
                if let Some(sees_context) = self.context()? {
                    break sees_context;
                }
                if self.token.kind == TokenKind::BlockEnd {
                    break false;
                }
                self.expect(",", "`,`")?;
                if self.token.kind == TokenKind::BlockEnd {
                    break false;
                }
            }
            let name = self.bound_name()?;
            let own = if self.take_word("as") { self.bound_name()? } else { name.clone() };
            imported.push((name, own));
        };
        Ok(OtherTemplate::From { names, imported, sees_context })
    }

    /// Parses `with context` or `without context`, if it is next.
    fn context(&mut self) -> Result<Option<bool>> {
        for (word, sees_context) in [("with", true), ("without", false)] {
            if self.is_word(word) && self.ahead.kind == TokenKind::Name("context") {
                self.take_words([word, "context"]);
                return Ok(Some(sees_context));
            }
        }
        Ok(None)
    }

    /// Takes two words, if both are next.
    fn take_words(&mut self, [first, second]: [&str; 2]) -> bool {
        let is_found = self.is_word(first)
            && matches!(self.ahead.kind, TokenKind::Name(found) if found == second);
        if is_found {
            self.advance();
            self.advance();
        }
        is_found
    }

    /// Parses a name in quotes, a list of such names, or an expression that computes a name.
    fn template_names(&mut self) -> Result<TemplateNames> {
        if self.token.kind == TokenKind::BlockEnd {
            return self.unexpected("the name of a file in quotes");
        }
        let value = self.expression()?;
        let span = value.span;
        Ok(TemplateNames { given: literal_names(&value.into_expr()), span })
    }
}

/// Returns the names in a string literal or a list of them. `None` if a name is computed.
fn literal_names(expr: &Expr) -> Option<Vec<Name>> {
    match &expr.kind {
        ExprKind::Literal(text) => Some(vec![Name::new(text.as_str()?, expr.span)]),
        ExprKind::List(items) | ExprKind::Tuple(items) => {
            items.iter().map(|item| literal_names(item)?.pop()).collect()
        }
        _ => None,
    }
}
