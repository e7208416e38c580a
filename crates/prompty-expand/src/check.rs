//! Asks the checker about a prompt.

use prompty_check::check::{
    self, Allowed, AskedOutput, Declared, HostSignatures, Report, Signature,
};
use prompty_check::definition::{
    Definition, Doubts, Input, Inspection, Presence, TemplateFolder, ValueType, inspect,
};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::RichKind;
use prompty_template::{PARSERS, built_in_kinds};
use syn::{Ident, LitStr};

use crate::errors::{Errors, suggestion};
use crate::model::{InputField, Options, Prompt};
use crate::source::{self, Source};

/// A prompt that has been looked at.
pub(crate) struct Checked {
    pub(crate) definition: Definition,
    /// The findings of the front matter and of the template, and what the template uses.
    pub(crate) report: Report,
}

/// Reads the front matter. `None` where it cannot be read at all; the errors say why.
pub(crate) fn front_matter(source: &mut Source) -> (Option<Definition>, Declared) {
    let folder = source.file.as_ref().and_then(|file| file.absolute.parent());
    let Inspection {
        definition, mut diagnostics, source: text, open_inputs, files, doubts, ..
    } = inspect(source.text.clone(), folder);
    source.text = text;
    source.referenced = files;
    // A file that cannot be read is told already.
    let is_told = diagnostics.iter().any(|finding| finding.code == Code::MissingFile);
    if open_inputs && !is_told {
        let message = "the inputs stand in another file, so their types are not known here";
        let finding = Diagnostic::new(Code::MissingFile, message)
            .with_help("write the inputs into the front matter");
        diagnostics.push(finding);
    }
    (definition, Declared { diagnostics, doubts })
}

/// Puts the files of the template together; what is wrong is added to the findings. Whether the template can
/// be read further.
pub(crate) fn assemble(
    source: &mut Source,
    definition: &mut Definition,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
    errors: &mut Errors,
) -> bool {
    let template = &mut definition.template;
    template.trim_blocks |= options.trim_blocks;
    template.lstrip_blocks |= options.lstrip_blocks;
    let folder = match &options.templates {
        Some(named) => match errors.keep(source::folder(named)).flatten() {
            Some(folder) => Some(folder),
            // It was told, or only rustc knows.
            None => return false,
        },
        None => source
            .file
            .as_ref()
            .and_then(|file| Some(TemplateFolder::beside(file.absolute.parent()?, &source.text))),
    };
    let help = "name the folder of its files with `#[prompt(templates = \"prompts\")]`";
    let assembly = definition.assemble(folder.as_ref(), help);
    source.assembled(assembly.source, assembly.files, folder);
    diagnostics.extend(assembly.diagnostics);
    assembly.is_whole
}

/// Checks the template of a definition whose inputs have these types. One whose files are not together
/// (`is_whole`) is not what its author wrote, so nothing is said of it.
pub(crate) fn template(
    definition: Definition,
    is_whole: bool,
    declared: Declared,
    options: &Options,
    signature: &Signature,
) -> Checked {
    let allowed = allowed(options);
    if !is_whole {
        let report = declared.into_report(&allowed);
        return Checked { definition, report };
    }
    // Nothing can be said about the inputs that are declared in a file that is not read.
    let mut signature = signature.clone();
    signature.output = asked_output(options, &definition);
    let is_missing = |finding: &Diagnostic| finding.code == Code::MissingFile;
    signature.open |= declared.diagnostics.iter().any(is_missing);
    let extensions = extensions(options);
    let report = check::check_declared(&definition, declared, &signature, &extensions, &allowed);
    Checked { definition, report }
}

/// Whether the prompt has an output, and who tells the model. The schema of outputs that the front matter
/// declares goes with each request, as the format has it.
fn asked_output(options: &Options, definition: &Definition) -> AskedOutput {
    let is_declared = definition.has_output();
    match (&options.output, options.output_schema) {
        _ if !cfg!(feature = "output") => AskedOutput::Nothing,
        _ if is_declared => AskedOutput::BySchema,
        (Some(_), Some(_)) => AskedOutput::BySchema,
        (Some(_), None) => AskedOutput::InText,
        (None, _) => AskedOutput::Nothing,
    }
}

