//! How long traces are kept: 30 days and 2 GiB in all, oldest first; never those of the last day, nor what is pinned, nor
//! what a tap still writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{State, TraceFile, list};

/// The bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// Older traces go.
    pub max_age: Duration,
    /// The oldest go until all are at most this many bytes.
    pub max_bytes: u64,
    /// Younger traces stay, whatever the bounds say.
    pub keep: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: u64 = 24 * 60 * 60;
        Retention { max_age: Duration::from_secs(30 * DAY), max_bytes: 2 << 30, keep: Duration::from_secs(DAY) }
    }
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pruned {
    /// Files that were removed (or would be).
    pub removed: Vec<PathBuf>,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Files that stay.
    pub kept: usize,
    /// Their bytes.
    pub kept_bytes: u64,
}

/// A pinned trace has an empty file of its name and this ending beside it.
const PIN: &str = "pin";

/// Whether a trace is kept whatever its age.
pub fn is_pinned(trace: &Path) -> bool {
    trace.with_extension(PIN).exists()
}

/// Pins a trace, or lets it go.
pub fn set_pinned(trace: &Path, pinned: bool) -> io::Result<()> {
    let pin = trace.with_extension(PIN);
    if pinned {
        return super::open_trace(&pin).map(drop);
    }
    match fs::remove_file(pin) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Removes what the bounds say; with `dry` it only tells.
pub fn prune(state: &State, bounds: Retention, now: SystemTime, dry: bool) -> Pruned {
    let mut done = Pruned::default();
    let mut total = 0;
    let mut folders = Vec::new();
    // Newest first: what is beyond the sum when its turn comes is the oldest.
    for trace in list(state) {
        total += trace.len;
        let age = now.duration_since(trace.modified).unwrap_or_default();
        let old = age > bounds.max_age || total > bounds.max_bytes;
        if old && age > bounds.keep && !is_pinned(&trace.path) && !trace.is_live() && (dry || remove(&trace)) {
            // What goes makes room for what is older.
            total -= trace.len;
            done.removed_bytes += trace.len;
            folders.extend(trace.path.parent().map(Path::to_path_buf));
            done.removed.push(trace.path);
        } else {
            done.kept += 1;
            done.kept_bytes += trace.len;
        }
    }
    if !dry {
        folders.dedup();
        // Only an empty folder can be removed so.
        folders.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    done
}

fn remove(trace: &TraceFile) -> bool {
    fs::remove_file(&trace.path).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write as _;

    const DAY: u64 = 86_400;

    fn trace(state: &State, name: &str, day: u64, bytes: usize) -> PathBuf {
        let time = jiff::Timestamp::from_second((day * DAY) as i64).unwrap();
        let (mut file, path) = state.create_trace(name, time, 1).unwrap();
        file.write_all(&vec![b'x'; bytes]).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(day * DAY)).unwrap();
        path
    }

    #[test]
    fn age_size_pins_and_the_last_day() {
        let temp = tempfile::tempdir().unwrap();
        let state = State { root: temp.path().to_owned(), fallback: temp.path().to_owned() };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(100 * DAY + 60);
        let bounds = Retention { max_bytes: 250, ..Retention::default() };
        let newest = trace(&state, "a", 100, 200);
        let middle = trace(&state, "a", 98, 40);
        let large = trace(&state, "b", 97, 100);
        let small = trace(&state, "b", 96, 10);
        let old = trace(&state, "c", 60, 0);
        let pinned = trace(&state, "d", 50, 0);
        set_pinned(&pinned, true).unwrap();
        let live = trace(&state, "e", 40, 0);
        let lock = fs::File::open(&live).unwrap();
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();

        let told = prune(&state, bounds, now, true);
        assert_eq!(told.removed, [large.clone(), old.clone()]);
        assert!(large.exists());
        let done = prune(&state, bounds, now, false);
        assert_eq!(told, done);
        assert_eq!((done.removed_bytes, done.kept, done.kept_bytes), (100, 5, 250));
        assert!(newest.exists() && middle.exists() && small.exists() && pinned.exists() && live.exists());
        assert!(!large.exists() && !old.exists() && !temp.path().join("traces/c").exists());

        set_pinned(&pinned, false).unwrap();
        drop(lock);
        assert_eq!(prune(&state, bounds, now, false).removed, [pinned, live]);
        // The last day stays, even over the sum.
        let tiny = Retention { max_bytes: 1, ..bounds };
        assert_eq!(prune(&state, tiny, now, false).kept, 1);
        assert!(newest.exists());
    }
}
