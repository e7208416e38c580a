//! The result of an analysis as Markdown for people.

use std::fmt::Write;

use super::AnalysisResult;
use prompty_core::value::{Map, Value};

impl AnalysisResult {
    /// Describes the format in Markdown for documentation: one sentence with the classification,
    /// and a table of the markers. If calls are in JSON, the table also has the keys of a call.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::format::{AnalysisResult, Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>"));
    /// assert_eq!(
    ///     AnalysisResult::from_format(&format).to_markdown(),
    ///     "Format: reasoning `TAG_BASED`, content `PLAIN`, no calls of tools.\n\n\
    ///      | marker | text |\n|---|---|\n\
    ///      | `reasoning_start` | `<think>\\n` |\n\
    ///      | `reasoning_end` | `\\n</think>` |\n",
    /// );
    /// ```
    pub fn to_markdown(&self) -> String {
        // The names in this text, such as `TAG_BASED` and `reasoning_start`, are those of the JSON
        // form. So they are read from it instead of being listed here again. The result has only
        // strings, booleans and lists of strings, so the conversion cannot fail.
        let json = Value::from_serialize(self).unwrap_or_default();
        let field = |name: &str| json.get(name).and_then(|it| it.as_str()).unwrap_or_default();
        let calls = match (self.supports_tools, self.supports_parallel_calls) {
            (false, _) => "no calls of tools".to_owned(),
            (true, false) => format!("calls `{}`, one in a reply", field("tools")),
            (true, true) => format!("calls `{}`, many in a reply", field("tools")),
        };
        let (reasoning, content) = (field("reasoning"), field("content"));
        let mut text = format!("Format: reasoning `{reasoning}`, content `{content}`, {calls}.\n");
        let keys = ["function_field", "name_field", "args_field", "id_field", "gen_id_field"];
        let keys = keys.map(|name| (name, field(name)));
        let markers = json.get("markers").and_then(Value::as_object);
        let markers = markers.into_iter().flat_map(Map::iter);
        let markers = markers.map(|(name, text)| (name, text.as_str().unwrap_or_default()));
        let rows: Vec<_> = markers.chain(keys).filter(|(_, text)| !text.is_empty()).collect();
        if !rows.is_empty() {
            text += "\n| marker | text |\n|---|---|\n";
        }
        for (name, value) in rows {
            // Writing to a `String` does not fail.
            let _ = writeln!(text, "| `{name}` | {} |", code(value));
        }
        text
    }
}

/// Formats a text as code for a table cell, with line ends and tabs as Rust writes them.
fn code(text: &str) -> String {
    let text = text.replace('\n', "\\n").replace('\t', "\\t").replace('|', "\\|");
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    // Markdown drops a space at either end, and a fence next to a backtick needs a space.
    let padding = if text.starts_with([' ', '`']) || text.ends_with([' ', '`']) { " " } else { "" };
    format!("{fence}{padding}{text}{padding}{fence}")
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn marker_stays_in_its_cell() {
        let cells = ["<|end|>\n", "```json", " a ", "`"].map(code);
        assert_eq!(cells, ["`<\\|end\\|>\\n`", "```` ```json ````", "`  a  `", "`` ` ``"]);
    }
}
