//! The view of a format as a classification and markers.

use prompty_reply::format::AnalysisResult;
use prompty_reply::format::view::{CallIdPosition, ReasoningMode, ToolFormat};
use serde_json::json;

use super::{TEMPLATES, analyze, source};

fn view(name: &str) -> AnalysisResult {
    analyze(source(name)).result()
}

#[test]
fn each_format_has_its_classification() {
    let tools = |name| view(name).tools;
    assert_eq!(tools("plain"), ToolFormat::None);
    assert_eq!(tools("json_sequence"), ToolFormat::JsonNative);
    assert_eq!(tools("named_id"), ToolFormat::TagWithJson);
    assert_eq!(tools("headers"), ToolFormat::TagWithJson);
    for name in ["tagged", "tagged_types", "nested", "literal", "literal_token"] {
        assert_eq!(tools(name), ToolFormat::TagWithTagged, "{name}");
    }
    let reasoning = |name| view(name).reasoning;
    assert_eq!(reasoning("plain"), ReasoningMode::None);
    assert_eq!(reasoning("json_sequence"), ReasoningMode::TagBased);
    assert_eq!(reasoning("tagged"), ReasoningMode::ForcedClosed);
    assert_eq!(reasoning("literal"), ReasoningMode::ForcedOpen);
    assert_eq!(reasoning("literal_token"), ReasoningMode::ToolsOnly);
    assert_eq!(view("named_id").call_id_pos, CallIdPosition::BetweenFuncAndArgs);
}

#[test]
fn a_view_serialises_under_the_documented_names() {
    let view = serde_json::to_value(view("json_list")).unwrap();
    assert_eq!(view["content"], "ALWAYS_WRAPPED");
    assert_eq!(view["tools"], "JSON_NATIVE");
    assert_eq!(view["call_id_pos"], "NONE");
    assert_eq!(view["parameter_order"], json!(["no", "do", "args"]));
    assert_eq!(view["gen_id_field"], "no");
    assert_eq!(view["tools_array_wrapped"], true);
    assert_eq!(view["markers"]["tool_section_start"], "[STEPS]");
    let preserved = json!(["[SPEAK]", "[/SPEAK]", "[STEPS]", "[/STEPS]"]);
    assert_eq!(view["preserved_tokens"], preserved);
}

#[test]
fn a_view_round_trips_through_json() {
    for (name, text) in TEMPLATES {
        let result = analyze(text).result();
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<AnalysisResult>(&json).unwrap(), result, "{name}");
    }
}
