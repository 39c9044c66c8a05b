//! The buffer between the wire and the recorder.
//!
//! A pump appends what it read and writes it on; it waits for nothing but this lock, and nobody holds this lock while
//! doing anything but copying bytes or swapping buffers. The recorder takes everything at once, at most each 20 ms, so
//! that the wire wakes it once a batch and not once a message. What the recorder does not take in time is not kept beyond
//! a ceiling ([`Shared::set_ceiling`]): it is counted, and the trace says so.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::http::part::Part;
use crate::wire::frame::{Dir, EventKind, Micros};

/// How long the recorder collects before it writes: shorter batches cost the wire more, longer ones lose more when the
/// tap is killed.
pub const BATCH: Duration = Duration::from_millis(20);

/// Bytes that wait for the recorder at most, until it has seen how much memory there is.
pub const CEILING: usize = 64 << 20;

/// So many bytes are written without waiting for the end of the batch: they still are in the processor's cache.
const EARLY: usize = 1 << 20;

/// Buffers above this are given back when a batch did not need them.
const KEEP: usize = 4 << 20;

/// What happened, in order. Bytes of stdio stand in the buffer of their direction.
#[derive(Debug)]
pub enum Mark {
    /// So many bytes were read.
    Bytes {
        /// Which way.
        dir: Dir,
        /// When.
        t: Micros,
        /// How many.
        len: usize,
    },
    /// Bytes that found no room here.
    Lost {
        /// Which way.
        dir: Dir,
        /// How many.
        bytes: u64,
        /// How many of them were line feeds.
        lines: u64,
    },
    /// The direction ended.
    Eof {
        /// Which one.
        dir: Dir,
        /// When.
        t: Micros,
    },
    /// An event.
    Event {
        /// When.
        t: Micros,
        /// Connection.
        conn: u32,
        /// What.
        kind: EventKind,
    },
    /// A piece of an HTTP exchange.
    Part {
        /// When it passed.
        t: Micros,
        /// What it is.
        part: Box<Part>,
    },
}

/// What the recorder takes at once.
#[derive(Default, Debug)]
pub struct Batch {
    /// Bytes by direction (`Dir as usize`).
    pub bytes: [Vec<u8>; 3],
    /// What happened, in order.
    pub marks: Vec<Mark>,
    /// All bytes, those of whole frames too.
    size: usize,
}

impl Batch {
    /// Empties it for the next use and gives back memory that is far more than was needed.
    pub fn clear(&mut self) {
        for bytes in &mut self.bytes {
            let needed = bytes.len();
            bytes.clear();
            if bytes.capacity() > KEEP && needed < bytes.capacity() / 4 {
                bytes.shrink_to(KEEP);
            }
        }
        self.marks.clear();
        self.size = 0;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorder {
    /// Does something else.
    Busy,
    /// Collects until its batch is old enough.
    Collecting,
    /// Has nothing to do until somebody tells it.
    Idle,
}

struct Inner {
    batch: Batch,
    recorder: Recorder,
    urgent: bool,
    closed: bool,
    /// Nobody records any more: nothing is kept.
    deaf: bool,
}

/// Shared by the pumps and the recorder.
pub struct Shared {
    clock: Clock,
    inner: Mutex<Inner>,
    wake: Condvar,
    /// Bytes by direction, each under a lock of its own: two pumps that copy at once do not wait for each other. A mark is
    /// pushed after its bytes, so that the recorder never finds a mark without them.
    bytes: [Mutex<Vec<u8>>; 3],
    /// Bytes that wait for the recorder, and how many may.
    size: AtomicUsize,
    ceiling: AtomicUsize,
    /// When the write that goes on in a direction began; 0: there is none. Told beside the lock: it changes twice a read.
    writing: [AtomicI64; 3],
}

/// What the recorder was woken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// There is a batch.
    Batch,
    /// Nothing came until the time that was given.
    Timer,
    /// Nothing will come any more.
    Closed,
}

impl Shared {
    /// Empty.
    pub fn new(clock: Clock) -> Shared {
        let inner =
            Inner { batch: Batch::default(), recorder: Recorder::Busy, urgent: false, closed: false, deaf: false };
        Shared {
            clock,
            inner: Mutex::new(inner),
            wake: Condvar::new(),
            bytes: Default::default(),
            size: AtomicUsize::new(0),
            ceiling: AtomicUsize::new(CEILING),
            writing: Default::default(),
        }
    }

    /// So many bytes may wait for the recorder from now on.
    pub fn set_ceiling(&self, bytes: usize) {
        self.ceiling.store(bytes, Ordering::Relaxed);
    }

