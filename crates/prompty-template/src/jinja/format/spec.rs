//! How a value is written into its place: `-05.2f` behind a `%`, `*>+8,.2f` between braces.

use super::wrong::{WIDEST, Wrong};

/// How a value is written into its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    pub(super) notation: Notation,
    pub(super) fill: char,
    pub(super) align: Option<Align>,
    pub(super) sign: Sign,
    /// `#`
    pub(super) alternate: bool,
    /// `z`: a zero is never negative.
    pub(super) no_negative_zero: bool,
    /// `0` in front of the width.
    pub(super) zeros: bool,
    pub(super) width: usize,
    pub(super) separator: Option<Separator>,
    pub(super) precision: Option<usize>,
    pub(super) kind: Kind,
}

/// Which of the two texts has the place: some signs mean different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Percent,
    Braces,
}

/// Where in its place a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    Middle,
    /// The sign at the left, the digits at the right.
    Apart,
}

/// What stands in front of a number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Nothing is said.
    Open,
    /// Nothing is written.
    Minus,
    Plus,
    Space,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Underscore,
}

/// What kind of value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing is said: `{}`.
    Open,
    /// `s`
    Text,
    /// `r` or `a` behind a `%`: as a program writes it.
    Literal,
    /// `c`
    Character,
    Integer(Base),
    /// `n`: as `d` for a whole number, as `g` for another.
    Number,
    Float(FloatKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Binary,
    Octal,
    Decimal,
    Hexadecimal,
    UpperHexadecimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatKind {
    /// `f` and `F`
    Fixed { is_upper: bool },
    /// `e` and `E`
    Scientific { is_upper: bool },
    /// `g` and `G`
    General { is_upper: bool },
    /// `%`
    Percent,
}

impl Kind {
    /// The kind that a letter names in both notations.
    fn of_letter(letter: char) -> Option<Self> {
        let is_upper = letter.is_ascii_uppercase();
        Some(match letter {
            's' => Self::Text,
            'c' => Self::Character,
            'd' => Self::Integer(Base::Decimal),
            'o' => Self::Integer(Base::Octal),
            'x' => Self::Integer(Base::Hexadecimal),
            'X' => Self::Integer(Base::UpperHexadecimal),
            'f' | 'F' => Self::Float(FloatKind::Fixed { is_upper }),
            'e' | 'E' => Self::Float(FloatKind::Scientific { is_upper }),
            'g' | 'G' => Self::Float(FloatKind::General { is_upper }),
            _ => return None,
        })
    }

    /// The letter that stands for it in messages.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Open | Self::Text => 's',
            Self::Literal => 'r',
            Self::Character => 'c',
            Self::Number => 'n',
            Self::Integer(Base::Binary) => 'b',
            Self::Integer(Base::Octal) => 'o',
            Self::Integer(Base::Decimal) => 'd',
            Self::Integer(Base::Hexadecimal) => 'x',
            Self::Integer(Base::UpperHexadecimal) => 'X',
            Self::Float(FloatKind::Percent) => '%',
            Self::Float(FloatKind::Fixed { is_upper }) => {
                if is_upper {
                    'F'
                } else {
                    'f'
                }
            }
            Self::Float(FloatKind::Scientific { is_upper }) => {
                if is_upper {
                    'E'
                } else {
                    'e'
                }
            }
            Self::Float(FloatKind::General { is_upper }) => {
                if is_upper {
                    'G'
                } else {
                    'g'
                }
            }
        }
    }
}

/// How often the filling character stands around a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    pub(super) fill: char,
    /// In front of the sign.
    pub(super) before: usize,
    /// Between the sign and the digits.
    pub(super) between: usize,
    /// Behind the value.
    pub(super) behind: usize,
}

impl Spec {
    pub(super) fn new(notation: Notation) -> Self {
        Self {
            notation,
            fill: ' ',
            align: None,
            sign: Sign::Open,
            alternate: false,
            no_negative_zero: false,
            zeros: false,
            width: 0,
            separator: None,
            precision: None,
            kind: Kind::Open,
        }
    }

    /// Whether only a number can stand here.
    #[must_use]
    pub fn wants_number(&self) -> bool {
        matches!(self.kind, Kind::Integer(_) | Kind::Number | Kind::Float(_))
    }

