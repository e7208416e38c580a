//! Loading: which files a template may name, and where they are looked for.

use typed_prompty::{Definition, Error, ErrorKind, LoadOptions, Pipeline};

const FOLDER: &str = "tests/several_files/prompts";

fn load(template: &str, options: &LoadOptions) -> Result<Definition, Error> {
    Definition::from_text_with("t.prompty", template, options)
}

fn error(template: &str) -> String {
    let options = LoadOptions::new().templates(FOLDER);
    format!("{:#}", load(template, &options).unwrap_err())
}

#[test]
fn a_text_has_no_files_unless_the_host_names_their_folder() {
    let template = "user:\n{% include 'parts/share.jinja' %}";
    let refused = load(template, &LoadOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FileReference);
    assert_eq!(
        refused.help(),
        Some("load the prompt from its path, or name the folder with `LoadOptions::templates`")
    );
    let loaded = load(template, &LoadOptions::new().templates(FOLDER)).unwrap();
    assert!(loaded.instructions.contains("{{ 10 // parts }}"));
    let loaded = load(template, &LoadOptions::new().base_directory(FOLDER));
    assert!(loaded.is_ok());
}

#[test]
fn a_host_that_allows_no_files_allows_none_of_a_template() {
    let options = LoadOptions::new().templates(FOLDER).refuse_files();
    assert!(load("{% include 'parts/share.jinja' %}", &options).is_err());
}

#[test]
fn no_name_leads_out_of_the_folder() {
    for name in ["../main.rs", "parts/../../main.rs", "/etc/passwd", "C:/x", "..\\main.rs", "."] {
        let found = error(&format!("{{% include '{}' %}}", name.replace('\\', "\\\\")));
        assert!(!found.contains("there is no file"), "{name}: {found}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    let folder = std::env::temp_dir().join(format!("prompty-templates-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("in")).unwrap();
    std::fs::write(folder.join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(folder.join("secret"), folder.join("in/link")).unwrap();
    let options = LoadOptions::new().templates(folder.join("in"));
    let refused = load("{% include 'link' %}", &options).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(refused.to_string().starts_with("there is no file"));
}

#[test]
fn a_missing_file_is_an_error_also_where_it_would_not_be_written() {
    let found = error("{% if false %}{% include 'parts/shares.jinja' %}{% endif %}");
    assert!(found.contains("there is no file `tests/several_files/prompts/parts/shares.jinja`"));
    assert!(found.contains("there is a file with a similar name: `parts/share.jinja`"), "{found}");
}

#[test]
fn a_mistake_in_an_included_file_is_shown_there() {
    let options = LoadOptions::new().templates(FOLDER);
    let refused = load("{% include 'broken/tag.jinja' %}", &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TemplateSyntax);
    let place = refused.place().unwrap().to_string();
    assert_eq!(place, "tests/several_files/prompts/broken/tag.jinja:2:1");
}

#[test]
fn options_for_white_space_are_carried_out_once() {
    let text = "---\ntemplate: {format: {kind: jinja2, trim_blocks: true}}\n---\n\
        user:\n{% if true %}\n\n{% endif %}\n{{ 1 }}";
    let loaded = Definition::from_text(text).unwrap();
    assert!(!loaded.template.trim_blocks);
    let rendered = Pipeline::new(&loaded).unwrap().render([("x", "")]).unwrap().plain_text();
    assert_eq!(rendered, "user:\n\n1");
}
