//! Calls that may need input: a modern server answers `input_required`, and the client asks again with the answers.

use std::borrow::Cow;
use std::time::Duration;

use super::Client;
use super::answer::{Answer, Question};
use super::message::Response;
use super::pending::{CallError, Progress};
use crate::wire::json::Value;

/// Rounds of questions after which a call is left as it is.
const MAX_ROUNDS: usize = 10;

impl Client {
    /// Sends tools/call, prompts/get or resources/read and answers what the server asks, until there is a final answer.
    /// If a question is not answered, the response that asked is returned.
    ///
    /// `timeout` is for each round.
    ///
    /// # Errors
    /// [`CallError`] if a round had no answer.
    pub fn complete(
        &self,
        method: &str,
        members: &[(&str, &str)],
        timeout: Option<Duration>,
        mut on_progress: impl FnMut(Progress),
    ) -> Result<Response, CallError> {
        let mut response = self.start_with_progress(method, members)?.wait_with(timeout, &mut on_progress)?;
        for _ in 0..MAX_ROUNDS {
            if !response.is_input_required() {
                break;
            }
            let Some(more) = self.answers(&response) else { break };
            let mut members = members.to_vec();
            members.extend(more.iter().map(|(name, text)| (*name, text.as_str())));
            response = self.start_with_progress(method, &members)?.wait_with(timeout, &mut on_progress)?;
        }
        Ok(response)
    }

    /// Calls a tool; `arguments` is the text of a JSON object, sent as it is.
    ///
    /// # Errors
    /// As [`Client::complete`].
    pub fn call_tool(
        &self,
        name: &str,
        arguments: &str,
        timeout: Option<Duration>,
        on_progress: impl FnMut(Progress),
    ) -> Result<Response, CallError> {
        let name = serde_json::Value::from(name).to_string();
        self.complete("tools/call", &[("name", &name), ("arguments", arguments)], timeout, on_progress)
    }

    /// The members that make a retry: answers under the same keys, the state byte for byte. `None`: no retry.
    fn answers(&self, response: &Response) -> Option<Vec<(&'static str, String)>> {
        let result = response.result()?;
        let mut more = Vec::new();
        if let Some(requests) = result.get("inputRequests") {
            let mut text = String::from("{");
            for (key, entry) in requests.members() {
                let method = entry.get("method").and_then(Value::as_str)?;
                if !self.options.answerer.abilities().covers(&method) {
                    return None;
                }
                let params = entry.get("params").map_or(&b"{}"[..], Value::raw);
                let name: Cow<'_, str> = key.as_str();
                let question = Question { method: &method, params, key: Some(&name) };
                let Answer::Result(answer) = self.options.answerer.answer(&question) else { return None };
                if text.len() > 1 {
                    text.push(',');
                }
                text.push_str(&serde_json::Value::from(&*name).to_string());
                text.push(':');
                text.push_str(&answer);
            }
            text.push('}');
            more.push(("inputResponses", text));
        }
        if let Some(state) = result.get("requestState") {
            more.push(("requestState", state.raw_str().into_owned()));
        }
        (!more.is_empty()).then_some(more)
    }
}
