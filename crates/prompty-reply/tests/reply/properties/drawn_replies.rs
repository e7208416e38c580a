//! Replies that are drawn from the layout of a format, and checks that all its readers agree with
//! them: the parser, in one chunk and in several, the grammars, the view for people, and prompts
//! that end in the middle of a reply.

use grammar_testing::{Dice, DrawnReply, ExpectedReply, Gbnf, MarkupStyle, draw_reply};
use prompty_core::message::{ToolChoice, ToolSpec, tools_from_openai};
use prompty_core::value::Value as PromptValue;
use prompty_reply::format::{AnalysisResult, ReplyFormat};
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{Grammar, GrammarOptions, ReplyGrammar, Trigger};
use prompty_reply::{FinishReason, Reply, ReplyParser, internal};
use serde_json::Value;

/// Tools with arguments of every type.
const TOOLS: &str = r#"[
    {"type": "function", "function": {"name": "forecast_3", "parameters": {
        "type": "object", "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "exact": {"type": "boolean"},
            "hours": {"type": "array", "items": {"type": "integer"}},
            "place": {"type": "object", "properties": {
                "x": {"type": "integer"}, "name": {"type": "string"}}}}}}},
    {"type": "function", "function": {"name": "now", "parameters": {
        "type": "object", "properties": {"zone": {"type": "string"}}}}}
]"#;

/// Draws `replies` replies of a format, half of them with everything that the template writes, and
/// checks each reader with them.
///
/// # Errors
/// Returns the first difference of each kind, each with its reply.
pub(crate) fn check(format: &ReplyFormat, replies: u64) -> Result<(), Vec<String>> {
    let tools = tools();
    let readers = ReplyReaders {
        parser: parser(format, &tools, ""),
        format,
        tools: &tools,
        grammars: grammars(format, &tools)?,
    };
    let layout: Value = serde_json::from_str(&internal::layout(format).to_json()).unwrap();
    let offered: Value = serde_json::from_str(TOOLS).unwrap();
    let (mut failures, mut all) = (Vec::new(), String::new());
    for seed in 0..replies {
        let dice = &mut Dice::new(seed);
        let written = if seed % 2 == 0 { MarkupStyle::Canonical } else { MarkupStyle::Loose };
        let most = format.tools.as_ref().map_or(0, |tools| if tools.parallel { 3 } else { 1 });
        let calls = dice.below(most + 1);
        let reply = draw_reply(&layout, &offered, calls, written, dice);
        failures.extend(readers.check(&reply, written).err());
        if written == MarkupStyle::Canonical {
            all += &reply.text;
        }
    }
    let tokens = AnalysisResult::from_format(format).preserved_tokens;
    // A count is not part of a marker, and the last message may omit its closer.
    all.retain(|character| !character.is_ascii_digit());
    let closers = format.headers.iter().flat_map(|headers| headers.close.iter());
    all.extend(closers.map(ToString::to_string));
    let without_digits = |token: &str| token.replace(|it: char| it.is_ascii_digit(), "");
    let missing = tokens.into_iter().find(|token| !all.contains(&without_digits(token)));
    failures.extend(missing.map(|token| format!("the view has {token:?}, but no reply has it")));
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn tools() -> Vec<ToolSpec> {
    tools_from_openai(&PromptValue::from_json(TOOLS).unwrap()).unwrap()
}

/// The parser for a prompt that ends with `begun`. If replies are messages, the prompt opens the
/// first one.
fn parser(format: &ReplyFormat, tools: &[ToolSpec], begun: &str) -> ReplyParser {
    let open = format.headers.as_ref().map(|headers| headers.open.to_string()).unwrap_or_default();
    ReplyParser::new(format.clone()).with_tools(tools).with_prompt_tail(&format!("{open}{begun}"))
}

/// The grammar of a choice of tools, in its forms.
struct ReplyForms {
    grammar: ReplyGrammar,
    rules: Gbnf,
    /// The texts that the structural tag matches.
    tag: Gbnf,
}

fn grammars(format: &ReplyFormat, tools: &[ToolSpec]) -> Result<Vec<ReplyForms>, Vec<String>> {
    let schema = |schema: &Value| {
        let schema = PromptValue::from_serialize(schema).unwrap();
        Grammar::of_schema(&schema, &SchemaOptions::new()).unwrap().grammar.to_gbnf()
    };
    let mut grammars = Vec::new();
    for choice in [ToolChoice::Auto, ToolChoice::Required] {
        if format.tools.is_none() {
            continue;
        }
        let options = GrammarOptions::new().with_tool_choice(choice);
        let grammar = parser(format, tools, "").grammar(&options);
        let grammar = grammar.map_err(|error| vec![format!("no grammar: {error:#}")])?.unwrap();
        let rules = Gbnf::parse(&grammar.to_gbnf()).map_err(|why| vec![why])?;
        let tag = serde_json::to_value(grammar.to_structural_tag()).unwrap();
        let tag = Gbnf::from_structural_tag(&tag, &schema).map_err(|why| vec![why])?;
        grammars.push(ReplyForms { grammar, rules, tag });
    }
    Ok(grammars)
}

struct ReplyReaders<'f> {
    parser: ReplyParser,
    format: &'f ReplyFormat,
    tools: &'f [ToolSpec],
    grammars: Vec<ReplyForms>,
}

