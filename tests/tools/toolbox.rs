//! A toolbox runs the tool that a call names.

use typed_prompty::tools::{AsyncToolbox, Tool, ToolErrorKind, Toolbox, tool};

use super::functions::block_on;
use super::{SendArguments, Weather, call, text};

/// Waits.
#[tool]
async fn wait(seconds: u32) -> String {
    std::future::ready(format!("waited {seconds} s")).await
}

#[test]
fn a_toolbox_dispatches_by_name() {
    let warm = ["Rome".to_owned()];
    let toolbox = Toolbox::new()
        .with(SendArguments::answer)
        .with(|weather: Weather| Ok::<_, String>(warm.contains(&weather.city)));
    let names: Vec<String> = toolbox.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["send", "weather"]);
    assert_eq!(text(&toolbox.answer(&call("weather", r#"{"city": "Rome"}"#))), "true");
    assert_eq!(text(&toolbox.answer(&call("send", r#"{"to": "a", "text": "bc"}"#))), "2");
    let failed = toolbox.answer(&call("send", r#"{"to": "nobody", "text": ""}"#));
    assert_eq!(text(&failed), "error: unknown recipient `nobody`");
    assert_eq!((failed.call_id.as_str(), failed.name.as_str()), ("call_1", "send"));
    let unknown = toolbox.call(&call("later", "{}")).unwrap_err();
    assert_eq!(unknown.help(), Some("available tools: `send`, `weather`"));
    assert_eq!(format!("{toolbox:?}"), r#"{"send", "weather"}"#);
}

#[test]
fn a_later_function_replaces_an_earlier_one() {
    let toolbox =
        Toolbox::new().with(|_: Weather| Ok::<_, String>(1)).with(|_: Weather| Ok::<_, String>(2));
    assert_eq!(toolbox.tools(), [Weather::tool()]);
    assert_eq!(text(&toolbox.answer(&call("weather", r#"{"city": ""}"#))), "2");
}

#[test]
fn a_toolbox_may_wait_and_be_used_from_any_thread() {
    let toolbox = AsyncToolbox::new().with(SendArguments::answer).with_async(WaitArguments::answer);
    let wait = call("wait", r#"{"seconds": 3}"#);
    let answers = std::thread::scope(|scope| {
        let one = is_send(async { toolbox.answer(&wait).await });
        let one = scope.spawn(move || block_on(one));
        let two = block_on(toolbox.answer(&call("send", r#"{"to": "a", "text": "bc"}"#)));
        (text(&one.join().unwrap()).to_owned(), text(&two).to_owned())
    });
    assert_eq!(answers, ("waited 3 s".to_owned(), "2".to_owned()));
    let error = block_on(toolbox.call(&call("wait", "{}"))).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Arguments);
    assert_eq!(toolbox.tools().len(), 2);
}

fn is_send<T: Send>(value: T) -> T {
    value
}
