//! Multi round-trip requests (2026-07-28): results that ask for input and wait for the retry.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;

use rustc_hash::FxHashMap;

use super::{Open, Session};
use crate::mcp::Method;
use crate::trace::message::Message;
use crate::wire::envelope::Envelope;
use crate::wire::id::Id;
use crate::wire::json::{Document, Value};

/// Keys that are remembered of one result.
const MAX_KEYS: usize = 200;

/// An `input_required` result that no retry has followed yet, or the last one that a retry followed.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The exchange whose result asks.
    pub exchange: u32,
    /// Record of that result.
    pub record: u32,
    /// Id of the request.
    pub id: Id<'static>,
    /// Its method.
    pub method: Option<Method>,
    /// What it is about.
    pub target: Option<Box<str>>,
    /// `requestState` as decoded text, if there is one.
    pub state: Option<Box<str>>,
    /// Keys of `inputRequests`.
    pub keys: Vec<Box<str>>,
    /// Keys that earlier rounds of the same operation asked for.
    pub earlier: Vec<Box<str>>,
    /// How many rounds in a row asked for one of the same inputs, although it was given.
    pub repeats: u32,
    /// `inputRequests` as sent.
    pub requests: Box<[u8]>,
    /// The request's own bytes.
    pub request: Box<[u8]>,
    /// The exchange that retried it.
    pub retried_by: Option<u32>,
}

impl Waiting {
    /// Whether a request is the retry of it: the state comes back, or method and target are the same and the keys
    /// of `inputResponses` are among those asked for (spec of 2026-07-28, multi round-trip requests).
    pub fn is_retried_by(&self, message: &Message<'_>) -> bool {
        let Some(params) = message.params() else { return false };
        let state = params.get("requestState").and_then(Value::as_str);
        if let (Some(a), Some(b)) = (&self.state, &state)
            && a.as_ref() == b.as_ref()
        {
            return true;
        }
        let same = self.method == message.method && self.target.as_deref() == message.target().as_deref();
        let Some(responses) = params.get("inputResponses") else { return same && state.is_some() };
        same && (responses.is_empty()
            || responses.members().any(|(k, _)| self.keys.iter().any(|mine| k.eq(mine.as_ref()))))
    }
}

/// Results that wait for a retry with the same method and target, of which the newest are compared with a request.
const COMPARED: usize = 64;

/// All results that asked for input, oldest first, with the indices that find the one that a request retries.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    list: Vec<Waiting>,
    by_state: FxHashMap<u64, u32>,
    by_target: FxHashMap<u64, Vec<u32>>,
    by_retry: FxHashMap<u32, u32>,
}

impl Inputs {
    /// Notes a result that asks for input.
    pub fn push(&mut self, waiting: Waiting) {
        let n = self.list.len() as u32;
        if let Some(state) = &waiting.state {
            self.by_state.insert(hash(state.as_ref()), n);
        }
        self.by_target.entry(hash((waiting.method, waiting.target.as_deref()))).or_default().push(n);
        self.list.push(waiting);
    }

    /// Notes the retry of one of them; gives the exchange that is retried.
    pub fn note_retry(&mut self, index: usize, exchange: u32) -> Option<u32> {
        let waiting = self.list.get_mut(index)?;
        waiting.retried_by = Some(exchange);
        self.by_retry.insert(exchange, index as u32);
        Some(waiting.exchange)
    }

    /// The result that an exchange retries.
    pub fn before(&self, exchange: u32) -> Option<&Waiting> {
        self.list.get(*self.by_retry.get(&exchange)? as usize)
    }

    /// Which of them a request retries: the newest that fits.
    pub fn retried_by(&self, message: &Message<'_>) -> Option<usize> {
        if self.list.is_empty() {
            return None;
        }
        let params = message.params()?;
        let state = params.get("requestState").and_then(Value::as_str);
        if state.is_none() && params.get("inputResponses").is_none() {
            return None;
        }
        let fits = |&i: &u32| self.list.get(i as usize).is_some_and(|w| w.is_retried_by(message));
        let by_state = state.and_then(|s| self.by_state.get(&hash(s.as_ref()))).copied().filter(fits);
        let same_target = || {
            let list = self.by_target.get(&hash((message.method, message.target().as_deref())))?;
            list.iter().rev().take(COMPARED).copied().find(fits)
        };
        by_state.or_else(same_target).map(|i| i as usize)
    }
}

impl Deref for Inputs {
    type Target = [Waiting];

    fn deref(&self) -> &[Waiting] {
        &self.list
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Session {
    /// A request was answered with `input_required`.
    pub fn note_input_required(&mut self, message: &Message<'_>, open: Open) {
        let result = message.result();
        let requests = result.and_then(|r| r.get("inputRequests"));
        let repeats = self.repeats(requests, &open);
        let mut earlier: Vec<Box<str>> = Vec::new();
        if let Some(before) = self.waiting.before(open.exchange) {
            earlier.extend(before.keys.iter().chain(&before.earlier).take(MAX_KEYS).cloned());
        }
        self.waiting.push(Waiting {
            exchange: open.exchange,
            record: message.record,
            id: open.id,
            method: open.method,
            target: open.target,
            state: result.and_then(|r| r.get("requestState")).and_then(Value::as_str).map(|t| t.as_ref().into()),
            keys: requests
                .map(|r| r.members().take(MAX_KEYS).map(|(k, _)| k.as_str().as_ref().into()).collect())
                .unwrap_or_default(),
            earlier,
            repeats,
            requests: requests.map(|r| r.raw().into()).unwrap_or_default(),
            request: open.bytes,
            retried_by: None,
        });
    }

    /// How many rounds in a row, this one included, ask again for an input that the retry had brought.
    pub fn repeats(&self, requests: Option<Value<'_>>, open: &Open) -> u32 {
        let (Some(before), Some(requests)) = (self.waiting.before(open.exchange), requests) else { return 0 };
        let asked = Document::new(before.requests.clone());
        let retry = Document::new(open.bytes.clone());
        let (Some(asked), Some(retry)) = (asked.doc().root(), retry.doc().root()) else { return 0 };
        let given = Envelope::read(retry).params.and_then(|p| p.get("inputResponses"));
        let same = requests.members().take(MAX_KEYS).any(|(key, value)| {
            let key = key.as_str();
            asked.get(&key).is_some_and(|old| old.raw() == value.raw()) && given.is_some_and(|g| g.get(&key).is_some())
        });
        if same { before.repeats + 1 } else { 0 }
    }
}
