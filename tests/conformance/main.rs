//! Runs the project's own cases, in `cases`, and the reference cases in the folder that
//! `PROMPTY_CONFORMANCE` names. Both have the same form. The program prints a line for each area,
//! followed by its failures. `skipped_cases.md` describes the rules that the lines name.
//!
//! `cargo test --test conformance -- --nocapture`
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic is a failed case"
)]

mod agently_export;
mod agently_outputs;
mod agently_replies;
mod agently_shapes;
mod agently_slots;
mod agently_stream;
mod chat_analysis;
mod chat_renamed;
mod chat_templates;
mod compare;
#[path = "../../crates/prompty-reply/tests/reply/properties/drawn_replies.rs"]
mod drawn_replies;
mod frame;
mod frontmatter;
mod grammars;
mod handlebars;
mod jinja_ast;
mod kernel;
mod kernel_basic;
mod kernel_config;
mod kernel_messages;
mod kernel_rules;
mod layouts;
mod load;
mod mistakes;
mod mustache;
mod nonce;
mod outputs;
mod outputs_policy;
mod parse;
mod prompt;
mod render;
mod render_segments;
mod replies;
mod replies_of_others;
mod reply_grammars;
mod role_line;
mod skipped_cases;
mod validate;
mod wild_jinja;
mod wild_prompty;
mod wire;
mod wire_forms;
mod wire_prompty;
mod wire_replay;
mod wire_requests;
mod wire_streams;

use std::path::Path;
use std::thread;

use frame::{Area, Report};

/// The areas in the order of the report. To add an area, add a module with `run` and a line here.
const AREAS: &[Area] = &[
    Area::new("prompty/frontmatter", frontmatter::run),
    Area::new("prompty/load", load::run),
    Area::new("prompty/endpoint_trust", load::run),
    Area::new("prompty/validate", validate::run),
    Area::new("prompty/render", render::run),
    Area::new("prompty/jinja", render::run),
    Area::new("prompty/jinja_ast", jinja_ast::run),
    Area::new("prompty/render_segments", render_segments::run),
    Area::new("prompty/role_line", role_line::run),
    Area::new("prompty/parse", parse::run),
    Area::new("prompty/nonce", nonce::run),
    Area {
        file: Some("wild-prompts/prompty/cases"),
        at_least: 0.98,
        ..Area::new("wild-prompts/prompty", wild_prompty::run)
    },
    Area::new("semantic-kernel/config", kernel_config::run),
    Area::new("chat-templates/renders", chat_templates::render),
    Area {
        file: Some("chat-templates/renders"),
        ..Area::new("chat-templates/prompts", chat_templates::prompt)
    },
    Area {
        file: Some("chat-templates/reply_cases"),
        ..Area::new("chat-templates/reply_prompts", chat_templates::prompt)
    },
    Area {
        file: Some("chat-templates/analysis"),
        ..Area::new("chat-templates/capabilities", chat_templates::capabilities)
    },
    Area::new("chat-templates/jinja_cases", chat_templates::jinja),
    Area::new("chat-templates/analysis", chat_analysis::run),
    Area {
        file: Some("chat-templates/analysis"),
        ..Area::new("chat-templates/analysis, markers renamed", chat_renamed::run)
    },
    Area { at_least: 0.98, ..Area::new("chat-templates/reply_cases", replies::reply) },
    Area::new("chat-templates/roundtrip_cases", replies::roundtrip),
    Area { at_least: 0.985, ..Area::new("wild/roundtrip_cases", replies::roundtrip) },
    Area {
        file: Some("wild/roundtrip_cases"),
        ..Area::new("wild/true calls", replies::calls_are_true)
    },
    Area { at_least: 0.96, ..replies_of_others::WELLFORMED },
    replies_of_others::MALFORMED,
    Area { at_least: 0.0, ..replies_of_others::MALFORMED_AS_STATED },
    Area { at_least: 0.0, ..replies_of_others::UNTYPED },
    Area { at_least: 0.0, ..replies_of_others::DISPUTED },
    replies_of_others::TRUE_CALLS,
    Area {
        file: Some("chat-templates/reply_cases"),
        // The parser reads text after a call as content, but the grammars do not admit it.
        at_least: 0.99,
        ..Area::new("chat-templates/grammar_check", reply_grammars::check)
    },
    Area {
        file: Some("wild-prompts/jinja/cases"),
        at_least: 0.98,
        ..Area::new("wild-prompts/jinja", wild_jinja::run)
    },
    Area { file: Some("handlebars/cases"), ..Area::new("handlebars", handlebars::javascript) },
    Area::new("semantic-kernel/handlebars", handlebars::semantic_kernel),
    Area::new("semantic-kernel/tokenizer", kernel_basic::tokenizer),
    Area::new("semantic-kernel/blocks", kernel_basic::block),
    Area::new("semantic-kernel/render", kernel_basic::render),
    Area::new("semantic-kernel/messages", kernel_messages::messages),
    Area::new("semantic-kernel/injection", kernel_messages::template),
    Area::new("semantic-kernel/jinja2", kernel_messages::template),
    Area::new("semantic-kernel/adr", kernel_messages::template),
    Area { file: Some("mustache/cases"), ..Area::new("mustache", mustache::run) },
    Area::new("outputs/locate", outputs::run),
    Area::new("outputs/repair", outputs::run),
    Area::new("outputs/complete", outputs::run),
    Area::new("outputs/coerce", outputs::run),
    Area::new("outputs/stream", outputs::stream),
    Area::new("outputs/invalid", outputs::run),
    Area::new("agently/output_requirements", agently_outputs::requirement),
    Area::new("agently/output_format_defaults", agently_outputs::format),
    Area::new("agently/output_model", agently_outputs::validate),
    Area::new("agently/prompt_text", agently_slots::text),
    Area::new("agently/prompt_messages", agently_slots::messages),
    Area::new("agently/placeholders", agently_slots::operations),
    Area::new("agently/prompt_state", agently_slots::operations),
    Area::new("agently/prompt_export", agently_export::run),
    Area::new("agently/yaml_style", agently_slots::yaml),
    Area::new("agently/json_locate", agently_replies::locate),
    Area::new("agently/json_complete", agently_replies::complete),
    Area::new("agently/json_repair", agently_replies::repair),
    Area::new("agently/output_parse", agently_replies::parse),
    Area::new("agently/streaming_parse", agently_stream::run),
    Area::new("chat-templates/schema_grammar", grammars::schema),
    Area::new("chat-templates/grammar_match", grammars::matches),
];

