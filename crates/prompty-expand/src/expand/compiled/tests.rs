//! Snapshots of the code for small templates.

use prettyplease::unparse;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, Item, ItemStruct, LitStr, Stmt, Visibility};

use super::{CheckedPrompt, CompiledTemplate, EngineReason, compile};
use crate::errors::Errors;
use crate::model::{FieldNames, Prompt, PromptOptions};
use crate::parse::fields;
use crate::{check, source};

/// The code for a template whose inputs are the fields of `declared`.
fn compiled(declared: &str, template: &str) -> Result<CompiledTemplate, EngineReason> {
    let item: ItemStruct = syn::parse_str(declared).unwrap();
    let inputs = fields::inputs(&item.fields, &[], &mut Errors::default());
    let (ident, generics) = (item.ident, item.generics);
    let names = FieldNames::Rust;
    let (visibility, options) = (Visibility::Inherited, PromptOptions::default());
    let prompt = Prompt { visibility, ident, generics, inputs, options, names };
    let mut source = source::inline(&LitStr::new(template, Span::call_site()));
    let (definition, diagnostics) = check::read_front_matter(&mut source);
    let definition = definition.unwrap();
    let signature = check::signature(&prompt.ident, &prompt.inputs, &definition);
    let checked = check::check_template(definition, true, diagnostics, &prompt.options, &signature);
    assert_eq!(checked.report.diagnostics, []);
    let facade = &quote!(typed_prompty);
    compile(CheckedPrompt { facade, prompt: &prompt, source: &source, checked: &checked })
}

fn messages(declared: &str, template: &str) -> String {
    let CompiledTemplate { messages, outside, .. } =
        compiled(declared, template).unwrap_or_else(|it| panic!("{it:?}"));
    let code: TokenStream =
        quote!(#outside fn messages(prompt: &Ask) -> Vec<Message> { #messages });
    let mut file: syn::File = syn::parse2(code).unwrap();
    TraitRemover.visit_file_mut(&mut file);
    unparse(&file).replace("typed_prompty::", "").replace("__private::", "")
}

/// Removes the traits that only improve the errors of rustc.
struct TraitRemover;

impl VisitMut for TraitRemover {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_expr_mut(self, expr);
        let Expr::Block(block) = expr else { return };
        if let [Stmt::Item(Item::Trait(_)), .., Stmt::Expr(last, None)] =
            block.block.stmts.as_slice()
        {
            *expr = last.clone();
        }
    }
}

#[test]
fn values_are_written_between_literals_with_capacity_for_both() {
    let code = messages(
        "struct Ask<'a> { name: &'a str, count: Option<u8> }",
        "system:\nYou are {{ name | upper }}.\n\nuser[id=7]:\n{{ count | default('none') }}\n",
    );
    insta::assert_snapshot!(code);
}

#[test]
fn a_loop_counts_only_if_the_template_reads_the_counter() {
    let code = messages(
        "struct Ask<'a> { words: &'a [&'a str] }",
        "user:\n{% for word in words if word %}{{ loop.index }} {{ word }}\n{% else %}none{% endfor %}",
    );
    insta::assert_snapshot!(code);
}

#[test]
fn conditions_compare_values_in_place() {
    let code = messages(
        "struct Ask<'a> { note: Option<&'a str>, age: i64, words: &'a [&'a str] }",
        "user:\n{% if note and age >= 18 %}{{ note }}{% elif 'x' in words %}x{% endif %}",
    );
    insta::assert_snapshot!(code);
}

#[test]
fn a_thread_and_an_image_are_written_at_their_place() {
    let code = messages(
        "struct Ask<'a> { history: &'a [Message], #[prompt(kind = \"image\")] photo: Option<Media> }",
        "system:\nHi\n\n{{ history }}\n\nuser[name={{ 'a' ~ 1 }}]:\nSee: {{ photo }}",
    );
    insta::assert_snapshot!(code);
}

#[test]
fn handlebars_blocks_have_values_and_counters() {
    let code = messages(
        "struct Ask<'a> { words: &'a [&'a str], count: Option<u8> }",
        "---\ntemplate: {format: {kind: handlebars}}\n---\nuser:\n\
         {{#each words as |word|}}{{@index}} {{word}}{{#if @last}}.{{/if}}{{else}}none{{/each}}\n\
         {{#with count}}{{this}} of {{../words.length}}{{/with}}",
    );
    insta::assert_snapshot!(code);
}

#[test]
fn unsupported_handlebars_constructs_have_a_reason() {
    let because = |fields: &str, template: &str| {
        let declared = format!("struct Ask<'a> {{ {fields} }}");
        let format = "template: {format: {kind: handlebars}}";
        let source = format!("---\n{format}\n---\nuser:\n{template}");
        compiled(&declared, &source).err().map(|EngineReason(reason)| reason)
    };
    let reasons = [
        ("count: i64", "{{add count 1}}", "the helper `add`"),
        (
            "words: &'a [&'a str]",
            "{{#each (array words)}}x{{/each}}",
            "a list or map in the template",
        ),
        ("words: &'a [&'a str]", "{{#each words}}{{set 'x' this}}{{/each}}", "a `set` in a branch"),
        (
            "one: i64, other: f64",
            "{{#if (equals one other)}}x{{/if}}",
            "a comparison of values whose types may differ",
        ),
        (
            "person: User<'a>",
            "{{#person}}{{name}}{{/person}}",
            "a block over a value of unknown type",
        ),
    ];
    for (fields, template, reason) in reasons {
        assert_eq!(because(fields, template).as_deref(), Some(reason), "{template}");
    }
    let with = "{{#with person}}{{#if name}}{{name}}{{/if}}{{/with}}";
    assert_eq!(because("person: User<'a>", with), None);
}

#[test]
fn unsupported_constructs_have_a_reason() {
    let declared = "struct Ask<'a> { words: Vec<&'a str> }";
    let because =
        |template: &str| compiled(declared, template).err().map(|EngineReason(reason)| reason);
    assert_eq!(because("user:\n{{ words | sort }}"), Some("the filter `sort`".to_owned()));
    assert_eq!(
        because("user:\n{% set a = words | join %}{{ a }}"),
        Some("a `set` of the result of an expression".to_owned())
    );
    assert_eq!(because("user:\n{{ words }}"), None);
}
