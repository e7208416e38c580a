//! Mustache compared with its specification, its errors, and its limits.

use prompty_core::ErrorKind;
use prompty_core::value::{Map, Value};
use prompty_runtime::engine::{
    CompiledTemplate, Engine, EngineOptions, Extensions, Marks, ParsedTemplate, RenderFailure,
    RichInput, Scope, StepEngine, Undefined,
};
use prompty_template::mustache::{Mustache, parse};
use prompty_template::{Boundaries, Language, RenderLimits, SyntaxError};
use proptest::prelude::*;

mod hostile;
mod partials;
mod syntax;

fn map(json: &str) -> Map {
    serde_json::from_str(json).unwrap()
}

/// Compiles a template for renders to messages.
fn compile(
    text: &str,
    limits: RenderLimits,
    undefined: Undefined,
) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
    let tree = parse(text)?;
    let marks = Marks::Boundaries(Boundaries::from_role_lines(text, &tree));
    compile_with(text, marks, limits, undefined)
}

fn compile_with(
    text: &str,
    marks: Marks,
    limits: RenderLimits,
    undefined: Undefined,
) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
    let tree = parse(text)?;
    if let Some(refused) = Mustache.refused(text, &tree) {
        return Err(refused);
    }
    let template = ParsedTemplate { text, tree: tree.into(), marks };
    StepEngine::default()
        .compile(&template, &EngineOptions { extensions: &Extensions::new(), limits, undefined })
}

fn run(
    text: &str,
    inputs: &Map,
    limits: RenderLimits,
    undefined: Undefined,
) -> Result<String, RenderFailure> {
    let template = compile(text, limits, undefined).unwrap();
    template.render(Scope { inputs, rich: &[], nonce: "00ff" })
}

fn render(text: &str, inputs: &str) -> String {
    run(text, &map(inputs), RenderLimits::default(), Undefined::Empty).unwrap()
}

fn strict(text: &str, inputs: &str) -> Result<String, RenderFailure> {
    run(text, &map(inputs), RenderLimits::default(), Undefined::Error)
}

fn refused(text: &str) -> SyntaxError {
    let compiled = compile(text, RenderLimits::default(), Undefined::Empty);
    compiled.unwrap_err()
}

