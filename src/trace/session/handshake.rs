//! The legacy handshake as far as it has come (lifecycle pages of 2024-11-05 to 2025-11-25).

use crate::mcp::Revision;
use crate::wire::frame::Micros;

/// State of `initialize` and `notifications/initialized`.
#[derive(Clone, Debug, Default)]
pub struct Handshake {
    /// Record of the `initialize` request.
    pub request: Option<u32>,
    /// Its exchange.
    pub exchange: Option<u32>,
    /// When it was sent.
    pub asked_at: Micros,
    /// `params.protocolVersion` as sent.
    pub requested: Option<Box<str>>,
    /// Record of the result.
    pub result: Option<u32>,
    /// `result.protocolVersion` as sent.
    pub agreed: Option<Box<str>>,
    /// Record of the error, if it was refused.
    pub refused: Option<u32>,
    /// Record of `notifications/initialized`.
    pub initialized: Option<u32>,
}

impl Handshake {
    /// `initialize` was answered with a result.
    pub fn is_done(&self) -> bool {
        self.result.is_some()
    }

    /// The revision that legacy messages are judged by: the agreed one, before that the requested one. Unknown
    /// versions count as 2025-11-25.
    pub fn revision(&self) -> Option<Revision> {
        let text = self.agreed.as_deref().or(self.requested.as_deref());
        match (self.request, text) {
            (None, _) => None,
            (Some(_), Some(text)) => Some(Revision::parse(text).unwrap_or(Revision::V2025_11_25)),
            (Some(_), None) => Some(Revision::V2025_11_25),
        }
    }
}
