//! Each public type is searched for secrets, or there is a reason why it shows none.
//!
//! The tests of secrets call `search::<Type>(…)`, which fails if `Debug` shows a secret. A type is
//! added to one of these calls if it holds values of the environment or of files, or JSON of the
//! program or a provider. Otherwise it is added to [`WITHOUT_SECRETS`].
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

/// The tests that search the `Debug` output of types.
const SEARCHES: [&str; 2] =
    ["crates/prompty-wire/tests/wire/secrets.rs", "prompty-runtime/tests/rendering/secrets.rs"];

/// Types and modules that are not searched, with the reason.
const WITHOUT_SECRETS: [(&str, &[&str]); 6] = [
    (
        "names of variants, numbers and places",
        &[
            "check::Presence",
            "definition::Presence",
            "diagnostic::Code",
            "diagnostic::Severity",
            "diagnostic::SourceSpan",
            "diagnostic::TemplateSpan",
            "error::ErrorKind",
            "message::RichKind",
            "message::Strictness",
            "nonce::Markers",
            "nonce::Nonce",
            "parse",
            "render::RenderLimits",
            "render::Undefined",
            "wire::ModelListing",
            "wire::Protocol",
            "wire::WireErrorKind",
        ],
    ),
    (
        "text of the template or of Rust code, which no variable and no file becomes a part of",
        &[
            "StaticDefinition",
            "StaticInput",
            "StaticModel",
            "StaticValue",
            "check::CheckOptions",
            "check::HostSignatures",
            "check::ValueType",
            "definition::ValueType",
            "inventory",
            "message::ThreadRoles",
            "registry::Registry",
            "shape",
            "template",
            "tools::AsyncToolbox",
            "tools::Toolbox",
        ],
    ),
    (
        "text that the program sends to the model",
        &[
            "Printed",
            "Scalar",
            "Untrusted",
            "message::Media",
            "message::MediaPlace",
            "message::Role",
            "message::ToolChoice",
            "nonce::Rendered",
            "nonce::Rich",
            "registry::Arguments",
            "render::Origin",
            "render::Segment",
            "slots",
            "tools::ToolError",
            "tools::ToolErrorKind",
            "value",
        ],
    ),
    (
        "a schema, whose names of properties are not those of secrets, or a setting of a request",
        &["message::ToolSpec", "wire::PromptCache", "wire::Reasoning", "wire::ResponseFormat"],
    ),
    (
        "an answer of a provider or a model",
        &[
            "output",
            "reply",
            "wire::CapabilityTable",
            "wire::Embeddings",
            "wire::GeneratedImage",
            "wire::Images",
            "wire::ModelInfo",
            "wire::ModelList",
            "wire::ProviderError",
            "wire::ReplyReader",
            "wire::TypedReplyReader",
        ],
    ),
    ("the chat template of a model, and messages that it renders", &["chat"]),
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn name_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The paths of the public types. A type of the root that is also in a module is left out.
fn public_types() -> Vec<String> {
    let list = read(".ci/public-items/typed-prompty.txt");
    let kinds = ["struct ", "enum ", "union "];
    let types = list.lines().filter_map(|line| kinds.iter().find_map(|it| line.strip_prefix(it)));
    let types: Vec<&str> = types.collect();
    let in_modules: BTreeSet<_> =
        types.iter().filter(|path| path.contains("::")).map(|path| name_of(path)).collect();
    let is_first = |path: &&&str| path.contains("::") || !in_modules.contains(**path);
    types.iter().filter(is_first).map(|path| (*path).to_owned()).collect()
}

/// The names of the types that the tests search.
fn searched_types() -> BTreeSet<String> {
    let call = Regex::new(r"search::<(?:Option<)?&?([A-Z]\w*)").unwrap();
    let texts = SEARCHES.map(read);
    let calls = texts.iter().flat_map(|text| call.captures_iter(text));
    calls.map(|found| found[1].to_owned()).collect()
}

fn excused() -> impl Iterator<Item = &'static str> {
    WITHOUT_SECRETS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// Whether a type has a name of the table, or is in a module of the table.
fn is_excused_by(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The types that are neither searched nor in the table.
fn forgotten<'t>(types: &'t [String], searched: &BTreeSet<String>) -> Vec<&'t String> {
    let is_known = |path: &str| {
        searched.contains(name_of(path)) || excused().any(|name| is_excused_by(path, name))
    };
    types.iter().filter(|path| !is_known(path)).collect()
}

#[test]
fn each_public_type_is_searched_for_secrets_or_has_a_reason() {
    let (types, searched) = (public_types(), searched_types());
    let forgotten = forgotten(&types, &searched);
    assert!(
        forgotten.is_empty(),
        "add these types to a call of `search` in the tests of secrets, or to `WITHOUT_SECRETS`: \
         {forgotten:?}"
    );
}

#[test]
fn the_searched_types_and_those_with_a_reason_are_public() {
    let (types, searched) = (public_types(), searched_types());
    // The facade does not export it.
    let searched = searched.iter().filter(|name| *name != "Signature");
    for name in searched {
        assert!(types.iter().any(|path| name_of(path) == name), "`{name}` is not public");
        assert!(!excused().any(|excused| name_of(excused) == name), "`{name}` is searched");
    }
    for name in excused() {
        assert!(types.iter().any(|path| is_excused_by(path, name)), "`{name}` is not public");
    }
}

#[test]
fn a_new_type_of_requests_or_definitions_is_reported() {
    let new = ["wire::RequestHeaders", "definition::Secrets", "Environment"].map(str::to_owned);
    assert_eq!(forgotten(&new, &searched_types()).len(), new.len());
    let known = ["wire::Request", "reply::format::Marker", "Secret"].map(str::to_owned);
    assert!(forgotten(&known, &searched_types()).is_empty());
}
