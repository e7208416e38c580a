//! The marker that white space between markers belongs to.

use super::analyze;

#[test]
fn white_space_before_the_end_of_a_turn_belongs_to_the_end() {
    let format = analyze(
        "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}\n\n<|over|>\n{% endfor %}\
         {% if add_generation_prompt %}<|assistant|>\n{% endif %}",
    );
    let ends: Vec<String> = format.format().turn.end.iter().map(ToString::to_string).collect();
    assert_eq!(ends, ["\n\n<|over|>\n"]);
}

#[test]
fn white_space_between_content_and_a_call_belongs_to_the_call() {
    let analysis = analyze(
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\
         {% for call in m.tool_calls or [] %}{{ '\n' if loop.first and m.content }}\
         <do>{\"name\": \"{{ call.function.name }}\", \"arguments\": {{ call.function.arguments | tojson }}}</do>\
         {% endfor %}<|over|>{% endfor %}\
         {% if add_generation_prompt %}<|assistant|>{% endif %}",
    );
    let tools = analysis.format().tools.clone().unwrap();
    assert_eq!((tools.call_open.to_string(), &*tools.separator), ("\n<do>".to_owned(), ""));
}
