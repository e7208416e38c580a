//! The guide: one page for each subject.
//!
//! | Start | |
//! |---|---|
//! | [`first_prompt`] | from an empty project to the first messages |
//! | [`cookbook`] | short solutions: extract, stream, retry, test, translate |
//! | [`coming_from_format`] | for users of `format!` |
//! | [`coming_from_askama_or_minijinja`] | for users of a template engine |
//! | [`coming_from_prompty_files`] | for users of `.prompty` files |
//! | [`examples`] | the examples of the repository |
//!
//! | Prompts | |
//! |---|---|
//! | [`prompts_in_files`] | a `.prompty` file as a type |
//! | [`prompts_as_structs`] | your own struct as a prompt |
//! | [`messages_with_captures`] | short messages, as in `format!` |
//! | [`text_prompts`] | a template as one text, and texts in other prompts |
//! | [`prompts_at_run_time`] | prompts that a program loads |
//! | [`slots`] | a prompt of standard slots, without a template |
//! | [`inputs_and_types`] | which types an input may have |
//! | [`media_and_threads`] | images, files, audio and earlier messages as inputs |
//! | [`messages_and_chat_apis`] | what a prompt returns, and how to read and store it |
//! | [`what_the_compiler_says`] | the messages for mistakes, by example |
//! | [`checks`] | every check, with its severity |
//! | [`compiled_prompts`] | prompts without a template engine |
//!
//! | Languages | |
//! |---|---|
//! | [`template_language`] | what a template may contain, and how values are printed |
//! | [`white_space`] | which spaces and line breaks arrive in the messages |
//! | [`templates_of_several_files`] | files that a template includes, imports and extends |
//! | [`message_tags`] | messages between tags, as in Semantic Kernel |
//! | [`semantic_kernel`] | Semantic Kernel's basic language, and functions that templates call |
//! | [`kernel_configurations`] | Semantic Kernel's prompt configurations; messages as XML and ChatML |
//! | [`own_filters_and_engines`] | your own filters, template languages and parsers |
//!
//! | Local models | |
//! |---|---|
//! | [`chat_templates`] | from messages to the text that a local model reads |
//! | [`control_tokens`] | data that spells the control tokens of a model |
//! | [`replies`] | reasoning, content and tool calls from the text of a model |
//! | [`streams`] | a reply while it arrives |
//! | [`reply_formats`] | how a model writes, as data |
//! | [`response_templates`] | the same in the form that servers read |
//! | [`grammars`] | grammars for local servers |
//!
//! | Outputs | |
//! |---|---|
//! | [`typed_outputs`] | values of your own types from replies |
//! | [`tools`] | Rust types and functions as tools |
//!
//! | Providers | |
//! |---|---|
//! | [`providers`] | requests to providers, their answers and streams |
//!
//! | Operations | |
//! |---|---|
//! | [`untrusted_inputs`] | why no input can forge a message |
//! | [`testing_prompts`] | tests for prompts and replies |
//! | [`tracing`] | spans, with secrets left out |
//! | [`features_and_build_time`] | the cargo features and platforms |
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
        reason = "the guide links to items of features that are turned off"
    )
)]

/// Declares the pages. Each is a module whose documentation is the Markdown file of that name.
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
    cookbook,
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
    text_prompts,
    tools,
    tracing,
    typed_outputs,
    untrusted_inputs,
    what_the_compiler_says,
    white_space,
}
