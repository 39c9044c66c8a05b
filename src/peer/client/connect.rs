//! Finding the era of a server: `server/discover` first, `initialize` if it does not understand that.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::message::{Response, client_info};
use super::pending::CallError;
use super::{Link, Options, lock};
use crate::mcp::{Revision, errors, meta};
use crate::wire::json::Value;

/// Which era to speak.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Speak {
    /// Probe, and fall back.
    #[default]
    Auto,
    /// 2026-07-28, or nothing.
    Modern,
    /// `initialize` with that version, without a probe.
    Legacy(Revision),
}

/// What the server told about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The revision that is spoken.
    pub revision: Revision,
    /// Name and version, if it gave them.
    pub server: Option<(String, String)>,
    /// Its capabilities, a JSON object as it came; `{}` if it gave none.
    pub capabilities: String,
    /// What it says about its use.
    pub instructions: Option<String>,
    /// The versions that it says it speaks.
    pub versions: Vec<String>,
}

/// Why there is no connection.
#[derive(Debug)]
pub enum ConnectError {
    /// The server ended before it answered. `probing`: it was asked `server/discover`; starting it again and going
    /// straight to `initialize` may work.
    Closed {
        /// Only the probe had been sent.
        probing: bool,
    },
    /// No answer to the handshake in time.
    Silent(Duration),
    /// The server refused, in its own words.
    Refused(String),
    /// It speaks none of our versions; these are its own.
    NoCommonVersion(Vec<String>),
    /// The request could not be sent, or the transport refused it.
    Failed(CallError),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Closed { .. } => f.write_str("the server ended before it answered"),
            ConnectError::Silent(time) => write!(f, "the server did not answer within {} ms", time.as_millis()),
            ConnectError::Refused(text) => write!(f, "the server refused the connection: {text}"),
            ConnectError::NoCommonVersion(versions) => {
                write!(f, "no common protocol version; the server speaks {}", versions.join(", "))
            }
            ConnectError::Failed(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for ConnectError {}

/// What the probe says.
enum Probe {
    Modern(Facts),
    /// Go on with `initialize`, with that version.
    Legacy(Revision),
}

pub(super) fn negotiate(link: &Arc<Link>, options: &Options) -> Result<Facts, ConnectError> {
    let version = match options.speak {
        Speak::Legacy(version) => version,
        Speak::Auto | Speak::Modern => match probe(link, options)? {
            Probe::Modern(facts) => {
                *lock(&link.revision) = Some(facts.revision);
                return Ok(facts);
            }
            Probe::Legacy(_) if options.speak == Speak::Modern => {
                return Err(ConnectError::Refused("it does not answer server/discover as 2026-07-28 demands".into()));
            }
            Probe::Legacy(version) => version,
        },
    };
    initialize(link, options, version, true)
}

fn probe(link: &Arc<Link>, options: &Options) -> Result<Probe, ConnectError> {
    let legacy = Probe::Legacy(Revision::NEWEST_LEGACY);
    let pending = link.start("server/discover", &[], false).map_err(closed(true))?;
    // Silence is an answer here. Nothing is cancelled: a legacy server may hear nothing before `initialize`.
    let response = match pending.watch(Some(options.probe_timeout), |_| ()) {
        None => return Ok(legacy),
        Some(Ok(response)) => response,
        Some(Err(CallError::Refused { .. })) => return Ok(legacy),
        Some(Err(failure)) => return Err(closed(true)(failure)),
    };
    if let Some(error) = response.error() {
        let supported = supported(&response);
        return match common(&supported) {
            // -32022, or an older error that says which versions would do.
            Some(version) if version.is_modern() => Ok(Probe::Modern(facts(None, version, supported))),
            Some(version) => Ok(Probe::Legacy(version)),
            None if error.code == errors::UNSUPPORTED_VERSION && !supported.is_empty() => {
                Err(ConnectError::NoCommonVersion(supported))
            }
            None if errors::is_modern_sign(error.code) => Ok(Probe::Modern(facts(None, Revision::NEWEST, supported))),
            None => Ok(legacy),
        };
    }
    let result = response.result();
    let versions = strings(result.and_then(|result| result.get("supportedVersions")));
    match common(&versions) {
        Some(version) if version.is_modern() => Ok(Probe::Modern(facts(result, version, versions))),
        Some(version) => Ok(Probe::Legacy(version)),
        None if versions.is_empty() => Ok(legacy),
        None => Err(ConnectError::NoCommonVersion(versions)),
    }
}

fn initialize(link: &Arc<Link>, options: &Options, version: Revision, may_retry: bool) -> Result<Facts, ConnectError> {
    *lock(&link.revision) = Some(version);
    let name = format!("\"{version}\"");
    let capabilities = options.answerer.abilities().declare(version).to_string();
    let info = client_info(version).to_string();
    let members = [("protocolVersion", &*name), ("capabilities", &*capabilities), ("clientInfo", &*info)];
    let pending = link.start("initialize", &members, false).map_err(closed(false))?;
    // initialize may not be cancelled.
    let response = match pending.watch(options.timeout, |_| ()) {
        None => return Err(ConnectError::Silent(options.timeout.unwrap_or_default())),
        Some(answer) => answer.map_err(closed(false))?,
    };
    if let Some(error) = response.error() {
        let supported = supported(&response);
        let other = supported.iter().filter_map(|name| Revision::parse(name)).filter(|other| !other.is_modern()).max();
        return match other {
            Some(other) if may_retry && other != version => initialize(link, options, other, false),
            None if !supported.is_empty() => Err(ConnectError::NoCommonVersion(supported)),
            _ => Err(ConnectError::Refused(error.message)),
        };
    }
    let result = response.result();
    let agreed = result.and_then(|result| result.get("protocolVersion")).and_then(Value::as_str);
    let agreed = agreed.map(Cow::into_owned).unwrap_or_default();
    let Some(revision) = Revision::parse(&agreed).filter(|revision| !revision.is_modern()) else {
        return Err(ConnectError::NoCommonVersion(vec![agreed]));
    };
    *lock(&link.revision) = Some(revision);
    link.notify("notifications/initialized", &[]).map_err(closed(false))?;
    Ok(facts(result, revision, vec![agreed]))
}

fn closed(probing: bool) -> impl Fn(CallError) -> ConnectError {
    move |failure| match failure {
        CallError::Closed => ConnectError::Closed { probing },
        failure => ConnectError::Failed(failure),
    }
}

fn strings(array: Option<Value<'_>>) -> Vec<String> {
    array.into_iter().flat_map(Value::elements).filter_map(Value::as_str).map(Cow::into_owned).collect()
}

fn supported(response: &Response) -> Vec<String> {
    strings(response.root().and_then(|root| root.path(&["error", "data", "supported"])))
}

/// The newest version that both sides speak.
fn common(versions: &[String]) -> Option<Revision> {
    versions.iter().filter_map(|name| Revision::parse(name)).max()
}

fn facts(result: Option<Value<'_>>, revision: Revision, versions: Vec<String>) -> Facts {
    let text = |value: Option<Value<'_>>| value.and_then(Value::as_str).map(Cow::into_owned);
    let info = if revision.is_modern() {
        result.and_then(|result| result.get("_meta")).and_then(|meta| meta.get(meta::SERVER_INFO))
    } else {
        result.and_then(|result| result.get("serverInfo"))
    };
    let server = info.and_then(|info| Some((text(info.get("name"))?, text(info.get("version")).unwrap_or_default())));
    Facts {
        revision,
        server,
        capabilities: result
            .and_then(|result| result.get("capabilities"))
            .map_or_else(|| "{}".to_owned(), |capabilities| capabilities.raw_str().into_owned()),
        instructions: result.and_then(|result| text(result.get("instructions"))),
        versions,
    }
}
