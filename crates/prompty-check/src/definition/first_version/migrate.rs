//! Migrates a file of the first version. Unchanged parts are copied with their comments.
//!
//! The steps are: parse the file, put the content of other files in place of some references,
//! convert the tree, and write it in place of the front matter. The result is parsed again. It is
//! returned only if its tree is the converted tree, and its body the original body.

use super::entries::replace_value;
use super::threads::with_threads;
use super::{
    convert, is_first_version, model, properties, tools, with_sample_as_reference, writer,
};
use crate::definition::inspect::{ParsedSource, into_error, parse_source};
use crate::definition::load::{LoadOptions, read_reference};
use crate::definition::node::Node;
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
    if !is_first_version(&parsed.root) {
        return Ok(None);
    }
    let folder = options.base_directory.as_deref();
    let read = |node: &Node| read_reference(node, &source, options, folder);
    // `sample: file.json` is also a reference to a file.
    let complete = inline_files(&with_sample_as_reference(&parsed.root), &read)?;
    // Never `None`: inlining adds keys of the first version, and removes none.
    let Some(converted) = convert(&complete) else { return Ok(None) };
    let migrated = rewrite(&source, &parsed, &converted.root).ok_or_else(|| {
        let message = "this file cannot be rewritten automatically";
        Error::new(ErrorKind::FrontMatter, message)
            .with_help("rewrite its front matter in the second version by hand")
    })?;
    // In a file with both kinds of line breaks, all become `\r\n`.
    Ok(Some(if has_carriage_returns { migrated.replace('\n', "\r\n") } else { migrated }))
}

/// The file with the converted front matter and its own body; `None` if that would have another
/// meaning.
fn rewrite(source: &SourceText, parsed: &ParsedSource, converted: &Node) -> Option<String> {
    let text = source.text();
    let span = parsed.front_matter;
    let (before, after) = (text.get(..span.start)?, text.get(span.end..)?);
    // In the first version, a thread is declared as a list. The inputs that the body loops over to
    // write messages become threads.
    let root = with_threads(converted, parsed.body.text_in(text)?);
    let (original, new) = (parsed.root.as_map()?, root.as_map()?);
    let front_matter = writer::rewrite_front_matter(text, span, original, new);
    let migrated = format!("{before}{front_matter}{after}");
    is_equivalent(source, parsed, &root, &migrated).then_some(migrated)
}

/// Whether the new text has the converted front matter and the original body, and no key of the
/// first version.
fn is_equivalent(source: &SourceText, parsed: &ParsedSource, expected: &Node, text: &str) -> bool {
    let Ok(found) = parse_source(&SourceText::new(source.name(), text)) else { return false };
    found.root.to_value() == expected.to_value()
        && found.body.text_in(text) == parsed.body.text_in(source.text())
        && !is_first_version(&found.root)
}

/// Reads the file that a value refers to.
type ReadFile<'r> = &'r dyn Fn(&Node) -> Result<Node, Error>;

/// The front matter with the content of the files that must be rewritten: those that are written in
/// the first version, and those under keys that only the first version has.
fn inline_files(front_matter: &Node, read: ReadFile<'_>) -> Result<Node, Error> {
    let has_sample = front_matter.get("sample").is_some();
    let mut root = inline_file(front_matter, "sample", read, |_| true)?;
    root = inline_sample_files(&root, read)?;
    root = inline_file(&root, "model", read, |it| model::old_keys(it).next().is_some())?;
    // The values of a sample become examples in the inputs, so the inputs must be in the file.
    let must_inline = |inputs: &Node| has_sample || !properties::old_keys(inputs).is_empty();
    root = inline_file(&root, "inputs", read, must_inline)?;
    root = inline_file(&root, "outputs", read, |it| !properties::old_keys(it).is_empty())?;
    root = inline_file(&root, "tools", read, |it| !tools::old_keys(it).is_empty())?;
    let Some(model) = root.get("model") else { return Ok(root) };
    let model = inline_file(model, "configuration", read, |_| true)?;
    let model = inline_file(&model, "parameters", read, |_| true)?;
    Ok(replace_value(&root, "model", model))
}

/// The front matter with the content of the files that the entries of a sample refer to. Their
/// values show the types of the inputs.
fn inline_sample_files(root: &Node, read: ReadFile<'_>) -> Result<Node, Error> {
    let Some(mut sample) = root.get("sample").cloned() else { return Ok(root.clone()) };
    let keys: Vec<_> =
        sample.as_map().into_iter().flat_map(|map| map.entries.keys().cloned()).collect();
    for key in keys {
        sample = inline_file(&sample, &key, read, |_| true)?;
    }
    Ok(replace_value(root, "sample", sample))
}

/// Replaces `${file:…}` under a key of a map by the file's content, if that must be in the file.
fn inline_file(
    map: &Node,
    key: &str,
    read: ReadFile<'_>,
    must_inline: impl Fn(&Node) -> bool,
) -> Result<Node, Error> {
    let Some(value) = map.get(key) else { return Ok(map.clone()) };
    let reference = value.as_text().and_then(Reference::parse);
    if !matches!(reference, Some(Reference::File { .. })) {
        return Ok(map.clone());
    }
    let content = read(value)?;
    Ok(if must_inline(&content) { replace_value(map, key, content) } else { map.clone() })
}
