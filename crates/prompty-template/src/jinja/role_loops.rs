//! Loops that write each item of a list as a message:
//!
//! ```text
//! {% for m in history %}
//! {{ m.role }}:
//! {{ m.content }}
//! {% endfor %}
//! ```
//!
//! The output of an expression is data, so such a loop cannot open messages by itself. A loop of
//! exactly this form has the same meaning as `{{ history }}` with messages in `history`, and is
//! treated as such. [`role_lines`](super::role_lines) finds loops of a similar form.

// The checker and the pipeline replace the loops before they read the template further, so they
// need no other rule for them. The replacement keeps each line and column, so all positions stay
// valid. A definition keeps the author's text. With a parser of the host nothing is replaced,
// because its markers may have another form.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::tree::{
    Argument, BinaryOperator, Expr, ExprKind, For, Name, Node, NodeKind, Target, Template,
    UnaryOperator,
};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;

/// The help for a loop over messages whose fields have other names than `role` and `content`.
pub const FIELD_NAMES_HELP: &str =
    "in the program, name the fields of each message `role` and `content`";

/// The help for a loop that writes its messages as text.
pub const TRANSCRIPT_HELP: &str =
    "for a transcript as text, write the role and the content on one line";

/// Returns the help for a loop that writes lines like role markers. `list` is the input that it
/// loops over, if it is known.
pub fn thread_help(list: Option<&str>) -> String {
    match list {
        Some(list) => format!(
            "declare `{list}` as a thread (`kind: thread`, in Rust `&[Message]`), and write \
             `{{{{ {list} }}}}` on its own line"
        ),
        None => "pass the messages of a conversation as one input: declare it with \
                 `kind: thread`, and write it on its own line, such as `{{ history }}`"
            .to_owned(),
    }
}

/// A loop that is equivalent to a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleLoop {
    /// The input that it loops over.
    pub input: Name,
    /// The span of the complete loop.
    pub span: TemplateSpan,
    /// Whether a list can become a thread here. The template may only print it, loop over it in
    /// this form, and test whether it is present.
    pub is_only_use: bool,
}

/// The declaration of an input that a loop iterates over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopInput {
    /// The input is not declared.
    Undeclared,
    /// A list, or a value of any type.
    List,
    /// A thread.
    Thread,
    /// A value that is not a list.
    Other,
}

impl RoleLoop {
    /// Whether the loop is treated as a thread. An input that is not declared as a thread becomes
    /// one if it has no other use.
    pub fn is_thread(&self, declared: LoopInput) -> bool {
        match declared {
            LoopInput::Thread => true,
            LoopInput::Undeclared | LoopInput::List => self.is_only_use,
            LoopInput::Other => false,
        }
    }
}

/// Finds the loops of a template that are equivalent to a thread.
pub fn role_loops(text: &str, template: &Template) -> Vec<RoleLoop> {
    if !may_have_loops(text) {
        return Vec::new();
    }
    let mut loops = Vec::new();
    collect(text, &template.nodes, &mut loops);
    if loops.is_empty() {
        return loops;
    }
    let mut uses = NameUses::default();
    uses.nodes(&template.nodes);
    let mut loops_over: HashMap<String, usize> = HashMap::new();
    for found in &loops {
        *loops_over.entry(found.input.text.clone()).or_default() += 1;
    }
    // A name that the template binds is not an input.
    loops.retain(|found| !uses.bound.contains(found.input.text.as_str()));
    for found in &mut loops {
        let name = found.input.text.as_str();
        // Each loop of this form is one of the other uses.
        found.is_only_use = uses.other.get(name) == loops_over.get(name);
    }
    loops
}

/// Finds the loops that are treated as threads. `declared` returns the declaration of an input.
pub fn threads_of(
    text: &str,
    template: &Template,
    declared: impl Fn(&str) -> LoopInput,
) -> Vec<RoleLoop> {
    let mut loops = role_loops(text, template);
    loops.retain(|found| found.is_thread(declared(&found.input.text)));
    loops
}

