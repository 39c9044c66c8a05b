//! What the screen reads: a store, the bytes behind it, and what is known of where they come from.

use std::io;
use std::path::Path;

use crate::analysis::{Analyzer, Origin};
use crate::format::Header;
use crate::format::native::Reader;
use crate::rules::Options;
use crate::trace::{Source, Store};
use crate::wire::frame::Micros;

/// What is known of a trace beside its traffic.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// The server's name, or the file's.
    pub name: String,
    /// `stdio`, `http` or empty.
    pub transport: String,
    /// Where the trace is, for the user.
    pub path: String,
    /// The server's command line.
    pub command: String,
    /// A tap writes it now.
    pub live: bool,
    /// Part of the file that has been read, in percent, while it is being opened.
    pub progress: Option<u8>,
    /// Microseconds since the Unix epoch at which the trace's clock was 0.
    pub created: Option<i64>,
    /// Lines of the file that could not be read.
    pub faults: u64,
    /// Why reading stopped, if it failed.
    pub failed: Option<String>,
    /// What the file says of itself.
    pub header: Option<Header>,
}

/// One look at everything. Borrowed for the time of an update or a drawing.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    /// Records, exchanges, findings.
    pub store: &'a Store,
    /// The bytes.
    pub bytes: &'a Source,
    /// Where from.
    pub facts: &'a Facts,
}

impl Data<'_> {
    /// A record's message, as it was recovered where it lay in several frames.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn message(&self, record: u32) -> io::Result<Vec<u8>> {
        if let Some(r) = self.store.recovered.get(&record) {
            return Ok(r.bytes.to_vec());
        }
        match self.store.record(record) {
            Some(r) if r.len > 0 || r.part_len > 0 => self.bytes.message_bytes(r),
            _ => Ok(Vec::new()),
        }
    }

    /// A record's whole frame.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn frame(&self, record: u32) -> io::Result<Vec<u8>> {
        match self.store.record(record) {
            Some(r) if r.len > 0 => self.bytes.frame_bytes(r),
            _ => Ok(Vec::new()),
        }
    }
}

