//! Structs, functions and sets, with and without options.
#![deny(warnings)]

use typed_prompty::message::{ToolCall, ToolSpec};
use typed_prompty::tools::{AsyncToolbox, Call, Tool, ToolError, ToolSet, Toolbox, tool};

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(name = "get-weather", crate = typed_prompty)]
pub struct Weather {
    /// The city.
    pub city: String,
    r#type: Option<u8>,
}

/// A page.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
pub struct Page<T>
where
    T: Clone,
{
    number: T,
}

/// Private.
#[tool]
fn hidden() {}

/// Sends.
#[tool(name = "post", description = "Posts.", arguments = Post, derive(Debug, Clone))]
pub async fn send(
    #[tool(context)] given: &str,
    #[tool(context)] all: &mut Vec<String>,
    mut to: String,
    #[tool(description = "What it says.")]
    #[serde(default)]
    text: String,
    call: Option<bool>,
) -> std::io::Result<()> {
    to.push_str(given);
    all.push(to + &text + if call.is_some() { "!" } else { "" });
    Ok(())
}

#[derive(ToolSet)]
#[tool(crate = "typed_prompty")]
enum Action {
    Weather(Weather),
    Page(Page<u32>),
    Post(Post),
    Hidden(HiddenArguments),
}

fn carry_out(call: &impl Call) -> Result<(), ToolError> {
    match Action::from_call(call)? {
        Action::Weather(weather) => drop((weather.city, weather.r#type)),
        Action::Page(page) => assert_eq!(page.number, 1),
        Action::Post(post) => drop(post.answer("", &mut Vec::new())),
        Action::Hidden(hidden) => hidden.call(),
    }
    Ok(())
}

#[test]
fn main() {
    /// Of a function's body.
    #[tool]
    fn inner(number: u8) -> u8 {
        number
    }

    let told: Vec<ToolSpec> = Action::tools();
    assert_eq!(told.len(), Action::NAMES.len());
    assert!(carry_out(&ToolCall::new("", "hidden", "")).is_ok());
    let given = String::new();
    let toolbox = Toolbox::new().with(InnerArguments::answer);
    assert_eq!(toolbox.tools().len(), 1);
    let toolbox = AsyncToolbox::new().with_async(|post: Post| {
        let given = given.as_str();
        async move { post.answer(given, &mut Vec::new()).await }
    });
    assert_eq!(toolbox.tools().len(), 1);
}
