//! The stdio tap around real processes: bytes, life and death, and what the trace says of them.

mod bytes;
mod life;
mod trouble;

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use mcpscope::format::native::Reader;
use mcpscope::wire::frame::{Dir, Eol, EventKind, Item};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_mcpscope");

/// Long enough for a busy machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running tap whose three streams are pipes, and its trace.
struct Tap {
    child: Child,
    folder: TempDir,
}

impl Tap {
    /// `attach --trace … OPTIONS -- COMMAND`.
    fn start<S: AsRef<OsStr>>(options: &[&str], command: &[S]) -> Tap {
        let folder = tempfile::tempdir().unwrap();
        let mut tap = Command::new(BIN);
        tap.arg("attach").arg("--trace").arg(folder.path().join("t.jsonl")).args(options).arg("--").args(command);
        Tap::spawn(tap, folder)
    }

    fn spawn(mut tap: Command, folder: TempDir) -> Tap {
        tap.env("XDG_STATE_HOME", folder.path()).process_group(0);
        let child = tap.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Tap { child, folder }
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("t.jsonl")
    }

    fn send(&mut self, bytes: &[u8]) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    fn close_stdin(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Reads stdout up to and with the next line feed.
    fn line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') && self.child.stdout.as_mut().unwrap().read(&mut byte).unwrap() == 1 {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        wait_until("the tap ends", || self.child.try_wait().unwrap())
    }

    /// Closes stdin, and gives exit status, the rest of stdout, and stderr.
    fn finish(&mut self) -> (Option<i32>, Vec<u8>, String) {
        self.close_stdin();
        let (mut out, mut err) = (self.child.stdout.take(), self.child.stderr.take());
        let read = |from: Option<&mut dyn std::io::Read>| {
            let mut bytes = Vec::new();
            from.map(|from| from.read_to_end(&mut bytes).unwrap());
            bytes
        };
        let (out, err) = std::thread::scope(|scope| {
            let err = scope.spawn(|| read(err.as_mut().map(|e| e as &mut dyn std::io::Read)));
            (read(out.as_mut().map(|o| o as &mut dyn std::io::Read)), err.join().unwrap())
        });
        (self.wait().code(), out, String::from_utf8(err).unwrap())
    }

    fn record(&self) -> Record {
        Record::read(&self.trace())
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        // A test that fails leaves nothing behind: the server goes with its tap.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A trace, read.
struct Record {
    /// What went over each direction, with its line ends.
    bytes: [Vec<u8>; 3],
    /// Frames and events as words, in order.
    order: Vec<String>,
    events: Vec<EventKind>,
    frames: u64,
    conns: Vec<u32>,
    faults: usize,
}

impl Record {
    fn read(path: &Path) -> Record {
        let mut me =
            Record { bytes: Default::default(), order: vec![], events: vec![], frames: 0, conns: vec![], faults: 0 };
        let mut reader = Reader::new();
        let mut each = |item: Item<'_>| match item {
            Item::Frame(f) => {
                me.frames += 1;
                me.conns.push(f.conn);
                let to = &mut me.bytes[f.dir as usize];
                to.extend_from_slice(f.payload);
                to.extend_from_slice(match f.eol {
                    Eol::Lf => b"\n",
                    Eol::CrLf => b"\r\n",
                    Eol::None => b"",
                });
                me.order.push(f.dir.as_str().to_owned());
            }
            Item::Event(e) => {
                me.order.push(mcpscope::format::native::write::event_name(&e.kind).to_owned());
                me.events.push(e.kind);
            }
        };
        reader.feed(&std::fs::read(path).unwrap_or_default(), &mut each);
        reader.finish(&mut each);
        me.faults = reader.faults().len();
        me
    }

    /// Frames and bytes that gaps say are missing in a direction.
    fn lost(&self, which: Dir) -> (u64, u64) {
        let mut lost = (0, 0);
        for event in &self.events {
            if let EventKind::Gap { dir, frames, bytes, .. } = event
                && *dir == Some(which)
            {
                lost = (lost.0 + frames.unwrap(), lost.1 + bytes.unwrap());
            }
        }
        lost
    }

    fn text(&self, dir: Dir) -> String {
        String::from_utf8_lossy(&self.bytes[dir as usize]).into_owned()
    }
}

/// Looks until there is something: for what no call can be waited for, such as a line in a file.
#[track_caller]
fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn sh(script: &str) -> [&str; 3] {
    ["sh", "-c", script]
}
