//! The names of rules, and invalid grammars.

use prompty_core::ErrorKind;
use prompty_reply::grammar::{CharacterClass, Expression, GrammarBuilder};

#[test]
fn names_are_legal_and_unique() {
    let mut builder = GrammarBuilder::new();
    let wanted = ["Street Name", "street_name", "root", "", "42", "größe", "street-name-2"];
    let rules = wanted.map(|name| builder.rule(name, "x".into()));
    let all = builder.rule("all", Expression::sequence(rules.map(Expression::from)));
    let grammar = builder.build(all).unwrap();
    let names: Vec<_> = grammar.rules().map(|(_, rule)| rule.name().to_owned()).collect();
    let expected =
        ["street-name", "street-name-2", "root-2", "rule", "n42", "gr-e", "street-name-2-2", "all"];
    assert_eq!(names, expected);
}

#[test]
fn rules_that_no_text_matches_are_left_out() {
    let mut builder = GrammarBuilder::new();
    let endless = builder.reserve("endless");
    builder.define(endless, Expression::sequence(["x".into(), endless.into()]));
    let unused = builder.rule("unused", "y".into());
    let root =
        builder.rule("top", Expression::choice([endless.into(), "z".into(), Expression::NOTHING]));
    let grammar = builder.build(root).unwrap();
    assert_eq!(grammar.to_gbnf(), "root ::= top\ntop ::= \"z\"\n");
    let _ = unused;
}

#[test]
fn grammar_that_no_text_matches_is_an_error() {
    let mut builder = GrammarBuilder::new();
    let endless = builder.reserve("endless");
    builder.define(endless, Expression::sequence(["x".into(), endless.into()]));
    let error = builder.build(endless).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Grammar);
    assert_eq!(error.to_string(), "no text matches the grammar");
}

#[test]
fn left_recursive_rule_is_an_error() {
    let mut builder = GrammarBuilder::new();
    let sum = builder.reserve("sum");
    let blank = Expression::text(" ").optional();
    let more = Expression::sequence([blank, sum.into(), "+1".into()]);
    builder.define(sum, Expression::choice([more, "1".into()]));
    let error = builder.build(sum).unwrap_err();
    assert_eq!(error.to_string(), "the rule `sum` begins with itself");
    assert!(error.help().is_some());
}

#[test]
fn classes_are_sets_of_characters() {
    let vowels = CharacterClass::from_characters("uaeioa");
    assert_eq!(vowels.ranges().len(), 5);
    assert_eq!(vowels.negated().negated(), vowels);
    assert!(CharacterClass::any().negated().is_empty());
    // Past the surrogates, which are not characters.
    let high = CharacterClass::range('\u{d000}', '\u{d7ff}');
    assert_eq!(high.or(&CharacterClass::range('\u{e000}', '\u{e001}')).ranges().len(), 1);
    assert_eq!(vowels.and(&CharacterClass::range('a', 'f')), CharacterClass::from_characters("ae"));
}

/// The spellings that llama.cpp and xgrammar read alike. xgrammar does not support `.`, reads all
/// hexadecimal digits after `\x`, and before 0.2.8 ignores characters beyond ASCII after `[^`.
#[test]
fn classes_are_written_for_all_gbnf_parsers() {
    let written = |class: CharacterClass| {
        let mut builder = GrammarBuilder::new();
        let rule = builder.rule("one", class.into());
        let gbnf = builder.build(rule).unwrap().to_gbnf();
        gbnf.trim_end().rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(written(CharacterClass::any()), r"[\u0000-\U0010FFFF]");
    assert_eq!(written(CharacterClass::from_characters("-09")), r"[\u002D09]");
    assert_eq!(written(CharacterClass::from_characters("<\"").negated()), "[^\"<]");
    let lacks = CharacterClass::from_characters("<\u{ff5c}").negated();
    assert_eq!(written(lacks), r"[\u0000-;=-\uFF5B\uFF5D-\U0010FFFF]");
}
