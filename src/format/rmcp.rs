//! Tracing output of rmcp, the Rust SDK: lines with the target `rmcp::service`.
//!
//! Requests and results are Rust's debug text, which cannot be read back: events only.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "rmcp", about: "tracing output of rmcp (Rust SDK)", detect, read };

/// The part of a line after its target.
fn said(line: &[u8]) -> Option<&[u8]> {
    let start = memchr::memmem::find(&line[..line.len().min(400)], b"rmcp::")?;
    let end = memchr::memmem::find(&line[start..], b": ")?;
    Some(&line[start + end + 2..])
}

fn detect(head: &Head<'_>) -> Confidence {
    let timed = |l: &&[u8]| time::stamp(l).is_some() && said(l).is_some();
    let count = head.lines().filter(timed).take(2).count();
    if count == 2 { Confidence::Sure } else { Confidence::likely_if(count == 1) }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES | Missing::BODIES;
    let mut last = None;
    for line in text::lines(bytes) {
        if let Some((stamp, _)) = time::stamp(line.text) {
            import.local |= !stamp.zoned;
            last = Some(stamp.micros);
        }
        let at = At { line: line.number, t: last, conn: 1 };
        import.said(at, said(line.text).unwrap_or(line.text));
    }
    import.notes.push(
        "rmcp logs messages as Rust debug text, which cannot be read back: record the wire with mcpscope attach -- CMD"
            .into(),
    );
}
