//! Tasks as the wire shows them: the last status of each (2025-11-25 core tasks, and the tasks extension).

use rustc_hash::FxHashMap;

use crate::mcp::Method;
use crate::trace::message::Message;
use crate::wire::json::Value;

/// Tasks that are remembered.
const MAX_TASKS: usize = 100_000;

/// What a status is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// `working`, or anything unknown.
    Working,
    /// `input_required`.
    InputRequired,
    /// `completed`, `failed` or `cancelled`: nothing follows.
    Final(&'static str),
}

impl Status {
    /// Reads the word.
    pub fn read(value: Value<'_>) -> Option<Status> {
        const FINAL: &[&str] = &["completed", "failed", "cancelled"];
        if let Some(word) = FINAL.iter().find(|w| value.str_eq(w)) {
            return Some(Status::Final(word));
        }
        match value.as_str()?.as_ref() {
            "working" => Some(Status::Working),
            "input_required" => Some(Status::InputRequired),
            _ => None,
        }
    }
}

/// The tasks of a session.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    last: FxHashMap<Box<str>, (Status, u32)>,
}

impl Tasks {
    /// The last status of a task, and the record that said so.
    pub fn last(&self, id: &str) -> Option<(Status, u32)> {
        self.last.get(id).copied()
    }

    /// Notes the tasks that a message speaks of.
    pub fn note(&mut self, message: &Message<'_>, asked: Option<Method>) {
        for (id, status) in told(message, asked) {
            let (Some(id), Some(status)) = (id.as_str(), Status::read(status)) else { continue };
            if self.last.len() < MAX_TASKS || self.last.contains_key(id.as_ref()) {
                self.last.insert(id.as_ref().into(), (status, message.record));
            }
        }
    }
}

/// Ids and statuses of the tasks that a message of the server tells about. `asked`: the method of the answered request.
pub fn told<'a>(message: &Message<'a>, asked: Option<Method>) -> Vec<(Value<'a>, Value<'a>)> {
    let pair = |task: Value<'a>| Some((task.get("taskId")?, task.get("status")?));
    if let Some(result) = message.result() {
        return match asked {
            Some(Method::TasksGet | Method::TasksCancel) => pair(result).into_iter().collect(),
            Some(Method::TasksList) => {
                result.get("tasks").into_iter().flat_map(Value::elements).filter_map(pair).collect()
            }
            // 2025-11-25 puts the new task into `task`, the extension into the result itself.
            Some(_) => result.get("task").and_then(pair).or_else(|| pair(result)).into_iter().collect(),
            None => Vec::new(),
        };
    }
    match message.method {
        Some(Method::TasksStatus | Method::TasksChanged) => message.params().and_then(pair).into_iter().collect(),
        _ => Vec::new(),
    }
}
