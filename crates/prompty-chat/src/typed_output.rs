//! What a local model is held to where it answers with a type.

use prompty_output::output::Output;
use prompty_reply::grammar::GrammarOptions;

use crate::PromptOptions;

impl PromptOptions {
    /// The same options, for a reply whose content is of a type: the turn then has a grammar, which holds the
    /// content to the type's schema. In front of it the model may reason as it likes, and where tools are
    /// offered, it may call them instead.
    ///
    /// What a grammar cannot say of the schema is left out of it and told in
    /// [`widened`](prompty_reply::grammar::ReplyGrammar::widened): the type is held to all of it when the content
    /// is read. [`with_grammar`](Self::with_grammar) sets other options of the grammar. A text needs no grammar.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_chat as chat; pub use prompty_output::output; }
    /// use typed_prompty::message::Message;
    /// use typed_prompty::chat::{ChatTemplate, PromptOptions};
    /// use typed_prompty::output::Output;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City { name: String, people: u32 }
    ///
    /// let template = ChatTemplate::from_text(concat!(
    ///     "{% for message in messages %}<|{{ message.role }}|>",
    ///     "{% if message.reasoning_content %}<muse>{{ message.reasoning_content }}</muse>{% endif %}",
    ///     "{{ message.content }}<|end|>{% endfor %}",
    ///     "{% if add_generation_prompt %}<|assistant|><muse>{% endif %}",
    /// ))?;
    /// let output = Output::<City>::new();
    /// let options = PromptOptions::new().with_output(&output);
    /// let turn = template.apply(&[Message::user("Where are you?")], &[], &options)?;
    /// assert!(turn.grammar.unwrap().to_gbnf().contains("people"));
    ///
    /// let reply = turn.parser.parse(r#"Bonn, I think.</muse>{"name": "Bonn", "people": 330000}<|end|>"#);
    /// assert_eq!(output.parse(reply.content())?.value.people, 330_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_output<T>(mut self, output: &Output<T>) -> Self {
        if !output.asks_for_json() {
            return self;
        }
        self.reply = self.reply.with_content_schema(output.schema().clone());
        self.grammar.get_or_insert_with(|| GrammarOptions::new().with_widen(true));
        self
    }
}
