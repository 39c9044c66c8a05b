//! Loading a trace whole: what `check`, `list`, `show` and the like do before they answer.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::analysis::{Analyzer, Origin};
use crate::error::{Failure, Result};
use crate::format::native::Reader;
use crate::format::{Fault, Header};
use crate::rules::Options;
use crate::trace::{Source, Store};

/// Bytes that are read at once: large enough that the system calls do not count.
const BLOCK: usize = 1 << 20;

/// An analysed trace.
pub struct Loaded {
    /// The file as it was named; `-` for standard input.
    pub path: PathBuf,
    /// The format's name.
    pub format: &'static str,
    /// What the file says of itself.
    pub header: Option<Header>,
    /// Lines that are no records (the first 10,000).
    pub faults: Vec<Fault>,
    /// How many of these there were.
    pub fault_count: u64,
    /// What is known about it.
    pub store: Store,
    /// Where its bytes are.
    pub source: Source,
    /// The sessions' facts.
    pub analyzer: Analyzer,
}

/// Reads and analyses a file; `-` is standard input. `.gz` and `.zst` are read as what they hold.
///
/// # Errors
/// When the file cannot be read, or is no trace in a known format.
pub fn load(path: &Path, options: Options) -> Result<Loaded> {
    let unreadable = |e: io::Error| Failure::new(format!("cannot read {}: {e}", path.display()));
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        return from_bytes(path, unpack(bytes, path)?, options);
    }
    let mut file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Failure::new(format!("{} is a folder", path.display())).hint("name the files in it"));
    }
    let mut block = vec![0; BLOCK];
    let n = fill(&mut file, &mut block).map_err(unreadable)?;
    if packing(&block[..n]).is_some() || !Reader::sniff(&block[..n]) {
        let mut bytes = block[..n].to_vec();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        return from_bytes(path, unpack(bytes, path)?, options);
    }
    let mut run = Run::new(options, &block[..n]);
    let mut have = n;
    while have > 0 {
        run.feed(&block[..have]);
        have = fill(&mut file, &mut block).map_err(unreadable)?;
    }
    Ok(run.finish(path, "native", Source::File(file)))
}

/// Analyses bytes in memory.
fn from_bytes(path: &Path, bytes: Vec<u8>, options: Options) -> Result<Loaded> {
    if !Reader::sniff(&bytes) {
        return Err(unknown(path));
    }
    let mut run = Run::new(options, &bytes);
    run.feed(&bytes);
    Ok(run.finish(path, "native", Source::Memory(bytes)))
}

fn unknown(path: &Path) -> Failure {
    Failure::new(format!("{} is no trace in a known format", path.display()))
        .hint("record one with: mcpscope attach --trace FILE -- CMD")
}

/// A reader and an analysis that work together.
struct Run {
    reader: Reader,
    analyzer: Analyzer,
    store: Store,
}

impl Run {
    fn new(options: Options, head: &[u8]) -> Run {
        Run { reader: Reader::new(), analyzer: Analyzer::new(options, origin(head)), store: Store::new() }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let (analyzer, store) = (&mut self.analyzer, &mut self.store);
        self.reader.feed(bytes, &mut |item| analyzer.push(store, item));
    }

    fn finish(mut self, path: &Path, format: &'static str, source: Source) -> Loaded {
        let (analyzer, store) = (&mut self.analyzer, &mut self.store);
        self.reader.finish(&mut |item| analyzer.push(store, item));
        self.analyzer.finish(&mut self.store);
        Loaded {
            path: path.into(),
            format: if self.reader.header().is_some_and(|h| h.version > 0) { format } else { "recording" },
            header: self.reader.header().cloned(),
            faults: self.reader.faults().to_vec(),
            fault_count: self.reader.fault_count(),
            store: self.store,
            source,
            analyzer: self.analyzer,
        }
    }
}

/// A file with a header is native: the absence of an end means that the recorder died. One without is somebody's bare
/// recording: its end is the end of the wire.
pub(super) fn origin(head: &[u8]) -> Origin {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let line = head.split(|b| *b == b'\n').next().unwrap_or_default();
    if memchr::memmem::find(&line[..line.len().min(4096)], b"\"mcpscope_trace\"").is_some() {
        Origin::Native
    } else {
        Origin::Foreign
    }
}

/// How a file is compressed, by its first bytes.
pub(super) fn packing(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x1f, 0x8b, ..] => Some("gzip"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("zstd"),
        _ => None,
    }
}

/// Decompressed bytes are kept in memory: this many at most, so that a small file cannot fill it.
const MAX_UNPACKED: u64 = 8 << 30;

fn unpack(bytes: Vec<u8>, path: &Path) -> Result<Vec<u8>> {
    let broken = |e: String| Failure::new(format!("cannot decompress {}: {e}", path.display()));
    let mut out = Vec::new();
    match packing(&bytes) {
        Some("gzip") => {
            flate2::read::MultiGzDecoder::new(bytes.as_slice())
                .take(MAX_UNPACKED)
                .read_to_end(&mut out)
                .map_err(|e| broken(e.to_string()))?;
        }
        Some(_) => {
            let decoder =
                ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).map_err(|e| broken(e.to_string()))?;
            decoder.take(MAX_UNPACKED).read_to_end(&mut out).map_err(|e| broken(e.to_string()))?;
        }
        None => return Ok(bytes),
    }
    Ok(out)
}

fn fill(file: &mut File, block: &mut [u8]) -> io::Result<usize> {
    let mut have = 0;
    while have < block.len() {
        match file.read(&mut block[have..]) {
            Ok(0) => break,
            Ok(n) => have += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(have)
}
