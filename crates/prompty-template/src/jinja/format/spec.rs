//! Parses format specifications: `-05.2f` after a `%`, `*>+8,.2f` between braces.
//!
//! After a `%`, the order is: flags (`-`, `+`, a space, `0`, `#`), width, `.` and precision, kind.
//! Between braces, it is: fill character and alignment (`<`, `>`, `^`, `=`), sign, `z`, `#`, `0`,
//! width, separator (`,`, `_`), `.` and precision, kind. So `*>+8,.2f` writes 1234.5 as
//! `+1,234.50`, which is wider than 8 characters, and 1.5 as `***+1.50`.

use super::error::{FormatError, MAX_WIDTH};

/// A format specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    pub(super) notation: Notation,
    pub(super) fill: char,
    pub(super) align: Option<Align>,
    pub(super) sign: Sign,
    /// `#`: the prefix of the base (`0x`), or a point even without a fraction.
    pub(super) alternate: bool,
    /// `z`: negative zero is written without a sign.
    pub(super) no_negative_zero: bool,
    /// `0` before the width.
    pub(super) zeros: bool,
    pub(super) width: usize,
    pub(super) separator: Option<Separator>,
    pub(super) precision: Option<usize>,
    pub(super) kind: ValueKind,
    /// The letter of the kind. In upper case, the letters in the number are too.
    pub(super) letter: char,
}

/// The kind of format string. Some options have different meanings in the two kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Percent,
    Braces,
}

/// The alignment of a value in its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    Middle,
    /// The sign on the left, the digits on the right.
    AfterSign,
}

/// The sign of a number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// No option is given.
    Unspecified,
    /// No sign.
    Minus,
    Plus,
    Space,
}

/// The separator of groups of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Underscore,
}

/// The kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// No kind is given: `{}`.
    Unspecified,
    /// `s`
    Text,
    /// `r` or `a` after a `%`: a Python literal.
    Literal,
    /// `c`
    Character,
    Integer(Base),
    /// `n`: like `d` for an integer, like `g` for a float.
    Number,
    Float(FloatKind),
}

/// The base in which an integer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Binary,
    Octal,
    Decimal,
    Hexadecimal,
}

/// The form in which a float is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatKind {
    /// `f` and `F`
    Fixed,
    /// `e` and `E`
    Scientific,
    /// `g` and `G`
    General,
    /// `%`
    Percent,
}

impl ValueKind {
    /// Returns the kind of a letter that has the same meaning in both notations.
    fn of_letter(letter: char) -> Option<Self> {
        Some(match letter {
            's' => Self::Text,
            'c' => Self::Character,
            'd' => Self::Integer(Base::Decimal),
            'o' => Self::Integer(Base::Octal),
            'x' | 'X' => Self::Integer(Base::Hexadecimal),
            'f' | 'F' => Self::Float(FloatKind::Fixed),
            'e' | 'E' => Self::Float(FloatKind::Scientific),
            'g' | 'G' => Self::Float(FloatKind::General),
            _ => return None,
        })
    }
}

/// The number of fill characters around a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    pub(super) fill: char,
    /// Before the sign.
    pub(super) before: usize,
    /// Between the sign and the digits.
    pub(super) between: usize,
    /// After the value.
    pub(super) after: usize,
}

impl Spec {
    pub(super) fn new(notation: Notation) -> Self {
        Self {
            notation,
            fill: ' ',
            align: None,
            sign: Sign::Unspecified,
            alternate: false,
            no_negative_zero: false,
            zeros: false,
            width: 0,
            separator: None,
            precision: None,
            kind: ValueKind::Unspecified,
            letter: 's',
        }
    }

    /// Whether the value must be a number.
    #[must_use]
    pub fn wants_number(&self) -> bool {
        matches!(self.kind, ValueKind::Integer(_) | ValueKind::Number | ValueKind::Float(_))
    }

