//! Grammars for replies of local models that contain a typed output.

use prompty_output::output::Output;
use prompty_reply::grammar::GrammarOptions;

use crate::PromptOptions;

impl PromptOptions {
    /// Requests a reply whose content is of the type of `output`: the turn gets a grammar that
    /// restricts the content to the type's schema. Before the content the model may reason freely.
    /// If tools are offered, it may call them instead.
    ///
    /// The grammar leaves out parts of the schema that it cannot express, and reports them in
    /// [`widened`](prompty_reply::grammar::ReplyGrammar::widened). Parsing the content checks the
    /// complete schema. [`with_grammar`](Self::with_grammar) sets other options of the grammar. An
    /// output that is plain text needs no grammar.
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
