//! Grammars of schemas: for any schema, creating and writing one never panics, and takes work in
//! proportion to the schema. llguidance accepts the Lark form.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use prompty_core::ErrorKind;
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{
    Arguments, CallShape, JsonCall, Marker, NamePlace, NamedCall, Quoting, ReplyFormat, Suffix,
    Tools,
};
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{Grammar, GrammarOptions};
use prompty_reply::{ReplyOptions, ReplyParser};
use work_counting::{Work, count_work};

/// The maximum length of a schema. A longer one only takes more time.
const MAX_SCHEMA_LENGTH: usize = 4096;

/// The maximum length of a grammar for llguidance. For a longer one, it is too slow for a fuzzer.
const MAX_LARK_LENGTH: usize = 64 * 1024;

/// The maximum steps and allocated bytes for each byte of a schema, and for any schema.
const STEPS_PER_BYTE: u64 = 2_000;
const BYTES_PER_BYTE: u64 = 64 * 1024;
const STEPS: u64 = 300_000;
const BYTES: u64 = 64 << 20;

/// Keywords, including those without a meaning for a grammar.
const KEYWORDS: [&str; 34] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "pattern",
    "format",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "not",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "title",
    "contains",
    "unevaluatedProperties",
    "patternProperties",
    "additionalItems",
];

/// Texts with a meaning for some keyword.
const TEXTS: [&str; 24] = [
    "a",
    "b",
    "ab",
    "",
    "é\n",
    "a\"b",
    "</p>",
    "string",
    "integer",
    "number",
    "object",
    "array",
    "null",
    "boolean",
    "date",
    "uuid",
    "ipv4",
    "email",
    "^[a-c]+\\d{1,2}$",
    "a|b",
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/properties/a",
];

/// A tokenizer with a token for each byte.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env())
        .expect("one token for each byte is a tokenizer");
    factory.quiet();
    factory
});

/// A schema from bytes: JSON text, or choices of keywords.
#[derive(Debug)]
struct Schema(Value);

impl<'a> Arbitrary<'a> for Schema {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(schema(bytes, 0)?))
    }
}

fn text(bytes: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    match bytes.ratio(1, 8)? {
        true => Ok(bytes.arbitrary::<&str>()?.to_owned()),
        false => Ok((*bytes.choose(&TEXTS)?).to_owned()),
    }
}

fn schema(bytes: &mut Unstructured<'_>, depth: usize) -> arbitrary::Result<Value> {
    if depth > 12 || bytes.is_empty() {
        return Ok(true.into());
    }
    let mut map = Map::new();
    for _ in 0..bytes.int_in_range(0..=4)? {
        let keyword = *bytes.choose(&KEYWORDS)?;
        map.insert(keyword, keyword_value(keyword, bytes, depth + 1)?);
    }
    Ok(map.into())
}

/// A value for a keyword, mostly of its form.
fn keyword_value(
    keyword: &str,
    bytes: &mut Unstructured<'_>,
    depth: usize,
) -> arbitrary::Result<Value> {
    if bytes.ratio(1, 16)? {
        return value(bytes, depth);
    }
    Ok(match keyword {
        "type" | "pattern" | "format" | "$ref" | "title" => text(bytes)?.into(),
        "enum" => {
            let size = bytes.int_in_range(0..=5)?;
            (0..size).map(|_| value(bytes, depth)).collect::<arbitrary::Result<Vec<_>>>()?.into()
        }
        "required" => {
            let size = bytes.int_in_range(0..=5)?;
            let names = (0..size).map(|_| Ok(Value::from(text(bytes)?)));
            names.collect::<arbitrary::Result<Vec<_>>>()?.into()
        }
        "const" => value(bytes, depth)?,
        "properties" | "$defs" | "definitions" | "patternProperties" => {
            let mut map = Map::new();
            for _ in 0..bytes.int_in_range(0..=4)? {
                map.insert(text(bytes)?, schema(bytes, depth)?);
            }
            map.into()
        }
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            let size = bytes.int_in_range(0..=4)?;
            (0..size).map(|_| schema(bytes, depth)).collect::<arbitrary::Result<Vec<_>>>()?.into()
        }
        "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
            match bytes.ratio(1, 8)? {
                true => i64::from(bytes.arbitrary::<u32>()?).into(),
                false => bytes.int_in_range(0..=20_i64)?.into(),
            }
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            number(bytes)?
        }
        _ => schema(bytes, depth)?,
    })
}

fn number(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => bytes.arbitrary::<i64>()?.into(),
        1 => (f64::from(bytes.arbitrary::<i32>()?) / 1000.0).into(),
        _ => i64::from(bytes.arbitrary::<i8>()?).into(),
    })
}

fn value(bytes: &mut Unstructured<'_>, depth: usize) -> arbitrary::Result<Value> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => bytes.arbitrary::<bool>()?.into(),
        2 | 3 => number(bytes)?,
        4 if depth < 8 => vec![value(bytes, depth + 1)?, value(bytes, depth + 1)?].into(),
        5 if depth < 8 => Map::from([(text(bytes)?, value(bytes, depth + 1)?)]).into(),
        _ => text(bytes)?.into(),
    })
}

