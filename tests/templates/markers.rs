//! The markers of a template, from its analysis.

use typed_prompty::reply::format::{AnalysisResult, CallShape, NamePlace, ReplyFormat};

/// The markers of a template.
#[derive(Debug, Clone)]
pub(crate) struct Markers {
    /// All markers.
    pub(crate) all: Vec<String>,
    /// The markers that have a meaning in reasoning and in content.
    pub(crate) structure: Vec<String>,
    /// The prefix of call ids, if the ids contain the names.
    pub(crate) namespace: Option<String>,
}

impl Markers {
    /// The id of a call. It contains the name if the template writes only the name.
    pub(crate) fn id(&self, name: &str, index: usize) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}{name}:{index}"),
            None => format!("idOfCall{index}"),
        }
    }
}

/// The markers of a format.
pub(crate) fn markers(format: &ReplyFormat) -> Markers {
    let mut structure: Vec<String> = Vec::new();
    let mut add = |marker: &str| {
        let marker = marker.trim();
        if !marker.is_empty() && !structure.iter().any(|known| known == marker) {
            structure.push(marker.to_owned());
        }
    };
    for end in format.turn.end.iter() {
        add(&end.text);
    }
    let open = format.turn.open.trim();
    add(open.rfind('<').map_or("", |at| &open[at..]));
    if let Some(reasoning) = &format.reasoning {
        add(&reasoning.open.text);
        add(&reasoning.close.text);
        // A control token keeps its meaning without the words after it in the opener.
        if let Some((token, _)) = reasoning.open.text.split_once('>') {
            add(&format!("{token}>"));
        }
    }
    add(&format.content.open.text);
    add(&format.content.close.text);
    if let Some(headers) = &format.headers {
        add(&headers.open.text);
        add(&headers.end.text);
        headers.close.iter().for_each(|close| add(&close.text));
    }
    let mut namespace = None;
    if let Some(tools) = &format.tools {
        for marker in
            [&tools.section_open, &tools.section_close, &tools.call_open, &tools.call_close]
        {
            add(&marker.text);
        }
        if let CallShape::Named(call) = &tools.shape {
            add(&call.prefix.text);
            if call.name == NamePlace::Id {
                namespace = Some(call.namespace.to_string());
            }
        }
    }
    let mut all = AnalysisResult::from_format(format).preserved_tokens;
    all.extend(structure.iter().filter(|it| !all.contains(it)).cloned().collect::<Vec<_>>());
    Markers { all, structure, namespace }
}

/// Removes white space from a text.
pub(crate) fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}
