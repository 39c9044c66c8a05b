//! The recorder: a thread that takes what the pumps left, cuts it into frames and writes the trace.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::clock::{Clock, Drift, format_wall};
use super::http::scribe::Scribe;
use super::lines::{Lines, Lost};
use super::memory;
use super::output::{DIRS, Output, Page, Progress, Target, open};
use super::record::Record;
use super::shared::{Batch, Mark, Shared, Woken};
use crate::format::Header;
use crate::paths::{self, Retention, State};
use crate::wire::frame::{Dir, EventKind, Frame, Item, Micros, Place};

/// A line unfinished, or a write not taken, for longer than this is told.
const STUCK: Micros = 1_000_000;

/// Pages of this size are written within a batch, so that a large batch needs no large copy of itself.
const PAGE: usize = 512 << 10;

/// A payload of this size is written from where it is.
const LARGE: usize = 128 << 10;

/// At the end of a run a disk that is slow is waited for so long.
const LONGEST: Duration = Duration::from_secs(10);

/// A run that lasts so long may tidy up old traces; a short one leaves that to others.
const TIDY_AFTER: Duration = Duration::from_secs(3);

/// The recorder as others see it.
pub struct Spool {
    shared: Arc<Shared>,
    path: Arc<OnceLock<Result<PathBuf, String>>>,
    opened: Receiver<()>,
    done: Receiver<()>,
    progress: Arc<Progress>,
}

impl Spool {
    /// Starts the thread. It also opens the file: a disk that hangs holds nobody up but the recorder.
    pub fn start(record: Record, clock: Clock) -> std::io::Result<Spool> {
        let shared = Arc::new(Shared::new(clock));
        let path = Arc::new(OnceLock::new());
        let progress = Arc::<Progress>::default();
        let (opened_tx, opened) = sync_channel(1);
        let (done_tx, done) = sync_channel(1);
        let spool = Spool { shared: shared.clone(), path: path.clone(), opened, done, progress: progress.clone() };
        thread::Builder::new().name("recorder".into()).spawn(move || {
            yield_to_the_wire();
            run(record, &shared, &path, opened_tx, &progress);
            // Whoever waits may have left.
            let _ = done_tx.send(());
        })?;
        Ok(spool)
    }

    /// What the pumps append to.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Where the trace is, once it is open; or why it could not be opened.
    pub fn path(&self) -> Option<&Result<PathBuf, String>> {
        self.path.get()
    }

    /// Waits until the file is open, or cannot be.
    pub fn wait_open(&self, at_most: Duration) -> Option<&Result<PathBuf, String>> {
        let _ = self.opened.recv_timeout(at_most);
        self.path.get()
    }

    /// Nothing more will come: waits until all is written, unless the disk takes nothing for as long as `patience`; and
    /// `LONGEST` in all. `false`: it was given up.
    pub fn finish(&self, patience: Duration) -> bool {
        self.shared.close();
        let end = Instant::now() + LONGEST;
        let mut seen = self.progress.bytes.load(Ordering::Relaxed);
        loop {
            match self.done.recv_timeout(patience) {
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => {
                    let now = self.progress.bytes.load(Ordering::Relaxed);
                    let hangs = now == seen && self.progress.asked.load(Ordering::Relaxed);
                    if hangs || Instant::now() > end {
                        return false;
                    }
                    seen = now;
                }
            }
        }
    }
}

/// Where the processors are busy, the pumps go first: the recorder has a buffer to fall behind in, a wire has none. On Linux
/// the nice value is that of the calling thread; elsewhere it would be that of the whole process and is left alone.
fn yield_to_the_wire() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

