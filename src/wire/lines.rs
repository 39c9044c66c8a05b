//! Lines as stdio has them: split at 0x0A and nowhere else, whatever the chunks.

use super::frame::Eol;

/// One line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// Everything before the line end.
    pub bytes: &'a [u8],
    /// How it ended. One carriage return before the line feed belongs to the end; at the end of the stream to the line.
    pub eol: Eol,
}

/// Splits a stream into lines. U+2028, a lone carriage return and NUL end nothing.
///
/// There is no cap: a line may be as long as memory. Work is linear, and a line that lies whole in one chunk is not copied.
#[derive(Default, Debug)]
pub struct LineSplitter {
    /// Begun and not ended.
    partial: Vec<u8>,
}

/// Memory kept for the next line after a long one.
const KEEP: usize = 1 << 20;

impl LineSplitter {
    /// At the beginning of a stream.
    pub fn new() -> LineSplitter {
        LineSplitter::default()
    }

    /// Takes the next bytes and gives out each line that they complete.
    pub fn push(&mut self, mut bytes: &[u8], mut line: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let head = &bytes[..end];
            if self.partial.is_empty() {
                line(whole(head));
            } else {
                self.partial.extend_from_slice(head);
                line(whole(&self.partial));
                self.partial.clear();
                self.partial.shrink_to(KEEP);
            }
            bytes = &bytes[end + 1..];
        }
        self.partial.extend_from_slice(bytes);
    }

    /// Ends the stream: what has no line end is given out as it is, with [`Eol::None`].
    pub fn finish(&mut self, mut line: impl FnMut(Line<'_>)) {
        let rest = std::mem::take(&mut self.partial);
        if !rest.is_empty() {
            line(Line { bytes: &rest, eol: Eol::None });
        }
    }

    /// The line that has begun and not ended; empty between lines.
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }
}

fn whole(bytes: &[u8]) -> Line<'_> {
    match bytes.strip_suffix(b"\r") {
        Some(bytes) => Line { bytes, eol: Eol::CrLf },
        None => Line { bytes, eol: Eol::Lf },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<(Vec<u8>, Eol)> {
        let mut splitter = LineSplitter::new();
        let mut lines = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, |l| lines.push((l.bytes.to_vec(), l.eol)));
        }
        splitter.finish(|l| lines.push((l.bytes.to_vec(), l.eol)));
        lines
    }

    #[test]
    fn only_a_line_feed_ends_a_line() {
        let text = "a\r\n\r\n\nb\rc\u{2028}d\0\r\r\ntorn\r".as_bytes();
        let want = [
            (b"a".to_vec(), Eol::CrLf),
            (b"".to_vec(), Eol::CrLf),
            (b"".to_vec(), Eol::Lf),
            ("b\rc\u{2028}d\0\r".as_bytes().to_vec(), Eol::CrLf),
            (b"torn\r".to_vec(), Eol::None),
        ];
        for cut in 0..=text.len() {
            assert_eq!(split(&[&text[..cut], &text[cut..]]), want, "cut at {cut}");
        }
        assert!(split(&[b""]).is_empty());
    }

    proptest! {
        #[test]
        fn chunks_change_nothing_and_no_byte_is_lost(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            cuts in proptest::collection::vec(0usize..200, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            let lines = split(&chunks);
            prop_assert_eq!(&lines, &split(&[&text]));
            let mut back = Vec::new();
            for (bytes, eol) in lines {
                back.extend(bytes);
                back.extend_from_slice(match eol { Eol::Lf => b"\n", Eol::CrLf => b"\r\n", Eol::None => b"" });
            }
            prop_assert_eq!(back, text);
        }
    }
}
