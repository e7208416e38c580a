//! With invalid settings the service does not start, and its log names the variable.

use crate::ServiceProcess;

/// The log message of a service that does not start.
async fn logged_error(base_url: &str, listen: &str, variable: &str) -> String {
    let service = ServiceProcess::spawn(base_url, listen);
    let line = service
        .logged(|fields| fields["message"].as_str().is_some_and(|it| it.starts_with(variable)));
    let message = line.await["fields"]["message"].as_str().unwrap().to_owned();
    assert_eq!(service.ended().await.code(), Some(1));
    message
}

#[tokio::test]
async fn a_provider_with_an_invalid_url() {
    let message = logged_error("not a url", "127.0.0.1:0", "OPENAI_BASE_URL").await;
    assert!(message.contains("`not a url`"), "{message}");
}

#[tokio::test]
async fn an_invalid_address() {
    let message = logged_error("http://127.0.0.1:1/v1", "nonsense", "LISTEN").await;
    assert!(message.contains("`nonsense`"), "{message}");
}

#[tokio::test]
async fn an_address_that_is_in_use() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let message = logged_error("http://127.0.0.1:1/v1", &address, "LISTEN").await;
    assert!(message.contains(&address), "{message}");
}
