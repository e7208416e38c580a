//! Random schemas: the texts of their grammars are JSON that matches the schema, and both forms
//! match the same texts.

use grammar_testing::{Dice, is_valid};
use prompty_core::value::Value as PromptValue;
use prompty_reply::grammar::Grammar;
use prompty_reply::grammar::schema::SchemaOptions;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::GrammarForms;

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": ["null", "string"]})),
        Just(json!({"type": "number"})),
        Just(json!({"format": "date"})),
        Just(json!({"format": "time"})),
        Just(json!({"$ref": "#"})),
        (-300i64..300, 0i64..400).prop_map(|(least, more)| {
            json!({"type": "integer", "minimum": least, "maximum": least + more})
        }),
        (-99_999i64..99_999).prop_map(|least| json!({"type": "integer", "minimum": least})),
        (-3000i32..3000, 1i32..4000).prop_map(|(least, more)| {
            let (least, most) = (f64::from(least) / 100.0, f64::from(least + more) / 100.0);
            json!({"type": "number", "minimum": least, "exclusiveMaximum": most})
        }),
        (-3000i32..3000)
            .prop_map(|most| json!({"type": "number", "maximum": f64::from(most) / 1000.0})),
        (0u32..4, 0u32..4)
            .prop_map(|(least, more)| json!({"minLength": least, "maxLength": least + more})),
        prop::sample::select(vec!["^[a-c]+\\d{1,2}$", "x", "^(?:ab?|[^0-9a-z])*$", "^.$"])
            .prop_map(|pattern| json!({"pattern": pattern})),
        prop::collection::vec(
            prop::sample::select(vec![json!(1), json!("a\"b"), json!(null), json!([1, {"k": []}])]),
            1..4
        )
        .prop_map(|values| json!({"enum": values})),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let name = prop::sample::select(vec!["a", "ab", "b", "", "é\n", "long name"]);
        let properties = prop::collection::btree_map(name, inner.clone(), 0..4);
        let objects = (properties, prop::option::of(inner.clone()), any::<u8>()).prop_map(
            |(properties, additional, bits)| {
                let required: Vec<_> = properties
                    .keys()
                    .enumerate()
                    .filter(|(at, _)| bits >> at & 1 == 1)
                    .map(|(_, name)| *name)
                    .collect();
                match additional {
                    None => json!({"properties": properties, "required": required}),
                    Some(additional) => json!({
                        "properties": properties,
                        "required": required,
                        "additionalProperties": additional,
                    }),
                }
            },
        );
        prop_oneof![
            objects,
            (inner.clone(), 0u32..3, 0u32..3).prop_map(|(items, least, more)| {
                json!({"items": items, "minItems": least, "maxItems": least + more})
            }),
            (prop::collection::vec(inner.clone(), 1..4), prop::option::of(inner.clone())).prop_map(
                |(first, rest)| {
                    match rest {
                        None => json!({"prefixItems": first, "minItems": 1}),
                        Some(rest) => {
                            json!({"prefixItems": first, "minItems": 1, "items": rest})
                        }
                    }
                }
            ),
            prop::collection::vec(inner, 1..4).prop_map(|any| json!({"anyOf": any})),
        ]
    })
}

/// The text with one character removed, added or replaced.
fn changed(text: &str, dice: &mut Dice) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let others: Vec<char> = "\"\\{}[],: \n\t0159-.eEntfax".chars().collect();
    let other = others[dice.below(others.len())];
    let at = dice.below(characters.len() + 1);
    match dice.below(3) {
        0 if at < characters.len() => {
            characters.remove(at);
        }
        1 if at < characters.len() => characters[at] = other,
        _ => characters.insert(at, other),
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn samples_match_the_schema_in_every_form(schema in schemas(), seed: u64) {
        let schema_value = PromptValue::from_json(&schema.to_string()).unwrap();
        // A schema can contradict itself.
        let Ok(found) = Grammar::of_schema(&schema_value, &SchemaOptions::new()) else { return Ok(()) };
        let forms = GrammarForms::of(&found.grammar);
        let mut dice = Dice::new(seed);
        for _ in 0..8 {
            let text = forms.gbnf.sample(&mut dice, 60, false);
            let value: Value = serde_json::from_str(&text)
                .map_err(|error| TestCaseError::fail(format!("{text:?} is not JSON: {error}")))?;
            prop_assert!(is_valid(&schema, &value), "{} does not match {}", value, schema);
            prop_assert!(forms.admits(&text), "{text:?}");
            for _ in 0..4 {
                forms.admits(&changed(&text, &mut dice));
            }
        }
    }
}
