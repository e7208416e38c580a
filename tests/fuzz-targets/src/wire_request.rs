//! Requests of providers: a body that can be read can be written. In its own protocol it is the
//! same, and in another it may be an error.

use prompty_core::value::Value;
use prompty_wire::{Protocol, Request, WireErrorKind};

use crate::inputs::read_data;

const PROTOCOLS: [Protocol; 4] = [
    Protocol::OpenAiChat,
    Protocol::OpenAiCompatible,
    Protocol::OpenAiResponses,
    Protocol::AnthropicMessages,
];

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let Ok(body) = Value::from_json(text) else { return false };
    let mut is_written = false;
    for protocol in PROTOCOLS {
        let request = match Request::from_value(protocol, &body) {
            Ok(request) => request,
            Err(error) => {
                assert_eq!(error.kind(), WireErrorKind::Unreadable);
                continue;
            }
        };
        for other in PROTOCOLS {
            match request.clone().with_protocol(other).to_json() {
                Ok(json) => {
                    assert_round_trip(other, &json);
                    is_written = true;
                }
                Err(error) => assert_eq!(error.kind(), WireErrorKind::Unsupported),
            }
        }
    }
    is_written
}

/// Panics unless a written body is read and written the same.
fn assert_round_trip(protocol: Protocol, json: &str) {
    let body = Value::from_json(json).unwrap();
    let again = Request::from_value(protocol, &body).unwrap();
    assert_eq!(again.to_json().unwrap(), json);
}
