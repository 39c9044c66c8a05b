//! Finding traces: all of them, the live ones, and what `last`, NAME and `NAME~1` mean.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FlockOperation;

use super::State;
use crate::error::{Failure, Result};

/// One trace in the state folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceFile {
    /// Where it is.
    pub path: PathBuf,
    /// The server's name: the folder.
    pub name: String,
    /// File name without its ending: start time and process id, so that it sorts by time.
    pub stem: String,
    /// Size in bytes.
    pub len: u64,
    /// Last change.
    pub modified: SystemTime,
}

impl TraceFile {
    /// Whether a tap writes it now.
    pub fn is_live(&self) -> bool {
        is_live(&self.path)
    }
}

/// All traces, newest first.
pub fn list(state: &State) -> Vec<TraceFile> {
    let mut found = Vec::new();
    for root in state.roots() {
        for folder in entries(&root.join("traces")) {
            let Some(name) = folder.file_name().and_then(|n| n.to_str()).map(str::to_owned) else { continue };
            for path in entries(&folder) {
                let Some(stem) = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".jsonl"))
                else {
                    continue;
                };
                // A file that went away in between is none.
                let Ok(meta) = fs::metadata(&path) else { continue };
                if meta.is_file() {
                    let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    found.push(TraceFile {
                        name: name.clone(),
                        stem: stem.to_owned(),
                        len: meta.len(),
                        modified,
                        path,
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| b.stem.cmp(&a.stem).then_with(|| a.path.cmp(&b.path)));
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map(|list| list.filter_map(|e| e.ok().map(|e| e.path())).collect()).unwrap_or_default()
}

/// Whether a tap holds its lock on this file.
pub fn is_live(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => false,
        Err(error) => error == rustix::io::Errno::WOULDBLOCK,
    }
}

/// What the user means by `what`: an existing path, else `last`, a server's name, or `NAME~N` (the Nth before the newest).
pub fn resolve(state: &State, what: &str) -> Result<PathBuf> {
    if Path::new(what).exists() {
        return Ok(PathBuf::from(what));
    }
    let (name, back) = match what.rsplit_once('~').map(|(name, back)| (name, back.parse::<usize>())) {
        Some((name, Ok(back))) => (name, back),
        _ => (what, 0),
    };
    let traces = list(state);
    let mut runs = traces.iter().filter(|t| name == "last" || t.name == name);
    if let Some(found) = runs.nth(back) {
        return Ok(found.path.clone());
    }
    let count = traces.iter().filter(|t| name == "last" || t.name == name).count();
    if count > 0 {
        let runs = if count == 1 { "run" } else { "runs" };
        return Err(Failure::new(format!("{what}: there are only {count} {runs} of {name}"))
            .hint(format!("the oldest is {name}~{}", count - 1)));
    }
    if what.contains(['/', '.']) || traces.is_empty() {
        let failure = Failure::new(format!("{what}: no such file"));
        return Err(if traces.is_empty() { failure.hint("no trace has been recorded yet") } else { failure });
    }
    let mut names: Vec<&str> = traces.iter().map(|t| t.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let near = names.iter().map(|n| (strsim::jaro_winkler(n, name), *n)).max_by(|a, b| a.0.total_cmp(&b.0));
    let failure = Failure::new(format!("{what}: no such file, and no server of that name has been recorded"));
    Err(match near {
        Some((score, near)) if score > 0.8 => failure.hint(format!("did you mean {near}?")),
        _ => failure.hint(format!("there are: {}", names[..names.len().min(8)].join(", "))),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_runs_and_paths() {
        let temp = tempfile::tempdir().unwrap();
        let state = State { root: temp.path().to_owned(), fallback: temp.path().to_owned() };
        assert!(resolve(&state, "last").unwrap_err().to_string().contains("no trace has been recorded"));
        let mut made = Vec::new();
        for (second, name) in [(1, "git"), (2, "git"), (3, "time")] {
            let time = jiff::Timestamp::from_second(second).unwrap();
            made.push(state.create_trace(name, time, 5).unwrap().1);
        }
        fs::write(temp.path().join("traces/git/note.txt"), "").unwrap();
        let of = |what: &str| resolve(&state, what).map_err(|e| e.to_string());
        assert_eq!(of("last").as_ref(), Ok(&made[2]));
        assert_eq!(of("last~1").as_ref(), Ok(&made[1]));
        assert_eq!(of("git").as_ref(), Ok(&made[1]));
        assert_eq!(of("git~0").as_ref(), Ok(&made[1]));
        assert_eq!(of("git~1").as_ref(), Ok(&made[0]));
        assert!(of("git~2").unwrap_err().ends_with("there are only 2 runs of git; the oldest is git~1"));
        assert!(of("gitt").unwrap_err().contains("did you mean git?"));
        assert!(of("zzz").unwrap_err().contains("there are: git, time"));
        assert!(of("a/b.jsonl").unwrap_err().contains("no such file"));
        let path = temp.path().to_str().unwrap();
        assert_eq!(of(path), Ok(temp.path().to_owned()));
        assert_eq!(list(&state).len(), 3);
    }

    #[test]
    fn live_is_who_holds_the_lock() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let file = crate::paths::open_trace(&path).unwrap();
        assert!(!is_live(&path));
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert!(is_live(&path));
        drop(file);
        assert!(!is_live(&path));
    }
}
