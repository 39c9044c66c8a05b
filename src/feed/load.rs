//! Loading a trace whole: what `check`, `list`, `show` and the like do before they answer.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::analysis::{Analyzer, Origin};
use crate::error::{Failure, Result};
use crate::format::native::Reader;
use crate::format::{self, Fault, Header};
use crate::rules::Options;
use crate::trace::{Missing, Source, Store};
use crate::wire::frame::Item;
use crate::wire::json::visible::visible;

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
    /// What a file in a foreign format does not hold.
    pub missing: Missing,
    /// What the user should know about such a file.
    pub notes: Vec<String>,
}

/// Reads and analyses a file; `-` is standard input. `.gz` and `.zst` are read as what they hold.
///
/// # Errors
/// When the file cannot be read, or is no trace in a known format.
pub fn load(path: &Path, options: Options) -> Result<Loaded> {
    load_as(path, None, options)
}

/// Reads and analyses a file in the format of that name, instead of the one that its content shows.
///
/// # Errors
/// As [`load`]; and when there is no format of that name.
pub fn load_as(path: &Path, from: Option<&str>, options: Options) -> Result<Loaded> {
    if let Some(name) = from {
        check_name(name)?;
    }
    let unreadable = |e: io::Error| Failure::new(format!("cannot read {}: {e}", path.display()));
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        return from_bytes(path, unpack(bytes, path)?, from, options);
    }
    let mut file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Failure::new(format!("{} is a folder", path.display())).hint("name the files in it"));
    }
    let mut block = vec![0; BLOCK];
    let n = fill(&mut file, &mut block).map_err(unreadable)?;
    if from.is_some() || packing(&block[..n]).is_some() || !Reader::sniff(&block[..n]) {
        let mut bytes = block[..n].to_vec();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        return from_bytes(path, unpack(bytes, path)?, from, options);
    }
    let mut run = Run::new(options, &block[..n]);
    let mut have = n;
    while have > 0 {
        run.feed(&block[..have]);
        have = fill(&mut file, &mut block).map_err(unreadable)?;
    }
    Ok(run.finish(path, "native", Source::File(file)))
}

/// The bytes of a file, unpacked; `-` is standard input.
///
/// # Errors
/// When it cannot be read.
pub fn read_all(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |e: io::Error| Failure::new(format!("cannot read {}: {e}", path.display()));
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        bytes
    } else {
        std::fs::read(path).map_err(unreadable)?
    };
    unpack(bytes, path)
}

/// Analyses bytes in memory.
pub(super) fn from_bytes(path: &Path, bytes: Vec<u8>, from: Option<&str>, options: Options) -> Result<Loaded> {
    let bytes = format::text::from_utf16(&bytes).unwrap_or(bytes);
    let Some(format) = kind(path, &bytes, from)? else {
        let mut run = Run::new(options, &bytes);
        run.feed(&bytes);
        return Ok(run.finish(path, "native", Source::Memory(bytes)));
    };
    let import = import(format, &bytes);
    drop(bytes);
    let (missing, notes) = (import.missing, import.notes.clone());
    let origin = if import.excerpt { Origin::Excerpt } else { Origin::Foreign };
    let (mut analyzer, mut store) = (Analyzer::new(Options { missing, ..options }, origin), Store::new());
    store.timeless = missing.any(Missing::TIME);
    import.items(&mut |item| analyzer.push(&mut store, item));
    analyzer.finish(&mut store);
    Ok(Loaded {
        path: path.into(),
        format: format.name,
        header: Some(import.header.clone()),
        faults: import.faults().to_vec(),
        fault_count: import.fault_count(),
        store,
        source: Source::Memory(import.into_arena()),
        analyzer,
        missing,
        notes,
    })
}

/// Reads a foreign file; local times are those of this machine.
fn import(format: &format::Format, bytes: &[u8]) -> format::Import {
    let mut import = format::read(format, bytes);
    if import.local {
        let zone = jiff::tz::TimeZone::system();
        let local = import.header.created.as_deref().and_then(|c| c.parse::<jiff::civil::DateTime>().ok());
        if local.is_some() {
            import.notes.push("its times are local, without a zone: they are read in this machine's".into());
        }
        let absolute = local.and_then(|c| c.to_zoned(zone).ok()).map(|z| z.timestamp().to_string());
        import.header.created = absolute;
    }
    import
}

/// The foreign format of a file; `None` if it is native.
fn kind(path: &Path, bytes: &[u8], from: Option<&str>) -> Result<Option<&'static format::Format>> {
    if let Some(name) = from {
        return Ok(format::named(name));
    }
    if Reader::sniff(bytes) {
        return Ok(None);
    }
    format::detect(bytes).map(Some).ok_or_else(|| unknown(path, bytes))
}

