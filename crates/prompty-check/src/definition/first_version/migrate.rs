//! Migrates a file of the first version. Unchanged parts are copied with their comments.
//!
//! The result is parsed again. It is returned only if its tree is the converted tree, and its body
//! the original body.

use super::entries::map_node;
use super::threads::with_threads;
use super::{OLD_MODEL_KEYS, convert, properties, tools, with_referenced_sample, writer};
use crate::definition::inspect::{ParsedSource, parse_source};
use crate::definition::load::{LoadOptions, into_error, read_reference};
use crate::definition::node::{Mapping, Node};
use crate::definition::reference::Reference;
use prompty_core::diagnostic::SourceText;
use prompty_core::error::{Error, ErrorKind};

/// Rewrites a prompt of the format's first version in the second version; `None` if it has no key
/// of the first version. The body and the comments are kept. The options set the folders of other
/// files, such as a sample, whose values become examples of the inputs.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::definition; }
/// use typed_prompty::definition::{LoadOptions, migrate};
/// use typed_prompty::diagnostic::SourceText;
///
/// let text = "---\nmodel:\n  api: chat # the usual one\ninputs:\n  q: {type: string}\n---\nuser:\n{{ q }}\n";
/// let migrated = migrate(&SourceText::new("q.prompty", text), &LoadOptions::new())?;
/// assert_eq!(
///     migrated.as_deref(),
///     Some(
///         "---\nmodel:\n  apiType: chat # the usual one\ninputs:\n  q:\n    kind: string\n    \
///          required: true\n---\nuser:\n{{ q }}\n"
///     ),
/// );
/// # Ok::<(), prompty_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the front matter or another file cannot be read. Some front matters, such as
/// those with anchors, cannot be rewritten automatically.
pub fn migrate(source: &SourceText, options: &LoadOptions) -> Result<Option<String>, Error> {
    let has_carriage_returns = source.text().contains("\r\n");
    let source = source.clone().normalised();
    let parsed = parse_source(&source)
        .map_err(|finding| into_error(ErrorKind::FrontMatter, &finding, &source))?;
    if convert(&parsed.root).is_none() {
        return Ok(None);
    }
    let folder = options.base_directory.as_deref();
    let read = |node: &Node| read_reference(node, &source, options, folder);
    let complete = with_files(&with_referenced_sample(&parsed.root), &read)?;
    let Some(converted) = convert(&complete) else { return Ok(None) };
    let refused = || {
        let message = "this file cannot be rewritten automatically";
        Error::new(ErrorKind::FrontMatter, message)
            .with_help("rewrite its front matter in the second version by hand")
    };
    let span = parsed.front_matter;
    let body = parsed.body.text_in(source.text());
    let around = source.text().get(..span.start).zip(source.text().get(span.end..));
    let (Some(body), Some((before, after))) = (body, around) else { return Err(refused()) };
    let root = with_threads(&converted.root, body);
    let (Some(written), Some(wanted)) = (parsed.root.as_map(), root.as_map()) else {
        return Ok(None);
    };
    let text = writer::front_matter(source.text(), span, written, wanted);
    let migrated = format!("{before}{text}{after}");
    if !is_equivalent(&source, &parsed, &root, &migrated) {
        return Err(refused());
    }
    Ok(Some(if has_carriage_returns { migrated.replace('\n', "\r\n") } else { migrated }))
}

/// Whether the new text has the converted front matter and the original body.
fn is_equivalent(source: &SourceText, parsed: &ParsedSource, wanted: &Node, text: &str) -> bool {
    let Ok(found) = parse_source(&SourceText::new(source.name(), text)) else { return false };
    found.root.to_value() == wanted.to_value()
        && found.body.text_in(text) == parsed.body.text_in(source.text())
        && convert(&found.root).is_none()
}

/// The front matter with the content of files that are written in the first version.
fn with_files(root: &Node, read: &dyn Fn(&Node) -> Result<Node, Error>) -> Result<Node, Error> {
    let has_sample = root.get("sample").is_some();
    let root = with_file(root, "sample", read, |_| true)?;
    let root = with_sample_files(&root, read)?;
    let is_old_model = |node: &Node| {
        node.as_map()
            .is_some_and(|map| OLD_MODEL_KEYS.iter().any(|(key, _)| map.get(key).is_some()))
    };
    let root = with_file(&root, "model", read, is_old_model)?;
    let root =
        with_file(&root, "inputs", read, |it| has_sample || !properties::old_keys(it).is_empty())?;
    let root = with_file(&root, "outputs", read, |it| !properties::old_keys(it).is_empty())?;
    let root = with_file(&root, "tools", read, |it| !tools::old_keys(it).is_empty())?;
    let Some(model) = root.get("model") else { return Ok(root) };
    let model = with_file(model, "configuration", read, |_| true)?;
    let model = with_file(&model, "parameters", read, |_| true)?;
    Ok(with_value(&root, "model", model))
}

/// The front matter with the content of the files that a sample refers to. They show the types.
fn with_sample_files(
    root: &Node,
    read: &dyn Fn(&Node) -> Result<Node, Error>,
) -> Result<Node, Error> {
    let Some(mut sample) = root.get("sample").cloned() else { return Ok(root.clone()) };
    let keys: Vec<_> =
        sample.as_map().into_iter().flat_map(|map| map.entries.keys().cloned()).collect();
    for key in keys {
        sample = with_file(&sample, &key, read, |_| true)?;
    }
    Ok(with_value(root, "sample", sample))
}

/// Replaces a reference in a map by the file's content, if that is of the first version.
fn with_file(
    node: &Node,
    key: &str,
    read: &dyn Fn(&Node) -> Result<Node, Error>,
    is_old: impl Fn(&Node) -> bool,
) -> Result<Node, Error> {
    let Some(value) = node.get(key) else { return Ok(node.clone()) };
    let reference = value.as_text().and_then(Reference::parse);
    if !matches!(reference, Some(Reference::File { .. })) {
        return Ok(node.clone());
    }
    let content = read(value)?;
    Ok(if is_old(&content) { with_value(node, key, content) } else { node.clone() })
}

fn with_value(node: &Node, key: &str, value: Node) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = mapping.entries.clone();
    if let Some(entry) = entries.get_mut(key) {
        entry.value = value;
    }
    let mapping: Mapping = mapping.with_entries(entries);
    map_node(mapping, node)
}
