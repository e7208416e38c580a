//! Reads the format's first version and converts it to the second version.
//!
//! Only this module knows the first version. [`convert`] converts the tree of a front matter before
//! it is read further. The places in the file and the origins of the values are kept. For example:
//!
//! ```text
//! model:                                   model:
//!   api: chat                                apiType: chat
//!   configuration: {model: small}   ->       id: small
//! sample: {city: Oslo}                     inputs:
//!                                            city: {kind: string, example: Oslo, required: true}
//! ```
//!
//! The modules `model`, `properties` (of inputs, outputs and tools), `samples` and `tools` convert
//! one part each. `migrate` writes the converted tree to the file, with the help of `writer`.
//!
//! The loader converts after it resolves references, because a reference may contain parts that
//! need a conversion. It checks the trust of endpoints afterwards, in the converted tree, so the
//! old keys of a connection need no rules.

mod entries;
mod migrate;
mod model;
mod properties;
mod sample_file;
mod samples;
mod threads;
mod tools;
mod writer;

pub use migrate::migrate;
pub(super) use sample_file::SampleFile;

use std::collections::HashSet;
use std::sync::Arc;

use super::node::{Entry, Mapping, Node, NodeKind};
use super::reference::Reference;
use entries::{
    Entries, OldKey, add, add_new, add_renamed, derived_text, map_node, replace_value, start_of,
};
use prompty_core::diagnostic::{Code, Diagnostic};

/// The maximum number of inputs in a message.
const MOST_LISTED: usize = 8;

/// The top-level keys of the first version that are metadata in the second version.
const METADATA_KEYS: [&str; 5] = ["id", "authors", "tags", "version", "base"];

/// A front matter of the first version after its conversion to the second version.
#[derive(Debug)]
pub(super) struct ConvertedFrontMatter {
    /// The front matter, which is a map.
    pub(super) root: Node,
    /// The keys of the first version. The one to report comes first.
    old_keys: Vec<OldKey>,
    /// The inputs that are declared only by their samples.
    sampled: Vec<Arc<str>>,
}

impl ConvertedFrontMatter {
    /// The single finding about a file of the first version.
    pub(super) fn finding(&self) -> Diagnostic {
        let message = "this prompt is written in the format's first version";
        let mut finding = Diagnostic::new(Code::FirstVersion, message).with_help(
            "convert it to the second version with `definition::migrate`, or with `cargo run --example migrate \
             -- --in-place FILE` in the repository of `typed-prompty`",
        );
        let mut old_keys = self.old_keys.iter();
        if let Some(OldKey { key, new_name, span }) = old_keys.next() {
            let declares = if *key == "sample" { self.sampled_inputs() } else { String::new() };
            finding = finding
                .with_span(*span)
                .with_label(format!("`{key}` is now called `{new_name}`{declares}"));
        }
        let mut others: Vec<String> = Vec::new();
        for OldKey { key, new_name, .. } in old_keys {
            let renamed = format!("`{key}` to `{new_name}`");
            if !others.contains(&renamed) {
                others.push(renamed);
            }
        }
        match others.is_empty() {
            true => finding,
            false => finding.with_note(format!("also renamed: {}", others.join(", "))),
        }
    }

    /// The inputs that a sample declares, as the end of a sentence.
    fn sampled_inputs(&self) -> String {
        let names: Vec<String> =
            self.sampled.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("; it declares the inputs {}", names.join(", ")),
        }
    }
}

/// Converts a front matter to the second version; `None` if it has no key of the first version.
pub(super) fn convert(root: &Node) -> Option<ConvertedFrontMatter> {
    let front_matter = root.as_map()?;
    let found: Vec<OldKey> = old_keys(front_matter).collect();
    if found.is_empty() {
        return None;
    }
    // Other old keys, such as `type`, may be a mistake in a file of the second version. Then a map
    // is converted only if it cannot have another meaning.
    let is_certain = certain_old_keys(front_matter).next().is_some();
    let mut entries = Entries::with_capacity(front_matter.entries.len());
    let mut metadata = Vec::new();
    for (key, entry) in &front_matter.entries {
        let value = match &**key {
            // Its values become examples of the inputs. This is done below, since the inputs may
            // follow the sample. If its values are in a file, there are none here.
            "sample" if is_sample(&entry.value) => continue,
            key if METADATA_KEYS.contains(&key) => {
                metadata.push((Arc::from(key), entry.clone()));
                continue;
            }
            "model" => model::convert_model(&entry.value),
            "inputs" => properties::inputs(&entry.value, is_certain),
            "outputs" => properties::properties(&entry.value, is_certain),
            "tools" => tools::tools(&entry.value),
            "template" if is_certain => template(&entry.value),
            _ => entry.value.clone(),
        };
        add(&mut entries, key, entry.with(value));
    }
    add_metadata(&mut entries, metadata);
    let mut sampled = Vec::new();
    if let Some(sample) = front_matter.entries.get("sample") {
        let declared = entries.get("inputs").map(|inputs| declared_names(&inputs.value));
        let declared = declared.unwrap_or_default();
        let names = sample.value.as_map().into_iter().flat_map(|values| values.entries.keys());
        sampled.extend(names.filter(|name| !declared.contains(&***name)).cloned());
        samples::declare(&mut entries, sample);
    }
    let converted = map_node(front_matter.with_entries(entries), root);
    Some(ConvertedFrontMatter { root: converted, old_keys: found, sampled })
}

