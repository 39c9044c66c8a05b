//! From the bytes of one direction, as they came in batches, to lines.
//!
//! A line that lies whole in a batch is cut out of it without a copy, however many pieces it came in; only what is left
//! at the end of a batch is kept. Each byte is searched once and copied once at most, however long the line.

use crate::wire::frame::{Eol, Micros};

/// A line longer than this is not kept to its end: it becomes a gap.
pub const MAX_LINE: usize = 512 << 20;

/// A kept line's buffer larger than this is given back after the line.
const KEEP: usize = 1 << 20;

/// Lines of one direction.
#[derive(Default)]
pub struct Lines {
    /// What earlier batches had of the unfinished line.
    carry: Vec<u8>,
    /// Where the unfinished line (or its rest) begins in this batch, and how far the batch has been looked at.
    start: usize,
    pos: usize,
    /// When the first byte of the unfinished line came.
    since: Option<Micros>,
    /// The unfinished line cannot be recorded: bytes of it are lost already.
    skipping: bool,
    /// It has been reported as unfinished.
    told: bool,
}

/// What could not be recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// Lines.
    pub frames: u64,
    /// Bytes, line ends included.
    pub bytes: u64,
}

impl Lost {
    /// Adds another loss.
    pub fn add(&mut self, other: Lost) {
        self.frames += other.frames;
        self.bytes += other.bytes;
    }

    /// Whether nothing was lost.
    pub fn is_none(&self) -> bool {
        *self == Lost::default()
    }
}

impl Lines {
    /// Looks at the next `len` bytes of a batch, read at `t`, and hands on each line that they end.
    pub fn push(&mut self, batch: &[u8], len: usize, t: Micros, lost: &mut Lost, mut line: impl FnMut(&[u8], Eol)) {
        let mut from = self.pos;
        self.pos += len;
        while let Some(at) = memchr::memchr(b'\n', &batch[from..self.pos]).map(|at| from + at) {
            if self.skipping {
                lost.add(Lost { frames: 1, bytes: (at - self.start) as u64 + 1 });
            } else if self.carry.is_empty() {
                with_eol(&batch[self.start..at], &mut line);
            } else {
                self.carry.extend_from_slice(&batch[self.start..at]);
                with_eol(&self.carry, &mut line);
            }
            self.reset(at + 1);
            from = at + 1;
        }
        if self.start < self.pos {
            self.since.get_or_insert(t);
        }
    }

    /// The batch ends: what is unfinished is kept.
    pub fn end_batch(&mut self, batch: &[u8], lost: &mut Lost) {
        let rest = &batch[self.start..self.pos];
        if self.skipping {
            lost.bytes += rest.len() as u64;
        } else if self.carry.len() + rest.len() > MAX_LINE {
            self.skip(rest.len() as u64, lost);
        } else {
            self.carry.extend_from_slice(rest);
        }
        (self.start, self.pos) = (0, 0);
    }

    /// Bytes went by that are not here.
    pub fn lose(&mut self, what: Lost, lost: &mut Lost) {
        self.since.get_or_insert(0);
        self.skip(what.bytes + (self.pos - self.start) as u64, lost);
        self.start = self.pos;
        lost.frames += what.frames;
    }

    /// What is kept of this line goes too: half of it must not stand in the record as if it were one.
    fn skip(&mut self, bytes: u64, lost: &mut Lost) {
        lost.bytes += bytes + self.carry.len() as u64;
        self.skipping = true;
        self.carry = Vec::new();
    }

    /// The stream ended: hands on what has no line end.
    pub fn finish(&mut self, batch: &[u8], lost: &mut Lost, line: impl FnOnce(&[u8], Eol)) {
        let rest = &batch[self.start..self.pos];
        if self.skipping {
            lost.add(Lost { frames: 1, bytes: rest.len() as u64 });
        } else if !self.carry.is_empty() || !rest.is_empty() {
            self.carry.extend_from_slice(rest);
            line(&self.carry, Eol::None);
        }
        self.reset(self.pos);
    }

    fn reset(&mut self, start: usize) {
        self.carry.clear();
        self.carry.shrink_to(KEEP);
        (self.start, self.since, self.skipping, self.told) = (start, None, false, false);
    }

    /// Since when a line has been unfinished, and how many bytes of it came, if that has not been told yet.
    pub fn unfinished(&self) -> Option<(Micros, u64)> {
        let since = self.since.filter(|_| !self.told && !self.skipping)?;
        Some((since, self.carry.len() as u64))
    }

    /// It has been told.
    pub fn tell(&mut self) {
        self.told = true;
    }
}

fn with_eol(line: &[u8], each: &mut impl FnMut(&[u8], Eol)) {
    match line.strip_suffix(b"\r") {
        Some(line) => each(line, Eol::CrLf),
        None => each(line, Eol::Lf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the pieces, the lines put together are the bytes that came.
        #[test]
        fn lines_are_the_bytes(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            piece in 1usize..50,
            per_batch in 1usize..120,
        ) {
            let (mut lines, mut lost, mut back) = (Lines::default(), Lost::default(), Vec::new());
            let mut each = |line: &[u8], eol: Eol| {
                assert!(!line.contains(&b'\n'));
                back.extend_from_slice(line);
                back.extend_from_slice(match eol { Eol::Lf => b"\n", Eol::CrLf => b"\r\n", Eol::None => b"" });
            };
            let mut t = 0;
            for batch in bytes.chunks(per_batch) {
                for part in batch.chunks(piece) {
                    t += 1;
                    lines.push(batch, part.len(), t, &mut lost, &mut each);
                }
                lines.end_batch(batch, &mut lost);
            }
            lines.finish(b"", &mut lost, &mut each);
            prop_assert_eq!(back, bytes);
            prop_assert!(lost.is_none() && lines.unfinished().is_none());
        }
    }

    #[test]
    fn after_a_loss_it_begins_with_the_next_line() {
        let (mut lines, mut lost, mut seen) = (Lines::default(), Lost::default(), Vec::new());
        let (first, second) = (b"one\ntwTW", b"rest\nfour\nfi");
        lines.push(first, 6, 1, &mut lost, |l, _| seen.push(l.to_vec()));
        lines.push(first, 2, 1, &mut lost, |l, _| seen.push(l.to_vec()));
        lines.lose(Lost { frames: 3, bytes: 100 }, &mut lost);
        lines.end_batch(first, &mut lost);
        lines.push(second, second.len(), 2, &mut lost, |l, _| seen.push(l.to_vec()));
        lines.end_batch(second, &mut lost);
        assert_eq!(seen, [b"one".to_vec(), b"four".to_vec()]);
        assert_eq!(lost, Lost { frames: 4, bytes: 109 });
        assert_eq!(lines.unfinished(), Some((2, 2)));
        lines.tell();
        assert_eq!(lines.unfinished(), None);
        lines.lose(Lost { frames: 0, bytes: 1 }, &mut lost);
        lines.push(b"xy", 2, 3, &mut lost, |_, _| panic!());
        lines.finish(b"xy", &mut lost, |_, _| panic!());
        assert_eq!(lost, Lost { frames: 5, bytes: 114 });
        lines.end_batch(b"xy", &mut lost);
        assert_eq!(lost, Lost { frames: 5, bytes: 114 });
    }
}
