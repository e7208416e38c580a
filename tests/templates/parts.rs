//! Separates the text of a template from its code.

/// The literal texts of a template: the text outside its tags, and the strings inside them.
pub(crate) fn literals(text: &str) -> Vec<String> {
    let parts = parts(text).into_iter().filter(|(is_literal, _)| *is_literal);
    parts.map(|(_, part)| part.to_owned()).collect()
}

/// Splits a template into parts, and marks which of them are text.
pub(crate) fn parts(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = ["{{", "{%", "{#"].iter().filter_map(|tag| rest.find(tag)).min() {
        let (data, tag) = rest.split_at(start);
        parts.push((true, data));
        let closer = match &tag[..2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => {
                let end = tag.find("#}").map_or(tag.len(), |at| at + 2);
                parts.push((false, &tag[..end]));
                rest = &tag[end..];
                continue;
            }
        };
        rest = in_tag(tag, closer, &mut parts);
    }
    parts.push((true, rest));
    parts
}

/// Splits a tag into parts, and returns the text after the tag.
fn in_tag<'t>(tag: &'t str, closer: &str, parts: &mut Vec<(bool, &'t str)>) -> &'t str {
    let mut rest = tag;
    loop {
        let end = rest.find(closer).map_or(rest.len(), |at| at + closer.len());
        let Some(quote) = rest[..end].find(['"', '\'']) else {
            parts.push((false, &rest[..end]));
            return &rest[end..];
        };
        parts.push((false, &rest[..quote + 1]));
        let mark = rest.as_bytes()[quote];
        let string = &rest[quote + 1..];
        let mut escaped = false;
        let end = string.bytes().position(|byte| {
            let ends = byte == mark && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let end = end.unwrap_or(string.len());
        parts.push((true, &string[..end]));
        rest = &string[end..];
        if rest.is_empty() {
            return rest;
        }
        // The closing quote.
        parts.push((false, &rest[..1]));
        rest = &rest[1..];
    }
}
