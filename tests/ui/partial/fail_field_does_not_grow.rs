use typed_prompty::output::Partial;

#[derive(Partial, serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    title: String,
    author: Author,
    others: Vec<Author>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Author {
    name: String,
}

fn main() {}