/// The share of formats for which all parsers agree with the layout on every generated reply.
const LAYOUTS_AT_LEAST: f64 = 1.0;

/// The share of mistakes and correct programs for which the compiler must report what is expected.
const MISTAKES_AT_LEAST: f64 = 0.98;

/// The project has its own cases for each area, and all of them pass.
#[test]
fn own_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/cases");
    let reports = run_areas(&folder);
    show("own", &reports);
    let failing: Vec<_> = reports.iter().filter(|report| !report.all_passed()).collect();
    assert!(
        failing.is_empty(),
        "{} areas have no cases or a failed case, see above",
        failing.len()
    );
    skipped_cases::check_areas(&reports);
}

#[test]
fn reference_cases() {
    let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") else {
        println!("`PROMPTY_CONFORMANCE` is not set: only the project's own cases were run");
        return;
    };
    let reports = run_areas(folder.as_ref());
    show("reference", &reports);
    let failing: Vec<_> = reports.iter().filter(|report| !report.has_enough_passes()).collect();
    assert!(failing.is_empty(), "{} areas have too many failed cases, see above", failing.len());
    skipped_cases::check_areas(&reports);
}

/// Prints the reports, and writes them to a file from which CI prints them.
fn show(set: &str, reports: &[Report]) {
    let text: String = reports.iter().map(|report| format!("{report}\n")).collect();
    println!("{text}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-{set}.txt"));
    std::fs::write(file, text).unwrap();
}

/// Runs all areas with the cases in a folder.
fn run_areas(folder: &Path) -> Vec<Report> {
    // A part of the names of the areas to run. Useful while working on some of them.
    let only = std::env::var("PROMPTY_AREAS").unwrap_or_default();
    let is_wanted = |name: &str| name.contains(only.as_str());
    let all = AREAS
        .iter()
        .chain(&wire_prompty::AREAS)
        .chain(&wire::AREAS)
        .chain(&wire_streams::AREAS)
        .chain(&wire_requests::AREAS)
        .chain(&wire_replay::AREAS);
    let areas: Vec<_> = all.filter(|area| is_wanted(area.name)).collect();
    thread::scope(|scope| {
        let layouts = is_wanted("replies/layouts")
            .then(|| scope.spawn(|| layouts::run(folder, LAYOUTS_AT_LEAST)));
        let mistakes =
            is_wanted("mistakes").then(|| scope.spawn(|| mistakes::run(folder, MISTAKES_AT_LEAST)));
        let mut reports = frame::in_parallel(&areas, |area| frame::run(area, folder));
        reports.extend(layouts.into_iter().chain(mistakes).map(|it| it.join().unwrap()));
        reports
    })
}
