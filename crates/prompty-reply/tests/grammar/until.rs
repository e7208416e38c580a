//! Text up to a delimiter.

use prompty_reply::grammar::Expression;
use proptest::prelude::*;

use crate::support::GrammarForms;

/// Whether each of the delimiters, if it follows the text, is the first delimiter there, whatever
/// comes after it. This is the literal definition.
fn may_be_followed(text: &str, delimiters: &[&str]) -> bool {
    delimiters.iter().all(|delimiter| {
        let joined = format!("{text}{delimiter}");
        let is_first = |other: &&str| joined.find(*other).is_none_or(|at| at >= text.len());
        let is_open = |other: &&str| {
            // The joined text ends with the beginning of another delimiter that began in the text.
            (0..text.len()).any(|at| {
                let rest = joined.get(at..).unwrap_or_default();
                other.len() > rest.len() && !rest.is_empty() && other.starts_with(rest)
            })
        };
        delimiters.iter().all(|other| is_first(other) && !is_open(other))
    })
}

#[test]
fn text_with_a_delimiter_is_refused() {
    let forms = GrammarForms::of_expression(Expression::until(["</a>"]));
    for admitted in ["", "x", "</a", "<</a", "</b>", "ü\n"] {
        assert!(forms.admits(admitted), "{admitted}");
    }
    for refused in ["</a>", "x</a>", "</</a>y"] {
        assert!(!forms.admits(refused), "{refused}");
    }
}

#[test]
fn text_whose_end_would_complete_an_earlier_delimiter_is_refused() {
    // "</a" + "</a>" contains one delimiter, at its place; "\n" + "</a>" would begin earlier.
    let forms = GrammarForms::of_expression(Expression::until(["</a>", "\n</a>"]));
    assert!(forms.admits("x</a"));
    assert!(!forms.admits("x\n"));
    let doubled = GrammarForms::of_expression(Expression::until(["aa"]));
    assert!(doubled.admits("ba b"));
    assert!(!doubled.admits("ba"));
}

#[test]
fn text_and_its_delimiter_are_read_by_both_forms() {
    // Neither form may read the delimiter's beginning as text.
    let call = Expression::sequence([Expression::until(["<call>"]), "<call>".into()]);
    let forms = GrammarForms::of_expression(Expression::sequence([
        call.repeated(0, None),
        Expression::until(["<call>"]),
    ]));
    for admitted in ["", "x", "<call>", "a<ca<call>b<call><cal"] {
        assert!(forms.admits(admitted), "{admitted}");
    }
}

proptest! {
    #[test]
    fn admitted_texts_match_the_definition(
        delimiters in prop::collection::vec("[ab]{1,4}", 1..4),
        texts in prop::collection::vec("[abc]{0,8}", 16),
    ) {
        let forms = GrammarForms::of_expression(Expression::until(delimiters.clone()));
        let delimiters: Vec<&str> = delimiters.iter().map(String::as_str).collect();
        for text in texts {
            prop_assert_eq!(
                forms.admits(&text),
                may_be_followed(&text, &delimiters),
                "{:?} up to {:?}",
                text,
                delimiters
            );
        }
    }
}
