use typed_prompty::output::Output;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    title: String,
}

fn main() {
    let stream = Output::<Answer>::new().stream();
    let _ = stream.with_partial();
}
