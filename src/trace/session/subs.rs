//! Subscriptions: `subscriptions/listen` with what was asked for and acknowledged (2026-07-28), and the uris of
//! `resources/subscribe` before.

use rustc_hash::{FxHashMap, FxHashSet};

use super::open::Open;
use crate::mcp::{Method, meta};
use crate::trace::message::Message;
use crate::wire::id::Id;
use crate::wire::json::Value;

/// Subscriptions, and uris of one session, that are remembered.
const MAX: usize = 10_000;
/// Uris that are compared one by one; with more, each uri may be below one of them.
const COMPARED: usize = 500;

/// The kinds of change that one may subscribe to, as members of the filter.
pub const KINDS: [(&str, Method); 3] = [
    ("toolsListChanged", Method::ToolsChanged),
    ("promptsListChanged", Method::PromptsChanged),
    ("resourcesListChanged", Method::ResourcesChanged),
];

/// What a subscription is about: the `notifications` object of the request and of its acknowledgement.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// One flag for each of [`KINDS`].
    pub kinds: [bool; 3],
    /// `resourceSubscriptions`.
    pub uris: FxHashSet<Box<str>>,
    /// More uris than are kept.
    pub overflow: bool,
}

impl Filter {
    /// Reads the `notifications` object.
    pub fn read(value: Option<Value<'_>>) -> Filter {
        let mut filter = Filter::default();
        let Some(value) = value else { return filter };
        for (i, (name, _)) in KINDS.iter().enumerate() {
            filter.kinds[i] = value.get(name).and_then(Value::as_bool) == Some(true);
        }
        let uris = value.get("resourceSubscriptions");
        filter.overflow = uris.is_some_and(|u| u.len() > MAX);
        let uris = uris.into_iter().flat_map(Value::elements).take(MAX);
        filter.uris = uris.filter_map(Value::as_str).map(|u| u.as_ref().into()).collect();
        filter
    }

    /// Whether a uri, or one that it is below of, is in it.
    pub fn covers(&self, uri: &str) -> bool {
        self.overflow || covers(&self.uris, uri)
    }
}

fn covers(uris: &FxHashSet<Box<str>>, uri: &str) -> bool {
    uris.contains(uri)
        || uris.len() > COMPARED
        || uris.iter().any(|watched| !watched.is_empty() && uri.starts_with(watched.as_ref()))
}

/// One `subscriptions/listen`.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// Its exchange; its outcome tells whether it is open.
    pub exchange: u32,
    /// What was asked for.
    pub asked: Filter,
    /// Record of the acknowledgement.
    pub acknowledged: Option<u32>,
}

/// All subscriptions of a session.
#[derive(Clone, Debug, Default)]
pub struct Subs {
    /// Not all could be remembered: an unknown one may be real.
    pub forgetful: bool,
    by_id: FxHashMap<Box<str>, Subscription>,
    uris: FxHashSet<Box<str>>,
}

impl Subs {
    /// The subscription of this id (JSON text: `1` and `"1"` differ).
    pub fn get(&self, id: &Id<'_>) -> Option<&Subscription> {
        self.by_id.get(id.text.as_ref())
    }

    /// The subscription that a notification names in its `_meta`.
    pub fn named_by(&self, message: &Message<'_>) -> Option<&Subscription> {
        self.get(&Id::read(message.env.params_meta()?.get(meta::SUBSCRIPTION_ID)?))
    }

    /// Whether a uri, or one that it is below of, was subscribed to with `resources/subscribe`.
    pub fn covers(&self, uri: &str) -> bool {
        self.forgetful || covers(&self.uris, uri)
    }

    /// Notes a request of the client.
    pub fn note_request(&mut self, message: &Message<'_>, exchange: u32) {
        let params = message.params();
        match message.method {
            Some(Method::Listen) => {
                let Some(id) = message.id() else { return };
                if self.by_id.len() >= MAX {
                    self.forgetful = true;
                    return;
                }
                let asked = Filter::read(params.and_then(|p| p.get("notifications")));
                self.by_id.insert(id.text.as_ref().into(), Subscription { exchange, asked, acknowledged: None });
            }
            Some(Method::ResourcesSubscribe) => {
                let Some(uri) = params.and_then(|p| p.get("uri")).and_then(Value::as_str) else { return };
                if self.uris.len() >= MAX {
                    self.forgetful = true;
                    return;
                }
                self.uris.insert(uri.as_ref().into());
            }
            _ => {}
        }
    }

    /// Notes a notification of the server.
    pub fn note_notification(&mut self, message: &Message<'_>) {
        if !message.is(Method::Acknowledged) {
            return;
        }
        let id = message.env.params_meta().and_then(|m| m.get(meta::SUBSCRIPTION_ID)).map(Id::read);
        if let Some(sub) = id.and_then(|id| self.by_id.get_mut(id.text.as_ref())) {
            sub.acknowledged.get_or_insert(message.record);
        }
    }

    /// Notes a result.
    pub fn note_result(&mut self, open: &Open) {
        if open.method == Some(Method::ResourcesUnsubscribe)
            && let Some(uri) = &open.target
        {
            self.uris.remove(uri);
        }
    }
}
