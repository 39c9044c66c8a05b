//! A trace that is read in a thread of its own, and followed while it grows. Readers lock the store for the time of one
//! look; the thread holds the lock for small pieces only, so that a screen never waits for a whole file.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::analysis::Analyzer;
use crate::error::{Failure, Result};
use crate::format::Header;
use crate::format::native::Reader;
use crate::rules::Options;
use crate::trace::{Source, Store};

use super::load;

/// Bytes that are analysed under one lock: about a millisecond of work.
const PIECE: usize = 64 << 10;
/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;
/// How often a growing file is looked at. Following costs one `stat` each time.
const POLL: Duration = Duration::from_millis(50);
/// A live wire that is quiet this long: what waits for more is judged by what is known.
const QUIET: Duration = Duration::from_millis(400);

/// A file that grows without our lock and is quiet this long has ended, until it grows again.
const STALE: Duration = Duration::from_secs(3);
/// A file that nobody has written to for this long is not watched any more.
const GIVE_UP: Duration = Duration::from_secs(600);

/// How far the reading has come.
#[derive(Clone, Default, Debug)]
pub struct Progress {
    /// Bytes read.
    pub read: u64,
    /// Bytes there are, as far as known.
    pub size: u64,
    /// The file has been read to its end (and is followed, if it is live).
    pub caught_up: bool,
    /// A tap writes it now.
    pub live: bool,
    /// Nothing will come any more.
    pub ended: bool,
    /// What the file says of itself.
    pub header: Option<Header>,
    /// Lines that are no records.
    pub faults: u64,
    /// Why reading stopped, if it failed.
    pub failed: Option<String>,
    /// What the user should know about a file in a foreign format.
    pub notes: Vec<String>,
}

type Waker = Box<dyn Fn() + Send + Sync>;

struct Shared {
    store: RwLock<Store>,
    source: RwLock<Source>,
    progress: Mutex<Progress>,
    waker: Mutex<Option<Waker>>,
    stop: AtomicBool,
    nap: Condvar,
}