    /// The trace's clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A panic elsewhere must not stop the wire: what the lock guards is never left half done.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so many more bytes may wait for the recorder; they count from now on.
    fn reserve(&self, more: usize) -> bool {
        let before = self.size.fetch_add(more, Ordering::Relaxed);
        let fits = before + more <= self.ceiling.load(Ordering::Relaxed);
        if !fits {
            self.size.fetch_sub(more, Ordering::Relaxed);
        }
        fits
    }

    /// Takes note of bytes that were read, before they are written on.
    pub fn append(&self, dir: Dir, bytes: &[u8]) {
        let fits = self.reserve(bytes.len());
        if fits {
            let mut kept = self.bytes[dir as usize].lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(bytes);
        }
        let mut inner = self.lock();
        let t = self.clock.now();
        self.writing[dir as usize].store(t.max(1), Ordering::Relaxed);
        if inner.deaf {
            // `deafen` may have emptied the buffer before these bytes came.
            drop(inner);
            self.forget(dir);
            return;
        }
        if fits {
            match inner.batch.marks.last_mut() {
                // A large message comes in many pieces: one mark for those of the same time.
                Some(Mark::Bytes { dir: same, t: then, len }) if *same == dir && *then == t => *len += bytes.len(),
                _ => inner.batch.marks.push(Mark::Bytes { dir, t, len: bytes.len() }),
            }
        } else {
            let lost = (bytes.len() as u64, memchr::memchr_iter(b'\n', bytes).count() as u64);
            match inner.batch.marks.last_mut() {
                Some(Mark::Lost { dir: same, bytes, lines }) if *same == dir => {
                    *bytes += lost.0;
                    *lines += lost.1;
                }
                _ => inner.batch.marks.push(Mark::Lost { dir, bytes: lost.0, lines: lost.1 }),
            }
        }
        self.tell(inner);
    }

    /// Empties the buffer of a direction that nobody records.
    fn forget(&self, dir: Dir) {
        let mut kept = self.bytes[dir as usize].lock().unwrap_or_else(PoisonError::into_inner);
        self.size.fetch_sub(kept.len(), Ordering::Relaxed);
        *kept = Vec::new();
    }

    /// The bytes that were read last have been written on, or never will be.
    pub fn written(&self, dir: Dir) {
        self.writing[dir as usize].store(0, Ordering::Relaxed);
    }

    /// Since when a write goes on.
    pub fn writing_since(&self, dir: Dir) -> Option<Micros> {
        Some(self.writing[dir as usize].load(Ordering::Relaxed)).filter(|t| *t != 0)
    }

    /// A direction ended.
    pub fn eof(&self, dir: Dir) {
        self.push(|t| Mark::Eof { dir, t });
    }

    /// Something happened.
    pub fn event(&self, conn: u32, kind: EventKind) {
        self.push(|t| Mark::Event { t, conn, kind });
    }

    /// A piece of an HTTP exchange, before it is sent on; its time is that of this call.
    pub fn part(&self, mut part: Part) {
        let mut inner = self.lock();
        if inner.deaf {
            return;
        }
        let size = part.size();
        if !self.reserve(size) {
            part.drop_bytes();
            self.size.fetch_add(part.size(), Ordering::Relaxed);
        }
        inner.batch.size += part.size();
        let t = self.clock.now();
        inner.batch.marks.push(Mark::Part { t, part: Box::new(part) });
        self.tell(inner);
    }

    fn push(&self, mark: impl FnOnce(Micros) -> Mark) {
        let mut inner = self.lock();
        if !inner.deaf {
            let mark = mark(self.clock.now());
            inner.batch.marks.push(mark);
            self.tell(inner);
        }
    }

    /// Wakes the recorder if it sleeps without end, or if there is so much that it had better begin.
    fn tell(&self, mut inner: MutexGuard<'_, Inner>) {
        let early =
            inner.recorder == Recorder::Collecting && !inner.urgent && self.size.load(Ordering::Relaxed) >= EARLY;
        let wake = early || inner.recorder == Recorder::Idle;
        inner.urgent |= early;
        if inner.recorder == Recorder::Idle {
            inner.recorder = Recorder::Busy;
        }
        drop(inner);
        if wake {
            self.wake.notify_one();
        }
    }

    /// Nothing will come any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    /// Keeps nothing from now on: there is nobody to write it.
    pub fn deafen(&self) {
        let mut inner = self.lock();
        inner.deaf = true;
        inner.batch = Batch::default();
        drop(inner);
        for dir in [Dir::C2s, Dir::S2c, Dir::Err] {
            self.forget(dir);
        }
    }

