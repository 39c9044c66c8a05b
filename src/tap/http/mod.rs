//! The HTTP tap: a reverse proxy on this machine in front of one server.
//!
//! A client is given the tap's URL instead of the server's; everything goes to the server's origin and to no other.
//! Bodies pass piece by piece as they come, with the recorder told before each piece goes on. What the tap changes:
//! - fields that mean one connection (RFC 9110 section 7.6.1) end here, and messages are framed anew for the next one;
//! - `Host` becomes the server's, and so does an `Origin` that is the tap's own;
//! - the origin in a full address in the `endpoint` event of HTTP+SSE becomes the tap's;
//! - with `--rewrite-oauth`, the addresses in a challenge and in a protected resource's metadata.
//!
//! Informational answers (1xx) are between neighbours here: `100 Continue` is given when the body is asked for.
//! Names keep their case and, as long as none of them is repeated, their order.

mod body;
mod clients;
mod decode;
mod endpoint;
mod exchange;
mod guard;
mod headers;
mod oauth;
mod origin;
pub mod part;
mod proxy;
pub mod scribe;
mod server;
mod sniff;
mod upstream;

pub use origin::{Origin, Upstream};
pub use server::{Options, Tap};
