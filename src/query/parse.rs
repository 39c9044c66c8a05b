//! The parser: `or` of `and`s of `not`s of terms. Each fault says where it is and what was expected.

use super::ast::{Expr, Op, Term, Word};
use super::error::{QueryError, nearest};
use super::field::{Field, HEADER, Is};
use super::path::{Path, Root, Step, is_plain};
use super::plan::{self, Node};
use super::scan::Scan;

/// Parentheses and `not`s in each other at most, and steps of a path: both are walked by recursion.
const MAX_DEPTH: usize = 64;

/// Longest query.
const MAX_LEN: usize = 1 << 16;

const TERM: &str = "a term: field op value, is:word, a path, or text";

type Parsed = (Expr, Node);

pub(super) fn parse(text: &str) -> Result<Parsed, QueryError> {
    let mut p = Parser { scan: Scan::new(text), depth: 0 };
    if text.len() > MAX_LEN {
        return Err(p.fault(0, "the query is too long", "at most 65,536 bytes"));
    }
    p.scan.blanks();
    if p.scan.is_end() {
        return Ok((Expr::And(Vec::new()), Node::All(Vec::new())));
    }
    let parsed = p.or()?;
    if !p.scan.is_end() {
        // Only a closing parenthesis ends a list of terms.
        return Err(p.fault(p.scan.at(), "a closing parenthesis without an opening one", "and, or, or a term"));
    }
    Ok(parsed)
}

