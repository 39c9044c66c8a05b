//! Server-Sent Events (HTML standard, section 9.2): incremental reading that loses nothing, and a plain writer.
//!
//! Libraries for SSE hand out what a browser would dispatch. On a wire inspector's screen comments, `retry`, unknown
//! fields, events without data and an event torn by the end of the stream are what one is looking for.

use std::borrow::Cow;

/// What a stream of events holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SseItem<'a> {
    /// A block of fields.
    Event(SseEvent<'a>),
    /// A comment line outside of an event: its text without the colon and one blank after it.
    Comment {
        /// What it says.
        text: &'a [u8],
        /// The line as it came, without its end.
        raw: &'a [u8],
        /// It is what [`write_comment`] would write.
        plain: bool,
    },
}

/// One event: the fields between two blank lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SseEvent<'a> {
    /// The `data` lines, joined by line feeds.
    pub data: Cow<'a, [u8]>,
    /// Number of `data` lines. With 0 a browser dispatches nothing.
    pub data_lines: u32,
    /// The last `event` field.
    pub event: Option<Cow<'a, str>>,
    /// The last `id` field without a NUL.
    pub id: Option<Cow<'a, str>>,
    /// The last `retry` field that is all digits, in milliseconds.
    pub retry: Option<u64>,
    /// The event's lines as they came, with their ends, without the blank line that ends it.
    pub raw: &'a [u8],
    /// `raw` is what [`write_event`] would write (before its blank line): it need not be kept.
    pub plain: bool,
    /// The stream ended before the event did; a browser drops it.
    pub torn: bool,
}

/// Reads a stream of events in any chunks.
#[derive(Default, Debug)]
pub struct SseParser {
    /// Lines of the event that has begun, and the line that has begun.
    text: Vec<u8>,
    /// Where that line begins in `text`.
    line: usize,
    /// The last byte was a carriage return: a line feed now belongs to it.
    after_cr: bool,
    /// The first line, which may have a byte-order mark, is over.
    started: bool,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Memory kept for the next event after a long one.
const KEEP: usize = 1 << 20;

impl SseParser {
    /// At the beginning of a stream.
    pub fn new() -> SseParser {
        SseParser::default()
    }

    /// Takes the next bytes and gives out what they complete, each event with its blank line and not a byte later.
    pub fn push(&mut self, mut bytes: &[u8], mut item: impl FnMut(SseItem<'_>)) {
        while let Some(&first) = bytes.first() {
            if self.after_cr {
                self.after_cr = false;
                if first == b'\n' {
                    // The carriage return has ended the line; the event's own text keeps both where it still goes on.
                    if !self.text.is_empty() {
                        self.text.push(b'\n');
                        self.line = self.text.len();
                    }
                    bytes = &bytes[1..];
                    continue;
                }
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.text.extend_from_slice(bytes);
                return;
            };
            self.text.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            self.end_line(bytes[end], &mut item);
            bytes = &bytes[end + 1..];
        }
    }

    /// Ends the stream: an event without its blank line is given out as torn.
    pub fn finish(&mut self, mut item: impl FnMut(SseItem<'_>)) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            item(SseItem::Event(read_event(&text, true)));
        }
        *self = SseParser::default();
    }

    /// What has come of an event that is not whole yet.
    pub fn partial(&self) -> &[u8] {
        &self.text
    }

    fn end_line(&mut self, end: u8, item: &mut impl FnMut(SseItem<'_>)) {
        let mut line = &self.text[self.line..];
        if !self.started {
            self.started = true;
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            // A blank line: the end of an event, or nothing between two.
            if self.line > 0 {
                item(SseItem::Event(read_event(&self.text[..self.line], false)));
            }
        } else if self.line == 0 && line[0] == b':' {
            let text = &line[1..];
            let text = text.strip_prefix(b" ").unwrap_or(text);
            let plain = self.text == b":" || (!text.is_empty() && self.text.len() == text.len() + 2);
            item(SseItem::Comment { text, raw: &self.text, plain });
        } else {
            self.text.push(end);
            self.line = self.text.len();
            return;
        }
        self.text.clear();
        self.text.shrink_to(KEEP);
        self.line = 0;
    }
}

/// Lines with their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, end) = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(at) => (&rest[..at], at + 1 + usize::from(rest[at..].starts_with(b"\r\n"))),
            None => (rest, rest.len()),
        };
        rest = &rest[end..];
        Some(line)
    })
}

