//! Configurations in a YAML file, and in a folder with the template beside; a schema is followed.

use typed_prompty::{Prompt, prompt};

prompt!(Greet, "./greet.yaml");
prompt!(Repeat, "./folder/config.json");

#[test]
fn main() {
    let messages = Greet::new().with_name("</message>").messages().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1].text(), "Hello </message>!");
    assert_eq!(Greet::MODEL.id, Some("small"));
    assert_eq!(Repeat::new("Ada", 2).messages().unwrap()[1].text(), "Greet Ada 2 times.");
    let error = Repeat::new("Ada", 0).messages().unwrap_err().to_string();
    assert!(error.contains("at least 1"), "{error}");
}
