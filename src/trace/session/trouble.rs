//! What went wrong on one direction of a wire: the evidence for why a request was not answered.

use crate::trace::NONE;
use crate::wire::frame::Micros;

/// A direction that does not move on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// Record of the event that says so.
    pub record: u32,
    /// Since when.
    pub since: Micros,
    /// Bytes of the line that has begun; 0 where the reader takes nothing.
    pub bytes: u64,
}

/// Trouble of one direction. Records are indices into the store, `NONE` where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// Texts so far that a strict reader refuses, also where this program could read them.
    pub refusable: u32,
    /// How many of those have not been answered with an error without id.
    pub unsettled: u32,
    /// The last text that nobody could read.
    pub unreadable: u32,
    /// The last response with an id that fits no open request.
    pub stray: u32,
    /// The last response without an id.
    pub lost: u32,
    /// The last text that was broken off by the end of the stream.
    pub broken_off: u32,
    /// Record of the event that says that the direction ended.
    pub eof: u32,
    /// A line has begun and does not end. Cleared by the next whole line.
    pub partial: Option<Stuck>,
    /// Its reader does not take what is written to it. Cleared by the next line of this direction.
    pub blocked: Option<Stuck>,
}

impl Default for Trouble {
    fn default() -> Trouble {
        Trouble {
            refusable: 0,
            unsettled: 0,
            unreadable: NONE,
            stray: NONE,
            lost: NONE,
            broken_off: NONE,
            eof: NONE,
            partial: None,
            blocked: None,
        }
    }
}

impl Trouble {
    /// A line of the direction came: it is not stuck.
    pub fn moves(&mut self) {
        self.partial = None;
        self.blocked = None;
    }

    /// A text came that a strict reader refuses.
    pub fn refused_by_strict_readers(&mut self) {
        self.refusable += 1;
        self.unsettled += 1;
    }
}

/// Whether a record is there and is later than another one.
pub fn is_after(record: u32, other: u32) -> bool {
    record != NONE && record > other
}
