//! What a request says and its body does not.

use std::collections::BTreeSet;

use prompty_core::message::{ContentPart, ToolChoice};

use super::options::Reasoning;
use super::request::{Request, STREAM_OPTIONS};
use super::response_format::FormatKind;

impl Request<'_> {
    /// What the request says and its body does not: the options that the protocol does not have, by the names of the
    /// specification, that a tool failed (`toolResult.isError`), what only the protocol knows that the request was
    /// read from, by its names there, and the kinds of the model's parts that only another protocol understands, such
    /// as signed reasoning (`thinking`).
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::{GenerationOptions, Message};
    /// use typed_prompty::wire::Request;
    ///
    /// let mut options = GenerationOptions::default();
    /// options.top_k = Some(40);
    /// assert_eq!(Request::new("gpt-4o", &[]).with_options(options).left_out(), ["topK"]);
    /// ```
    pub fn left_out(&self) -> Vec<&str> {
        let mut names: Vec<&str> = without_a_word(self);
        if self.is_of_another() {
            let known = self.protocol.rules().message_metadata;
            let metadata = self.messages.iter().flat_map(|message| message.metadata.iter());
            let metadata =
                metadata.filter(|(name, value)| !known.contains(name) && !value.is_null());
            let of_messages: BTreeSet<&str> =
                metadata.map(|(name, _)| name).chain(self.kept.names()).collect();
            names.extend(self.options.additional.keys());
            names.extend(of_messages);
        } else if !self.is_streaming && self.options.additional.contains_key(STREAM_OPTIONS) {
            names.push(STREAM_OPTIONS);
        }
        names.extend(parts_of_others(self));
        names
    }
}

/// The kinds of the model's parts that only another protocol understands.
fn parts_of_others<'r>(request: &'r Request<'_>) -> BTreeSet<&'r str> {
    let own = request.protocol.rules().part_name;
    let parts = request.messages.iter().flat_map(|message| message.content.iter());
    let of_others = parts.filter_map(|part| match part {
        ContentPart::Provider(part) if part.protocol != own => Some(part.kind().unwrap_or("part")),
        _ => None,
    });
    of_others.collect()
}

/// What a request asks for and its protocol has no word for. The names of options are those of the specification.
fn without_a_word(request: &Request<'_>) -> Vec<&'static str> {
    let options = &request.options;
    let rules = request.protocol.rules();
    let mut parts = request.messages.iter().flat_map(|message| message.content.iter());
    let has_failed =
        |part: &ContentPart| matches!(part, ContentPart::ToolResult(result) if result.is_error);
    let has_tools = !request.tools.is_empty() || !request.provider_tools.is_empty();
    let limits_calls = rules.limits_calls_without_choice || request.tool_choice != ToolChoice::None;
    let reasoning = request.reasoning.as_ref();
    let says = |has: fn(&Reasoning) -> bool| reasoning.is_some_and(has);
    let has_cache_key = request.prompt_cache.as_ref().is_some_and(|cache| cache.key.is_some());
    let has_description =
        matches!(request.response_format, Some(FormatKind::Schema { description: Some(_), .. }));
    let has_budget = says(|it| it.is_on == Some(false) && it.budget.is_some());
    // The name, whether it is set, and whether the other settings let the body have it.
    let all = [
        ("topK", options.top_k.is_some(), true),
        ("frequencyPenalty", options.frequency_penalty.is_some(), true),
        ("presencePenalty", options.presence_penalty.is_some(), true),
        ("seed", options.seed.is_some(), true),
        ("stopSequences", !options.stop_sequences.is_empty(), true),
        (
            "allowMultipleToolCalls",
            options.allow_multiple_tool_calls.is_some(),
            has_tools && limits_calls,
        ),
        ("toolChoice", request.tool_choice != ToolChoice::Auto, has_tools),
        // OpenAI's protocols have efforts, of which `none` is one.
        ("reasoning", says(|it| it.is_on == Some(true) && it.effort.is_none()), true),
        ("reasoning", says(|it| it.is_on == Some(false) && it.effort.is_some()), true),
        ("reasoning.budget", has_budget, false),
        ("reasoning.summary", says(|it| it.summary.is_some()), true),
        ("promptCache.key", has_cache_key, true),
        ("output.description", has_description, true),
        ("toolResult.isError", parts.any(has_failed), true),
    ];
    let is_left_out = |(name, is_set, is_possible): &(&str, bool, bool)| {
        *is_set && (!is_possible || rules.left_out.contains(name))
    };
    all.into_iter().filter(is_left_out).map(|(name, ..)| name).collect()
}
