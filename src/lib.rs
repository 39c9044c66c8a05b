//! mcpscope: an interactive terminal debugger and wire inspector for MCP (Model Context Protocol).
//!
//! The folders are the architecture, and dependencies run one way, from top to bottom of this list:
//!
//! | folder | what it knows |
//! |---|---|
//! | [`wire`] | bytes → lines, SSE events, JSON documents, JSON-RPC envelopes. No IO, no clock; never fails |
//! | [`mcp`] | the facts of the five revisions, as tables |
//! | [`trace`] | what was recorded, in memory: records, exchanges, connections |
//! | [`rules`] | the catalogue: one file a rule |
//! | [`analysis`] | frames in, pairing and rules over them, a [`trace::Store`] out |
//! | [`query`] | the filter language over a store |
//! | [`mod@format`] | trace files: ours and other people's |
//! | [`diff`], [`sanitize`], [`report`] | what is made of an analysed trace |
//! | [`tap`] | the wire itself: pumps, recorder, child process, HTTP proxy |
//! | [`feed`] | threads around the core: open, follow, filter in the background |
//! | [`peer`] | being one side of a conversation: client, demo server, replay, serve |
//! | [`hosts`] | the configuration files of MCP hosts |
//! | [`tui`] | the screen |
//! | [`cli`] | one file a subcommand |
//!
//! `ARCHITECTURE.md` has the invariants; `tests/it/architecture.rs` holds the import directions.

pub mod analysis;
pub mod cli;
pub mod config;
pub mod diff;
pub mod error;
pub mod feed;
pub mod format;
pub mod hosts;
pub mod mcp;
pub mod paths;
pub mod peer;
pub mod query;
pub mod report;
pub mod rules;
pub mod sanitize;
pub mod tap;
pub mod trace;
pub mod tui;
pub mod wire;
