//! Tokenizes a prompt with the `tokenizers` crate, so that data stays data. The guide page
//! `control_tokens` shows the following code.

use tokenizers::tokenizer::normalizer::Range;
use tokenizers::{
    Model, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer, Tokenizer,
};
use typed_prompty::chat::{ChatTemplate, PromptPiece};

/// The template, with each added token of the tokenizer as markup of prompts. Call this once.
pub fn with_added_tokens(template: &ChatTemplate, tokenizer: &Tokenizer) -> ChatTemplate {
    let mut tokens = template.special_tokens().clone();
    let added = tokenizer.get_added_tokens_decoder();
    tokens.others.extend(added.into_values().map(|token| token.content));
    let extended = template.with_special_tokens(tokens);
    // The format of replies does not change.
    match template.format() {
        Ok(format) => extended.with_format(format.clone()),
        Err(_) => extended,
    }
}

/// The ids of a prompt, in which no data is read as an added token.
///
/// # Errors
///
/// Returns the errors of the tokenizer, and an error if its model reads data as an added token.
pub fn encode<'text>(
    tokenizer: &Tokenizer,
    pieces: impl Iterator<Item = PromptPiece<'text>>,
) -> tokenizers::Result<Vec<u32>> {
    let added = tokenizer.get_added_vocabulary();

    // Only the template's text is searched for added tokens.
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
            _ => return Err("unknown kind of piece".into()),
        };
        text.push_str(piece);
    }

    // The text between two tokens is one part, from the template, from data or from both.
    let mut prompt = PreTokenizedString::from(text.as_str());
    prompt.split(|_, text_of_prompt| {
        let slice = |bytes| text_of_prompt.slice(Range::Original(bytes)).ok_or("split character");
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

/// Whether a token is white space. Some tokenizers have spaces as added tokens, which are not
/// markup.
fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || character == '▁')
}
