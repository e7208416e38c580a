//! Calls the checker for a prompt.

use prompty_check::check::{
    self, AllowedCodes, FrontMatterFindings, HostSignatures, OutputInstruction, Report, Signature,
};
use prompty_check::definition::{
    Definition, Doubts, Input, Inspection, Presence, TemplateFolder, ValueType, inspect,
};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::{RichKind, Role};
use prompty_template::{PARSERS, TEXT, built_in_kinds};
use syn::{Ident, LitStr};

use crate::errors::{Errors, suggestion};
use crate::model::{InputField, Prompt, PromptOptions};
use crate::source::{self, Source};

/// A template after its check.
pub(crate) struct CheckedTemplate {
    pub(crate) definition: Definition,
    /// The diagnostics of the front matter and of the template, and the uses in the template.
    pub(crate) report: Report,
}

/// Reads the front matter; `None` if it cannot be read at all, and the diagnostics say why.
pub(crate) fn read_front_matter(source: &mut Source) -> (Option<Definition>, FrontMatterFindings) {
    let folder = source.file.as_ref().and_then(|file| file.absolute.parent());
    let Inspection {
        definition, mut diagnostics, source: text, open_inputs, files, doubts, ..
    } = inspect(source.text.clone(), folder);
    source.text = text;
    source.referenced = files;
    // A file that cannot be read has been reported before.
    let is_reported = diagnostics.iter().any(|diagnostic| diagnostic.code == Code::MissingFile);
    if open_inputs && !is_reported {
        let message = "the types of the inputs are unknown, because another file declares them";
        let diagnostic = Diagnostic::new(Code::MissingFile, message)
            .with_help("declare the inputs in the front matter");
        diagnostics.push(diagnostic);
    }
    (definition, FrontMatterFindings { diagnostics, doubts })
}

/// Assembles the files of the template and adds errors to the diagnostics. Returns whether the
/// template is complete.
pub(crate) fn assemble(
    source: &mut Source,
    definition: &mut Definition,
    options: &PromptOptions,
    diagnostics: &mut Vec<Diagnostic>,
    errors: &mut Errors,
) -> bool {
    let template = &mut definition.template;
    template.trim_blocks |= options.trim_blocks;
    template.lstrip_blocks |= options.lstrip_blocks;
    let folder = match &options.templates {
        Some(named) => match errors.keep(source::folder(named)).flatten() {
            Some(folder) => Some(folder),
            // The error was reported, or only rustc knows the folder.
            None => return false,
        },
        None => source.file.as_ref().and_then(|file| {
            Some(TemplateFolder::of_prompt(file.absolute.parent()?, &source.text))
        }),
    };
    let help = "set the folder of its files with `#[prompt(templates = \"prompts\")]`";
    let assembly = definition.assemble(folder.as_ref(), help);
    source.set_assembled(assembly.source, assembly.files, folder);
    diagnostics.extend(assembly.diagnostics);
    assembly.is_complete
}

/// Checks the template of a definition with the inputs of `signature`. `declared` has the findings
/// in the front matter. An incomplete template is not checked.
pub(crate) fn check_template(
    definition: Definition,
    is_complete: bool,
    declared: FrontMatterFindings,
    options: &PromptOptions,
    signature: &Signature,
) -> CheckedTemplate {
    let allowed = allowed_codes(options);
    if !is_complete {
        let report = declared.into_report(&allowed);
        return CheckedTemplate { definition, report };
    }
    // If a file cannot be read, the inputs that it declares are unknown.
    let mut signature = signature.clone();
    signature.output = output_instruction(options, &definition);
    let is_missing = |diagnostic: &Diagnostic| diagnostic.code == Code::MissingFile;
    signature.open |= declared.diagnostics.iter().any(is_missing);
    let extensions = host_signatures(options);
    let report =
        check::check_with_front_matter(&definition, declared, &signature, &extensions, &allowed);
    CheckedTemplate { definition, report }
}

