//! Runs the reference cases that `PROMPTY_CONFORMANCE` points to: one line an area, below it what
//! fails.
//!
//! `cargo test --test conformance -- --nocapture`
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic is a failed case"
)]

mod chat_analysis;
mod chat_renamed;
mod chat_templates;
mod compare;
mod frame;
mod frontmatter;
mod grammars;
mod jinja_ast;
mod load;
mod nonce;
mod parse;
mod prompt;
mod render;
mod render_segments;
mod replies;
mod reply_grammars;
mod role_line;
mod validate;

use frame::Area;

/// The areas, in the order of the report. A new one is a module with `run`, and a line here.
const AREAS: &[Area] = &[
    Area::of("prompty/frontmatter", frontmatter::run),
    Area::of("prompty/load", load::run),
    Area::of("prompty/endpoint_trust", load::run),
    Area::of("prompty/validate", validate::run),
    Area::of("prompty/render", render::run),
    Area::of("prompty/jinja", render::run),
    Area::of("prompty/jinja_ast", jinja_ast::run),
    Area::of("prompty/render_segments", render_segments::run),
    Area::of("prompty/role_line", role_line::run),
    Area::of("prompty/parse", parse::run),
    Area::of("prompty/nonce", nonce::run),
    Area::of("chat-templates/renders", chat_templates::render),
    Area {
        file: Some("chat-templates/renders"),
        ..Area::of("chat-templates/prompts", chat_templates::prompt)
    },
    Area {
        file: Some("chat-templates/reply_cases"),
        ..Area::of("chat-templates/reply_prompts", chat_templates::prompt)
    },
    Area {
        file: Some("chat-templates/analysis"),
        ..Area::of("chat-templates/capabilities", chat_templates::capabilities)
    },
    Area::of("chat-templates/jinja_cases", chat_templates::jinja),
    Area::of("chat-templates/analysis", chat_analysis::run),
    Area {
        file: Some("chat-templates/analysis"),
        ..Area::of("chat-templates/analysis, markers renamed", chat_renamed::run)
    },
    Area { at_least: 0.98, ..Area::of("chat-templates/reply_cases", replies::reply) },
    Area::of("chat-templates/roundtrip_cases", replies::roundtrip),
    Area {
        file: Some("chat-templates/reply_cases"),
        // Text behind a call is content to the parser, and nothing that a grammar asks for.
        at_least: 0.99,
        ..Area::of("chat-templates/grammar_check", reply_grammars::check)
    },
    Area::of("chat-templates/schema_grammar", grammars::schema),
    Area::of("chat-templates/grammar_match", grammars::matches),
];

#[test]
fn reference_cases() {
    let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") else {
        println!("PROMPTY_CONFORMANCE is not set: no reference case was run");
        return;
    };
    let reports: Vec<_> = AREAS.iter().map(|area| frame::run(area, folder.as_ref())).collect();
    reports.iter().for_each(|report| println!("{report}"));
    let missed: Vec<_> = reports.iter().filter(|report| !report.is_reached()).collect();
    assert!(missed.is_empty(), "{} areas are not as they should be, see above", missed.len());
}
