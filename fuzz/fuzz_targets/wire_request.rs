//! Requests of providers: a body that can be read can be written, in its own protocol again as the same, and in
//! another unless an error says why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::value::Value;
use prompty_wire::{Protocol, Request, WireErrorKind};

const PROTOCOLS: [Protocol; 4] = [
    Protocol::OpenAiChat,
    Protocol::OpenAiCompatible,
    Protocol::OpenAiResponses,
    Protocol::AnthropicMessages,
];

fuzz_target!(|text: &str| {
    let Ok(body) = Value::from_json(text) else { return };
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
                Ok(json) => comes_back(other, &json),
                Err(error) => assert_eq!(error.kind(), WireErrorKind::Unsupported),
            }
        }
    }
});

/// Panics unless what was written is read, and written the same.
fn comes_back(protocol: Protocol, json: &str) {
    let body = Value::from_json(json).unwrap();
    let again = Request::from_value(protocol, &body).unwrap();
    assert_eq!(again.to_json().unwrap(), json);
}
