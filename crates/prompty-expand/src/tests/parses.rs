//! Tests that a macro parses its template once.

use prompty_core::work::count_parsed;
use quote::quote;

use super::{errors, prompt};

/// The length of each template without its last line. The names of inputs, which are parsed too,
/// are short.
const LENGTH: usize = 4000;

/// A thread in the form of a loop, which is parsed differently from other loops.
const LOOP: &str = "{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}\n";

/// A template of that length with the given end.
fn template(end: &str) -> String {
    let line = "Be brief, and say nothing twice.\n";
    format!("system:\n{}{end}", line.repeat(LENGTH / line.len()))
}

/// How often the bytes of a template are parsed during an expansion without errors.
fn times(expand: impl FnOnce() -> proc_macro2::TokenStream) -> u64 {
    let (expansion, bytes) = count_parsed(expand);
    assert_eq!(errors(expansion), [""; 0]);
    (bytes + LENGTH as u64 / 2) / LENGTH as u64
}

/// How often a template is parsed by `prompt!` with its front matter, by `prompt!` with a struct,
/// and by the derive, which reads it from a file.
fn times_of(format: &str, end: &str) -> [u64; 3] {
    let front_matter =
        "---\ninputs: {name: {kind: string, required: true}, history: {kind: thread}}";
    let template = template(end);
    let text = format!("{front_matter}\ntemplate: {{format: {format}}}\n---\n{template}");
    let name = format!("prompty-parses-{}.prompty", std::process::id());
    let path = std::env::temp_dir().join(&name);
    std::fs::write(&path, &text).unwrap();
    let up = "/..".repeat(env!("CARGO_MANIFEST_DIR").matches('/').count());
    let from_file = format!("src/..{up}{}", path.display());
    let loaded = times(|| prompt(quote!(Ask, #text)));
    let declared = times(|| prompt(quote!(Ask { name: &str, history: &[Message] }, #text)));
    let derived = times(|| {
        crate::expand_derive_prompt(quote! {
            #[prompt(path = #from_file)]
            struct Ask<'a> {
                name: &'a str,
                history: &'a [Message],
            }
        })
    });
    std::fs::remove_file(&path).unwrap();
    [loaded, declared, derived]
}

#[test]
fn a_template_is_parsed_once() {
    for (format, end) in [
        ("jinja2", "{{ history }}\nuser:\n{{ name }}"),
        ("jinja2", &format!("{LOOP}user:\n{{{{ name }}}}")),
        ("mustache", "{{history}}\nuser:\n{{name}}"),
        ("handlebars", "{{history}}\nuser:\n{{name}}"),
        ("semantic-kernel", "{{$history}}\nuser:\n{{$name}}"),
    ] {
        assert_eq!(times_of(format, end), [1, 1, 1], "{format}: {end}");
    }
}

#[cfg(feature = "render")]
#[test]
fn a_template_that_the_engine_renders_is_parsed_once() {
    let text = template("{% set x = name | sort %}{{ x }}");
    assert_eq!(times(|| prompt(quote!(Ask { name: Vec<String> }, #text))), 1);
}
