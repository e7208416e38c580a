//! Response templates of replies that are several messages, each with a header. For the opener
//! `<|channel|>commentary to=functions\.(?P<name>\w+).*?<|message|>` of calls, the recipient is
//! `<|channel|>commentary to=`, the namespace `functions.`, and the end of the header
//! `<|message|>`.

use super::fields::TemplateField;
use super::named_calls::NamedCallField;
use super::pattern::PatternPart;
use crate::format::{Arguments, Headers, Marker, NamePlace, NamedCall, ReplyFormat, Suffix, Text};

/// Reads the fields. All openers end with the same marker. In the openers of calls, the recipient's
/// name is directly before varying text and that marker.
pub(super) fn read(
    calls: &TemplateField<'_>,
    reasoning: Option<&TemplateField<'_>>,
    content: Option<&TemplateField<'_>>,
    format: &mut ReplyFormat,
) -> Result<(), String> {
    let open = calls.opener()?;
    let misplaced_varying_text =
        || format!("`{}`: `.*?` is only supported after the name in a header", open.place);
    let mut parts = open.pieces.splitn(2, |piece| *piece == PatternPart::Any);
    let (Some(header), Some(end)) = (parts.next(), parts.next()) else {
        return Err(misplaced_varying_text());
    };
    let end = open.marker_of(end)?;
    let recipient = match header.split_last() {
        Some((PatternPart::Named(group), recipient)) if group == "name" && !end.is_none() => {
            recipient
        }
        _ => return Err(misplaced_varying_text()),
    };
    let recipient = open.marker_of(recipient)?.to_string();
    // The recipient ends with `=` or `:`, as in `to=functions.`. The rest is the namespace.
    let (recipient, namespace) = match recipient.rsplit_once(['=', ':']) {
        Some((before, namespace)) => {
            let with_sign = recipient.get(..before.len() + 1).unwrap_or(before);
            (with_sign.to_owned(), namespace.to_owned())
        }
        None => (recipient, String::new()),
    };
    let mut headers = Headers {
        open: Marker::new(&format.turn.open),
        end,
        recipient: recipient.into(),
        namespace: namespace.clone().into(),
        ..Headers::default()
    };
    let mut closers = calls.closer()?.markers()?;
    for (field, is_reasoning) in [(reasoning, true), (content, false)] {
        let Some(field) = field else { continue };
        let (openers, more) = field.body()?;
        let heads = openers.iter().map(|marker| {
            let marker = marker.to_string();
            let head = marker.strip_suffix(&headers.end.to_string()).map(str::to_owned);
            head.map(Text::Owned).ok_or_else(|| {
                format!("`{}open`: expected a string that ends with `{}`", field.place, headers.end)
            })
        });
        let heads = heads.collect::<Result<Vec<_>, _>>()?;
        if is_reasoning {
            headers.reasoning = heads.into();
        } else {
            headers.content = heads.into();
        }
        closers.extend(more);
    }
    let mut unique: Vec<Marker> = Vec::new();
    for closer in closers {
        if !unique.contains(&closer) {
            unique.push(closer);
        }
    }
    headers.close = unique.into();
    let named = NamedCall {
        name: NamePlace::Header,
        prefix: Marker::NONE,
        suffix: Suffix::default(),
        namespace: namespace.into(),
        id: None,
        arguments: Arguments::Json,
        close: Marker::NONE,
    };
    let named_calls = NamedCallField {
        call_open: Marker::NONE,
        call_close: Marker::NONE,
        call: named,
        has_id: false,
        closes_less: false,
    };
    format.tools = Some(named_calls.tools(calls)?);
    format.headers = Some(headers);
    Ok(())
}
