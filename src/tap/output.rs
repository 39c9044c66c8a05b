//! The trace file as the recorder writes it: whole lines, as long as there is room, and an account of what found none.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::FlockOperation;

use super::lines::Lost;
use crate::format::native::{Reader, write};
use crate::paths::{self, State};
use crate::wire::frame::{Dir, Event, EventKind, Frame, Micros};

/// The system is asked to take so much at once, so that a disk that is slow can be told from one that hangs.
const PIECE: usize = 1 << 20;

/// Room that frames leave free, so that the gap and the end of the run can still be told when the disk is full.
const RESERVE: u64 = 2048;

/// All directions, in the order of their numbers.
pub const DIRS: [Dir; 3] = [Dir::C2s, Dir::S2c, Dir::Err];

/// How the disk does, for who waits for it.
#[derive(Default, Debug)]
pub struct Progress {
    /// Bytes that it took so far.
    pub bytes: AtomicU64,
    /// Whether it is being asked for something at this moment.
    pub asked: AtomicBool,
}

impl Progress {
    fn ask<T>(&self, what: impl FnOnce() -> T) -> T {
        self.asked.store(true, Ordering::Relaxed);
        let result = what();
        self.asked.store(false, Ordering::Relaxed);
        result
    }
}

/// Where a trace goes.
#[derive(Clone, Debug)]
pub enum Target {
    /// The file that the user named; what is there is appended to.
    File(PathBuf),
    /// A new file in the state folder, under this server's name.
    State(State, String),
}

/// A file that is open for a run, locked where the file system can.
pub struct Opened {
    /// The file, at its end.
    pub file: File,
    /// Where it is.
    pub path: PathBuf,
    /// Bytes in it.
    pub size: u64,
    /// When the trace that is there began (microseconds since 1970), if this run is added to one.
    pub began: Option<Micros>,
    /// Its last line has no end.
    pub torn: bool,
}

/// Opens the trace of a run that began at `started`.
pub fn open(target: &Target, started: jiff::Timestamp, progress: &Progress) -> io::Result<Opened> {
    progress.ask(|| open_locked(target, started))
}

fn open_locked(target: &Target, started: jiff::Timestamp) -> io::Result<Opened> {
    let pid = std::process::id();
    let (file, path) = match target {
        Target::State(state, name) => {
            let (file, path) = state.create_trace(name, started, pid)?;
            lock(&file);
            (file, path)
        }
        Target::File(path) => {
            let file = paths::open_trace(path)?;
            if lock(&file) {
                (file, path.clone())
            } else {
                // Another run writes it at this moment (some hosts start a server twice): two must not mix.
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let beside = path.with_file_name(format!("{stem}-{pid}.jsonl"));
                let file = paths::open_trace(&beside)?;
                lock(&file);
                (file, beside)
            }
        }
    };
    let meta = file.metadata()?;
    let mut opened = Opened { file, path, size: 0, began: None, torn: false };
    // Only a file of the disk has a size and can be read back; a pipe has neither.
    if meta.is_file() && meta.len() > 0 {
        opened.size = meta.len();
        (opened.began, opened.torn) = look_back(&opened.path)?;
    }
    Ok(opened)
}

fn lock(file: &File) -> bool {
    // A file system without locks is no reason not to record.
    rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) != Err(rustix::io::Errno::WOULDBLOCK)
}

/// When the trace in a file began, and whether its last line is torn.
fn look_back(path: &Path) -> io::Result<(Option<Micros>, bool)> {
    let mut file = File::open(path)?;
    let mut reader = Reader::new();
    let mut piece = [0; 16 << 10];
    while reader.line_count() == 0 {
        let n = file.read(&mut piece)?;
        if n == 0 {
            break;
        }
        reader.feed(&piece[..n], &mut |_| {});
    }
    let created = reader.header().and_then(|h| h.created.as_deref()).and_then(|c| c.parse::<jiff::Timestamp>().ok());
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok((created.map(|c| c.as_microsecond()), last[0] != b'\n'))
}

