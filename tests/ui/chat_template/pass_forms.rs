//! Every form of a template.

use typed_prompty::chat_template;

chat_template!(OfFile, "./template.jinja");
chat_template!(pub OfPath, path = "./template.jinja",);
chat_template!(
    /// Has documentation and attributes of its own.
    #[derive(Debug, Clone, Copy, Default)]
    pub(crate) OfText,
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}",
    eos_token = "<end>",
    bos_token = "<begin>",
);

mod inner {
    typed_prompty::chat_template!(
        pub(super) OfSource,
        source = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    );
}

#[test]
fn main() {
    assert_eq!(OfFile::STOPS, ["</>"]);
    assert_eq!(OfPath::FORMAT, OfFile::FORMAT);
    assert_eq!(OfText::STOPS, ["<end>"]);
    assert_eq!(OfText::template().special_tokens().bos(), Some("<begin>"));
    assert_eq!(inner::OfSource::parser().parse("Hello!").content(), "Hello!");
    let _ = OfText.clone();
}
