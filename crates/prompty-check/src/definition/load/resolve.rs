//! Replaces references by their values (Prompty §4.3).
//!
//! Each reference is resolved once: a value that comes from a variable or a file is not searched
//! for references. The body of the prompt is never resolved.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::files::ReferencedFiles;
use prompty_core::ordered_map::OrderedMap;

use super::options::LoadOptions;
use crate::definition::build::is_word_of_the_format;
use crate::definition::node::{Entry, MAX_NODES, Mapping, Node, NodeKind, Origin};
use crate::definition::reference::Reference;
use crate::definition::{json, yaml};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::trace::HiddenTexts;

/// The maximum number of different files that one prompt may refer to.
const MAX_FILES: usize = 256;

/// The maximum number of bytes of text that all references together add, as a multiple of the
/// maximum length of a file.
const ADDED_FILES: usize = 16;

/// A tree without references.
pub(super) struct ResolvedTree {
    pub(super) root: Node,
    /// The texts that came from the host.
    pub(super) hidden: HiddenTexts,
    /// The references that the host resolved, as the prompt contains them.
    pub(super) references: HashMap<SourceSpan, String>,
}

/// Resolves every reference in a tree.
///
/// # Errors
///
/// Returns an error if a variable is not set, if a file is missing, not allowed, too large or
/// malformed, or if the values exceed the limits of the tree.
pub(super) fn resolve<'s>(
    node: &Node,
    source: &'s SourceText,
    options: &'s LoadOptions,
    folder: Option<&'s Path>,
) -> Result<ResolvedTree, Error> {
    let mut resolver = Resolver {
        source,
        options,
        referenced: ReferencedFiles::new(options, folder),
        files: HashMap::new(),
        nodes_left: MAX_ADDED_NODES,
        bytes_left: most_bytes(options),
        hidden: Vec::new(),
        references: HashMap::new(),
    };
    let root = resolver.resolve(node)?;
    let Resolver { hidden, references, .. } = resolver;
    let hidden = hidden.into_iter().filter(|text| !is_word_of_the_format(text)).collect();
    Ok(ResolvedTree { root, hidden, references })
}

/// Reads the file that a value refers to.
///
/// # Errors
///
/// Returns an error if the file is missing, not allowed, too large or malformed.
pub(in super::super) fn read_reference(
    node: &Node,
    source: &SourceText,
    options: &LoadOptions,
    folder: Option<&Path>,
) -> Result<Node, Error> {
    resolve(node, source, options, folder).map(|resolved| resolved.root)
}

/// The maximum number of values that references add to the front matter.
const MAX_ADDED_NODES: usize = 2 * MAX_NODES;

/// The maximum number of bytes of text that references add to the front matter.
const fn most_bytes(options: &LoadOptions) -> usize {
    options.max_file_bytes.saturating_mul(ADDED_FILES)
}

/// Resolves the references in a tree.
struct Resolver<'s> {
    source: &'s SourceText,
    options: &'s LoadOptions,
    referenced: ReferencedFiles<'s>,
    /// The content of the files that were read, by the path in the reference.
    files: HashMap<String, Node>,
    /// The number of values that may still be added to the tree.
    nodes_left: usize,
    /// The number of bytes of text that may still be added to the tree.
    bytes_left: usize,
    /// The texts that came from the host.
    hidden: Vec<Arc<str>>,
    /// The references that the host resolved.
    references: HashMap<SourceSpan, String>,
}

