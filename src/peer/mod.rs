//! Being one side of a conversation: client, demo server, replay, serve.

pub mod client;
pub mod demo;
pub mod script;
