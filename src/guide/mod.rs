//! The guide: one page for each subject.
//!
//! | Start | |
//! |---|---|
//! | [`first_prompt`] | from an empty project to the first messages |
//! | [`coming_from_format`] | for those who write prompts with `format!` |
//! | [`coming_from_askama_or_minijinja`] | for those who write prompts with a template engine |
//! | [`coming_from_prompty_files`] | for those who have `.prompty` files |
//! | [`examples`] | the examples of the repository |
//!
//! | Prompts | |
//! |---|---|
//! | [`prompts_in_files`] | a `.prompty` file as a type |
//! | [`prompts_as_structs`] | your own struct as a prompt |
//! | [`messages_with_captures`] | short messages, as in `format!` |
//! | [`prompts_at_run_time`] | prompts that are known only when the program runs |
//! | [`slots`] | a prompt of standard slots, without a template |
//! | [`inputs_and_types`] | which types an input may have |
//! | [`template_language`] | what a template may say, and how values print |
//! | [`semantic_kernel`] | Semantic Kernel's basic language, and functions that templates call |
//! | [`kernel_configurations`] | Semantic Kernel's prompt configurations; messages as XML and ChatML |
//! | [`templates_of_several_files`] | files that a template includes, imports and extends; white space around tags |
//! | [`message_tags`] | messages between tags, as in Semantic Kernel |
//! | [`messages_and_chat_apis`] | what comes out, how it is read and kept |
//! | [`media_and_threads`] | images, files, sounds and earlier messages |
//! | [`what_the_compiler_says`] | the messages for mistakes, by example |
//! | [`checks`] | every check, with its severity |
//! | [`untrusted_inputs`] | why no input can forge a message |
//! | [`compiled_prompts`] | prompts without a template engine |
//! | [`own_filters_and_engines`] | filters, template languages and parsers of your own |
//!
//! | Models | |
//! |---|---|
//! | [`providers`] | requests to providers, and what they answer |
//! | [`chat_templates`] | from messages to the text that a local model reads |
//! | [`control_tokens`] | data that spells the control tokens of a model |
//! | [`replies`] | reasoning, content and tool calls out of a text |
//! | [`streams`] | a reply as it comes |
//! | [`reply_formats`] | how a model writes, as data |
//! | [`response_templates`] | the same in the form that servers read |
//! | [`tools`] | Rust types and functions as tools |
//! | [`typed_outputs`] | values of your own types out of replies |
//! | [`grammars`] | grammars for local servers |
//!
//! | Around them | |
//! |---|---|
//! | [`testing_prompts`] | tests for prompts and replies |
//! | [`tracing`] | spans, with secrets left out |
//! | [`features_and_build_time`] | the cargo features |
//! | [`figures`] | how fast it is, and how to measure it |
#![cfg_attr(
    not(all(
        feature = "local",
        feature = "inventory",
        feature = "languages",
        feature = "macros",
        feature = "output",
        feature = "render",
        feature = "slots",
        feature = "tools",
        feature = "wire"
    )),
    allow(
        rustdoc::broken_intra_doc_links,
        reason = "the guide names what features bring that are turned off"
    )
)]

/// A page is a file of text beside this one.
macro_rules! pages {
    ($($page:ident),* $(,)?) => {
        $(
            pub mod $page {
                #![doc = include_str!(concat!(stringify!($page), ".md"))]
            }
        )*
    };
}

pages! {
    chat_templates,
    checks,
    coming_from_askama_or_minijinja,
    coming_from_format,
    coming_from_prompty_files,
    compiled_prompts,
    control_tokens,
    examples,
    features_and_build_time,
    figures,
    first_prompt,
    grammars,
    inputs_and_types,
    kernel_configurations,
    media_and_threads,
    message_tags,
    messages_and_chat_apis,
    messages_with_captures,
    own_filters_and_engines,
    prompts_as_structs,
    prompts_at_run_time,
    prompts_in_files,
    providers,
    replies,
    reply_formats,
    response_templates,
    semantic_kernel,
    slots,
    streams,
    template_language,
    templates_of_several_files,
    testing_prompts,
    tools,
    tracing,
    typed_outputs,
    untrusted_inputs,
    what_the_compiler_says,
}
