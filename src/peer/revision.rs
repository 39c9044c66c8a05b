//! A protocol revision as a peer needs it: a name that can be compared by age.

use std::fmt;

/// One of the five revisions. Their names are dates, so the order of the names is the order of the revisions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Revision(&'static str);

impl Revision {
    /// The first published revision.
    pub const V2024_11_05: Revision = Revision("2024-11-05");
    /// Streamable HTTP, batches, tool annotations, audio, completions.
    pub const V2025_03_26: Revision = Revision("2025-03-26");
    /// Structured content, elicitation, resource links; no batches.
    pub const V2025_06_18: Revision = Revision("2025-06-18");
    /// Icons, URL elicitation, core tasks.
    pub const V2025_11_25: Revision = Revision("2025-11-25");
    /// Stateless: `_meta` on every request, no handshake.
    pub const V2026_07_28: Revision = Revision("2026-07-28");

    /// All, newest first: the order in which a server offers them.
    pub const ALL: [Revision; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The revision of that name.
    pub fn parse(text: &str) -> Option<Revision> {
        Self::ALL.into_iter().find(|revision| revision.0 == text)
    }

    /// The name, as `protocolVersion` carries it.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Stateless, with `_meta` on every request (2026-07-28 and later).
    pub fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// `_meta` keys of the modern era, as they stand on the wire.
pub mod meta {
    /// The version a request is written in.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// Who sends the request.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// What the client can do, for this request.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The lowest level of log messages wanted (deprecated).
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// Who sends the result.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The subscription that a notification belongs to.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
}
