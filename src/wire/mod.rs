//! Bytes to lines, SSE events, JSON documents and JSON-RPC envelopes. No IO, no clock; nothing here fails: broken
//! input is data with faults beside it.

pub mod envelope;
pub mod frame;
pub mod id;
pub mod json;
pub mod lines;
pub mod secrets;
pub mod sse;
