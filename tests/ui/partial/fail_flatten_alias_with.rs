use typed_prompty::output::Partial;

#[derive(Partial, serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    #[serde(flatten)]
    author: Author,
    #[serde(alias = "name")]
    title: String,
    #[serde(deserialize_with = "number")]
    score: u8,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Author {
    born: u16,
}

fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    serde::Deserialize::deserialize(deserializer)
}

fn main() {
    let _ = PartialAnswer::default();
}
