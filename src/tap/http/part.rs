//! What the proxy tells the recorder: the pieces of an exchange, as they pass.
//!
//! The wire hands over its own buffers (counted references, no copies) and goes on; the recorder's thread puts frames
//! together, decodes bodies and reads events.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;

use crate::wire::frame::{Dir, HttpEnd};

/// Header fields as they came.
pub type Fields = Vec<(String, String)>;

/// A TCP connection of a client.
#[derive(Debug)]
pub struct Tcp {
    /// Number of the connection.
    pub number: u64,
    /// The client's end.
    pub peer: SocketAddr,
    /// The tap's end.
    pub local: SocketAddr,
}

/// A piece of exchange `stream`.
#[derive(Debug)]
pub struct Part {
    /// Number of the exchange, from 1.
    pub stream: u32,
    /// What it is.
    pub what: What,
}

/// The pieces of an exchange.
#[derive(Debug)]
pub enum What {
    /// A request head.
    Request {
        /// The connection on which it came.
        tcp: Arc<Tcp>,
        /// Method.
        method: String,
        /// Target as written.
        path: String,
        /// Fields in their order and case.
        headers: Fields,
    },
    /// A response head.
    Response {
        /// Status.
        status: u16,
        /// Fields in their order and case.
        headers: Fields,
    },
    /// Bytes of a body.
    Data {
        /// Which body: the request's or the response's.
        dir: Dir,
        /// The bytes; empty where they found no room.
        bytes: Bytes,
        /// Bytes of the body that are not here.
        lost: u64,
    },
    /// A body ended in good order.
    BodyEnd {
        /// Which one.
        dir: Dir,
        /// Trailer fields.
        trailers: Fields,
    },
    /// The exchange ended in another way.
    Cut(HttpEnd),
}

impl Part {
    /// Bytes that it holds.
    pub fn size(&self) -> usize {
        match &self.what {
            What::Data { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }

    /// Lets go of its bytes, and counts them as lost.
    pub fn drop_bytes(&mut self) {
        if let What::Data { bytes, lost, .. } = &mut self.what {
            *lost += bytes.len() as u64;
            *bytes = Bytes::new();
        }
    }
}
