//! All that a caller needs for one turn of a model: the prompt, and what reads the reply to it. The last
//! of the stages.

use super::audited::{DataRange, MaskedText, PromptPiece, PromptText, pieces, split_before_end};
use super::rendered::begun_reply;
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
    /// The end of the prompt that opens the assistant's turn, with what the model continues; empty
    /// where the prompt has none.
    pub generation_prompt: String,
    /// Where data with markup of the template stands in the prompt, in order. A tokenizer must read no
    /// added tokens there; [`pieces`](Self::pieces) divides the prompt for it.
    pub data_ranges: Vec<DataRange>,
    /// The parser of the reply, in the state in which the prompt leaves it.
    pub parser: ReplyParser,
    /// Texts at which the model is to stop.
    pub stops: Vec<String>,
    /// Special tokens that the parser needs, and that a server must not leave out of the reply.
    pub preserved_tokens: Vec<String>,
    /// The grammar of the reply, with the texts that trigger it. There is one if it was
    /// [asked for](super::PromptOptions::with_grammar), and if the format restricts the reply.
    pub grammar: Option<ReplyGrammar>,
}

impl ChatTurn {
    /// The prompt in pieces: data with markup, and what stands between.
    pub fn pieces(&self) -> impl Iterator<Item = PromptPiece<'_>> {
        pieces(&self.prompt, &self.data_ranges)
    }
}

/// The turn for a prompt.
///
/// # Errors
///
/// Those of the grammar, where one is wanted.
pub(super) fn begin_turn(
    request: &Request<'_>,
    prompt: PromptText,
    format: &ReplyFormat,
    tokens: &SpecialTokens,
) -> Result<ChatTurn, Error> {
    let options = &request.options;
    let parser = reply_parser(format, request.offered_tools(), &options.reply);
    let parser = behind_prompt(parser, &prompt, &format.turn.open);
    let grammar = match &options.grammar {
        Some(wanted) => {
            parser.grammar(&wanted.clone().with_tool_choice(options.tool_choice.clone()))?
        }
        None => None,
    };
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

/// The parser of the reply to a prompt: it starts behind the part of the reply that the prompt contains
/// already.
fn behind_prompt(parser: ReplyParser, prompt: &PromptText, turn_open: &str) -> ReplyParser {
    let PromptText { text, generation_prompt, data_ranges, .. } = prompt;
    if data_ranges.is_empty() {
        return parser.with_prompt_tail(begun_reply(text, generation_prompt, turn_open));
    }
    // What the model continues is data: a marker in it opens nothing.
    let MaskedText { text: masked, data } = prompt.masked_generation_prompt();
    let (front, _) = split_before_end(text, generation_prompt.len());
    let text = format!("{front}{masked}");
    parser.behind_data(begun_reply(&text, &masked, turn_open), &data)
}

/// Texts at which the model is to stop: the ends of its turn, and the end token of the tokenizer.
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