fn read_event(raw: &[u8], torn: bool) -> SseEvent<'_> {
    let mut out = SseEvent {
        data: Cow::Borrowed(&[]),
        data_lines: 0,
        event: None,
        id: None,
        retry: None,
        raw,
        plain: false,
        torn,
    };
    for line in lines(raw.strip_prefix(BOM).unwrap_or(raw)) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if out.data_lines == 0 {
                    out.data = Cow::Borrowed(value);
                } else {
                    let data = out.data.to_mut();
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                out.data_lines = out.data_lines.saturating_add(1);
            }
            b"event" => out.event = Some(String::from_utf8_lossy(value)),
            b"id" if !value.contains(&0) => out.id = Some(String::from_utf8_lossy(value)),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                out.retry = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            }
            _ => {}
        }
    }
    let mut rest = Some(raw);
    parts(out.event.as_deref(), out.id.as_deref(), out.retry, &out.data, |part| {
        rest = rest.and_then(|r| r.strip_prefix(part));
    });
    out.plain = rest == Some(b"");
    out
}

/// The plain form of an event's lines, without the blank line at its end.
fn parts(event: Option<&str>, id: Option<&str>, retry: Option<u64>, data: &[u8], mut part: impl FnMut(&[u8])) {
    for (name, value) in [("event: ", event), ("id: ", id)] {
        if let Some(value) = value {
            part(name.as_bytes());
            part(value.as_bytes());
            part(b"\n");
        }
    }
    if let Some(retry) = retry {
        part(b"retry: ");
        part(retry.to_string().as_bytes());
        part(b"\n");
    }
    if data.is_empty() {
        part(b"data: \n");
    }
    for line in lines(data) {
        part(b"data: ");
        part(line);
        part(b"\n");
    }
    if data.ends_with(b"\n") || data.ends_with(b"\r") {
        part(b"data: \n");
    }
}

/// Writes an event plainly: `event`, `id` and `retry` where given, a `data` line for each line of `data`, a blank line.
///
/// The fields of a line cannot hold line ends: in `event` and `id` they are left out.
pub fn write_event(out: &mut Vec<u8>, event: Option<&str>, id: Option<&str>, retry: Option<u64>, data: &[u8]) {
    let one_line = |s: &str| s.replace(['\r', '\n'], "");
    let (event, id) = (event.map(one_line), id.map(one_line));
    parts(event.as_deref(), id.as_deref(), retry, data, |part| out.extend_from_slice(part));
    out.push(b'\n');
}

