//! The settings of a request that its body does not contain.
//!
//! No setting is lost silently: each one is in the body, in this list, or an error. The list has
//! the options that the protocol does not have, because the specification says that they are left
//! out (§7.1.5). It also has the fields and parts that only another protocol understands. Anything
//! else that cannot be sent is an error.
//!
//! A test sets each setting in each protocol. A new setting needs a row in `unsupported_options`
//! and one in that test.

use std::collections::BTreeSet;

use prompty_core::message::{ContentPart, ToolChoice};

use super::options::Reasoning;
use super::request::{Request, STREAM_OPTIONS};
use super::response_format::FormatKind;

impl Request<'_> {
    /// The names of the settings that the request has and its body does not contain:
    ///
    /// - options that the protocol does not have, by their names in the specification;
    /// - a failed tool (`toolResult.isError`);
    /// - fields that only the protocol of the original body knows, by their names there, and in
    ///   every protocol those of calls and results without an id;
    /// - the kinds of provider parts of another protocol, such as signed reasoning (`thinking`).
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
        let mut names: Vec<&str> = unsupported_options(self);
        let mut fields: BTreeSet<&str> = self.originals.lost().collect();
        if self.is_from_other_protocol() {
            let known = self.protocol.rules().message_metadata;
            let metadata = self.messages.iter().flat_map(|message| message.metadata.iter());
            let metadata =
                metadata.filter(|(name, value)| !known.contains(name) && !value.is_null());
            fields.extend(metadata.map(|(name, _)| name).chain(self.originals.names()));
            names.extend(self.options.additional.keys());
        } else if !self.is_streaming && self.options.additional.contains_key(STREAM_OPTIONS) {
            names.push(STREAM_OPTIONS);
        }
        names.extend(fields);
        names.extend(foreign_part_kinds(self));
        names
    }
}

/// The kinds of provider parts that only another protocol understands.
fn foreign_part_kinds<'r>(request: &'r Request<'_>) -> BTreeSet<&'r str> {
    let own = request.protocol.rules().part_name;
    let parts = request.messages.iter().flat_map(|message| message.content.iter());
    let kinds = parts.filter_map(|part| match part {
        ContentPart::Provider(part) if part.protocol != own => Some(part.kind().unwrap_or("part")),
        _ => None,
    });
    kinds.collect()
}

/// The settings that the protocol cannot express. Options have their names in the specification.
fn unsupported_options(request: &Request<'_>) -> Vec<&'static str> {
    let options = &request.options;
    let rules = request.protocol.rules();
    let mut parts = request.messages.iter().flat_map(|message| message.content.iter());
    let has_failed =
        |part: &ContentPart| matches!(part, ContentPart::ToolResult(result) if result.is_error);
    let has_tools = !request.tools.is_empty() || !request.provider_tools.is_empty();
    let limits_calls = rules.limits_calls_without_choice || request.tool_choice != ToolChoice::None;
    let reasoning = request.reasoning.as_ref();
    let reasoning_has = |has: fn(&Reasoning) -> bool| reasoning.is_some_and(has);
    let has_cache_key = request.prompt_cache.as_ref().is_some_and(|cache| cache.key.is_some());
    let has_description =
        matches!(request.response_format, Some(FormatKind::Schema { description: Some(_), .. }));
    // If reasoning is off, no protocol writes a budget. Otherwise it is written, or an error.
    let has_budget = reasoning_has(|it| it.is_on == Some(false) && it.budget.is_some());
    // The name, whether it is set, and whether the other settings allow it in the body.
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
        ("reasoning", reasoning_has(|it| it.is_on == Some(true) && it.effort.is_none()), true),
        ("reasoning", reasoning_has(|it| it.is_on == Some(false) && it.effort.is_some()), true),
        ("reasoning.budget", has_budget, false),
        ("reasoning.summary", reasoning_has(|it| it.summary.is_some()), true),
        ("promptCache.key", has_cache_key, true),
        ("output.description", has_description, true),
        ("toolResult.isError", parts.any(has_failed), true),
    ];
    let is_left_out = |(name, is_set, is_possible): &(&str, bool, bool)| {
        *is_set && (!is_possible || rules.left_out.contains(name))
    };
    all.into_iter().filter(is_left_out).map(|(name, ..)| name).collect()
}
