//! Grammars of complete replies: ours admits every reply that the tests of the reference require.

use grammar_testing::Gbnf;
use prompty_core::message::ToolChoice;
use prompty_reply::CallsInReasoning;
use prompty_reply::grammar::{GrammarOptions, ReplyGrammar, Trigger};

use crate::chat_templates::template;
use crate::frame::{Case, Outcome, Rule};
use crate::replies::turn;

const UNCONSTRAINED: Rule =
    Rule::named("the reference does not constrain the reply with a grammar");
const NO_MARKUP: Rule = Rule::named("the template does not render the call's markup");

/// Checks that the grammar admits a reply: the complete text, or the part that begins with a
/// trigger.
pub(crate) fn check(case: &Case<'_>) -> Outcome {
    let checked = &case.json["grammar_check"];
    let Some(constrained) = checked["constrained"].as_str().filter(|_| checked["checked"] == true)
    else {
        return Outcome::Skipped(UNCONSTRAINED);
    };
    let inputs = &case.json["inputs"];
    let calls = !case.json["expect"]["tool_calls"].as_array().is_none_or(Vec::is_empty);
    if calls && template(case).format().is_ok_and(|format| format.tools.is_none()) {
        return Outcome::Skipped(NO_MARKUP);
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
        Ok(None) => return Outcome::Failed("the turn has no grammar".to_owned()),
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let text = constrained_part(&grammar, constrained, case);
    let gbnf = grammar.to_gbnf();
    match Gbnf::parse(&gbnf) {
        Ok(rules) if rules.admits(text) => Outcome::Passed,
        Ok(_) => Outcome::Failed(format!("{text:?} is not admitted by\n{gbnf}")),
        Err(why) => Outcome::Failed(format!("{why} in\n{gbnf}")),
    }
}

/// The part of the text to which our grammar applies.
fn constrained_part<'text>(
    grammar: &ReplyGrammar,
    constrained: &'text str,
    case: &Case<'_>,
) -> &'text str {
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
