//! What both forms write, and that they mean the same.

use prompty_runtime::reply::grammar::{CharacterClass, Expression, GrammarBuilder};

use crate::support::Forms;

#[test]
fn every_character_can_be_written() {
    let odd = "\"\\/[]^-{}()|*+?.#\u{0}\u{1}\n\r\t\u{7f}\u{a0}äß\u{2028}\u{feff}😀\u{10ffff}";
    let text = Forms::of_expression(Expression::text(odd));
    assert!(text.admits(odd));
    assert!(!text.admits("x"));
    let class = Forms::of_expression(CharacterClass::of(odd).into());
    let others = Forms::of_expression(CharacterClass::of(odd).negated().into());
    for character in odd.chars() {
        assert!(class.admits(&character.to_string()), "{character:?}");
        assert!(!others.admits(&character.to_string()), "{character:?}");
    }
    assert!(others.admits("é") && !class.admits("é"));
}

#[test]
fn any_character_is_any() {
    let forms = Forms::of_expression(CharacterClass::any().into());
    assert!(forms.admits("\0") && forms.admits("\n") && forms.admits("😀") && !forms.admits("ab"));
}

#[test]
fn counts_are_of_the_whole_item() {
    let forms = Forms::of_expression(Expression::text("ab").repeated(2, Some(3)));
    for (text, admitted) in [("ab", false), ("abab", true), ("ababab", true), ("abb", false)] {
        assert_eq!(forms.admits(text), admitted, "{text}");
    }
    let nested = Expression::text("x").repeated(2, Some(2)).repeated(0, None);
    let forms = Forms::of_expression(nested);
    assert!(forms.admits("") && forms.admits("xxxx") && !forms.admits("xxx"));
}

#[test]
fn counts_beyond_what_samplers_take_are_made_of_blocks() {
    for (at_least, at_most) in
        [(0, Some(2500)), (1500, None), (1200, Some(1900)), (3000, Some(3000))]
    {
        let forms = Forms::of_expression(Expression::text("x").repeated(at_least, at_most));
        let around = [at_least.saturating_sub(1), at_least, at_most.unwrap_or(5000)];
        for count in around.into_iter().chain(at_most.map(|at_most| at_most + 1)) {
            let is_in = at_least <= count && at_most.is_none_or(|at_most| count <= at_most);
            assert_eq!(forms.gbnf.admits(&"x".repeat(count as usize)), is_in, "{count}");
        }
    }
}

#[test]
fn the_longest_terminal_is_not_taken_where_it_is_wrong() {
    // A lexer that takes all letters at once would not find the last one.
    let mut builder = GrammarBuilder::new();
    let nest = builder.reserve("nest");
    let letters = || Expression::from(CharacterClass::range('a', 'z')).repeated(0, None);
    let inner = Expression::sequence(["(".into(), nest.into(), ")".into()]).optional();
    builder.define(nest, Expression::sequence([letters(), inner, letters(), "z".into()]));
    let forms = Forms::of(&builder.build(nest).unwrap());
    for (text, admitted) in [("z", true), ("abcz", true), ("a(bz)cz", true), ("a(b)z", false)] {
        assert_eq!(forms.admits(text), admitted, "{text}");
    }
}

#[test]
fn a_grammar_that_does_not_contain_itself_is_one_terminal() {
    let forms = Forms::of_expression(Expression::sequence([
        Expression::until(["</think>"]),
        "</think>".into(),
        Expression::choice(["yes".into(), "no".into()]).repeated(1, Some(3)),
    ]));
    assert!(forms.lark_text.contains("test: TERMINAL__0\n"), "{}", forms.lark_text);
    assert!(forms.admits("so</thin</think>yesno"));
    assert!(!forms.admits("so</think></think>yes"));
}
