//! Calls with tagged or literal arguments.

use grammar_testing::{Dice, Gbnf};
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_reply::ReplyParser;
use prompty_reply::format::{
    Arguments, CallShape, Escape, Marker, NamePlace, NamedCall, Quoting, ReplyFormat, Suffix, Tools,
};
use prompty_reply::grammar::GrammarOptions;

use crate::support::Lark;

fn parser(arguments: Arguments, tool: ToolSpec) -> ReplyParser {
    let call = NamedCall {
        name: NamePlace::Call,
        prefix: Marker::new("<f="),
        suffix: Suffix::new(">"),
        namespace: "".into(),
        id: None,
        arguments,
        close: Marker::new("</f>"),
    };
    let mut format = ReplyFormat::plain();
    format.tools = Some(Tools::new(CallShape::Named(call)));
    ReplyParser::new(format).with_tools(&[tool])
}

pub(crate) fn tagged(tool: ToolSpec) -> ReplyParser {
    tagged_with(Quoting::NONE, tool)
}

fn tagged_with(quoting: Quoting, tool: ToolSpec) -> ReplyParser {
    let arguments = Arguments::Tagged {
        key_open: Marker::new("<p="),
        key_close: Suffix::new(">"),
        value_close: Marker::new("</p>"),
        separator: "".into(),
        quoting,
    };
    parser(arguments, tool)
}

fn literal(tool: ToolSpec) -> ReplyParser {
    let arguments = Arguments::Literal {
        open: "(".into(),
        assign: "=".into(),
        separator: ", ".into(),
        quote: "".into(),
        close: ")".into(),
    };
    parser(arguments, tool)
}

/// A tool with `all` arguments `a0`, `a1` and so on. The last `required` of them are required.
fn tool(all: usize, required: usize) -> ToolSpec {
    let name = |at: usize| format!("a{at}");
    let properties: Map = (0..all).map(|at| (name(at), Map::from([("type", "integer")]))).collect();
    let required: Vec<Value> = (all - required..all).map(|at| name(at).into()).collect();
    let schema = [("properties", properties.into()), ("required", Value::from(required))];
    ToolSpec::new("many", Map::from(schema))
}

pub(crate) fn gbnf(parser: &ReplyParser) -> String {
    let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
    parser.grammar(&options).unwrap().unwrap().to_gbnf()
}

fn call(arguments: &[usize]) -> String {
    let arguments = arguments.iter().map(|at| format!("<p=a{at}>1</p>"));
    format!("<f=many>{}</f>", arguments.collect::<String>())
}

#[test]
fn few_tagged_arguments_may_have_any_order() {
    let rules = Gbnf::parse(&gbnf(&tagged(tool(7, 2)))).unwrap();
    for admitted in [&[5, 6][..], &[6, 5], &[6, 0, 5], &[5, 4, 6, 1, 0, 3, 2]] {
        assert!(rules.admits(&call(admitted)), "{admitted:?}");
    }
    for refused in [&[][..], &[6], &[0, 1, 5], &[5, 6, 5], &[0, 5, 6, 0]] {
        assert!(!rules.admits(&call(refused)), "{refused:?}");
    }
}

#[test]
fn many_tagged_arguments_keep_their_order_except_required_ones() {
    let rules = Gbnf::parse(&gbnf(&tagged(tool(12, 2)))).unwrap();
    for admitted in [&[10, 11][..], &[11, 10], &[11, 3, 4, 10, 9], &[1, 11, 2, 0, 5, 10, 8]] {
        assert!(rules.admits(&call(admitted)), "{admitted:?}");
    }
    for refused in [&[11][..], &[10, 11, 10], &[10, 11, 4, 3], &[10, 4, 4, 11], &[0, 10, 0, 11]] {
        assert!(!rules.admits(&call(refused)), "{refused:?}");
    }
}

#[test]
fn samples_of_many_arguments_are_parsed() {
    for (all, required) in [(9, 0), (12, 7), (30, 12), (300, 2)] {
        let parser = tagged(tool(all, required));
        let rules = Gbnf::parse(&gbnf(&parser)).unwrap();
        for seed in 0..10 {
            let text = rules.sample(&mut Dice::new(seed), 200, true);
            let reply = parser.parse(&text);
            assert!(reply.malformed().is_empty(), "{text}: {reply:?}");
            let mut written = 0;
            for call in reply.calls() {
                let arguments = Value::from_json(&call.arguments).unwrap();
                let arguments = arguments.as_object().unwrap();
                written += arguments.len();
                for at in all - required..all {
                    assert!(arguments.contains_key(&format!("a{at}")), "{text}");
                }
            }
            assert_eq!(written, text.matches("<p=").count(), "{text}");
        }
    }
}

#[test]
fn grammars_grow_linearly_with_the_arguments() {
    for parser in [tagged, literal] {
        for required in [0, 1] {
            let [some, many] = [100, 200].map(|all| gbnf(&parser(tool(all, required))).len());
            assert!(many < 3 * some, "{some} to {many}, {required} required");
        }
    }
}

#[test]
fn literals_have_the_order_of_the_schema() {
    let rules = Gbnf::parse(&gbnf(&literal(tool(3, 1)))).unwrap();
    for admitted in ["a2=1", "a0=1, a2=1", "a1=1, a2=1", "a0=1, a1=1, a2=1"] {
        assert!(rules.admits(&format!("<f=many>({admitted})</f>")), "{admitted}");
    }
    for refused in ["", "a0=1", "a2=1, a0=1", "a1=1, a0=1, a2=1", "a0=1 a2=1", "a2=1, "] {
        assert!(!rules.admits(&format!("<f=many>({refused})</f>")), "{refused}");
    }
}

