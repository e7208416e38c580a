//! From messages to all that a caller needs for one turn of a model: the prompt, and how to read the
//! reply to it.

use std::sync::OnceLock;

use super::analysis::Analysis;
use super::control::{self, Asked, DataRange, PromptPiece};
use super::prompt::{PromptOptions, PromptText};
use super::source::ChatTemplate;
use crate::reply::format::{AnalysisResult, ReplyFormat};
use crate::reply::grammar::ReplyGrammar;
use crate::reply::{ReplyOptions, ReplyParser};
use prompty_core::error::Error;
use prompty_core::message::{Message, Tool};

/// One turn of a model: what it is given, and how its reply is read.
///
/// ```
/// use prompty_model::chat::{ChatTemplate, PromptOptions};
/// use prompty_core::message::Message;
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
    /// The end of the prompt that opens the assistant's turn, with what the model continues.
    pub generation_prompt: String,
    /// Where data stands in the prompt that holds markup of the template, in order. A tokenizer must
    /// read no special tokens there; [`pieces`](Self::pieces) cuts the prompt for it.
    pub data_ranges: Vec<DataRange>,
    /// The reader of the reply, in the state in which the prompt leaves it.
    pub parser: ReplyParser,
    /// Texts at which the model is to stop.
    pub stops: Vec<String>,
    /// Texts that have to reach the parser, where the server leaves special tokens out of a reply.
    pub preserved_tokens: Vec<String>,
    /// The grammar that holds the model to the format, with what brings it into force; where one was
    /// [asked for](PromptOptions::with_grammar), and there is anything to hold the model to.
    pub grammar: Option<ReplyGrammar>,
}

impl ChatTurn {
    /// The prompt in pieces: data that holds markup, and what stands between.
    pub fn pieces(&self) -> impl Iterator<Item = PromptPiece<'_>> {
        control::pieces(&self.prompt, &self.data_ranges)
    }
}

/// What is known of the form of a template's replies; found once.
#[derive(Debug, Default)]
pub(super) struct Formats {
    /// The format that the caller gave.
    pub(super) given: Option<ReplyFormat>,
    analysis: OnceLock<Result<Analysis, Error>>,
    declared: OnceLock<Option<ReplyFormat>>,
}

impl Formats {
    /// Nothing found yet, beside a format that the caller may have given.
    pub(super) fn of(given: Option<ReplyFormat>) -> Self {
        Self { given, ..Self::default() }
    }
}

impl ChatTemplate {
    /// What probing the template finds about the form of its replies. It is found once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Analysis`](prompty_core::ErrorKind::Analysis) where that does not become clear, with the
    /// probe and what the template said.
    pub fn analysis(&self) -> Result<&Analysis, Error> {
        let found = self.formats().analysis.get_or_init(|| self.analyze());
        found.as_ref().map_err(Error::duplicate)
    }

    /// How the model writes: as the caller gave it with [`ChatTemplate::with_format`], else as the
    /// checkpoint declares it (`response_template`) if a format can say that, else as the analysis
    /// finds it.
    ///
    /// # Errors
    ///
    /// As [`ChatTemplate::analysis`].
    pub fn format(&self) -> Result<&ReplyFormat, Error> {
        let formats = self.formats();
        if let Some(given) = &formats.given {
            return Ok(given);
        }
        match formats.declared.get_or_init(|| self.declared_format()) {
            Some(declared) => Ok(declared),
            None => Ok(self.analysis()?.format()),
        }
    }

    /// The format that the checkpoint declares, where it can be told as one: what it cannot say of
    /// the turn around a reply is the analysis's.
    fn declared_format(&self) -> Option<ReplyFormat> {
        let mut format = ReplyFormat::from_response_template(self.response_template()?).ok()?;
        if let Ok(analysis) = self.analysis() {
            let turn = &analysis.format().turn;
            format.turn.open = turn.open.clone();
            format.turn.user_open = turn.user_open.clone();
            format.turn.control_tokens = turn.control_tokens.clone();
            if format.turn.end.is_empty() {
                format.turn.end = turn.end.clone();
            }
        }
        Some(format)
    }

    /// The reader of the reply to a prompt that was made elsewhere: by the server, say. It starts
    /// where the prompt's own end leaves it.
    ///
    /// ```
    /// use prompty_model::chat::ChatTemplate;
    /// use prompty_model::reply::ReplyOptions;
    ///
    /// let template = ChatTemplate::from_text(concat!(
    ///     "{% for message in messages %}<|{{ message.role }}|>",
    ///     "{% if message.reasoning_content %}<muse>{{ message.reasoning_content }}</muse>{% endif %}",
    ///     "{{ message.content }}<|end|>{% endfor %}",
    /// ))?;
    /// let prompt = "<|user|>6 times 7?<|end|><|assistant|><muse>";
    /// let parser = template.reader_behind(prompt, &[], &ReplyOptions::default())?;
    /// assert_eq!(parser.parse("Easy.</muse>42").reasoning(), "Easy.");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ChatTemplate::format`].
    pub fn reader_behind(
        &self,
        prompt: &str,
        tools: &[Tool],
        options: &ReplyOptions,
    ) -> Result<ReplyParser, Error> {
        let format = self.format()?;
        Ok(reader(format, tools, options).behind_prompt(prompt))
    }

