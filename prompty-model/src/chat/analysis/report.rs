//! What the steps from C1 on found, in words.

use super::probe::Prober;
use crate::reply::format::view::ToolFormat;
use crate::reply::format::{AnalysisResult, ReplyFormat};

/// Notes what the steps from C1 on found.
pub(super) fn of(prober: &mut Prober<'_>, format: &ReplyFormat) {
    let result = AnalysisResult::from_format(format);
    let it = &result.markers;
    let content = (result.content, &it.content_start, &it.content_end);
    prober.note("C1", format_args!("{content:?}"));
    prober.note("T1", format_args!("{:?}, fields {:?}", result.tools, result.parameter_order));
    if format.tools.is_none() {
        return;
    }
    let section = (&it.tool_section_start, &it.tool_section_end);
    let call = (&it.per_call_start, &it.per_call_end);
    prober.note("T2", format_args!("around all calls {section:?}, around each {call:?}"));
    let many = if result.supports_parallel_calls { "many calls" } else { "one call" };
    prober.note("T3", format_args!("{many}, with {:?} between", it.call_separator));
    let name = (&it.func_name_prefix, &it.func_name_suffix, &it.func_close);
    prober.note("T4", format_args!("{name:?}, namespace {:?}", it.function_namespace));
    prober.note("T5", format_args!("between arguments {:?}", it.arg_separator));
    prober.note("T6", format_args!("around arguments {:?}", (&it.args_start, &it.args_end)));
    let id = (result.call_id_pos, &it.call_id_prefix, &it.call_id_suffix);
    prober
        .note("T7", format_args!("{id:?}, fields {:?}", (&result.id_field, &result.gen_id_field)));
    if result.tools == ToolFormat::TagWithTagged {
        prober.note("A1", format_args!("{:?}", (&it.arg_name_prefix, &it.arg_name_suffix)));
        prober.note("A2", format_args!("{:?}", (&it.arg_value_prefix, &it.arg_value_suffix)));
    }
}