/// A trace in the background.
pub struct Feed {
    path: PathBuf,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Feed {
    /// Opens a trace and begins to read it; `-` is standard input. Returns before anything is analysed.
    ///
    /// # Errors
    /// When the file cannot be opened or is no trace in a known format.
    pub fn open(path: &Path, options: Options) -> Result<Feed> {
        Feed::open_as(path, None, options)
    }

    /// The same in the format of that name, instead of the one that the content shows.
    ///
    /// # Errors
    /// As [`Feed::open`]; and when there is no format of that name.
    pub fn open_as(path: &Path, from: Option<&str>, options: Options) -> Result<Feed> {
        if from.is_some() {
            return Ok(Feed::still(path, super::load_as(path, from, options)?));
        }
        let unreadable = |e: io::Error| Failure::new(format!("cannot read {}: {e}", path.display()));
        let (input, source) = if path == Path::new("-") {
            (Input::Stdin, Source::Memory(Vec::new()))
        } else {
            let mut file = File::open(path).map_err(unreadable)?;
            let mut head = vec![0; 64 << 10];
            let n = file.read(&mut head).map_err(unreadable)?;
            head.truncate(n);
            if load::packing(&head).is_some() || (n > 0 && !Reader::sniff(&head)) {
                let loaded = super::load(path, options)?;
                return Ok(Feed::still(path, loaded));
            }
            let again = File::open(path).map_err(unreadable)?;
            (Input::File(again), Source::File(file))
        };
        let shared = Arc::new(Shared::new(source));
        let thread = {
            let (shared, path) = (Arc::clone(&shared), path.to_path_buf());
            std::thread::Builder::new()
                .name("analysis".into())
                .spawn(move || Worker::new(&shared, &path, options).run(input))
                .map_err(unreadable)?
        };
        Ok(Feed { path: path.into(), shared, thread: Some(thread) })
    }

    /// A trace that was loaded whole.
    pub fn still(path: &Path, loaded: super::Loaded) -> Feed {
        let shared = Shared::new(loaded.source);
        let faults = loaded.fault_count;
        *shared.store.write().unwrap_or_else(PoisonError::into_inner) = loaded.store;
        *lock(&shared.progress) = Progress {
            caught_up: true,
            ended: true,
            header: loaded.header,
            faults,
            notes: loaded.notes,
            ..Progress::default()
        };
        Feed { path: path.into(), shared: Arc::new(shared), thread: None }
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The store, for the time of one look.
    pub fn store(&self) -> RwLockReadGuard<'_, Store> {
        self.shared.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes, for the time of one look.
    pub fn source(&self) -> RwLockReadGuard<'_, Source> {
        self.shared.source.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the reading has come.
    pub fn progress(&self) -> Progress {
        lock(&self.shared.progress).clone()
    }

    /// What to call when something has changed, from the reading thread: it must return at once.
    pub fn on_change(&self, waker: impl Fn() + Send + Sync + 'static) {
        *lock(&self.shared.waker) = Some(Box::new(waker));
        self.shared.wake();
    }

    /// Waits until the file has been read to its end, at most that long. True if it has.
    pub fn wait_caught_up(&self, most: Duration) -> bool {
        let mut waited = Duration::ZERO;
        while waited < most {
            if lock(&self.shared.progress).caught_up {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
            waited += Duration::from_millis(2);
        }
        false
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.nap.notify_all();
        // A thread that waits in a read of standard input cannot be woken: it ends with the process.
        if self.path != Path::new("-") {
            if let Some(thread) = self.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl Shared {
    fn new(source: Source) -> Shared {
        Shared {
            store: RwLock::new(Store::new()),
            source: RwLock::new(source),
            progress: Mutex::new(Progress::default()),
            waker: Mutex::new(None),
            stop: AtomicBool::new(false),
            nap: Condvar::new(),
        }
    }

    fn wake(&self) {
        if let Some(waker) = lock(&self.waker).as_ref() {
            waker();
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Input {
    File(File),
    Stdin,
}

struct Worker<'a> {
    shared: &'a Shared,
    path: &'a Path,
    options: Options,
    reader: Reader,
    analyzer: Option<Analyzer>,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared, path: &'a Path, options: Options) -> Worker<'a> {
        Worker { shared, path, options, reader: Reader::new(), analyzer: None }
    }

    fn run(mut self, input: Input) {
        let result = match input {
            Input::File(file) => self.file(file),
            Input::Stdin => self.stdin(),
        };
        let mut progress = lock(&self.shared.progress);
        progress.failed = result.err().map(|e| e.to_string());
        progress.caught_up = true;
        progress.ended = true;
        progress.live = false;
        drop(progress);
        self.shared.wake();
    }

    /// Analyses bytes in small pieces, each under its own lock.
    fn feed(&mut self, bytes: &[u8]) {
        if self.analyzer.is_none() && !bytes.is_empty() {
            let (analyzer, fresh) = load::analysis(bytes, self.options.clone());
            self.shared.store.write().unwrap_or_else(PoisonError::into_inner).timeless = fresh.timeless;
            self.analyzer = Some(analyzer);
        }
        let Some(analyzer) = self.analyzer.as_mut() else { return };
        for piece in bytes.chunks(PIECE) {
            {
                let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
                self.reader.feed(piece, &mut |item| analyzer.push(&mut store, item));
            }
            lock(&self.shared.progress).read += piece.len() as u64;
            self.shared.wake();
            if self.shared.stopped() {
                return;
            }
        }
        let mut progress = lock(&self.shared.progress);
        progress.header = self.reader.header().cloned();
        progress.faults = self.reader.fault_count();
    }

    fn finish(&mut self) {
        let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(analyzer) = self.analyzer.as_mut() {
            self.reader.finish(&mut |item| analyzer.push(&mut store, item));
            analyzer.finish(&mut store);
        }
        drop(store);
        lock(&self.shared.progress).faults = self.reader.fault_count();
    }

    fn settle(&mut self) {
        let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(analyzer) = self.analyzer.as_mut() {
            analyzer.settle(&mut store);
        }
    }

    fn file(&mut self, mut file: File) -> io::Result<()> {
        let mut block = vec![0; BLOCK];
        let mut total: u64 = 0;
        let mut quiet = Duration::ZERO;
        let mut settled = true;
        let mut grows = false;
        loop {
            if self.shared.stopped() {
                return Ok(());
            }
            let n = file.read(&mut block)?;
            if n > 0 {
                total += n as u64;
                lock(&self.shared.progress).size = file.metadata().map_or(total, |m| m.len());
                self.feed(&block[..n]);
                quiet = Duration::ZERO;
                settled = false;
                continue;
            }
            let size = file.metadata().map_or(total, |m| m.len());
            if size < total {
                return Err(io::Error::other("the file was cut while it was being read"));
            }
            let live = crate::paths::is_live(self.path);
            let newly = {
                let mut progress = lock(&self.shared.progress);
                let newly = !progress.caught_up || progress.live != live;
                progress.caught_up = true;
                progress.live = live;
                newly
            };
            if !live {
                // The writer may have written its last lines between our read and its exit.
                let n = file.read(&mut block)?;
                if n > 0 {
                    self.feed(&block[..n]);
                    continue;
                }
                if !grows || quiet >= STALE {
                    self.finish();
                    self.say_ended();
                    if !self.wait_for_growth(&file, total) {
                        return Ok(());
                    }
                    // Somebody without our lock goes on writing: what was judged as the end was none.
                    self.restart();
                    file = File::open(self.path)?;
                    (total, grows) = (0, true);
                    continue;
                }
            }
            if newly {
                self.shared.wake();
            }
            if quiet >= QUIET && !settled {
                self.settle();
                settled = true;
                self.shared.wake();
            }
            let progress = lock(&self.shared.progress);
            let _ = self.shared.nap.wait_timeout(progress, POLL);
            quiet += POLL;
        }
    }

    fn say_ended(&self) {
        lock(&self.shared.progress).ended = true;
        self.shared.wake();
    }

    /// Waits until the file is longer than what was read. False if nobody is likely to write any more.
    fn wait_for_growth(&self, file: &File, read: u64) -> bool {
        loop {
            let Ok(meta) = file.metadata() else { return false };
            if meta.len() > read {
                return true;
            }
            let age = meta.modified().ok().and_then(|t| t.elapsed().ok());
            if age.is_none_or(|age| age > GIVE_UP) || self.shared.stopped() {
                return false;
            }
            let progress = lock(&self.shared.progress);
            let _ = self.shared.nap.wait_timeout(progress, POLL * 5);
        }
    }

    fn restart(&mut self) {
        self.reader = Reader::new();
        self.analyzer = None;
        *self.shared.store.write().unwrap_or_else(PoisonError::into_inner) = Store::new();
        let mut progress = lock(&self.shared.progress);
        (progress.read, progress.ended) = (0, false);
    }

    /// Something else than a native trace came through standard input: it is read whole.
    fn foreign(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let size = bytes.len() as u64;
        let loaded = load::unpack(bytes, self.path)
            .and_then(|bytes| load::from_bytes(self.path, bytes, None, self.options.clone()))
            .map_err(|failure| io::Error::other(failure.to_string()))?;
        *self.shared.source.write().unwrap_or_else(PoisonError::into_inner) = loaded.source;
        *self.shared.store.write().unwrap_or_else(PoisonError::into_inner) = loaded.store;
        let mut progress = lock(&self.shared.progress);
        (progress.read, progress.size) = (size, size);
        (progress.header, progress.faults, progress.notes) = (loaded.header, loaded.fault_count, loaded.notes);
        Ok(())
    }

    fn stdin(&mut self) -> io::Result<()> {
        let mut block = vec![0; PIECE];
        let mut stdin = io::stdin().lock();
        let mut first = true;
        loop {
            let n = stdin.read(&mut block)?;
            if std::mem::take(&mut first) && n > 0 && !Reader::sniff(&block[..n]) {
                let mut bytes = block[..n].to_vec();
                stdin.read_to_end(&mut bytes)?;
                return self.foreign(bytes);
            }
            if n == 0 {
                self.finish();
                return Ok(());
            }
            if let Source::Memory(bytes) = &mut *self.shared.source.write().unwrap_or_else(PoisonError::into_inner) {
                bytes.extend_from_slice(&block[..n]);
            }
            self.feed(&block[..n]);
            lock(&self.shared.progress).caught_up = true;
            self.shared.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    const HEADER: &str = "{\"mcpscope_trace\":1,\"created\":\"2026-11-30T09:31:08.123456Z\",\"tool\":\"t\",\"name\":\"n\",\"transport\":\"stdio\"}\n";
    const PING: &str = "{\"t\":0.1,\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n";

    fn wait(what: &str, mut is: impl FnMut() -> bool) {
        for _ in 0..2000 {
            if is() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("waited in vain: {what}");
    }

    #[test]
    fn a_growing_file_is_followed_and_its_end_is_judged_once_nothing_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut file = File::create(&path).unwrap();
        rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
        file.write_all(HEADER.as_bytes()).unwrap();
        let feed = Feed::open(&path, Options::default()).unwrap();
        wait("live", || feed.progress().live);
        file.write_all(PING.as_bytes()).unwrap();
        wait("the request", || feed.store().frames == 1);
        assert!(!feed.progress().ended);
        drop(file);
        wait("the end", || feed.progress().ended);
        wait("the verdict", || feed.store().exchanges.iter().all(|e| e.outcome == crate::trace::Outcome::Unanswered));
    }

    #[test]
    fn a_file_that_grows_without_a_lock_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, PING).unwrap();
        let feed = Feed::open(&path, Options::default()).unwrap();
        wait("the end", || feed.progress().ended);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(PING.as_bytes()).unwrap();
        wait("the second frame", || feed.store().frames == 2);
    }
}
