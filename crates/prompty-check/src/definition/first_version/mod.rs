//! Reads the format's first version: makes of its tree what the second version would have written.
//!
//! This is the one place that knows the first version. It takes a node tree and gives a node tree,
//! before the rest reads it. Places stay those of the file, and values of the host stay the host's.

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

use self::entries::{Entries, Sign, insert_new, map_node, start_of, text_of};
use super::node::{Entry, Mapping, Node, NodeKind};
use super::reference::Reference;
use prompty_core::diagnostic::{Code, Diagnostic};

/// The keys of a model that only the first version has, with what the second has in their place. The
/// one that holds the most comes first.
const MODEL_SIGNS: [(&str, &str); 3] =
    [("configuration", "connection"), ("parameters", "options"), ("api", "apiType")];

/// The most inputs that a message lists.
const LISTED: usize = 8;

/// The top-level keys of the first version that describe the prompt: now metadata.
const DESCRIBING: [&str; 5] = ["id", "authors", "tags", "version", "base"];

/// A front matter of the first version, as the second version has it.
#[derive(Debug)]
pub(super) struct Converted {
    /// The front matter, which is a map.
    pub(super) root: Node,
    /// The keys of the first version; the one to show comes first.
    signs: Vec<Sign>,
    /// The inputs that are declared by their samples alone.
    sampled: Vec<Arc<str>>,
}

impl Converted {
    /// The one finding about a file of the first version.
    pub(super) fn finding(&self) -> Diagnostic {
        let message = "this prompt is written in the format's first version";
        let mut finding = Diagnostic::new(Code::FirstVersion, message).with_help(
            "write it in the second version: `definition::migrate` does so, and in the \
             repository of `typed-prompty` `cargo run --example migrate -- --in-place FILE`",
        );
        let mut signs = self.signs.iter();
        if let Some(Sign { key, now, span }) = signs.next() {
            let declares = if *key == "sample" { self.sampled_inputs() } else { String::new() };
            finding = finding.with_span(*span).with_label(format!(
                "`{key}` is called `{now}` now; it is read as it was meant{declares}"
            ));
        }
        let mut others: Vec<String> = Vec::new();
        for Sign { key, now, .. } in signs {
            let told = format!("`{key}` is called `{now}`");
            if !others.contains(&told) {
                others.push(told);
            }
        }
        match others.is_empty() {
            true => finding,
            false => finding.with_note(format!("also, {}", others.join(", "))),
        }
    }

    /// The inputs that a sample declares, as the end of a sentence.
    fn sampled_inputs(&self) -> String {
        let names: Vec<String> =
            self.sampled.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(", and declares {}", names.join(", ")),
        }
    }
}

/// Makes the second version of a front matter; `None` if it has no sign of the first.
pub(super) fn convert(root: &Node) -> Option<Converted> {
    let front_matter = root.as_map()?;
    let is_sure = main_signs(front_matter).next().is_some();
    let mut signs: Vec<Sign> = main_signs(front_matter).collect();
    signs.extend(signs_in_declarations(front_matter));
    if signs.is_empty() {
        return None;
    }

    let sample = front_matter.entries.get("sample");
    let mut entries = Entries::with_capacity(front_matter.entries.len());
    let mut describing = Vec::new();
    for (key, entry) in &front_matter.entries {
        let value = match &**key {
            "sample" => continue,
            key if DESCRIBING.contains(&key) => {
                describing.push((Arc::from(key), entry.clone()));
                continue;
            }
            "model" => model::model(&entry.value),
            "inputs" => properties::inputs(&entry.value, is_sure),
            "outputs" => properties::properties(&entry.value, is_sure),
            "tools" => tools::tools(&entry.value),
            "template" if is_sure => template(&entry.value),
            _ => entry.value.clone(),
        };
        entries.insert(Arc::clone(key), Entry { key: entry.key, value });
    }
    add_metadata(&mut entries, describing);
    let mut sampled = Vec::new();
    if let Some(sample) = sample {
        let declared = entries.get("inputs").map(|inputs| declared_names(&inputs.value));
        let declared = declared.unwrap_or_default();
        let names = sample.value.as_map().into_iter().flat_map(|values| values.entries.keys());
        sampled.extend(names.filter(|name| !declared.contains(&***name)).cloned());
        samples::declare(&mut entries, sample);
    }
    let converted = map_node(front_matter.with_entries(entries), root);
    Some(Converted { root: converted, signs, sampled })
}

