//! JSON-RPC errors with the codes and the data that the revisions ask for.

use serde_json::{Value, json};

use crate::peer::Revision;

/// An error as it goes into a response.
#[derive(Debug)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>, data: Option<Value>) -> RpcError {
        RpcError { code, message: message.into(), data }
    }

    /// The line is no JSON.
    pub(super) fn parse(detail: impl Into<String>) -> RpcError {
        RpcError::new(-32700, detail, None)
    }

    /// JSON, but no request.
    pub(super) fn invalid_request(message: impl Into<String>) -> RpcError {
        RpcError::new(-32600, message, None)
    }

    /// No such method in this revision, or not announced.
    pub(super) fn method_not_found(method: &str) -> RpcError {
        RpcError::new(-32601, format!("Method not found: {method}"), None)
    }

    /// The params are wrong; also an unknown tool, prompt or cursor.
    pub(super) fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(-32602, message, None)
    }

    /// A resource that is not there: the code changed with 2026-07-28.
    pub(super) fn resource_not_found(uri: &str, revision: Revision, wrong: bool) -> RpcError {
        let code = if revision.is_modern() != wrong { -32602 } else { -32002 };
        RpcError::new(code, format!("Resource not found: {uri}"), Some(json!({ "uri": uri })))
    }

    /// A version that is not served. `bare` leaves out what the client needs.
    pub(super) fn unsupported_version(supported: &[Revision], requested: &Value, bare: bool) -> RpcError {
        let names: Vec<&str> = supported.iter().map(|revision| revision.as_str()).collect();
        let data = if bare {
            json!({ "requested": requested })
        } else {
            json!({ "supported": names, "requested": requested })
        };
        RpcError::new(-32022, "Unsupported protocol version", Some(data))
    }

    /// The client did not declare what the request needs.
    pub(super) fn missing_capability(required: Value) -> RpcError {
        RpcError::new(
            -32021,
            "This request needs a client capability that was not declared",
            Some(json!({ "requiredCapabilities": required })),
        )
    }

    /// The server cannot go on.
    pub(super) fn internal(message: impl Into<String>) -> RpcError {
        RpcError::new(-32603, message, None)
    }

    /// The error member of a response.
    pub(super) fn to_value(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}
