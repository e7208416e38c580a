use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(input = "Hello"))]
enum Ask {
    One,
}

#[derive(Prompt)]
#[prompt(slots(input = "Hello"))]
union Either {
    one: u8,
}

#[derive(Prompt)]
struct Pair<'a>(#[prompt(slot = "input")] &'a str);

fn main() {}