/// Whether the prompt has an output, and how the model learns its schema. The schema of outputs
/// that the front matter declares is sent with each request, as the Prompty format defines.
fn output_instruction(options: &PromptOptions, definition: &Definition) -> OutputInstruction {
    let is_declared = definition.has_output();
    match (&options.output, options.output_schema) {
        _ if !cfg!(feature = "output") => OutputInstruction::Nothing,
        _ if is_declared => OutputInstruction::BySchema,
        (Some(_), Some(_)) => OutputInstruction::BySchema,
        (Some(_), None) => OutputInstruction::InText,
        (None, _) => OutputInstruction::Nothing,
    }
}

/// The inputs with which the template is checked: the fields of the struct, and the declarations of
/// the front matter that are not fields.
pub(crate) fn signature(
    subject: &Ident,
    fields: &[InputField],
    definition: &Definition,
) -> Signature {
    let inputs = fields.iter().map(|field| {
        let declared = definition.input(field.name());
        let has_default = declared.is_some_and(|declared| declared.default.is_some());
        let mut input = Input::new(field.name(), field.value_type().clone());
        input.required = field.presence() != Presence::Optional || has_default;
        input
    });
    let has_no_field = |input: &&Input| fields.iter().all(|field| field.name() != input.name);
    let others = definition.inputs.iter().filter(has_no_field).cloned();
    let inputs = inputs.chain(others).collect();
    let mut signature = Signature::new(inputs).with_subject(subject.to_string());
    signature.bind(definition);
    signature
}

/// Compares a struct's fields with the inputs that the front matter declares.
///
/// `doubts` has the declarations that could not be read. No field is compared with them.
pub(crate) fn compare_fields(
    prompt: &Prompt,
    definition: &Definition,
    doubts: &Doubts,
    errors: &mut Errors,
) {
    let declared: Vec<&str> = definition.inputs.iter().map(|it| it.name.as_str()).collect();
    let is_comparable = !declared.is_empty() && !doubts.any_input;
    let fields = prompt.inputs.iter().filter(|field| !doubts.inputs.contains(&field.input.name));
    for field in fields.filter(|_| is_comparable) {
        let name = field.name();
        let Some(input) = definition.input(name) else {
            let message = format!("the front matter does not declare the input `{name}`");
            let help = suggestion("an input", name, &declared);
            errors.add(field.span, &message, &help);
            continue;
        };
        let (wanted, given) = (input.value_type.name(), field.value_type().name());
        if !kinds_fit(wanted, field.value_type()) {
            let message = format!(
                "the front matter declares `{name}` as `{wanted}`, but this field is `{given}`"
            );
            let help = "change the type of the field, or fix the front matter";
            errors.add(field.span, &message, help);
        }
    }
    let certain = definition.inputs.iter().filter(|it| !doubts.inputs.contains(&it.name));
    let required = certain.filter(|it| it.required && it.default.is_none());
    for input in required {
        let (name, subject) = (&input.name, &prompt.ident);
        if prompt.inputs.iter().all(|field| field.name() != name) {
            let message = format!(
                "the front matter requires the input `{name}`, but `{subject}` has no such field"
            );
            let help = "add the field, or give the input a default in the front matter";
            errors.add(subject.span(), &message, help);
        }
    }
}

/// Whether a field can be the value of a declared kind. Types that only rustc knows are accepted
/// here and checked by rustc.
fn kinds_fit(wanted: &str, given: &ValueType) -> bool {
    if matches!(wanted, "" | "union") {
        return true;
    }
    if let Some(kind) = given.rich() {
        return kind.name() == wanted;
    }
    let given = given.name();
    given == wanted
        || given.is_empty()
        // A type that only rustc knows has the name `object`.
        || given == "object" && RichKind::from_name(wanted).is_none()
        || (wanted, given) == ("float", "integer")
}

/// The extensions of the host's registry, as declared in `#[prompt(...)]`.
fn host_signatures(options: &PromptOptions) -> HostSignatures {
    let names = |list: &[Ident]| list.iter().map(ToString::to_string).collect();
    let mut extensions = HostSignatures::default();
    extensions.filters = names(&options.filters);
    extensions.tests = names(&options.tests);
    for function in &options.functions {
        match &function.parameters {
            Some(parameters) => {
                extensions = extensions.with_function(&function.name, parameters);
            }
            None => extensions.functions.push(function.name.clone()),
        }
    }
    extensions.formats = names(&options.formats);
    extensions.parsers = names(&options.parsers);
    extensions
}

