//! Templates from strangers: an analysis always ends, and never panics.

use prompty_chat::ChatTemplate;
use prompty_core::{Error, ErrorKind};
use prompty_template::RenderLimits;
use work_counting::{assert_linear, count_work};

use super::TEMPLATES;

fn try_analyze(text: &str) -> Result<(), Error> {
    ChatTemplate::from_text(text)?.analyze().map(|_| ())
}

#[test]
fn a_damaged_template_does_not_panic() {
    for (_, text) in TEMPLATES {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(7).collect();
        for pair in starts.windows(4) {
            let (front, rest) = (text.split_at(pair[0]).0, text.split_at(pair[3]).1);
            let _ = try_analyze(&format!("{front}{rest}"));
        }
    }
}

#[test]
fn an_endless_template_exceeds_its_limits() {
    let text = "{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}\
                {% for i in range(100000) %}{% for j in range(100000) %}[{\"<a{% endfor %}{% endfor %}";
    let limits = RenderLimits::default();
    let template = ChatTemplate::from_text_within(text, limits).unwrap();
    let (_, probing) = count_work(|| template.capabilities());
    assert!(probing.steps <= 20 * limits.fuel, "{probing}");
    let (analysis, work) = count_work(|| template.analyze());
    assert_eq!(analysis.unwrap_err().kind(), ErrorKind::Limit);
    // The first render that exceeds its limits is the last.
    assert!(work.steps <= limits.fuel, "{work}");
    assert!(work.bytes <= 4 * limits.max_output as u64, "{work}");
}

#[test]
fn long_texts_around_content_take_linear_work() {
    for filler in ["a", "[", "{\"a\": [", "<", "</a>", "\u{ff5c}", "[A]", "\n"] {
        assert_linear(filler, 500, |size| {
            let text = format!(
                "{{% for m in messages %}}{{{{ '{0}' * {size} }}}}{{{{ m.role }}}}\
                 {{{{ '{0}' * {size} }}}}{{{{ m.content }}}}{{% for c in m.tool_calls or [] %}}\
                 {{{{ '{0}' * {size} }}}}{{{{ c.function.name }}}}\
                 {{{{ c.function.arguments | tojson }}}}{{% endfor %}}\
                 {{{{ '{0}' * {size} }}}}{{% endfor %}}",
                filler.replace('\n', "\\n"),
            );
            count_work(|| try_analyze(&text)).1
        });
    }
}
