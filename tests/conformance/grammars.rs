//! Grammars: the grammars of the reference admit the expected texts, and ours for the same schemas
//! admit the same values.

use grammar_testing::{Dice, Gbnf, follows};
use prompty_core::value::Value as PromptValue;
use prompty_reply::grammar::Grammar;
use prompty_reply::grammar::schema::SchemaOptions;
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};

const TOKEN_LITERALS: Rule = Rule::named("token literals are not text");
const REJECTED_KEYWORD: Rule = Rule::named("the reference ignores a keyword that ours rejects");
const OTHER_ROOT: Rule = Rule::named("the reference gives the name `root` to another rule");
const ENFORCED_KEYWORD: Rule = Rule::named("the reference ignores a keyword that ours enforces");

/// The number of texts that are generated from each grammar.
const DRAWN: u64 = 60;

const ONE_OBJECT: Rule = Rule::named("the reference turns `allOf` into one object with every part");

/// Texts that a grammar admits, and texts that it rejects. If the grammar comes from a schema, ours
/// for that schema does the same.
pub(crate) fn matches(case: &Case<'_>) -> Outcome {
    let reference = match Gbnf::parse(text(&case.json["grammar"])) {
        Ok(reference) => reference,
        Err(why) if why.contains("a token") => {
            return Outcome::Skipped(TOKEN_LITERALS);
        }
        Err(why) => return Outcome::Failed(why),
    };
    let mut grammars = vec![("the reference's", reference)];
    if case.json["kind"] == "schema" {
        match our_grammar(&case.json["schema"].to_string()) {
            Ok(ours) => grammars.push(("ours", ours)),
            Err(why) => return Outcome::Failed(why),
        }
    }
    for (whose, grammar) in grammars {
        for (field, admitted) in [("pass", true), ("fail", false)] {
            for string in case.json[field].as_array().unwrap() {
                if grammar.admits(text(string)) != admitted {
                    let is = if admitted { "does not admit" } else { "admits" };
                    return Outcome::Failed(format!("{whose} {is} {string}"));
                }
            }
        }
    }
    Outcome::Passed
}

/// A schema and its grammar from the reference: each admits the values of the other.
pub(crate) fn schema(case: &Case<'_>) -> Outcome {
    let schema_text = text(&case.json["schema_text"]);
    let ours = our_grammar(schema_text);
    if case.json["expect_error"] == true {
        return match ours {
            Ok(_) => Outcome::Failed("expected an error".to_owned()),
            Err(_) => Outcome::Passed,
        };
    }
    let ours = match ours {
        Ok(ours) => ours,
        Err(why) if why.contains("a grammar cannot express") => {
            return Outcome::Skipped(REJECTED_KEYWORD);
        }
        Err(why) => return Outcome::Failed(why),
    };
    if text(&case.json["grammar"]).contains("\nroot0 ::=") {
        return Outcome::Skipped(OTHER_ROOT);
    }
    let reference = Gbnf::parse(text(&case.json["grammar"])).unwrap();
    let schema: Value = serde_json::from_str(schema_text).unwrap();
    let mut drops_a_keyword = false;
    for seed in 0..DRAWN {
        let mut dice = Dice::new(seed);
        let drawn = reference.sample(&mut dice, 60, true);
        // The reference admits texts that are not JSON by mistake. A number outside the range of
        // `f64` is not JSON for this parser.
        let Ok(value) = serde_json::from_str::<Value>(&drawn) else { continue };
        if !follows(&schema, &value) {
            drops_a_keyword = true;
            continue;
        }
        if canonical(&value).is_some_and(|text| !ours.admits(&text)) {
            return match schema["allOf"].is_array() {
                true => Outcome::Skipped(ONE_OBJECT),
                false => Outcome::Failed(format!("ours does not admit {drawn}")),
            };
        }
    }
    for seed in 0..DRAWN {
        let drawn = ours.sample(&mut Dice::new(seed), 60, true);
        let value = match serde_json::from_str::<Value>(&drawn) {
            Ok(value) if follows(&schema, &value) => value,
            Ok(_) => return Outcome::Failed(format!("ours admits {drawn}")),
            Err(_) => return Outcome::Failed(format!("ours admits {drawn}, which is not JSON")),
        };
        if canonical(&value).is_some_and(|text| !reference.admits(&text)) {
            if begins_a_name(&schema, &value) {
                continue;
            }
            return match schema["allOf"].is_array() {
                true => Outcome::Skipped(ONE_OBJECT),
                false => Outcome::Failed(format!("the reference does not admit {drawn}")),
            };
        }
    }
    match drops_a_keyword {
        true => Outcome::Skipped(ENFORCED_KEYWORD),
        false => Outcome::Passed,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn our_grammar(schema: &str) -> Result<Gbnf, String> {
    let schema = PromptValue::from_json(schema).map_err(|error| error.to_string())?;
    let found = Grammar::of_schema(&schema, &SchemaOptions::new());
    let found = found.map_err(|error| format!("{error:#}"))?;
    Gbnf::parse(&found.grammar.to_gbnf())
}

/// The value in a canonical form; `None` if one of the two grammars cannot write it. In the
/// reference a `.` in a pattern matches raw quotes and control characters. Our grammar does not
/// write numbers beyond 1e289 in this notation.
fn canonical(value: &Value) -> Option<String> {
    let is_plain =
        |text: &str| !text.contains(['"', '\\', '\u{7f}']) && !text.contains(char::is_control);
    Some(match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.abs() > 1e289 => return None,
            Some(0.0) => "0".to_owned(),
            Some(float) if float.fract() == 0.0 && float.abs() < 1e16 => format!("{float:.0}"),
            Some(float) if number.is_f64() && (float.abs() >= 1e16 || float.abs() < 1e-4) => {
                format!("{float:e}")
            }
            _ => number.to_string(),
        },
        Value::String(text) if !is_plain(text) => return None,
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect::<Option<_>>()?;
            format!("[{}]", items.join(","))
        }
        Value::Object(map) => {
            let entry = |(name, value): (&String, &Value)| {
                is_plain(name).then_some(format!("\"{name}\":{}", canonical(value)?))
            };
            let entries: Vec<String> = map.iter().map(entry).collect::<Option<_>>()?;
            format!("{{{}}}", entries.join(","))
        }
        _ => value.to_string(),
    })
}

/// Whether a key is a prefix of a declared name. The reference cannot write such keys.
fn begins_a_name(schema: &Value, value: &Value) -> bool {
    let names = || schema["properties"].as_object().into_iter().flat_map(|map| map.keys());
    let begins = |key: &String| names().any(|name| name != key && name.starts_with(key));
    value.as_object().is_some_and(|map| map.keys().any(begins))
}
