//! JSON-RPC errors with the codes and the data that the revisions ask for.

use serde_json::{Value, json};

use crate::mcp::{Revision, errors};

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
        RpcError::new(errors::PARSE_ERROR, detail, None)
    }

    /// JSON, but no request.
    pub(super) fn invalid_request(message: impl Into<String>) -> RpcError {
        RpcError::new(errors::INVALID_REQUEST, message, None)
    }

    /// No such method in this revision, or not announced.
    pub(super) fn method_not_found(method: &str) -> RpcError {
        RpcError::new(errors::METHOD_NOT_FOUND, format!("Method not found: {method}"), None)
    }

    /// The params are wrong; also an unknown tool, prompt or cursor.
    pub(super) fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(errors::INVALID_PARAMS, message, None)
    }

    /// A resource that is not there: the code changed with 2026-07-28.
    pub(super) fn resource_not_found(uri: &str, revision: Revision, wrong: bool) -> RpcError {
        let code = if revision.is_modern() != wrong { errors::INVALID_PARAMS } else { errors::RESOURCE_NOT_FOUND };
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
        RpcError::new(errors::UNSUPPORTED_VERSION, "Unsupported protocol version", Some(data))
    }

    /// The client did not declare what the request needs.
    pub(super) fn missing_capability(required: Value) -> RpcError {
        RpcError::new(
            errors::MISSING_CLIENT_CAPABILITY,
            "This request needs a client capability that was not declared",
            Some(json!({ "requiredCapabilities": required })),
        )
    }

    /// The server cannot go on.
    pub(super) fn internal(message: impl Into<String>) -> RpcError {
        RpcError::new(errors::INTERNAL_ERROR, message, None)
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
