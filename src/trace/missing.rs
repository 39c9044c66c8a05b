//! What the source of a trace cannot tell. A rule that needs it is not judged: neither passed nor failed.

use std::ops::BitOr;

/// A set of things that a source does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Missing(u8);

impl Missing {
    /// Everything is there.
    pub const NONE: Missing = Missing(0);
    /// The bytes of the wire: messages were parsed and written again, or lines that are no messages were left out.
    pub const BYTES: Missing = Missing(1);
    /// Times.
    pub const TIME: Missing = Missing(2);
    /// Directions: they were inferred.
    pub const DIRECTION: Missing = Missing(4);
    /// HTTP heads, of traffic that went over HTTP.
    pub const HTTP: Missing = Missing(8);
    /// Times of the events of a stream.
    pub const EVENT_TIMES: Missing = Missing(16);
    /// Bodies: of each message only an outline is there.
    pub const BODIES: Missing = Missing(32);
    /// One of the two directions: no answers.
    pub const ANSWERS: Missing = Missing(64);

    const WORDS: [(Missing, &'static str, &'static str); 7] = [
        (Missing::BYTES, "bytes", "the bytes of the wire (messages were parsed and written again)"),
        (Missing::TIME, "times", "times"),
        (Missing::DIRECTION, "directions", "directions (they are inferred)"),
        (Missing::HTTP, "http", "HTTP heads"),
        (Missing::EVENT_TIMES, "event-times", "times of the events of a stream"),
        (Missing::BODIES, "bodies", "bodies of messages (outlines only)"),
        (Missing::ANSWERS, "answers", "answers (one direction only)"),
    ];

    /// Whether all of `other` is in it.
    pub const fn has(self, other: Missing) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is in it.
    pub const fn any(self, other: Missing) -> bool {
        self.0 & other.0 != 0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Missing) -> Missing {
        Missing(self.0 | other.0)
    }

    /// What is missing, in words.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().filter(move |(one, ..)| self.has(*one)).map(|(_, _, words)| words)
    }

    /// The names of what is missing, as a converted trace keeps them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().filter(move |(one, ..)| self.has(*one)).map(|(_, name, _)| name)
    }

    /// What has this name.
    pub fn named(name: &str) -> Option<Missing> {
        Self::WORDS.into_iter().find(|(_, n, _)| *n == name).map(|(one, ..)| one)
    }
}

impl BitOr for Missing {
    type Output = Missing;

    fn bitor(self, other: Missing) -> Missing {
        self.with(other)
    }
}