struct Parser<'a> {
    scan: Scan<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn fault(&self, at: usize, message: impl Into<String>, expected: impl Into<String>) -> QueryError {
        QueryError { column: self.scan.column(at), message: message.into(), expected: expected.into(), nearest: None }
    }

    fn or(&mut self) -> Result<Parsed, QueryError> {
        let (mut exprs, mut nodes) = (Vec::new(), Vec::new());
        loop {
            let (expr, node) = self.and()?;
            exprs.push(expr);
            nodes.push(node);
            if !self.scan.keyword("or") {
                break;
            }
            self.scan.blanks();
        }
        Ok(match (exprs.len(), exprs.pop(), nodes.pop()) {
            (1, Some(expr), Some(node)) => (expr, node),
            (_, last, node) => {
                exprs.extend(last);
                nodes.extend(node);
                (Expr::Or(exprs), Node::Any(Node::sorted(nodes)))
            }
        })
    }

    fn and(&mut self) -> Result<Parsed, QueryError> {
        let (mut exprs, mut nodes) = (Vec::new(), Vec::new());
        loop {
            let (expr, node) = self.not()?;
            exprs.push(expr);
            nodes.push(node);
            self.scan.blanks();
            let here = self.scan.at();
            if self.scan.is_end() || self.scan.peek() == Some(')') {
                break;
            }
            if self.scan.keyword("or") {
                self.scan.back(here);
                break;
            }
            if self.scan.keyword("and") {
                self.scan.blanks();
            }
        }
        Ok(match (exprs.len(), exprs.pop(), nodes.pop()) {
            (1, Some(expr), Some(node)) => (expr, node),
            (_, last, node) => {
                exprs.extend(last);
                nodes.extend(node);
                (Expr::And(exprs), Node::All(Node::sorted(nodes)))
            }
        })
    }

    fn deeper(&mut self) -> Result<(), QueryError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(self.scan.at(), "too many parentheses in each other", "at most 64"));
        }
        Ok(())
    }

    fn not(&mut self) -> Result<Parsed, QueryError> {
        self.scan.blanks();
        let start = self.scan.at();
        if self.scan.keyword("not") {
            self.scan.blanks();
            self.deeper()?;
            let (expr, node) = self.not()?;
            self.depth -= 1;
            return Ok((Expr::Not(Box::new(expr)), Node::Not(Box::new(node))));
        }
        if self.scan.eat('(') {
            self.deeper()?;
            let inner = self.or()?;
            self.depth -= 1;
            if !self.scan.eat(')') {
                let mut fault = self.fault(self.scan.at(), "the query ends here", ")");
                fault.message = format!("the parenthesis of column {} is not closed", self.scan.column(start));
                return Err(fault);
            }
            return Ok(inner);
        }
        let term = self.term()?;
        let leaf = match plan::leaf(&term.0) {
            Ok(leaf) => leaf,
            Err(bad) => {
                let column = self.scan.column(term.1);
                return Err(QueryError { column, message: bad.message, expected: bad.expected, nearest: bad.nearest });
            }
        };
        Ok((Expr::Term(term.0), Node::Leaf(leaf)))
    }

    /// A term, and where its value begins.
    fn term(&mut self) -> Result<(Term, usize), QueryError> {
        let start = self.scan.at();
        match self.scan.peek() {
            None => return Err(self.fault(start, "the query ends here", TERM)),
            Some(')') => return Err(self.fault(start, "a term is missing", TERM)),
            Some('"') => return Ok((Term::Text(self.quoted()?), start)),
            _ => {}
        }
        for word in ["and", "or"] {
            if self.scan.keyword(word) {
                return Err(self.fault(start, format!("`{word}` without a term before it"), TERM));
            }
        }
        if self.scan.op().is_some() {
            return Err(self.fault(start, "an operator without a field before it", TERM));
        }
        let name = self.scan.name();
        if let Some(root) = name.and_then(|n| Root::find(n.split('.').next().unwrap_or_default())) {
            self.scan.back(start);
            if let Some(found) = self.path(root)? {
                return Ok(found);
            }
        } else if let Some(name) = name {
            let end = self.scan.at();
            if let Some(op) = self.op_here() {
                return self.field(name, start, op);
            }
            self.scan.back(end);
        }
        self.scan.back(start);
        let text = self.scan.bare();
        let word = Word { text: text.to_owned(), quoted: false };
        let here = self.scan.at();
        if self.op_here().is_some() {
            let mut fault = self.fault(start, format!("there is no field {text}"), "a field, or a path");
            fault.nearest = self.nearest_field(text);
            return Err(fault);
        }
        self.scan.back(here);
        Ok((Term::Text(word), start))
    }

    /// An operator behind a name: blanks may stand before it, but not before `:`.
    fn op_here(&mut self) -> Option<(Op, usize)> {
        let before = self.scan.at();
        self.scan.blanks();
        let at = self.scan.at();
        let op = self.scan.op();
        match op {
            Some(Op::Has) if at > before => {
                self.scan.back(before);
                None
            }
            Some(op) => Some((op, at)),
            None => {
                self.scan.back(before);
                None
            }
        }
    }

    fn nearest_field(&self, name: &str) -> Option<String> {
        let names = Field::ALL.iter().map(|(_, n, _)| *n).chain(Root::ALL.iter().map(|(_, n)| *n)).chain(["is"]);
        nearest(name, names).map(str::to_owned)
    }

    fn field(&mut self, name: &str, start: usize, (op, op_at): (Op, usize)) -> Result<(Term, usize), QueryError> {
        if name == "is" {
            let at = self.scan.at();
            let word = self.scan.bare();
            if op == Op::Has {
                if let Some(is) = Is::find(word) {
                    return Ok((Term::Is(is), at));
                }
            }
            let words: Vec<&str> = Is::ALL.iter().map(|(_, w, _)| *w).collect();
            if op != Op::Has {
                return Err(self.fault(op_at, "`is` takes a colon", "is:word"));
            }
            let mut fault = self.fault(at, format!("there is no is:{word}"), words.join(", "));
            fault.nearest = nearest(word, words.iter().copied()).map(|w| format!("is:{w}"));
            return Err(fault);
        }
        let Some(field) = Field::find(name) else {
            if name == HEADER.trim_end_matches('.') || name == HEADER || name == "http" {
                return Err(self.fault(start, format!("{name} is no field"), "http.status or http.header.NAME"));
            }
            let mut fault = self.fault(start, format!("there is no field {name}"), "a field; put text into quotes");
            fault.nearest = self.nearest_field(name);
            return Err(fault);
        };
        let ops = plan::ops(&field);
        if !ops.contains(&op) {
            let list: Vec<&str> = ops.iter().map(|op| op.as_str()).collect();
            return Err(self.fault(op_at, format!("{name} takes no {}", op.as_str()), list.join(" ")));
        }
        let (word, at) = self.value()?;
        Ok((Term::Field(field, op, word), at))
    }

    fn value(&mut self) -> Result<(Word, usize), QueryError> {
        self.scan.blanks();
        let at = self.scan.at();
        if self.scan.peek() == Some('"') {
            return Ok((self.quoted()?, at));
        }
        let text = self.scan.bare();
        if text.is_empty() {
            return Err(self.fault(at, "the value is missing", "a word, a number, or text in quotes"));
        }
        if text.starts_with('=') {
            return Err(self.fault(at, "a second =", "one = compares; put a value that begins with = into quotes"));
        }
        Ok((Word { text: text.to_owned(), quoted: false }, at))
    }

    fn quoted(&mut self) -> Result<Word, QueryError> {
        let at = self.scan.at();
        self.scan.quoted().ok_or_else(|| self.fault(at, "the text in quotes has no end", "a closing \""))
    }

    /// A path with its operator; nothing where no operator follows (then it is text).
    fn path(&mut self, root: Root) -> Result<Option<(Term, usize)>, QueryError> {
        self.scan.run(is_plain);
        let mut steps = Vec::new();
        loop {
            let here = self.scan.at();
            if self.scan.eat('.') {
                let key = self.scan.run(is_plain);
                if key.is_empty() {
                    return Err(self.fault(self.scan.at(), "a name is missing", "a name, or [\"any name\"]"));
                }
                steps.push(Step::Key(key.to_owned()));
            } else if self.scan.eat('[') {
                steps.push(self.bracket()?);
            } else {
                break;
            }
            if steps.len() > MAX_DEPTH {
                return Err(self.fault(here, "the path is too long", "at most 64 steps"));
            }
        }
        let end = self.scan.at();
        let Some((op, _)) = self.op_here() else {
            self.scan.back(end);
            // A character that a name has not: an operator behind it says that a path was meant.
            let odd = self.scan.bare();
            if !odd.is_empty() && (odd.contains(['=', '<', '>', '~']) || self.op_here().is_some()) {
                return Err(self.fault(end, "such a name cannot stand behind a dot", "[\"any name\"]"));
            }
            return Ok(None);
        };
        let (word, at) = self.value()?;
        Ok(Some((Term::Path(Path { root, steps }, op, word), at)))
    }

    fn bracket(&mut self) -> Result<Step, QueryError> {
        let at = self.scan.at();
        let step = if self.scan.eat('*') {
            Step::Any
        } else if self.scan.peek() == Some('"') {
            Step::Key(self.quoted()?.text)
        } else {
            match self.scan.run(|c| c.is_ascii_digit()).parse() {
                Ok(i) => Step::Index(i),
                Err(_) => return Err(self.fault(at, "no position", "[0], [*] or [\"any name\"]")),
            }
        };
        if !self.scan.eat(']') {
            return Err(self.fault(self.scan.at(), "the bracket is not closed", "]"));
        }
        Ok(step)
    }
}
