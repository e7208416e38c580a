//! The work of a grammar grows in proportion to the schema, for every way to make a schema large
//! and in every form of a grammar.

use prompty_core::Error;
use prompty_core::ErrorKind;
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{
    Arguments, CallShape, JsonCall, Marker, NamePlace, NamedCall, Reasoning, ReplyFormat, Suffix,
    Tools,
};
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{Grammar, GrammarOptions};
use prompty_reply::{ReplyOptions, ReplyParser};
use work_counting::{Work, count_work};

/// A description of the part that grows, and a schema of a given size.
type GrowthRow = (&'static str, fn(usize) -> String);

/// Some parts with commas between them.
fn list(size: usize, part: impl Fn(usize) -> String) -> String {
    (0..size).map(part).collect::<Vec<_>>().join(",")
}

/// Some parts without a separator.
fn concat(size: usize, part: impl Fn(usize) -> String) -> String {
    (0..size).map(part).collect()
}

/// An object of some properties with the same schema.
fn properties(size: usize, schema: &str) -> String {
    let properties = list(size, |at| format!(r#""name{at:06}": {schema}"#));
    format!(r#""type": "object", "properties": {{{properties}}}"#)
}

/// The names of [`properties`].
fn names(size: usize) -> String {
    list(size, |at| format!(r#""name{at:06}""#))
}

/// A schema of a string with a pattern.
fn pattern(pattern: &str) -> String {
    format!(r#"{{"type": "string", "pattern": "{pattern}"}}"#)
}

/// Strings with a common beginning.
fn texts(size: usize) -> String {
    list(size, |at| format!(r#""a beginning that all share {at:06}""#))
}

/// Definitions, each an object that refers to the next one.
fn definitions(size: usize) -> String {
    let next = |at: usize| match at % 8 {
        7 => r#"{"type": "null"}"#.to_owned(),
        _ => format!(r##"{{"$ref": "#/$defs/d{:06}"}}"##, at + 1),
    };
    let definition =
        |at| format!(r#""d{at:06}": {{"type": "object", "properties": {{"a": {}}}}}"#, next(at));
    format!(r#""$defs": {{{}}}"#, list(size.next_multiple_of(8), definition))
}

/// Alternatives under a keyword.
fn combined(keyword: &str, size: usize, part: impl Fn(usize) -> String) -> String {
    format!(r#"{{"{keyword}": [{}]}}"#, list(size, part))
}

pub(crate) const ROWS: [GrowthRow; 52] = [
    ("texts that are listed", |n| format!(r#"{{"enum": [{}]}}"#, texts(n))),
    ("texts that begin with each other", |n| {
        format!(
            r#"{{"enum": [{}]}}"#,
            list(n, |at| format!(r#""{}""#, "a".repeat(at % 16) + &at.to_string()))
        )
    }),
    ("texts that are listed twice", |n| {
        format!(r#"{{"enum": [{0}], "allOf": [{{"enum": [{0}]}}]}}"#, texts(n))
    }),
    ("the same text in a list", |n| format!(r#"{{"enum": [{}]}}"#, list(n, |_| r#""a""#.into()))),
    ("texts that are held to a pattern", |n| {
        format!(r#"{{"enum": [{}], "minLength": 3, "type": "string"}}"#, texts(n))
    }),
    ("integers that are listed", |n| format!(r#"{{"enum": [{}]}}"#, list(n, |at| at.to_string()))),
    ("decimals that are listed", |n| {
        format!(r#"{{"enum": [{}]}}"#, list(n, |at| format!("{at}.5")))
    }),
    ("objects that are listed", |n| {
        format!(r#"{{"enum": [{}]}}"#, list(n, |at| format!(r#"{{"id": {at}, "of": [1, "a"]}}"#)))
    }),
    ("objects that are listed and described", |n| {
        let values = list(n, |at| format!(r#"{{"id": {at}}}"#));
        format!(r#"{{"enum": [{values}], "properties": {{"id": {{"type": "integer"}}}}}}"#)
    }),
    ("an object that is the only one", |n| {
        format!(r#"{{"const": {{{}}}}}"#, list(n, |at| format!(r#""name{at:06}": {at}"#)))
    }),
    ("a list that is the only one", |n| format!(r#"{{"const": [{}]}}"#, texts(n))),
    ("a text that is the only one", |n| format!(r#"{{"const": "{}"}}"#, r"a\u0001é".repeat(n))),
    ("names that are required and not described", |n| {
        format!(r#"{{"type": "object", "required": [{}]}}"#, names(n))
    }),
    ("names that are required beside others", |n| {
        format!(
            r#"{{"type": "object", "required": [{}], "additionalProperties": {{"type": "null"}}}}"#,
            names(n)
        )
    }),
    ("properties that are required", |n| {
        format!(r#"{{{}, "required": [{}]}}"#, properties(n, r#"{"type": "integer"}"#), names(n))
    }),
    ("properties that may be missing", |n| {
        format!("{{{}}}", properties(n, r#"{"type": "integer"}"#))
    }),
    ("properties of which half are required", |n| {
        format!(r#"{{{}, "required": [{}]}}"#, properties(n, r#"{"type": "null"}"#), names(n / 2))
    }),
    ("properties beside others", |n| {
        format!(r#"{{{}, "additionalProperties": true}}"#, properties(n, r#"{"type": "null"}"#))
    }),
    ("names that begin with each other beside others", |n| {
        let properties = list(n, |at| format!(r#""{}{at}": true"#, "a".repeat(at % 16)));
        format!(r#"{{"properties": {{{properties}}}, "additionalProperties": true}}"#)
    }),
    ("a long name beside others", |n| {
        format!(r#"{{"properties": {{"{}": true}}, "additionalProperties": true}}"#, "ab".repeat(n))
    }),
    ("properties without a type", |n| format!("{{{}}}", properties(n, "{}"))),
    ("properties of a few values", |n| {
        format!("{{{}}}", properties(n, r#"{"enum": ["a", "b", 1.5]}"#))
    }),
    ("properties of a format", |n| {
        format!("{{{}}}", properties(n, r#"{"type": "string", "format": "date-time"}"#))
    }),
    ("properties of a format that is a pattern", |n| {
        format!("{{{}}}", properties(n, r#"{"type": "string", "format": "ipv4", "maxLength": 15}"#))
    }),
    ("properties of which much is left out", |n| {
        format!("{{{}}}", properties(n, r#"{"type": "array", "uniqueItems": true}"#))
    }),
    ("properties that are described twice", |n| {
        let properties = properties(n, r#"{"type": "integer"}"#);
        format!(r#"{{{properties}, "allOf": [{{{properties}}}]}}"#)
    }),
    ("alternatives of a pattern", |n| {
        pattern(&format!("^({})$", concat(n, |at| format!("w{at:06}|"))))
    }),
    ("alternatives of a pattern without anchors", |n| {
        pattern(&concat(n, |at| format!("w{at:06}|")))
    }),
    ("a class of many ranges", |n| {
        let character =
            |at: usize| char::from_u32(0x4E00 + 2 * u32::try_from(at).unwrap()).unwrap();
        pattern(&format!("^[{}]$", concat(n, |at| character(at).to_string())))
    }),
    ("many classes", |n| pattern(&format!("^{}$", "[a-cx-z]".repeat(n)))),
    ("classes of what they do not hold", |n| pattern(&format!("^{}$", r"[^a-c\\s]".repeat(n)))),
    ("a long literal of a pattern", |n| pattern(&format!("^{}$", "abc ".repeat(n)))),
    ("parts of a pattern that may be missing", |n| pattern(&format!("^{}$", "a?".repeat(n)))),
    ("counts of a pattern", |n| pattern(&format!("^{}$", "(ab){2,70}".repeat(n)))),
    ("a large count of a pattern", |n| pattern(&format!("^(ab){{{n},{}}}$", 20 * n))),
    ("lists in lists", |n| {
        let deep = |at| {
            format!(
                r#""name{at}": {}{}"#,
                r#"{"items": "#.repeat(30),
                "true".to_owned() + &"}".repeat(30)
            )
        };
        format!(r#"{{"properties": {{{}}}}}"#, list(n.div_ceil(16), deep))
    }),
    ("any of many values", |n| combined("anyOf", n, |at| format!(r#"{{"const": "a{at}"}}"#))),
    ("one of many values", |n| combined("oneOf", n, |at| format!(r#"{{"const": "a{at}"}}"#))),
    ("any of many objects", |n| {
        combined("anyOf", n, |at| {
            format!(
                r#"{{"properties": {{"kind": {{"const": "k{at:06}"}}, "value": {{"type": "number"}}}}}}"#
            )
        })
    }),
    ("any of many types beside a description", |n| {
        let ways = list(n, |at| format!(r#"{{"properties": {{"b": {{"const": {at}}}}}}}"#));
        format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "null"}}}}, "anyOf": [{ways}]}}"#
        )
    }),
    ("all of many objects", |n| {
        combined("allOf", n, |at| {
            format!(r#"{{"properties": {{"name{at:06}": {{"type": "null"}}}}}}"#)
        })
    }),
    ("all of many lengths", |n| {
        combined("allOf", n, |at| format!(r#"{{"minLength": {}}}"#, at % 50))
    }),
    ("references to definitions", |n| {
        let properties =
            list(n, |at| format!(r##""name{at:06}": {{"$ref": "#/$defs/d{at:06}"}}"##));
        format!(r#"{{"properties": {{{properties}}}, {}}}"#, definitions(n))
    }),
    ("references to one definition", |n| {
        let properties = properties(n, r##"{"$ref": "#/$defs/d000000"}"##);
        format!("{{{properties}, {}}}", definitions(8))
    }),
    ("alternatives that are references", |n| {
        let ways = list(n, |at| format!(r##"{{"$ref": "#/$defs/d{at:06}"}}"##));
        format!(r#"{{"anyOf": [{ways}], {}}}"#, definitions(n))
    }),
    ("definitions that nothing refers to", |n| {
        format!("{{{}, {}}}", properties(n, r#"{"type": "null"}"#), definitions(n))
    }),
    ("items at least and at most", |n| {
        format!(r#"{{"items": {{"type": "null"}}, "minItems": {n}, "maxItems": {}}}"#, 50 * n)
    }),
    ("characters at least and at most", |n| {
        format!(r#"{{"minLength": {n}, "maxLength": {}}}"#, 50 * n)
    }),
    ("items by their places", |n| {
        format!(r#"{{"prefixItems": [{}]}}"#, list(n, |_| r#"{"type": "null"}"#.into()))
    }),
    ("items by their places that may be missing", |n| {
        let items = list(n, |_| r#"{"type": "null"}"#.into());
        format!(r#"{{"prefixItems": [{items}], "items": true, "minItems": 1}}"#)
    }),
    ("bounds of integers", |n| {
        let bounds = r#"{"type": "integer", "minimum": -123456, "maximum": 9876543}"#;
        format!("{{{}}}", properties(n, bounds))
    }),
    ("bounds of numbers", |n| {
        let bounds = r#"{"type": "number", "minimum": -1234.56, "exclusiveMaximum": 98765.43}"#;
        format!("{{{}}}", properties(n, bounds))
    }),
];

/// The uses of a grammar.
pub(crate) const USES: [&str; 7] =
    ["a schema", "content", "JSON", "tags", "tags in tags", "literals", "tokens as quotes"];

/// The steps of using a grammar: building it, and writing each form.
pub(crate) const FORMS: [&str; 4] = ["making it", "GBNF", "Lark", "a structural tag"];

/// Runs the steps, each within `count`. Returns an error of building the grammar.
pub(crate) fn run_steps<T>(
    used: &str,
    schema: &Value,
    mut count: impl FnMut(&mut dyn FnMut()) -> T,
) -> (Vec<T>, Option<Error>) {
    let mut found = None;
    let mut outputs = Vec::new();
    if used == "a schema" {
        outputs.push(count(&mut || {
            found = Some(Grammar::of_schema(schema, &SchemaOptions::new().widen(true)));
        }));
        return match found.unwrap() {
            Err(error) => (outputs, Some(error)),
            Ok(found) => {
                outputs.push(count(&mut || drop(found.grammar.to_gbnf())));
                outputs.push(count(&mut || drop(found.grammar.to_lark())));
                (outputs, None)
            }
        };
    }
    let mut found = None;
    let parser = parser(used, schema);
    let options = GrammarOptions::new().with_widen(true);
    let options = match used {
        "content" => options,
        _ => options.with_tool_choice(ToolChoice::Required),
    };
    outputs.push(count(&mut || found = Some(parser.grammar(&options))));
    match found.unwrap() {
        Err(error) => (outputs, Some(error)),
        Ok(found) => {
            let grammar = found.unwrap();
            outputs.push(count(&mut || drop(grammar.to_gbnf())));
            outputs.push(count(&mut || drop(grammar.to_lark())));
            outputs.push(count(&mut || drop(grammar.to_structural_tag())));
            (outputs, None)
        }
    }
}

/// A parser whose grammar contains a schema at a given position.
fn parser(used: &str, schema: &Value) -> ReplyParser {
    let format = format(used);
    if used == "content" {
        let options = ReplyOptions::default().with_content_schema(schema.clone());
        return ReplyParser::new(format).with_options(options);
    }
    // The schema is used both for the arguments and for one of them. The definitions are placed
    // where references find them.
    let tool = |name: &str, parameters: Map| ToolSpec::new(name, parameters);
    let mut one = Map::from([("type", Value::from("object"))]);
    let mut argument = schema.as_object().cloned().unwrap();
    if let Some(definitions) = argument.remove("$defs") {
        one.insert("$defs", definitions);
    }
    one.insert("properties", Map::from([("argument", argument)]));
    ReplyParser::new(format)
        .with_tools(&[tool("all", schema.as_object().cloned().unwrap()), tool("one", one)])
}

/// A format with reasoning and calls.
fn format(used: &str) -> ReplyFormat {
    let mut format = ReplyFormat::plain();
    format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>\n\n"));
    let shape = match notation(used) {
        None => CallShape::Json(JsonCall::default()),
        Some(arguments) => CallShape::Named(NamedCall {
            name: NamePlace::Call,
            prefix: Marker::new("<f="),
            suffix: Suffix::new(">"),
            namespace: "".into(),
            id: None,
            arguments,
            close: Marker::new("</f>"),
        }),
    };
    format.tools = Some(Tools::new(shape).with_call("<call>", "</call>"));
    format
}

/// The notation of arguments; `None` for JSON in JSON.
fn notation(used: &str) -> Option<Arguments> {
    let literal = |quote: &'static str| Arguments::Literal {
        open: "(".into(),
        assign: "=".into(),
        separator: ", ".into(),
        quote: quote.into(),
        close: ")".into(),
    };
    Some(match used {
        "tags" => Arguments::Tagged {
            key_open: Marker::new("<p="),
            key_close: Suffix::new(">"),
            value_close: Marker::new("</p>"),
            separator: "".into(),
            quoting: Default::default(),
        },
        "tags in tags" => Arguments::Nested {
            open_prefix: Marker::new("<"),
            open_suffix: Marker::new(">"),
            close_prefix: Marker::new("</"),
            close_suffix: Marker::new(">"),
            item: "item".into(),
        },
        "literals" => literal(""),
        "tokens as quotes" => literal("<|\"|>"),
        _ => return None,
    })
}

/// The maximum factor of the work for a schema of twice the size: n log n, with a margin.
const TWICE: f64 = 2.3;

/// Additional work that is allowed: larger numbers have more digits, and growing buffers are
/// reallocated.
const EXTRA: Work = Work { steps: 1_000, allocations: 64, bytes: 64 * 1024, held: 0, paid: 0 };

/// Whether work is within the factor of other work.
fn is_within(large: u64, small: u64, extra: u64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "far below what a float can count")]
    let most = small as f64 * TWICE + extra as f64;
    #[expect(clippy::cast_precision_loss, reason = "far below what a float can count")]
    let large = large as f64;
    large <= most
}

/// The work of one row in one use, step by step. Above a limit there is less to write.
fn works(used: &str, (what, schema): GrowthRow, size: usize) -> Vec<Work> {
    let schema = Value::from_json(&schema(size)).unwrap();
    let (works, error) = run_steps(used, &schema, |work| count_work(work).1);
    let kind = error.as_ref().map(Error::kind);
    assert!(matches!(kind, None | Some(ErrorKind::Limit)), "{what} for {used}: {error:?}");
    works
}

/// Describes the steps in which work grows too fast between two sizes of a row.
fn growth_failures(
    what: &str,
    used: &str,
    small: &[Work],
    large: &[Work],
    extra: Work,
) -> Vec<String> {
    let pairs = FORMS.iter().zip(small.iter().zip(large));
    let growth_failures = pairs.filter(|(_, (small, large))| {
        !(is_within(large.steps, small.steps, extra.steps)
            && is_within(large.allocations, small.allocations, extra.allocations)
            && is_within(large.bytes, small.bytes, extra.bytes))
    });
    growth_failures
        .map(|(form, (small, large))| {
            format!("{what} for {used}, {form}: {small}; for twice the input {large}")
        })
        .collect()
}

/// Checks all rows in one use.
#[track_caller]
fn check_all(used: &str, size: usize) {
    check_rows(used, size, EXTRA, |_| true);
}

/// Checks some rows in one use.
#[track_caller]
fn check_rows(used: &str, size: usize, extra: Work, is_wanted: impl Fn(&str) -> bool) {
    let found: Vec<String> = ROWS
        .iter()
        .filter(|(what, _)| is_wanted(what))
        .flat_map(|row| {
            let [small, large] = [size, 2 * size].map(|size| works(used, *row, size));
            growth_failures(row.0, used, &small, &large, extra)
        })
        .collect();
    assert!(found.is_empty(), "{}\n{} grow too fast", found.join("\n"), found.len());
}

#[test]
fn schema_grammar_takes_linear_work() {
    check_all("a schema", 128);
}

#[test]
fn content_grammar_takes_linear_work() {
    check_all("content", 128);
}

#[test]
fn json_arguments_grammar_takes_linear_work() {
    check_all("JSON", 128);
}

#[test]
fn tagged_arguments_grammar_takes_linear_work() {
    check_all("tags", 128);
}

#[test]
fn nested_tags_grammar_takes_linear_work() {
    // Beyond 500 parts, the remaining ones are JSON, and the first ones take fewer steps.
    let extra = Work { steps: 16_000, ..EXTRA };
    let of_many = ["properties", "references", "definitions"];
    check_rows("tags in tags", 512, extra, |what| of_many.iter().any(|it| what.starts_with(it)));
}

#[test]
fn literal_arguments_grammar_takes_linear_work() {
    check_all("literals", 128);
    check_all("tokens as quotes", 128);
}

#[test]
fn grammar_of_many_tools_takes_linear_work() {
    for used in ["JSON", "tags", "tags in tags", "literals"] {
        let [small, large] = [64, 128].map(|size| {
            let tools: Vec<ToolSpec> =
                (0..size).map(|at| ToolSpec::new(format!("tool{at:06}"), arguments())).collect();
            let parser = ReplyParser::new(format(used)).with_tools(&tools);
            let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
            count_work(|| {
                let grammar = parser.grammar(&options).unwrap().unwrap();
                (grammar.to_gbnf(), grammar.to_lark(), grammar.to_structural_tag())
            })
            .1
        });
        assert!(
            is_within(large.steps, small.steps, 0),
            "{used}: {small}; for twice as many {large}"
        );
        assert!(
            is_within(large.bytes, small.bytes, 0),
            "{used}: {small}; for twice as many {large}"
        );
    }
}

/// The arguments of a tool with some of them.
fn arguments() -> Map {
    let schema = r#"{"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "b": {"type": "integer", "minimum": 3}}}"#;
    Value::from_json(schema).unwrap().as_object().cloned().unwrap()
}

#[test]
fn nested_lists_do_not_double_with_each_level() {
    for used in USES {
        let deep = |depth: usize| {
            let open = r#"{"items": {"additionalProperties": "#.repeat(depth);
            let schema = format!(r#"{open}{{"type": "null"}}{}"#, "}}".repeat(depth));
            let schema = format!(r#"{{"properties": {{"a": {schema}}}}}"#);
            let (works, error) =
                run_steps(used, &Value::from_json(&schema).unwrap(), |work| count_work(work).1);
            assert!(error.is_none(), "{used}: {error:?}");
            works.iter().map(|work| work.bytes).sum::<u64>()
        };
        let (small, large) = (deep(7), deep(14));
        assert!(is_within(large, small, EXTRA.bytes), "{used}: {small} bytes, then {large}");
    }
}

#[test]
fn too_large_grammar_is_refused_before_it_is_built() {
    let texts: Vec<Value> = (0..400_000).map(|at| Value::from(format!("{at:07}"))).collect();
    let names = Map::from([("type", Value::from("object")), ("required", texts.clone().into())]);
    for schema in [Map::from([("enum", texts)]), names] {
        let schema = Value::from(schema);
        let (error, work) =
            count_work(|| Grammar::of_schema(&schema, &SchemaOptions::new()).unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert!(error.help().unwrap().contains("list fewer values"));
        assert!(work.steps <= 8_000_000, "{work}");
    }
}