fn run(
    record: Record,
    shared: &Shared,
    path: &OnceLock<Result<PathBuf, String>>,
    told: SyncSender<()>,
    progress: &Arc<Progress>,
) {
    let clock = *shared.clock();
    shared.set_ceiling(memory::ceiling(record.max_bytes));
    let opened = open(&record.target, clock.created(), progress);
    let _ = path.set(opened.as_ref().map(|o| o.path.clone()).map_err(ToString::to_string));
    let opened = match opened {
        Ok(opened) => opened,
        Err(_) => {
            shared.deafen();
            let _ = told.send(());
            return;
        }
    };
    // A run that is added to a trace goes on with its clock.
    let shift = opened.began.map_or(0, |began| clock.created().as_microsecond() - began);
    let mut page = Page::default();
    if opened.began.is_none() {
        let created = Some(format_wall(clock.created()));
        let tool = Some(concat!("mcpscope ", env!("CARGO_PKG_VERSION")).to_owned());
        page.header(&Header { version: 1, created, tool, ..record.header });
    }
    let mut recorder = Recorder {
        shared,
        out: Output::new(opened, record.max_bytes, record.sync, progress.clone()),
        page,
        lines: Default::default(),
        lost: Default::default(),
        blocked: [0; 3],
        drift: Drift::new(&clock),
        shift,
        scribe: Scribe::new(record.max_body),
    };
    recorder.flush();
    let _ = told.send(());
    recorder.work(match record.target {
        Target::State(state, _) => Some(state),
        Target::File(_) => None,
    });
}

struct Recorder<'a> {
    shared: &'a Shared,
    out: Output,
    page: Page,
    lines: [Lines; 3],
    lost: [Lost; 3],
    /// The write in each direction that has been told as blocked, by its beginning.
    blocked: [Micros; 3],
    drift: Drift,
    /// Added to each time.
    shift: Micros,
    scribe: Scribe,
}