    /// Waits for the next batch and swaps it with `batch`, which must be empty. Collects for [`BATCH`] first. `until`: when
    /// to come back although nothing happened.
    pub fn take(&self, batch: &mut Batch, until: Option<Instant>) -> Woken {
        let mut inner = self.collect(self.lock());
        while inner.batch.marks.is_empty() && !inner.closed {
            inner.recorder = Recorder::Idle;
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => inner = self.wake.wait(inner).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    inner.recorder = Recorder::Busy;
                    return Woken::Timer;
                }
                Some(left) => inner = self.wake.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0,
            }
            if !inner.batch.marks.is_empty() {
                inner = self.collect(inner);
            }
        }
        inner.recorder = Recorder::Busy;
        inner.urgent = false;
        if inner.batch.marks.is_empty() {
            return Woken::Closed;
        }
        std::mem::swap(&mut inner.batch, batch);
        drop(inner);
        self.collect_bytes(batch);
        Woken::Batch
    }

    /// Gives a batch the bytes of its marks. A pump may have put more there since, whose mark is in the next batch.
    fn collect_bytes(&self, batch: &mut Batch) {
        let mut marked = [0; 3];
        for mark in &batch.marks {
            if let Mark::Bytes { dir, len, .. } = mark {
                marked[*dir as usize] += len;
            }
        }
        for (at, len) in marked.into_iter().enumerate() {
            let mut kept = self.bytes[at].lock().unwrap_or_else(PoisonError::into_inner);
            // The recorder's buffer is empty: it becomes the pump's, and the other way round.
            std::mem::swap(&mut *kept, &mut batch.bytes[at]);
            if batch.bytes[at].len() > len {
                kept.extend_from_slice(&batch.bytes[at][len..]);
                drop(kept);
                batch.bytes[at].truncate(len);
            }
        }
        let taken = batch.size + marked.iter().sum::<usize>();
        batch.size = taken;
        self.size.fetch_sub(taken, Ordering::Relaxed);
    }

    fn collect<'a>(&self, mut inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        inner.recorder = Recorder::Collecting;
        if self.size.load(Ordering::Relaxed) >= EARLY {
            return inner;
        }
        let more = |inner: &mut Inner| !inner.urgent && !inner.closed;
        self.wake.wait_timeout_while(inner, BATCH, more).unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_batch_holds_what_came_in_order() {
        let shared = Shared::new(Clock::start());
        shared.append(Dir::C2s, b"ab");
        shared.append(Dir::S2c, b"x");
        shared.append(Dir::C2s, b"c\n");
        shared.eof(Dir::C2s);
        let mut batch = Batch::default();
        assert_eq!(shared.take(&mut batch, None), Woken::Batch);
        assert_eq!((&batch.bytes[0][..], &batch.bytes[1][..]), (&b"abc\n"[..], &b"x"[..]));
        let times: Vec<_> = batch
            .marks
            .iter()
            .map(|m| match m {
                Mark::Bytes { t, .. } | Mark::Eof { t, .. } => *t,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(times.is_sorted());
        assert_eq!(shared.writing_since(Dir::C2s), Some(times[2].max(1)));
        shared.written(Dir::C2s);
        assert_eq!(shared.writing_since(Dir::C2s), None);
        batch.clear();
        assert_eq!(shared.take(&mut batch, Some(Instant::now())), Woken::Timer);
        shared.close();
        assert_eq!(shared.take(&mut batch, None), Woken::Closed);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let shared = Shared::new(Clock::start());
        let block = vec![b'\n'; CEILING / 2];
        for _ in 0..4 {
            shared.append(Dir::S2c, &block);
        }
        let mut batch = Batch::default();
        assert_eq!(shared.take(&mut batch, None), Woken::Batch);
        assert_eq!(batch.bytes[1].len(), CEILING);
        let Some(Mark::Lost { dir: Dir::S2c, bytes, lines }) = batch.marks.last() else { panic!() };
        assert_eq!((*bytes, *lines), (CEILING as u64, CEILING as u64));
        shared.deafen();
        shared.append(Dir::S2c, b"x");
        shared.close();
        batch.clear();
        assert_eq!(shared.take(&mut batch, None), Woken::Closed);
    }

    #[test]
    fn an_idle_recorder_is_woken() {
        let shared = Arc::new(Shared::new(Clock::start()));
        let recorder = std::thread::spawn({
            let shared = shared.clone();
            move || {
                let mut seen = 0;
                let mut batch = Batch::default();
                while shared.take(&mut batch, None) == Woken::Batch {
                    seen += batch.bytes[0].len();
                    batch.clear();
                }
                seen
            }
        });
        // Whichever way the two meet (recorder idle, collecting or busy), nothing is left behind.
        for _ in 0..5 {
            while shared.lock().recorder != Recorder::Idle {
                std::thread::yield_now();
            }
            for _ in 0..100 {
                shared.append(Dir::C2s, b"0123456789");
            }
        }
        shared.close();
        assert_eq!(recorder.join().unwrap(), 5000);
    }
}