fn check_name(name: &str) -> Result<()> {
    if name == NATIVE || format::named(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = std::iter::once(NATIVE).chain(format::FORMATS.iter().map(|f| f.name)).collect();
    let near = names.iter().map(|n| (strsim::jaro_winkler(n, name), *n)).max_by(|a, b| a.0.total_cmp(&b.0));
    let failure = Failure::new(format!("there is no format {}", visible(name)));
    Err(match near {
        Some((score, near)) if score > 0.8 => failure.hint(format!("did you mean {near}?")),
        _ => failure.hint(format!("there are {}", names.join(", "))),
    })
}

/// The name of the native format.
const NATIVE: &str = "native";

/// Every frame and event of a file, without an analysis: for conversion.
pub struct Raw {
    /// The format's name.
    pub format: &'static str,
    /// What the file says of itself.
    pub header: Option<Header>,
    /// What it does not hold.
    pub missing: Missing,
    /// What the user should know about it.
    pub notes: Vec<String>,
    /// It is a piece out of the middle.
    pub excerpt: bool,
    /// Lines that are no records.
    pub faults: u64,
}

/// Reads a file whole and hands on what is in it. The header comes first, where there is one.
///
/// # Errors
/// As [`load_as`].
pub fn items(
    path: &Path,
    from: Option<&str>,
    header: &mut dyn FnMut(Option<&Header>),
    each: &mut dyn FnMut(Item<'_>),
) -> Result<Raw> {
    if let Some(name) = from {
        check_name(name)?;
    }
    let unreadable = |e: io::Error| Failure::new(format!("cannot read {}: {e}", path.display()));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        File::open(path).and_then(|mut f| f.read_to_end(&mut bytes)).map_err(unreadable)?;
    }
    let bytes = unpack(bytes, path)?;
    let bytes = format::text::from_utf16(&bytes).unwrap_or(bytes);
    let Some(kind) = kind(path, &bytes, from)? else {
        let mut reader = Reader::new();
        // The header stands in the first line.
        let first = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1);
        let (head, rest) = bytes.split_at(first);
        let mut probe = Reader::new();
        probe.feed(head, &mut |_| {});
        header(probe.header());
        reader.feed(head, &mut |item| each(item));
        reader.feed(rest, &mut |item| each(item));
        reader.finish(&mut |item| each(item));
        return Ok(Raw {
            format: NATIVE,
            header: reader.header().cloned(),
            missing: Missing::NONE,
            notes: Vec::new(),
            excerpt: false,
            faults: reader.fault_count(),
        });
    };
    let import = import(kind, &bytes);
    header(Some(&import.header));
    import.items(each);
    Ok(Raw {
        format: kind.name,
        header: Some(import.header.clone()),
        missing: import.missing,
        notes: import.notes.clone(),
        excerpt: import.excerpt,
        faults: import.fault_count(),
    })
}

fn unknown(path: &Path, bytes: &[u8]) -> Failure {
    let name = path.display();
    if bytes.trim_ascii().is_empty() {
        return Failure::new(format!("{name} is empty"))
            .hint("record a trace with: mcpscope attach --trace FILE -- CMD");
    }
    if let Some((what, hint)) = format::not_read(bytes) {
        return Failure::new(format!("{name} is {what}")).hint(hint);
    }
    let known: Vec<&str> = format::FORMATS.iter().map(|f| f.name).collect();
    Failure::new(format!("{name} is no trace in a known format")).hint(format!(
        "known: native, {}; --from NAME overrules; record a trace with: mcpscope attach --trace FILE -- CMD",
        known.join(", ")
    ))
}

/// A reader and an analysis that work together.
struct Run {
    reader: Reader,
    analyzer: Analyzer,
    store: Store,
}

impl Run {
    fn new(options: Options, head: &[u8]) -> Run {
        let (analyzer, store) = analysis(head, options);
        Run { reader: Reader::new(), analyzer, store }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let (analyzer, store) = (&mut self.analyzer, &mut self.store);
        self.reader.feed(bytes, &mut |item| analyzer.push(store, item));
    }

    fn finish(mut self, path: &Path, format: &'static str, source: Source) -> Loaded {
        let (analyzer, store) = (&mut self.analyzer, &mut self.store);
        self.reader.finish(&mut |item| analyzer.push(store, item));
        self.analyzer.finish(&mut self.store);
        let missing = self.reader.header().and_then(|h| h.imported.as_ref()).map_or(Missing::NONE, |i| i.missing);
        Loaded {
            path: path.into(),
            format: if self.reader.header().is_some_and(|h| h.version > 0) { format } else { "recording" },
            header: self.reader.header().cloned(),
            faults: self.reader.faults().to_vec(),
            fault_count: self.reader.fault_count(),
            store: self.store,
            source,
            analyzer: self.analyzer,
            missing,
            notes: Vec::new(),
        }
    }
}

/// The analysis that a file wants, by its first line.
///
/// A file with a header is native: the absence of an end means that the recorder died. One without is somebody's bare
/// recording: its end is the end of the wire. One that was made of a foreign file says so, and what that did not hold.
pub(super) fn analysis(head: &[u8], options: Options) -> (Analyzer, Store) {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let line = head.split(|b| *b == b'\n').next().unwrap_or_default();
    let mut store = Store::new();
    if memchr::memmem::find(&line[..line.len().min(4096)], b"\"mcpscope_trace\"").is_none() {
        return (Analyzer::new(options, Origin::Foreign), store);
    }
    let mut reader = Reader::new();
    reader.feed(line, &mut |_| {});
    reader.feed(b"\n", &mut |_| {});
    let Some(imported) = reader.header().and_then(|h| h.imported.as_ref()) else {
        return (Analyzer::new(options, Origin::Native), store);
    };
    store.timeless = imported.missing.any(Missing::TIME);
    let origin = if imported.excerpt { Origin::Excerpt } else { Origin::Foreign };
    (Analyzer::new(Options { missing: imported.missing, ..options }, origin), store)
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

pub(super) fn unpack(bytes: Vec<u8>, path: &Path) -> Result<Vec<u8>> {
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
