//! Templates that are too long or too deep are rejected. All accepted templates fit the stack of a
//! thread, in our code and in the engine.

use prompty_template::jinja::syntax::parse;

/// The maximum number of nested tokens in one expression.
const MAX_CHAIN: usize = 300;
/// The part of [`MAX_CHAIN`] that an open bracket uses.
const BRACKET: usize = 4;
/// The maximum nesting of brackets.
const MAX_BRACKETS: usize = 20;
/// The maximum number of `elif` that are open at once.
const MAX_BRANCHES: usize = 256;
/// The part of [`MAX_BRANCHES`] that an open block uses.
const BLOCK: usize = 4;

/// Parses, compiles and drops a template on a thread with the default stack. Returns whether it
/// was rejected.
fn is_refused(text: String) -> bool {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let work = move || {
        let tree = parse(&text);
        if tree.is_ok() {
            let _ = minijinja::Environment::new().template_from_str(&text);
        }
        tree.is_err()
    };
    thread.spawn(work).unwrap().join().unwrap()
}

/// Tags that the engine parses by recursion, one of each kind.
fn chains(length: usize) -> Vec<(&'static str, String)> {
    let links = |link: &str, cost: usize| link.repeat(length / cost);
    // Brackets have a lower limit than other chains.
    let nesting = |depth: usize| if length < MAX_CHAIN { depth.min(MAX_BRACKETS) } else { depth };
    let brackets = |open: &str, close: &str| {
        let cost = BRACKET + open.len() - 1;
        let depth = nesting(length / cost);
        format!("{{{{ {}a{} }}}}", open.repeat(depth), close.repeat(depth))
    };
    vec![
        ("operators", format!("{{{{ a{} }}}}", links("+a", 2))),
        ("filters", format!("{{{{ a{} }}}}", links("|b", 2))),
        ("attributes", format!("{{{{ a{} }}}}", links(".b", 2))),
        ("calls", format!("{{{{ a{} }}}}", links("()", BRACKET))),
        ("not", format!("{{{{ {}a }}}}", links("not ", 1))),
        ("minus", format!("{{{{ {}a }}}}", links("- ", 1))),
        ("conditionals", format!("{{{{ a{} }}}}", links(" if a else a", 4))),
        ("comparisons", format!("{{{{ a{} }}}}", links(" < a", 2))),
        ("parentheses", brackets("(", ")")),
        ("lists", brackets("[", "]")),
        ("maps", brackets("{a:", "}")),
        ("targets", {
            let [open, close] = ["(", ")"].map(|it| it.repeat(nesting(length / BRACKET)));
            format!("{{% set {open}a{close} = a %}}")
        }),
    ]
}

/// A text inside the maximum number of blocks and branches.
fn in_blocks(text: &str, block: &str, end: &str, branches: &str) -> String {
    let count = MAX_BRANCHES / BLOCK / 2;
    let branches = branches.repeat(MAX_BRANCHES / 2);
    format!("{}{branches}{text}{}", block.repeat(count), end.repeat(count))
}

#[test]
fn accepted_templates_fit_the_stack() {
    for (name, chain) in chains(MAX_CHAIN - 2 * BRACKET) {
        assert!(!is_refused(chain.clone()), "{name}");
        // The engine may reject a template for its own limit, but it must not overflow the stack.
        is_refused(in_blocks(&chain, "{% if a %}", "{% endif %}", "{% elif a %}"));
        let block = "{% for a in b %}{% with a = b %}";
        is_refused(in_blocks(&chain, block, "{% endwith %}{% endfor %}", ""));
    }
}

#[test]
fn chains_beyond_the_limit_are_rejected() {
    for length in [MAX_CHAIN * 2 + 20, 200_000] {
        for (name, chain) in chains(length) {
            assert!(is_refused(chain), "{name}");
        }
    }
}

#[test]
fn blocks_and_elif_are_bounded_together() {
    let chain = |length| format!("{{% if a %}}{}", "{% elif a %}".repeat(length));
    assert!(!is_refused(format!("{}{{% endif %}}", chain(MAX_BRANCHES - BLOCK))));
    assert!(is_refused(format!("{}{{% endif %}}", chain(MAX_BRANCHES))));
    assert!(is_refused(chain(50_000)));
    let nested = format!("{}{}", chain(3).repeat(60), "{% endif %}".repeat(60));
    assert!(is_refused(nested));
    let one_after_another = format!("{}{{% endif %}}", chain(50)).repeat(20);
    assert!(!is_refused(one_after_another));
    let blocks = ["set a", "set a | b(c='=')", "filter a", "call a()", "macro a()", "with a=b"];
    for block in blocks {
        assert!(is_refused(format!("{{% {block} %}}").repeat(MAX_BRANCHES)), "{block}");
    }
    assert!(!is_refused("{% set a = 1 %}".repeat(MAX_BRANCHES)));
}

#[test]
fn a_long_list_is_not_a_chain() {
    let list = format!("{{% set a = [{}] %}}", "{'b': 1}, ".repeat(5_000));
    assert!(!is_refused(list));
}

#[test]
fn a_megabyte_is_the_limit() {
    assert!(!is_refused("a".repeat(1 << 20)));
    assert!(is_refused("a".repeat((1 << 20) + 1)));
}
