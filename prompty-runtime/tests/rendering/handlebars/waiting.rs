//! Async functions of the host: async renders call them anywhere in an expression.

use std::sync::{Arc, Mutex};

use super::*;
use crate::hosts::wait;
use prompty_runtime::registry::Registry;
use prompty_runtime::render::{Pipeline, PipelineBuilder};

/// `net-get` is async and returns its argument in upper case. Each call is recorded.
fn pipeline(template: &str, calls: &Arc<Mutex<Vec<String>>>) -> Pipeline {
    let calls = Arc::clone(calls);
    let get = move |text: String| {
        let calls = Arc::clone(&calls);
        async move {
            crate::hosts::pause().await;
            calls.lock().unwrap().push(text.clone());
            Ok(text.to_uppercase())
        }
    };
    let registry = Registry::new().with_async_function("net.get", ["text"], get);
    let builder = PipelineBuilder::from_text("t", template).with_format("handlebars");
    builder.with_registry(&registry).build().unwrap()
}

/// The output of an async render, and the calls in order.
fn waited(template: &str, inputs: &str) -> (String, Vec<String>) {
    let calls = Arc::default();
    let rendered = wait(pipeline(template, &calls).render_async(map(inputs))).unwrap();
    let calls = calls.lock().unwrap().clone();
    (rendered.plain_text().to_string(), calls)
}

#[test]
fn async_functions_are_called_once_and_in_order() {
    let template = "{{net-get 'a'}} {{concat (net-get 'b') (net-get (net-get text='c'))}}";
    let (text, calls) = waited(template, "{}");
    assert_eq!(text, "A BC");
    assert_eq!(calls, ["a", "b", "c", "C"]);
}

#[test]
fn blocks_and_conditions_wait() {
    let template = "{{#each l}}{{#if (equals (net-get this) 'Y')}}{{@index}}{{else if @last}}last\
                    {{/if}}{{/each}}{{set 'n' (net-get 'n')}}{{#with (net-get 'w')}}{{this}}{{../n}}{{/with}}";
    let (text, calls) = waited(template, r#"{"l": ["x", "y", "z"]}"#);
    assert_eq!(text, "1lastWN");
    assert_eq!(calls, ["x", "y", "z", "n", "w"]);
}

#[test]
fn unused_operands_are_not_called() {
    let template = "{{#if a}}1{{else if (net-get 'b')}}2{{/if}}{{or a (net-get 'c')}}\
                    {{or no (net-get 'd') (net-get 'e')}}{{#unless a}}{{net-get 'f'}}{{/unless}}";
    let (text, calls) = waited(template, r#"{"a": "a", "no": ""}"#);
    assert_eq!(text, "1truetrue");
    assert_eq!(calls, ["d"]);
}

#[test]
fn an_async_call_in_a_synchronous_render_is_an_error_with_its_place() {
    let error = pipeline("\n{{#if (net-get 'a')}}x{{/if}}", &Arc::default())
        .render(Map::new())
        .unwrap_err();
    let message = "the function `net-get` is async, and this render cannot wait for it";
    assert_eq!((error.to_string().as_str(), error.place().unwrap().line), (message, 2));
    assert!(error.help().unwrap().contains("prepare_async"));
}