    /// Whether nothing at all is said: `{}`.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::new(Notation::Braces)
    }

    pub(super) fn is_percent(&self) -> bool {
        self.notation == Notation::Percent
    }

    /// What the place says that means nothing for a character.
    pub(super) fn check_character(&self) -> Result<(), Wrong> {
        let option = match self {
            Self { notation: Notation::Percent, .. } => return Ok(()),
            Self { sign: Sign::Plus, .. } => "+",
            Self { sign: Sign::Minus, .. } => "-",
            Self { sign: Sign::Space, .. } => " ",
            Self { no_negative_zero: true, .. } => "z",
            Self { alternate: true, .. } => "#",
            Self { precision: Some(_), .. } => ".",
            Self { separator: Some(separator), .. } => separator.text(),
            _ => return Ok(()),
        };
        Err(Wrong::Option(option))
    }

    /// How one character is filled up to the width: as the number that it may have been given as.
    pub(super) fn character_padding(&self) -> Padding {
        match self.notation {
            Notation::Percent => self.text_padding(1),
            Notation::Braces => self.number_padding(1),
        }
    }

    /// How many characters a number may have in this place, beside those that it always has.
    pub(super) fn room(&self) -> usize {
        self.precision.unwrap_or_default().saturating_add(match self.separator {
            Some(_) => self.width,
            None => 0,
        })
    }

    /// How a number of so many characters, its sign included, is filled up to the width.
    pub(super) fn number_padding(&self, length: usize) -> Padding {
        let align = match (self.align, self.zeros) {
            (Some(Align::Left), _) => Align::Left,
            (None, true) => Align::Apart,
            (given, _) => given.unwrap_or(Align::Right),
        };
        self.padding(length, align)
    }

    /// How a text of so many characters is filled up to the width.
    pub(super) fn text_padding(&self, length: usize) -> Padding {
        let default = match self.notation {
            Notation::Percent => Align::Right,
            Notation::Braces => Align::Left,
        };
        let padding = self.padding(length, self.align.unwrap_or(default));
        match self.notation {
            Notation::Percent => Padding { fill: ' ', ..padding },
            Notation::Braces => padding,
        }
    }

    fn padding(&self, length: usize, align: Align) -> Padding {
        let missing = self.width.saturating_sub(length);
        let (before, between, behind) = match align {
            Align::Left => (0, 0, missing),
            Align::Middle => (missing / 2, 0, missing - missing / 2),
            Align::Apart => (0, missing, 0),
            Align::Right => (missing, 0, 0),
        };
        // Zeros behind a number would be digits of it.
        let fill = match self.notation {
            Notation::Percent if align == Align::Left => ' ',
            _ => self.fill,
        };
        Padding { fill, before, between, behind }
    }

    /// The text up to as many characters as the place admits; `None` if it admits all.
    pub(super) fn cut<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (at, _) = text.char_indices().nth(self.precision?)?;
        text.get(..at)
    }

    /// What the place says that means nothing for a text.
    pub(super) fn check_text(&self) -> Result<(), Wrong> {
        if self.notation == Notation::Percent {
            return Ok(());
        }
        let option = match self {
            Self { sign: Sign::Plus, .. } => "+",
            Self { sign: Sign::Minus, .. } => "-",
            Self { sign: Sign::Space, .. } => " ",
            Self { no_negative_zero: true, .. } => "z",
            Self { alternate: true, .. } => "#",
            Self { align: Some(Align::Apart), .. } => "=",
            Self { separator: Some(separator), .. } => separator.text(),
            _ => return Ok(()),
        };
        Err(Wrong::Option(option))
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

/// The first character of a text, and what follows it.
fn split_first(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    Some((characters.next()?, characters.as_str()))
}

/// `-05.2f` and the like, and what follows.
pub(super) fn percent_spec(text: &str) -> (Result<Spec, Wrong>, &str) {
    let mut spec = Spec::new(Notation::Percent);
    let mut rest = text;
    while let Some((flag, behind)) = split_first(rest).filter(|(it, _)| "-+ 0#".contains(*it)) {
        rest = behind;
        match flag {
            '-' => spec.align = Some(Align::Left),
            '0' => (spec.zeros, spec.fill) = (true, '0'),
            '#' => spec.alternate = true,
            '+' => spec.sign = Sign::Plus,
            ' ' if spec.sign == Sign::Open => spec.sign = Sign::Space,
            _ => {}
        }
    }
    let mut wrong = None;
    rest = star(rest, &mut wrong);
    (spec.width, rest) = digits(rest, &mut wrong);
    if let Some(behind) = rest.strip_prefix('.') {
        let behind = star(behind, &mut wrong);
        let (precision, behind) = digits(behind, &mut wrong);
        spec.precision = Some(precision);
        rest = behind;
    }
    // The sizes of the language C are read and mean nothing.
    rest = rest.strip_prefix(['h', 'l', 'L']).unwrap_or(rest);
    let Some((letter, rest)) = split_first(rest) else {
        return (Err(wrong.unwrap_or(Wrong::NoKind)), rest);
    };
    let kind = match letter {
        'i' | 'u' => Some(Kind::Integer(Base::Decimal)),
        'r' | 'a' => Some(Kind::Literal),
        _ => Kind::of_letter(letter),
    };
    let read = match (wrong, kind) {
        (Some(wrong), _) => Err(wrong),
        (None, None) => Err(Wrong::UnknownKind(letter)),
        (None, Some(kind)) => Ok(Spec { kind, ..spec }),
    };
    (read, rest)
}

fn star<'t>(text: &'t str, wrong: &mut Option<Wrong>) -> &'t str {
    let Some(rest) = text.strip_prefix('*') else { return text };
    *wrong = Some(Wrong::StarWidth);
    rest
}

