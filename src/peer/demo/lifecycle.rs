//! Which era a request is of, whether it may come in, and what the server says about itself.

use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::faults::{Fault, FaultSet};
use super::request::{Answer, Request};
use super::server::Server;
use super::{complete, tools};
use crate::mcp::levels::Level;
use crate::mcp::{Revision, meta};

/// What `initialize` agreed on; empty as long as nobody sent it.
#[derive(Default)]
pub(super) struct Session {
    pub(super) revision: Option<Revision>,
    pub(super) capabilities: Value,
    pub(super) initialized: bool,
    /// The lowest level that is sent; without `logging/setLevel` nothing is logged.
    level: Option<Level>,
}

impl Session {
    /// Only 2025-03-26 has batches.
    pub(super) fn batches(&self) -> bool {
        self.revision == Some(Revision::V2025_03_26)
    }

    /// Whether a legacy client wants log messages of that level.
    pub(super) fn logs(&self, level: Level) -> bool {
        self.level.is_some_and(|lowest| level >= lowest)
    }
}

fn session(server: &Server) -> std::sync::MutexGuard<'_, Session> {
    server.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Decides the revision a request is served in and what its client can do, or why it is refused.
pub(super) fn admit(
    server: &Server,
    method: &str,
    params: &Map<String, Value>,
    faults: FaultSet,
) -> Result<(Revision, Value), RpcError> {
    let served = &server.options.revisions;
    let newest_legacy = served.iter().copied().find(|revision| !revision.is_modern());
    let modern = served.iter().copied().find(|revision| revision.is_modern());
    let bare = faults.has(Fault::VersionErrorBare);

    if method == "initialize" {
        return match newest_legacy {
            Some(revision) => Ok((revision, Value::Null)),
            None => {
                let requested = params.get("protocolVersion").unwrap_or(&Value::Null);
                Err(RpcError::unsupported_version(served, requested, bare))
            }
        };
    }
    let given = params.get("_meta").and_then(Value::as_object);
    let version = given.and_then(|given| given.get(meta::PROTOCOL_VERSION));
    let Some(modern) = modern else { return admit_legacy(server, method) };
    let handshaken = session(server).revision.is_some();
    if handshaken && version.is_none() {
        return admit_legacy(server, method);
    }
    // `ping` is the one thing a legacy client may send before `initialize`.
    if version.is_none() && method == "ping" && newest_legacy.is_some() {
        return admit_legacy(server, method);
    }

    let capabilities = given.and_then(|given| given.get(meta::CLIENT_CAPABILITIES));
    if faults.has(Fault::MetaNotRequired) && (version.is_none() || capabilities.is_none()) {
        return Ok((modern, capabilities.cloned().unwrap_or_else(|| json!({}))));
    }
    match version {
        Some(Value::String(name)) if Revision::parse(name) == Some(modern) => {}
        Some(name @ Value::String(_)) => return Err(RpcError::unsupported_version(served, name, bare)),
        Some(_) => return Err(RpcError::invalid_params(format!("_meta {} must be a string", meta::PROTOCOL_VERSION))),
        None => return Err(RpcError::invalid_params(format!("_meta lacks {}", meta::PROTOCOL_VERSION))),
    }
    let capabilities = match capabilities {
        Some(capabilities @ Value::Object(_)) => capabilities.clone(),
        Some(_) => {
            return Err(RpcError::invalid_params(format!("_meta {} must be an object", meta::CLIENT_CAPABILITIES)));
        }
        None => return Err(RpcError::invalid_params(format!("_meta lacks {}", meta::CLIENT_CAPABILITIES))),
    };
    if let Some(level) = given.and_then(|given| given.get(meta::LOG_LEVEL)) {
        level_of(level)?;
    }
    Ok((modern, capabilities))
}

fn admit_legacy(server: &Server, method: &str) -> Result<(Revision, Value), RpcError> {
    let session = session(server);
    match session.revision {
        Some(revision) => Ok((revision, session.capabilities.clone())),
        None => {
            let oldest = server.options.revisions.iter().copied().min().unwrap_or(Revision::V2024_11_05);
            match method {
                "ping" => Ok((oldest, Value::Null)),
                // What a server that has never heard of 2026-07-28 says to the probe.
                "server/discover" => Err(RpcError::method_not_found(method)),
                _ => Err(RpcError::invalid_request("initialize has to come first")),
            }
        }
    }
}

