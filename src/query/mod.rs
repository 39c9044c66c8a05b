//! The query language: which exchanges (and lines that belong to none) somebody wants to see.
//!
//! ```text
//! is:error and tool = search and latency > 500ms
//! params.arguments.city ~ "^Os" or not (client = claude-code)
//! rule = meta-missing-client-capabilities owner = client      two terms side by side mean `and`
//! timeout                                                     text: in the bytes, any case
//! ```
//!
//! [`Query::parse`] reads it once; [`Query::matches_row`] asks about one row and reads a payload only when no cheaper
//! term has decided. [`Query::select`] does a range of rows, so that a worker can publish what it has.

mod ast;
mod complete;
mod cx;
mod error;
mod eval;
mod field;
mod parse;
mod path;
mod plan;
mod scan;
mod value;

#[cfg(test)]
mod tests;

pub use ast::{Expr, Op, Term, Word};
pub use complete::{Candidate, complete};
pub use cx::{EvalCx, Scratch, size_of};
pub use error::QueryError;
pub use field::{Field, Is};
pub use path::{Path, Root, Step};

use std::fmt;
use std::ops::Range;

use crate::trace::Row;

use plan::Node;

/// A query that was read and can be asked.
#[derive(Clone, Debug)]
pub struct Query {
    expr: Expr,
    plan: Node,
}

impl Query {
    /// Reads a query. An empty one matches everything.
    ///
    /// # Errors
    /// The first fault: where it is, what was expected there, and the nearest thing that exists.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        let (expr, plan) = parse::parse(text)?;
        Ok(Query { expr, plan })
    }

    /// What was read.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Matches everything, because nothing is asked.
    pub fn is_empty(&self) -> bool {
        matches!(&self.expr, Expr::And(all) if all.is_empty())
    }

    /// Whether bytes have to be read for some of the rows.
    pub fn needs_payload(&self) -> bool {
        self.plan.cost() >= plan::PAYLOAD
    }

    /// Whether a row of the time line is selected.
    pub fn matches_row(&self, cx: &EvalCx<'_>, row: Row) -> bool {
        let row = eval::RowCx::new(cx, row);
        eval::matches(&self.plan, &row)
    }

    /// Whether an exchange is selected.
    pub fn matches_exchange(&self, cx: &EvalCx<'_>, exchange: u32) -> bool {
        self.matches_row(cx, Row::Exchange(exchange))
    }

    /// Whether a record is selected: by its exchange, or by itself where it belongs to none.
    pub fn matches_record(&self, cx: &EvalCx<'_>, record: u32) -> bool {
        match cx.store.record(record) {
            Some(r) if (r.exchange as usize) < cx.store.exchanges.len() => {
                self.matches_row(cx, Row::Exchange(r.exchange))
            }
            Some(_) => self.matches_row(cx, Row::Loose(record)),
            None => false,
        }
    }

    /// The positions in `store.rows` that are selected, of a range of them; appended to `found`.
    pub fn select(&self, cx: &EvalCx<'_>, rows: Range<usize>, found: &mut Vec<u32>) {
        let end = rows.end.min(cx.store.rows.len());
        for i in rows.start.min(end)..end {
            if self.matches_row(cx, cx.store.rows[i]) {
                found.push(i as u32);
            }
        }
    }
}

/// The query in its plain form; reading it again gives the same.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Query) -> bool {
        self.expr == other.expr
    }
}
