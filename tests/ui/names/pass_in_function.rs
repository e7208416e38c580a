//! Generated types beside a prompt in a function, with a type of the function's own in one of them.

use typed_prompty::{Prompt, prompt};

#[test]
fn main() {
    struct Author {
        name: String,
    }

    prompt!(
        #[prompt(types(passages.author = Author))]
        Support,
        "./files/support.prompty"
    );

    let author = Author { name: "Ada".to_owned() };
    let passages = [SupportPassagesItem { title: "Engines", author }];
    let support = Support { passages: &passages, tone: SupportTone::Formal };
    let messages = support.messages().unwrap();
    assert_eq!(messages[0].text(), "Be formal.");
    assert_eq!(messages[1].text().trim(), "Engines by Ada");
}
