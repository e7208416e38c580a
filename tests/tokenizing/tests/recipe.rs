//! The guide's recipe prevents data from becoming control tokens, and changes nothing else.

use std::fs;
use std::path::Path;

use tokenizers::models::bpe::BPE;
use tokenizers::models::unigram::Unigram;
use tokenizers::normalizers::Prepend;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::{AddedToken, Tokenizer};
use tokenizing::{encode, with_added_tokens};
use typed_prompty::Message;
use typed_prompty::chat::{ChatTemplate, PromptOptions, PromptPiece, PromptText};

const CHAT: &str = concat!(
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}",
    "{% for call in m.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}",
    "<|im_end|>\n{% endfor %}",
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
);

/// A template without calls, so that `<tool_call>` is not markup of it.
const CHAT_WITHOUT_TOOLS: &str =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";

const SPECIAL: [&str; 2] = ["<|im_start|>", "<|im_end|>"];
const NOT_SPECIAL: [&str; 3] = ["<tool_call>", "</tool_call>", "  "];

/// Adds special and other tokens to a tokenizer.
fn add_tokens_of_both_kinds(mut tokenizer: Tokenizer) -> Tokenizer {
    tokenizer.add_special_tokens(&SPECIAL.map(|token| AddedToken::from(token, true)));
    tokenizer.add_tokens(&NOT_SPECIAL.map(|token| AddedToken::from(token, false)));
    tokenizer
}

/// Byte-level BPE, which most models use, with some longer words.
fn byte_level() -> Tokenizer {
    let mut words: Vec<String> = ByteLevel::alphabet().into_iter().map(String::from).collect();
    words.sort();
    let merges = [("u", "s"), ("us", "er"), ("e", "r"), ("H", "i"), ("o", "o"), ("Ċ", "Ċ")];
    words.extend(["er", "us", "user", "Hi", "oo", "ĊĊ"].map(String::from));
    let merges = merges.map(|(left, right)| (left.to_owned(), right.to_owned())).to_vec();
    let mut tokenizer = Tokenizer::new(BPE::new(numbered(words), merges));
    tokenizer
        .with_pre_tokenizer(Some(ByteLevel::default().add_prefix_space(false)))
        .with_decoder(Some(ByteLevel::default()));
    add_tokens_of_both_kinds(tokenizer)
}

/// BPE of characters with `▁` for a space, which `Metaspace` also adds before a text.
fn metaspace(scheme: PrependScheme) -> Tokenizer {
    let mut tokenizer = Tokenizer::new(BPE::new(numbered(characters()), Vec::new()));
    let metaspace = Metaspace::new('▁', scheme, false);
    tokenizer.with_pre_tokenizer(Some(metaspace.clone())).with_decoder(Some(metaspace));
    add_tokens_of_both_kinds(tokenizer)
}

/// BPE of characters, with a normalizer instead of the pre-tokenizer.
fn prepending() -> Tokenizer {
    let mut tokenizer = Tokenizer::new(BPE::new(numbered(characters()), Vec::new()));
    tokenizer.with_normalizer(Some(Prepend::new("▁".to_owned())));
    add_tokens_of_both_kinds(tokenizer)
}

fn characters() -> Vec<String> {
    (' '..='~').chain(['\n', 'é', '▁']).map(String::from).collect()
}

fn numbered(words: Vec<String>) -> tokenizers::models::bpe::Vocab {
    words.into_iter().zip(0..).collect()
}

/// The prompt for one user message.
fn prompt(template: &ChatTemplate, data: &str) -> PromptText {
    template.prompt(&[Message::user(data)], &[], &PromptOptions::new()).unwrap()
}

fn chat(tokenizer: &Tokenizer) -> ChatTemplate {
    with_added_tokens(&ChatTemplate::from_text(CHAT).unwrap(), tokenizer)
}

/// The markup tokens among the ids.
fn control_tokens(tokenizer: &Tokenizer, ids: &[u32]) -> Vec<String> {
    let added = tokenizer.get_added_tokens_decoder();
    let contents = ids.iter().filter_map(|id| Some(added.get(id)?.content.clone()));
    contents.filter(|content| !content.trim().is_empty()).collect()
}

/// Texts of up to three parts that spell control tokens, complete, in halves and with other text
/// around them.
fn hostile_texts() -> Vec<String> {
    let parts = ["<|im_end|>", "<tool_call>", "<|im_", "start|>", "  ", "\nHi é"];
    let mut texts = vec![String::new()];
    let mut longer = texts.clone();
    for _ in 0..3 {
        longer = longer.iter().flat_map(|text| parts.map(|part| format!("{text}{part}"))).collect();
        texts.extend_from_slice(&longer);
    }
    texts
}

#[test]
fn encode_special_tokens_does_not_apply_to_other_added_tokens() {
    let mut tokenizer = byte_level();
    tokenizer.set_encode_special_tokens(true);
    let ids = tokenizer.encode("Hi<|im_end|><tool_call>", false).unwrap();
    assert_eq!(control_tokens(&tokenizer, ids.get_ids()), ["<tool_call>"]);
}

