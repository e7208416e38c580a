//! The assistant with typed-prompty and `reqwest`.

use reqwest::Response;
use typed_prompty::reply::{Event, FinishReason, Reply};
use typed_prompty::tools::{Toolbox, tool};
use typed_prompty::wire::{Request, WireError, WireErrorKind};
use typed_prompty::{Message, Prompt, prompt};

use crate::shop::{self, Answer, Assistant, Endpoint, Failure, Order, Passage, STEPS, Ticket};

prompt!(
    Support { passages: &[Passage], question: &str },
    "
system:
You answer customers of Contoso. Be friendly and brief.
{% if passages -%}
Answer from these passages only:
{%- for passage in passages %}
[{{ loop.index }}] {{ passage.title }}: {{ passage.text }}
{%- endfor %}
{%- else -%}
Nothing was found. Say so, and offer to ask a colleague.
{%- endif %}

user:
{{ question }}
"
);

/// Looks up an order.
#[tool]
fn order(
    /// The number of the order.
    number: u32,
) -> Result<Order, String> {
    shop::order(number)
}

/// Cancels an order that was not sent yet.
#[tool]
fn cancel(
    /// The number of the order.
    number: u32,
    /// Why the customer does not want it.
    reason: Option<String>,
) -> Result<String, String> {
    shop::cancel(number, reason.as_deref())
}

pub struct WithTypedPrompty {
    provider: Endpoint,
    toolbox: Toolbox<'static>,
}

impl Assistant for WithTypedPrompty {
    fn new(provider: Endpoint) -> Self {
        let toolbox = Toolbox::new().with(OrderArguments::answer).with(CancelArguments::answer);
        Self { provider, toolbox }
    }

    async fn support(
        &self,
        passages: &[Passage],
        question: &str,
        mut on_text: impl FnMut(&str),
    ) -> Result<Answer, Failure> {
        let mut messages = Support { passages, question }.messages().map_err(WireError::from)?;
        let mut tokens = 0;
        for _ in 0..STEPS {
            let request = Request::new(&self.provider.model, &messages)
                .tools(self.toolbox.tools())
                .streaming();
            let mut response = self.send(&request).await?;
            let mut stream = request.reader();
            while let Some(bytes) = response.chunk().await.map_err(transport)? {
                for event in stream.push_bytes(&bytes) {
                    if let Event::Content { text } = event {
                        on_text(text);
                    }
                }
            }
            let reply = whole(stream.finish()?)?;
            tokens += reply.usage().and_then(|usage| usage.total).unwrap_or_default();
            if reply.calls().is_empty() {
                return Ok(Answer { text: reply.content().to_owned(), tokens });
            }
            messages.push(Message::from(&reply));
            messages.extend(reply.calls().iter().map(|call| self.toolbox.answer(call).into()));
        }
        Err(Failure::TooManySteps)
    }

    async fn triage(&self, complaint: &str) -> Result<Ticket, Failure> {
        let mut messages = prompt!(system: "Make a ticket of the complaint.", user: "{complaint}");
        let reply = self.complete(&messages).await?;
        let error = match reply.output() {
            Ok(ticket) => return Ok(ticket),
            Err(error) => error,
        };
        messages.extend([Message::from(&reply), error.correction()]);
        let reply = self.complete(&messages).await?;
        reply.output().map_err(|error| Failure::Unfit(error.to_string()))
    }
}

impl WithTypedPrompty {
    async fn send(&self, request: &Request<'_>) -> Result<Response, Failure> {
        let response = self.provider.post(request.to_json()?).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        match request.read(status.as_u16(), &response.bytes().await.map_err(transport)?) {
            Ok(_) => Err(Failure::CutOff),
            Err(error) => Err(error.into()),
        }
    }

    async fn complete(&self, messages: &[Message]) -> Result<Reply, Failure> {
        let request = Request::new(&self.provider.model, messages).output::<Ticket>();
        let response = self.provider.post(request.to_json()?).await?;
        let status = response.status().as_u16();
        whole(request.read(status, &response.bytes().await.map_err(transport)?)?)
    }
}

fn whole(reply: Reply) -> Result<Reply, Failure> {
    match reply.finish_reason() {
        Some(FinishReason::Length) => Err(Failure::CutOff),
        _ => match reply.refusal() {
            Some(refusal) => Err(Failure::Refused(refusal.to_owned())),
            None => Ok(reply),
        },
    }
}

fn transport(error: reqwest::Error) -> Failure {
    Failure::Transport(error.to_string())
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        match (error.kind(), error.provider()) {
            (_, Some(said)) => {
                Self::Provider { status: said.status, message: said.message.clone() }
            }
            (WireErrorKind::CutOff, _) => Self::CutOff,
            _ => Self::Unreadable(error.to_string()),
        }
    }
}
