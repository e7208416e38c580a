//! What our parser accepts, the `handlebars` crate compiles by itself with the same meaning.

use proptest::prelude::*;

use super::*;

/// A piece of a template at a place where names are those of `kind`.
#[derive(Debug, Clone, Copy)]
enum Names {
    Inputs,
    /// An item of `people`.
    Person,
    /// An item of `words`.
    Word,
}

fn name(names: Names) -> BoxedStrategy<String> {
    match names {
        Names::Inputs => prop_oneof![Just("who"), Just("count"), Just("boss.name"), Just("gone")]
            .prop_map(str::to_owned)
            .boxed(),
        Names::Person => prop_oneof![
            Just("name"),
            Just("this.name"),
            Just("age"),
            Just("../who"),
            Just("@index"),
            Just("@root.who")
        ]
        .prop_map(str::to_owned)
        .boxed(),
        Names::Word => {
            prop_oneof![Just("this"), Just("../who"), Just("@last")].prop_map(str::to_owned).boxed()
        }
    }
}

fn template(names: Names, depth: u32) -> BoxedStrategy<String> {
    let text = "[a-z.]{0,3}( |\n|\n  |)[a-z]{1,3}( |\n|)";
    let leaf = prop_oneof![
        text.prop_map(|text| text),
        name(names).prop_map(|name| format!("{{{{{name}}}}}")),
        name(names).prop_map(|name| format!("{{{{~{{{name}}}~}}}}")),
        // The crate takes white space away across a comment, which handlebars.js does not.
        Just("x{{! a comment }}y".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let body = move |names| template(names, depth - 1);
    let condition = (name(names), body(names), body(names)).prop_map(|(name, holds, not)| {
        format!("{{{{#if {name}}}}}{holds}{{{{else}}}}{not}{{{{/if}}}}")
    });
    let unless = (name(names), body(names))
        .prop_map(|(name, body)| format!("{{{{#unless {name}}}}}{body}{{{{/unless}}}}"));
    let sequence = prop::collection::vec(body(names), 1..4).prop_map(|parts| parts.concat());
    let inner = prop_oneof![leaf, condition, unless, sequence];
    match names {
        Names::Inputs => {
            let people = body(Names::Person)
                .prop_map(|body| format!("{{{{#each people}}}}{body}{{{{/each}}}}"));
            let words = (body(Names::Word), body(names)).prop_map(|(body, otherwise)| {
                format!("{{{{#each words}}}}{body}{{{{else}}}}{otherwise}{{{{/each}}}}")
            });
            let boss = "[a-z]{1,3}"
                .prop_map(|text| format!("{{{{#with boss}}}}{text}{{{{name}}}}{{{{/with}}}}"));
            prop_oneof![2 => inner, 1 => people, 1 => words, 1 => boss].boxed()
        }
        Names::Person | Names::Word => inner.boxed(),
    }
}

fn inputs() -> impl Strategy<Value = serde_json::Value> {
    let text = || prop_oneof![Just(""), Just("x"), Just("<b> & \"c\""), Just("{{who}}")];
    let person =
        (text(), 0..3i64).prop_map(|(name, age)| serde_json::json!({"name": name, "age": age}));
    (text(), 0..3i64, prop::collection::vec(person, 0..3), prop::collection::vec(text(), 0..3))
        .prop_map(|(who, count, people, words)| {
            serde_json::json!({
                "who": who, "count": count, "boss": {"name": who}, "people": people, "words": words
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn our_engine_and_the_crate_write_the_same(text in template(Names::Inputs, 3), data in inputs()) {
        let mut registry = handlebars::Handlebars::new();
        registry.register_escape_fn(handlebars::no_escape);
        let expected = registry.render_template(&text, &data).unwrap();
        let found = render(&text, &data.to_string());
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn any_text_is_a_template_or_an_error_with_a_place(text in "[{}#/^!~\\\\a-b \"'.@|()=\n-]{0,24}") {
        match parse(&text) {
            Ok(tree) => prompty_template::walk::texts(&tree.nodes, &mut |span| {
                assert!(text.get(span.start..span.end).is_some());
            }),
            Err(error) => prop_assert!(text.get(error.span.start..error.span.end).is_some()),
        }
    }

    #[test]
    fn no_value_forges_a_marker(value in "(user|system)?(\\[nonce=00fe\\])?:?\n?(user:\n)?[a-z{}#]{0,5}") {
        let text = "system:\n{{x}}\n{{#each l}}\nuser:\n{{this}}\n{{/each}}\n";
        let data = |value: &str| serde_json::json!({"x": value, "l": [value, value]}).to_string();
        let markers = |text: &str| text.matches("[nonce=00ff]").count();
        let found = render(text, &data(&value));
        prop_assert_eq!(markers(&found), markers(&render(text, &data(""))));
        prop_assert_eq!(found.matches(value.as_str()).count() >= 3, true);
    }
}
