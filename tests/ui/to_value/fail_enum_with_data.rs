//! Only enums without data are texts.

use typed_prompty::ToValue;

#[derive(ToValue)]
enum Shape {
    Circle(f64),
    Point,
}

fn main() {}
