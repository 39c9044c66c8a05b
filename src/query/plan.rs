//! A query made ready: values compiled, and cheap terms asked before those that read bytes.

use regex::bytes::Regex;

use crate::mcp::Revision;
use crate::trace::{Layer, Outcome, Severity};

use super::ast::{Op, Term, Word};
use super::field::{Field, Is};
use super::path::Path;
use super::value::{self, Amount, JsonTest, Moment, TextTest};

/// What a term costs: those from here on read bytes.
pub(super) const PAYLOAD: u8 = 10;

/// A part of the plan.
#[derive(Clone, Debug)]
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Leaf(Leaf),
}

/// One question.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    /// Texts of a field.
    Text(Field, TextTest),
    /// A word out of an ordered list.
    Choice(Field, Op, usize),
    Number(Field, Op, f64),
    Amount(Field, Op, Amount),
    Time(Op, Moment),
    Id(IdTest),
    Is(Is),
    /// The path, its test, and a key that must stand in the bytes.
    Path(Path, JsonTest, Option<String>),
    /// Text in the bytes of the row.
    Bytes(Regex),
    /// The same, with `=` and the like.
    Payload(TextTest),
}

/// A test of an id.
#[derive(Clone, Debug)]
pub(super) enum IdTest {
    /// The same JSON text, or not; also as the integer that it is.
    Same(Op, String, Option<i64>),
    /// More or less, of numbers.
    Order(Op, i64),
    /// The text without quotes.
    Text(TextTest),
}

impl Node {
    /// What it costs at most.
    pub fn cost(&self) -> u8 {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(Node::cost).max().unwrap_or(0),
            Node::Not(node) => node.cost(),
            Node::Leaf(leaf) => leaf.cost(),
        }
    }

    /// Puts cheap questions first: the answer does not depend on the order.
    pub fn sorted(mut nodes: Vec<Node>) -> Vec<Node> {
        nodes.sort_by_key(Node::cost);
        nodes
    }
}

impl Leaf {
    fn cost(&self) -> u8 {
        match self {
            Leaf::Choice(Field::Layer | Field::Severity | Field::Owner, ..)
            | Leaf::Text(Field::Rule | Field::Layer | Field::Severity | Field::Owner, _) => 2,
            Leaf::Text(Field::HttpHeader(_), _) => 3,
            Leaf::Number(Field::Code, ..) => PAYLOAD,
            Leaf::Text(Field::Stderr, _) => PAYLOAD + 1,
            Leaf::Bytes(_) | Leaf::Payload(_) => PAYLOAD + 2,
            Leaf::Path(..) => PAYLOAD + 3,
            Leaf::Text(..) => 1,
            _ => 0,
        }
    }
}

/// Why a value does not fit.
pub(super) struct BadValue {
    pub message: String,
    pub expected: String,
    pub nearest: Option<String>,
}

impl BadValue {
    fn new(message: impl Into<String>, expected: impl Into<String>) -> BadValue {
        BadValue { message: message.into(), expected: expected.into(), nearest: None }
    }
}

/// The words of a field that has only some, in their order.
pub(super) fn words(field: &Field) -> Option<Vec<&'static str>> {
    Some(match field {
        Field::Dir => vec!["c2s", "s2c", "err"],
        Field::Era => vec!["legacy", "modern"],
        Field::Outcome => Outcome::ALL.into_iter().map(Outcome::as_str).collect(),
        Field::Layer => Layer::ALL.into_iter().map(Layer::as_str).collect(),
        Field::Severity => [Severity::Info, Severity::Warning, Severity::Error].map(Severity::as_str).to_vec(),
        Field::Owner => vec!["client", "server"],
        Field::Revision => Revision::ALL.into_iter().map(Revision::as_str).collect(),
        _ => return None,
    })
}

/// The operators that a field takes.
pub(super) fn ops(field: &Field) -> &'static [Op] {
    use Op::{Eq, Ge, Gt, Has, Le, Lt, Match, Ne};
    match field {
        Field::Severity | Field::Revision | Field::Id => &[Eq, Ne, Lt, Le, Gt, Ge, Match, Has],
        Field::Conn | Field::Code | Field::HttpStatus | Field::N | Field::Latency | Field::Size | Field::Time => {
            &[Eq, Ne, Lt, Le, Gt, Ge, Has]
        }
        _ => &[Eq, Ne, Match, Has],
    }
}

