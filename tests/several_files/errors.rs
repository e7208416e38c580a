//! The place of a render error is in the file that contains the error.

use typed_prompty::{Definition, Pipeline, Prompt, prompt};

prompt!(
    #[prompt(allow(leading_text))]
    Dividing,
    "tests/several_files/prompts/dividing.prompty"
);

const PLACE: &str = "tests/several_files/prompts/parts/share.jinja:2:4";

#[test]
fn the_engine_of_a_typed_prompt_shows_the_included_file() {
    let error = Dividing::new(0).messages().unwrap_err();
    assert_eq!(error.place().unwrap().to_string(), PLACE);
}

#[test]
fn the_engine_of_a_loaded_prompt_shows_the_included_file() {
    let definition = Definition::from_path("tests/several_files/prompts/dividing.prompty").unwrap();
    let error = Pipeline::new(&definition).unwrap().prepare([("parts", 0)]).unwrap_err();
    assert_eq!(error.place().unwrap().to_string(), PLACE);
}

#[test]
fn the_constant_of_a_typed_prompt_contains_all_files() {
    let definition = Dividing::DEFINITION.load(&Default::default()).unwrap();
    assert_eq!(definition.instructions, Dividing::DEFINITION.template);
    let error = Pipeline::new(&definition).unwrap().prepare([("parts", 0)]).unwrap_err();
    assert_eq!(error.place().unwrap().to_string(), PLACE);
}
