//! Role markers: recognition of lines, their attributes, and the splitting of a plain text.

use prompty_core::text::trim_line_breaks;
use prompty_runtime::nonce::{Rendered, random_nonce};
use prompty_runtime::parse::{OnForgedMarker, parse};
use prompty_template::role_markers::syntax::{
    attributes, decode_attribute, encode_attribute, match_line,
};

use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let mut markers = 0;
    for line in text.split('\n') {
        let Some(marker) = match_line(line) else { continue };
        markers += 1;
        let role = &line[marker.role_range.clone()];
        assert_eq!(role.replace('\u{17f}', "s").to_lowercase(), marker.role.as_str());
        let inner = marker.attributes_range.map_or("", |range| &line[range]);
        for attribute in attributes(inner) {
            assert!(!attribute.name.is_empty());
            let _ = attribute.typed();
        }
    }
    let messages = parse(&Rendered::plain(text), OnForgedMarker::Literal).unwrap();
    let leading = messages.len() - markers;
    assert!(leading <= 1, "{leading} messages before the first marker");

    // A value that an expression writes into an attribute is decoded unchanged.
    let nonce = random_nonce().unwrap();
    let encoded = format!("a={}, b=1", encode_attribute(text, nonce.as_str()));
    let found: Vec<_> = attributes(&encoded).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(decode_attribute(found[0], nonce.as_str()).as_str(), Some(text));

    // A text in a separate message stays one message, whatever it contains.
    let nonced = format!("user[nonce={nonce}]:\n{text}");
    let rendered = Rendered::new(nonced, nonce, Vec::new());
    let messages = parse(&rendered, OnForgedMarker::Literal).unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].text(), trim_line_breaks(text));
    markers > 0
}
