//! The dialects of Jinja. There is one lexer and one parser for prompts and chat templates; all
//! differences between them are fields of [`Dialect`].

/// A dialect of Jinja.
///
/// ```
/// use prompty_template::jinja::{Dialect, parse};
///
/// let text = "{% for x in xs %}{% break %}{% endfor %}";
/// assert!(parse(text, &Dialect::CHAT).is_ok());
/// assert_eq!(parse(text, &Dialect::PROMPT).unwrap_err().message, "unknown tag `break`");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Whether the newline after a block tag belongs to the tag.
    pub(super) trim_blocks: bool,
    /// Whether the white space from the start of a line to a block tag belongs to the tag.
    pub(super) lstrip_blocks: bool,
    /// White space between the tokens of a tag.
    pub(super) is_space_in_tags: fn(char) -> bool,
    /// White space that `-` removes from a text.
    pub(super) is_space_in_texts: fn(char) -> bool,
    /// Whether names may contain letters beyond ASCII.
    pub(super) has_unicode_names: bool,
    /// Whether `+}}` and `{% raw +%}` end a tag as `+%}` does.
    pub(super) plus_ends_all_tags: bool,
    /// The escape sequences in string literals.
    pub(super) escapes: Escapes,
    /// The syntax of number literals.
    pub(super) numbers: Numbers,
    /// Whether `null` is another way to write `none`.
    pub(super) has_null: bool,
    /// The tags in addition to [`TAGS`], for help texts. Of `generation`, `break` and `continue`,
    /// the parser accepts only those in this list.
    pub(super) extra_tags: &'static [&'static str],
    /// Whether tags that name other templates are parsed, so that the checker can explain them.
    pub(super) parses_other_templates: bool,
    /// Whether an end tag may repeat the name of its block.
    pub(super) end_tags_repeat_names: bool,
    /// Whether `{% do %}` accepts any expression, and not only a call.
    pub(super) do_takes_any_expression: bool,
    /// Whether an index may be a tuple `a, b`, a condition may be `a if b else c`, and `{% with %}`
    /// may bind several names at once. Outputs, loops and `{% set %}` always accept a tuple.
    pub(super) has_tuples_everywhere: bool,
    /// Whether `+value` is an expression.
    pub(super) has_unary_plus: bool,
    /// Whether the result of a filter or test may be called: `value | filter (arguments)(more)`.
    pub(super) calls_filter_results: bool,
    /// Whether the unparenthesised argument of a test may have a sign: `x is above -1`.
    pub(super) test_argument_may_be_signed: bool,
    /// The words that are not an argument of the test before them: in `x is defined and y`, `and`
    /// is an operator.
    pub(super) words_after_a_test: &'static [&'static str],
    /// The names that a template cannot bind.
    pub(super) reserved_names: &'static [&'static str],
    /// The maximum length of a chain of dependent operations in an expression: see
    /// [`Chain`](super::lexer::Chain).
    pub(super) max_chain: usize,
    /// The nesting depth that each `elif` counts for. Minijinja nests each `elif` in the branch
    /// before it.
    pub(super) elif_cost: usize,
    /// The maximum number of arguments of a call, and of parameters of a macro.
    pub(super) max_arguments: usize,
}

/// The usual tags of every dialect, in the order of help texts. The parser also accepts `do`,
/// `block` and `autoescape` in every dialect.
pub(super) const TAGS: [&str; 8] = ["if", "for", "set", "with", "macro", "call", "filter", "raw"];

/// The escape sequences in string literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Those of JSON, `\x41`, and octal numbers up to `\377`. Surrogates must be pairs.
    Json,
    /// Those of Python.
    Python,
}

/// The syntax of number literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `1.` is a number. `1e`, `1_` and an integer of more than 127 bits are errors.
    Minijinja,
    /// `1.` is a number and a dot, and `1e` a number and a name. An integer that is too large is a
    /// float.
    Python,
}

impl Dialect {
    /// The dialect of prompts. Minijinja accepts every template of this dialect, and gives it the
    /// same meaning as the compiled code of a prompt.
    pub const PROMPT: Self = Self {
        trim_blocks: false,
        lstrip_blocks: false,
        is_space_in_tags: |character| character.is_ascii_whitespace(),
        is_space_in_texts: char::is_whitespace,
        has_unicode_names: false,
        plus_ends_all_tags: true,
        escapes: Escapes::Json,
        numbers: Numbers::Minijinja,
        has_null: true,
        extra_tags: &[],
        parses_other_templates: true,
        end_tags_repeat_names: false,
        do_takes_any_expression: false,
        has_tuples_everywhere: false,
        has_unary_plus: false,
        calls_filter_results: false,
        test_argument_may_be_signed: true,
        words_after_a_test: &["and", "or", "else", "is"],
        reserved_names: &["true", "True", "false", "False", "none", "None", "loop", "self"],
        max_chain: 300,
        elif_cost: 1,
        max_arguments: 2000,
    };

    /// The dialect of models' chat templates: Python's Jinja2 with the settings of `transformers`.
    pub const CHAT: Self = Self {
        trim_blocks: true,
        lstrip_blocks: true,
        is_space_in_tags: is_python_space,
        is_space_in_texts: is_python_space,
        has_unicode_names: true,
        plus_ends_all_tags: false,
        escapes: Escapes::Python,
        numbers: Numbers::Python,
        has_null: false,
        extra_tags: &["do", "break", "continue", "generation"],
        parses_other_templates: false,
        end_tags_repeat_names: true,
        do_takes_any_expression: true,
        has_tuples_everywhere: true,
        has_unary_plus: true,
        calls_filter_results: true,
        test_argument_may_be_signed: false,
        words_after_a_test: &["else", "or", "and", "if", "in", "not", "is", "recursive"],
        reserved_names: &[],
        max_chain: 1000,
        elif_cost: 0,
        max_arguments: 255,
    };

    /// Returns the same dialect with different rules for the white space around block tags.
    pub(super) fn with_white_space(self, trim_blocks: bool, lstrip_blocks: bool) -> Self {
        Self { trim_blocks, lstrip_blocks, ..self }
    }

    /// Whether a tag is one of the [`Dialect::extra_tags`].
    pub(super) fn has_extra_tag(&self, tag: &str) -> bool {
        self.extra_tags.contains(&tag)
    }
}

/// Whether Python treats a character as white space.
///
/// ```
/// assert!(prompty_template::jinja::is_python_space('\u{1f}'));
/// assert!(!'\u{1f}'.is_whitespace());
/// ```
pub fn is_python_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}
