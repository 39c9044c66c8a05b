//! What a query says, as a tree. It can be printed; reading that again gives the same tree.

use std::fmt::{self, Write as _};

use super::field::{Field, Is};
use super::path::Path;

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `~`: a regular expression.
    Match,
    /// `:`: contains.
    Has,
}

impl Op {
    /// All, the longer ones before those that they begin with.
    pub const ALL: [(Op, &'static str); 8] = [
        (Op::Ne, "!="),
        (Op::Le, "<="),
        (Op::Ge, ">="),
        (Op::Eq, "="),
        (Op::Lt, "<"),
        (Op::Gt, ">"),
        (Op::Match, "~"),
        (Op::Has, ":"),
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        Op::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, s)| s)
    }

    /// Whether an ordering satisfies it.
    pub(super) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Op::Eq | Op::Has | Op::Match => order.is_eq(),
            Op::Ne => order.is_ne(),
            Op::Lt => order.is_lt(),
            Op::Le => order.is_le(),
            Op::Gt => order.is_gt(),
            Op::Ge => order.is_ge(),
        }
    }

    /// Asks for more or less, not for the same.
    pub(super) fn is_order(self) -> bool {
        matches!(self, Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }
}

/// A value as written: `7` and `"7"` are not the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word {
    /// Its text, without quotes and escapes.
    pub text: String,
    /// It stood in quotes.
    pub quoted: bool,
}

/// One term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// `field op value`
    Field(Field, Op, Word),
    /// `is:word`
    Is(Is),
    /// `params.x[0] op value`
    Path(Path, Op, Word),
    /// Text that stands in the bytes.
    Text(Word),
}

/// A query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// All of them; none is the empty query.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
    /// The opposite.
    Not(Box<Expr>),
    /// One term.
    Term(Term),
}

/// Characters that end a bare word.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '"')
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.quoted {
            return f.write_str(&self.text);
        }
        quote(f, &self.text)
    }
}

pub(super) fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Is(is) => write!(f, "is:{}", is.as_str()),
            Term::Text(word) => write!(f, "{word}"),
            Term::Field(field, Op::Has, word) => write!(f, "{}:{word}", field.name()),
            Term::Field(field, op, word) => write!(f, "{} {} {word}", field.name(), op.as_str()),
            Term::Path(path, Op::Has, word) => write!(f, "{path}:{word}"),
            Term::Path(path, op, word) => write!(f, "{path} {} {word}", op.as_str()),
        }
    }
}

impl Expr {
    /// Prints with parentheses where the place needs them: 0 anywhere, 1 in an `and`, 2 behind `not`.
    fn print(&self, f: &mut fmt::Formatter<'_>, place: u8) -> fmt::Result {
        let (own, word, parts) = match self {
            Expr::Term(term) => return write!(f, "{term}"),
            Expr::Not(inner) => {
                f.write_str("not ")?;
                return inner.print(f, 2);
            }
            Expr::Or(parts) => (0, " or ", parts),
            Expr::And(parts) => (1, " and ", parts),
        };
        let wrap = own < place || (own == place && place > 0);
        if wrap {
            f.write_char('(')?;
        }
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                f.write_str(word)?;
            }
            // An `or` in an `or` was in parentheses: it keeps them.
            let inner = if own == 0 && matches!(part, Expr::Or(_)) { 1 } else { own };
            part.print(f, inner)?;
        }
        if wrap {
            f.write_char(')')?;
        }
        Ok(())
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}