impl Resolver<'_> {
    /// The same tree with the values of its references.
    fn resolve(&mut self, node: &Node) -> Result<Node, Error> {
        let kind = match &node.kind {
            NodeKind::Text(text) => return self.resolve_text(text, node),
            NodeKind::List(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| self.resolve(item)).collect();
                NodeKind::List(Arc::new(items?))
            }
            NodeKind::Map(mapping) => {
                let mut resolved = OrderedMap::with_capacity(mapping.entries.len());
                for (key, entry) in &mapping.entries {
                    let value = self.resolve(&entry.value)?;
                    resolved.insert(Arc::clone(key), entry.with(value));
                }
                NodeKind::Map(Arc::new(Mapping::written(resolved)))
            }
            other => other.clone(),
        };
        Ok(Node { kind, ..node.clone() })
    }

    /// The value of a string: of its reference, or the string itself.
    fn resolve_text(&mut self, text: &str, node: &Node) -> Result<Node, Error> {
        match Reference::parse(text) {
            None => Ok(node.clone()),
            Some(Reference::Environment { name, default }) => {
                let (value, origin) = self.variable_or_default(name, default, node.span)?;
                self.count_added(0, value.len(), node.span)?;
                let value: Arc<str> = value.into();
                if origin.is_host() {
                    self.hidden.push(Arc::clone(&value));
                    self.references.insert(node.span, format!("${{env:{name}}}"));
                }
                Ok(Node { kind: NodeKind::Text(value), span: node.span, origin })
            }
            Some(Reference::File { path }) => {
                let content = self.file_content(path, node.span)?;
                self.references.insert(node.span, format!("${{file:{path}}}"));
                self.copy_with_span(&content, node.span)
            }
        }
    }

    fn variable_or_default(
        &self,
        name: &str,
        default: Option<&str>,
        span: SourceSpan,
    ) -> Result<(String, Origin), Error> {
        if let Some(value) = self.options.variable(name) {
            return Ok((value, Origin::Environment));
        }
        if let Some(default) = default {
            return Ok((default.to_owned(), Origin::Default));
        }
        let message = format!("Environment variable '{name}' not set");
        Err(Error::new(ErrorKind::EnvironmentVariable, message)
            .with_place(self.source.place(span.start))
            .with_help(format!("set it, or give a default: `${{env:{name}:default}}`")))
    }

    /// The content of a file, which is read only once.
    fn file_content(&mut self, path: &str, span: SourceSpan) -> Result<Node, Error> {
        if let Some(node) = self.files.get(path) {
            return Ok(node.clone());
        }
        let source = self.source;
        let with_place = |error: Error| error.with_place(source.place(span.start));
        if self.files.len() >= MAX_FILES {
            let message = format!("the prompt refers to more than {MAX_FILES} files");
            let help = "merge the files, or pass their contents as inputs";
            return Err(with_place(Error::new(ErrorKind::Limit, message).with_help(help)));
        }
        let text = self.referenced.read(path).map_err(with_place)?;
        let node = parse_file(path, text, span).map_err(with_place)?;
        self.files.insert(path.to_owned(), node.clone());
        Ok(node)
    }

    /// Counts the size of an added value, because a short reference may have a large value. More
    /// than the limit is an error.
    fn count_added(&mut self, nodes: usize, bytes: usize, span: SourceSpan) -> Result<(), Error> {
        let nodes_left = self.nodes_left.checked_sub(nodes);
        let Some(left) = nodes_left.zip(self.bytes_left.checked_sub(bytes)) else {
            let limit = most_bytes(self.options);
            let message = format!(
                "the variables and files of this prompt have more than {MAX_ADDED_NODES} values \
                 or {limit} bytes of text"
            );
            return Err(Error::new(ErrorKind::Limit, message)
                .with_place(self.source.place(span.start))
                .with_help("refer to fewer or shorter values, or pass them as inputs"));
        };
        (self.nodes_left, self.bytes_left) = left;
        Ok(())
    }

    /// Copies the content of a file and gives all its values the span of the reference.
    fn copy_with_span(&mut self, node: &Node, span: SourceSpan) -> Result<Node, Error> {
        self.count_added(1, 0, span)?;
        let kind = match &node.kind {
            NodeKind::Text(text) => {
                self.count_added(0, text.len(), span)?;
                self.hidden.push(Arc::clone(text));
                NodeKind::Text(Arc::clone(text))
            }
            number @ (NodeKind::Integer(_) | NodeKind::Float(_)) => {
                self.hidden.push(node.to_value().to_string().into());
                number.clone()
            }
            NodeKind::List(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| self.copy_with_span(item, span)).collect();
                NodeKind::List(Arc::new(items?))
            }
            NodeKind::Map(mapping) => {
                let mut copied = OrderedMap::with_capacity(mapping.entries.len());
                for (key, entry) in &mapping.entries {
                    self.count_added(0, key.len(), span)?;
                    self.hidden.push(Arc::clone(key));
                    let value = self.copy_with_span(&entry.value, span)?;
                    copied.insert(Arc::clone(key), Entry { key: span, value });
                }
                NodeKind::Map(Arc::new(Mapping::from_host(copied)))
            }
            other => other.clone(),
        };
        Ok(Node { kind, span, origin: Origin::File })
    }
}

/// Parses the content of a file by its extension.
fn parse_file(path: &str, text: String, span: SourceSpan) -> Result<Node, Error> {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    // A message of the YAML reader may quote the file, so only the place is reported.
    let malformed = |what: &str, message: &str, offset: usize, text: String| {
        let place = SourceText::new(path, text).place(offset);
        let message = format!("`{path}` is not valid {what}: {message} at {place}");
        Error::new(ErrorKind::FileReference, message).with_help(format!("write valid {what}"))
    };
    match extension.as_str() {
        "json" => {
            let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
            json::parse(json, span)
                .map_err(|error| malformed("JSON", error.message, error.offset, json.to_owned()))
        }
        "yaml" | "yml" => {
            let source = SourceText::new(path, text).normalised();
            let document = yaml::parse(source.text(), 0).map_err(|error| {
                let message = "syntax error";
                malformed("YAML", message, error.span.start, source.text().to_owned())
            })?;
            Ok(document.root.unwrap_or_else(|| Node::new(NodeKind::Null, span)))
        }
        _ => Ok(Node::new(NodeKind::Text(text.into()), span)),
    }
}
