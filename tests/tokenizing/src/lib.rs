//! How a prompt is tokenized with the `tokenizers` crate, so that data stays data. The guide page
//! `control_tokens` shows what follows.

use tokenizers::tokenizer::normalizer::Range;
use tokenizers::{
    Model, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer, Tokenizer,
};
use typed_prompty::chat::{ChatTemplate, PromptPiece};

/// The template, with each added token of the tokenizer as markup of prompts. Do this once.
pub fn with_added_tokens(template: &ChatTemplate, tokenizer: &Tokenizer) -> ChatTemplate {
    let mut tokens = template.special_tokens().clone();
    let added = tokenizer.get_added_tokens_decoder();
    tokens.others.extend(added.into_values().map(|token| token.content));
    let told = template.with_special_tokens(tokens);
    // The format of replies stays as it was.
    match template.format() {
        Ok(format) => told.with_format(format.clone()),
        Err(_) => told,
    }
}

/// The ids of a prompt, in which no data is read as an added token.
///
/// # Errors
///
/// Those of the tokenizer, and where its model itself reads data as an added token.
pub fn encode<'text>(
    tokenizer: &Tokenizer,
    pieces: impl Iterator<Item = PromptPiece<'text>>,
) -> tokenizers::Result<Vec<u32>> {
    let added = tokenizer.get_added_vocabulary();

    // Added tokens are looked for in the template's text alone.
    let mut text = String::new();
    let mut found = Vec::new();
    for piece in pieces {
        let piece = match piece {
            PromptPiece::Template(piece) => {
                let splits = added.extract_and_normalize(tokenizer.get_normalizer(), piece);
                let splits = splits.get_splits(OffsetReferential::Original, OffsetType::Byte);
                let tokens = splits.into_iter().filter_map(|(_, (start, end), tokens)| {
                    Some((text.len() + start..text.len() + end, tokens.clone()?))
                });
                found.extend(tokens);
                piece
            }
            PromptPiece::Data(piece) => piece,
            _ => return Err("a new kind of piece".into()),
        };
        text.push_str(piece);
    }

    // What stands between them is one text each, whether it is the template's, data or both.
    let mut prompt = PreTokenizedString::from(text.as_str());
    prompt.split(|_, whole| {
        let slice = |bytes| whole.slice(Range::Original(bytes)).ok_or("a cut character");
        let mut parts = Vec::new();
        let mut at = 0;
        for (bytes, tokens) in found.drain(..) {
            parts.push((slice(at..bytes.start)?, None));
            at = bytes.end;
            parts.push((slice(bytes)?, Some(tokens)));
        }
        parts.push((slice(at..text.len())?, None));
        Ok(parts)
    })?;

    // The rest is as in `Tokenizer::encode`.
    if let Some(normalizer) = tokenizer.get_normalizer() {
        prompt.normalize(|part| normalizer.normalize(part))?;
    }
    if let Some(pre_tokenizer) = tokenizer.get_pre_tokenizer() {
        pre_tokenizer.pre_tokenize(&mut prompt)?;
    }
    prompt.tokenize(|part| {
        let tokens = tokenizer.get_model().tokenize(part.get())?;
        for token in &tokens {
            let read = part.get().get(token.offsets.0..token.offsets.1).unwrap_or_default();
            let added = added.get_added_tokens_decoder().get(&token.id);
            if added.is_some_and(|added| added.content == read) && !is_blank(read) {
                return Err(format!("the model reads `{read}` as a token even in data").into());
            }
        }
        Ok(tokens)
    })?;
    Ok(prompt.into_encoding(None, 0, OffsetType::None)?.get_ids().to_vec())
}

/// Some tokenizers have runs of spaces as added tokens. They are no markup.
fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || character == '▁')
}
