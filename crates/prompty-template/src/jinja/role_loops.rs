//! Loops that write each item of a list as a message, which are threads:
//!
//! ```text
//! {% for m in history %}
//! {{ m.role }}:
//! {{ m.content }}
//! {% endfor %}
//! ```
//!
//! What an expression writes is data, so such a loop opens no message by itself. Where it has exactly this
//! form, it says the same as `{{ history }}` with messages in `history`, and is read as that. What is almost
//! of this form is found by [`role_lines`](super::role_lines).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::tree::{
    Argument, BinaryOperator, Expr, ExprKind, For, Name, Node, NodeKind, Target, Template,
    UnaryOperator,
};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;

/// A loop that says the same as a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleLoop {
    /// What it loops over.
    pub input: Name,
    /// The whole loop.
    pub span: TemplateSpan,
    /// Whether a list can become a thread here: the template does nothing else with it than to write it, to
    /// loop over it in this way, and to ask whether it is there.
    pub is_only_use: bool,
}

/// How an input is declared, as far as it matters for a loop over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredAs {
    /// Not at all.
    Nothing,
    /// As a list, or as something of any kind.
    List,
    /// As a thread.
    Thread,
    /// As something that is no list.
    Other,
}

impl RoleLoop {
    /// Whether the loop is read as a thread: what is no thread yet can become one if it is used for nothing
    /// else.
    pub fn is_thread(&self, declared: DeclaredAs) -> bool {
        match declared {
            DeclaredAs::Thread => true,
            DeclaredAs::Nothing | DeclaredAs::List => self.is_only_use,
            DeclaredAs::Other => false,
        }
    }
}

/// The loops of a template that say the same as a thread.
pub fn role_loops(text: &str, template: &Template) -> Vec<RoleLoop> {
    if !may_have_loops(text) {
        return Vec::new();
    }
    let mut loops = Vec::new();
    collect(text, &template.nodes, &mut loops);
    if loops.is_empty() {
        return loops;
    }
    let mut uses = Uses::default();
    uses.nodes(&template.nodes);
    let mut loops_over: HashMap<String, usize> = HashMap::new();
    for found in &loops {
        *loops_over.entry(found.input.text.clone()).or_default() += 1;
    }
    // What the template binds itself is no input.
    loops.retain(|found| !uses.bound.contains(found.input.text.as_str()));
    for found in &mut loops {
        let name = found.input.text.as_str();
        found.is_only_use = uses.other.get(name) == loops_over.get(name);
    }
    loops
}

/// The loops of a template that are read as threads, where `declared` says how the input of a name is declared.
pub fn threads_of(
    text: &str,
    template: &Template,
    declared: impl Fn(&str) -> DeclaredAs,
) -> Vec<RoleLoop> {
    let mut loops = role_loops(text, template);
    loops.retain(|found| found.is_thread(declared(&found.input.text)));
    loops
}

/// The text and its tree with the given loops as outputs of what they go over. The text stays byte for byte as
/// long, and the tree is the one that the parser would read from it.
pub fn with_threads<'t>(
    text: &'t str,
    mut template: Arc<Template>,
    threads: &[RoleLoop],
) -> (Cow<'t, str>, Arc<Template>) {
    let mut written = Cow::Borrowed(text);
    if threads.is_empty() {
        return (written, template);
    }
    let changed = Arc::make_mut(&mut template);
    let inputs = threads.iter().map(|found| (found.span, &found.input)).collect();
    replace_loops(&mut changed.nodes, &inputs);
    changed.raw.retain(|raw| !threads.iter().any(|found| found.span.contains(*raw)));
    for found in threads {
        let Some(output) = as_output(text, found) else { continue };
        let text = written.to_mut();
        let range = found.span.start..found.span.end;
        if text.get(range.clone()).is_some_and(|replaced| replaced.len() == output.len()) {
            text.replace_range(range, &output);
        }
    }
    (written, template)
}

/// Replaces loops by outputs of what they go over. Such loops are only where [`collect`] looks for them.
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

/// Whether a text has the words of such a loop. Most do not, and need not be parsed for that.
pub fn may_have_loops(text: &str) -> bool {
    ["for", "role", "content"].iter().all(|word| text.contains(word))
}

/// `{{ history }}` with white space in the place of all else, so that each line and column stays.
fn as_output(text: &str, found: &RoleLoop) -> Option<String> {
    let whole = found.span.text_in(text)?;
    let name = TemplateSpan::new(
        found.input.span.start.saturating_sub(found.span.start),
        found.input.span.end.saturating_sub(found.span.start),
    );
    let opener = if whole.starts_with("{%-") { "{{-" } else { "{{" };
    let closer = if whole.ends_with("-%}") { "-}}" } else { "}}" };
    let blank = |part: &str| -> String {
        // A character of several bytes is as long as its spaces.
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        part.bytes().map(blank).collect()
    };
    let before = whole.get(opener.len()..name.start)?;
    let after = whole.get(name.end..whole.len().checked_sub(closer.len())?)?;
    Some([opener, &blank(before), &found.input.text, &blank(after), closer].concat())
}

/// The loops that have the form, wherever text is written straight to the output.
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

/// A loop of exactly the form.
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
    let between = text.get(role.span.end..content.span.start)?;
    let is_line = between.split_once(':').is_some_and(|(head, tail)| {
        head.trim().is_empty() && tail.trim().is_empty() && tail.contains('\n')
    });
    let is_form = is_line
        && prints_part(role, &item.text, "role")
        && prints_part(content, &item.text, "content");
    is_form.then_some(RoleLoop { input, span: node.span, is_only_use: false })
}

/// The text at the beginning of a body, and what follows it.
fn leading_text(body: &[Node]) -> (&str, &[Node]) {
    match body {
        [Node { kind: NodeKind::Text(text), .. }, rest @ ..] => (text, rest),
        _ => ("", body),
    }
}

/// The input in `history` and in `history | default([])`: a thread that is missing is empty.
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
        ExprKind::Attribute { value, name } => name.text == part && is_named(value, item),
        ExprKind::Index { value, index } => {
            let is_part =
                matches!(&index.kind, ExprKind::Literal(text) if text.as_str() == Some(part));
            is_part && is_named(value, item)
        }
        _ => false,
    }
}

fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Variable(found) if found == name)
}

/// How the names of a template are used.
#[derive(Default)]
struct Uses<'t> {
    /// The names that the template binds itself.
    bound: HashSet<&'t str>,
    /// How often each is used otherwise than by writing it, or by asking whether it is there.
    other: HashMap<&'t str, usize>,
}

impl<'t> Uses<'t> {
    fn nodes(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            self.bound.extend(walk::bound_names(node).into_iter().map(|name| &*name.text));
            for expr in walk::expressions(node) {
                match &node.kind {
                    NodeKind::Output(_) if matches!(expr.kind, ExprKind::Variable(_)) => {}
                    NodeKind::If(_) => self.condition(expr),
                    _ => self.expr(expr),
                }
            }
            walk::bodies(node).into_iter().for_each(|body| self.nodes(body));
        }
    }

    /// Whether a thread is there may be asked.
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

    /// The text with threads in the place of loops, after a look at the tree that comes with it.
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
    fn the_form_is_known_however_it_is_spaced_and_named() {
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
    fn what_is_almost_the_form_is_no_thread_and_opens_no_message() {
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
        /// Whatever stands around and inside of a loop: nothing but the loop changes, and it stays a template.
        #[test]
        fn what_a_loop_becomes_has_the_same_lines_and_columns(
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