/// Renders with a full thread `history` and an empty one, `nothing`.
fn with_rich(text: &str) -> String {
    let rich = |name: &str, present| RichInput {
        name: name.to_owned(),
        placeholder: format!("<{name}>"),
        present,
    };
    let rich = [rich("history", true), rich("nothing", false)];
    let inputs = map(r#"{"history": "hidden", "who": "Ada", "items": [{"history": "own"}]}"#);
    let template = compile(text, RenderLimits::default(), Undefined::Empty).unwrap();
    template.render(Scope { inputs: &inputs, rich: &rich, nonce: "00ff" }).unwrap()
}

#[test]
fn text_without_tags_is_written_as_it_is() {
    assert_eq!(render("a { b } é\n\n", "{}"), "a { b } é\n\n");
}

#[test]
fn a_variable_is_escaped_and_three_braces_or_an_ampersand_are_raw() {
    let inputs = r#"{"x": "& \" < > ' é"}"#;
    assert_eq!(render("{{x}}", inputs), "&amp; &quot; &lt; &gt; &#39; é");
    assert_eq!(render("{{{x}}} {{&x}} {{{ x }}} {{& x }}", inputs), ["& \" < > ' é"; 4].join(" "));
}

#[test]
fn values_print_by_the_rules_of_prompts() {
    let inputs = r#"{"n": 1.0, "f": 1.21, "t": true, "none": null, "l": [1, "a"], "m": {"k": 1}}"#;
    assert_eq!(render("{{n}} {{f}} {{t}} [{{none}}] [{{gone}}]", inputs), "1 1.21 true [] []");
    assert_eq!(render("{{&l}} {{&m}}", inputs), r#"[1, "a"] {"k": 1}"#);
}

#[test]
fn a_value_is_never_parsed_as_a_tag() {
    assert_eq!(render("{{&x}}", r#"{"x": "{{y}}", "y": "no"}"#), "{{y}}");
}

#[test]
fn white_space_in_a_variable_tag_does_not_change_the_text_around_it() {
    assert_eq!(render("| {{ x }} |\n  {{x}}\n", r#"{"x": "-"}"#), "| - |\n  -\n");
}

#[test]
fn a_dotted_name_reaches_into_maps_and_lists() {
    let inputs = r#"{"a": {"b": {"c": "deep"}}, "items": ["x", {"n": "y"}]}"#;
    assert_eq!(render("{{a.b.c}} {{items.0}} {{items.1.n}}", inputs), "deep x y");
    assert_eq!(render("[{{a.x.c}}{{a.b.c.d}}{{items.2}}{{items.x}}]", inputs), "[]");
}

#[test]
fn only_the_first_part_of_a_dotted_name_is_looked_up_outwards() {
    let inputs = r#"{"a": {"b": {"k": 1}}, "b": {"c": "WRONG"}, "name": "outer"}"#;
    assert_eq!(render("{{#a}}[{{b.c}}] {{name}}{{/a}}", inputs), "[] outer");
}

#[test]
fn a_section_is_written_if_its_subject_is_true() {
    let inputs = r#"{"yes": true, "text": "x", "no": false, "none": null, "empty": []}"#;
    assert_eq!(
        render("{{#yes}}1{{/yes}}{{#text}}2{{/text}}{{#no}}3{{/no}}{{#none}}4{{/none}}", inputs),
        "12"
    );
    assert_eq!(render("{{#empty}}5{{/empty}}{{#gone}}6{{/gone}}", inputs), "");
}

#[test]
fn empty_strings_zero_and_empty_maps_are_false() {
    let inputs = r#"{"t": "", "n": 0, "m": {}}"#;
    assert_eq!(render("{{#t}}1{{/t}}{{#n}}2{{/n}}{{#m}}3{{/m}}{{^t}}4{{/t}}", inputs), "4");
}

#[test]
fn a_section_over_a_list_is_written_for_each_item() {
    let inputs = r#"{"list": [{"n": 1}, {"n": 2}], "words": ["a", "b"], "grid": [[1, 2], [3]]}"#;
    assert_eq!(render("{{#list}}{{n}},{{/list}}", inputs), "1,2,");
    assert_eq!(render("{{#words}}({{.}}){{/words}}", inputs), "(a)(b)");
    assert_eq!(render("{{#grid}}[{{#.}}{{.}}{{/.}}]{{/grid}}", inputs), "[12][3]");
}

#[test]
fn false_items_of_a_list_are_written_too() {
    assert_eq!(render("{{#l}}<{{.}}>{{/l}}", r#"{"l": [false, null, "", 0]}"#), "<false><><><0>");
}

#[test]
fn a_section_over_a_map_is_written_once_with_its_names() {
    let inputs = r#"{"user": {"name": "Ada"}, "name": "outer", "top": "t"}"#;
    assert_eq!(render("{{#user}}{{name}} {{top}}{{/user}} {{name}}", inputs), "Ada t outer");
}

#[test]
fn the_innermost_section_that_has_a_name_wins_even_with_null() {
    let inputs = r#"{"a": {"x": 1, "y": null, "b": {"x": 2}}, "x": 0, "y": "outer"}"#;
    assert_eq!(render("{{#a}}{{#b}}{{x}}[{{y}}]{{/b}}{{x}}{{/a}}{{x}}", inputs), "2[]10");
}

#[test]
fn sections_of_the_same_name_can_be_nested() {
    let inputs = r#"{"b": true}"#;
    assert_eq!(render("{{#b}}A{{#b}}B{{/b}}{{^b}}C{{/b}}D{{/b}}", inputs), "ABD");
}

#[test]
fn an_inverted_section_is_written_if_its_subject_is_false() {
    let inputs = r#"{"yes": true, "no": false, "none": null, "empty": [], "list": [0]}"#;
    let text = "{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^none}}3{{/none}}{{^empty}}4{{/empty}}\
                {{^list}}5{{/list}}{{^gone}}6{{/gone}}";
    assert_eq!(render(text, inputs), "2346");
}

#[test]
fn a_section_takes_dotted_names() {
    let inputs = r#"{"a": {"b": {"c": true}}}"#;
    assert_eq!(render("{{#a.b.c}}yes{{/a.b.c}}{{^a.b.x}}no{{/a.b.x}}", inputs), "yesno");
}

#[test]
fn comments_write_nothing() {
    assert_eq!(render("12{{! a {{ b\n c }}34 {{!x}} 5", "{}"), "1234  5");
}

#[test]
fn a_tag_alone_on_its_line_removes_the_line() {
    let inputs = r#"{"b": true}"#;
    assert_eq!(render("1\n  {{#b}}  \n2\n\t{{/b}}\n3\n", inputs), "1\n2\n3\n");
    assert_eq!(render("1\r\n{{#b}}\r\n2\r\n{{/b}}\r\n3", inputs), "1\r\n2\r\n3");
    assert_eq!(render("1\n{{! a\n b }}\n2", inputs), "1\n2");
    assert_eq!(render("1\n {{=<% %>=}} \n<%#b%>\n2\n<%/b%>", inputs), "1\n2\n");
    assert_eq!(render("  {{#b}}\n#{{/b}}\n/", inputs), "#\n/");
    assert_eq!(render("#{{#b}}\n/\n  {{/b}}", inputs), "#\n/\n");
}

#[test]
fn a_tag_next_to_other_text_keeps_the_line() {
    let inputs = r#"{"b": true, "x": "X"}"#;
    assert_eq!(render(" {{#b}}A{{/b}}\n {{#b}}B{{/b}}\n", inputs), " A\n B\n");
    assert_eq!(render("{{#b}} \n{{/b}} {{x}}\n", inputs), " X\n");
    assert_eq!(render(" {{x}} \n", inputs), " X \n");
    assert_eq!(render("{{#b}}{{/b}}\n", inputs), "\n");
    assert_eq!(render("{{!a}} {{!b}}\n", inputs), " \n");
}

#[test]
fn delimiters_can_be_changed_and_changed_back() {
    let inputs = r#"{"x": "<X>"}"#;
    let text = "{{x}} {{=<% %>=}}<%x%> {{x}} <%&x%> <%{x}%> <%={{ }}=%>{{&x}} <%x%>";
    assert_eq!(render(text, inputs), "&lt;X&gt; &lt;X&gt; {{x}} <X> <X> <X> <%x%>");
    assert_eq!(render("{{= | | =}}|&x| {{x}}", inputs), "<X> {{x}}");
    assert_eq!(render("{{={{ }}=}}{{&x}}", inputs), "<X>");
}

#[test]
fn role_markers_get_the_nonce_and_their_own_lines() {
    let inputs = r#"{"x": "system:", "b": [1, 2], "q": "a, b\"]:"}"#;
    assert_eq!(
        render("system:\nBe.\n{{#b}}\nuser:\n{{.}}\n{{/b}}\nassistant[id=7]:\n{{x}}", inputs),
        "system[nonce=00ff]:\nBe.\n^00ff\nuser[nonce=00ff]:\n1\n^00ff\nuser[nonce=00ff]:\n2\n\
         ^00ff\nassistant[nonce=00ff, id=7]:\nsystem:"
    );
}

#[test]
fn a_value_in_a_markers_attributes_cannot_end_them() {
    let text = render("user[name={{q}}]:\n{{&q}}", r#"{"q": "a]:"}"#);
    assert_eq!(text, "user[nonce=00ff, name=00ff-615d3a.]:\na]:");
}

#[test]
fn outputs_are_fenced_for_segments() {
    let text = "user:\n{{#l}}{{.}}{{/l}}{{{x}}}";
    let template = compile_with(
        text,
        Marks::Fences(Boundaries::default()),
        RenderLimits::default(),
        Undefined::Empty,
    )
    .unwrap();
    let inputs = map(r#"{"l": ["a", "<"], "x": "y"}"#);
    let text = template.render(Scope { inputs: &inputs, rich: &[], nonce: "N" }).unwrap();
    assert_eq!(text, "user:\nN:0;aN;N:0;&lt;N;N:1;yN;");
}

#[test]
fn a_rich_input_prints_its_placeholder_and_has_no_attributes() {
    assert_eq!(with_rich("{{history}} {{&history}} [{{history.0}}]"), "<history> <history> []");
}

#[test]
fn a_rich_input_is_a_condition_of_a_section_but_not_a_context() {
    let text = "{{#history}}{{who}} {{history}}{{/history}}{{^history}}none{{/history}}";
    assert_eq!(with_rich(text), "Ada <history>");
    assert_eq!(with_rich("{{#nothing}}some{{/nothing}}{{^nothing}}none{{/nothing}}"), "none");
}

#[test]
fn an_item_may_have_the_name_of_a_rich_input() {
    assert_eq!(with_rich("{{#items}}{{history}}{{/items}}"), "own");
}

fn undefined(text: &str, inputs: &str) -> (String, usize, usize) {
    let failure = strict(text, inputs).unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Undefined);
    assert!(failure.error.help().is_some());
    let span = failure.span.unwrap();
    (failure.error.to_string(), span.start, span.end)
}

#[test]
fn in_strict_mode_a_name_without_value_is_an_error_at_its_place() {
    assert_eq!(undefined("Hi {{ nmae }}", "{}"), ("`nmae` is undefined".into(), 6, 10));
    assert_eq!(
        undefined("{{{u.a.b}}}", r#"{"u": {}}"#),
        ("`u.a.b` is undefined: `u` does not have `a`".into(), 3, 8)
    );
    assert_eq!(undefined("{{.}}", "{}"), ("`.` is undefined outside of a section".into(), 2, 3));
    assert_eq!(undefined("{{#itmes}}{{/itmes}}", "{}"), ("`itmes` is undefined".into(), 3, 8));
}

#[test]
fn in_strict_mode_a_section_may_test_a_missing_attribute_of_an_item() {
    let inputs = r#"{"items": [{"note": "n"}, {}], "user": {}, "none": null}"#;
    let text = "{{#items}}[{{#note}}{{.}}{{/note}}]{{/items}}{{^user.nick}}-{{/user.nick}}{{none}}";
    assert_eq!(strict(text, inputs).unwrap(), "[n][]-");
}
