//! A program that uses each enabled feature, and each combination of two features.
//! `.ci/each-feature` builds it with each pair.
#![allow(missing_docs, clippy::missing_errors_doc, reason = "the code is only compiled")]

use std::error::Error;

use typed_prompty::Message;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The messages of every program.
pub fn messages() -> Vec<Message> {
    vec![Message::system("Be brief."), Message::user("Why?")]
}

#[cfg(feature = "macros")]
pub mod macros {
    use super::{Message, Result};
    use typed_prompty::{Prompt, prompt};

    prompt!(pub Greeting { name: &str }, "user:\nHello {{ name | upper }}!");

    #[derive(Debug, Prompt)]
    #[prompt(source = "user:\n{{# names }}{{ . }}{{/ names }}", format = "mustache")]
    pub struct Names {
        pub names: Vec<String>,
    }

    pub fn messages() -> Result<Vec<Message>> {
        Ok(Greeting { name: "Ada" }.messages()?)
    }
}

#[cfg(all(feature = "macros", feature = "render"))]
pub mod macros_and_render {
    use super::Result;
    use crate::macros::Greeting;
    use typed_prompty::{Definition, LoadOptions, StaticDefinition};

    pub fn definition(definition: &'static StaticDefinition) -> Result<Definition> {
        let _ = Greeting { name: "Ada" };
        Ok(definition.load(&LoadOptions::new())?)
    }
}

#[cfg(all(feature = "macros", feature = "output"))]
pub mod macros_and_output {
    use super::Result;
    use typed_prompty::prompt;

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    pub struct City {
        pub name: String,
    }

    prompt!(
        #[prompt(output = City)]
        Ask { place: &str },
        "user:\nWhere is {{ place }}?\n{{ output_requirement }}"
    );

    pub fn city(reply: &str) -> Result<String> {
        Ok(Ask::parse(reply)?.value.name)
    }
}

#[cfg(all(feature = "macros", feature = "slots"))]
pub mod macros_and_slots {
    use super::{Message, Result};
    use typed_prompty::Prompt;
    use typed_prompty::slots::SlotPrompt;

    #[derive(Debug, Prompt)]
    #[prompt(slots(system = "Be brief."))]
    pub struct Ask<'a> {
        #[prompt(slot = "input")]
        pub question: &'a str,
    }

    pub fn messages() -> Result<Vec<Message>> {
        Ok(Ask { question: "Why?" }.to_messages()?)
    }
}

#[cfg(all(feature = "macros", feature = "local"))]
pub mod macros_and_local {
    use typed_prompty::chat_template;

    chat_template!(
        Local,
        source = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}",
    );
}

#[cfg(feature = "render")]
pub mod render {
    use super::{Message, Result};
    use typed_prompty::{Definition, Pipeline};

    pub fn messages() -> Result<Vec<Message>> {
        let definition =
            Definition::from_text("---\ninputs:\n  who: World\n---\nuser:\nHello {{ who }}!")?;
        Ok(Pipeline::new(&definition)?.prepare([("who", "Ada")])?)
    }
}

#[cfg(feature = "languages")]
pub mod languages {
    use super::{Message, Result};
    use typed_prompty::render::PipelineBuilder;

    pub fn messages() -> Result<Vec<Message>> {
        let pipeline =
            PipelineBuilder::from_text("hello", "user:\nHello {{ who }}!").with_format("mustache");
        Ok(pipeline.build()?.prepare([("who", "Ada")])?)
    }
}

#[cfg(feature = "slots")]
pub mod slots {
    use super::Result;
    use typed_prompty::slots::Slots;

    pub fn text() -> Result<String> {
        Ok(Slots::new().with_input("Why?").to_text()?)
    }
}

#[cfg(feature = "output")]
pub mod output {
    use super::Result;
    use typed_prompty::output::Output;

    pub fn colours(reply: &str) -> Result<Vec<String>> {
        Ok(Output::<Vec<String>>::new().parse(reply)?.value)
    }
}

#[cfg(feature = "tools")]
pub mod tools {
    use typed_prompty::message::{ToolCall, ToolResult};
    use typed_prompty::tools::{Tool, Toolbox};

    /// Looks a word up.
    #[derive(Debug, Tool, serde::Deserialize, schemars::JsonSchema)]
    pub struct LookUp {
        pub word: String,
    }

    pub fn answer(call: &ToolCall) -> ToolResult {
        Toolbox::new().with(|found: LookUp| Ok::<_, String>(found.word)).answer(call)
    }
}

#[cfg(feature = "wire")]
pub mod wire {
    use super::{Message, Result};
    use typed_prompty::reply::Reply;
    use typed_prompty::wire::Request;

    pub fn body(messages: &[Message]) -> Result<String> {
        Ok(Request::new("small", messages).with_temperature(0.2).with_streaming().to_json()?)
    }

    pub fn reply(request: &Request<'_>, body: &[u8]) -> Result<Reply> {
        let mut reader = request.reader().with_status(200);
        reader.push_bytes(body);
        Ok(reader.finish()?.complete()?)
    }
}

#[cfg(all(feature = "wire", feature = "output"))]
pub mod wire_and_output {
    use super::Result;
    use typed_prompty::wire::Request;

    pub fn colours(body: &[u8]) -> Result<Vec<String>> {
        let messages = super::messages();
        let request = Request::new("small", &messages).with_output::<Vec<String>>();
        let mut reader = request.reader().typed::<Vec<String>>();
        reader.push_bytes(body);
        Ok(reader.finish()?.complete()?.output()?)
    }
}

#[cfg(all(feature = "wire", feature = "tools"))]
pub mod wire_and_tools {
    use super::Result;
    use crate::tools::LookUp;
    use typed_prompty::tools::{Tool, Toolbox};
    use typed_prompty::wire::{Request, append_turn};

    pub fn next(body: &[u8]) -> Result<Vec<typed_prompty::Message>> {
        let mut messages = super::messages();
        let toolbox = Toolbox::new().with(|found: LookUp| Ok::<_, String>(found.word));
        let reply =
            Request::new("small", &messages).with_tools([LookUp::tool()]).read(200, body)?;
        let results = toolbox.answer_all(reply.calls());
        append_turn(&mut messages, &reply, results)?;
        Ok(messages)
    }
}

#[cfg(feature = "local")]
pub mod local {
    use super::{Message, Result};
    use typed_prompty::chat::{ChatTemplate, PromptOptions};

    pub fn prompt(template: &ChatTemplate, messages: &[Message]) -> Result<String> {
        Ok(template.apply(messages, &[], &PromptOptions::new())?.prompt)
    }
}

#[cfg(all(feature = "local", feature = "output"))]
pub mod local_and_output {
    use typed_prompty::chat::PromptOptions;
    use typed_prompty::output::Output;

    pub fn options() -> PromptOptions {
        PromptOptions::new().with_output(&Output::<Vec<String>>::new())
    }
}

#[cfg(feature = "inventory")]
pub fn prompts() -> usize {
    typed_prompty::inventory::prompts().count()
}

#[cfg(feature = "serde")]
pub fn json() -> Result<String> {
    Ok(serde_json::to_string(&messages())?)
}

#[cfg(feature = "async-openai")]
pub fn provider_messages() -> Result<usize> {
    Ok(typed_prompty::wire::async_openai::messages(&messages())?.len())
}