    /// Whether the specification is empty: `{}`.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::new(Notation::Braces)
    }

    pub(super) fn is_percent(&self) -> bool {
        self.notation == Notation::Percent
    }

    /// Returns an error for an option that is not supported for characters.
    pub(super) fn check_character(&self) -> Result<(), FormatError> {
        self.reject_options(self.precision.map(|_| "."))
    }

    /// Returns an error for an option that is not supported for strings.
    pub(super) fn check_text(&self) -> Result<(), FormatError> {
        self.reject_options((self.align == Some(Align::AfterSign)).then_some("="))
    }

    /// Returns an error for the first of the options that only numbers have, or for `other`. After
    /// a `%`, all options are accepted.
    fn reject_options(&self, other: Option<&'static str>) -> Result<(), FormatError> {
        let of_numbers = match self {
            Self { notation: Notation::Percent, .. } => return Ok(()),
            Self { sign: Sign::Plus, .. } => Some("+"),
            Self { sign: Sign::Minus, .. } => Some("-"),
            Self { sign: Sign::Space, .. } => Some(" "),
            Self { no_negative_zero: true, .. } => Some("z"),
            Self { alternate: true, .. } => Some("#"),
            _ => None,
        };
        let option = of_numbers.or(other).or(self.separator.map(Separator::text));
        option.map_or(Ok(()), |option| Err(FormatError::Option(option)))
    }

    /// Returns the padding of one character. Between braces, it is padded like a number.
    pub(super) fn character_padding(&self) -> Padding {
        match self.notation {
            Notation::Percent => self.text_padding(1),
            Notation::Braces => self.number_padding(1),
        }
    }

    /// Returns the maximum number of characters of a number that these options add.
    pub(super) fn max_extra_length(&self) -> usize {
        self.precision.unwrap_or_default().saturating_add(match self.separator {
            Some(_) => self.width,
            None => 0,
        })
    }

    /// Returns the padding of a number with `length` characters, including its sign. The option `0`
    /// puts zeros after the sign, unless another alignment is given.
    pub(super) fn number_padding(&self, length: usize) -> Padding {
        let align = match (self.align, self.zeros) {
            (Some(Align::Left), _) => Align::Left,
            (None, true) => Align::AfterSign,
            (explicit, _) => explicit.unwrap_or(Align::Right),
        };
        self.padding(length, align)
    }

    /// Returns the padding of a string with `length` characters.
    pub(super) fn text_padding(&self, length: usize) -> Padding {
        let (default, fill) = match self.notation {
            Notation::Percent => (Align::Right, ' '),
            Notation::Braces => (Align::Left, self.fill),
        };
        Padding { fill, ..self.padding(length, self.align.unwrap_or(default)) }
    }

    fn padding(&self, length: usize, align: Align) -> Padding {
        let missing = self.width.saturating_sub(length);
        let (before, between, after) = match align {
            Align::Left => (0, 0, missing),
            Align::Middle => (missing / 2, 0, missing - missing / 2),
            Align::AfterSign => (0, missing, 0),
            Align::Right => (missing, 0, 0),
        };
        // Zeros after a number would look like its digits.
        let fill = match self.notation {
            Notation::Percent if align == Align::Left => ' ',
            _ => self.fill,
        };
        Padding { fill, before, between, after }
    }

    /// Returns the text up to the precision, or `None` if the text is not longer.
    pub(super) fn truncate<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (at, _) = text.char_indices().nth(self.precision?)?;
        text.get(..at)
    }
}

impl Separator {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Comma => ",",
            Self::Underscore => "_",
        }
    }
}

/// Splits off the first character of a text.
fn split_first(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    Some((characters.next()?, characters.as_str()))
}

/// Parses a specification such as `-05.2f`. Returns it with the remaining text.
pub(super) fn percent_spec(text: &str) -> (Result<Spec, FormatError>, &str) {
    let mut spec = Spec::new(Notation::Percent);
    let mut rest = text;
    while let Some((flag, after)) = split_first(rest).filter(|(it, _)| "-+ 0#".contains(*it)) {
        rest = after;
        match flag {
            '-' => spec.align = Some(Align::Left),
            '0' => (spec.zeros, spec.fill) = (true, '0'),
            '#' => spec.alternate = true,
            '+' => spec.sign = Sign::Plus,
            ' ' if spec.sign == Sign::Unspecified => spec.sign = Sign::Space,
            _ => {}
        }
    }
    // An error is returned at the end, with the text after the placeholder.
    let mut error = None;
    rest = skip_star(rest, &mut error);
    (spec.width, rest) = parse_digits(rest, &mut error);
    if let Some(after) = rest.strip_prefix('.') {
        let after = skip_star(after, &mut error);
        let (precision, after) = parse_digits(after, &mut error);
        spec.precision = Some(precision);
        rest = after;
    }
    // The length modifiers of C are accepted and ignored.
    rest = rest.strip_prefix(['h', 'l', 'L']).unwrap_or(rest);
    let Some((letter, rest)) = split_first(rest) else {
        return (Err(error.unwrap_or(FormatError::NoKind)), rest);
    };
    // These pairs of letters have the same meaning.
    let letter = match letter {
        'i' | 'u' => 'd',
        'a' => 'r',
        other => other,
    };
    let kind = if letter == 'r' { Some(ValueKind::Literal) } else { ValueKind::of_letter(letter) };
    let read = match (error, kind) {
        (Some(error), _) => Err(error),
        (None, None) => Err(FormatError::UnknownKind(letter)),
        (None, Some(kind)) => Ok(Spec { kind, letter, ..spec }),
    };
    (read, rest)
}

