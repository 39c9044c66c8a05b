//! Shapes of params and results: which members a message of each method has to have in each revision, and of what type.
//!
//! The tables are text (`assets/shapes`), made ready when a revision is first met. Members that the specification does
//! not name are allowed everywhere: vendors may add them. Formats (uri, base64, dates) are not judged here.

mod check;
mod table;
mod text;

use std::borrow::Cow;

use super::methods::Method;
use super::revision::Revision;
use crate::wire::json::Value;
use table::{Table, TypeId};

/// One place where a value has not its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// JSON pointer from the root of the document to the value that is wrong; for a missing member, to the object that
    /// lacks it.
    pub pointer: String,
    /// What should be there, in words: `a string`, `a member "uri"`.
    pub expected: Cow<'static, str>,
    /// What is there, in words, or a short scalar as it was written. It may hold payload text: make it visible before
    /// it is printed.
    pub actual: String,
    /// The member that is missing, where it is one.
    pub missing: Option<&'static str>,
}

/// What a value has to look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    revision: Revision,
    ty: TypeId,
}

impl Shape {
    fn table(self) -> &'static Table {
        Table::of(self.revision)
    }

    /// Has the value this shape? Fast, and without allocation.
    pub fn accepts(self, value: Value<'_>) -> bool {
        check::accepts(self.table(), self.ty, value)
    }

    /// The most telling fault; `None` where there is none.
    pub fn check(self, value: Value<'_>) -> Option<Fault> {
        if self.accepts(value) { None } else { check::explain(self.table(), self.ty, value, 1).pop() }
    }

    /// All faults, at most `limit`.
    pub fn faults(self, value: Value<'_>, limit: usize) -> Vec<Fault> {
        if self.accepts(value) { Vec::new() } else { check::explain(self.table(), self.ty, value, limit) }
    }
}

/// A shape by its name in the tables, such as `Tool`, `Block` (content), `Contents`, `ClientCapabilities`,
/// `InputRequest`, `InputResponse`, `Form`, `Icon`; `None` where the revision has no such type.
pub fn named(name: &str, revision: Revision) -> Option<Shape> {
    Table::of(revision).named(name).map(|ty| Shape { revision, ty })
}

/// The names that [`named`] knows in a revision.
pub fn names(revision: Revision) -> Vec<&'static str> {
    let mut names: Vec<_> = Table::of(revision).names().map(|(n, _)| n).collect();
    names.sort_unstable();
    names
}

/// Shape of a method's params; `None` where the revision (with its extensions) does not have the method. For a method
/// that 2026-07-28 knows only inside `inputRequests`, the shape that it has there.
pub fn params(method: Method, revision: Revision) -> Option<Shape> {
    Table::of(revision).params(method).map(|(ty, _)| Shape { revision, ty })
}

/// May a message of this method come without params?
pub fn params_required(method: Method, revision: Revision) -> bool {
    Table::of(revision).params(method).is_some_and(|(_, required)| required)
}

/// What kind of result it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The method's own result.
    Complete,
    /// Asks for more first (2026-07-28).
    InputRequired,
    /// A task was made of the request.
    Task,
    /// A `resultType` that no text defines: nothing is known of its shape.
    Unknown,
}

/// What kind of result a value is: by its `resultType` in 2026-07-28, by its member `task` in 2025-11-25 if the request
/// asked for a task.
pub fn form(revision: Revision, task_augmented: bool, result: Value<'_>) -> Form {
    if !revision.is_modern() {
        let task = revision == Revision::V2025_11_25 && task_augmented && result.get("task").is_some();
        return if task { Form::Task } else { Form::Complete };
    }
    match result.get("resultType") {
        None => Form::Complete,
        Some(t) if t.str_eq("complete") || !t.is_string() => Form::Complete,
        Some(t) if t.str_eq("input_required") => Form::InputRequired,
        Some(t) if t.str_eq("task") => Form::Task,
        Some(_) => Form::Unknown,
    }
}

/// Shape of a result of this method; `None` where the method has none of that form. Without regard to whether the
/// method may be answered so, `InputRequired` gives the shape of that form.
pub fn result(method: Method, revision: Revision, form: Form) -> Option<Shape> {
    let table = Table::of(revision);
    let ty = match form {
        Form::Complete => table.result(method)?,
        Form::Task => table.task(method)?,
        Form::InputRequired if revision.is_modern() => table.named("InputRequired")?,
        Form::InputRequired => return None,
        Form::Unknown => table.named("Result")?,
    };
    Some(Shape { revision, ty })
}

/// The most telling fault of a method's params; `None` where there is none, or nothing is known of the method.
pub fn check_params(method: Method, revision: Revision, value: Value<'_>) -> Option<Fault> {
    params(method, revision)?.check(value)
}

/// The most telling fault of a result. `task_augmented`: the request carried `task` (2025-11-25).
pub fn check_result(method: Method, revision: Revision, task_augmented: bool, value: Value<'_>) -> Option<Fault> {
    result(method, revision, form(revision, task_augmented, value))?.check(value)
}

#[cfg(test)]
mod tests;
