//! One line of a trace, looked at once: where its members stand.

use std::ops::Range;

use super::event::direction;
use super::grammar;
use super::scan::{Scan, micros, unsigned};
use crate::wire::frame::{Dir, Encoding, Eol, Micros};

/// The members of one line. `http` and `event` are read only where they are there.
#[derive(Default)]
pub(super) struct Line<'a> {
    pub header: bool,
    pub t: Option<Micros>,
    pub dir: Option<Dir>,
    /// `dir` is `ctl`: a life-cycle line.
    pub ctl: bool,
    pub conn: Option<u32>,
    pub eol: Option<Eol>,
    pub event: Option<&'a [u8]>,
    pub http: Option<&'a [u8]>,
    pub payload: Option<(Encoding, Range<usize>)>,
}

/// Why a line is no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bad {
    /// It begins as one and ends too early.
    Torn,
    /// It is something else.
    Other(&'static str),
}

impl<'a> Line<'a> {
    /// Reads a line without its line feed.
    pub fn read(line: &'a [u8]) -> Result<Self, Bad> {
        let mut scan = Scan::new(line);
        if !scan.take(b'{') {
            return Err(Bad::Other("no JSON object"));
        }
        let mut me = Line::default();
        loop {
            let key = scan.key().ok_or(Bad::Torn)?;
            if key == b"msg" {
                let from = scan.i;
                match me.rest(line, from) {
                    Some(payload) => {
                        me.payload = Some((Encoding::Verbatim, payload));
                        return Ok(me);
                    }
                    // Another tool wrote members behind it, or before `t`: then by its brackets.
                    None => {
                        let value = scan.skip().ok_or(Bad::Torn)?;
                        if !grammar::is_one_value(value) {
                            return Err(Bad::Torn);
                        }
                        me.payload = Some((Encoding::Verbatim, scan.i - value.len()..scan.i));
                    }
                }
            } else {
                let value = scan.skip().ok_or(Bad::Torn)?;
                me.member(key, value, scan.i);
            }
            match scan.peek() {
                Some(b',') => scan.i += 1,
                Some(b'}') => break,
                None => return Err(Bad::Torn),
                Some(_) => return Err(Bad::Other("no JSON object")),
            }
        }
        scan.i += 1;
        match scan.peek() {
            None => Ok(me),
            Some(_) => Err(Bad::Torn),
        }
    }

    /// The payload behind `msg`: everything up to the line's last brace, if that can be right.
    fn rest(&self, line: &[u8], from: usize) -> Option<Range<usize>> {
        let to = line.iter().rposition(|c| *c > b' ').filter(|at| line[*at] == b'}')?;
        if self.t.is_none() || self.dir.is_none() || to <= from {
            return None;
        }
        let payload = &line[from..to];
        // The recorder wrote one whole JSON value here. Looking at each again would double the work of a reader, so only
        // what looks cut off or glued to the next record is looked at.
        let first = payload.iter().find(|c| **c > b' ')?;
        let last = payload.iter().rfind(|c| **c > b' ')?;
        let closed = match first {
            b'{' => *last == b'}',
            b'[' => *last == b']',
            b'"' => *last == b'"',
            _ => false,
        };
        let suspicious = !closed || memchr::memmem::find(payload, b"{\"t\":").is_some();
        (!suspicious || grammar::is_one_value(payload)).then_some(from..to)
    }

    fn member(&mut self, key: &[u8], value: &'a [u8], end: usize) {
        let inside = || end - value.len() + 1..end - 1;
        match key {
            b"t" => self.t = micros(value),
            b"dir" => {
                self.dir = direction(value);
                self.ctl = value == b"\"ctl\"";
            }
            b"conn" | b"proc" => self.conn = unsigned(value).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
            b"eol" => {
                self.eol = Some(match value {
                    b"\"\"" => Eol::None,
                    b"\"\\r\\n\"" => Eol::CrLf,
                    _ => Eol::Lf,
                });
            }
            b"nl" if value == b"false" => self.eol = Some(Eol::None),
            b"event" if value.first() == Some(&b'"') => self.event = Some(&value[1..value.len() - 1]),
            b"http" => self.http = Some(value),
            b"text" | b"raw" if value.first() == Some(&b'"') => self.payload = Some((Encoding::JsonString, inside())),
            b"b64" | b"raw_b64" if value.first() == Some(&b'"') => self.payload = Some((Encoding::Base64, inside())),
            b"mcpscope_trace" => self.header = true,
            _ => {}
        }
    }
}