/// Skips a `*`, which is an error.
fn skip_star<'t>(text: &'t str, error: &mut Option<FormatError>) -> &'t str {
    let Some(rest) = text.strip_prefix('*') else { return text };
    *error = Some(FormatError::StarWidth);
    rest
}

/// Parses an optional number, which is 0 if it is missing. Returns it with the remaining text.
fn parse_digits<'t>(text: &'t str, error: &mut Option<FormatError>) -> (usize, &'t str) {
    let length = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(length).unwrap_or(("", text));
    if digits.is_empty() {
        return (0, rest);
    }
    match digits.parse() {
        Ok(number) if number <= MAX_WIDTH => (number, rest),
        _ => {
            *error = Some(FormatError::TooWide);
            (0, rest)
        }
    }
}

/// Parses a specification such as `>8,.2f`.
pub(super) fn brace_spec(text: &str) -> Result<Spec, FormatError> {
    let mut spec = Spec::new(Notation::Braces);
    let (fill, align, mut rest) = split_alignment(text);
    (spec.fill, spec.align) = (fill.unwrap_or(spec.fill), align);
    let mut take = |signs: &str| {
        let (found, after) = split_first(rest).filter(|(it, _)| signs.contains(*it))?;
        rest = after;
        Some(found)
    };
    spec.sign = match take("+- ") {
        Some('+') => Sign::Plus,
        Some('-') => Sign::Minus,
        Some(_) => Sign::Space,
        None => Sign::Unspecified,
    };
    spec.no_negative_zero = take("z").is_some();
    spec.alternate = take("#").is_some();
    // After an explicit fill character, a zero is a digit of the width.
    if fill.is_none() && take("0").is_some() {
        (spec.zeros, spec.fill) = (true, '0');
    }
    let mut error = None;
    (spec.width, rest) = parse_digits(rest, &mut error);
    if let Some((separator, after)) = split_first(rest).filter(|(it, _)| ",_".contains(*it)) {
        let separator = if separator == ',' { Separator::Comma } else { Separator::Underscore };
        spec.separator = Some(separator);
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('.') {
        if !after.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(FormatError::InvalidSpec(shortened(text)));
        }
        let (precision, after) = parse_digits(after, &mut error);
        spec.precision = Some(precision);
        rest = after;
    }
    if let Some(error) = error {
        return Err(error);
    }
    let mut letters = rest.chars();
    let Some(letter) = letters.next() else { return Ok(spec) };
    if letters.next().is_some() {
        return Err(FormatError::InvalidSpec(shortened(text)));
    }
    spec.letter = letter;
    spec.kind = match letter {
        'b' => ValueKind::Integer(Base::Binary),
        'n' => ValueKind::Number,
        '%' => ValueKind::Float(FloatKind::Percent),
        _ => ValueKind::of_letter(letter).ok_or(FormatError::UnknownKind(letter))?,
    };
    Ok(spec)
}

/// Splits off a fill character and an alignment, `*>`, or only an alignment, `>`. Returns both with
/// the remaining text.
fn split_alignment(text: &str) -> (Option<char>, Option<Align>, &str) {
    let Some((first, after_first)) = split_first(text) else { return (None, None, text) };
    if let Some((second, after)) = split_first(after_first)
        && let Some(align) = align_of_sign(second)
    {
        return (Some(first), Some(align), after);
    }
    match align_of_sign(first) {
        Some(align) => (None, Some(align), after_first),
        None => (None, None, text),
    }
}

fn align_of_sign(sign: char) -> Option<Align> {
    Some(match sign {
        '<' => Align::Left,
        '>' => Align::Right,
        '^' => Align::Middle,
        '=' => Align::AfterSign,
        _ => return None,
    })
}

/// Shortens a source piece for a message.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