    /// Texts at which the model is to stop: what ends its turn, and the checkpoint's own end token.
    ///
    /// # Errors
    ///
    /// As [`ChatTemplate::format`].
    pub fn stops(&self) -> Result<Vec<String>, Error> {
        let ends = self.format()?.turn.end.iter().map(|end| end.text.clone().into_owned());
        let mut stops: Vec<String> = ends.filter(|end| !end.is_empty()).collect();
        if let Some(eos) = self.special_tokens().eos()
            && !stops.iter().any(|stop| stop == eos)
        {
            stops.push(eos.to_owned());
        }
        Ok(stops)
    }

    /// The prompt for a conversation, and all that its reply needs.
    ///
    /// The prompt's text is that of [`ChatTemplate::prompt`]. The reader of the reply starts where
    /// the prompt's own end leaves it: inside of reasoning, say, where the prompt opened some.
    ///
    /// # Errors
    ///
    /// As [`ChatTemplate::prompt`] and [`ChatTemplate::format`].
    pub fn apply(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
    ) -> Result<ChatTurn, Error> {
        let prompt = self.guarded(messages, tools, options, &|asked, whole| {
            let Asked { messages, tools, options } = asked;
            match options.continuation {
                Some(continuation) => self.continuing(messages, tools, options, continuation),
                None => self.written(messages, tools, options, whole),
            }
        })?;
        let format = self.format()?;
        let offered = if options.offers_tools() { tools } else { &[] };
        let parser = reader(format, offered, &options.reply);
        let parser = match prompt.data_ranges.as_slice() {
            [] => {
                let open = &format.turn.open;
                parser.behind(reply_tail(&prompt.text, &prompt.generation_prompt, open))
            }
            // What the model continues is data: no marker in it opens anything.
            ranges => {
                let opened = prompt.text.len().saturating_sub(prompt.generation_prompt.len());
                let (front, _) = prompt.text.split_at_checked(opened).unwrap_or_default();
                let (generated, texts) = control::masked(&prompt.text, ranges, opened);
                let text = format!("{front}{generated}");
                parser.behind_data(reply_tail(&text, &generated, &format.turn.open), &texts)
            }
        };
        let stops = self.stops()?;
        let preserved_tokens = AnalysisResult::from_format(format).preserved_tokens;
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
            stops,
            preserved_tokens,
            grammar,
        })
    }
}

fn reader(format: &ReplyFormat, tools: &[Tool], options: &ReplyOptions) -> ReplyParser {
    ReplyParser::new(format.clone()).with_options(options.clone()).with_tools(tools)
}

/// What stands in a prompt behind the opener of the assistant's turn.
pub(super) fn reply_tail<'text>(
    text: &'text str,
    generation_prompt: &str,
    turn_open: &str,
) -> &'text str {
    let opened = text.len().saturating_sub(generation_prompt.len());
    // The opener may have begun in front of what the generation prompt adds.
    let mut start = opened.saturating_sub(turn_open.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let end = text.get(start..).unwrap_or_default();
    for opener in [turn_open, turn_open.trim_end()] {
        if opener.is_empty() {
            continue;
        }
        if let Some((_, tail)) = end.split_once(opener) {
            return tail;
        }
    }
    let generated = text.get(opened..).unwrap_or_default();
    let same = generated.char_indices().zip(turn_open.chars()).find(|((_, a), b)| a != b);
    let same = same.map_or(generated.len().min(turn_open.len()), |((at, _), _)| at);
    generated.get(same..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::reply_tail;

    #[test]
    fn the_tail_stands_behind_the_opener_of_the_turn() {
        let open = "<|a|>\n";
        for (text, generated, tail) in [
            ("<|u|>Hi<|a|>\n", "<|a|>\n", ""),
            ("<|u|>Hi<|a|>\n<muse>", "<|a|>\n<muse>", "<muse>"),
            // Nothing is added for a turn: its opener ends what the user said.
            ("<|u|>Hi<|a|>\n", "", ""),
            ("<|u|>Hi<|a|>\n<muse>Hm", "<muse>Hm", "<muse>Hm"),
            // White space of the opener is missing.
            ("<|u|>Hi<|a|>", "<|a|>", ""),
            // The data of a continued message holds the opener itself.
            ("<|u|>Hi<|a|>\nSay <|a|>\n", "<|a|>\nSay <|a|>\n", "Say <|a|>\n"),
        ] {
            assert_eq!(reply_tail(text, generated, open), tail, "{text:?}");
        }
    }
}
