//! Loading of prompts: which files a template can include, and where they are searched.

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
fn a_text_cannot_include_files_unless_the_host_sets_their_folder() {
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
fn without_files_a_template_cannot_include_files() {
    let options = LoadOptions::new().with_templates(FOLDER).without_files();
    assert!(load("{% include 'parts/share.jinja' %}", &options).is_err());
}

#[test]
fn no_name_can_leave_the_folder() {
    for name in ["../main.rs", "parts/../../main.rs", "/etc/passwd", "C:/x", "..\\main.rs", "."] {
        let found = error(&format!("{{% include '{}' %}}", name.replace('\\', "\\\\")));
        assert!(!found.contains("not found"), "{name}: {found}");
    }
}

#[cfg(unix)]
#[test]
fn no_symbolic_link_can_leave_the_folder() {
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

/// A temporary folder with the files of a prompt. It is removed on drop.
struct TemporaryFolder(std::path::PathBuf);

impl TemporaryFolder {
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

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FILES: &[(&str, &str)] = &[
    (".env", "KEY=1"),
    (".git/config.txt", "[user]"),
    ("id_rsa", "-----BEGIN"),
    ("config.yaml", "key: 1"),
    ("rules.md", "Be kind."),
    ("parts/rules.html.J2", "Be kind."),
];

#[test]
fn a_loaded_prompt_can_only_include_files_with_a_template_extension() {
    let folder = TemporaryFolder::with("extensions", FILES);
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
fn with_a_template_folder_any_file_that_is_not_hidden_can_be_included() {
    let folder = TemporaryFolder::with("named", FILES);
    let options = LoadOptions::new().with_templates(&folder.0);
    for (name, can_be_included) in
        [("config.yaml", true), ("id_rsa", true), (".env", false), (".git/config.txt", false)]
    {
        let loaded = load(&format!("{{% include '{name}' %}}"), &options);
        assert_eq!(loaded.is_ok(), can_be_included, "{name}");
    }
}

#[test]
fn no_message_names_a_file_that_cannot_be_included() {
    let folder = TemporaryFolder::with("similar", FILES);
    let found = format!("{:#}", folder.load("{% include 'config.md' %}").unwrap_err());
    assert!(found.contains("config.md` not found") && !found.contains("config.yaml"), "{found}");
}

#[test]
fn a_template_with_a_similar_name_is_suggested() {
    let folder = TemporaryFolder::with("almost", &[("base.jinja", "Hi"), ("keys.yaml", "secret")]);
    let help = |name: &str| {
        let error = folder.load(&format!("{{% include '{name}' %}}")).unwrap_err();
        error.help().unwrap_or_default().to_owned()
    };
    for name in ["base.jnja", "base.jinja.", ".base.jinja"] {
        assert_eq!(help(name), "a file with a similar name exists: `base.jinja`", "{name}");
    }
    assert!(
        help("keys.yml").starts_with("use an extension such as"),
        "the help names a file that cannot be included"
    );
}

#[test]
fn an_error_in_the_front_matter_of_an_included_prompt_has_its_place_there() {
    let files =
        [("open.prompty", "---\nname: x\nuser:\nHi"), ("yaml.prompty", "---\na: [\n---\nHi")];
    let folder = TemporaryFolder::with("broken", &files);
    for (name, place) in [("open.prompty", ":1:1"), ("yaml.prompty", ":2:4")] {
        let refused = folder.load(&format!("user:\n{{% include '{name}' %}}")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::FrontMatter);
        let found = refused.place().unwrap().to_string();
        assert!(found.ends_with(&format!("{name}{place}")), "{found}");
    }
}

#[test]
fn white_space_options_of_an_unknown_language_are_kept() {
    let text = "---\ntemplate: {format: {kind: liquid, trim_blocks: true}}\n---\nHi";
    assert!(Definition::from_text(text).unwrap().template.trim_blocks);
}

#[test]
fn a_missing_file_is_an_error_even_in_a_false_branch() {
    let found = error("{% if false %}{% include 'parts/shares.jinja' %}{% endif %}");
    assert!(found.contains("file `tests/several_files/prompts/parts/shares.jinja` not found"));
    assert!(found.contains("a file with a similar name exists: `parts/share.jinja`"), "{found}");
}

#[test]
fn a_syntax_error_in_an_included_file_has_its_place_there() {
    let options = LoadOptions::new().with_templates(FOLDER);
    let refused = load("{% include 'broken/tag.jinja' %}", &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TemplateSyntax);
    let place = refused.place().unwrap().to_string();
    assert_eq!(place, "tests/several_files/prompts/broken/tag.jinja:2:1");
}

#[test]
fn white_space_options_are_applied_once() {
    let text = "---\ntemplate: {format: {kind: jinja2, trim_blocks: true}}\n---\n\
        user:\n{% if true %}\n\n{% endif %}\n{{ 1 }}";
    let loaded = Definition::from_text(text).unwrap();
    assert!(!loaded.template.trim_blocks);
    let rendered = Pipeline::new(&loaded).unwrap().render([("x", "")]).unwrap().plain_text();
    assert_eq!(rendered, "user:\n\n1");
}
