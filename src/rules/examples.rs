//! The examples of the catalogue as traffic: steps parsed, and fed as the items of a trace.
//!
//! The header of `assets/rules.toml` defines the steps and the state that an example starts in. A synthetic handshake,
//! where there is one, has line 0, so that the lines of findings are those of the example itself.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::catalogue::Entry;
use crate::mcp::Revision;
use crate::wire::frame::{
    Dir, Encoding, Eol, Event, EventKind, Frame, Headers, Http, HttpEnd, HttpKind, Item, Micros, Place,
};

/// When the first step of an example happens, in microseconds: late enough for a handshake before it.
const START: Micros = 1_000_000;
/// Time between two steps that do not say `at`.
const PACE: Micros = 1_000;
/// HTTP exchanges of the synthetic handshake count from here, out of reach of the examples' own numbers.
const HANDSHAKE_STREAM: u32 = 900_000_000;

/// Why an example cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bad {
    /// Line of the example, from 1.
    pub line: u32,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Something goes over the wire.
    Frame {
        /// Which way.
        dir: Dir,
        /// Its bytes.
        payload: Vec<u8>,
        /// How it ends on the wire.
        eol: Eol,
        /// HTTP context; `None` on stdio. Boxed: most steps have none.
        http: Option<Box<Http<'static>>>,
    },
    /// Something happens.
    Event(EventKind),
}

/// One line of an example. A `raw` with line feeds on stdio becomes several steps with the same line.
#[derive(Clone, Debug)]
pub struct Step {
    /// Line of the example, from 1; 0 for what belongs to the starting state.
    pub line: u32,
    /// When.
    pub t: Micros,
    /// What.
    pub action: Action,
}

/// A playable example.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// All steps in order, those of the starting state first.
    pub steps: Vec<Step>,
    /// It says that the trace ends: only then may something be reported as unanswered.
    pub ends: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    dir: Option<&'a str>,
    #[serde(borrow)]
    msg: Option<&'a RawValue>,
    raw: Option<String>,
    raw_b64: Option<String>,
    eol: Option<bool>,
    at: Option<Micros>,
    x: Option<u32>,
    #[serde(borrow)]
    http: Option<Head<'a>>,
    sse: Option<Sse>,
    close: Option<bool>,
    event: Option<&'a str>,
    status: Option<i32>,
    end: Option<bool>,
    pad: Option<Pad>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    path: Option<Cow<'a, str>>,
    status: Option<u16>,
    #[serde(default)]
    headers: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sse {
    event: Option<String>,
    id: Option<String>,
    data: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pad {
    pointer: String,
    bytes: usize,
}

impl Written<'_> {
    fn payload(&self) -> Result<Vec<u8>, String> {
        if let (Some(msg), Some(pad)) = (self.msg, &self.pad) {
            return pad_out(msg, pad);
        }
        let data = self.sse.as_ref().and_then(|s| s.data.as_ref());
        Ok(match (self.msg, &self.raw, &self.raw_b64, data) {
            (Some(msg), ..) => msg.get().as_bytes().to_vec(),
            (_, Some(raw), ..) => raw.as_bytes().to_vec(),
            (_, _, Some(b64), _) => {
                base64::engine::general_purpose::STANDARD.decode(b64).map_err(|e| format!("raw_b64: {e}"))?
            }
            (_, _, _, Some(data)) => data.as_bytes().to_vec(),
            _ => Vec::new(),
        })
    }

    fn dir(&self) -> Result<Dir, String> {
        match self.dir {
            Some("c2s") => Ok(Dir::C2s),
            Some("s2c") => Ok(Dir::S2c),
            Some("err") => Ok(Dir::Err),
            other => Err(format!("dir is {other:?}")),
        }
    }

    fn http(&self) -> Result<Option<Http<'static>>, String> {
        let stream = match (self.x, &self.http, &self.sse) {
            (Some(x), ..) => x,
            (None, None, None) => return Ok(None),
            _ => return Err("http and sse need x, the number of the exchange".to_owned()),
        };
        let own = |c: &Option<Cow<'_, str>>| c.as_ref().map(|c| Cow::Owned(c.to_string()));
        Ok(match (&self.http, &self.sse) {
            (Some(head), _) => {
                let kind = if head.status.is_some() { HttpKind::Response } else { HttpKind::Request };
                let mut http = Http::new(kind, stream);
                http.method = own(&head.method);
                http.path = own(&head.path);
                http.status = head.status;
                for (name, value) in &head.headers {
                    let value = value.as_str().ok_or_else(|| format!("header {name} is not a string"))?;
                    http.headers.push((Cow::Owned(name.clone()), Cow::Owned(value.to_owned())));
                }
                Some(http)
            }
            (None, Some(sse)) => {
                let mut http = Http::new(HttpKind::Sse, stream);
                http.event = sse.event.clone().map(Cow::Owned);
                http.id = sse.id.clone().map(Cow::Owned);
                Some(http)
            }
            (None, None) => None,
        })
    }
}

