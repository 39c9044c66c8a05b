//! One request as the handlers see it.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::faults::FaultSet;
use super::outbox::Batch;
use super::server::Server;
use super::ticket::Ticket;
use crate::mcp::{Revision, meta};

/// What a handler gives back: a result object or an error.
pub(super) type Answer = Result<Value, RpcError>;

/// A request that passed the checks of its era.
pub(super) struct Request {
    /// The id, byte for byte.
    pub(super) id: Box<RawValue>,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
    /// The revision it is written in.
    pub(super) revision: Revision,
    /// What its client can do: declared in the request itself, or in `initialize`.
    pub(super) capabilities: Value,
    pub(super) ticket: Arc<Ticket>,
    pub(super) batch: Option<Arc<Batch>>,
    pub(super) faults: FaultSet,
}

impl Request {
    /// A string member of params, required.
    pub(super) fn text(&self, key: &str) -> Result<&str, RpcError> {
        match self.params.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(RpcError::invalid_params(format!("{key} must be a string"))),
            None => Err(RpcError::invalid_params(format!("{key} is missing"))),
        }
    }

    /// Reports progress, if the client asked for it.
    pub(super) fn progress(&self, server: &Server, progress: u32, total: u32, message: &str) {
        let Some(token) = self.params.get("_meta").and_then(|meta| meta.get("progressToken")) else { return };
        let mut params = json!({ "progressToken": token, "progress": progress, "total": total });
        if self.revision >= Revision::V2025_03_26 {
            params["message"] = json!(message);
        }
        self.ticket.speak(false, || server.notify("notifications/progress", params));
    }

    /// Marks a list or a resource as cacheable, as 2026-07-28 demands; older revisions know no hints.
    pub(super) fn cacheable(&self, mut result: Value, ttl_ms: u32, scope: &str) -> Value {
        if self.revision.is_modern() {
            result["ttlMs"] = json!(ttl_ms);
            result["cacheScope"] = json!(scope);
        }
        result
    }

    /// Adds what every modern result carries.
    pub(super) fn finish(&self, mut result: Value) -> Value {
        if self.revision.is_modern()
            && let Some(object) = result.as_object_mut()
        {
            object.entry("resultType").or_insert_with(|| json!("complete"));
            let entry = object.entry("_meta").or_insert_with(|| json!({}));
            entry[meta::SERVER_INFO] = super::lifecycle::server_info(self.revision);
        }
        result
    }
}
