//! A demand for straight-line code that the template does not allow.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{% macro hi(x) %}Hi {{ x }}{% endmacro %}{{ hi(name) }}", compiled)]
struct Ask {
    name: String,
}

fn main() {}