impl ReplyReaders<'_> {
    fn check(&self, reply: &DrawnReply, written: MarkupStyle) -> Result<(), String> {
        let DrawnReply { text, expected: said, .. } = reply;
        let read = self.parser.parse(text);
        check_read(&read, said).map_err(|why| format!("{why} of {text:?}"))?;
        for size in [1, 3, 7] {
            if read_stream(&self.parser, text, size) != read {
                return Err(format!("in chunks of {size} the reply differs: {text:?}"));
            }
        }
        let regions = self.parser.regions(text);
        let joined: String = regions.iter().map(|(_, piece)| piece.as_str()).collect();
        if joined != *text {
            return Err(format!("of {text:?} only {joined:?} is in the regions"));
        }
        if written == MarkupStyle::Canonical {
            self.check_admitted(text, said)?;
            self.check_continued(reply)?;
        }
        Ok(())
    }

    /// Checks that the grammars match the reply: one that requires a call if the reply has one, and
    /// a lazy one from its trigger.
    fn check_admitted(&self, text: &str, said: &ExpectedReply) -> Result<(), String> {
        for ReplyForms { grammar, rules, tag } in &self.grammars {
            if said.calls.is_empty() {
                continue;
            }
            let words = grammar.triggers.iter().filter_map(|trigger| match trigger {
                Trigger::Word(word) => text.find(word),
                _ => None,
            });
            let from = if grammar.lazy { words.min().unwrap_or(text.len()) } else { 0 };
            let restricted = text.get(from..).unwrap_or_default();
            if !rules.admits(restricted) {
                return Err(format!("{restricted:?} is not admitted by\n{}", grammar.to_gbnf()));
            }
            if !tag.admits(text) {
                let tag = grammar.to_structural_tag().to_json();
                return Err(format!("{text:?} is not admitted by the structural tag\n{tag}"));
            }
        }
        Ok(())
    }

    /// Checks a prompt that ends after a literal: the parser continues from there.
    fn check_continued(&self, reply: &DrawnReply) -> Result<(), String> {
        let headers = self.format.headers.is_some();
        let is_text_marker =
            |mark: &str| matches!(mark, "ReasoningOpen" | "ReasoningClose" | "ContentOpen");
        for (end, mark) in reply.ends.iter().filter(|(_, mark)| !headers && is_text_marker(mark)) {
            let (begun, rest) = reply.text.split_at(*end);
            let parser = parser(self.format, self.tools, begun);
            if parser.starts_in_reasoning() != (mark == "ReasoningOpen") {
                return Err(format!("wrong state of reasoning after {begun:?}"));
            }
            let mut remaining = reply.expected.clone();
            if mark != "ReasoningOpen" {
                remaining.reasoning.clear();
            }
            check_read(&parser.parse(rest), &remaining)
                .map_err(|why| format!("{why} after {begun:?} of {rest:?}"))?;
        }
        Ok(())
    }
}

fn read_stream(parser: &ReplyParser, text: &str, size: usize) -> Reply {
    let (mut stream, mut reply) = (parser.stream(), Reply::default());
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(size) {
        let piece: String = piece.iter().collect();
        stream.push(&piece).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}

/// White space at the ends of texts belongs to the markers.
fn check_read(reply: &Reply, said: &ExpectedReply) -> Result<(), String> {
    let calls: Vec<(String, Value)> = reply
        .calls()
        .iter()
        .map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap_or_default()))
        .collect();
    let is_complete =
        reply.malformed().is_empty() && reply.calls().iter().all(|call| call.complete);
    let texts = (reply.reasoning().trim(), reply.content().trim());
    if is_complete && texts == (&*said.reasoning, &*said.content) && calls == said.calls {
        return Ok(());
    }
    Err(format!("{texts:?}, {calls:?}, malformed {:?}, wanted {said:?}", reply.malformed()))
}