fn pad_out(msg: &RawValue, pad: &Pad) -> Result<Vec<u8>, String> {
    let mut value: serde_json::Value = serde_json::from_str(msg.get()).map_err(|e| e.to_string())?;
    match value.pointer_mut(&pad.pointer) {
        Some(serde_json::Value::String(s)) => *s = "A".repeat(pad.bytes),
        _ => return Err(format!("pad: no string at {}", pad.pointer)),
    }
    serde_json::to_vec(&value).map_err(|e| e.to_string())
}

/// Reads the steps of an example, without a starting state.
pub fn steps(text: &str) -> Result<Example, Bad> {
    let mut example = Example::default();
    let mut t = START - PACE;
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        read(line, text, &mut t, &mut example).map_err(|why| Bad { line, why })?;
    }
    Ok(example)
}

fn read(line: u32, text: &str, t: &mut Micros, example: &mut Example) -> Result<(), String> {
    let step: Written<'_> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    *t = step.at.map_or(*t + PACE, |ms| START + ms * 1000);
    let mut push = |action| example.steps.push(Step { line, t: *t, action });

    if step.end == Some(true) {
        push(Action::Event(EventKind::End { frames: None }));
        example.ends = true;
        return Ok(());
    }
    if let Some(name) = step.event {
        push(Action::Event(match name {
            "exit" => EventKind::Exit { status: step.status, signal: None },
            _ => return Err(format!("unknown event {name}")),
        }));
        return Ok(());
    }
    let dir = step.dir()?;
    if step.close == Some(true) {
        push(match step.x {
            Some(x) => {
                let mut http = Http::new(HttpKind::End, x);
                http.how = Some(if dir == Dir::C2s { HttpEnd::Client } else { HttpEnd::Eof });
                Action::Frame { dir, payload: Vec::new(), eol: Eol::Lf, http: Some(Box::new(http)) }
            }
            None => Action::Event(EventKind::Eof { of: dir }),
        });
        return Ok(());
    }
    let payload = step.payload()?;
    if let Some(http) = step.http()? {
        push(Action::Frame { dir, payload, eol: Eol::Lf, http: Some(Box::new(http)) });
        return Ok(());
    }
    // On stdio a line feed ends a line wherever it stands: what reaches the peer is several lines.
    let last = payload.iter().filter(|b| **b == b'\n').count();
    for (i, part) in payload.split(|b| *b == b'\n').enumerate() {
        let (part, eol) = match part.strip_suffix(b"\r") {
            _ if i == last && step.eol == Some(false) => (part, Eol::None),
            Some(rest) => (rest, Eol::CrLf),
            None => (part, Eol::Lf),
        };
        push(Action::Frame { dir, payload: part.to_vec(), eol, http: None });
    }
    Ok(())
}

impl Example {
    /// The good (or bad) example of a rule, with the state that it starts in.
    pub fn of(entry: &Entry, bad: bool) -> Result<Example, Bad> {
        let mut example = steps(if bad { &entry.bad } else { &entry.good })?;
        example.steps.splice(0..0, start(&example, entry.example_revision));
        Ok(example)
    }

    /// As the items of a trace, in order, for the analysis.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        self.steps.iter().map(|step| match &step.action {
            Action::Frame { dir, payload, eol, http } => Item::Frame(Frame {
                line: step.line,
                t: step.t,
                dir: *dir,
                conn: 1,
                payload,
                eol: *eol,
                http: http.as_deref().cloned(),
                place: Place { offset: 0, len: 0, encoding: Encoding::Memory },
            }),
            Action::Event(kind) => Item::Event(Event { line: step.line, t: step.t, conn: 1, kind: kind.clone() }),
        })
    }
}

