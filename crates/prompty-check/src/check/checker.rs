//! The state of one check: what is known at the place that is looked at, and what was found so far.

use std::collections::{HashMap, HashSet};

use super::guards::{Guards, PlaceId};
use super::role_lines::RoleLines;
use super::scope::{Binding, NameKind, Scope};
use super::signature::{AskedOutput, HostSignatures, Signature};
use super::tag_facts::TagFacts;
use super::types::{Absence, BlockValue, CallerUse, Type, Value};
use super::uses::UseTree;
use crate::definition::{Input, Presence};
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, TemplateSpan};
use prompty_core::message::RichKind;
use prompty_core::work::add_steps;
use prompty_template::tree::{Expr, ExprKind, Name};
use prompty_template::{Language, OUTPUT_REQUIREMENT};

/// How many names a help text lists.
const LISTED: usize = 8;
/// After so many findings no more suggestions are sought, so that a hostile text costs no more.
const SUGGESTIONS: usize = 50;

pub(super) struct Checker<'a> {
    /// The template's text.
    pub(super) text: &'a str,
    /// The place of the template in the source.
    pub(super) body: SourceSpan,
    pub(super) signature: &'a Signature,
    pub(super) extensions: &'a HostSignatures,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) scope: Scope,
    pub(super) guards: Guards,
    pub(super) uses: UseTree,
    /// Each place of an input's name, in the whole source.
    pub(super) variables: Vec<(String, SourceSpan)>,
    /// The block whose text is caught instead of written, if one is open.
    pub(super) capture: Option<&'static str>,
    /// How the macro that is being read uses `caller`.
    pub(super) caller: CallerUse,
    /// The values of Mustache's sections, the innermost last.
    pub(super) contexts: Vec<Value>,
    /// The values of Handlebars' blocks, the innermost last.
    pub(super) blocks: Vec<BlockValue>,
    /// The partials around that name themselves: their numbers, and how many sections are around each.
    pub(super) partials: Vec<(usize, usize)>,
    /// Where threads and media are printed.
    pub(super) rich_outputs: HashMap<TemplateSpan, RichKind>,
    /// The outputs of which something was said; one may go on over several lines.
    pub(super) told_outputs: HashSet<TemplateSpan>,
    /// The lines that a loop writes as if they were role markers.
    pub(super) role_lines: RoleLines,
    /// Whether the list of a loop is read that writes such lines.
    pub(super) is_role_list: bool,
    /// Where message tags leave room for values.
    pub(super) tags: TagFacts,
    /// Whether a function was called that may read all inputs.
    pub(super) reads_all_inputs: bool,
    pub(super) language: &'a dyn Language,
    input_names: Vec<&'a str>,
    input_kinds: HashMap<&'a str, (Type, Absence)>,
    input_places: HashMap<String, PlaceId>,
}

