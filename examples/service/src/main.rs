//! A web service with typed prompts, tools and answers, for any OpenAI-compatible provider.
//!
//! ```sh
//! llama-server -m MODEL.gguf --jinja   # or: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MODEL=… with Ollama
//! cargo run                            # or: OPENAI_API_KEY=… MODEL=gpt-… cargo run
//! curl -N 127.0.0.1:3000/support -H 'content-type: application/json' -d '{"question": "Can I return it?"}'
//! curl 127.0.0.1:3000/triage -H 'content-type: application/json' -d '{"complaint": "The printer burns!"}'
//! curl 127.0.0.1:3000/agent -H 'content-type: application/json' -d '{"question": "Cancel order 17."}'
//! ```
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `OPENAI_BASE_URL` | URL of the provider | OpenAI if there is a key, otherwise
//! `http://127.0.0.1:8080/v1` |
//! | `OPENAI_API_KEY` | the provider's key | no key is sent |
//! | `MODEL` | name of the model | `default`, which llama-server accepts |
//! | `LISTEN` | address of the service | `127.0.0.1:3000` |
//! | `RUST_LOG` | filter of the log | `info` |

// Data from clients and providers must never crash the service.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod failure;
mod prompts;
mod provider;
mod routes;
mod settings;
mod tools;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use provider::Provider;
use settings::{SettingError, Settings};

/// The time that running answers have to finish when the service stops.
const GRACE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> ExitCode {
    // Each span is logged as a line when it ends. A layer of `tracing-opentelemetry` could send the
    // same spans to a collector instead.
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_span_events(FmtSpan::CLOSE)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers requests until the service is stopped.
async fn serve() -> Result<(), Box<dyn Error>> {
    let settings = Settings::from_env()?;
    let unusable = |error: std::io::Error| SettingError::new("LISTEN", &settings.listen, error);
    let listener = TcpListener::bind(&settings.listen).await.map_err(unusable)?;
    let service = routes::service(Provider::new(&settings)?);
    tracing::info!(address = %listener.local_addr()?, "listening");
    axum::serve(listener, service).with_graceful_shutdown(stop()).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Waits for the signal to stop. Running answers can finish within [`GRACE`].
async fn stop() {
    stop_signal().await;
    tracing::info!("stopping after the running answers");
    tokio::spawn(async {
        tokio::time::sleep(GRACE).await;
        tracing::error!("answers are still running; stopping anyway");
        std::process::exit(1);
    });
}

#[cfg(unix)]
async fn stop_signal() {
    use signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => drop(signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn stop_signal() {
    drop(signal::ctrl_c().await);
}
