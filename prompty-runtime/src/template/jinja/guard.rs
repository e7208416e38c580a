//! Refuses templates that are too large or too deep for the engine's recursive parser.
//!
//! The engine bounds how deep brackets and blocks lie in each other, but not chains of operators,
//! filters, `not` and `elif`, each link of which costs stack. One linear pass over the tokens does.

use minijinja::machinery::{Token, Tokenizer};

use super::syntax::configuration;
use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;

/// The longest template, in bytes.
pub(crate) const MAX_LENGTH: usize = 1 << 20;
/// How many tokens may depend on each other in one expression; the items of a list do not.
pub(crate) const MAX_CHAIN: usize = 300;
/// What an open bracket costs of [`MAX_CHAIN`], in proportion to the stack that it takes.
const BRACKET: usize = 4;
/// How many `elif` may be open at once.
pub(crate) const MAX_BRANCHES: usize = 256;
/// What an open block costs of [`MAX_BRANCHES`].
pub(crate) const BLOCK: usize = 4;

/// Refuses a text that could exhaust the stack of the engine, of the conversion or of the checker.
///
/// Texts that cannot be read at all pass: the parser says what is wrong with them.
///
/// # Errors
///
/// Where the template is longer than 1 MiB, or one tag or one `elif` chain is too long.
pub(crate) fn check(text: &str) -> Result<(), SyntaxError> {
    if text.len() > MAX_LENGTH {
        return Err(SyntaxError::new(Span::new(0, 0), "the template is longer than 1 MiB")
            .with_help("give long texts to the template as inputs"));
    }
    let mut tokenizer = Tokenizer::new(text, "", false, configuration());
    let mut blocks = Blocks::default();
    let mut chain = Chain::default();
    while let Ok(Some((token, span))) = tokenizer.next_token() {
        let span = Span::new(span.start_offset as usize, span.end_offset as usize);
        chain.token(&token);
        if chain.length() > MAX_CHAIN {
            return Err(SyntaxError::new(span, "this expression is too long").with_help(
                "split it with `{% set %}`, or compute the value before it becomes an input",
            ));
        }
        if !blocks.token(&token, chain.is_bracketed()) {
            // The parser stops here as well.
            return Ok(());
        }
        if blocks.weight() > MAX_BRANCHES {
            return Err(SyntaxError::new(span, "blocks are nested too deep, or `elif` too often")
                .with_help("look the text up in a map, or choose it before it becomes an input"));
        }
    }
    Ok(())
}

/// An upper bound for how deep the tree of an expression can become.
#[derive(Default)]
struct Chain {
    /// For each open bracket: the weight of the part since its last comma, and of its heaviest part.
    levels: Vec<(usize, usize)>,
    /// The parts of all levels but the last, together.
    open: usize,
}

impl Chain {
    fn token(&mut self, token: &Token<'_>) {
        match token {
            Token::TemplateData(_) | Token::VariableStart | Token::BlockStart => {
                self.levels.clear();
                self.levels.push((0, 0));
                self.open = 0;
            }
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => {
                self.add(BRACKET);
                self.open += self.levels.last().map_or(0, |(part, _)| *part);
                self.levels.push((0, 0));
            }
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                if let Some((part, heaviest)) = self.levels.pop() {
                    self.open -= self.levels.last().map_or(0, |(part, _)| *part);
                    self.add(part.max(heaviest));
                }
            }
            Token::Comma => {
                if let Some((part, heaviest)) = self.levels.last_mut() {
                    *heaviest = (*heaviest).max(*part);
                    *part = 0;
                }
            }
            _ => self.add(1),
        }
    }

    fn add(&mut self, weight: usize) {
        match self.levels.last_mut() {
            Some((part, _)) => *part += weight,
            None => self.levels.push((weight, 0)),
        }
    }

    /// Whether a bracket is open.
    fn is_bracketed(&self) -> bool {
        self.levels.len() > 1
    }

    /// The weight of the part that the last token belongs to, with all that is open around it.
    fn length(&self) -> usize {
        self.open + self.levels.last().map_or(0, |(part, _)| *part)
    }
}

