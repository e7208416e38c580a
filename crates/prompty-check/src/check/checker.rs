//! The state of one check: the facts that are known at the current place, and the findings so far.

use std::collections::{HashMap, HashSet};

use super::guards::{Guards, PlaceId};
use super::role_lines::PrintedRoleLines;
use super::scope::{NameBinding, NameKind, Scope};
use super::signature::{HostSignatures, OutputInstruction, Signature};
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

/// The maximum number of names in a help text.
const MOST_LISTED: usize = 8;
/// The number of findings after which names are no longer suggested, to limit the cost.
const MOST_SUGGESTIONS: usize = 50;

/// The state of a check. Other modules add the methods that visit the tree.
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
    /// Each place of an input's name, in the complete source.
    pub(super) variables: Vec<(String, SourceSpan)>,
    /// The open block whose text is captured instead of written, if there is one.
    pub(super) capture: Option<&'static str>,
    /// How the current macro uses `caller`.
    pub(super) caller: CallerUse,
    /// The values of the open Mustache sections, the innermost last.
    pub(super) contexts: Vec<Value>,
    /// The values of the open Handlebars blocks, the innermost last.
    pub(super) blocks: Vec<BlockValue>,
    /// The number of each open recursive partial, and how many sections enclose it.
    pub(super) partials: Vec<(usize, usize)>,
    /// Where threads and media are printed.
    pub(super) rich_outputs: HashMap<TemplateSpan, RichKind>,
    /// The outputs that have a finding. One output may span several lines.
    pub(super) reported_outputs: HashSet<TemplateSpan>,
    /// The lines that a loop writes in the form of role markers.
    pub(super) printed_role_lines: PrintedRoleLines,
    /// Whether the checker currently reads the list of a loop that writes such lines.
    pub(super) is_role_list: bool,
    /// The places of message tags.
    pub(super) tags: TagFacts,
    /// Whether a function was called that may read all inputs.
    pub(super) reads_all_inputs: bool,
    pub(super) language: &'a dyn Language,
    /// The names of the declared inputs, in order.
    input_names: Vec<&'a str>,
    /// The inputs, and the variable for the output.
    input_kinds: HashMap<&'a str, (Type, Absence)>,
    /// The places of the inputs that were used, for guards.
    input_places: HashMap<String, PlaceId>,
}