/// A tool whose arguments refer to nested parts of each other.
fn referring() -> ToolSpec {
    let schema = r##"{"type": "object", "required": ["place"], "properties": {
        "place": {"type": "object", "required": ["x"], "properties": {
            "x": {"$ref": "#/properties/size/properties/width"},
            "y": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]}}},
        "size": {"type": "object", "properties": {"width": {"$ref": "#/$defs/Count"}}}},
        "$defs": {"Count": {"type": "integer", "minimum": 3, "maximum": 5},
            "Unit": {"enum": ["a", "b"]}, "Unused": {"pattern": "^x$"}}}"##;
    ToolSpec::new("refer", Value::from_json(schema).unwrap().as_object().cloned().unwrap())
}

#[test]
fn nested_reference_in_tagged_arguments_has_its_type() {
    let rules = Gbnf::parse(&gbnf(&tagged(referring()))).unwrap();
    for (value, is_admitted) in [
        (r#"{"x": 4}"#, true),
        (r#"{"x": 4, "y": null}"#, true),
        (r#"{"x": 4, "y": "b"}"#, true),
        (r#"{"x": 6}"#, false),
        (r#"{"x": "4"}"#, false),
        (r#"{"x": 4, "y": "c"}"#, false),
    ] {
        let call = format!("<f=refer><p=place>{value}</p></f>");
        assert_eq!(rules.admits(&call), is_admitted, "{call}");
    }
}

#[test]
fn reference_in_nested_tags_has_its_type() {
    let arguments = Arguments::Nested {
        open_prefix: Marker::new("<"),
        open_suffix: Marker::new(">"),
        close_prefix: Marker::new("</"),
        close_suffix: Marker::new(">"),
        item: "item".into(),
    };
    let rules = Gbnf::parse(&gbnf(&parser(arguments, referring()))).unwrap();
    for (inside, is_admitted) in [
        ("<x>4</x>", true),
        ("<x>4</x><y>b</y>", true),
        ("<x>4</x><y>None</y>", true),
        ("<x>6</x>", false),
        ("<x>text</x>", false),
        ("<x>4</x><y>c</y>", false),
    ] {
        let call = format!("<f=refer><place>{inside}</place></f>");
        assert_eq!(rules.admits(&call), is_admitted, "{call}");
    }
}

#[test]
fn reference_in_literals_has_its_type() {
    let rules = Gbnf::parse(&gbnf(&literal(referring()))).unwrap();
    for (value, is_admitted) in [
        (r#"{"x": 4}"#, true),
        (r#"{"x": 4, "y": None}"#, true),
        (r#"{"x": 6}"#, false),
        (r#"{"x": '4'}"#, false),
    ] {
        let call = format!("<f=refer>(place={value})</f>");
        assert_eq!(rules.admits(&call), is_admitted, "{call}");
    }
}

#[test]
fn count_that_llguidance_cannot_represent_is_left_to_our_rules() {
    let schema = r#"{"properties": {"text": {"type": "array", "items": {"maxLength": 8246128831579431516}}}}"#;
    let parameters = Value::from_json(schema).unwrap().as_object().cloned().unwrap();
    let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
    let grammar = tagged(ToolSpec::new("many", parameters)).grammar(&options).unwrap().unwrap();
    let lark = Lark::parse(grammar.to_lark());
    assert!(lark.admits(r#"<f=many><p=text>["long"]</p></f>"#), "{}", lark.text);
}

#[test]
fn quoted_string_may_contain_its_closing_tag() {
    let any = Map::from([("type", "string")]);
    let listed = Value::from_iter(["a", "&lt;", "<![CDATA[b]]>"].map(Value::from));
    let listed = Map::from([("type", Value::from("string")), ("enum", listed)]);
    let properties = Map::from([("any", any), ("listed", listed)]);
    let tool = ToolSpec::new("many", Map::from([("properties", properties)]));
    let escape = Escape { written: "&lt;".into(), meant: "<".into() };
    let quoting =
        Quoting { open: "<![CDATA[".into(), close: "]]>".into(), escapes: vec![escape].into() };
    let parser = tagged_with(quoting, tool);
    let rules = Gbnf::parse(&gbnf(&parser)).unwrap();
    let call = |value: &str| format!("<f=many><p={value}</p></f>");
    for admitted in ["any><b>", "any>&lt;", "any><![CDATA[</p></f>]]>", "listed>a"] {
        assert!(rules.admits(&call(admitted)), "{admitted}");
    }
    for refused in ["any><![CDATA[", "listed>&lt;", "listed><![CDATA[b]]>"] {
        assert!(!rules.admits(&call(refused)), "{refused}");
    }
    for seed in 0..50 {
        let text = rules.sample(&mut Dice::new(seed), 200, true);
        let reply = parser.parse(&text);
        assert!(reply.malformed().is_empty(), "{text}: {reply:?}");
    }
}

#[test]
fn keyword_that_a_tagged_argument_cannot_enforce_is_an_error() {
    let name = Map::from([("type", Value::from("string")), ("minLength", Value::from(2))]);
    let properties = Map::from([("name", name)]);
    let parser = tagged(ToolSpec::new("find", Map::from([("properties", properties)])));
    let error = parser.grammar(&GrammarOptions::new()).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "the call format cannot express `minLength` of `#/properties/name`\n  \
         = help: remove it from the schema, or allow a wider grammar with \
         `GrammarOptions::with_widen`"
    );
}
