//! Who answers when the server asks: `elicitation/create`, `sampling/createMessage`, `roots/list`; as requests of their
//! own in the legacy era, inside an `input_required` result in the modern one.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::args;
use crate::mcp::Revision;

/// What an answerer can answer. It is declared to the server as it stands here, no more and no less.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Abilities {
    /// Forms (`elicitation/create`, from 2025-06-18).
    pub form: bool,
    /// Addresses to open (`elicitation/create` in url mode, from 2025-11-25).
    pub url: bool,
    /// `sampling/createMessage` (deprecated in 2026-07-28).
    pub sampling: bool,
    /// `roots/list` (deprecated in 2026-07-28).
    pub roots: bool,
}

impl Abilities {
    /// The capabilities object of that revision.
    pub(super) fn declare(self, revision: Revision) -> Value {
        let mut declared = json!({});
        if revision >= Revision::V2025_11_25 {
            let mut modes = json!({});
            if self.form {
                modes["form"] = json!({});
            }
            if self.url {
                modes["url"] = json!({});
            }
            if self.form || self.url {
                declared["elicitation"] = modes;
            }
        } else if revision >= Revision::V2025_06_18 && self.form {
            declared["elicitation"] = json!({});
        }
        if self.sampling {
            declared["sampling"] = json!({});
        }
        if self.roots {
            declared["roots"] = json!({});
        }
        declared
    }

    /// Whether a question of that kind is expected at all.
    pub(super) fn covers(self, method: &str) -> bool {
        match method {
            "elicitation/create" => self.form || self.url,
            "sampling/createMessage" => self.sampling,
            "roots/list" => self.roots,
            _ => false,
        }
    }
}

/// A question of the server.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'a str,
    /// Its params, as they came.
    pub params: &'a [u8],
    /// Its key in `inputRequests`; `None` for a legacy request.
    pub key: Option<&'a str>,
}

impl Question<'_> {
    /// The params, read.
    pub fn read(&self) -> Value {
        serde_json::from_slice(self.params).unwrap_or(Value::Null)
    }
}

/// What is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The result, a JSON object as text.
    Result(String),
    /// A JSON-RPC error. Inside `input_required` there is no such thing: the call is not retried.
    Error {
        /// The code.
        code: i64,
        /// What went wrong.
        message: String,
    },
    /// Nothing at all.
    Silence,
}

impl Answer {
    /// The user filled the form in; `content` is a JSON object.
    pub fn accept(content: &Value) -> Answer {
        Answer::Result(json!({ "action": "accept", "content": content }).to_string())
    }

    /// The user said no.
    pub fn decline() -> Answer {
        Answer::Result(json!({ "action": "decline" }).to_string())
    }

    /// The user went away without a choice.
    pub fn dismiss() -> Answer {
        Answer::Result(json!({ "action": "cancel" }).to_string())
    }
}

/// Answers questions. Called on threads of their own; may take as long as a person does.
pub trait Answerer: Send + Sync {
    /// What it can answer.
    fn abilities(&self) -> Abilities;

    /// Answers one question.
    fn answer(&self, question: &Question<'_>) -> Answer;
}

/// Answers nothing, and says so beforehand.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nobody;

impl Answerer for Nobody {
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn answer(&self, _: &Question<'_>) -> Answer {
        Answer::Silence
    }
}

/// Fills forms from `KEY=VALUE` words, typed by the form's schema. A form that needs more than they give is declined.
#[derive(Clone, Default, Debug)]
pub struct FormAnswers {
    /// The words.
    pub words: Vec<String>,
}

impl Answerer for FormAnswers {
    fn abilities(&self) -> Abilities {
        Abilities { form: true, ..Abilities::default() }
    }

    fn answer(&self, question: &Question<'_>) -> Answer {
        let params = question.read();
        let schema = params["requestedSchema"].to_string();
        if params["mode"].as_str().is_some_and(|mode| mode != "form") {
            return Answer::decline();
        }
        // A form takes the words it has fields for.
        let fields = &params["requestedSchema"]["properties"];
        let known = |word: &&String| word.split_once('=').is_some_and(|(key, _)| fields.get(key).is_some());
        let words: Vec<String> = self.words.iter().filter(known).cloned().collect();
        match args::typed(&schema, &words) {
            Ok(content) if args::validate(&schema, &content.to_string()).is_empty() => Answer::accept(&content),
            _ => Answer::decline(),
        }
    }
}

/// The first lines of what a question says, for people.
impl std::fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let params = self.read();
        let text = params["message"].as_str().map_or(Cow::Borrowed(self.method), |text| Cow::Owned(text.to_owned()));
        f.write_str(&text)
    }
}
