//! The structural tag of a grammar admits the same texts as its other forms.

use grammar_testing::{Dice, Gbnf};
use typed_prompty::Value;
use typed_prompty::message::ToolChoice;
use typed_prompty::reply::format::ReplyFormat;
use typed_prompty::reply::grammar::schema::SchemaOptions;
use typed_prompty::reply::grammar::{Grammar, GrammarOptions, GrammarStart, ReplyGrammar, Trigger};
use typed_prompty::reply::{ReplyOptions, ReplyParser};

use super::{mutate, templates, tools};

/// The number of texts that are drawn from each form of a grammar.
const DRAWN: u64 = 3;

/// A grammar in both forms.
struct Forms {
    gbnf: Gbnf,
    tag: Gbnf,
    /// The trigger words of a lazy grammar; empty if the grammar is not lazy.
    triggers: Vec<String>,
    /// The opener of reasoning before the triggers.
    reasoning: Option<String>,
    shown: String,
}

impl Forms {
    fn new(grammar: &ReplyGrammar, format: &ReplyFormat, widen: bool) -> Self {
        let gbnf = Gbnf::parse(&grammar.to_gbnf()).unwrap();
        let tag = serde_json::to_value(grammar.to_structural_tag()).unwrap();
        let shown = serde_json::to_string_pretty(&tag).unwrap();
        let schema = |schema: &serde_json::Value| {
            let schema = Value::from_json(&schema.to_string()).unwrap();
            let options = SchemaOptions::new().widen(widen);
            Grammar::of_schema(&schema, &options).unwrap().grammar.to_gbnf()
        };
        let tag = Gbnf::from_structural_tag(&tag, &schema)
            .unwrap_or_else(|error| panic!("{error} in\n{shown}"));
        let words = grammar.triggers.iter().map(|trigger| match trigger {
            Trigger::Word(word) => word.clone(),
            other => panic!("{other:?}"),
        });
        let triggers = if grammar.lazy { words.collect() } else { Vec::new() };
        let reasoning = match (&format.headers, &format.reasoning) {
            (Some(headers), _) => headers.reasoning.first().map(|text| text.trim().to_owned()),
            (None, Some(reasoning)) => Some(reasoning.open.text.trim().to_owned()),
            (None, None) => None,
        };
        Self { gbnf, tag, triggers, reasoning, shown }
    }

    /// Whether the GBNF form admits a text. If it is lazy, it checks the text from a trigger on.
    fn admits(&self, text: &str) -> bool {
        if self.triggers.is_empty() {
            return self.gbnf.admits(text);
        }
        let starts = self.triggers.iter().filter_map(|word| text.find(word));
        starts.min().is_none_or(|start| self.gbnf.admits(&text[start..]))
    }

    /// Whether the forms may differ: only the structural tag distinguishes reasoning before a
    /// trigger.
    fn depends_on_reasoning(&self, text: &str) -> bool {
        let opens = |open: &String| !open.is_empty() && text.contains(open.as_str());
        !self.triggers.is_empty() && self.reasoning.as_ref().is_some_and(opens)
    }

    #[track_caller]
    fn agree_on(&self, text: &str, what: &str) {
        if self.depends_on_reasoning(text) {
            return;
        }
        let (gbnf, tag) = (self.admits(text), self.tag.admits(text));
        assert_eq!(gbnf, tag, "{what}: GBNF and structural tag on {text:?}\n{}", self.shown);
    }
}

/// Several requests for a grammar.
fn requests() -> Vec<GrammarOptions> {
    let options = || GrammarOptions::new().with_widen(true);
    let named = || ToolChoice::Tool("place".to_owned());
    vec![
        options(),
        options().with_tool_choice(ToolChoice::Required),
        options().with_parallel(false),
        options().with_tool_choice(ToolChoice::Required).with_parallel(false),
        options().with_tool_choice(ToolChoice::Required).with_start(GrammarStart::AfterReasoning),
        options().with_tool_choice(named()),
        options().with_start(GrammarStart::AfterReasoning),
    ]
}

/// The parsers of a format for prompts that end in different states.
fn starts(format: &ReplyFormat) -> Vec<(&'static str, ReplyParser)> {
    let parser = || ReplyParser::new(format.clone()).with_tools(&tools());
    let mut starts = vec![("at the start", parser())];
    if format.reasoning.is_some() || format.headers.is_some() {
        starts.push(("in reasoning", parser().starting_in_reasoning()));
    }
    starts.push(("in content", parser().starting_in_content()));
    let grammar = parser().grammar(&GrammarOptions::new().with_widen(true)).unwrap();
    if let Some(Trigger::Word(word)) = grammar.and_then(|it| it.triggers.into_iter().next()) {
        let half = word.char_indices().nth(word.chars().count() / 2).unwrap().0;
        starts.push(("after an opener", parser().with_prompt_tail(&word)));
        starts.push(("in an opener", parser().with_prompt_tail(&word[..half])));
    }
    let schema =
        Value::from_json(r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#);
    let options = ReplyOptions::default().with_content_schema(schema.unwrap());
    starts.push(("with a schema", parser().with_options(options)));
    starts
}

#[test]
fn a_structural_tag_admits_what_the_other_forms_admit() {
    let (mut grammars, mut texts, mut admitted) = (0, 0, 0);
    for (name, template) in templates() {
        let format = template.format().unwrap();
        if format.tools.is_none() {
            continue;
        }
        for (start, parser) in starts(format) {
            // A start matters in two cases: the model may call a tool, or it must call one.
            let few = start != "at the start";
            let requests = requests();
            for options in if few { &requests[..2] } else { &requests[..] } {
                let Some(grammar) = parser.grammar(options).unwrap() else { continue };
                let what = format!("{name}, {start}, {options:?}");
                let forms = Forms::new(&grammar, format, true);
                let must_call = options.tool_choice != ToolChoice::Auto;
                grammars += 1;
                for seed in 0..DRAWN {
                    let dice = &mut Dice::new(seed);
                    let text = forms.gbnf.sample(dice, 30, seed % 2 == 0);
                    assert!(forms.tag.admits(&text), "{what}: {text:?}\n{}", forms.shown);
                    let reply = parser.parse(&text);
                    if must_call && options.start == GrammarStart::FirstToken {
                        let calls = reply.calls().iter().filter(|call| call.complete).count();
                        assert!(calls > 0, "{what}: {text:?} is read as {reply:?}");
                        assert!(reply.malformed().is_empty(), "{what}: {text:?}: {reply:?}");
                    }
                    let drawn = forms.tag.sample(dice, 30, seed % 2 == 0);
                    for text in [mutate(&text, dice), mutate(&drawn, dice), drawn] {
                        forms.agree_on(&text, &what);
                        admitted += usize::from(forms.admits(&text));
                        texts += 1;
                    }
                }
            }
        }
    }
    println!("{texts} texts of {grammars} grammars, {admitted} admitted");
    assert!(grammars > 0 && admitted > 0 && admitted < texts);
}
