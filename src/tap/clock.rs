//! The trace's clock: microseconds since the trace began, monotonic, and what the wall clock says to it.

use std::time::Instant;

use crate::wire::frame::Micros;

/// A difference between the two clocks that is told: somebody set the clock, or the machine slept.
const JUMP: Micros = 1_000_000;

/// Started when the tap starts.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    wall: jiff::Timestamp,
}

impl Clock {
    /// A clock at 0.
    pub fn start() -> Clock {
        Clock { start: Instant::now(), wall: jiff::Timestamp::now() }
    }

    /// Wall time at 0.
    pub fn created(&self) -> jiff::Timestamp {
        self.wall
    }

    /// Time since the start.
    pub fn now(&self) -> Micros {
        Micros::try_from(self.start.elapsed().as_micros()).unwrap_or(Micros::MAX)
    }
}

/// Watches whether the wall clock goes on as the monotonic one does.
#[derive(Debug)]
pub struct Drift {
    offset: Micros,
}

impl Drift {
    /// As both clocks stand now.
    pub fn new(clock: &Clock) -> Drift {
        Drift { offset: clock.wall.as_microsecond() }
    }

    /// The wall time, if it jumped by more than a second since it was last told.
    pub fn jumped(&mut self, now: Micros, wall: jiff::Timestamp) -> Option<String> {
        let offset = wall.as_microsecond() - now;
        let jumped = (offset - self.offset).abs() > JUMP;
        if jumped {
            self.offset = offset;
        }
        jumped.then(|| format_wall(wall))
    }
}

/// RFC 3339, UTC, to the microsecond.
pub fn format_wall(wall: jiff::Timestamp) -> String {
    format!("{wall:.6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_told_once() {
        let clock = Clock::start();
        let mut drift = Drift::new(&clock);
        let at = |seconds: i64| clock.created() + jiff::SignedDuration::from_secs(seconds);
        assert_eq!(drift.jumped(5_000_000, at(5)), None);
        assert_eq!(drift.jumped(6_000_000, at(100)), Some(format_wall(at(100))));
        assert_eq!(drift.jumped(7_000_000, at(101)), None);
        assert!(drift.jumped(8_000_000, at(8)).is_some());
        assert_eq!(format_wall(jiff::Timestamp::UNIX_EPOCH), "1970-01-01T00:00:00.000000Z");
    }
}
