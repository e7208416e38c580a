#![no_implicit_prelude]

use ::typed_prompty as prompts;

#[derive(prompts::output::Partial, ::serde::Deserialize)]
#[partial(crate = prompts, name = Draft, no_prelude)]
pub struct Answer {
    /// What stands at the top.
    pub r#type: ::std::string::String,
    #[partial(whole)]
    pub foreign: Foreign,
    tone: ::std::option::Option<Tone>,
}

// No `Debug`, no `Clone`: nothing that the derive writes asks for them.
#[derive(::serde::Deserialize)]
pub struct Foreign(u8);

#[derive(prompts::output::Partial, ::serde::Deserialize)]
#[partial(no_prelude)]
enum Tone {
    Calm,
}

#[derive(prompts::output::Partial, ::serde::Deserialize)]
#[partial(crate = prompts, derive(::std::clone::Clone), no_prelude)]
struct Empty {}

#[test]
fn main() {
    let draft: Draft = ::std::default::Default::default();
    let _ = (&draft.r#type, &draft.foreign, &draft.tone);
    let _ = ::std::format!("{draft:?}");
    let _ = <PartialEmpty as ::std::clone::Clone>::clone(&PartialEmpty {});
    let _ = (|it: Answer| (it.r#type, it.foreign.0, it.tone), || Tone::Calm, Empty {});
}