/// Panics unless the work is in proportion to the schema.
fn assert_bounded(what: &str, work: &Work, bytes: u64) {
    let max_steps = STEPS + STEPS_PER_BYTE * bytes;
    let max_bytes = BYTES + BYTES_PER_BYTE * bytes;
    assert!(work.steps <= max_steps.min(10_000_000), "{what} of {bytes} bytes: {work}");
    assert!(work.bytes <= max_bytes, "{what} of {bytes} bytes: {work}");
}

/// Panics unless llguidance reads a grammar, or its own limits refuse it.
fn assert_accepted(lark: &str) {
    if lark.len() > MAX_LARK_LENGTH {
        return;
    }
    let matcher = Matcher::new(FACTORY.create_parser(TopLevelGrammar::from_lark(lark.to_owned())));
    if let Some(error) = matcher.get_error() {
        // A schema may admit no value. llguidance reports this if it can determine it.
        let accepted_errors = [
            "too large",
            "too many",
            "limit",
            "too big",
            "fuel",
            "Unsatisfiable schema",
            "Unable to determine if regex is empty",
        ];
        assert!(accepted_errors.iter().any(|word| error.contains(word)), "{error} in\n{lark}");
    }
}

/// A parser of replies that call a tool with arguments in a notation.
fn calls(arguments: Option<Arguments>, parameters: &Map) -> ReplyParser {
    let shape = match arguments {
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
    let mut format = ReplyFormat::plain();
    format.tools = Some(Tools::new(shape).with_call("<call>", "</call>"));
    ReplyParser::new(format).with_tools(&[ToolSpec::new("f", parameters.clone())])
}

fn notation(choice: u8) -> Option<Arguments> {
    Some(match choice % 4 {
        0 => Arguments::Tagged {
            key_open: Marker::new("<p="),
            key_close: Suffix::new(">"),
            value_close: Marker::new("</p>"),
            separator: "".into(),
            quoting: Quoting::NONE,
        },
        1 => Arguments::Nested {
            open_prefix: Marker::new("<"),
            open_suffix: Marker::new(">"),
            close_prefix: Marker::new("</"),
            close_suffix: Marker::new(">"),
            item: "item".into(),
        },
        2 => Arguments::Literal {
            open: "(".into(),
            assign: "=".into(),
            separator: ", ".into(),
            quote: "<|q|>".into(),
            close: ")".into(),
        },
        _ => return None,
    })
}

/// Panics unless a schema may cause an error of this kind.
fn assert_error(kind: ErrorKind) {
    assert!(matches!(kind, ErrorKind::Grammar | ErrorKind::Limit), "{kind:?}");
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(input: &[u8]) -> bool {
    let Some((choice, bytes)) = input.split_first() else { return false };
    let schema = match choice & 0x80 == 0 {
        true => Unstructured::new(bytes).arbitrary::<Schema>().map(|Schema(schema)| schema).ok(),
        false => std::str::from_utf8(bytes).ok().and_then(|text| Value::from_json(text).ok()),
    };
    let Some(schema) = schema else { return false };
    let size = schema.to_json().len();
    if size > MAX_SCHEMA_LENGTH {
        return false;
    }
    let bytes = size as u64;
    let options = SchemaOptions::new().widen(choice & 1 == 0);
    let (found, work) = count_work(|| Grammar::of_schema(&schema, &options));
    assert_bounded("making a grammar", &work, bytes);
    match found {
        Err(error) => assert_error(error.kind()),
        Ok(found) => {
            let (_, work) = count_work(|| found.grammar.to_gbnf());
            assert_bounded("GBNF", &work, bytes);
            let (lark, work) = count_work(|| found.grammar.to_lark());
            assert_bounded("Lark", &work, bytes);
            assert_accepted(&lark);
        }
    }
    let (parser, wanted) = match (choice >> 1 & 7, schema.as_object()) {
        (way @ 0..=3, Some(parameters)) => (calls(notation(way), parameters), ToolChoice::Required),
        _ => {
            let options = ReplyOptions::default().with_content_schema(schema.clone());
            (ReplyParser::new(ReplyFormat::plain()).with_options(options), ToolChoice::Auto)
        }
    };
    let options = GrammarOptions::new().with_tool_choice(wanted).with_widen(choice & 1 == 0);
    let (found, work) = count_work(|| parser.grammar(&options));
    assert_bounded("making a reply's grammar", &work, bytes);
    match found {
        Err(error) => {
            assert_error(error.kind());
            false
        }
        Ok(None) => false,
        Ok(Some(found)) => {
            let (_, work) = count_work(|| (found.to_gbnf(), found.to_structural_tag()));
            assert_bounded("GBNF and a structural tag", &work, bytes);
            let (lark, work) = count_work(|| found.to_lark());
            assert_bounded("Lark of a reply", &work, bytes);
            assert_accepted(&lark);
            true
        }
    }
}
