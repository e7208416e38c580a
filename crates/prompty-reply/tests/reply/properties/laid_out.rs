//! Replies drawn from the layout of a format, and all its readers held to them: the parser, whole and in
//! pieces, the grammars, the view for people, and prompts that end in the middle of a reply.

use grammar_testing::{Dice, DrawnReply, Gbnf, Said, Written, draw_reply};
use prompty_core::message::{ToolChoice, ToolSpec, tools_from_openai};
use prompty_core::value::Value as PromptValue;
use prompty_reply::format::{AnalysisResult, ReplyFormat};
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{Grammar, GrammarOptions, ReplyGrammar, Trigger};
use prompty_reply::{FinishReason, Reply, ReplyParser, internal};
use serde_json::Value;

/// Tools with arguments of every kind.
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

/// Draws so many replies of a format, half of them with all that the template writes, and holds each
/// reader to them.
///
/// # Errors
/// The first difference of each kind, each with its reply.
pub(crate) fn check(format: &ReplyFormat, replies: u64) -> Result<(), Vec<String>> {
    let tools = tools();
    let checked = Checked {
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
        let written = if seed % 2 == 0 { Written::All } else { Written::Loosely };
        let most = format.tools.as_ref().map_or(0, |tools| if tools.parallel { 3 } else { 1 });
        let calls = dice.below(most + 1);
        let reply = draw_reply(&layout, &offered, calls, written, dice);
        failures.extend(checked.check(&reply, written).err());
        if written == Written::All {
            all += &reply.text;
        }
    }
    let tokens = AnalysisResult::from_format(format).preserved_tokens;
    // A count is no part of a marker, and the last message may do without its closer.
    all.retain(|character| !character.is_ascii_digit());
    let closers = format.headers.iter().flat_map(|headers| headers.close.iter());
    all.extend(closers.map(ToString::to_string));
    let without_digits = |token: &str| token.replace(|it: char| it.is_ascii_digit(), "");
    let missing = tokens.into_iter().find(|token| !all.contains(&without_digits(token)));
    failures.extend(missing.map(|token| format!("the view has {token:?}, and no reply has it")));
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn tools() -> Vec<ToolSpec> {
    tools_from_openai(&PromptValue::from_json(TOOLS).unwrap()).unwrap()
}

/// The parser behind a prompt that ends so. Where replies are messages, the prompt opens the first.
fn parser(format: &ReplyFormat, tools: &[ToolSpec], begun: &str) -> ReplyParser {
    let open = format.headers.as_ref().map(|headers| headers.open.to_string()).unwrap_or_default();
    ReplyParser::new(format.clone()).with_tools(tools).with_prompt_tail(&format!("{open}{begun}"))
}

/// The grammar of a choice of tools in its forms.
struct Forms {
    grammar: ReplyGrammar,
    rules: Gbnf,
    /// What the structural tag admits.
    tag: Gbnf,
}

fn grammars(format: &ReplyFormat, tools: &[ToolSpec]) -> Result<Vec<Forms>, Vec<String>> {
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
        grammars.push(Forms { grammar, rules, tag });
    }
    Ok(grammars)
}

struct Checked<'f> {
    parser: ReplyParser,
    format: &'f ReplyFormat,
    tools: &'f [ToolSpec],
    grammars: Vec<Forms>,
}

impl Checked<'_> {
    fn check(&self, reply: &DrawnReply, written: Written) -> Result<(), String> {
        let DrawnReply { text, said, .. } = reply;
        let read = self.parser.parse(text);
        is_read(&read, said).map_err(|why| format!("{why} of {text:?}"))?;
        for size in [1, 3, 7] {
            if streamed(&self.parser, text, size) != read {
                return Err(format!("in pieces of {size} another reply: {text:?}"));
            }
        }
        let regions = self.parser.regions(text);
        let joined: String = regions.iter().map(|(_, piece)| piece.as_str()).collect();
        if joined != *text {
            return Err(format!("of {text:?} only {joined:?} is in regions"));
        }
        if written == Written::All {
            self.is_admitted(text, said)?;
            self.is_left(reply)?;
        }
        Ok(())
    }

    /// The grammars admit it: one that has to call a tool where it does, and a lazy one from its trigger on.
    fn is_admitted(&self, text: &str, said: &Said) -> Result<(), String> {
        for Forms { grammar, rules, tag } in &self.grammars {
            if said.calls.is_empty() {
                continue;
            }
            let words = grammar.triggers.iter().filter_map(|trigger| match trigger {
                Trigger::Word(word) => text.find(word),
                _ => None,
            });
            let from = if grammar.lazy { words.min().unwrap_or(text.len()) } else { 0 };
            let held = text.get(from..).unwrap_or_default();
            if !rules.admits(held) {
                return Err(format!("{held:?} is not admitted by\n{}", grammar.to_gbnf()));
            }
            if !tag.admits(text) {
                let tag = grammar.to_structural_tag().to_json();
                return Err(format!("{text:?} is not admitted by the structural tag\n{tag}"));
            }
        }
        Ok(())
    }

    /// A prompt that ends behind a literal leaves the parser where that stands.
    fn is_left(&self, reply: &DrawnReply) -> Result<(), String> {
        let headers = self.format.headers.is_some();
        let own = |mark: &str| matches!(mark, "ReasoningOpen" | "ReasoningClose" | "ContentOpen");
        for (end, mark) in reply.ends.iter().filter(|(_, mark)| !headers && own(mark)) {
            let (begun, rest) = reply.text.split_at(*end);
            let parser = parser(self.format, self.tools, begun);
            if parser.starts_in_reasoning() != (mark == "ReasoningOpen") {
                return Err(format!("behind {begun:?} reasoning is open, or not"));
            }
            let mut left = reply.said.clone();
            if mark != "ReasoningOpen" {
                left.reasoning.clear();
            }
            is_read(&parser.parse(rest), &left)
                .map_err(|why| format!("{why} behind {begun:?} of {rest:?}"))?;
        }
        Ok(())
    }
}

fn streamed(parser: &ReplyParser, text: &str, size: usize) -> Reply {
    let (mut stream, mut reply) = (parser.stream(), Reply::default());
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(size) {
        let piece: String = piece.iter().collect();
        stream.push(&piece).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}

/// White space at the ends of texts is that of the markers.
fn is_read(reply: &Reply, said: &Said) -> Result<(), String> {
    let calls: Vec<(String, Value)> = reply
        .calls()
        .iter()
        .map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap_or_default()))
        .collect();
    let is_whole = reply.malformed().is_empty() && reply.calls().iter().all(|call| call.complete);
    let texts = (reply.reasoning().trim(), reply.content().trim());
    if is_whole && texts == (&*said.reasoning, &*said.content) && calls == said.calls {
        return Ok(());
    }
    Err(format!("{texts:?}, {calls:?}, malformed {:?}, wanted {said:?}", reply.malformed()))
}
