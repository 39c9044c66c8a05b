//! Who hears about changes: `subscriptions/listen` (modern), `resources/subscribe` and announced lists (legacy).

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::RpcError;
use super::faults::Fault;
use super::request::{Answer, Request};
use super::resources;
use super::server::Server;
use crate::mcp::meta;

/// An open `subscriptions/listen`.
struct Stream {
    id: Box<RawValue>,
    tools: bool,
    resources: bool,
    uris: Vec<String>,
}

/// A change that clients may want to hear of.
pub(super) enum Change<'a> {
    /// tools/list differs.
    Tools,
    /// resources/list differs.
    Resources,
    /// One resource has another content.
    Resource(&'a str),
}

/// All subscriptions of both eras.
#[derive(Default)]
pub(super) struct Subscriptions {
    streams: Mutex<Vec<Stream>>,
    legacy: Mutex<BTreeSet<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The id as a value. Ids are strings and integers, which survive this.
fn id_value(id: &RawValue) -> Value {
    serde_json::from_str(id.get()).unwrap_or(Value::Null)
}

impl Subscriptions {
    /// Opens a stream and acknowledges what it will carry: never prompts, which do not change here.
    pub(super) fn listen(&self, server: &Server, request: &Request) -> Result<(), RpcError> {
        let Some(Value::Object(filter)) = request.params.get("notifications") else {
            return Err(RpcError::invalid_params("notifications must be an object"));
        };
        let flag = |key: &str| match filter.get(key) {
            None => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(_) => Err(RpcError::invalid_params(format!("{key} must be a boolean"))),
        };
        let (tools, resources, _) =
            (flag("toolsListChanged")?, flag("resourcesListChanged")?, flag("promptsListChanged")?);
        let mut uris = Vec::new();
        for uri in match filter.get("resourceSubscriptions") {
            None => &[][..],
            Some(Value::Array(uris)) => uris,
            Some(_) => return Err(RpcError::invalid_params("resourceSubscriptions must be an array")),
        } {
            let Some(uri) = uri.as_str() else {
                return Err(RpcError::invalid_params("resourceSubscriptions holds URIs"));
            };
            if resources::exists(server, uri) {
                uris.push(uri.to_owned());
            }
        }
        let mut agreed = json!({});
        if tools {
            agreed["toolsListChanged"] = json!(true);
        }
        if resources {
            agreed["resourcesListChanged"] = json!(true);
        }
        if !uris.is_empty() {
            agreed["resourceSubscriptions"] = json!(uris);
        }
        let mut streams = lock(&self.streams);
        if !request.faults.has(Fault::NoAcknowledge) {
            server.notify(
                "notifications/subscriptions/acknowledged",
                json!({ "notifications": agreed, "_meta": { meta::SUBSCRIPTION_ID: id_value(&request.id) } }),
            );
        }
        streams.push(Stream { id: request.id.clone(), tools, resources, uris });
        Ok(())
    }

    /// Ends the stream of that id; false if there is none.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let mut streams = lock(&self.streams);
        let before = streams.len();
        streams.retain(|stream| stream.id.get() != id);
        streams.len() != before
    }

    /// Ends all streams in good order: a result with the subscription's id.
    pub(super) fn end_all(&self, server: &Server) {
        for stream in lock(&self.streams).drain(..) {
            server.end_subscription(&stream.id, id_value(&stream.id));
        }
    }

    /// Tells everybody who asked.
    pub(super) fn publish(&self, server: &Server, change: &Change<'_>) {
        let (method, uri) = match change {
            Change::Tools => ("notifications/tools/list_changed", None),
            Change::Resources => ("notifications/resources/list_changed", None),
            Change::Resource(uri) => ("notifications/resources/updated", Some(*uri)),
        };
        // Held while sending: nothing follows the end of a stream.
        let streams = lock(&self.streams);
        for stream in streams.iter() {
            let wanted = match change {
                Change::Tools => stream.tools,
                Change::Resources => stream.resources,
                Change::Resource(uri) => stream.uris.iter().any(|watched| watched == uri),
            };
            if wanted {
                let mut params = json!({ "_meta": { meta::SUBSCRIPTION_ID: id_value(&stream.id) } });
                if let Some(uri) = uri {
                    params["uri"] = json!(uri);
                }
                server.notify(method, params);
            }
        }
        drop(streams);
        let legacy = {
            let session = server.session.lock().unwrap_or_else(PoisonError::into_inner);
            session.revision.is_some() && session.initialized
        };
        match uri {
            None if legacy => server.notify(method, json!({})),
            Some(uri) if legacy && lock(&self.legacy).contains(uri) => server.notify(method, json!({ "uri": uri })),
            _ => {}
        }
    }

    /// resources/subscribe.
    pub(super) fn subscribe(&self, server: &Server, request: &Request) -> Answer {
        let uri = request.text("uri")?;
        if !resources::exists(server, uri) {
            return Err(RpcError::resource_not_found(uri, request.revision, false));
        }
        lock(&self.legacy).insert(uri.to_owned());
        Ok(json!({}))
    }

    /// resources/unsubscribe.
    pub(super) fn unsubscribe(&self, request: &Request) -> Answer {
        lock(&self.legacy).remove(request.text("uri")?);
        Ok(json!({}))
    }
}
