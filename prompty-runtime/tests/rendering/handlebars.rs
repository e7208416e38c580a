//! Handlebars compared with handlebars.js, its helpers, its errors, and its limits.

use prompty_core::ErrorKind;
use prompty_core::value::{Map, Value};
use prompty_runtime::engine::{
    CompiledTemplate, Engine, EngineOptions, Extensions, Marks, ParsedTemplate, RenderFailure,
    RichInput, Scope, StepEngine, Undefined,
};
use prompty_template::handlebars::{Handlebars, parse};
use prompty_template::{Boundaries, Language, RenderLimits, SyntaxError};

mod hostile;
mod meaning;
mod messages;
mod partials;
mod syntax;
mod waiting;

fn map(json: &str) -> Map {
    serde_json::from_str(json).unwrap()
}

fn compile_with(
    text: &str,
    extensions: &Extensions,
    limits: RenderLimits,
    undefined: Undefined,
) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
    let tree = parse(text)?;
    if let Some(refused) = Handlebars.refused(text, &tree) {
        return Err(refused);
    }
    let marks = Marks::Boundaries(Boundaries::from_role_lines(text, &tree));
    let template = ParsedTemplate { text, tree: tree.into(), marks };
    StepEngine::of_handlebars().compile(&template, &EngineOptions { extensions, limits, undefined })
}

fn run(
    text: &str,
    inputs: &Map,
    limits: RenderLimits,
    undefined: Undefined,
) -> Result<String, RenderFailure> {
    let template = compile_with(text, &Extensions::new(), limits, undefined).unwrap();
    template.render(Scope { inputs, rich: &[], nonce: "00ff" })
}

fn render(text: &str, inputs: &str) -> String {
    run(text, &map(inputs), RenderLimits::default(), Undefined::Empty).unwrap()
}

fn strict(text: &str, inputs: &str) -> Result<String, RenderFailure> {
    run(text, &map(inputs), RenderLimits::default(), Undefined::Error)
}

#[test]
fn a_value_arrives_byte_for_byte() {
    let inputs = r#"{"x": "<a href=\"y\"> & 'b' `=` &lt; {{y}}"}"#;
    let value = "<a href=\"y\"> & 'b' `=` &lt; {{y}}";
    assert_eq!(render("{{x}}|{{{x}}}|{{&x}}", inputs), [value; 3].join("|"));
}