/// Writes the name of a sample's file as the reference that it stands for, so that files are found and
/// read in one way.
pub(super) fn with_referenced_sample(root: &Node) -> Node {
    let path = root.get("sample").and_then(|sample| Some((sample, sample.as_text()?)));
    let Some((sample, path)) = path.filter(|(_, text)| Reference::parse(text).is_none()) else {
        return root.clone();
    };
    let Some(front_matter) = root.as_map() else { return root.clone() };
    let text = NodeKind::Text(format!("${{file:{path}}}").into());
    let mut entries = front_matter.entries.clone();
    if let Some(entry) = entries.get_mut("sample") {
        entry.value = Node { kind: text, ..sample.clone() };
    }
    map_node(front_matter.with_entries(entries), root)
}

/// The keys that nothing but a file of the first version has.
fn main_signs(front_matter: &Mapping) -> impl Iterator<Item = Sign> {
    let sample = front_matter.entries.get("sample");
    let sample = sample.map(|entry| Sign { key: "sample", now: "example", span: entry.key });
    let model = front_matter.get("model").and_then(Node::as_map);
    let in_model = MODEL_SIGNS.into_iter().filter_map(move |(key, now)| {
        let entry = model?.entries.get(key)?;
        Some(Sign { key, now, span: entry.key })
    });
    in_model.chain(sample)
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

/// The keys of the first version in what declares inputs, outputs and tools.
fn signs_in_declarations(front_matter: &Mapping) -> impl Iterator<Item = Sign> {
    let declared = ["inputs", "outputs"].into_iter().filter_map(|key| front_matter.get(key));
    let properties = declared.flat_map(properties::signs);
    let tools = front_matter.get("tools").into_iter().flat_map(tools::signs);
    properties.chain(tools)
}

/// A template that is named, or whose format is called its type.
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

fn template_map(mapping: &Mapping) -> Mapping {
    let mut entries = Entries::with_capacity(mapping.entries.len());
    let mut strict = None;
    for (key, entry) in &mapping.entries {
        match &**key {
            "type" => insert_new(&mut entries, mapping, "type", "format", entry.clone()),
            "strict" => strict = Some(entry.clone()),
            "parser" => {
                // The part behind the point said which API the parser serves. Now the model says it.
                let name = entry.value.as_text().and_then(|name| name.split('.').next());
                let value =
                    name.map_or_else(|| entry.value.clone(), |name| text_of(name, &entry.value));
                entries.insert(Arc::clone(key), Entry { key: entry.key, value });
            }
            _ => {
                entries.insert(Arc::clone(key), entry.clone());
            }
        }
    }
    if let Some(strict) = strict {
        add_strict(&mut entries, strict);
    }
    mapping.with_entries(entries)
}

/// Puts `strict` beside the kind of the format.
fn add_strict(template: &mut Entries, strict: Entry) {
    let default = || Entry { key: start_of(strict.key), value: text_of("jinja2", &strict.value) };
    let format = template.get_or_insert_with("format".into(), default);
    let mut entries = match &format.value.kind {
        NodeKind::Map(mapping) => mapping.entries.clone(),
        _ => Entries::from([("kind".into(), format.clone())]),
    };
    entries.get_or_insert_with("strict".into(), || strict);
    format.value = map_node(Mapping::written(entries), &format.value);
}

/// Puts what describes the prompt under `metadata`.
fn add_metadata(front_matter: &mut Entries, describing: Vec<(Arc<str>, Entry)>) {
    let Some((_, first)) = describing.first() else { return };
    let empty =
        || Entry { key: start_of(first.key), value: map_node(Mapping::default(), &first.value) };
    let metadata = front_matter.get_or_insert_with("metadata".into(), empty);
    let Some(mapping) = metadata.value.as_map() else { return };
    let mut entries = mapping.entries.clone();
    for (key, entry) in describing {
        entries.get_or_insert_with(key, || entry);
    }
    metadata.value = map_node(mapping.with_entries(entries), &metadata.value);
}