/// The state that an example starts in: a connection that began at its beginning, and a finished handshake where the
/// revision has one and the example does not make it itself.
fn start(example: &Example, revision: Revision) -> Vec<Step> {
    let frames = || {
        example.steps.iter().filter_map(|s| match &s.action {
            Action::Frame { payload, http, .. } => Some((payload, http)),
            Action::Event(_) => None,
        })
    };
    let http = frames().any(|(_, http)| http.is_some());
    let own = frames().any(|(payload, _)| memchr::memmem::find(payload, br#""method":"initialize""#).is_some());
    // The two-endpoint transport is what its own rule reports: an example of it begins with its stream.
    let sse = http && revision == Revision::V2024_11_05;
    let mut out = vec![Step {
        line: 0,
        t: 0,
        action: Action::Event(if http { EventKind::Open } else { EventKind::Spawn { pid: None } }),
    }];
    if !revision.is_modern() && !own && !sse {
        handshake(revision, http, &mut out);
    }
    out
}

/// `initialize`, its result and `notifications/initialized`, with every capability that the revision has.
fn handshake(revision: Revision, http: bool, out: &mut Vec<Step>) {
    let r = revision.as_str();
    let since = |first, text: &'static str| if revision >= first { text } else { "" };
    let client = format!(
        r#"{{"roots":{{"listChanged":true}},"sampling":{{{}}}{}{}}}"#,
        since(Revision::V2025_11_25, r#""context":{},"tools":{}"#),
        match revision {
            Revision::V2025_11_25 => r#","elicitation":{"form":{},"url":{}}"#,
            _ => since(Revision::V2025_06_18, r#","elicitation":{}"#),
        },
        since(
            Revision::V2025_11_25,
            r#","tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}"#
        ),
    );
    let server = format!(
        r#"{{"logging":{{}},"prompts":{{"listChanged":true}},"resources":{{"subscribe":true,"listChanged":true}},"tools":{{"listChanged":true}}{}{}}}"#,
        since(Revision::V2025_03_26, r#","completions":{}"#),
        since(Revision::V2025_11_25, r#","tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#),
    );
    // An id that no example uses: legacy ids may not be used twice in a session.
    let id = 987_654_321;
    let messages = [
        (
            Dir::C2s,
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{r}","capabilities":{client},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
            ),
        ),
        (
            Dir::S2c,
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{r}","capabilities":{server},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
            ),
        ),
        (Dir::C2s, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()),
    ];
    for (i, (dir, message)) in messages.into_iter().enumerate() {
        let t = (i as Micros + 1) * PACE;
        let stream = HANDSHAKE_STREAM + (i / 2) as u32;
        let context = http.then(|| match dir {
            Dir::C2s => post(stream, (i == 2 && revision >= Revision::V2025_06_18).then_some(revision)),
            _ => answer(stream, 200, vec![("content-type", "application/json")]),
        });
        out.push(frame(t, dir, message.into_bytes(), context));
    }
    if http {
        out.push(frame(4 * PACE, Dir::S2c, Vec::new(), Some(answer(HANDSHAKE_STREAM + 1, 202, Vec::new()))));
    }
}

fn frame(t: Micros, dir: Dir, payload: Vec<u8>, http: Option<Http<'static>>) -> Step {
    Step { line: 0, t, action: Action::Frame { dir, payload, eol: Eol::Lf, http: http.map(Box::new) } }
}

fn borrowed(list: Vec<(&'static str, &'static str)>) -> Headers<'static> {
    list.into_iter().map(|(n, v)| (Cow::Borrowed(n), Cow::Borrowed(v))).collect()
}

fn post(stream: u32, version: Option<Revision>) -> Http<'static> {
    let mut http = Http::new(HttpKind::Request, stream);
    http.method = Some(Cow::Borrowed("POST"));
    http.path = Some(Cow::Borrowed("/mcp"));
    http.headers =
        borrowed(vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")]);
    if let Some(version) = version {
        http.headers.push((Cow::Borrowed("mcp-protocol-version"), Cow::Borrowed(version.as_str())));
    }
    http
}

fn answer(stream: u32, status: u16, headers: Vec<(&'static str, &'static str)>) -> Http<'static> {
    let mut http = Http::new(HttpKind::Response, stream);
    http.status = Some(status);
    http.headers = borrowed(headers);
    http
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rules::catalogue;
    use crate::wire::json::Parser;

    #[test]
    fn every_example_of_the_catalogue_can_be_played() {
        for entry in catalogue::entries() {
            for bad in [false, true] {
                let example = Example::of(entry, bad).unwrap_or_else(|e| panic!("{}, bad {bad}: {e}", entry.id));
                let text = if bad { &entry.bad } else { &entry.good };
                let mut line = 0;
                let mut t = -1;
                for item in example.items() {
                    let (l, at) = match &item {
                        Item::Frame(f) => (f.line, f.t),
                        Item::Event(e) => (e.line, e.t),
                    };
                    assert!(l == line || l == line + 1, "{}: {line} then {l}", entry.id);
                    assert!(at >= t, "{}: time runs backwards", entry.id);
                    (line, t) = (l, at);
                }
                assert_eq!(line as usize, text.lines().count(), "{}", entry.id);
            }
        }
    }

    #[test]
    fn messages_are_the_bytes_of_the_example() {
        let e = steps(r#"{"dir":"c2s","msg":{"id": 1.0,"a":12345678901234567890123}}"#).unwrap();
        let Some(Item::Frame(f)) = e.items().next() else { panic!() };
        assert_eq!(f.payload, br#"{"id": 1.0,"a":12345678901234567890123}"#);
        assert_eq!(f.eol, Eol::Lf);
    }

    #[test]
    fn raw_text_on_stdio_is_cut_at_line_feeds() {
        let e = steps(r#"{"dir":"c2s","raw":"A: 1\r\n\r\n{}"}"#).unwrap();
        let seen: Vec<_> = e
            .items()
            .map(|i| match i {
                Item::Frame(f) => (f.line, f.payload.to_vec(), f.eol),
                Item::Event(_) => panic!(),
            })
            .collect();
        assert_eq!(seen, [(1, b"A: 1".to_vec(), Eol::CrLf), (1, Vec::new(), Eol::CrLf), (1, b"{}".to_vec(), Eol::Lf)]);
        let e = steps("{\"dir\":\"s2c\",\"raw\":\"{\\\"a\",\"eol\":false}\n{\"end\":true}").unwrap();
        assert!(e.ends && matches!(&e.steps[0].action, Action::Frame { eol: Eol::None, .. }));
    }

    #[test]
    fn padding_close_and_exit() {
        let e = steps(
            "{\"dir\":\"s2c\",\"msg\":{\"a\":[\"x\"]},\"pad\":{\"pointer\":\"/a/0\",\"bytes\":10}}\n\
             {\"dir\":\"c2s\",\"x\":3,\"close\":true}\n{\"dir\":\"s2c\",\"close\":true}\n\
             {\"event\":\"exit\",\"status\":9}",
        )
        .unwrap();
        let items: Vec<_> = e.items().collect();
        assert!(matches!(&items[0], Item::Frame(f) if f.payload == br#"{"a":["AAAAAAAAAA"]}"#));
        let Item::Frame(close) = &items[1] else { panic!() };
        assert_eq!(close.http.as_ref().unwrap().how, Some(HttpEnd::Client));
        assert!(matches!(&items[2], Item::Event(Event { kind: EventKind::Eof { of: Dir::S2c }, .. })));
        assert!(matches!(&items[3], Item::Event(Event { kind: EventKind::Exit { status: Some(9), .. }, .. })));
        assert!(!e.ends);
        assert_eq!(steps("{\"dir\":\"up\",\"msg\":1}").unwrap_err().line, 1);
    }

    #[test]
    fn handshakes_are_clean_json_and_declare_everything() {
        use crate::mcp::capabilities::tree;
        use crate::wire::frame::Side;
        let mut parser = Parser::new();
        for revision in Revision::ALL.into_iter().filter(|r| !r.is_modern()) {
            let mut out = Vec::new();
            handshake(revision, false, &mut out);
            for (step, side, at) in [(0, Side::Client, "/params"), (1, Side::Server, "/result")] {
                let Action::Frame { payload, .. } = &out[step].action else { panic!() };
                let doc = parser.parse(payload);
                assert!(doc.faults().syntax.is_none());
                let capabilities = doc.root().unwrap().at(&format!("{at}/capabilities")).unwrap();
                for c in tree(side, revision).filter(|c| c.path != "experimental") {
                    let keys: Vec<_> = c.path.split('.').collect();
                    assert!(capabilities.path(&keys).is_some(), "{} in {revision}", c.path);
                }
            }
        }
    }
}
