//! What one kind of template may write and another may not. There is one lexer and one parser: all
//! that differs between prompts and chat templates is a value of [`Dialect`].

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
    /// Whether the newline behind a block tag belongs to the tag.
    pub(super) trim_blocks: bool,
    /// Whether the white space between the start of a line and a block tag belongs to the tag.
    pub(super) lstrip_blocks: bool,
    /// White space between the tokens of a tag.
    pub(super) is_space_in_tags: fn(char) -> bool,
    /// White space that `-` takes off a text.
    pub(super) is_space_in_texts: fn(char) -> bool,
    /// Whether names may have letters beyond ASCII.
    pub(super) has_unicode_names: bool,
    /// Whether `+}}` and `{% raw +%}` end a tag as `+%}` does.
    pub(super) plus_ends_all_tags: bool,
    /// How texts in quotes escape characters.
    pub(super) escapes: Escapes,
    /// How numbers are written.
    pub(super) numbers: Numbers,
    /// Whether `null` is another way to write `none`.
    pub(super) has_null: bool,
    /// The tags that exist besides [`TAGS`].
    pub(super) extra_tags: &'static [&'static str],
    /// Whether tags that name other templates are parsed, so that the checker can explain them.
    pub(super) parses_other_templates: bool,
    /// Whether an end tag may repeat the name of its block.
    pub(super) end_tags_repeat_names: bool,
    /// Whether `{% do %}` takes any expression, and not only a call.
    pub(super) do_takes_any_expression: bool,
    /// Whether indices take `a, b` as a tuple, conditions also take `a if b else c`, and `{% with %}`
    /// binds several names at once. Outputs, loops and `{% set %}` always take a tuple.
    pub(super) has_tuples_everywhere: bool,
    /// Whether `+value` is an expression.
    pub(super) has_unary_plus: bool,
    /// Whether the result of a filter or test may be called: `value | filter (arguments)(more)`.
    pub(super) calls_filter_results: bool,
    /// Whether the argument of a test without parentheses may have a sign: `x is above -1`.
    pub(super) test_argument_may_be_signed: bool,
    /// The names that are no argument of the test in front of them.
    pub(super) words_after_a_test: &'static [&'static str],
    /// The names that a template cannot bind.
    pub(super) reserved_names: &'static [&'static str],
    /// How much may depend on each other in one expression: see [`Chain`](super::lexer::Chain).
    pub(super) max_chain: usize,
    /// What one more `elif` costs of the blocks that may be open.
    pub(super) elif_cost: usize,
    /// How many arguments a call, and how many parameters a macro, may have.
    pub(super) max_arguments: usize,
}

/// The tags that every dialect has and that help texts list.
pub(super) const TAGS: [&str; 8] = ["if", "for", "set", "with", "macro", "call", "filter", "raw"];

/// How texts in quotes escape characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// As JSON does, where surrogates must be pairs, and also `\x41` and octal numbers up to `\377`.
    Json,
    /// As Python does.
    Python,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `1.` is a number; `1e` and `1_` are mistakes, and so is an integer of more than 127 bits.
    Engine,
    /// `1.` is a number and a dot, `1e` a number and a name; an integer that is too large is a float.
    Python,
}

impl Dialect {
    /// The templates of prompts. What this dialect accepts, minijinja compiles with the same meaning.
    pub const PROMPT: Self = Self {
        trim_blocks: false,
        lstrip_blocks: false,
        is_space_in_tags: |character| character.is_ascii_whitespace(),
        is_space_in_texts: char::is_whitespace,
        has_unicode_names: false,
        plus_ends_all_tags: true,
        escapes: Escapes::Json,
        numbers: Numbers::Engine,
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

    /// Models' chat templates, as Python's Jinja2 reads them with the settings of `transformers`.
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

    /// The same dialect with other rules for the white space around block tags.
    pub(super) fn with_white_space(self, trim_blocks: bool, lstrip_blocks: bool) -> Self {
        Self { trim_blocks, lstrip_blocks, ..self }
    }

    /// Whether a tag exists in this dialect only by its [`Dialect::extra_tags`].
    pub(super) fn has_extra_tag(&self, tag: &str) -> bool {
        self.extra_tags.contains(&tag)
    }
}

/// What Python takes for white space.
///
/// ```
/// assert!(prompty_template::jinja::is_python_space('\u{1f}'));
/// assert!(!'\u{1f}'.is_whitespace());
/// ```
pub fn is_python_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}