fn level_of(level: &Value) -> Result<Level, RpcError> {
    level.as_str().and_then(Level::parse).ok_or_else(|| RpcError::invalid_params(format!("unknown log level {level}")))
}

/// Name and version, with the members that the revision knows.
pub(super) fn server_info(revision: Revision) -> Value {
    let mut info = json!({ "name": "mcpscope-demo", "version": env!("CARGO_PKG_VERSION") });
    if revision >= Revision::V2025_06_18 {
        info["title"] = json!("mcpscope demo server");
    }
    info
}

/// What is offered. prompts without `listChanged`: the demo's prompts never change.
fn capabilities(revision: Revision) -> Value {
    let mut capabilities = json!({
        "tools": { "listChanged": true },
        "prompts": {},
        "resources": { "subscribe": true, "listChanged": true },
    });
    if complete::announced(revision) {
        capabilities["completions"] = json!({});
    }
    if !revision.is_modern() {
        capabilities["logging"] = json!({});
    }
    capabilities
}

fn instructions() -> String {
    format!("A server to look at. {} tools; `misbehave` breaks the protocol on request.", tools::TOOLS.len())
}

/// `server/discover`.
pub(super) fn discover(server: &Server, request: &Request) -> Value {
    let versions: Vec<&str> = server.options.revisions.iter().map(|revision| revision.as_str()).collect();
    let result = json!({
        "supportedVersions": versions,
        "capabilities": capabilities(request.revision),
        "instructions": instructions(),
    });
    request.cacheable(result, 60_000, "public")
}

/// `initialize`: the version asked for if it is served, else the newest one that is.
pub(super) fn initialize(server: &Server, request: &Request) -> Answer {
    let wanted = request.text("protocolVersion")?;
    let Some(declared @ Value::Object(_)) = request.params.get("capabilities") else {
        return Err(RpcError::invalid_params("capabilities must be an object"));
    };
    let named = request.params.get("clientInfo").and_then(Value::as_object).is_some_and(|info| {
        info.get("name").is_some_and(Value::is_string) && info.get("version").is_some_and(Value::is_string)
    });
    if !named {
        return Err(RpcError::invalid_params("clientInfo needs name and version"));
    }
    let revision = Revision::parse(wanted)
        .filter(|revision| !revision.is_modern() && server.options.revisions.contains(revision))
        .unwrap_or(request.revision);
    let mut session = session(server);
    if session.revision.is_some() {
        return Err(RpcError::invalid_request("initialize was sent before"));
    }
    session.revision = Some(revision);
    session.capabilities = declared.clone();
    let mut result = json!({
        "protocolVersion": revision.as_str(),
        "capabilities": capabilities(revision),
        "serverInfo": server_info(revision),
    });
    result["instructions"] = json!(instructions());
    Ok(result)
}

/// `logging/setLevel`.
pub(super) fn set_level(server: &Server, request: &Request) -> Answer {
    let level = level_of(request.params.get("level").unwrap_or(&Value::Null))?;
    session(server).level = Some(level);
    Ok(json!({}))
}

/// A log message to a legacy client, if it asked for messages of that level.
pub(super) fn log(server: &Server, request: &Request, level: Level, data: &str) {
    if !request.revision.is_modern() && session(server).logs(level) {
        server.notify("notifications/message", json!({ "level": level.as_str(), "logger": "demo", "data": data }));
    }
}

/// The faults that are about the text of a message.
pub(super) fn disfigure(text: String, faults: FaultSet) -> String {
    let mut text = text;
    if faults.has(Fault::PrettyJson)
        && let Ok(value) = serde_json::from_str::<Value>(&text)
    {
        text = serde_json::to_string_pretty(&value).unwrap_or(text);
    }
    if faults.has(Fault::NanLiteral) {
        text = text.replacen(r#""result":{"#, r#""result":{"score":NaN,"#, 1);
    }
    if faults.has(Fault::Bom) {
        text.insert(0, '\u{feff}');
    }
    text
}
