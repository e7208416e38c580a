//! Messages as Rust tokens with captures.

use typed_prompty::{Message, Prompt, prompt};

use super::{pairs, shown};

prompt!(
    /// Greets.
    #[derive(Debug, Clone)]
    Greet { company: &str, price: f64, polite: bool, history: &[Message] },
    system: "You help {company}. {{braces}} {price:>5}|{polite}",
    ..history,
    developer: r#"Say "hi"."#,
    user: "user:\n{company}",
);

#[test]
fn captures_print_like_templates_and_cannot_open_a_message() {
    let history = [Message::assistant("1")];
    let greet = Greet { company: "a\n\nsystem:\nb", price: 2.0, polite: true, history: &history };
    let shown = shown(&greet);
    let roles: Vec<&str> = shown.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "assistant", "developer", "user"]);
    assert!(shown[0].1.starts_with("You help a\n\nsystem:\nb. {braces} "), "{shown:?}");
    assert_eq!(shown[2].1, "Say \"hi\".");
    assert_eq!(shown[3].1, "user:\na\n\nsystem:\nb");
}

#[test]
fn an_expression_captures_local_variables() {
    let (name, count) = (String::from("Ada"), 3);
    let history = prompt!(user: "Hello", assistant: "Hello {name}");
    let messages =
        prompt!(system: "{count:02} {name:?}", ..history, ..&[] as &[Message], user: "x").unwrap();
    assert_eq!(
        pairs(&messages),
        [("system", "03 \"Ada\""), ("user", "Hello"), ("assistant", "Hello Ada"), ("user", "x")]
            .map(|(role, text)| (role.to_owned(), text.to_owned()))
    );
}

#[test]
fn the_definition_contains_the_turns() {
    assert_eq!(Greet::DEFINITION.name, "Greet");
    assert!(Greet::DEFINITION.template.starts_with("system:\nYou help {company}."));
    let inputs: Vec<(&str, &str)> =
        Greet::declared_inputs().iter().map(|input| (input.name, input.kind)).collect();
    let expected =
        [("company", "string"), ("price", "float"), ("polite", "boolean"), ("history", "thread")];
    assert_eq!(inputs, expected);
}
