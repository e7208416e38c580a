//! Loading: which files a template may name, and where they are looked for.

use typed_prompty::{Definition, Error, ErrorKind, LoadOptions, Pipeline};

const FOLDER: &str = "tests/several_files/prompts";

fn load(template: &str, options: &LoadOptions) -> Result<Definition, Error> {
    Definition::from_text_with("t.prompty", template, options)
}

fn error(template: &str) -> String {
    let options = LoadOptions::new().with_templates(FOLDER);
    format!("{:#}", load(template, &options).unwrap_err())
}

#[test]
fn a_text_has_no_files_unless_the_host_names_their_folder() {
    let template = "user:\n{% include 'parts/share.jinja' %}";
    let refused = load(template, &LoadOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FileReference);
    assert_eq!(
        refused.help(),
        Some("load the prompt from its path, or set the folder with `LoadOptions::with_templates`")
    );
    let loaded = load(template, &LoadOptions::new().with_templates(FOLDER)).unwrap();
    assert!(loaded.instructions.contains("{{ 10 // parts }}"));
    let loaded = load(template, &LoadOptions::new().with_base_directory(FOLDER));
    assert!(loaded.is_ok());
}

#[test]
fn a_host_that_allows_no_files_allows_none_of_a_template() {
    let options = LoadOptions::new().with_templates(FOLDER).without_files();
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
    let options = LoadOptions::new().with_templates(folder.join("in"));
    let refused = load("{% include 'link' %}", &options).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(refused.to_string().ends_with("/in/link` not found"), "{refused}");
}

/// A folder with a prompt's files and others, which is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("prompty-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn load(&self, template: &str) -> Result<Definition, Error> {
        std::fs::write(self.0.join("t.prompty"), template).unwrap();
        Definition::from_path(self.0.join("t.prompty"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const OTHERS: &[(&str, &str)] = &[
    (".env", "KEY=1"),
    (".git/config.txt", "[user]"),
    ("id_rsa", "-----BEGIN"),
    ("config.yaml", "key: 1"),
    ("rules.md", "Be kind."),
    ("parts/rules.html.J2", "Be kind."),
];

#[test]
fn beside_a_prompt_only_files_with_the_name_of_a_template_are_in_the_set() {
    let folder = Folder::with("beside", OTHERS);
    for name in ["rules.md", "parts/rules.html.J2"] {
        let loaded = folder.load(&format!("user:\n{{% include '{name}' %}}")).unwrap();
        assert!(loaded.instructions.contains("Be kind."));
    }
    for name in [".env", ".git/config.txt", "id_rsa", "config.yaml", "none", ".none"] {
        let refused = folder.load(&format!("{{% include '{name}' ignore missing %}}")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::FileReference, "{name}");
        assert!(!refused.to_string().contains("not found"), "{name}: {refused}");
    }
}

#[test]
fn a_folder_that_is_named_as_that_of_the_templates_may_hold_files_of_any_name_that_is_not_hidden() {
    let folder = Folder::with("named", OTHERS);
    let options = LoadOptions::new().with_templates(&folder.0);
    for (name, is_in_the_set) in
        [("config.yaml", true), ("id_rsa", true), (".env", false), (".git/config.txt", false)]
    {
        let loaded = load(&format!("{{% include '{name}' %}}"), &options);
        assert_eq!(loaded.is_ok(), is_in_the_set, "{name}");
    }
}

#[test]
fn no_message_names_a_file_that_is_not_in_the_set() {
    let folder = Folder::with("similar", OTHERS);
    let found = format!("{:#}", folder.load("{% include 'config.md' %}").unwrap_err());
    assert!(found.contains("config.md` not found") && !found.contains("config.yaml"), "{found}");
}

#[test]
fn a_name_that_is_almost_that_of_a_template_is_told_with_it() {
    let folder = Folder::with("almost", &[("base.jinja", "Hi"), ("keys.yaml", "secret")]);
    let help = |name: &str| {
        let error = folder.load(&format!("{{% include '{name}' %}}")).unwrap_err();
        error.help().unwrap_or_default().to_owned()
    };
    for name in ["base.jnja", "base.jinja.", ".base.jinja"] {
        assert_eq!(help(name), "a file with a similar name exists: `base.jinja`", "{name}");
    }
    assert!(
        help("keys.yml").starts_with("use an extension such as"),
        "no file is named that is not in the set"
    );
}

#[test]
fn a_broken_front_matter_of_an_included_prompt_is_shown_there() {
    let files =
        [("open.prompty", "---\nname: x\nuser:\nHi"), ("yaml.prompty", "---\na: [\n---\nHi")];
    let folder = Folder::with("broken", &files);
    for (name, place) in [("open.prompty", ":1:1"), ("yaml.prompty", ":2:4")] {
        let refused = folder.load(&format!("user:\n{{% include '{name}' %}}")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::FrontMatter);
        let found = refused.place().unwrap().to_string();
        assert!(found.ends_with(&format!("{name}{place}")), "{found}");
    }
}

#[test]
fn options_for_white_space_stay_where_nothing_carries_them_out() {
    let text = "---\ntemplate: {format: {kind: liquid, trim_blocks: true}}\n---\nHi";
    assert!(Definition::from_text(text).unwrap().template.trim_blocks);
}

#[test]
fn a_missing_file_is_an_error_also_where_it_would_not_be_written() {
    let found = error("{% if false %}{% include 'parts/shares.jinja' %}{% endif %}");
    assert!(found.contains("file `tests/several_files/prompts/parts/shares.jinja` not found"));
    assert!(found.contains("a file with a similar name exists: `parts/share.jinja`"), "{found}");
}

#[test]
fn a_mistake_in_an_included_file_is_shown_there() {
    let options = LoadOptions::new().with_templates(FOLDER);
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
