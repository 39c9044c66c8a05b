//! One message as the analysis and the rules see it: envelope, faults of its text, and where it came from.

use std::borrow::Cow;

use crate::mcp::{Method, Revision, methods};
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::{Dir, Http, Micros, Side};
use crate::wire::id::Id;
use crate::wire::json::{Faults, Value};

use super::record::Judged;

/// A message that is being judged. Borrowed from the frame; nothing of it is kept.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// Its envelope.
    pub env: Envelope<'a>,
    /// What it is, as it counts: a known notification that carries an id is a notification.
    pub kind: MessageKind,
    /// The method, if a revision or a known extension has it.
    pub method: Option<Method>,
    /// Faults of the text that it stands in (of the whole line, for a batch).
    pub faults: &'a Faults,
    /// The bytes of the document that its values point into.
    pub text: &'a [u8],
    /// Which way.
    pub dir: Dir,
    /// When.
    pub t: Micros,
    /// Index of its record.
    pub record: u32,
    /// HTTP side of its frame.
    pub http: Option<&'a Http<'a>>,
    /// Position in the batch that it came in.
    pub in_batch: Option<u32>,
    /// The text ended in the middle of it.
    pub cut: bool,
    /// It is an SSE event whose id was seen before: a replay after resumption.
    pub replay: bool,
    /// What it is judged by.
    pub judged: Judged,
}

impl<'a> Message<'a> {
    /// The revision that it is judged by.
    pub fn revision(&self) -> Revision {
        self.judged.revision
    }

    /// The method's name as sent.
    pub fn method_name(&self) -> Option<Cow<'a, str>> {
        self.env.method?.as_str()
    }

    /// Its id with its type.
    pub fn id(&self) -> Option<Id<'a>> {
        self.env.id()
    }

    /// `params`.
    pub fn params(&self) -> Option<Value<'a>> {
        self.env.params
    }

    /// `result`.
    pub fn result(&self) -> Option<Value<'a>> {
        self.env.result
    }

    /// Who sent it.
    pub fn sender(&self) -> Side {
        self.dir.sender()
    }

    /// Whether its method is this one.
    pub fn is(&self, method: Method) -> bool {
        self.method == Some(method)
    }

    /// The kind of its method, if it is known.
    pub fn method_kind(&self) -> Option<methods::Kind> {
        self.method.map(Method::kind)
    }

    /// What the request is about: `params.name` of tools and prompts, `params.uri` of resources, `params.ref` of
    /// completions, `params.taskId` of tasks.
    pub fn target(&self) -> Option<Cow<'a, str>> {
        let params = self.params()?;
        let member = |name| params.get(name).and_then(Value::as_str);
        match self.method? {
            Method::ToolsCall | Method::PromptsGet => member("name"),
            Method::ResourcesRead
            | Method::ResourcesSubscribe
            | Method::ResourcesUnsubscribe
            | Method::ResourceUpdated => member("uri"),
            Method::Complete => {
                let r = params.get("ref")?;
                r.get("name").or_else(|| r.get("uri")).and_then(Value::as_str)
            }
            Method::TasksGet | Method::TasksResult | Method::TasksCancel | Method::TasksUpdate => member("taskId"),
            _ => None,
        }
    }
}