#[test]
fn values_print_by_the_rules_of_prompts() {
    let inputs = r#"{"n": 1.0, "f": 1.21, "t": true, "none": null, "l": [1, "a"], "m": {"k": 1}}"#;
    assert_eq!(render("{{n}} {{f}} {{t}} [{{none}}] [{{gone}}]", inputs), "1 1.21 true [] []");
    assert_eq!(render("{{l}} {{m}}", inputs), r#"[1, "a"] {"k": 1}"#);
    let large = Map::from([("n", Value::Integer(i128::from(u64::MAX) * 10))]);
    let rendered = run("{{n}}", &large, RenderLimits::default(), Undefined::Empty).unwrap();
    assert_eq!(rendered, "184467440737095516150");
}

#[test]
fn names_in_a_block_refer_only_to_its_value() {
    let inputs = r#"{"who": "all", "items": [{"who": "a"}, {}], "user": {"who": "u"}}"#;
    assert_eq!(render("{{#each items}}[{{who}}]{{/each}}", inputs), "[a][]");
    assert_eq!(render("{{#each items}}[{{../who}}]{{/each}}", inputs), "[all][all]");
    assert_eq!(
        render("{{#with user}}{{who}} {{../who}} {{@root.who}}{{/with}}", inputs),
        "u all all"
    );
    let nested = "{{#with user}}{{#each ../items}}{{../who}}{{../../who}} {{/each}}{{/with}}";
    assert_eq!(render(nested, inputs), "uall uall ");
}

#[test]
fn an_if_changes_no_names() {
    let inputs = r#"{"user": {"name": "Ada", "known": true}, "name": "outer"}"#;
    let text = "{{#with user}}{{#if known}}{{name}} {{../name}}{{/if}}{{/with}}";
    assert_eq!(render(text, inputs), "Ada outer");
}

#[test]
fn a_condition_is_false_for_empty_values_and_true_for_a_map() {
    let inputs = r#"{"t": "", "n": 0, "l": [], "no": false, "none": null, "m": {}, "x": "x"}"#;
    let text = "{{#if t}}1{{/if}}{{#if n}}2{{/if}}{{#if l}}3{{/if}}{{#if no}}4{{/if}}\
                {{#if none}}5{{/if}}{{#if gone}}6{{/if}}{{#if m}}7{{/if}}{{#if x}}8{{/if}}";
    assert_eq!(render(text, inputs), "78");
    assert_eq!(render("{{#unless t}}a{{else}}b{{/unless}}{{^if t}}c{{/if}}", inputs), "ac");
    assert_eq!(render("{{#if n includeZero=true}}zero{{/if}}", inputs), "zero");
}

#[test]
fn else_chains_take_the_first_true_branch() {
    let text = "{{#if a}}A{{else if b}}B{{else unless c}}C{{else}}D{{/if}}";
    assert_eq!(render(text, r#"{"b": 1}"#), "B");
    assert_eq!(render(text, r#"{"c": false}"#), "C");
    assert_eq!(render(text, r#"{"c": true}"#), "D");
    let mixed = "{{#each l}}{{this}}{{else if b}}B{{else with u}}{{n}}{{else}}D{{/each}}";
    assert_eq!(render(mixed, r#"{"l": [], "u": {"n": 7}}"#), "7");
    assert_eq!(render(mixed, r#"{"l": [1, 2]}"#), "12");
    assert_eq!(render(mixed, "{}"), "D");
}

#[test]
fn each_defines_index_key_first_and_last() {
    let list = r#"{"l": ["a", "b", "c"]}"#;
    let text = "{{#each l}}{{#unless @first}}, {{/unless}}{{@index}}{{this}}{{#if @last}}.{{/if}}{{/each}}";
    assert_eq!(render(text, list), "0a, 1b, 2c.");
    let map = r#"{"m": {"x": 1, "y": 2}}"#;
    assert_eq!(render("{{#each m}}{{@key}}={{this}};{{/each}}", map), "x=1;y=2;");
    let nested = "{{#each l}}{{#each ../l}}{{@../index}}{{@index}} {{/each}}{{/each}}";
    assert_eq!(render(nested, r#"{"l": [0, 0]}"#), "00 01 10 11 ");
    assert_eq!(render("{{#each l as |item i|}}{{i}}{{item}}{{/each}}", list), "0a1b2c");
    assert_eq!(render("{{#with m as |all|}}{{all.x}}{{x}}{{/with}}", map), "11");
}

#[test]
fn a_section_is_a_loop_a_condition_or_a_value() {
    let inputs =
        r#"{"l": [1, 2], "yes": true, "no": false, "u": {"n": "Ada"}, "zero": 0, "n": "out"}"#;
    assert_eq!(render("{{#l}}{{this}}{{/l}}{{^gone}}none{{/gone}}", inputs), "12none");
    assert_eq!(render("{{#yes}}{{n}}{{/yes}}{{#no}}x{{/no}}{{#u}}{{n}}{{/u}}", inputs), "outAda");
    assert_eq!(render("{{#zero}}{{this}}{{/zero}}", inputs), "0");
    assert_eq!(render("{{^no}}a{{else}}b{{/no}}{{^yes}}c{{else}}{{n}}{{/yes}}", inputs), "aout");
}

#[test]
fn helpers_return_values_and_accept_nested_calls() {
    let inputs = r#"{"a": 1, "b": 2, "s": "it", "l": ["x", "y"], "m": {"k": "v"}, "k": "k"}"#;
    assert_eq!(render("{{add a b}} {{add 1 2 0.5}} {{subtract 1 2 3}}", inputs), "3 3.5 -4");
    assert_eq!(
        render("{{equals a 1}} {{equals a b}} {{lessThan a b}} {{or 0 s}}", inputs),
        "true false true true"
    );
    assert_eq!(render("{{#if (greater_than (add a b) 2)}}yes{{/if}}", inputs), "yes");
    assert_eq!(render("{{lookup l 1}} {{lookup m k}} {{l.[0]}} {{l.length}}", inputs), "y v x 2");
    assert_eq!(render("{{concat s \" is \" 'so' a}}", inputs), "it is so1");
    assert_eq!(
        render(
            "{{#each (range 2 4)}}{{this}}{{/each}}{{#each (array 1 s)}}{{this}}{{/each}}",
            inputs
        ),
        "2341it"
    );
    assert_eq!(
        render("{{json m}} {{json s}} {{double_open}}{{doubleClose}}", inputs),
        "{\"k\": \"v\"} it {{}}"
    );
    assert_eq!(render("{{camelCase 'a_name'}} {{snakeCase 'AName'}}", inputs), "AName a_name");
    assert_eq!(
        render("{{set \"x\" (add a 1)}}{{x}}{{#each l}}{{@root.x}}{{get 'x'}}{{/each}}", inputs),
        "22222"
    );
}

#[test]
fn functions_of_the_host_are_helpers() {
    let extensions = Extensions::new()
        .with_function("time-now", |_| Ok(Value::from("noon")))
        .with_function("mail-send", |values| Ok(Value::from(format!("{values:?}").len() > 2)))
        .with_function("echo", |values| Ok(values.last().cloned().unwrap_or_default()));
    let render = |text: &str| {
        let template =
            compile_with(text, &extensions, RenderLimits::default(), Undefined::Empty).unwrap();
        let inputs = map(r#"{"l": [1], "x": "<{{x}}>"}"#);
        template.render(Scope { inputs: &inputs, rich: &[], nonce: "00ff" }).unwrap()
    };
    assert_eq!(render("{{time-now}} {{#each l}}{{time-now}}{{/each}}"), "noon noon");
    assert_eq!(render("{{echo x}} {{echo (echo x)}}"), "<{{x}}> <{{x}}>");
    assert_eq!(render("{{echo 1 a=2 b=x}}"), "{\"a\": 2, \"b\": \"<{{x}}>\"}");
    assert_eq!(render("{{#if (mail-send x)}}sent{{/if}}"), "sent");
}

#[test]
fn threads_print_their_placeholders_and_are_conditions() {
    let rich = |name: &str, present| RichInput {
        name: name.to_owned(),
        placeholder: format!("<{name}>"),
        present,
    };
    let rich = [rich("history", true), rich("nothing", false)];
    let inputs = map(r#"{"history": "hidden"}"#);
    let text =
        "{{history}}{{nothing}}{{messages history}}{{#if history}}y{{/if}}{{#if nothing}}n{{/if}}";
    let template =
        compile_with(text, &Extensions::new(), RenderLimits::default(), Undefined::Empty).unwrap();
    let rendered = template.render(Scope { inputs: &inputs, rich: &rich, nonce: "00ff" }).unwrap();
    assert_eq!(rendered, "<history><nothing><history>y");
}

#[test]
fn markers_get_the_nonce_and_their_attributes_are_encoded() {
    assert_eq!(
        render("system:\nHi\nuser[n={{x}}]:\n", r#"{"x": "a]:"}"#),
        "system[nonce=00ff]:\nHi\nuser[nonce=00ff, n=00ff-615d3a.]:\n"
    );
    let text = "{{#each l}}\nuser:\n{{this}}\n{{/each}}\n";
    assert_eq!(render(text, r#"{"l": ["a", "user:"]}"#).matches("[nonce=00ff]").count(), 2);
    let inverted = "{{^x}}\nuser:\na\n{{else}}\nsystem:\nb\n{{/x}}";
    assert!(render(inverted, "{}").contains("user[nonce=00ff]:"));
    assert!(render(inverted, r#"{"x": 1}"#).contains("system[nonce=00ff]:"));
}

#[test]
fn in_strict_mode_printed_values_must_be_defined() {
    let failure = strict("Hi {{ gone }}", "{}").unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Undefined);
    assert_eq!(failure.error.to_string(), "`gone` is undefined");
    assert_eq!(failure.span.map(|span| (span.start, span.end)), Some((6, 10)));
    assert!(strict("{{#with u}}{{n}}{{/with}}", r#"{"u": {"m": 1}}"#).is_err());
    assert_eq!(strict("{{#if gone}}x{{/if}}{{#each gone}}x{{/each}}-", "{}").unwrap(), "-");
    assert!(strict("{{#gone}}x{{/gone}}", "{}").is_err());
    assert_eq!(strict("{{none}}", r#"{"none": null}"#).unwrap(), "");
}

#[test]
fn a_failing_helper_is_an_error_with_its_place() {
    let wrong = |text: &str| {
        let failure =
            run(text, &map(r#"{"s": "x", "n": 1}"#), RenderLimits::default(), Undefined::Empty)
                .unwrap_err();
        let span = failure.span.unwrap();
        (failure.error.to_string(), text.get(span.start..span.end).unwrap().to_owned())
    };
    assert_eq!(
        wrong("{{add n s}}"),
        ("`add` expects numbers, found string".into(), "add n s".into())
    );
    assert_eq!(wrong("{{#if (lessThan n s)}}{{/if}}").0, "cannot compare integer with string");
    assert_eq!(wrong("{{range 1 1000000}}").0, "`range` has more than 100000 numbers");
    assert_eq!(wrong("{{nobody n}}").0, "unknown helper `nobody`");
}
