use typed_prompty::output::Partial;

#[derive(Partial)]
struct Answer {
    title: String,
}

fn main() {}
