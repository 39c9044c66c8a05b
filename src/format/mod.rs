//! Trace files: the native format and other people's.
//!
//! A reader takes bytes in pieces of any size and gives [`crate::wire::frame::Item`]s; it does no IO itself, so the same
//! code opens a file, follows one that grows, and reads standard input. What cannot be read is a [`Fault`] beside the
//! items, never an error that ends the reading.
//!
//! Foreign formats are one file each: how it is recognised, what it holds, its pitfalls. They are read whole into an
//! [`Import`], which infers what they do not say.

mod agent_vcr;
mod cassette_node;
mod cassette_py;
mod claude_code;
mod claude_desktop;
mod cursor;
pub mod detect;
mod har;
pub mod import;
mod infer;
mod inspector;
mod mcp_rec;
mod mcp_recorder;
mod mcp_remote;
mod mcp_tape;
mod mitmproxy;
pub mod native;
mod otlp;
mod python_sdk;
mod raw;
mod rmcp;
mod tee;
#[cfg(test)]
mod tests;
pub mod text;
pub mod time;
mod trace_validator;
mod vscode;
mod web;

use std::borrow::Cow;

pub use detect::{Confidence, Format, detect, named, not_read, read};
pub use import::Import;

use crate::trace::Missing;
use crate::wire::frame::Encoding;

/// The foreign formats that are read. Of those that fit a file equally well the first one is taken.
pub static FORMATS: &[Format] = &[
    mcp_tape::FORMAT,
    cassette_node::FORMAT,
    cassette_py::FORMAT,
    mcp_rec::FORMAT,
    mcp_recorder::FORMAT,
    trace_validator::FORMAT,
    agent_vcr::FORMAT,
    inspector::FORMAT,
    har::FORMAT,
    otlp::FORMAT,
    mitmproxy::FORMAT,
    claude_desktop::FORMAT,
    claude_code::FORMAT,
    vscode::FORMAT,
    cursor::FORMAT,
    mcp_remote::FORMAT,
    python_sdk::FORMAT,
    rmcp::FORMAT,
    tee::FORMAT,
    raw::FORMAT,
];

/// What a trace says of itself in its first line. Every member may be absent in a foreign or damaged file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Version of the native format; 0 where the file has no header line.
    pub version: u32,
    /// Wall clock time at which the trace's clock was 0 (RFC 3339, UTC).
    pub created: Option<String>,
    /// Program and version that recorded it.
    pub tool: Option<String>,
    /// The server's name.
    pub name: Option<String>,
    /// `stdio` or `http`.
    pub transport: Option<String>,
    /// The server's command and its arguments.
    pub command: Vec<String>,
    /// URL of the server (HTTP).
    pub url: Option<String>,
    /// The process that started the tap.
    pub host: Option<Host>,
    /// Working directory of the server.
    pub cwd: Option<String>,
    /// The PATH that the server was given.
    pub path: Option<String>,
    /// Names (never values) of the environment variables that the server was given.
    pub env: Vec<String>,
    /// How the trace was sanitized; `None` where it was not.
    pub sanitized: Option<String>,
    /// The trace was made of a file in another format.
    pub imported: Option<Imported>,
    /// The header line as it stands in the file, so that unknown members survive a conversion.
    pub raw: Vec<u8>,
}

/// Where a converted trace came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Name of the format.
    pub from: String,
    /// What that file did not hold: rules that need it are not judged.
    pub missing: Missing,
    /// It was a piece out of the middle.
    pub excerpt: bool,
}

/// The process that started a tap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// Its short name.
    pub name: Option<String>,
    /// Its process id.
    pub pid: Option<u32>,
}

/// Something in a file that is no record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Line in the file, from 1.
    pub line: u32,
    /// Byte offset of the line's first byte.
    pub offset: u64,
    /// Length of the line in bytes, without its line end.
    pub len: u64,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What is wrong with a line of a trace file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The last line has no end: the recorder was killed in the middle of a write.
    TornLast,
    /// A line was cut off and others follow.
    TornMiddle,
    /// A whole line that is no frame and no event. Says what was expected.
    NoRecord(&'static str),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            FaultKind::TornLast => write!(f, "line {}: torn: the file ends in the middle of it", self.line),
            FaultKind::TornMiddle => write!(f, "line {}: torn, skipped", self.line),
            FaultKind::NoRecord(want) => write!(f, "line {}: no record of a trace ({want}), skipped", self.line),
        }
    }
}

/// Gives the payload back from the bytes that stand at a [`crate::wire::frame::Place`].
pub fn decode(encoding: Encoding, bytes: &[u8]) -> Cow<'_, [u8]> {
    match encoding {
        Encoding::Verbatim | Encoding::Memory => Cow::Borrowed(bytes),
        Encoding::JsonString => {
            if memchr::memchr(b'\\', bytes).is_none() {
                Cow::Borrowed(bytes)
            } else {
                let mut out = Vec::with_capacity(bytes.len());
                native::escape::unescape(bytes, &mut out);
                Cow::Owned(out)
            }
        }
        Encoding::Base64 => {
            let mut out = Vec::new();
            native::escape::unbase64(bytes, &mut out);
            Cow::Owned(out)
        }
    }
}