/// The blocks that are open.
#[derive(Default)]
struct Blocks<'text> {
    /// The keyword of each and what it costs.
    open: Vec<(&'text str, usize)>,
    /// What they cost together.
    total: usize,
    /// The keyword of the tag that is being read, and whether a `=` came after it.
    tag: Option<(&'text str, bool)>,
    /// Whether the next token is a keyword.
    is_keyword: bool,
}

impl<'text> Blocks<'text> {
    fn weight(&self) -> usize {
        self.total
    }

    /// Reads on; `false` where a tag closes a block that is not open.
    fn token(&mut self, token: &Token<'text>, is_bracketed: bool) -> bool {
        let is_keyword = std::mem::replace(&mut self.is_keyword, false);
        match token {
            Token::BlockStart => self.is_keyword = true,
            Token::Ident(keyword) if is_keyword => self.tag = Some((keyword, false)),
            Token::Assign if !is_bracketed => {
                if let Some((_, has_assignment)) = &mut self.tag {
                    *has_assignment = true;
                }
            }
            Token::BlockEnd => return self.end_of_tag(),
            _ => {}
        }
        true
    }

    fn end_of_tag(&mut self) -> bool {
        let Some((keyword, has_assignment)) = self.tag.take() else { return true };
        match keyword {
            "for" | "if" | "with" | "macro" | "call" | "filter" | "block" | "autoescape" => {
                self.add(keyword, BLOCK);
            }
            // A `set` without `=` is a block.
            "set" if !has_assignment => self.add(keyword, BLOCK),
            "elif" => {
                if let Some((_, cost)) = self.open.last_mut() {
                    *cost += 1;
                    self.total += 1;
                }
            }
            _ => return keyword.strip_prefix("end").is_none_or(|name| self.close(name)),
        }
        true
    }

    fn add(&mut self, keyword: &'text str, cost: usize) {
        self.open.push((keyword, cost));
        self.total += cost;
    }

    fn close(&mut self, name: &str) -> bool {
        match self.open.pop() {
            Some((open, cost)) if open == name => {
                self.total -= cost;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::parse;
    use super::{BLOCK, BRACKET, MAX_BRANCHES, MAX_CHAIN};

    /// Parses, compiles and drops on the stack that a thread has by default, and says whether the
    /// text was refused.
    fn is_refused(text: String) -> bool {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let work = move || {
            let tree = parse(&text);
            if tree.is_ok() {
                let _ = minijinja::Environment::new().template_from_str(&text);
            }
            tree.is_err()
        };
        thread.spawn(work).unwrap().join().unwrap()
    }

    /// A tag each that the engine's parser follows by recursion.
    fn chains(length: usize) -> Vec<(&'static str, String)> {
        let links = |link: &str, cost: usize| link.repeat(length / cost);
        let brackets = |open: &str, close: &str| {
            let cost = BRACKET + open.len() - 1;
            format!("{{{{ {}a{} }}}}", links(open, cost), links(close, cost))
        };
        vec![
            ("operators", format!("{{{{ a{} }}}}", links("+a", 2))),
            ("filters", format!("{{{{ a{} }}}}", links("|b", 2))),
            ("attributes", format!("{{{{ a{} }}}}", links(".b", 2))),
            ("calls", format!("{{{{ a{} }}}}", links("()", BRACKET))),
            ("not", format!("{{{{ {}a }}}}", links("not ", 1))),
            ("minus", format!("{{{{ {}a }}}}", links("- ", 1))),
            ("conditionals", format!("{{{{ a{} }}}}", links(" if a else a", 4))),
            ("comparisons", format!("{{{{ a{} }}}}", links(" < a", 2))),
            ("parentheses", brackets("(", ")")),
            ("lists", brackets("[", "]")),
            ("maps", brackets("{a:", "}")),
            ("targets", format!("{{% set {}a{} = a %}}", links("(", BRACKET), links(")", BRACKET))),
        ]
    }

    /// A text inside as many blocks and branches as may be open.
    fn in_blocks(text: &str, block: &str, end: &str, branches: &str) -> String {
        let count = MAX_BRANCHES / BLOCK / 2;
        let branches = branches.repeat(MAX_BRANCHES / 2);
        format!("{}{branches}{text}{}", block.repeat(count), end.repeat(count))
    }

    #[test]
    fn what_is_let_through_fits_the_stack() {
        for (name, chain) in chains(MAX_CHAIN - 2 * BRACKET) {
            assert!(!is_refused(chain.clone()), "{name}");
            // The engine may refuse what follows, for its own bound; it must not overflow.
            is_refused(in_blocks(&chain, "{% if a %}", "{% endif %}", "{% elif a %}"));
            let block = "{% for a in b %}{% with a = b %}";
            is_refused(in_blocks(&chain, block, "{% endwith %}{% endfor %}", ""));
        }
    }

    #[test]
    fn chains_beyond_the_limit_are_refused() {
        for length in [MAX_CHAIN * 2 + 20, 200_000] {
            for (name, chain) in chains(length) {
                assert!(is_refused(chain), "{name}");
            }
        }
    }

    #[test]
    fn blocks_and_elif_are_bounded_together() {
        let chain = |length| format!("{{% if a %}}{}", "{% elif a %}".repeat(length));
        assert!(!is_refused(format!("{}{{% endif %}}", chain(MAX_BRANCHES - BLOCK))));
        assert!(is_refused(format!("{}{{% endif %}}", chain(MAX_BRANCHES))));
        assert!(is_refused(chain(50_000)));
        let nested = format!("{}{}", chain(3).repeat(60), "{% endif %}".repeat(60));
        assert!(is_refused(nested));
        let one_after_another = format!("{}{{% endif %}}", chain(50)).repeat(20);
        assert!(!is_refused(one_after_another));
        let blocks = ["set a", "set a | b(c='=')", "filter a", "call a()", "macro a()", "with a=b"];
        for block in blocks {
            assert!(is_refused(format!("{{% {block} %}}").repeat(MAX_BRANCHES)), "{block}");
        }
        assert!(!is_refused("{% set a = 1 %}".repeat(MAX_BRANCHES)));
    }

    #[test]
    fn a_long_list_is_no_chain() {
        let list = format!("{{% set a = [{}] %}}", "{'b': 1}, ".repeat(5_000));
        assert!(!is_refused(list));
    }

    #[test]
    fn a_megabyte_is_the_limit() {
        assert!(!is_refused("a".repeat(1 << 20)));
        assert!(is_refused("a".repeat((1 << 20) + 1)));
    }
}
