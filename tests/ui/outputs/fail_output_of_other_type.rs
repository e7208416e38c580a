use typed_prompty::output::Output;

#[derive(serde::Deserialize)]
struct Ticket {
    title: String,
}

#[derive(schemars::JsonSchema)]
struct Answer {
    text: String,
}

fn main() {
    let _ = Output::<Ticket>::new();
    let _ = Output::<Answer>::new();
}
