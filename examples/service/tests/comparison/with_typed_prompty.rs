//! The assistant with typed-prompty and `reqwest`.

use schemars::JsonSchema;
use serde::Deserialize;
use typed_prompty::reply::Reply;
use typed_prompty::tools::{Tool, Toolbox};
use typed_prompty::wire::{ProviderError, Request, WireError, WireErrorKind, append_turn};
use typed_prompty::{Message, Prompt, prompt};

use crate::shop::{self, Assistant, Endpoint, Failure, Outcome, Passage, Question, STEPS, Ticket};

prompt! { Support { passages: &[Passage], text: &str }, "
system:
You answer customers of Contoso. Be friendly and brief.
{% if not passages %}Nothing was found. Say so, and offer to ask a colleague.
{%- else %}Answer from these passages only:
{%- for passage in passages %}
[{{ loop.index }}] {{ passage.title }}: {{ passage.text }}
{%- endfor %}{% endif %}

user:
{{ text }}
" }

/// Looks up an order.
#[derive(Tool, Deserialize, JsonSchema)]
struct Order {
    /// The number of the order.
    number: u32,
}

/// Cancels an order that was not sent yet.
#[derive(Tool, Deserialize, JsonSchema)]
struct Cancel {
    /// The number of the order.
    number: u32,
    /// Why the customer does not want it.
    reason: Option<String>,
}

pub struct WithTypedPrompty {
    provider: Endpoint,
    toolbox: Toolbox<'static>,
}

impl Assistant for WithTypedPrompty {
    fn new(provider: Endpoint) -> Self {
        let toolbox = Toolbox::new()
            .with(|Order { number }| shop::order(number))
            .with(|Cancel { number, reason }| shop::cancel(number, reason.as_deref()));
        Self { provider, toolbox }
    }

    async fn support(&self, asked: Question<'_>, mut on_text: impl FnMut(&str)) -> Outcome<String> {
        let Question { passages, text } = asked;
        let mut messages = Support { passages, text }.messages().map_err(WireError::from)?;
        for _ in 0..STEPS {
            let request = Request::new(&self.provider.model, &messages);
            let request = request.with_tools(self.toolbox.tools()).with_streaming();
            let reply = self.ask(&request, &mut on_text).await?;
            if reply.calls().is_empty() {
                return Ok(reply.content().to_owned());
            }
            append_turn(&mut messages, &reply, self.toolbox.answer_all(reply.calls()))?;
        }
        Err(Failure::TooManySteps)
    }

    async fn triage(&self, complaint: &str) -> Outcome<Ticket> {
        let mut messages = prompt!(system: "Make a ticket of the complaint.", user: "{complaint}");
        loop {
            let request = Request::new(&self.provider.model, &messages).with_output::<Ticket>();
            let reply = self.ask(&request, |_| {}).await?;
            match reply.output() {
                Ok(ticket) => return Ok(ticket),
                Err(error) if messages.len() > 2 => return Err(Failure::Unfit(error.to_string())),
                Err(error) => messages.extend([Message::from(&reply), error.correction()]),
            }
        }
    }
}

impl WithTypedPrompty {
    async fn ask(&self, request: &Request<'_>, mut on_text: impl FnMut(&str)) -> Outcome<Reply> {
        let mut response = self.provider.post(request.to_json()?).await?;
        let mut stream = request.reader().with_status(response.status().as_u16());
        while !stream.is_over()
            && let Some(bytes) = response.chunk().await?
        {
            stream.push_bytes(&bytes).content().for_each(&mut on_text);
        }
        let reply = stream.finish()?;
        let usage = reply.usage().copied().unwrap_or_default();
        self.provider.log(reply.id(), reply.model(), usage.input, usage.output);
        Ok(reply.complete().map_err(WireError::from)?)
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        let is_retryable = error.is_retryable();
        match (error.kind(), error.provider()) {
            (_, Some(ProviderError { status, message, .. })) => {
                Self::Provider { status: *status, message: message.clone(), is_retryable }
            }
            (WireErrorKind::CutOff, _) => Self::CutOff,
            (WireErrorKind::Refused, _) => Self::Refused(error.to_string()),
            _ => Self::Unreadable(error.to_string()),
        }
    }
}