/// The variable that the template of a prompt with an output has beside its inputs. It is a text of the
/// author's, and always there.
fn output_variable(signature: &Signature) -> Option<(&'static str, (Type, Absence))> {
    let is_there = signature.output != AskedOutput::Nothing;
    is_there.then_some((OUTPUT_REQUIREMENT, (Type::Text, Absence::Never)))
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        text: &'a str,
        body: SourceSpan,
        language: &'a dyn Language,
        signature: &'a Signature,
        extensions: &'a HostSignatures,
    ) -> Self {
        let kind_of = |input: &'a Input| {
            let value = Value::from_type(&Type::of(&input.value_type));
            let absence = match input.presence() {
                Presence::Optional => Absence::Declared,
                Presence::Required | Presence::Defaulted => value.absence,
            };
            (input.name.as_str(), (value.kind, absence))
        };
        Self {
            text,
            body,
            signature,
            extensions,
            diagnostics: Vec::new(),
            scope: Scope::default(),
            guards: Guards::default(),
            uses: UseTree::default(),
            variables: Vec::new(),
            capture: None,
            caller: CallerUse::default(),
            contexts: Vec::new(),
            blocks: Vec::new(),
            partials: Vec::new(),
            rich_outputs: HashMap::new(),
            told_outputs: HashSet::new(),
            role_lines: RoleLines::default(),
            is_role_list: false,
            tags: TagFacts::default(),
            reads_all_inputs: false,
            language,
            input_names: signature.inputs.iter().map(|input| input.name.as_str()).collect(),
            // An input of that name is the one that is meant.
            input_kinds: output_variable(signature)
                .into_iter()
                .chain(signature.inputs.iter().map(kind_of))
                .collect(),
            input_places: HashMap::new(),
        }
    }

    /// The value of an input that is named at a place, if there is such an input.
    pub(super) fn input(&mut self, name: &str, span: TemplateSpan) -> Option<Value> {
        let (kind, absence) = match self.input_kinds.get(name) {
            Some((kind, absence)) => (kind.clone(), *absence),
            None if self.signature.open => (Type::Any, Absence::Never),
            None => return None,
        };
        let guards = &mut self.guards;
        let place = *self.input_places.entry(name.to_owned()).or_insert_with(|| guards.fresh());
        let shifted = span.in_source(self.body);
        self.variables.push((name.to_owned(), shifted));
        let mut value = Value::new(kind);
        value.sources = self.uses.root(name, shifted);
        value.absence = self.absence_at(absence, place);
        value.place = Some(place);
        Some(value)
    }

    /// Whether there is an input of that name.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.input_kinds.contains_key(name)
    }

    /// The type of the input of that name.
    pub(super) fn input_kind(&self, name: &str) -> Option<&Type> {
        self.input_kinds.get(name).map(|(kind, _)| kind)
    }

    /// How a value may be missing, given what guards it here.
    pub(super) fn absence_at(&self, absence: Absence, place: PlaceId) -> Absence {
        if self.guards.is_present(place) { Absence::Never } else { absence }
    }

    /// Binds a name to a value; guards can tell it from all others.
    pub(super) fn bind(&mut self, name: &Name, value: Value, kind: NameKind) {
        self.bind_as(&name.text, value, kind);
    }

    pub(super) fn bind_as(&mut self, name: &str, value: Value, kind: NameKind) {
        let mut value = value.without_facts();
        if value.place.is_none() {
            value.place = Some(self.guards.fresh());
        }
        self.scope.bind(name, Binding { value, kind });
    }

    /// What holds for the rest if the value is true, or if it is false.
    pub(super) fn when_true(&self, value: &Value) -> Vec<PlaceId> {
        let mut places = value.when_true.clone();
        if let Some(place) = value.place {
            places.extend(self.guards.chain(place));
        }
        places
    }

    /// Adds a finding at a place of the template.
    pub(super) fn report(&mut self, diagnostic: Diagnostic, span: TemplateSpan) {
        self.diagnostics.push(diagnostic.with_span(span.in_source(self.body)));
    }

    /// Reports a finding with a label.
    pub(super) fn report_labelled(
        &mut self,
        code: Code,
        message: impl Into<String>,
        label: impl Into<String>,
        span: TemplateSpan,
    ) {
        self.report(Diagnostic::new(code, message).with_label(label), span);
    }

    /// Reports a finding with a label and help lines.
    pub(super) fn report_with_help(
        &mut self,
        code: Code,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl IntoIterator<Item = impl Into<String>>,
        span: TemplateSpan,
    ) {
        let diagnostic = Diagnostic::new(code, message).with_label(label);
        self.report(help.into_iter().fold(diagnostic, Diagnostic::with_help), span);
    }

    /// A piece of the template as messages quote it.
    pub(super) fn quoted(&self, span: TemplateSpan) -> String {
        let Some(text) = span.text_in(self.text) else { return "`...`".to_owned() };
        let line = text.lines().next().unwrap_or_default().trim();
        if line.len() == text.trim().len() && line.chars().count() <= 40 {
            return format!("`{line}`");
        }
        format!("`{}...`", line.chars().take(37).collect::<String>())
    }

    /// What the inputs belong to.
    pub(super) fn subject(&self) -> String {
        match &self.signature.subject {
            Some(subject) => format!("`{subject}`"),
            None => "this prompt".to_owned(),
        }
    }

    /// Whether names are still suggested: not once there are many findings, since each looks at all names.
    pub(super) fn suggests(&self) -> bool {
        self.diagnostics.len() <= SUGGESTIONS
    }

    /// The name that was probably meant, while there are not too many findings.
    pub(super) fn similar(&self, wrong: &str, candidates: &[&str]) -> Option<String> {
        self.suggests().then(|| suggest(wrong, candidates)).flatten()
    }

    /// The names that the template binds, sorted, while there are not too many findings.
    pub(super) fn bound_names(&self, is_meant: impl Fn(NameKind) -> bool) -> Vec<&str> {
        if !self.suggests() {
            return Vec::new();
        }
        let names = self.scope.names().filter(|(_, kind)| is_meant(*kind));
        let mut names: Vec<&str> = names.map(|(name, _)| name).collect();
        add_steps(names.len());
        names.sort_unstable();
        names
    }

    /// A finding about an unknown name, with the name that was probably meant or those that exist.
    pub(super) fn unknown(
        &self,
        code: Code,
        what: &str,
        wrong: &str,
        candidates: &[&str],
    ) -> Diagnostic {
        let diagnostic = Diagnostic::new(code, format!("unknown {what} `{wrong}`"));
        match self.similar(wrong, candidates) {
            Some(name) => {
                let article = if what.starts_with(['a', 'i']) { "an" } else { "a" };
                diagnostic
                    .with_help(format!("{article} {what} with a similar name exists: `{name}`"))
            }
            None if candidates.is_empty() => diagnostic,
            None => diagnostic.with_help(format!("there are: {}", listed(candidates))),
        }
    }

    /// An unknown name where a variable stands.
    pub(super) fn unknown_variable(&mut self, name: &str, span: TemplateSpan) {
        let scoped = self.bound_names(|_| true);
        let help = if let Some(help) = self.help_for_output(name) {
            vec![help]
        } else if let Some(similar) = self.similar(name, &self.input_names) {
            vec![format!("an input with a similar name exists: `{similar}`")]
        } else if let Some(similar) = self.similar(name, &scoped) {
            vec![format!("a variable with a similar name exists: `{similar}`")]
        } else if self.role_lines.is_thread(span) {
            vec![format!(
                "declare it: `{name}: {{kind: thread}}` under `inputs`, in Rust `{name}: &[Message]`"
            )]
        } else if self.language.has_statement_tags() && matches!(name, "super" | "self") {
            vec!["templates of prompts have no blocks to inherit from".to_owned()]
        } else if self.language.has_filters() && prompty_template::builtins::filter(name).is_some()
        {
            vec![format!("`{name}` is a filter: `{{{{ value | {name} }}}}`")]
        } else if self.input_names.is_empty() {
            let declaration = if self.signature.is_configuration {
                format!("declare it: `- name: {name}` under `input_variables`")
            } else {
                format!(
                    "declare it: `{name}: {{kind: string}}` under `inputs`, in Rust `{name}: &str`"
                )
            };
            vec![format!("{} declares no inputs", self.subject()), declaration]
        } else {
            vec![format!("the inputs are: {}", listed(&self.input_names))]
        };
        let message = format!("unknown input `{name}`");
        let label = format!("not an input of {}", self.subject());
        self.report_with_help(Code::UnknownInput, message, label, help, span);
    }

    /// Says that a value that may be missing is used as if it were there.
    pub(super) fn demand(&mut self, value: &Value, expr: &Expr, doing: &str) {
        if value.absence != Absence::Declared || matches!(value.kind, Type::Rich(_)) {
            return;
        }
        let finding = self.unguarded(value, expr, doing, expr);
        self.diagnostics.push(finding);
    }

    /// Notes that a value is needed whose type only rustc may know: it says so if that is an `Option`, and
    /// if that of a value is one whose attribute this is.
    pub(super) fn demand_of_rust(&mut self, value: &Value, expr: &Expr, doing: &str) {
        // What is said of absence is told already. Where a file declares the type of a field, a type
        // of the user's own may stand in for the struct.
        let is_known = matches!(value.kind, Type::Rich(_)) || value.absence != Absence::Never;
        let is_guarded = value.place.is_none_or(|place| self.guards.is_present(place));
        if !value.is_read || is_known || is_guarded || !self.language.has_filters() {
            return;
        }
        let finding = self.unguarded(value, expr, doing, expr);
        self.uses.unguarded(&value.sources, &finding);
        let (mut part, mut place, mut sources) = (expr, value.place, value.sources.clone());
        while let ExprKind::Attribute { value: owner, .. } = &part.kind {
            place = place.and_then(|place| self.guards.parent(place));
            let Some(place) = place.filter(|place| !self.guards.is_present(*place)) else { return };
            sources = self.uses.owners(&sources);
            if sources.is_empty() {
                return;
            }
            let unknown = Value { place: Some(place), ..Value::any() };
            let finding = self.unguarded(&unknown, owner, "asked for an attribute", expr);
            self.uses.unguarded(&sources, &finding);
            part = owner;
        }
    }

    /// As [`Checker::demand`], where a missing value would end the rendering with an error.
    pub(super) fn demand_strictly(&mut self, value: &Value, expr: &Expr, doing: &str) {
        if value.absence != Absence::Never {
            let finding = self.unguarded(value, expr, doing, expr);
            self.diagnostics.push(finding);
        }
        self.demand_of_rust(value, expr, doing);
    }

    /// What is said of a value that may be missing. A default stands behind `whole`, of which the value
    /// may be a part.
    fn unguarded(&self, value: &Value, expr: &Expr, doing: &str, whole: &Expr) -> Diagnostic {
        let quoted = self.quoted(expr.span);
        let name = quoted.trim_matches('`');
        let whole = self.quoted(whole.span);
        let whole = whole.trim_matches('`');
        let default = match value.kind {
            Type::Integer | Type::Float => "0",
            Type::Boolean => "false",
            Type::List(_) => "[]",
            Type::Object(_) => "{}",
            _ => "\"\"",
        };
        let guards = self.language.guard(name, whole, default);
        let message = format!("{quoted} may be missing");
        let diagnostic = Diagnostic::new(Code::UnguardedOptional, message)
            .with_label(format!("{doing} with no guard and no default"))
            .with_help(guards);
        let diagnostic = match value.absence {
            Absence::Declared => diagnostic.with_help("or make it required, or give it a default"),
            Absence::Never | Absence::Computed => diagnostic,
        };
        diagnostic.with_span(expr.span.in_source(self.body))
    }

    /// Whether the value is a thread or a medium, which is wrong here and has been said.
    pub(super) fn forbid_rich(&mut self, value: &Value, span: TemplateSpan, doing: &str) -> bool {
        let Type::Rich(rich) = value.kind else { return false };
        if self.is_role_list {
            return true;
        }
        let kind = value.kind.description();
        let quoted = self.quoted(span);
        let help = match rich {
            RichKind::Thread => "write it alone where its messages belong",
            _ => "write it alone where it belongs in the text",
        };
        let name = quoted.trim_matches('`');
        let diagnostic = Diagnostic::new(Code::MisplacedRich, format!("{kind} cannot be {doing}"))
            .with_label(format!("{quoted} is {kind}, which is not a text"))
            .with_help(format!("{help}: `{}`", self.language.output(name)));
        let diagnostic = match (rich, doing) {
            (RichKind::Thread, "looped over") => diagnostic.with_help(
                "for a transcript, which is text, take its messages as a list, in another input",
            ),
            _ => diagnostic,
        };
        self.report(diagnostic, span);
        true
    }
}

/// The first names of a list, as a help text shows them.
pub(super) fn listed(names: &[&str]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        shown.push(format!("and {} more", names.len() - LISTED));
    }
    shown.join(", ")
}