/// Replaces the given loops with outputs of their inputs, in the text and in its tree. The text
/// keeps its length in bytes, and the tree equals the one that the parser would return for it.
pub fn with_threads<'t>(
    text: &'t str,
    mut template: Arc<Template>,
    threads: &[RoleLoop],
) -> (Cow<'t, str>, Arc<Template>) {
    let mut written = Cow::Borrowed(text);
    if threads.is_empty() {
        return (written, template);
    }
    let changed_tree = Arc::make_mut(&mut template);
    let inputs = threads.iter().map(|found| (found.span, &found.input)).collect();
    replace_loops(&mut changed_tree.nodes, &inputs);
    changed_tree.raw.retain(|raw| !threads.iter().any(|found| found.span.contains(*raw)));
    for found in threads {
        let Some(output) = as_output(text, found) else { continue };
        let changed_text = written.to_mut();
        let range = found.span.start..found.span.end;
        let replaced = changed_text.get(range.clone());
        if replaced.is_some_and(|replaced| replaced.len() == output.len()) {
            changed_text.replace_range(range, &output);
        }
    }
    (written, template)
}

/// Replaces loops with outputs of their inputs, in the places where [`collect`] finds them.
fn replace_loops(nodes: &mut [Node], inputs: &HashMap<TemplateSpan, &Name>) {
    for node in nodes {
        match &mut node.kind {
            NodeKind::For(_) => {
                if let Some(input) = inputs.get(&node.span) {
                    let kind = ExprKind::Variable(input.text.clone());
                    node.kind = NodeKind::Output(Expr { kind, span: input.span });
                }
            }
            NodeKind::If(branching) => {
                let bodies = branching.branches.iter_mut().map(|(_, body)| body);
                bodies.chain(&mut branching.otherwise).for_each(|body| replace_loops(body, inputs));
            }
            NodeKind::With { body, .. } => replace_loops(body, inputs),
            _ => {}
        }
    }
}

/// Whether a text contains the words of such a loop. Most do not, and need not be parsed.
pub fn may_have_loops(text: &str) -> bool {
    ["for", "role", "content"].iter().all(|word| text.contains(word))
}

/// Returns `{{ history }}`, padded with white space so that each line and column is preserved.
fn as_output(text: &str, found: &RoleLoop) -> Option<String> {
    let source = found.span.text_in(text)?;
    let name = TemplateSpan::new(
        found.input.span.start.saturating_sub(found.span.start),
        found.input.span.end.saturating_sub(found.span.start),
    );
    let opener = if source.starts_with("{%-") { "{{-" } else { "{{" };
    let closer = if source.ends_with("-%}") { "-}}" } else { "}}" };
    let blank = |part: &str| -> String {
        // A multi-byte character is replaced with several spaces.
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        part.bytes().map(blank).collect()
    };
    let before = source.get(opener.len()..name.start)?;
    let after = source.get(name.end..source.len().checked_sub(closer.len())?)?;
    Some([opener, &blank(before), &found.input.text, &blank(after), closer].concat())
}

/// Collects the loops of this form, wherever text is written directly to the output.
fn collect(text: &str, nodes: &[Node], loops: &mut Vec<RoleLoop>) {
    for node in nodes {
        if let Some(found) = role_loop(text, node) {
            loops.push(found);
            continue;
        }
        if matches!(node.kind, NodeKind::If(_) | NodeKind::With { .. }) {
            walk::bodies(node).into_iter().for_each(|body| collect(text, body, loops));
        }
    }
}

/// Returns the loop, if a node has exactly the form: text, `{{ m.role }}`, a colon and a line
/// break, `{{ m.content }}`, text.
fn role_loop(text: &str, node: &Node) -> Option<RoleLoop> {
    let NodeKind::For(For { target, iterable, condition: None, recursive: false, body, otherwise }) =
        &node.kind
    else {
        return None;
    };
    let Target::Name(item) = target else { return None };
    let input = list_name(iterable)?;
    if !otherwise.is_empty() {
        return None;
    }
    let (before, rest) = leading_text(body);
    let [role, rest @ ..] = rest else { return None };
    let (colon, rest) = leading_text(rest);
    let [content, rest @ ..] = rest else { return None };
    let (after, rest) = leading_text(rest);
    let is_plain = matches!(before.trim(), "" | "#") && colon.trim() == ":";
    if !is_plain || !rest.is_empty() || !after.trim().is_empty() {
        return None;
    }
    // White-space control may have removed the line break from the text node, so the source counts.
    let between = text.get(role.span.end..content.span.start)?;
    let is_line = between.split_once(':').is_some_and(|(head, tail)| {
        head.trim().is_empty() && tail.trim().is_empty() && tail.contains('\n')
    });
    let is_form = is_line
        && prints_part(role, &item.text, "role")
        && prints_part(content, &item.text, "content");
    is_form.then_some(RoleLoop { input, span: node.span, is_only_use: false })
}

