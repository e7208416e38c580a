//! Text prompts in all places where a prompt can be, and names that are like the word `text`.

use typed_prompty::{Prompt, TextPrompt, prompt};

prompt!(
    /// Skills.
    #[derive(PartialEq)]
    #[prompt(format = "handlebars")]
    pub text Skills { names: &[u8] },
    "{{#if names}}Skills{{/if}}"
);

#[allow(non_camel_case_types)]
mod names {
    use typed_prompty::prompt;
    prompt!(pub text { name: &str }, "user:\n{{ name }}\n");
    prompt!(pub text text_of { name: &str }, "{{ name }}");
}

prompt!(Ask { #[prompt(text, default = "none")] skills: Option<&Skills<'_>> }, "user:\n{{ skills }}\n");

#[test]
fn main() {
    let skills = Skills { names: &[1_u8] };
    assert_eq!(skills.text().unwrap(), "Skills");
    assert_eq!(names::text { name: "a" }.messages().unwrap()[0].text(), "a");
    assert_eq!(names::text_of { name: "a" }.text().unwrap(), "a");
    assert_eq!(Ask { skills: Some(&skills) }.messages().unwrap()[0].text(), "Skills");
    assert_eq!(Ask { skills: None }.messages().unwrap()[0].text(), "none");
}
