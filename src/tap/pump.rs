//! The wire: read, append, write. No parsing and no allocation in the loop.

use std::fs::File;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::shared::Shared;
use crate::wire::frame::{Dir, EventKind};

/// As much as a pipe holds.
const BUFFER: usize = 64 << 10;

/// One end of a stream. The standard ones are borrowed for the life of the process and closed by putting something else
/// in their place.
pub enum End {
    /// This process's standard input.
    Stdin,
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
    /// A pipe.
    Pipe(OwnedFd),
    /// Nobody: what is written there is gone.
    Nowhere,
}

impl End {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            End::Stdin => Some(rustix::stdio::stdin()),
            End::Stdout => Some(rustix::stdio::stdout()),
            End::Stderr => Some(rustix::stdio::stderr()),
            End::Pipe(fd) => Some(fd.as_fd()),
            End::Nowhere => None,
        }
    }

    /// Closes it, so that who is at the other side sees it.
    fn close(self) {
        let nothing = || File::options().read(true).write(true).open("/dev/null");
        // Without /dev/null it is closed with the process.
        let _ = match self {
            End::Stdin => nothing().map(rustix::stdio::dup2_stdin),
            End::Stdout => nothing().map(rustix::stdio::dup2_stdout),
            End::Stderr => nothing().map(rustix::stdio::dup2_stderr),
            End::Pipe(_) | End::Nowhere => return,
        };
    }
}

/// What a pump does at this moment, for who has to decide whether something is still to come.
#[derive(Default)]
pub struct Meter {
    moved: AtomicU64,
    writing: AtomicBool,
}

impl Meter {
    /// Bytes written on so far.
    pub fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Whether it waits for its reader.
    pub fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Relaxed)
    }
}

/// Carries one direction to its end.
pub fn pump(dir: Dir, from: End, to: End, shared: Option<&Arc<Shared>>, meter: &Meter) {
    let mut buffer = vec![0; BUFFER];
    let mut delivered = true;
    while let Some(bytes) = read(&from, &mut buffer) {
        // Before its bytes are written on: so no reply stands before its request.
        if let Some(shared) = shared {
            shared.append(dir, bytes);
        }
        meter.writing.store(true, Ordering::Relaxed);
        let left = write_all(&to, bytes);
        if let Some(shared) = shared {
            shared.written(dir);
            if left > 0 {
                shared.event(1, EventKind::Undelivered { dir, bytes: left as u64 });
            }
        }
        meter.writing.store(false, Ordering::Relaxed);
        meter.moved.fetch_add((bytes.len() - left) as u64, Ordering::Relaxed);
        if left > 0 {
            delivered = false;
            break;
        }
    }
    if let Some(shared) = shared.filter(|_| delivered) {
        shared.eof(dir);
    }
    // Both: who still writes learns that nobody reads, as without a tap.
    to.close();
    from.close();
}

/// The next bytes; `None` at the end. A stream that fails has ended.
fn read<'b>(from: &End, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let fd = from.fd()?;
    loop {
        match rustix::io::read(fd, &mut *buffer) {
            Ok(0) => return None,
            Ok(n) => return Some(&buffer[..n]),
            Err(Errno::INTR) => {}
            // Who gave us this descriptor made it non-blocking, for itself too: so it stays.
            Err(Errno::AGAIN) => wait(fd, PollFlags::IN),
            Err(_) => return None,
        }
    }
}

/// Writes all. Returns how many bytes nobody will read.
fn write_all(to: &End, mut bytes: &[u8]) -> usize {
    let Some(fd) = to.fd() else { return 0 };
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(fd, PollFlags::OUT),
            Err(_) => return bytes.len(),
        }
    }
    0
}

fn wait(fd: BorrowedFd<'_>, what: PollFlags) {
    // Interrupted or failed: the next read or write tells.
    let _ = poll(&mut [PollFd::new(&fd, what)], None);
}
