//! Variables, texts and calls: of functions with parameters, of one that may read all inputs.

use typed_prompty::{Prompt, Registry, prompt};

fn registry() -> Registry {
    Registry::new()
        .with_typed_function("text.join", ["left", "right"], |left: String, right: String| {
            Ok(left + &right)
        })
        .with_typed_function("all", ["city"], |city: String| Ok(city))
}

prompt!(
    #[prompt(
        format = "semantic-kernel",
        registry = registry,
        functions("text.join"(left, right), all)
    )]
    Ask { name: &str, city: &str, nickname: Option<&str> },
    r#"
user[name={{$name}}]:
{{ "{{" }}{{join $name right='!'}} {{text.join left='<' right=$nickname}}{{all}}
"#
);

prompt!(
    #[prompt(format = "semantic-kernel", role = "system", allow(stray_braces))]
    Braces { name: &str },
    "{{}} {{$name}}"
);

#[test]
fn main() {
    let ask = Ask { name: "Ada", city: "Turin", nickname: Some("A.") };
    let messages = ask.messages().unwrap();
    assert_eq!(messages[0].text(), "{{Ada! <A.Turin");
    assert_eq!(Braces { name: "Ada" }.messages().unwrap()[0].text(), "{{}} Ada");
}
