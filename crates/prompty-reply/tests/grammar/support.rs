//! A grammar in both of its forms, and the texts that each matches.

use std::sync::LazyLock;

use grammar_testing::Gbnf;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use prompty_core::Error;
use prompty_core::value::Value;
use prompty_reply::grammar::schema::{SchemaGrammar, SchemaOptions};
use prompty_reply::grammar::{Expression, Grammar, GrammarBuilder};

/// A tokenizer with one token per byte, as llguidance requires.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
});

/// A grammar in Lark, as llguidance reads it.
pub(crate) struct Lark {
    pub(crate) text: String,
    matcher: Matcher,
}

impl Lark {
    pub(crate) fn parse(text: String) -> Self {
        let matcher = Matcher::new(FACTORY.create_parser(TopLevelGrammar::from_lark(text.clone())));
        assert!(!matcher.is_error(), "{:?} in\n{text}", matcher.get_error());
        Self { text, matcher }
    }

    /// Whether llguidance accepts the text.
    pub(crate) fn admits(&self, text: &str) -> bool {
        self.refused_from(text).is_none()
    }

    /// The rest of a text that llguidance refuses, from the first byte that is not allowed.
    pub(crate) fn refused_from<'text>(&self, text: &'text str) -> Option<&'text [u8]> {
        let mut matcher = self.matcher.clone();
        let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
        let read = matcher.try_consume_tokens(&bytes).unwrap();
        let is_admitted = read == bytes.len() && matcher.is_accepting().unwrap();
        (!is_admitted).then(|| &text.as_bytes()[read..])
    }
}

/// A grammar as GBNF and as Lark.
pub(crate) struct GrammarForms {
    pub(crate) gbnf: Gbnf,
    pub(crate) lark_text: String,
    lark: Lark,
}

impl GrammarForms {
    pub(crate) fn of(grammar: &Grammar) -> Self {
        let text = grammar.to_gbnf();
        let gbnf = Gbnf::parse(&text).unwrap_or_else(|why| panic!("{why} in\n{text}"));
        let lark = Lark::parse(grammar.to_lark());
        Self { gbnf, lark_text: lark.text.clone(), lark }
    }

    /// The forms of one expression.
    pub(crate) fn of_expression(expression: Expression) -> Self {
        let mut builder = GrammarBuilder::new();
        let rule = builder.rule("test", expression);
        Self::of(&builder.build(rule).unwrap())
    }

    /// Whether llguidance accepts the text.
    pub(crate) fn lark_admits(&self, text: &str) -> bool {
        self.lark.admits(text)
    }

    /// Whether both forms match the text. Panics if they disagree.
    #[track_caller]
    pub(crate) fn admits(&self, text: &str) -> bool {
        let (gbnf, lark) = (self.gbnf.admits(text), self.lark_admits(text));
        assert_eq!(gbnf, lark, "GBNF and Lark disagree on {text:?}\n{}", self.lark_text);
        gbnf
    }
}

/// The grammar of a schema.
pub(crate) fn compile_schema(schema: &str) -> Result<SchemaGrammar, Error> {
    Grammar::of_schema(&Value::from_json(schema).unwrap(), &SchemaOptions::new())
}

/// The forms of a schema's grammar.
#[track_caller]
pub(crate) fn forms_of_schema(schema: &str) -> GrammarForms {
    GrammarForms::of(&compile_schema(schema).unwrap_or_else(|error| panic!("{error:?}")).grammar)
}
