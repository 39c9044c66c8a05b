//! The embedded demo server: correct in all five revisions, both eras on one pipe, unless a fault is switched on.
//!
//! It is what `mcpscope demo` looks at, and the yardstick of our own rules: without faults they find no error in it.
//! One file a thing; [`faults::FAULTS`] lists what it can be told to do wrong.

mod complete;
mod error;
pub mod faults;
mod lifecycle;
mod outbox;
mod pages;
mod prompts;
mod request;
mod resources;
mod server;
mod subscriptions;
mod ticket;
mod tools;

use std::io::{BufRead, Write};

use self::faults::FaultSet;
use crate::mcp::Revision;

/// How the server behaves.
#[derive(Clone, Debug)]
pub struct Options {
    /// The revisions that are served, newest first. With 2026-07-28 and older ones the server is of both eras.
    pub revisions: Vec<Revision>,
    /// The faults that are committed all the time.
    pub faults: FaultSet,
}

impl Options {
    /// All revisions in the order in which a server offers them: newest first.
    pub fn all_revisions() -> Vec<Revision> {
        Revision::ALL.into_iter().rev().collect()
    }
}

impl Default for Options {
    /// All revisions, no fault.
    fn default() -> Self {
        Options { revisions: Options::all_revisions(), faults: FaultSet::NONE }
    }
}

/// Serves until the input ends, and returns the exit status: 0, or 3 after the fault `crash`.
///
/// `crash` also closes the output at once and calls `die`: the binary leaves the process there, because the reader may
/// wait for a line that never comes.
pub fn serve(
    input: impl BufRead,
    output: impl Write + Send + 'static,
    options: Options,
    die: impl Fn(i32) + Send + Sync + 'static,
) -> i32 {
    server::Server::new(output, options, Box::new(die)).run(input)
}