/// The variable `output_requirement`, a string that is present if the prompt has an output.
fn output_variable(signature: &Signature) -> Option<(&'static str, (Type, Absence))> {
    let is_there = signature.output != OutputInstruction::Nothing;
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
            reported_outputs: HashSet::new(),
            printed_role_lines: PrintedRoleLines::default(),
            is_role_list: false,
            tags: TagFacts::default(),
            reads_all_inputs: false,
            language,
            input_names: signature.inputs.iter().map(|input| input.name.as_str()).collect(),
            // An input of the same name replaces the variable.
            input_kinds: output_variable(signature)
                .into_iter()
                .chain(signature.inputs.iter().map(kind_of))
                .collect(),
            input_places: HashMap::new(),
        }
    }

    /// Records that an input is used at a place. Returns its value; `None` if it is unknown.
    pub(super) fn use_input(&mut self, name: &str, span: TemplateSpan) -> Option<Value> {
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

    /// Whether there is an input with that name.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.input_kinds.contains_key(name)
    }

    /// The type of the input of that name.
    pub(super) fn input_kind(&self, name: &str) -> Option<&Type> {
        self.input_kinds.get(name).map(|(kind, _)| kind)
    }

    /// Whether and how a value may be missing, given the guards at this place.
    pub(super) fn absence_at(&self, absence: Absence, place: PlaceId) -> Absence {
        if self.guards.is_present(place) { Absence::Never } else { absence }
    }

    /// Binds a name to a value. The value gets its own place, so that guards can identify it.
    pub(super) fn bind(&mut self, name: &Name, value: Value, kind: NameKind) {
        self.bind_as(&name.text, value, kind);
    }

    /// Like [`Checker::bind`], for a name that is not in the template.
    pub(super) fn bind_as(&mut self, name: &str, value: Value, kind: NameKind) {
        let mut value = value.without_facts();
        if value.place.is_none() {
            value.place = Some(self.guards.fresh());
        }
        self.scope.bind(name, NameBinding { value, kind });
    }

    /// The places that are present if the value is true.
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

    /// A part of the template, as messages quote it.
    pub(super) fn quoted(&self, span: TemplateSpan) -> String {
        let Some(text) = span.text_in(self.text) else { return "`...`".to_owned() };
        let line = text.lines().next().unwrap_or_default().trim();
        if line.len() == text.trim().len() && line.chars().count() <= 40 {
            return format!("`{line}`");
        }
        format!("`{}...`", line.chars().take(37).collect::<String>())
    }

    /// The owner of the inputs in messages: the Rust type or "this prompt".
    pub(super) fn subject(&self) -> String {
        match &self.signature.subject {
            Some(subject) => format!("`{subject}`"),
            None => "this prompt".to_owned(),
        }
    }

    /// Whether names are still suggested. Each suggestion looks at all names.
    pub(super) fn suggests(&self) -> bool {
        self.diagnostics.len() <= MOST_SUGGESTIONS
    }

    /// The most similar name; `None` after too many findings.
    pub(super) fn similar(&self, wrong: &str, candidates: &[&str]) -> Option<String> {
        self.suggests().then(|| suggest(wrong, candidates)).flatten()
    }

    /// The sorted names that the template binds; empty after too many findings.
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

    /// A finding about an unknown name. The help has a similar name, or lists the available ones.
    /// `what` is for example "filter".
    pub(super) fn unknown_finding(
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
            None => diagnostic.with_help(format!("available {what}s: {}", listed(candidates))),
        }
    }

    /// Reports an unknown variable. The first help that fits is given: about the output, a similar
    /// name, a thread, a filter, or the available inputs.
    pub(super) fn report_unknown_variable(&mut self, name: &str, span: TemplateSpan) {
        let scoped = self.bound_names(|_| true);
        let help = if let Some(help) = self.help_for_output(name) {
            vec![help]
        } else if let Some(similar) = self.similar(name, &self.input_names) {
            vec![format!("an input with a similar name exists: `{similar}`")]
        } else if let Some(similar) = self.similar(name, &scoped) {
            vec![format!("a variable with a similar name exists: `{similar}`")]
        } else if self.printed_role_lines.is_thread(span) {
            vec![format!(
                "declare it: `{name}: {{kind: thread}}` under `inputs`, in Rust `{name}: &[Message]`"
            )]
        } else if self.language.has_statement_tags() && matches!(name, "super" | "self") {
            vec![SUPER_HELP.to_owned()]
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
            vec![format!("available inputs: {}", listed(&self.input_names))]
        };
        let message = format!("unknown input `{name}`");
        let label = format!("not an input of {}", self.subject());
        self.report_with_help(Code::UnknownInput, message, label, help, span);
    }

    /// Reports a value that is declared optional and used without a guard. `doing` continues the
    /// sentence: "printed", "compared".
    pub(super) fn require_present(&mut self, value: &Value, expr: &Expr, doing: &str) {
        if value.absence != Absence::Declared || matches!(value.kind, Type::Rich(_)) {
            return;
        }
        let finding = self.absence_finding(value, expr, doing, expr);
        self.diagnostics.push(finding);
    }

    /// Records that a value is used whose type only rustc may know. rustc reports the use if the
    /// type is an `Option`. The same holds for the owners of an attribute: for `user.address.city`,
    /// a finding is recorded for `city` and for `address`, but not for the input `user`.
    pub(super) fn require_present_in_rust(&mut self, value: &Value, expr: &Expr, doing: &str) {
        // A known absence is reported elsewhere. A declared type counts as unknown, because the
        // file may declare a type of the user's own instead of the struct.
        let is_known = matches!(value.kind, Type::Rich(_)) || value.absence != Absence::Never;
        let is_guarded = value.place.is_none_or(|place| self.guards.is_present(place));
        if !value.is_read || is_known || is_guarded || !self.language.has_filters() {
            return;
        }
        let finding = self.absence_finding(value, expr, doing, expr);
        self.uses.mark_unguarded(&value.sources, &finding);
        let (mut part, mut place, mut sources) = (expr, value.place, value.sources.clone());
        while let ExprKind::Attribute { value: owner, .. } = &part.kind {
            place = place.and_then(|place| self.guards.parent(place));
            let Some(place) = place.filter(|place| !self.guards.is_present(*place)) else { return };
            sources = self.uses.owners(&sources);
            if sources.is_empty() {
                return;
            }
            let unknown = Value { place: Some(place), ..Value::any() };
            let finding = self.absence_finding(&unknown, owner, "accessed by attribute", expr);
            self.uses.mark_unguarded(&sources, &finding);
            part = owner;
        }
    }

    /// Like [`Checker::require_present`], if a missing value would be an error of the render.
    pub(super) fn require_present_strictly(&mut self, value: &Value, expr: &Expr, doing: &str) {
        if value.absence != Absence::Never {
            let finding = self.absence_finding(value, expr, doing, expr);
            self.diagnostics.push(finding);
        }
        self.require_present_in_rust(value, expr, doing);
    }

    /// The finding about a value that may be missing. The help adds a default after `outer`,
    /// which may contain the value.
    fn absence_finding(&self, value: &Value, expr: &Expr, doing: &str, outer: &Expr) -> Diagnostic {
        let quoted = self.quoted(expr.span);
        let name = quoted.trim_matches('`');
        let outer = self.quoted(outer.span);
        let outer = outer.trim_matches('`');
        let default = match value.kind {
            Type::Integer | Type::Float => "0",
            Type::Boolean => "false",
            Type::List(_) => "[]",
            Type::Object(_) => "{}",
            _ => "\"\"",
        };
        let guards = self.language.guard(name, outer, default);
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

    /// Reports a thread or media that is not accepted here. Returns whether it is one.
    pub(super) fn reject_rich(&mut self, value: &Value, span: TemplateSpan, doing: &str) -> bool {
        let Type::Rich(rich) = value.kind else { return false };
        if self.is_role_list {
            return true;
        }
        let kind = value.kind.description();
        let quoted = self.quoted(span);
        let help = match rich {
            RichKind::Thread => "write it on its own line, between two messages",
            _ => "write it alone where it belongs in the text",
        };
        let name = quoted.trim_matches('`');
        let diagnostic = Diagnostic::new(Code::MisplacedRich, format!("{kind} cannot be {doing}"))
            .with_label(format!("{quoted} is {kind}, not a string"))
            .with_help(format!("{help}: `{}`", self.language.output(name)));
        let diagnostic = match (rich, doing) {
            (RichKind::Thread, "iterated over") => diagnostic.with_help(
                "for a transcript as text, declare its messages as a list in another input",
            ),
            (_, CONDITIONAL_VALUE) => diagnostic.with_help("put it in an `{% if %}` block instead"),
            _ => diagnostic,
        };
        self.report(diagnostic, span);
        true
    }
}

/// How a conditional expression uses a value.
pub(super) const CONDITIONAL_VALUE: &str = "the value of a conditional expression";

/// The help for `super` and `self` in a template that overrides no block.
pub(super) const SUPER_HELP: &str =
    "use `super` and `self` only in the blocks of a file that extends another file";

/// The first names of a list, in the form of a help text.
pub(super) fn listed(names: &[&str]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_LISTED {
        shown.push(format!("and {} more", names.len() - MOST_LISTED));
    }
    shown.join(", ")
}