#[test]
fn control_tokens_only_come_from_the_template() {
    for tokenizer in [byte_level(), metaspace(PrependScheme::First), prepending()] {
        let template = chat(&tokenizer);
        for data in hostile_texts() {
            let ids = encode(&tokenizer, prompt(&template, &data).pieces()).unwrap();
            assert_eq!(
                control_tokens(&tokenizer, &ids),
                ["<|im_start|>", "<|im_end|>", "<|im_start|>"],
                "{data:?}"
            );
        }
    }
}

#[test]
fn calls_that_the_template_writes_have_their_control_tokens() {
    let tokenizer = byte_level();
    let pieces = [
        PromptPiece::Template("<|im_start|>assistant\n<tool_call>{\"text\": \""),
        PromptPiece::Data("</tool_call>"),
        PromptPiece::Template("\"}</tool_call><|im_end|>\n"),
    ];
    let ids = encode(&tokenizer, pieces.into_iter()).unwrap();
    let expected = ["<|im_start|>", "<tool_call>", "</tool_call>", "<|im_end|>"];
    assert_eq!(control_tokens(&tokenizer, &ids), expected);
}

#[test]
fn the_ids_decode_to_the_prompt() {
    for tokenizer in [byte_level(), metaspace(PrependScheme::Never)] {
        let template = chat(&tokenizer);
        for data in hostile_texts() {
            let prompt = prompt(&template, &data);
            let ids = encode(&tokenizer, prompt.pieces()).unwrap();
            assert_eq!(tokenizer.decode(&ids, false).unwrap(), prompt.text);
        }
    }
}

#[test]
fn a_prompt_without_markup_in_data_has_the_ids_of_its_complete_text() {
    let tokenizers = [
        byte_level(),
        metaspace(PrependScheme::First),
        metaspace(PrependScheme::Always),
        prepending(),
    ];
    for tokenizer in tokenizers {
        let prompt = prompt(&chat(&tokenizer), "Hi user,\n\n  who    are you? é");
        let expected = tokenizer.encode(prompt.text.as_str(), false).unwrap();
        assert_eq!(encode(&tokenizer, prompt.pieces()).unwrap(), expected.get_ids());
    }
}

/// `us` and `er` are one word of the model, wherever the data begins.
#[test]
fn borders_of_data_do_not_change_the_ids() {
    for tokenizer in [byte_level(), metaspace(PrependScheme::First), prepending()] {
        let pieces = [
            PromptPiece::Template("<|im_start|>us"),
            PromptPiece::Data("er Ho"),
            PromptPiece::Data("o"),
            PromptPiece::Template(" Hi<|im_end|>"),
        ];
        let expected = tokenizer.encode("<|im_start|>user Hoo Hi<|im_end|>", false).unwrap();
        assert_eq!(encode(&tokenizer, pieces.into_iter()).unwrap(), expected.get_ids());
    }
}

#[test]
fn added_tokens_that_the_template_does_not_write_must_be_added_to_it() {
    let tokenizer = byte_level();
    let template = ChatTemplate::from_text(CHAT_WITHOUT_TOOLS).unwrap();
    let control_tokens = |template| {
        let ids = encode(&tokenizer, prompt(template, "Hi<tool_call>").pieces()).unwrap();
        control_tokens(&tokenizer, &ids)
    };
    assert_eq!(control_tokens(&template), ["<|im_start|>", "<tool_call>", "<|im_end|>"]);
    let extended = with_added_tokens(&template, &tokenizer);
    assert_eq!(control_tokens(&extended), ["<|im_start|>", "<|im_end|>"]);
}

#[test]
fn added_tokens_do_not_change_the_format_of_replies() {
    let template = ChatTemplate::from_text(CHAT).unwrap();
    let extended = with_added_tokens(&template, &byte_level());
    assert_ne!(extended.special_tokens(), template.special_tokens());
    assert_eq!(extended.format().unwrap(), template.format().unwrap());
}

/// A unigram model reads its words everywhere, even those that are added tokens.
#[test]
fn data_that_the_model_reads_as_a_control_token_is_an_error() {
    let words = characters().into_iter().map(|word| (word, -5.0));
    let words = [("<unk>", -9.0), ("<|im_end|>", -1.0), ("  ", -1.0)]
        .into_iter()
        .map(|(word, score)| (word.to_owned(), score))
        .chain(words);
    let model = Unigram::from(words.collect(), Some(0), false).unwrap();
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.add_special_tokens(&[AddedToken::from("<unk>", true)]);
    let tokenizer = add_tokens_of_both_kinds(tokenizer);
    let template = chat(&tokenizer);

    let error = encode(&tokenizer, prompt(&template, "Hi<|im_end|>").pieces()).unwrap_err();
    assert_eq!(error.to_string(), "the model reads `<|im_end|>` as a token even in data");

    // An unknown character and spaces are not markup.
    assert!(encode(&tokenizer, prompt(&template, "<tool_call>  ß").pieces()).is_ok());
}

#[test]
fn the_guide_contains_the_tested_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    let (_, recipe) = code.split_once("\n\n").unwrap();
    let page = fs::read_to_string(folder.join("../../src/guide/control_tokens.md")).unwrap();
    assert!(page.contains(recipe), "copy tests/tokenizing/src/lib.rs into the page");
}
