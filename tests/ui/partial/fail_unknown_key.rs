use typed_prompty::output::Partial;

#[derive(Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(names = Draft)]
struct Answer {
    #[partial(whol)]
    title: String,
}

fn main() {}
