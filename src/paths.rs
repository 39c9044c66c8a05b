//! Where things are kept: the state folder, the traces in it, and their names.
//!
//! `STATE/traces/NAME/TIME-PID.jsonl`, where STATE is `--dir`, else `$XDG_STATE_HOME/mcpscope`, else
//! `~/.local/state/mcpscope`. Where that cannot be written, a folder of the user's own in the temporary directory takes
//! its place, and readers look at both.

mod name;
mod retention;
mod traces;

pub use name::{folder_name, server_name};
pub use retention::{Pruned, Retention, is_pinned, prune, set_pinned};
pub use traces::{TraceFile, is_live, list, resolve};

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The roots under which traces are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Where new traces go.
    pub root: PathBuf,
    /// Where they go if `root` cannot be written.
    pub fallback: PathBuf,
}

impl State {
    /// From `--dir` and the environment.
    pub fn new(dir: Option<&Path>) -> State {
        State::from_env(dir, |name| std::env::var_os(name).filter(|v| !v.is_empty()))
    }

    fn from_env(dir: Option<&Path>, var: impl Fn(&str) -> Option<OsString>) -> State {
        // A relative XDG path is to be ignored (XDG base directory specification).
        let absolute = |name: &str| var(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let user = rustix::process::geteuid().as_raw();
        let fallback = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")).join(format!("mcpscope-{user}"));
        let root = dir
            .map(Path::to_path_buf)
            .or_else(|| absolute("XDG_STATE_HOME").map(|p| p.join("mcpscope")))
            .or_else(|| absolute("HOME").map(|p| p.join(".local/state/mcpscope")))
            .unwrap_or_else(|| fallback.clone());
        State { root, fallback }
    }

    /// The roots that a reader looks at: the fallback only where it is ours.
    pub fn roots(&self) -> Vec<PathBuf> {
        let mut roots = vec![self.root.clone()];
        if self.fallback != self.root && is_private(&self.fallback) {
            roots.push(self.fallback.clone());
        }
        roots
    }

    /// Makes a new trace file for a run of `name` that began at `started`, in the root or else in the fallback. Two runs
    /// never share a file.
    pub fn create_trace(&self, name: &str, started: jiff::Timestamp, pid: u32) -> io::Result<(File, PathBuf)> {
        let first = create_in(&self.root, name, started, pid);
        let Err(error) = first else { return first };
        // Somebody else may have made a folder of that name in the shared temporary directory.
        make_private(&self.fallback)
            .and_then(|()| create_in(&self.fallback, name, started, pid))
            .map_err(|_| io::Error::new(error.kind(), format!("{}: {error}", self.root.display())))
    }
}

/// `root/traces/NAME/TIME-PID.jsonl`, and with a number behind it if that is taken.
fn create_in(root: &Path, name: &str, started: jiff::Timestamp, pid: u32) -> io::Result<(File, PathBuf)> {
    let folder = root.join("traces").join(folder_name(name));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let stem = format!("{}-{pid}", time_name(started));
    for n in 1.. {
        let file = if n == 1 { format!("{stem}.jsonl") } else { format!("{stem}.{n}.jsonl") };
        let path = folder.join(file);
        match open_new(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && n < 1000 => {}
            result => return result.map(|file| (file, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn open_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// Opens the file that `--trace` names: what is there is appended to, never cut.
pub fn open_trace(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// UTC, to the millisecond, so that file names sort by time: `20261130T093108.123Z`.
pub fn time_name(time: jiff::Timestamp) -> String {
    let civil = time.to_zoned(jiff::tz::TimeZone::UTC);
    format!(
        "{:04}{:02}{:02}T{:02}{:02}{:02}.{:03}Z",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second(),
        civil.millisecond()
    )
}

/// Makes a folder for this user alone, or checks that the one that is there is.
pub fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
        _ => {}
    }
    if is_private(folder) {
        return Ok(());
    }
    // Ours, but too open: an older umask. Not ours, or a link: nothing is written there.
    let meta = fs::symlink_metadata(folder)?;
    if meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("{} belongs to somebody else", folder.display())))
}

fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|meta| {
        meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o077 == 0
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn state(dir: Option<&str>, vars: &[(&str, &str)]) -> State {
        State::from_env(dir.map(Path::new), |name| {
            vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
        })
    }

    #[test]
    fn the_root_by_option_and_environment() {
        let home = [("HOME", "/h")];
        assert_eq!(state(None, &home).root, Path::new("/h/.local/state/mcpscope"));
        assert_eq!(state(Some("/d"), &home).root, Path::new("/d"));
        assert_eq!(state(None, &[("HOME", "/h"), ("XDG_STATE_HOME", "/x")]).root, Path::new("/x/mcpscope"));
        assert_eq!(state(None, &[("HOME", "/h"), ("XDG_STATE_HOME", "x")]).root, Path::new("/h/.local/state/mcpscope"));
        let none = state(None, &[]);
        assert_eq!(none.root, none.fallback);
    }

    #[test]
    fn files_are_private_and_never_shared() {
        let temp = tempfile::tempdir().unwrap();
        let state = State { root: temp.path().join("a/b"), fallback: temp.path().join("f") };
        let time: jiff::Timestamp = "2026-11-30T09:31:08.123456Z".parse().unwrap();
        let (file, path) = state.create_trace("../x y", time, 7).unwrap();
        assert_eq!(path, temp.path().join("a/b/traces/x-y/20261130T093108.123Z-7.jsonl"));
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(temp.path().join("a/b")).unwrap().mode() & 0o777, 0o700);
        let (_, second) = state.create_trace("../x y", time, 7).unwrap();
        assert_eq!(second.file_name().unwrap(), "20261130T093108.123Z-7.2.jsonl");
    }

    #[test]
    fn the_fallback_where_the_root_cannot_be_written() {
        let temp = tempfile::tempdir().unwrap();
        let blocked = temp.path().join("file");
        fs::write(&blocked, "").unwrap();
        let state = State { root: blocked.join("state"), fallback: temp.path().join("f") };
        let (_, path) = state.create_trace("x", jiff::Timestamp::UNIX_EPOCH, 7).unwrap();
        assert!(path.starts_with(&state.fallback));
        assert_eq!(fs::metadata(&state.fallback).unwrap().mode() & 0o777, 0o700);
        assert_eq!(state.roots(), [state.root.clone(), state.fallback.clone()]);
        // Too open, but ours: it is closed. A link: nothing is written through it.
        fs::set_permissions(&state.fallback, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(state.roots(), std::slice::from_ref(&state.root));
        make_private(&state.fallback).unwrap();
        assert!(is_private(&state.fallback));
        let link = temp.path().join("link");
        std::os::unix::fs::symlink(temp.path(), &link).unwrap();
        assert!(make_private(&link).is_err());
        let lost = State { root: blocked.join("state"), fallback: link };
        let error = lost.create_trace("x", jiff::Timestamp::UNIX_EPOCH, 7).unwrap_err();
        assert!(error.to_string().contains("state"), "{error}");
    }
}
