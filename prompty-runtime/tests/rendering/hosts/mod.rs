//! Renderers and parsers of a host, for tests.

use std::task::{Context, Poll, Waker};

use prompty_check::definition::Definition;
use prompty_core::message::Message;
use prompty_core::value::Map;
use prompty_core::{Error, ErrorKind};
use prompty_runtime::engine::BoxFuture;
use prompty_runtime::nonce::Rendered;
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::registry::{Parser, Registry, Renderer};
use prompty_runtime::render::Pipeline;

/// A prompt from front matter, as a YAML flow mapping without its braces, and a template.
pub(crate) fn definition(front_matter: &str, template: &str) -> Definition {
    Definition::from_text(format!("---\n{{{front_matter}}}\n---\n{template}")).unwrap()
}

/// Runs a future to its end without a runtime.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

/// A future that is pending once, like real asynchronous work.
pub(crate) async fn pause() {
    let mut is_over = false;
    std::future::poll_fn(|_| {
        if is_over {
            Poll::Ready(())
        } else {
            is_over = true;
            Poll::Pending
        }
    })
    .await;
}

/// A renderer that replaces `%`, and a parser that makes a message of each line.
pub(crate) struct Host;

impl Renderer for Host {
    fn render(&self, template: &str, inputs: &Map) -> Result<String, Error> {
        let who = inputs.get("who").map(ToString::to_string).unwrap_or_default();
        Ok(template.replace('%', &who))
    }
}

impl Parser for Host {
    fn parse(&self, rendered: &Rendered, _: OnForgedMarker) -> Result<Vec<Message>, Error> {
        Ok(rendered.plain_text().lines().map(Message::assistant).collect())
    }
}

/// The same renderer and parser, but only their async methods work.
struct AsyncHost;

impl Renderer for AsyncHost {
    fn render(&self, _: &str, _: &Map) -> Result<String, Error> {
        Err(Error::new(ErrorKind::Render, "this renderer only waits"))
    }

    fn render_async<'a>(
        &'a self,
        template: &'a str,
        inputs: &'a Map,
    ) -> BoxFuture<'a, Result<String, Error>> {
        Box::pin(async move {
            pause().await;
            Host.render(template, inputs)
        })
    }
}

impl Parser for AsyncHost {
    fn parse(&self, _: &Rendered, _: OnForgedMarker) -> Result<Vec<Message>, Error> {
        Err(Error::new(ErrorKind::Render, "this parser only waits"))
    }

    fn parse_async<'a>(
        &'a self,
        rendered: &'a Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> BoxFuture<'a, Result<Vec<Message>, Error>> {
        Box::pin(async move {
            pause().await;
            Parser::parse(&Host, rendered, on_forged_marker)
        })
    }
}

pub(crate) fn hosted(format: &str, parser: &str) -> Pipeline {
    let registry = Registry::new()
        .with_renderer("percent", Host)
        .with_parser("lines", Host)
        .with_renderer("waiting", AsyncHost)
        .with_parser("waiting", AsyncHost);
    let template = format!("template: {{format: {{kind: {format}}}, parser: {{kind: {parser}}}}}");
    let definition = definition(&template, "system:\nHi %");
    Pipeline::builder(&definition).with_registry(&registry).build().unwrap()
}
