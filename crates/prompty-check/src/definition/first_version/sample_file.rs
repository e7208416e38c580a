//! Reads a file with samples that a prompt of the first version refers to, for the macros and for
//! checks. They do not resolve references, but the samples show the types of the inputs.

use std::path::{Path, PathBuf};

use super::convert;
use super::entries::replace_value;
use crate::definition::json;
use crate::definition::node::Node;
use crate::definition::reference::Reference;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::files::{Roots, Within, read_text};

/// The maximum length of the file. The loader has the same limit.
const MAX_BYTES: usize = 1 << 20;

/// The file that contains a prompt's samples.
#[derive(Debug)]
pub(in super::super) struct SampleFile {
    /// The front matter that refers to the file.
    root: Node,
    /// The node with the file's name.
    name: Node,
    path: String,
}

impl SampleFile {
    /// The file that the `sample` of a front matter names; `None` if the samples are written there.
    pub(in super::super) fn named_in(root: &Node) -> Option<Self> {
        let name = root.get("sample")?;
        let text = name.as_text()?;
        let path = match Reference::parse(text) {
            Some(Reference::File { path }) => path,
            Some(Reference::Environment { .. }) => return None,
            None => text,
        };
        Some(Self { root: root.clone(), name: name.clone(), path: path.to_owned() })
    }

    /// Reads the file in the prompt's folder. Returns its path and the converted front matter.
    pub(in super::super) fn read(&self, folder: &Path) -> Result<(PathBuf, Node), Box<Diagnostic>> {
        let path = &self.path;
        let finding = |message: String, help: &str| {
            let finding = Diagnostic::new(Code::MissingFile, message).with_span(self.name.span);
            Box::new(finding.with_help(help))
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let file = folder.join(path);
        let roots = Roots::new([folder]);
        let text = read_text(&file, Within::Roots(&roots), MAX_BYTES).map_err(|cause| {
            let message = format!("cannot read the sample file `{path}`: {cause}");
            finding(message, "move it to the prompt's folder, or write the samples here")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let values = json::parse(text, self.name.span).map_err(|error| {
            let message = format!("`{path}` is not valid JSON: {}", error.message);
            finding(message, "write a JSON object with a value for each input")
        })?;
        let is_map = values.as_map().is_some();
        let root = replace_value(&self.root, "sample", values);
        let converted = is_map.then(|| convert(&root)).flatten().ok_or_else(|| {
            let message = format!("`{path}` does not contain samples of inputs");
            finding(message, "write a JSON object with a value for each input")
        })?;
        Ok((file, converted.root))
    }
}
