//! Templates from strangers: an analysis ends, and never panics.

use std::time::{Duration, Instant};

use prompty_core::{Error, ErrorKind};
use prompty_model::chat::ChatTemplate;

use crate::TEMPLATES;

fn try_to(text: &str) -> Result<(), Error> {
    ChatTemplate::from_text(text)?.analyze().map(|_| ())
}

#[test]
fn a_template_with_a_piece_missing_does_no_harm() {
    for (_, text) in TEMPLATES {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(7).collect();
        for pair in starts.windows(4) {
            let (front, behind) = (text.split_at(pair[0]).0, text.split_at(pair[3]).1);
            let _ = try_to(&format!("{front}{behind}"));
        }
    }
}

#[test]
fn a_template_that_writes_without_end_is_given_up() {
    let text = "{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}\
                {% for i in range(100000) %}{% for j in range(100000) %}[{\"<a{% endfor %}{% endfor %}";
    let start = Instant::now();
    let error = try_to(text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Analysis);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn long_texts_around_what_was_said_take_no_more_than_their_length() {
    for filler in ["a", "[", "{\"a\": [", "<", "</a>", "\u{ff5c}", "[A]", "\n"] {
        let text = format!(
            "{{% for m in messages %}}{{{{ '{0}' * 5000 }}}}{{{{ m.role }}}}{{{{ '{0}' * 5000 }}}}\
             {{{{ m.content }}}}{{% for c in m.tool_calls or [] %}}{{{{ '{0}' * 5000 }}}}\
             {{{{ c.function.name }}}}{{{{ c.function.arguments | tojson }}}}{{% endfor %}}\
             {{{{ '{0}' * 5000 }}}}{{% endfor %}}",
            filler.replace('\n', "\\n"),
        );
        let start = Instant::now();
        let _ = try_to(&text);
        assert!(start.elapsed() < Duration::from_secs(10), "{filler}: {:?}", start.elapsed());
    }
}
