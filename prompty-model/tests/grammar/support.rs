//! A grammar in both of its forms, and the text that each admits.

use std::sync::LazyLock;

use grammar_testing::Gbnf;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use prompty_core::Error;
use prompty_core::value::Value;
use prompty_model::reply::grammar::schema::{SchemaGrammar, SchemaOptions};
use prompty_model::reply::grammar::{Expression, Grammar, GrammarBuilder};

/// A tokenizer with a token for each byte, as llguidance wants one.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
});

/// A grammar as GBNF and as Lark.
pub(crate) struct Forms {
    pub(crate) gbnf: Gbnf,
    pub(crate) lark_text: String,
    lark: Matcher,
}

impl Forms {
    pub(crate) fn of(grammar: &Grammar) -> Self {
        let text = grammar.to_gbnf();
        let gbnf = Gbnf::parse(&text).unwrap_or_else(|why| panic!("{why} in\n{text}"));
        let lark_text = grammar.to_lark();
        let top = TopLevelGrammar::from_lark(lark_text.clone());
        let lark = Matcher::new(FACTORY.create_parser(top));
        assert!(!lark.is_error(), "{:?} in\n{lark_text}", lark.get_error());
        Self { gbnf, lark_text, lark }
    }

    /// The forms of one expression.
    pub(crate) fn of_expression(expression: Expression) -> Self {
        let mut builder = GrammarBuilder::new();
        let rule = builder.rule("test", expression);
        Self::of(&builder.build(rule).unwrap())
    }

    /// Whether llguidance admits the text.
    pub(crate) fn lark_admits(&self, text: &str) -> bool {
        let mut matcher = self.lark.clone();
        let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
        let read = matcher.try_consume_tokens(&bytes).unwrap();
        read == bytes.len() && matcher.is_accepting().unwrap()
    }

    /// Whether both admit the text; a panic where they disagree.
    #[track_caller]
    pub(crate) fn admits(&self, text: &str) -> bool {
        let (gbnf, lark) = (self.gbnf.admits(text), self.lark_admits(text));
        assert_eq!(gbnf, lark, "GBNF and Lark disagree on {text:?}\n{}", self.lark_text);
        gbnf
    }
}

/// The grammar of a schema.
pub(crate) fn compiled(schema: &str) -> Result<SchemaGrammar, Error> {
    Grammar::of_schema(&Value::from_json(schema).unwrap(), &SchemaOptions::new())
}

/// The forms of a schema's grammar.
#[track_caller]
pub(crate) fn forms(schema: &str) -> Forms {
    Forms::of(&compiled(schema).unwrap_or_else(|error| panic!("{error:?}")).grammar)
}