fn allowed_codes(options: &PromptOptions) -> AllowedCodes {
    AllowedCodes::new(options.allow.iter().filter_map(|name| Code::from_name(&name.to_string())))
}

/// Reports the option `types` of a prompt whose fields are declared in Rust.
pub(crate) fn report_types_option(options: &PromptOptions, errors: &mut Errors) {
    if let Some(replaced) = options.types.first() {
        let message = "`types` can only be used if the front matter declares the inputs";
        let help = "use the type in the field's declaration";
        errors.add(replaced.span, message, help);
    }
}

/// Applies `format`, `parser`, `role`, `white_space`, `text` and `strict` of `#[prompt(...)]`, which override the front matter.
pub(crate) fn apply_options(
    options: &PromptOptions,
    definition: &mut Definition,
    errors: &mut Errors,
) {
    let template = &mut definition.template;
    template.strict |= options.strict;
    if let Some(given) = &options.format {
        let (what, formats) = ("a template format", built_in_kinds().collect());
        set_kind(&mut template.format, given, what, formats, &options.formats, errors);
    }
    if let Some(given) = &options.parser {
        let parsers = PARSERS.to_vec();
        set_kind(&mut template.parser, given, "a parser", parsers, &options.parsers, errors);
        if options.text.is_some() && given.value() != TEXT {
            let message = "a text prompt has no messages, so no parser reads them";
            errors.add(given.span(), message, "remove either `parser` or `text`");
        }
    }
    if let Some(given) = &options.role {
        let name = given.value();
        let known = Role::OF_MARKERS.map(|role| role.to_string());
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        if !known.contains(&name.as_str()) {
            let help = suggestion("a role", &name, &known);
            errors.add(given.span(), &format!("unknown role `{name}`"), &help);
        } else if options.text.is_some() {
            let message = "a text prompt has no messages, so it has no role";
            errors.add(given.span(), message, "remove either `role` or `text`");
        } else {
            template.role = Some(Role::from(name.as_str()));
        }
    }
    if let Some(given) = &options.white_space {
        match given.value().as_str() {
            "keep" => template.keeps_white_space = true,
            "trim" => template.keeps_white_space = false,
            other => {
                let message = format!("unknown value `{other}` of `white_space`");
                let help = "write `white_space = \"keep\"` to keep the line breaks of inputs at the \
                            ends of messages";
                errors.add(given.span(), &message, help);
            }
        }
    }
    if options.text.is_some() || template.parser == TEXT {
        definition.make_text();
    }
}

/// Sets the format or parser to the given one, if it is built in or one of the host's `own`.
fn set_kind(
    kind: &mut String,
    given: &LitStr,
    what: &str,
    built_in: Vec<&str>,
    own: &[Ident],
    errors: &mut Errors,
) {
    let name = given.value();
    let own: Vec<String> = own.iter().map(ToString::to_string).collect();
    let known: Vec<&str> = built_in.into_iter().chain(own.iter().map(String::as_str)).collect();
    if known.contains(&name.as_str()) {
        *kind = name;
        return;
    }
    let message = format!("unknown {} `{name}`", what.trim_start_matches("a "));
    errors.add(given.span(), &message, &suggestion(what, &name, &known));
}

/// Reports an error if the template engine is not linked into the user's program.
pub(crate) fn require_linked_engine(
    format: &str,
    reason: &str,
    source: &Source,
    errors: &mut Errors,
) {
    let (feature, linked) = match format {
        "mustache" | "handlebars" | "semantic-kernel" => ("languages", cfg!(feature = "languages")),
        _ => ("render", cfg!(feature = "render")),
    };
    if !linked {
        let message = format!(
            "this prompt needs the template engine because of {reason}, but the engine is not \
             enabled"
        );
        let help = format!("enable the feature `{feature}` of `typed-prompty`");
        errors.add(source.span(), &message, &help);
    }
}