/// Where a screen gets its data: something that lends it. What waits for a lock does so for the time of a batch only.
pub trait Feed {
    /// Lends one look.
    fn look(&self, with: &mut dyn FnMut(&Data<'_>));
}

/// A trace that is read whole and does not grow.
pub struct Still {
    /// Its records.
    pub store: Store,
    /// Its bytes.
    pub source: Source,
    /// Where from.
    pub facts: Facts,
}

impl Still {
    /// Reads a trace in the native format from memory.
    pub fn read(name: &str, bytes: Vec<u8>) -> Still {
        Still::read_as(name, bytes, true)
    }

    /// The same; without `ends` the wire goes on after the last frame.
    pub fn read_as(name: &str, bytes: Vec<u8>, ends: bool) -> Still {
        let mut store = Store::new();
        let mut analyzer = Analyzer::new(Options::default(), Origin::Native);
        let mut reader = Reader::new();
        reader.feed(&bytes, &mut |item| analyzer.push(&mut store, item));
        reader.finish(&mut |item| analyzer.push(&mut store, item));
        if ends {
            analyzer.finish(&mut store);
        } else {
            analyzer.settle(&mut store);
        }
        let mut facts = facts_of(reader.header(), name);
        facts.faults = reader.fault_count();
        facts.live = !ends;
        Still { store, source: Source::Memory(bytes), facts }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(path: &Path) -> io::Result<Still> {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let mut still = Still::read(&name, std::fs::read(path)?);
        still.facts.path = path.display().to_string();
        Ok(still)
    }

    /// One look.
    pub fn data(&self) -> Data<'_> {
        Data { store: &self.store, bytes: &self.source, facts: &self.facts }
    }
}

impl Feed for Still {
    fn look(&self, with: &mut dyn FnMut(&Data<'_>)) {
        with(&self.data());
    }
}

impl Feed for crate::feed::Feed {
    fn look(&self, with: &mut dyn FnMut(&Data<'_>)) {
        let progress = self.progress();
        let name = self.path().file_stem().unwrap_or(self.path().as_os_str()).to_string_lossy();
        let mut facts = facts_of(progress.header.as_ref(), &name);
        facts.path = self.path().display().to_string();
        facts.faults = progress.faults;
        facts.live = progress.live;
        facts.failed = progress.failed;
        if !progress.caught_up {
            facts.progress = Some((progress.read * 100 / progress.size.max(1)).min(99) as u8);
        }
        let source = self.source();
        let store = self.store();
        with(&Data { store: &store, bytes: &source, facts: &facts });
    }
}

/// The facts that a header gives.
pub fn facts_of(header: Option<&Header>, name: &str) -> Facts {
    let mut facts = Facts { name: name.to_owned(), ..Facts::default() };
    facts.header = header.cloned();
    if let Some(h) = header {
        facts.name = h.name.clone().unwrap_or_else(|| name.to_owned());
        facts.transport = h.transport.clone().unwrap_or_default();
        facts.command = h.command.join(" ");
        facts.created = h.created.as_deref().and_then(|t| t.parse().ok()).map(|t: jiff::Timestamp| t.as_microsecond());
    }
    facts
}

/// Time as rows show it: seconds since the start, three places.
pub fn seconds(t: Micros) -> String {
    let ms = t.div_euclid(1000);
    format!("{}.{:03}", ms / 1000, ms.rem_euclid(1000))
}

/// A duration in at most seven columns: `340 µs`, `18 ms`, `1.24 s`, `2 m 05`, `3 h 07`.
pub fn duration(t: Micros) -> String {
    match t {
        i64::MIN..0 => format!("-{}", duration(-t.max(-i64::MAX))),
        0..1_000 => format!("{t} µs"),
        1_000..10_000 => format!("{:.1} ms", t as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", t / 1_000),
        1_000_000..10_000_000 => format!("{:.2} s", t as f64 / 1e6),
        10_000_000..100_000_000 => format!("{:.1} s", t as f64 / 1e6),
        100_000_000..3_600_000_000 => format!("{} m {:02}", t / 60_000_000, t / 1_000_000 % 60),
        3_600_000_000..360_000_000_000 => format!("{} h {:02}", t / 3_600_000_000, t / 60_000_000 % 60),
        _ => format!("{} d", t / 86_400_000_000),
    }
}

/// A size in at most six columns: `340`, `1.2 k`, `13 M`. Thousands, not 1,024.
pub fn size(bytes: u64) -> String {
    let tenths = |unit: u64| bytes / (unit / 10);
    let with = |unit: u64, name: &str| match tenths(unit) {
        t if t < 1000 => format!("{}.{} {name}", t / 10, t % 10),
        t => format!("{} {name}", t / 10),
    };
    match bytes {
        0..1_000 => bytes.to_string(),
        1_000..1_000_000 => with(1_000, "k"),
        1_000_000..1_000_000_000 => with(1_000_000, "M"),
        _ => with(1_000_000_000, "G"),
    }
}

/// `1 exchange`, `2,000 exchanges`.
pub fn count(n: usize, one: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {one}{ending}", thousands(n))
}

/// `12,345`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (t, want) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1_500, "1.5 ms"),
            (18_400, "18 ms"),
            (1_240_000, "1.24 s"),
            (31_000_000, "31.0 s"),
            (125_000_000, "2 m 05"),
            (11_220_000_000, "3 h 07"),
            (-18_000, "-18 ms"),
        ] {
            assert_eq!(duration(t), want);
        }
        for (n, want) in
            [(0, "0"), (999, "999"), (1_234, "1.2 k"), (99_950, "99.9 k"), (100_000, "100 k"), (13_000_000, "13.0 M")]
        {
            assert_eq!(size(n), want);
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(count(1, "row"), "1 row");
        assert_eq!(seconds(12_031_999), "12.031");
    }
}
