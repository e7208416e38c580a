//! Grammars of whole replies: ours admits every reply that the tests of the reference require.

use grammar_testing::Gbnf;
use prompty_core::message::ToolChoice;
use prompty_reply::CallsInReasoning;
use prompty_reply::grammar::{GrammarOptions, ReplyGrammar, Trigger};

use crate::chat_templates::template;
use crate::frame::{Case, Outcome};
use crate::replies::turn;

/// The text that the grammar of a reply must admit: the whole text, or the part from a trigger on.
pub(crate) fn check(case: &Case<'_>) -> Outcome {
    let checked = &case.json["grammar_check"];
    let Some(constrained) = checked["constrained"].as_str().filter(|_| checked["checked"] == true)
    else {
        return Outcome::SetAside("the reference does not hold the reply to a grammar");
    };
    let inputs = &case.json["inputs"];
    let calls = !case.json["expect"]["tool_calls"].as_array().is_none_or(Vec::is_empty);
    if calls && template(case).format().is_ok_and(|format| format.tools.is_none()) {
        return Outcome::SetAside("the template does not render the call's markup");
    }
    let turn = match turn(case, CallsInReasoning::ByOpener) {
        Ok(turn) => turn,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let options = GrammarOptions::new()
        .with_parallel(inputs["parallel_tool_calls"] == true)
        .with_widen(true)
        .with_tool_choice(match inputs["tool_choice"].as_str() {
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            _ => ToolChoice::Auto,
        });
    let grammar = match turn.parser.grammar(&options) {
        Ok(Some(grammar)) => grammar,
        Ok(None) => return Outcome::Failed("there is no grammar".to_owned()),
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let text = held_to(&grammar, constrained, case);
    let gbnf = grammar.to_gbnf();
    match Gbnf::parse(&gbnf) {
        Ok(rules) if rules.admits(text) => Outcome::Passed,
        Ok(_) => Outcome::Failed(format!("{text:?} is not admitted by\n{gbnf}")),
        Err(why) => Outcome::Failed(format!("{why} in\n{gbnf}")),
    }
}

/// The part of the text to which our grammar applies.
fn held_to<'text>(grammar: &ReplyGrammar, constrained: &'text str, case: &Case<'_>) -> &'text str {
    let generated = case.json["llama_cpp"]["generation_prompt"].as_str().unwrap();
    let reply = constrained.strip_prefix(generated).unwrap_or(constrained);
    if !grammar.lazy {
        return reply;
    }
    let words = grammar.triggers.iter().filter_map(|trigger| match trigger {
        Trigger::Word(word) => reply.find(word),
        _ => None,
    });
    words.min().and_then(|start| reply.get(start..)).unwrap_or(reply)
}