/// Lines that are written together.
#[derive(Default)]
pub struct Page {
    bytes: Vec<u8>,
    ends: Vec<End>,
}

/// One line of a page: where it ends, and what is lost if it is not written. Events are no loss of frames.
struct End {
    at: usize,
    frame: Option<(Dir, u64)>,
}

impl Page {
    /// Adds a frame.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        write::frame(frame, &mut self.bytes);
        self.ends.push(End { at: self.bytes.len(), frame: Some((frame.dir, frame.payload.len() as u64)) });
    }

    /// Adds an event.
    pub fn event(&mut self, t: Micros, conn: u32, kind: EventKind) {
        write::event(&Event { line: 0, t, conn, kind }, &mut self.bytes);
        self.ends.push(End { at: self.bytes.len(), frame: None });
    }

    /// Adds the header line.
    pub fn header(&mut self, header: &crate::format::Header) {
        write::header(header, &mut self.bytes);
        self.ends.push(End { at: self.bytes.len(), frame: None });
    }

    /// Bytes in it.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(4 << 20);
        self.ends.clear();
    }
}

/// Writes pages.
pub struct Output {
    file: File,
    size: u64,
    /// Largest size that the user allows, and the one that the system allows (RLIMIT_FSIZE).
    max: u64,
    limit: Option<u64>,
    sync: bool,
    /// Frames in the file (of this run).
    frames: u64,
    lost: [Lost; 3],
    why: String,
    /// In this state a gap has been told and frames find no room.
    full: bool,
    /// The bound that the user set was reached: it stays so.
    stopped: bool,
    torn: bool,
    progress: Arc<Progress>,
}

impl Output {
    /// Over an open file. `progress` lets somebody see whether the disk still takes something.
    pub fn new(opened: Opened, max: u64, sync: bool, progress: Arc<Progress>) -> Output {
        Output {
            file: opened.file,
            size: opened.size,
            // A file that is there already does not take the room of this run.
            max: max.saturating_add(opened.size),
            limit: rustix::process::getrlimit(rustix::process::Resource::Fsize).current,
            sync,
            frames: 0,
            lost: Default::default(),
            why: String::new(),
            full: false,
            stopped: false,
            torn: opened.torn,
            progress,
        }
    }

    /// Frames written.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes a page and empties it. What finds no room is counted, and told by a `gap` when there is room again, at
    /// once for the first, and at the end.
    pub fn write(&mut self, page: &mut Page, now: Micros) {
        let room = self.room();
        if !self.full && page.bytes.len() as u64 <= room {
            self.put(page, 0, page.ends.len());
        } else {
            self.write_part(page, room, now);
        }
        page.clear();
        if self.sync {
            // If the disk does not take it there is nothing that could be done.
            let _ = self.progress.ask(|| self.file.sync_data());
        }
    }

    /// Writes a large frame without a copy of it; `false`: it has to go through a page.
    pub fn write_large(&mut self, frame: &Frame<'_>) -> bool {
        let mut before = Vec::with_capacity(256);
        let size = frame.payload.len() as u64 + 1024;
        if self.full || self.torn || size > self.room() || !write::frame_before_payload(frame, &mut before) {
            return false;
        }
        let parts = [&before[..], frame.payload, write::TAIL];
        let whole: usize = parts.iter().map(|part| part.len()).sum();
        let (done, failure) = self.put_bytes(&parts);
        if done == whole {
            self.frames += 1;
        } else {
            self.torn = done > 0;
            self.lost[frame.dir as usize].add(Lost { frames: 1, bytes: frame.payload.len() as u64 });
            (self.full, self.why) = (true, failure.unwrap_or_default());
        }
        true
    }

    /// Tells what was lost and not told yet.
    pub fn tell_gaps(&mut self, now: Micros) {
        for dir in DIRS {
            let lost = std::mem::take(&mut self.lost[dir as usize]);
            if lost.is_none() {
                continue;
            }
            let mut page = Page::default();
            let (frames, bytes) = (Some(lost.frames), Some(lost.bytes));
            page.event(now, 1, EventKind::Gap { dir: Some(dir), frames, bytes, why: self.why.clone() });
            if self.put(&page, 0, 1) == 0 {
                self.lost[dir as usize] = lost;
                return;
            }
        }
    }

