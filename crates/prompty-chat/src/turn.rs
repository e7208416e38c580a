//! One turn of a model: the prompt, and the parser of its reply. It is the last of the stages.

use super::audit::{DataRange, MaskedText, PromptPiece, PromptText, pieces, split_before_end};
use super::rendering::reply_start;
use super::request::Request;
use super::special_tokens::SpecialTokens;
use prompty_core::error::Error;
use prompty_core::message::ToolSpec;
use prompty_reply::format::{AnalysisResult, ReplyFormat};
use prompty_reply::grammar::ReplyGrammar;
use prompty_reply::{ReplyOptions, ReplyParser};

/// One turn of a model: the prompt, and the parser of the reply.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_chat as chat; }
/// use typed_prompty::chat::{ChatTemplate, PromptOptions};
/// use typed_prompty::message::Message;
///
/// let template = ChatTemplate::from_text(concat!(
///     "{% for message in messages %}<|{{ message.role }}|>",
///     "{% if message.reasoning_content %}<muse>{{ message.reasoning_content }}</muse>{% endif %}",
///     "{{ message.content }}<|end|>{% endfor %}",
///     "{% if add_generation_prompt %}<|assistant|><muse>{% endif %}",
/// ))?;
/// let turn = template.apply(&[Message::user("6 times 7?")], &[], &PromptOptions::new())?;
/// assert_eq!(turn.prompt, "<|user|>6 times 7?<|end|><|assistant|><muse>");
/// assert_eq!(turn.stops, ["<|end|>"]);
///
/// // The prompt ends in an open tag, so the reply starts with reasoning.
/// let reply = turn.parser.parse("Easy.</muse>42<|end|>");
/// assert_eq!((reply.reasoning(), reply.content()), ("Easy.", "42"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChatTurn {
    /// The text that the model reads.
    pub prompt: String,
    /// The end of the prompt that opens the assistant's turn, with the text that the model
    /// continues. It is empty if the prompt has no such end.
    pub generation_prompt: String,
    /// The places in the prompt of data that contains markup of the template, in order. A tokenizer
    /// must read no added tokens there; [`pieces`](Self::pieces) divides the prompt for it.
    pub data_ranges: Vec<DataRange>,
    /// The parser of the reply, in the state at the end of the prompt.
    pub parser: ReplyParser,
    /// The stop strings: the model stops when it has written one.
    pub stops: Vec<String>,
    /// Special tokens that the parser needs. A server must not remove them from the reply.
    pub preserved_tokens: Vec<String>,
    /// The grammar of the reply, with the strings that trigger it. It is present if it was
    /// [requested](super::PromptOptions::with_grammar) and if the format restricts the reply.
    pub grammar: Option<ReplyGrammar>,
}

impl ChatTurn {
    /// The prompt in pieces: data with markup, and the text between.
    pub fn pieces(&self) -> impl Iterator<Item = PromptPiece<'_>> {
        pieces(&self.prompt, &self.data_ranges)
    }
}

/// Creates the turn for a prompt.
///
/// # Errors
///
/// Returns an error if a grammar is requested and cannot be made.
pub(super) fn begin_turn(
    request: &Request<'_>,
    prompt: PromptText,
    format: &ReplyFormat,
    tokens: &SpecialTokens,
) -> Result<ChatTurn, Error> {
    let options = &request.options;
    let parser = reply_parser(format, request.offered_tools(), &options.reply);
    let parser = parser_after_prompt(parser, &prompt, &format.turn.open);
    let wanted = options.grammar.clone().map(|it| it.with_tool_choice(options.tool_choice.clone()));
    let grammar = wanted.map(|wanted| parser.grammar(&wanted)).transpose()?.flatten();
    let PromptText { text: prompt, generation_prompt, data_ranges, .. } = prompt;
    Ok(ChatTurn {
        prompt,
        generation_prompt,
        data_ranges,
        parser,
        stops: stops(format, tokens),
        preserved_tokens: AnalysisResult::from_format(format).preserved_tokens,
        grammar,
    })
}

/// The parser of replies in a format.
pub(super) fn reply_parser(
    format: &ReplyFormat,
    tools: &[ToolSpec],
    options: &ReplyOptions,
) -> ReplyParser {
    ReplyParser::new(format.clone()).with_options(options.clone()).with_tools(tools)
}

/// The parser of the reply to a prompt. It starts after the part of the reply that the prompt
/// already contains.
fn parser_after_prompt(parser: ReplyParser, prompt: &PromptText, turn_open: &str) -> ReplyParser {
    let PromptText { text, generation_prompt, data_ranges, .. } = prompt;
    if data_ranges.is_empty() {
        return parser.with_prompt_tail(reply_start(text, generation_prompt, turn_open));
    }
    // The text that the model continues is data: a marker in it opens nothing.
    let MaskedText { text: masked, data } = prompt.masked_generation_prompt();
    let (front, _) = split_before_end(text, generation_prompt.len());
    let text = format!("{front}{masked}");
    parser.with_masked_prompt_tail(reply_start(&text, &masked, turn_open), &data)
}

/// The stop strings: the ends of the model's turn, and the end token of the tokenizer.
pub(super) fn stops(format: &ReplyFormat, tokens: &SpecialTokens) -> Vec<String> {
    let ends = format.turn.end.iter().map(|end| end.text.clone().into_owned());
    let mut stops: Vec<String> = ends.filter(|end| !end.is_empty()).collect();
    if let Some(eos) = tokens.eos()
        && !stops.iter().any(|stop| stop == eos)
    {
        stops.push(eos.to_owned());
    }
    stops
}