/// A number that may be missing, and what follows.
fn digits<'t>(text: &'t str, wrong: &mut Option<Wrong>) -> (usize, &'t str) {
    let length = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(length).unwrap_or(("", text));
    if digits.is_empty() {
        return (0, rest);
    }
    match digits.parse() {
        Ok(number) if number <= WIDEST => (number, rest),
        _ => {
            *wrong = Some(Wrong::TooWide);
            (0, rest)
        }
    }
}

/// `>8,.2f` and the like.
pub(super) fn brace_spec(text: &str) -> Result<Spec, Wrong> {
    let mut spec = Spec::new(Notation::Braces);
    let mut rest = text;
    let mut has_fill = false;
    if let Some((first, behind_first)) = split_first(text) {
        let second = split_first(behind_first);
        if let Some((align, behind)) = second.and_then(|(it, behind)| Some((align(it)?, behind))) {
            (spec.fill, spec.align) = (first, Some(align));
            (rest, has_fill) = (behind, true);
        } else if let Some(align) = align(first) {
            spec.align = Some(align);
            rest = behind_first;
        }
    }
    let mut take = |signs: &str| {
        let (found, behind) = split_first(rest).filter(|(it, _)| signs.contains(*it))?;
        rest = behind;
        Some(found)
    };
    spec.sign = match take("+- ") {
        Some('+') => Sign::Plus,
        Some('-') => Sign::Minus,
        Some(_) => Sign::Space,
        None => Sign::Open,
    };
    spec.no_negative_zero = take("z").is_some();
    spec.alternate = take("#").is_some();
    // Behind a fill of its own, a zero is a digit of the width.
    if !has_fill && take("0").is_some() {
        (spec.zeros, spec.fill) = (true, '0');
    }
    let mut wrong = None;
    (spec.width, rest) = digits(rest, &mut wrong);
    if let Some((separator, behind)) = split_first(rest).filter(|(it, _)| ",_".contains(*it)) {
        let separator = if separator == ',' { Separator::Comma } else { Separator::Underscore };
        spec.separator = Some(separator);
        rest = behind;
    }
    if let Some(behind) = rest.strip_prefix('.') {
        if !behind.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Wrong::Form(shown(text)));
        }
        let (precision, behind) = digits(behind, &mut wrong);
        spec.precision = Some(precision);
        rest = behind;
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let mut letters = rest.chars();
    let Some(letter) = letters.next() else { return Ok(spec) };
    if letters.next().is_some() {
        return Err(Wrong::Form(shown(text)));
    }
    spec.kind = match letter {
        'b' => Kind::Integer(Base::Binary),
        'n' => Kind::Number,
        '%' => Kind::Float(FloatKind::Percent),
        _ => Kind::of_letter(letter).ok_or(Wrong::UnknownKind(letter))?,
    };
    Ok(spec)
}

fn align(letter: char) -> Option<Align> {
    Some(match letter {
        '<' => Align::Left,
        '>' => Align::Right,
        '^' => Align::Middle,
        '=' => Align::Apart,
        _ => return None,
    })
}

/// A piece of a text as messages show it: it may be long.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}
