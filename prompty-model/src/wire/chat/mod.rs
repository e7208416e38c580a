//! Chat completions, as OpenAI has them and many others after it.

mod read;

pub(super) use read::ChatReader;
