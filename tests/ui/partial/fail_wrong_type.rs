use typed_prompty::output::Partial;

#[derive(Partial)]
struct Borrowed<'a> {
    title: &'a str,
}

#[derive(Partial, Clone, Copy)]
union Both {
    one: u8,
    other: i8,
}

fn main() {}