/// Makes a term ready.
pub(super) fn leaf(term: &Term) -> Result<Leaf, BadValue> {
    let plain = |message: String| BadValue::new(message, "");
    Ok(match term {
        Term::Is(is) => Leaf::Is(*is),
        Term::Text(word) => Leaf::Bytes(value::find_text(&word.text, false).map_err(plain)?),
        Term::Path(path, op, word) => {
            let key = path.steps.iter().filter_map(|s| match s {
                super::path::Step::Key(key) if key.is_ascii() => Some(key),
                _ => None,
            });
            let key = key.max_by_key(|k| k.len()).filter(|k| k.len() > 2).cloned();
            let test = JsonTest::new(*op, word).map_err(|m| BadValue::new(m, "a number"))?;
            Leaf::Path(path.clone(), test, key)
        }
        Term::Field(field, op, word) => of_field(field, *op, word)?,
    })
}

fn of_field(field: &Field, op: Op, word: &Word) -> Result<Leaf, BadValue> {
    let text = |case| TextTest::new(op, word, case).map_err(|m| BadValue::new(m, ""));
    let name = field.name();
    Ok(match field {
        Field::Conn | Field::Code | Field::HttpStatus | Field::N => match value::plain_number(word) {
            Some(n) => Leaf::Number(field.clone(), op, n),
            None => return Err(BadValue::new(format!("{name} is a number"), "a number")),
        },
        Field::Latency => match value::duration(&word.text) {
            Some(amount) => Leaf::Amount(Field::Latency, op, amount),
            None => return Err(BadValue::new(format!("{:?} is no duration", word.text), "500ms, 2s, 1.5m")),
        },
        Field::Size => match value::bytes(&word.text) {
            Some(amount) => Leaf::Amount(Field::Size, op, amount),
            None => return Err(BadValue::new(format!("{:?} is no size", word.text), "300, 1.5k, 2M")),
        },
        Field::Time => match value::moment(&word.text) {
            Some(moment) => Leaf::Time(op, moment),
            None => {
                let expected = "12.5 (seconds since the start), 12:03:04, or RFC 3339";
                return Err(BadValue::new(format!("{:?} is no time", word.text), expected));
            }
        },
        Field::Id => Leaf::Id(id_test(op, word)?),
        Field::Text if op == Op::Has => {
            Leaf::Bytes(value::find_text(&word.text, false).map_err(|m| BadValue::new(m, ""))?)
        }
        Field::Text => Leaf::Payload(text(false)?),
        Field::Uri => Leaf::Text(Field::Uri, text(true)?),
        Field::Rule => {
            if matches!(op, Op::Eq | Op::Ne) && crate::rules::catalogue::ids().all(|id| id != word.text) {
                return Err(BadValue {
                    message: format!("there is no rule {}", word.text),
                    expected: "the id of a rule (`mcpscope rules` lists them)".into(),
                    nearest: crate::rules::catalogue::nearest(&word.text).map(str::to_owned),
                });
            }
            Leaf::Text(Field::Rule, text(false)?)
        }
        _ => match words(field) {
            Some(words) if !matches!(op, Op::Match | Op::Has) => {
                let wanted = word.text.to_lowercase();
                let place = words.iter().position(|w| *w == wanted || w.replace('_', "-") == wanted);
                match place {
                    Some(place) => Leaf::Choice(field.clone(), op, place),
                    None => {
                        let nearest = super::error::nearest(&wanted, words.iter().copied());
                        return Err(BadValue {
                            message: format!("{name} is never {}", word.text),
                            expected: words.join(", "),
                            nearest: nearest.map(str::to_owned),
                        });
                    }
                }
            }
            _ => Leaf::Text(field.clone(), text(false)?),
        },
    })
}

fn id_test(op: Op, word: &Word) -> Result<IdTest, BadValue> {
    if op.is_order() {
        return match word.text.parse() {
            Ok(n) if !word.quoted => Ok(IdTest::Order(op, n)),
            _ => Err(BadValue::new("only numbers can be compared by < and >", "an integer")),
        };
    }
    if matches!(op, Op::Match | Op::Has) {
        return TextTest::new(op, word, true).map(IdTest::Text).map_err(|m| BadValue::new(m, ""));
    }
    let bare = !word.quoted && (value::is_number(&word.text) || word.text == "null");
    let text = if bare { word.text.clone() } else { serde_json::to_string(&word.text).unwrap_or_default() };
    let integer = text.parse().ok().filter(|n: &i64| n.to_string() == text);
    Ok(IdTest::Same(op, text, integer))
}