/// Splits a body into its leading text and the nodes after it.
fn leading_text(body: &[Node]) -> (&str, &[Node]) {
    match body {
        [Node { kind: NodeKind::Text(text), .. }, rest @ ..] => (text, rest),
        _ => ("", body),
    }
}

/// Returns the input in `history` and `history | default([])`. A missing thread is empty.
fn list_name(iterable: &Expr) -> Option<Name> {
    match &iterable.kind {
        ExprKind::Variable(name) => Some(Name::new(name.as_str(), iterable.span)),
        ExprKind::Filter { value, call } if matches!(&*call.name.text, "default" | "d") => {
            let [Argument::Positional(default)] = call.arguments.as_slice() else { return None };
            let is_empty = matches!(&default.kind, ExprKind::List(items) if items.is_empty());
            if is_empty { list_name(value) } else { None }
        }
        _ => None,
    }
}

/// Whether a node prints `item.part` or `item["part"]`.
fn prints_part(node: &Node, item: &str, part: &str) -> bool {
    let NodeKind::Output(expr) = &node.kind else { return false };
    match &expr.kind {
        ExprKind::Attribute { value, name } => name.text == part && is_variable(value, item),
        ExprKind::Index { value, index } => {
            let is_part =
                matches!(&index.kind, ExprKind::Literal(text) if text.as_str() == Some(part));
            is_part && is_variable(value, item)
        }
        _ => false,
    }
}

fn is_variable(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Variable(found) if found == name)
}

/// The uses of a template's names.
#[derive(Default)]
struct NameUses<'t> {
    /// The names that the template binds.
    bound: HashSet<&'t str>,
    /// The number of uses of each name other than an output or a test for presence. A loop is one.
    other: HashMap<&'t str, usize>,
}

impl<'t> NameUses<'t> {
    fn nodes(&mut self, nodes: &'t [Node]) {
        for node in walk::all_nodes(nodes) {
            self.bound.extend(walk::bound_names(node).into_iter().map(|name| &*name.text));
            for expr in walk::expressions(node) {
                match &node.kind {
                    NodeKind::Output(_) if matches!(expr.kind, ExprKind::Variable(_)) => {}
                    NodeKind::If(_) => self.condition(expr),
                    _ => self.expr(expr),
                }
            }
        }
    }

