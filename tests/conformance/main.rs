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

mod chat_templates;
mod compare;
mod frame;
mod frontmatter;
mod jinja_ast;
mod load;
mod nonce;
mod parse;
mod prompt;
mod render;
mod render_segments;
mod replies;
mod role_line;
mod validate;

use frame::Area;

/// The areas, in the order of the report. A new one is a module with `run`, and a line here.
const AREAS: &[Area] = &[
    Area { name: "prompty/frontmatter", file: None, run: frontmatter::run },
    Area { name: "prompty/load", file: None, run: load::run },
    Area { name: "prompty/endpoint_trust", file: None, run: load::run },
    Area { name: "prompty/validate", file: None, run: validate::run },
    Area { name: "prompty/render", file: None, run: render::run },
    Area { name: "prompty/jinja", file: None, run: render::run },
    Area { name: "prompty/jinja_ast", file: None, run: jinja_ast::run },
    Area { name: "prompty/render_segments", file: None, run: render_segments::run },
    Area { name: "prompty/role_line", file: None, run: role_line::run },
    Area { name: "prompty/parse", file: None, run: parse::run },
    Area { name: "prompty/nonce", file: None, run: nonce::run },
    Area { name: "chat-templates/renders", file: None, run: chat_templates::render },
    Area {
        name: "chat-templates/prompts",
        file: Some("chat-templates/renders"),
        run: chat_templates::prompt,
    },
    Area {
        name: "chat-templates/reply_prompts",
        file: Some("chat-templates/reply_cases"),
        run: chat_templates::prompt,
    },
    Area { name: "chat-templates/jinja_cases", file: None, run: chat_templates::jinja },
    Area { name: "chat-templates/reply_cases", file: None, run: replies::reply },
    Area { name: "chat-templates/roundtrip_cases", file: None, run: replies::roundtrip },
];

#[test]
fn reference_cases() {
    let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") else {
        println!("PROMPTY_CONFORMANCE is not set: no reference case was run");
        return;
    };
    let reports: Vec<_> = AREAS.iter().map(|area| frame::run(area, folder.as_ref())).collect();
    reports.iter().for_each(|report| println!("{report}"));
    let failed: usize = reports.iter().map(|report| report.failed.len()).sum();
    assert_eq!(failed, 0, "{failed} reference cases fail, see above");
}
