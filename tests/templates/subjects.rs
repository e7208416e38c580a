//! The templates under test. Each is analysed once.

use std::path::Path;
use std::sync::LazyLock;

use typed_prompty::chat::ChatTemplate;
use typed_prompty::reply::format::ReplyFormat;

/// A template under test.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) template: ChatTemplate,
}

impl Subject {
    /// The format that the analysis found.
    pub(crate) fn format(&self) -> &ReplyFormat {
        self.template.format().unwrap_or_else(|error| panic!("{}: {error:#}", self.name))
    }
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut subjects = read(&manifest.join("crates/prompty-chat/tests/chat/analysis/templates"));
    match std::env::var_os("PROMPTY_CONFORMANCE") {
        Some(folder) => {
            subjects.extend(read(&Path::new(&folder).join("chat-templates/templates")));
        }
        None => println!("PROMPTY_CONFORMANCE is not set: only the project's own templates"),
    }
    subjects
});

/// All templates under test. The environment variable `TEMPLATE` selects those whose names contain
/// it.
pub(crate) fn subjects() -> impl Iterator<Item = &'static Subject> {
    let wanted = std::env::var("TEMPLATE").unwrap_or_default();
    SUBJECTS.iter().filter(move |subject| subject.name.contains(&wanted))
}

/// The templates of a folder, sorted by name.
fn read(folder: &Path) -> Vec<Subject> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let subject = |path: &Path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let template =
            ChatTemplate::from_text(&text).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        Subject { name, template }
    };
    paths.iter().map(|path| subject(path)).collect()
}