impl Recorder<'_> {
    fn work(&mut self, mut tidy: Option<State>) {
        let mut batch = Batch::default();
        let tidy_at = Instant::now() + TIDY_AFTER;
        let mut until = tidy.as_ref().map(|_| tidy_at);
        loop {
            let woken = self.shared.take(&mut batch, until);
            if woken == Woken::Closed {
                break;
            }
            self.process(&mut batch);
            batch.clear();
            let due = self.look_at_what_is_stuck();
            self.flush();
            if Instant::now() >= tidy_at
                && let Some(state) = tidy.take()
            {
                tidy_up(&state);
            }
            until = due.into_iter().chain(tidy.as_ref().map(|_| tidy_at)).min();
        }
        for dir in DIRS {
            self.end_of(dir, self.shared.clock().now(), b"");
        }
        self.tell_lost();
        self.flush();
        let now = self.shared.clock().now() + self.shift;
        self.out.tell_gaps(now);
        self.page.event(now, 1, EventKind::End { frames: Some(self.out.frames()) });
        self.flush();
    }

    fn process(&mut self, batch: &mut Batch) {
        let Batch { bytes, marks, .. } = batch;
        for mark in marks.drain(..) {
            match mark {
                Mark::Bytes { dir, t, len } => self.bytes(dir, t, &bytes[dir as usize], len),
                Mark::Lost { dir, bytes, lines } => {
                    let i = dir as usize;
                    self.lines[i].lose(Lost { frames: lines, bytes }, &mut self.lost[i]);
                }
                Mark::Eof { dir, t } => {
                    self.end_of(dir, t, &bytes[dir as usize]);
                    self.page.event(t + self.shift, 1, EventKind::Eof { of: dir });
                }
                Mark::Event { t, conn, kind } => self.page.event(t + self.shift, conn, kind),
                Mark::Part { t, part } => {
                    let page = &mut self.page;
                    self.scribe.take(*part, t + self.shift, &mut |item| match item {
                        Item::Frame(frame) => page.frame(&frame),
                        Item::Event(event) => page.event(event.t, event.conn, event.kind),
                    });
                    self.flush_large();
                }
            }
        }
        for (i, bytes) in bytes.iter().enumerate() {
            self.lines[i].end_batch(bytes, &mut self.lost[i]);
        }
        self.tell_lost();
    }

    fn bytes(&mut self, dir: Dir, t: Micros, batch: &[u8], len: usize) {
        let i = dir as usize;
        let (page, out, t_shifted) = (&mut self.page, &mut self.out, t + self.shift);
        self.lines[i].push(batch, len, t, &mut self.lost[i], |payload, eol| {
            let place = Place::default();
            let frame = Frame { line: 0, t: t_shifted, dir, conn: 1, payload, eol, http: None, place };
            if payload.len() >= LARGE {
                // What came before it stands before it.
                if !page.is_empty() {
                    out.write(page, t_shifted);
                }
                if out.write_large(&frame) {
                    return;
                }
            }
            page.frame(&frame);
            if page.len() > PAGE {
                out.write(page, t_shifted);
            }
        });
    }

    fn end_of(&mut self, dir: Dir, t: Micros, batch: &[u8]) {
        let i = dir as usize;
        let (page, t) = (&mut self.page, t + self.shift);
        self.lines[i].finish(batch, &mut self.lost[i], |payload, eol| {
            page.frame(&Frame { line: 0, t, dir, conn: 1, payload, eol, http: None, place: Place::default() });
        });
    }

    /// A gap for what could not be kept until now.
    fn tell_lost(&mut self) {
        let now = self.shared.clock().now() + self.shift;
        for (dir, lost) in DIRS.into_iter().zip(&mut self.lost) {
            let Lost { frames, bytes } = std::mem::take(lost);
            if frames > 0 || bytes > 0 {
                let why = "more came at once than could be recorded".to_owned();
                self.page.event(
                    now,
                    1,
                    EventKind::Gap { dir: Some(dir), frames: Some(frames), bytes: Some(bytes), why },
                );
            }
        }
    }

    /// Tells lines that do not end and writes that are not taken. Returns when to look again.
    fn look_at_what_is_stuck(&mut self) -> Option<Instant> {
        let now = self.shared.clock().now();
        let mut next: Option<Micros> = None;
        for dir in DIRS {
            let i = dir as usize;
            if let Some((since, bytes)) = self.lines[i].unfinished() {
                if now - since >= STUCK {
                    self.lines[i].tell();
                    let since = since + self.shift;
                    self.page.event(now + self.shift, 1, EventKind::Partial { dir, bytes, since });
                } else {
                    next = Some(next.map_or(since, |n| n.min(since)));
                }
            }
            if let Some(since) = self.shared.writing_since(dir).filter(|since| *since != self.blocked[i]) {
                if now - since >= STUCK {
                    self.blocked[i] = since;
                    self.page.event(now + self.shift, 1, EventKind::Blocked { dir, since: since + self.shift });
                } else {
                    next = Some(next.map_or(since, |n| n.min(since)));
                }
            }
        }
        if let Some(wall) = self.drift.jumped(now, jiff::Timestamp::now()) {
            self.page.event(now + self.shift, 1, EventKind::Clock { wall });
        }
        let left = |since: Micros| Duration::from_micros(u64::try_from(since + STUCK - now).unwrap_or(0));
        next.map(|since| Instant::now() + left(since))
    }

    fn flush_large(&mut self) {
        if self.page.len() > PAGE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.page.is_empty() {
            let now = self.shared.clock().now() + self.shift;
            self.out.write(&mut self.page, now);
        }
    }
}

/// Removes old traces, at most once an hour for all taps together.
fn tidy_up(state: &State) {
    let stamp = state.root.join("pruned");
    let recent = std::fs::metadata(&stamp).and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
    if recent.is_some_and(|age| age < Duration::from_secs(3600)) {
        return;
    }
    // A stamp that cannot be written means that nothing else can be, either.
    if let Ok(file) = paths::open_trace(&stamp)
        && file.set_modified(std::time::SystemTime::now()).is_ok()
    {
        paths::prune(state, Retention::default(), std::time::SystemTime::now(), false);
    }
}
