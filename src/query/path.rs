//! Paths into a message: `params.arguments["odd name"].x[0][*]`. They go on into JSON inside a string.

use std::fmt::{self, Write as _};

use crate::wire::json::text_json;
use crate::wire::json::{Kind, Value};

use super::ast::quote;

/// Where a path begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    /// `params` of a request or notification.
    Params,
    /// `result` of an answer.
    Result,
    /// `error` of an answer.
    Error,
    /// `params._meta`.
    Meta,
}

impl Root {
    /// All, with their names.
    pub const ALL: [(Root, &'static str); 4] =
        [(Root::Params, "params"), (Root::Result, "result"), (Root::Error, "error"), (Root::Meta, "_meta")];

    /// The root of that name.
    pub fn find(name: &str) -> Option<Root> {
        Root::ALL.iter().find(|(_, n)| *n == name).map(|(r, _)| *r)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Root::ALL[self as usize].1
    }

    /// Where it stands in a message.
    pub(super) fn of(self, message: Value<'_>) -> Option<Value<'_>> {
        match self {
            Root::Params => message.get("params"),
            Root::Result => message.get("result"),
            Root::Error => message.get("error"),
            Root::Meta => message.get("params")?.get("_meta"),
        }
    }
}

/// One step downwards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A member.
    Key(String),
    /// An element, from 0.
    Index(usize),
    /// Each element or member.
    Any,
}

/// A path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// Where it begins.
    pub root: Root,
    /// What follows.
    pub steps: Vec<Step>,
}

/// Whether a key can be written behind a dot.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '$')
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.root.as_str())?;
        for step in &self.steps {
            match step {
                Step::Key(key) if !key.is_empty() && key.chars().all(is_plain) => write!(f, ".{key}")?,
                Step::Key(key) => {
                    f.write_char('[')?;
                    quote(f, key)?;
                    f.write_char(']')?;
                }
                Step::Index(i) => write!(f, "[{i}]")?,
                Step::Any => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

/// Whether any value at the end of the steps satisfies the test. Recursion is as deep as the path is long.
pub(super) fn any_at(value: Value<'_>, steps: &[Step], test: &dyn Fn(Value<'_>) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return test(value) };
    if value.kind() == Kind::String {
        // A tool's text block that holds JSON: the path goes on inside of it.
        return text_json::document(value)
            .is_some_and(|inside| inside.doc().root().is_some_and(|root| any_at(root, steps, test)));
    }
    match step {
        Step::Key(key) => value.get(key).is_some_and(|v| any_at(v, rest, test)),
        Step::Index(i) => value.index(*i).is_some_and(|v| any_at(v, rest, test)),
        Step::Any => value.children().any(|v| any_at(v, rest, test)),
    }
}
