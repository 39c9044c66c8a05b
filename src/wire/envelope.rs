//! The JSON-RPC envelope of one message, as spans into its document. Reading never fails: what is missing is `None`,
//! and `null` is a value, not an absence.

use super::id::Id;
use super::json::{Key, Kind, Value};

/// What a message is, by its members (JSON-RPC 2.0 sections 4 and 5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MessageKind {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result`, or an `id` with neither `method` nor `result` nor `error`.
    Response,
    /// `error`.
    Error,
    /// None of these: nobody can route it.
    Unrecognised,
}

impl MessageKind {
    /// Whether it answers something.
    pub fn is_response(self) -> bool {
        matches!(self, MessageKind::Response | MessageKind::Error)
    }
}

/// The members of the envelope. Of duplicate keys the last one counts, as most parsers do.
#[derive(Clone, Copy)]
pub struct Envelope<'a> {
    /// The message itself.
    pub root: Value<'a>,
    /// What it is.
    pub kind: MessageKind,
    /// `jsonrpc`.
    pub jsonrpc: Option<Value<'a>>,
    /// `id`, which may be `null`.
    pub id: Option<Value<'a>>,
    /// `method`, of whatever type.
    pub method: Option<Value<'a>>,
    /// `params`, of whatever type.
    pub params: Option<Value<'a>>,
    /// `result`, of whatever type.
    pub result: Option<Value<'a>>,
    /// `error`, of whatever type.
    pub error: Option<Value<'a>>,
    /// The first member that belongs to no envelope.
    pub extra: Option<(Key<'a>, Value<'a>)>,
    /// `_meta` of params and of result, looked up once: a dozen rules ask for it.
    meta: [Option<Value<'a>>; 2],
}

impl<'a> Envelope<'a> {
    /// Reads the envelope of a JSON value.
    pub fn read(root: Value<'a>) -> Envelope<'a> {
        let mut e = Envelope {
            root,
            kind: MessageKind::Unrecognised,
            jsonrpc: None,
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
            extra: None,
            meta: [None; 2],
        };
        if root.kind() != Kind::Object {
            return e;
        }
        for (key, value) in root.members() {
            if let Some(name) = key.plain() {
                let slot = match name {
                    b"jsonrpc" => &mut e.jsonrpc,
                    b"id" => &mut e.id,
                    b"method" => &mut e.method,
                    b"params" => &mut e.params,
                    b"result" => &mut e.result,
                    b"error" => &mut e.error,
                    _ => {
                        e.extra.get_or_insert((key, value));
                        continue;
                    }
                };
                *slot = Some(value);
            } else if key.eq("jsonrpc") {
                e.jsonrpc = Some(value);
            } else if key.eq("id") {
                e.id = Some(value);
            } else if key.eq("method") {
                e.method = Some(value);
            } else if key.eq("params") {
                e.params = Some(value);
            } else if key.eq("result") {
                e.result = Some(value);
            } else if key.eq("error") {
                e.error = Some(value);
            } else if e.extra.is_none() {
                e.extra = Some((key, value));
            }
        }
        e.meta = [e.params, e.result].map(|part| part?.get("_meta"));
        e.kind = e.classify();
        e
    }

    fn classify(&self) -> MessageKind {
        let method = self.method.is_some_and(|m| m.kind() == Kind::String && m.raw().len() > 2);
        let answers = self.result.is_some() || self.error.is_some();
        match (method, answers) {
            (true, true) => MessageKind::Unrecognised,
            (true, false) if self.id.is_some() => MessageKind::Request,
            (true, false) => MessageKind::Notification,
            (false, true) => match (self.result, self.error) {
                (Some(_), Some(error)) if error.is_null() => MessageKind::Response,
                (_, Some(_)) => MessageKind::Error,
                _ => MessageKind::Response,
            },
            (false, false) if self.id.is_some() && self.method.is_none() => MessageKind::Response,
            (false, false) => MessageKind::Unrecognised,
        }
    }

    /// The id with its type, where there is one (also `null`).
    pub fn id(&self) -> Option<Id<'a>> {
        self.id.map(Id::read)
    }

    /// `params._meta`.
    pub fn params_meta(&self) -> Option<Value<'a>> {
        self.meta[0]
    }

    /// `result._meta`.
    pub fn result_meta(&self) -> Option<Value<'a>> {
        self.meta[1]
    }

    /// `error.code` as an integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error?.get("code")?.as_i64()
    }

    /// `error.message`.
    pub fn error_message(&self) -> Option<std::borrow::Cow<'a, str>> {
        self.error?.get("message")?.as_str()
    }
}
