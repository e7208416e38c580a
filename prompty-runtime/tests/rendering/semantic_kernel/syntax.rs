//! The syntax tree of a template with its spans, and syntax errors.

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::semantic_kernel::parse;
use prompty_template::tree::{Argument, ExprKind, Node, NodeKind};

fn only(text: &str) -> Node {
    let mut tree = parse(text).unwrap();
    assert_eq!(tree.nodes.len(), 1, "{text}");
    tree.nodes.remove(0)
}

#[test]
fn a_variable_has_the_place_of_its_name() {
    let NodeKind::Output(output) = only("{{ $name }}").kind else { panic!("no output") };
    assert_eq!(
        (output.kind, output.span),
        (ExprKind::Variable("name".into()), TemplateSpan::new(4, 8))
    );
}

#[test]
fn a_call_has_its_arguments_with_their_places() {
    let NodeKind::Output(output) = only("{{time.add $date days = '3'}}").kind else {
        panic!("no output")
    };
    assert_eq!(output.span, TemplateSpan::new(2, 27));
    let ExprKind::Function(call) = output.kind else { panic!("no call") };
    assert_eq!((call.name.text.as_str(), call.name.span), ("time.add", TemplateSpan::new(2, 10)));
    let [Argument::Positional(date), Argument::Named(name, days)] = call.arguments.as_slice()
    else {
        panic!("other arguments")
    };
    assert_eq!(
        (&date.kind, date.span),
        (&ExprKind::Variable("date".into()), TemplateSpan::new(12, 16))
    );
    assert_eq!((name.text.as_str(), name.span), ("days", TemplateSpan::new(17, 21)));
    assert_eq!(
        (&days.kind, days.span),
        (&ExprKind::Literal("3".into()), TemplateSpan::new(24, 27))
    );
}

/// The template with each block in brackets.
fn shown(text: &str) -> String {
    let nodes = parse(text).unwrap().nodes.into_iter();
    let pieces = nodes.map(|node| match node.kind {
        NodeKind::Text(text) => text,
        _ => format!("[{}]", &text[node.span.start..node.span.end]),
    });
    pieces.collect()
}

#[test]
fn the_last_two_braces_before_a_block_count() {
    assert_eq!(shown("{{{$a}}}"), "{[{{$a}}]}");
    assert_eq!(shown("{{ {{$a}} }}"), "{{ [{{$a}}] }}");
    assert_eq!(shown("{{{{$a}}}}"), "{{[{{$a}}]}}");
}

#[test]
fn braces_between_quotation_marks_mean_nothing() {
    assert_eq!(shown("{{'}}'}}x{{\"{{\"}}"), "[{{'}}'}}]x[{{\"{{\"}}]");
}

#[test]
fn quotation_marks_outside_of_blocks_mean_nothing() {
    assert_eq!(shown("it's {{$a}}, isn't it"), "it's [{{$a}}], isn't it");
}

#[test]
fn braces_that_open_no_block_are_text() {
    for text in ["{{}}", "{{  }}", "{{a}", "Hi {{$name", "{{'a}} {{$b}}", "{{a'", "{{'", "{{"] {
        assert_eq!(shown(text), text);
    }
}

/// The message of a syntax error, the text at its span, and the help.
#[track_caller]
fn mistake(text: &str) -> [String; 3] {
    let error = parse(text).unwrap_err();
    let place = text.get(error.span.start..error.span.end).unwrap().to_owned();
    [error.message, place, error.help.unwrap()]
}

#[test]
fn names_have_letters_digits_and_underscores() {
    insta::assert_debug_snapshot!([
        mistake("{{$user.name}}"),
        mistake("{{$na-me}}"),
        mistake("{{$}}"),
        mistake("{{$name|upper}}"),
        mistake("{{a.b.c}}"),
        mistake("{{my-function $a}}"),
        mistake("{{f a-b='c'}}"),
    ]);
}

#[test]
fn syntax_of_other_languages_gets_a_help() {
    insta::assert_debug_snapshot!([
        mistake("{{#if $a}}"),
        mistake("{{/if}}"),
        mistake("{{!-- note --}}"),
        mistake("{{f('x')}}"),
        mistake("{{name|upper}}"),
        mistake("{{f'x'}}"),
    ]);
}

#[test]
fn arguments_have_one_form() {
    insta::assert_debug_snapshot!([
        mistake("{{days='3'}}"),
        mistake("{{ days = '3' }}"),
        mistake("{{$a $b}}"),
        mistake("{{'a' $b}}"),
        mistake("{{f 'a' 'b'}}"),
        mistake("{{f 'a' b}}"),
        mistake("{{f 'a'b='c'}}"),
        mistake("{{f a=3}}"),
        mistake("{{f a=}}"),
        mistake("{{f a='b=c'}}"),
        mistake("{{f a' 'b}}"),
    ]);
}

#[test]
fn a_name_has_an_end() {
    let long = "x".repeat(257);
    for text in
        [format!("{{{{${long}}}}}"), format!("{{{{{long}}}}}"), format!("{{{{f {long}='a'}}}}")]
    {
        assert_eq!(mistake(&text)[0], "the name is too long");
    }
}
