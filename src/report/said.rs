//! What an error says: its code and its message, read from the bytes when they are shown.

use crate::trace::{RecordKind, Source, Store, Windows};
use crate::wire::json::Parser;

/// Reads errors; its buffers are used again.
#[derive(Default)]
pub struct Said {
    windows: Windows,
    parser: Parser,
}

impl Said {
    /// Without buffers yet.
    pub fn new() -> Said {
        Said::default()
    }

    /// Code and message of the error that answers an exchange. `None` where it was answered otherwise.
    pub fn error(&mut self, store: &Store, source: &Source, exchange: u32) -> Option<(Option<i64>, String)> {
        let response = store.exchanges.get(exchange as usize)?.response;
        let record = store.record(response).filter(|r| r.kind == RecordKind::Error)?;
        let bytes = match store.recovered.get(&response) {
            Some(recovered) => &recovered.bytes,
            None => self.windows.message(source, record).ok()?,
        };
        let error = self.parser.parse(bytes).root()?.get("error")?;
        let code = error.get("code").and_then(|c| c.as_i64());
        let message = error.get("message").and_then(|m| m.as_str()).unwrap_or_default();
        Some((code, message.into_owned()))
    }
}