/// The signature of a struct's fields, with what the front matter declares beside them.
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
    let is_no_field = |input: &&Input| fields.iter().all(|field| field.name() != input.name);
    let others = definition.inputs.iter().filter(is_no_field).cloned();
    let inputs = inputs.chain(others).collect();
    let mut signature = Signature::new(inputs).with_subject(subject.to_string());
    signature.bind(definition);
    signature
}

/// Compares a struct's fields with the inputs that the front matter declares.
///
/// What the front matter fails to declare is in `doubts`, and no field is compared with it.
pub(crate) fn compare(
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
            let message = format!("the prompt declares no input `{name}`");
            let help = suggestion("an input", name, &declared);
            errors.add(field.span, &message, &help);
            continue;
        };
        let (wanted, given) = (input.value_type.name(), field.value_type().name());
        if !kinds_fit(wanted, field.value_type()) {
            let message =
                format!("the prompt declares `{name}` as `{wanted}`, but this field is `{given}`");
            let help = "give the field such a type, or mend the front matter";
            errors.add(field.span, &message, help);
        }
    }
    let certain = definition.inputs.iter().filter(|it| !doubts.inputs.contains(&it.name));
    let required = certain.filter(|it| it.required && it.default.is_none());
    for input in required {
        let (name, subject) = (&input.name, &prompt.ident);
        if prompt.inputs.iter().all(|field| field.name() != name) {
            let message = format!(
                "the prompt requires the input `{name}`, and `{subject}` has no such field"
            );
            let help = "add the field, or give the input a default in the front matter";
            errors.add(subject.span(), &message, help);
        }
    }
}

/// Whether a field can be the value of a declared kind. What only rustc knows is left to it.
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
        || given == "object" && RichKind::from_name(wanted).is_none()
        || (wanted, given) == ("float", "integer")
}

/// What the host's registry adds, as the user says.
fn extensions(options: &Options) -> HostSignatures {
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

fn allowed(options: &Options) -> Allowed {
    Allowed::new(options.allow.iter().filter_map(|name| Code::from_name(&name.to_string())))
}

/// Reports types that stand in for those of front matter where the fields are declared in Rust.
pub(crate) fn refuse_types(options: &Options, errors: &mut Errors) {
    if let Some(replaced) = options.types.first() {
        let message = "`types` goes with inputs that the front matter declares";
        let help = "the inputs are declared here: give the field that type";
        errors.add(replaced.span, message, help);
    }
}

/// Applies `format`, `parser` and `strict` of `#[prompt(...)]`, which win over the front matter.
pub(crate) fn apply_options(options: &Options, definition: &mut Definition, errors: &mut Errors) {
    let template = &mut definition.template;
    template.strict |= options.strict;
    let own = |names: &[Ident]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    if let Some(given) = &options.format {
        let formats = built_in_kinds().collect();
        let own = own(&options.formats);
        template.format = known_kind(given, "a template format", formats, &own, errors)
            .unwrap_or_else(|| std::mem::take(&mut template.format));
    }
    if let Some(given) = &options.parser {
        let own = own(&options.parsers);
        template.parser = known_kind(given, "a parser", PARSERS.to_vec(), &own, errors)
            .unwrap_or_else(|| std::mem::take(&mut template.parser));
    }
}

/// The kind that an option names, if there is such a one.
fn known_kind(
    given: &LitStr,
    what: &str,
    built_in: Vec<&str>,
    own: &[String],
    errors: &mut Errors,
) -> Option<String> {
    let kind = given.value();
    let known: Vec<&str> = built_in.into_iter().chain(own.iter().map(String::as_str)).collect();
    if known.contains(&kind.as_str()) {
        return Some(kind);
    }
    let message = format!("unknown {} `{kind}`", what.trim_start_matches("a "));
    errors.add(given.span(), &message, &suggestion(what, &kind, &known));
    None
}

/// Reports an error where the template engine is not linked into the user's program.
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
            "this prompt needs the template engine, because of {reason}, and it is not compiled in"
        );
        let help = format!("turn on the feature `{feature}` of `typed-prompty`");
        errors.add(source.span(), &message, &help);
    }
}