    /// There is not room for all: frames as long as they fit, events always.
    fn write_part(&mut self, page: &Page, room: u64, now: Micros) {
        if self.full && !self.stopped && room > RESERVE + page.bytes.len() as u64 {
            self.full = false;
            self.tell_gaps(now);
            self.put(page, 0, page.ends.len());
            return;
        }
        let fit = if self.full { 0 } else { page.ends.partition_point(|end| end.at as u64 <= room) };
        let first = !self.full && self.put(page, 0, fit) == fit;
        if !self.full {
            self.full = true;
            self.stopped = self.size + RESERVE >= self.max || page.bytes.len() as u64 + self.size > self.max;
            self.why = if self.stopped {
                "the trace reached its largest size".to_owned()
            } else {
                "no room left on the disk".to_owned()
            };
        }
        for at in fit..page.ends.len() {
            match page.ends[at].frame {
                Some((dir, bytes)) => self.lost[dir as usize].add(Lost { frames: 1, bytes }),
                None => drop(self.put(page, at, at + 1)),
            }
        }
        if first {
            self.tell_gaps(now);
        }
    }

    /// Bytes that frames may take now.
    fn room(&self) -> u64 {
        if self.stopped {
            return 0;
        }
        let mut room = self.max.saturating_sub(self.size);
        if let Some(limit) = self.limit {
            // A tiny limit is shared half and half.
            room = room.min(limit.saturating_sub(self.size).saturating_sub(RESERVE.min(limit / 4)));
        }
        if let Ok(disk) = rustix::fs::fstatvfs(&self.file) {
            // A pipe, or a file system that does not tell, has no blocks at all.
            if disk.f_blocks > 0 {
                room = room.min(disk.f_bavail.saturating_mul(disk.f_frsize).saturating_sub(RESERVE));
            }
        }
        room
    }

    /// Writes lines `from..to` of a page. Returns how far it came; what was not written is counted as lost.
    fn put(&mut self, page: &Page, from: usize, to: usize) -> usize {
        let start = if from == 0 { 0 } else { page.ends[from - 1].at };
        let end = if to == 0 { 0 } else { page.ends[to - 1].at };
        let bytes = &page.bytes[start..end.max(start)];
        if self.torn && !bytes.is_empty() {
            // What was torn stays one line, and the next begins anew.
            match self.file.write(b"\n") {
                Ok(1) => (self.torn, self.size) = (false, self.size + 1),
                _ => return self.failed(page, from, to, "the disk takes nothing".to_owned()),
            }
        }
        let (done, failure) = self.put_bytes(&[bytes]);
        let whole = from + page.ends[from..to].partition_point(|end| end.at <= start + done);
        self.frames += page.ends[from..whole].iter().filter(|end| end.frame.is_some()).count() as u64;
        let Some(why) = failure else { return to };
        let boundary = if whole == 0 { 0 } else { page.ends[whole - 1].at };
        self.torn = start + done > boundary.max(start);
        self.failed(page, whole, to, why)
    }

    /// Writes bytes in pieces. Returns how many, and why not all.
    fn put_bytes(&mut self, parts: &[&[u8]]) -> (usize, Option<String>) {
        let mut total = 0;
        for part in parts {
            let mut rest = *part;
            while !rest.is_empty() {
                let piece = &rest[..rest.len().min(PIECE)];
                match self.progress.ask(|| self.file.write(piece)) {
                    Ok(0) => return (total, Some(io::ErrorKind::WriteZero.to_string())),
                    Ok(n) => {
                        rest = &rest[n..];
                        total += n;
                        self.size += n as u64;
                        self.progress.bytes.fetch_add(n as u64, Ordering::Relaxed);
                    }
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return (total, Some(e.to_string())),
                }
            }
        }
        (total, None)
    }

