//! The native trace format: JSON Lines, append-only; a header line, then frames and events.
//!
//! - [`Reader`]: bytes in pieces of any size → items with their line and their place in the file. Also reads the same
//!   format's older relative with `raw` payloads, `ctl` lines and no header.
//! - [`mod@write`]: frames, events and the header → lines.
//! - [`grammar`]: may a payload stand in a line as it came (`msg`)?

pub mod escape;
mod event;
pub mod grammar;
mod header;
mod http;
mod read;
mod record;
mod scan;
pub mod write;

pub use event::signal_name;
pub use read::Reader;

#[cfg(test)]
mod tests;