    /// Reads a condition, which may test whether a thread is present.
    fn condition(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Variable(_) => {}
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => self.condition(operand),
            ExprKind::Binary {
                operator: BinaryOperator::And | BinaryOperator::Or,
                left,
                right,
            } => {
                self.condition(left);
                self.condition(right);
            }
            _ => self.expr(expr),
        }
    }

    fn expr(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Variable(name) => *self.other.entry(name).or_default() += 1,
            ExprKind::Test { value, call } if &*call.name.text == "defined" => {
                if !matches!(value.kind, ExprKind::Variable(_)) {
                    self.expr(value);
                }
            }
            _ => walk::operands(expr).into_iter().for_each(|operand| self.expr(operand)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::RoleLoop;
    use crate::Template;
    use crate::jinja::role_lines::role_lines;
    use crate::jinja::syntax::parse;

    const LOOP: &str = "{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}";

    fn names(text: &str) -> Vec<String> {
        let loops =
            super::role_loops(text, &parsed(text)).into_iter().filter(|found| found.is_only_use);
        loops.map(|found| found.input.text).collect()
    }

    /// The tree of a text; an empty one if it is not a template.
    fn parsed(text: &str) -> Arc<Template> {
        Arc::new(parse(text).unwrap_or_default())
    }

    /// Replaces loops with threads, and checks the returned tree.
    fn with_threads(text: &str, is_thread: impl Fn(&RoleLoop) -> bool) -> String {
        let template = parsed(text);
        let loops = super::role_loops(text, &template).into_iter();
        let threads: Vec<RoleLoop> = loops.filter(is_thread).collect();
        let (written, tree) = super::with_threads(text, template, &threads);
        assert_eq!(tree, parsed(&written), "{written}");
        written.into_owned()
    }

    fn has_role_line(text: &str) -> bool {
        !role_lines(text, &parsed(text), &|_, _| false).is_empty()
    }

    #[test]
    fn the_form_is_found_with_any_spacing_and_names() {
        for text in [
            LOOP,
            "{%- for item in history -%}\n\n{{item.role}}:\n{{item.content}}\n\n{%- endfor -%}",
            "{% for m in history %}\n  {{ m[\"role\"] }}:\n  {{ m['content'] }}\n{% endfor %}",
            "{% for m in history %}{{ m.role }}:\n{{- m.content }}{% endfor %}",
            "{% for m in history %}\n# {{ m.role }} :\n\n{{ m.content }}\n{% endfor %}",
            "{% for m in history | default([]) %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "{% if premium %}\nHi\n{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n\
             {% endfor %}{% endif %}",
        ] {
            assert_eq!(names(text), ["history"], "{text}");
        }
        assert_eq!(names(&format!("{LOOP}\n{LOOP}\n{{{{ history }}}}")), ["history", "history"]);
        let asked =
            "{% if history %}Hi{% elif not (history and history is defined) %}Ho{% endif %}";
        assert_eq!(names(&format!("{asked}\n{LOOP}")), ["history"]);
    }

    #[test]
    fn the_loop_becomes_an_output_of_the_same_length() {
        let text = format!("é\n{LOOP}\nuser:\nHi");
        let written = with_threads(&text, |found| found.input.text == "history");
        let blank = " ".repeat(13);
        assert_eq!(
            written,
            format!(
                "é\n{{{{{}history   \n{blank}\n{}\n{}}}}}\nuser:\nHi",
                " ".repeat(10),
                " ".repeat(15),
                " ".repeat(10)
            )
        );
        assert_eq!(written.len(), text.len());
        assert_eq!(with_threads(&text, |_| false), text);
        let trimmed = LOOP.replace("{%", "{%-").replace("%}", "-%}");
        let written = with_threads(&trimmed, |_| true);
        assert!(written.starts_with("{{-  ") && written.ends_with("  -}}"), "{written}");
        assert_eq!(written.split_whitespace().collect::<Vec<_>>(), ["{{-", "history", "-}}"]);
    }

    #[test]
    fn a_similar_loop_is_not_a_thread_and_has_a_role_line() {
        for text in [
            "{% for m in history %}\n{{ m.role }}:\n{{ m.content | trim }}\n{% endfor %}",
            "{% for m in history %}\n{{ m.role | lower }}:\n{{ m.content }}\n{% endfor %}",
            "{% for m in history[-5:] %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "{% for m in history if m.content %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "{% for m in history %}\n{{ m.role }}:\nThey said: {{ m.content }}\n{% endfor %}",
            "{% for m in history %}\n{{ m.role }}:\n{{ m.text }}\n{% endfor %}",
            "{% for m in history %}{% if m.role %}\n{{ m.role }}:\n{{ m.content }}\n{% endif %}{% endfor %}",
            "{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% else %}None{% endfor %}",
            "{% for a in b %}{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}{% endfor %}",
            "{% macro turn(m) %}\n{{ m.role }}:\n{{ m.content }}\n{% endmacro %}{{ turn(x) }}",
            "{% set history = x %}{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "{{ history | length }}{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
            assert!(has_role_line(text), "{text}");
        }
    }

    proptest::proptest! {
        /// Only the loop changes, whatever is around and inside of it, and the template stays
        /// valid.
        #[test]
        fn a_replaced_loop_keeps_all_lines_and_columns(
            before in "[a-zé{}%\n -]{0,12}",
            space in "[ \n-]{0,3}",
            after in "[a-zé{}%\n #]{0,12}",
        ) {
            let text = format!("{before}{}{after}", LOOP.replace(' ', &format!(" {space} ")));
            let written = with_threads(&text, |_| true);
            let ends = |text: &str| -> Vec<usize> {
                text.match_indices('\n').map(|(end, _)| end).collect()
            };
            proptest::prop_assert_eq!(written.len(), text.len());
            proptest::prop_assert_eq!(ends(&written), ends(&text));
            proptest::prop_assert!(written.starts_with(&before) && written.ends_with(&after));
            if parse(&text).is_ok() {
                proptest::prop_assert!(parse(&written).is_ok());
            }
            proptest::prop_assert_eq!(with_threads(&written, |_| true), written.clone());
        }
    }
}