/// Whether a value is a sample: values by name, or the name of their file. Any other value is later
/// reported under its key, which is unknown.
fn is_sample(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Map(_) | NodeKind::Text(_) | NodeKind::Null)
}

/// Whether a front matter has a key of the first version.
fn is_first_version(root: &Node) -> bool {
    root.as_map().is_some_and(|front_matter| old_keys(front_matter).next().is_some())
}

/// Replaces the name of a sample's file by a reference, so that all files are read alike:
/// `sample: a.json` becomes `sample: ${file:a.json}`.
pub(super) fn with_sample_as_reference(root: &Node) -> Node {
    match root.get("sample").and_then(|sample| Some((sample, sample.as_text()?))) {
        Some((sample, path)) if Reference::parse(path).is_none() => {
            replace_value(root, "sample", derived_text(&format!("${{file:{path}}}"), sample))
        }
        _ => root.clone(),
    }
}

/// All keys of the first version. The one to report comes first.
fn old_keys(front_matter: &Mapping) -> impl Iterator<Item = OldKey> {
    certain_old_keys(front_matter).chain(old_keys_in_declarations(front_matter))
}

/// The keys that only a file of the first version has.
fn certain_old_keys(front_matter: &Mapping) -> impl Iterator<Item = OldKey> {
    let sample = front_matter.entries.get("sample");
    let sample = sample.map(|entry| OldKey { key: "sample", new_name: "example", span: entry.key });
    front_matter.get("model").into_iter().flat_map(model::old_keys).chain(sample)
}

/// The names in a list or a map of inputs.
fn declared_names(inputs: &Node) -> HashSet<&str> {
    match &inputs.kind {
        NodeKind::Map(named) => named.iter().map(|(name, _)| name).collect(),
        NodeKind::List(items) => {
            items.iter().filter_map(|item| item.get("name").and_then(Node::as_text)).collect()
        }
        _ => HashSet::new(),
    }
}

/// The keys of the first version in the declarations of inputs, outputs and tools. A file of the
/// second version may have one by mistake, such as `type` in place of `kind`.
fn old_keys_in_declarations(front_matter: &Mapping) -> impl Iterator<Item = OldKey> {
    let declared = ["inputs", "outputs"].into_iter().filter_map(|key| front_matter.get(key));
    let properties = declared.flat_map(properties::old_keys);
    let tools = front_matter.get("tools").into_iter().flat_map(tools::old_keys);
    properties.chain(tools)
}

/// Converts a template that is only a name, or whose format is under `type`: `template: jinja2`
/// becomes `template: {format: jinja2}`.
fn template(node: &Node) -> Node {
    match &node.kind {
        NodeKind::Text(text) if Reference::parse(text).is_none() => {
            let format = Entry { key: start_of(node.span), value: node.clone() };
            map_node(Mapping::written(Entries::from([("format".into(), format)])), node)
        }
        NodeKind::Map(mapping) => map_node(template_map(mapping), node),
        _ => node.clone(),
    }
}

/// Converts the keys of a template: `type`, `strict` and `parser`.
fn template_map(mapping: &Mapping) -> Mapping {
    let mut entries = Entries::with_capacity(mapping.entries.len());
    let mut strict = None;
    for (key, entry) in &mapping.entries {
        match &**key {
            "type" => add_renamed(&mut entries, mapping, "type", "format", entry.clone()),
            "strict" => strict = Some(entry.clone()),
            "parser" => {
                // The part after the dot named an API. The model names it in the second version.
                let name = entry.value.as_text().and_then(|name| name.split('.').next());
                let value = name
                    .map_or_else(|| entry.value.clone(), |name| derived_text(name, &entry.value));
                add(&mut entries, key, entry.with(value));
            }
            _ => add(&mut entries, key, entry.clone()),
        }
    }
    if let Some(strict) = strict {
        add_strict(&mut entries, strict);
    }
    mapping.with_entries(entries)
}

/// Adds `strict` to the map with the kind of the format: `{format: jinja2, strict: true}` becomes
/// `{format: {kind: jinja2, strict: true}}`.
fn add_strict(template: &mut Entries, strict: Entry) {
    let default =
        || Entry { key: start_of(strict.key), value: derived_text("jinja2", &strict.value) };
    let format = template.get_or_insert_with("format".into(), default);
    let mut entries = match &format.value.kind {
        NodeKind::Map(mapping) => mapping.entries.clone(),
        _ => Entries::from([("kind".into(), format.clone())]),
    };
    let kept = add_new(&mut entries, [("strict".into(), strict)]);
    format.value = map_node(Mapping::written(entries), &format.value);
    template.extend(kept);
}

/// Adds the entries that describe the prompt to `metadata`. A key that is already there is kept in
/// both places, and the outer one is later reported as an unknown key.
fn add_metadata(front_matter: &mut Entries, added: Vec<(Arc<str>, Entry)>) {
    let Some((_, first)) = added.first() else { return };
    let empty =
        || Entry { key: start_of(first.key), value: map_node(Mapping::default(), &first.value) };
    let metadata = front_matter.get_or_insert_with("metadata".into(), empty);
    let Some(mapping) = metadata.value.as_map() else {
        front_matter.extend(added);
        return;
    };
    let mut entries = mapping.entries.clone();
    let kept = add_new(&mut entries, added);
    metadata.value = map_node(mapping.with_entries(entries), &metadata.value);
    front_matter.extend(kept);
}
