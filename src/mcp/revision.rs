//! The five protocol revisions and the two eras that they form.

use std::fmt;

/// A published revision of the protocol, oldest first: the order of the variants is the order in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Revision {
    /// The first public one: stdio, and HTTP with two endpoints.
    V2024_11_05,
    /// Streamable HTTP, batches, authorization.
    V2025_03_26,
    /// No batches; structured tool output, elicitation, the version header.
    V2025_06_18,
    /// Tasks, URL elicitation, tools in sampling, icons.
    V2025_11_25,
    /// Stateless: no handshake, everything a request needs travels with it.
    V2026_07_28,
}

/// The two ways to speak MCP. One wire can carry both, message by message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Era {
    /// A handshake, then a connection with state.
    Legacy,
    /// Stateless requests.
    Modern,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Revision; 5] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ];

    /// The newest revision that begins with `initialize`.
    pub const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

    /// The newest revision known here.
    pub const NEWEST: Revision = Revision::V2026_07_28;

    /// The date that stands for it on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of that name; `None` for any other text.
    pub fn parse(text: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|r| r.as_str() == text)
    }

    /// Speaks without a handshake.
    pub const fn is_modern(self) -> bool {
        matches!(self, Revision::V2026_07_28)
    }

    /// Which of the two ways it speaks.
    pub const fn era(self) -> Era {
        if self.is_modern() { Era::Modern } else { Era::Legacy }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of revisions in one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Revisions(u8);

impl Revisions {
    /// None of them.
    pub const NONE: Revisions = Revisions(0);
    /// All of them.
    pub const ALL: Revisions = Revisions(0b1_1111);
    /// Those with a handshake.
    pub const LEGACY: Revisions = Revisions(0b0_1111);
    /// Those without.
    pub const MODERN: Revisions = Revisions(0b1_0000);

    /// Just these.
    pub const fn of(list: &[Revision]) -> Revisions {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Revisions(bits)
    }

    /// That one and all that came later.
    pub const fn since(first: Revision) -> Revisions {
        Revisions(0b1_1111 & !((1 << first as u8) - 1))
    }

    /// That one and all before it.
    pub const fn until(last: Revision) -> Revisions {
        Revisions((1 << (last as u8 + 1)) - 1)
    }

    /// Those in both sets.
    #[must_use]
    pub const fn and(self, other: Revisions) -> Revisions {
        Revisions(self.0 & other.0)
    }

    /// Is it in the set?
    pub const fn has(self, revision: Revision) -> bool {
        self.0 & (1 << revision as u8) != 0
    }

    /// Is the set empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |r| self.has(*r))
    }
}

/// Looks like a revision: four digits, two, two. `DRAFT-2026-v1` and the like do not.
pub fn is_date(text: &str) -> bool {
    let b = text.as_bytes();
    b.len() == 10 && b.iter().enumerate().all(|(i, c)| if i == 4 || i == 7 { *c == b'-' } else { c.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_are_in_order_of_time() {
        for pair in Revision::ALL.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].as_str() < pair[1].as_str());
        }
        for r in Revision::ALL {
            assert_eq!(Revision::parse(r.as_str()), Some(r));
            assert!(is_date(r.as_str()));
        }
        assert_eq!(Revision::parse("2026-07-29"), None);
        assert!(!is_date("2026-7-28") && !is_date("draft"));
    }

    #[test]
    fn sets() {
        let s = Revisions::since(Revision::V2025_06_18);
        assert_eq!(s.iter().map(Revision::as_str).collect::<Vec<_>>(), ["2025-06-18", "2025-11-25", "2026-07-28"]);
        assert_eq!(s.and(Revisions::LEGACY).iter().count(), 2);
        assert_eq!(
            Revisions::until(Revision::V2025_03_26),
            Revisions::of(&[Revision::V2024_11_05, Revision::V2025_03_26])
        );
        assert!(Revisions::NONE.is_empty() && !Revisions::MODERN.has(Revision::V2025_11_25));
        assert_eq!(Revisions::until(Revision::NEWEST), Revisions::ALL);
    }
}