/// Writes a comment line and a blank line after it, as keep-alives are sent.
pub fn write_comment(out: &mut Vec<u8>, text: &[u8]) {
    if text.is_empty() {
        out.extend_from_slice(b":\n");
    }
    for line in lines(text) {
        out.extend_from_slice(b": ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// An item without borrows.
    #[derive(Clone, PartialEq, Eq, Debug, Default)]
    struct Seen {
        comment: bool,
        data: String,
        lines: u32,
        event: Option<String>,
        id: Option<String>,
        retry: Option<u64>,
        raw: Vec<u8>,
        plain: bool,
        torn: bool,
    }

    fn seen(item: SseItem<'_>) -> Seen {
        match item {
            SseItem::Comment { text, raw, plain } => Seen {
                comment: true,
                data: String::from_utf8_lossy(text).into_owned(),
                raw: raw.to_vec(),
                plain,
                ..Seen::default()
            },
            SseItem::Event(e) => Seen {
                comment: false,
                data: String::from_utf8_lossy(&e.data).into_owned(),
                lines: e.data_lines,
                event: e.event.map(Cow::into_owned),
                id: e.id.map(Cow::into_owned),
                retry: e.retry,
                raw: e.raw.to_vec(),
                plain: e.plain,
                torn: e.torn,
            },
        }
    }

    fn read(chunks: &[&[u8]]) -> Vec<Seen> {
        let mut parser = SseParser::new();
        let mut out = Vec::new();
        for chunk in chunks {
            parser.push(chunk, |i| out.push(seen(i)));
        }
        parser.finish(|i| out.push(seen(i)));
        out
    }

    fn data(text: &str) -> Vec<String> {
        read(&[text.as_bytes()]).into_iter().map(|s| s.data).collect()
    }

    #[test]
    fn fields_as_the_standard_has_them() {
        let all = read(&[b"event: message\nid: 4\nretry: 100\ndata: {\"a\":1}\n\n"]);
        assert_eq!(all.len(), 1);
        assert_eq!(
            (all[0].event.as_deref(), all[0].id.as_deref(), all[0].retry),
            (Some("message"), Some("4"), Some(100))
        );
        assert!(all[0].plain && !all[0].torn);
        assert_eq!(data("data\n\ndata\ndata\n\ndata:x\n\n"), ["", "\n", "x"]);
        assert_eq!(data("data:  two blanks\n\n"), [" two blanks"]);
        assert_eq!(data("data: a\ndata: b\nData: c\nfoo\n\n"), ["a\nb"]);
        let odd = read(&[b"id: a\0b\nretry: 1x\ndata: y\n\n"]);
        assert_eq!((odd[0].id.clone(), odd[0].retry, odd[0].plain), (None, None, false));
        let priming = read(&[b"id: 7\n\n"]);
        assert_eq!((priming[0].lines, priming[0].id.as_deref(), priming[0].plain), (0, Some("7"), false));
    }

    #[test]
    fn every_line_end_and_every_cut() {
        for end in ["\n", "\r\n", "\r"] {
            let text = [": ping", "", "data: 1", "data: 2", "", "", "event: x", "data: 3", "", "data: torn"].join(end);
            let text = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
            let want = read(&[&text]);
            assert_eq!(
                want.iter().map(|s| s.data.as_str()).collect::<Vec<_>>(),
                ["ping", "1\n2", "3", "torn"],
                "{end:?}"
            );
            assert!(want[0].comment && want[3].torn);
            assert_eq!(want[2].plain, end == "\n");
            for a in 0..=text.len() {
                for b in a..=text.len() {
                    assert_eq!(read(&[&text[..a], &text[a..b], &text[b..]]), want, "{end:?} cut at {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn an_event_is_given_out_with_its_blank_line() {
        for end in ["\n", "\r\n", "\r"] {
            let mut parser = SseParser::new();
            let mut n = 0;
            parser.push(format!("data: 1{end}").as_bytes(), |_| n += 1);
            assert_eq!(n, 0);
            parser.push(&end.as_bytes()[..1], |_| n += 1);
            assert_eq!(n, 1, "{end:?}");
        }
    }

    #[test]
    fn plain_is_what_the_writer_writes() {
        let plain = |text: &str| read(&[text.as_bytes()]).iter().map(|s| s.plain).collect::<Vec<_>>();
        assert_eq!(plain("data: x\n\n"), [true]);
        assert_eq!(plain("data:x\n\n"), [false]);
        assert_eq!(plain("data: x\nevent: y\n\n"), [false]);
        assert_eq!(plain("event: y\ndata: x\n\n"), [true]);
        assert_eq!(plain("data: \n\n"), [true]);
        assert_eq!(plain("data:\n\n"), [false]);
        assert_eq!(plain(": ping\n\n:ping\n\n:\n\n"), [true, false, true]);
        assert_eq!(plain("data: x\n: note\n\n"), [false]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_and_is_plain(
            event in proptest::option::of("[a-z/]{0,8}"), id in proptest::option::of("[ -~]{0,8}"),
            retry in proptest::option::of(0u64..100_000), data in "[a-z:\n ]{0,40}",
        ) {
            let mut out = Vec::new();
            write_event(&mut out, event.as_deref(), id.as_deref(), retry, data.as_bytes());
            let all = read(&[&out]);
            prop_assert_eq!(all.len(), 1);
            prop_assert!(all[0].plain);
            prop_assert_eq!(&all[0].data, &data);
            prop_assert_eq!(&all[0].event, &event);
            prop_assert_eq!(&all[0].id, &id);
            prop_assert_eq!(all[0].retry, retry);
        }

        #[test]
        fn chunks_change_nothing(
            text in "(data|event|id|retry|:|: |\n|\r|\r\n|x|\u{FEFF}|7){0,40}",
            cuts in proptest::collection::vec(0usize..120, 0..8),
        ) {
            let text = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[text]));
        }
    }
}
