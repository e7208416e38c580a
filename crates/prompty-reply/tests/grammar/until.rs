//! Text up to a delimiter.

use prompty_reply::grammar::Expression;
use proptest::prelude::*;

use crate::support::Forms;

/// Whether each of the delimiters, put behind the text, is the first that is found there, whatever
/// follows it: the definition, word by word.
fn may_be_followed(text: &str, delimiters: &[&str]) -> bool {
    delimiters.iter().all(|delimiter| {
        let whole = format!("{text}{delimiter}");
        let is_first = |other: &&str| whole.find(*other).is_none_or(|at| at >= text.len());
        let is_open = |other: &&str| {
            // The whole text ends in a beginning of another that began in the text.
            (0..text.len()).any(|at| {
                let rest = whole.get(at..).unwrap_or_default();
                other.len() > rest.len() && !rest.is_empty() && other.starts_with(rest)
            })
        };
        delimiters.iter().all(|other| is_first(other) && !is_open(other))
    })
}

#[test]
fn text_that_holds_a_delimiter_is_not_admitted() {
    let forms = Forms::of_expression(Expression::until(["</a>"]));
    for admitted in ["", "x", "</a", "<</a", "</b>", "ü\n"] {
        assert!(forms.admits(admitted), "{admitted}");
    }
    for refused in ["</a>", "x</a>", "</</a>y"] {
        assert!(!forms.admits(refused), "{refused}");
    }
}

#[test]
fn text_whose_end_would_make_an_earlier_delimiter_is_not_admitted() {
    // "</a" + "</a>" holds one delimiter, in its place; "\n" + "</a>" would begin earlier.
    let forms = Forms::of_expression(Expression::until(["</a>", "\n</a>"]));
    assert!(forms.admits("x</a"));
    assert!(!forms.admits("x\n"));
    let doubled = Forms::of_expression(Expression::until(["aa"]));
    assert!(doubled.admits("ba b"));
    assert!(!doubled.admits("ba"));
}

#[test]
fn text_and_its_delimiter_are_read_by_both_forms() {
    // Neither form may take the delimiter's beginning for text.
    let call = Expression::sequence([Expression::until(["<call>"]), "<call>".into()]);
    let forms = Forms::of_expression(Expression::sequence([
        call.repeated(0, None),
        Expression::until(["<call>"]),
    ]));
    for admitted in ["", "x", "<call>", "a<ca<call>b<call><cal"] {
        assert!(forms.admits(admitted), "{admitted}");
    }
}

proptest! {
    #[test]
    fn what_is_admitted_is_what_the_definition_says(
        delimiters in prop::collection::vec("[ab]{1,4}", 1..4),
        texts in prop::collection::vec("[abc]{0,8}", 16),
    ) {
        let forms = Forms::of_expression(Expression::until(delimiters.clone()));
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