    fn failed(&mut self, page: &Page, from: usize, to: usize, why: String) -> usize {
        for (dir, bytes) in page.ends[from..to].iter().filter_map(|end| end.frame) {
            self.lost[dir as usize].add(Lost { frames: 1, bytes });
        }
        (self.full, self.why) = (true, why);
        from
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wire::frame::{Eol, Item, Place};

    fn page(frames: usize) -> Page {
        let mut page = Page::default();
        for n in 0..frames {
            let payload = format!("{{\"id\":{n},\"x\":\"{}\"}}", "x".repeat(100));
            let (payload, place) = (payload.as_bytes(), Place::default());
            page.frame(&Frame { line: 0, t: 1, dir: Dir::S2c, conn: 1, payload, eol: Eol::Lf, http: None, place });
        }
        page
    }

    fn read(path: &Path) -> (u64, Vec<EventKind>, usize) {
        let (mut frames, mut events) = (0, Vec::new());
        let mut reader = Reader::new();
        reader.feed(&std::fs::read(path).unwrap(), &mut |item| match item {
            Item::Frame(_) => frames += 1,
            Item::Event(e) => events.push(e.kind),
        });
        assert_eq!(reader.pending(), 0);
        (frames, events, reader.faults().len())
    }

    #[test]
    fn at_its_largest_size_it_stops_and_tells_all_that_is_lost() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let opened = open(&Target::File(path.clone()), jiff::Timestamp::UNIX_EPOCH, &Progress::default()).unwrap();
        let mut output = Output::new(opened, 3000, false, Arc::default());
        for _ in 0..4 {
            output.write(&mut page(10), 5);
        }
        let mut last = Page::default();
        last.event(9, 1, EventKind::Exit { status: Some(0), signal: None });
        output.write(&mut last, 9);
        output.tell_gaps(9);
        let (frames, events, faults) = read(&path);
        assert_eq!((frames, faults), (output.frames(), 0));
        assert!(frames > 10 && frames < 30);
        let lost: u64 =
            events.iter().map(|e| if let EventKind::Gap { frames, .. } = e { frames.unwrap() } else { 0 }).sum();
        assert_eq!(frames + lost, 40);
        assert!(matches!(&events[0], EventKind::Gap { why, .. } if why.contains("largest size")));
        assert!(events.iter().any(|e| matches!(e, EventKind::Exit { .. })));
    }

    #[test]
    fn a_second_run_is_added_and_a_torn_line_stays_one() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        std::fs::write(&path, "{\"mcpscope_trace\":1,\"created\":\"1970-01-01T00:00:01Z\"}\n{\"t\":1,\"di").unwrap();
        let opened = open(&Target::File(path.clone()), jiff::Timestamp::UNIX_EPOCH, &Progress::default()).unwrap();
        assert_eq!((opened.began, opened.torn), (Some(1_000_000), true));
        // While this one is open, another run of the same target goes beside it.
        let other = open(&Target::File(path.clone()), jiff::Timestamp::UNIX_EPOCH, &Progress::default()).unwrap();
        assert_eq!(other.path, temp.path().join(format!("t-{}.jsonl", std::process::id())));
        let mut output = Output::new(opened, 1 << 30, true, Arc::default());
        output.write(&mut page(2), 5);
        assert_eq!(read(&path), (2, vec![], 1));
    }

    #[test]
    fn a_disk_that_fails_costs_what_it_costs_and_no_more() {
        let Ok(full) = std::fs::OpenOptions::new().append(true).open("/dev/full") else {
            return eprintln!("skipped: no /dev/full");
        };
        let opened = Opened { file: full, path: PathBuf::new(), size: 0, began: None, torn: false };
        let mut output = Output::new(opened, 1 << 30, false, Arc::default());
        output.write(&mut page(3), 5);
        output.write(&mut page(3), 6);
        assert_eq!((output.frames(), output.lost[1].frames), (0, 6));
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        output.file = paths::open_trace(&path).unwrap();
        output.write(&mut page(3), 7);
        let (frames, events, faults) = read(&path);
        assert_eq!((frames, events.len(), faults), (3, 1, 0));
        assert!(matches!(&events[0], EventKind::Gap { frames: Some(6), dir: Some(Dir::S2c), .. }));
    }
}
