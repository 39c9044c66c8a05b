//! What is recorded of a run, and where.

use std::ffi::OsString;
use std::path::PathBuf;

use super::child::Launch;
use super::output::Target;
use crate::format::{Header, Host};
use crate::paths::{self, State};

/// Largest size of one run's record where nothing else is said: 1 GiB.
pub const MAX_TRACE: u64 = 1 << 30;

/// Bytes of one HTTP body that are recorded where nothing else is said: 16 MiB.
pub const MAX_BODY: u64 = 16 << 20;

/// What is to be recorded where.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file.
    pub target: Target,
    /// The header, but for `created` and `tool`, which the recorder knows.
    pub header: Header,
    /// Largest size of this run's record, in bytes.
    pub max_bytes: u64,
    /// Ask the disk to take each batch.
    pub sync: bool,
    /// Bytes of one HTTP body, or of one event, that are recorded.
    pub max_body: u64,
}

impl Record {
    /// The record of an HTTP server at `url`, in the file `trace` or else in the state folder under `name`.
    pub fn http(url: String, name: String, host: Host, trace: Option<PathBuf>, state: State) -> Record {
        let header = Header {
            name: Some(name.clone()),
            transport: Some("http".into()),
            url: Some(url),
            host: Some(host),
            ..Header::default()
        };
        let target = match trace {
            Some(path) => Target::File(path),
            None => Target::State(state, name),
        };
        Record { target, header, max_bytes: MAX_TRACE, sync: false, max_body: MAX_BODY }
    }

    /// The record of a stdio server, in the file `trace` or else in the state folder. `name`: the server's name, if the
    /// command shall not tell it.
    pub fn stdio(launch: &Launch, name: Option<&str>, host: Host, trace: Option<PathBuf>, state: State) -> Record {
        let command = launch.words();
        let name = name.map_or_else(|| paths::server_name(&command), str::to_owned);
        let cwd = launch.cwd.clone().or_else(|| std::env::current_dir().ok());
        let own = launch.env.iter().map(|(name, _)| name.clone());
        let header = Header {
            name: Some(name.clone()),
            transport: Some("stdio".into()),
            command,
            host: Some(host),
            cwd: cwd.map(|p| p.to_string_lossy().into_owned()),
            path: launch.path_variable().map(|p| p.to_string_lossy().into_owned()),
            env: variable_names(own),
            ..Header::default()
        };
        let target = match trace {
            Some(path) => Target::File(path),
            None => Target::State(state, name),
        };
        Record { target, header, max_bytes: MAX_TRACE, sync: false, max_body: MAX_BODY }
    }
}

/// Names of the variables that the server is given: their values may be secrets.
fn variable_names(own: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name).chain(own).map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The process that started this one.
pub fn parent(name: Option<String>) -> Host {
    let pid = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    let name = name.or_else(|| {
        let comm = std::fs::read_to_string(format!("/proc/{}/comm", pid?)).ok()?;
        Some(comm.trim_end().to_owned())
    });
    Host { name, pid }
}

/// This process, where it is the client itself.
pub fn ourselves() -> Host {
    Host { name: Some("mcpscope".into()), pid: Some(std::process::id()) }
}
