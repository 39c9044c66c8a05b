//! Builds the envelope and the findings of a selection.

use std::sync::Arc;

use crate::mcp::meta;
use crate::rules::catalogue;
use crate::trace::{Finding, NONE, Outcome, RecordKind, Store};
use crate::tui::data::{Data, count, duration, seconds, size};
use crate::tui::list::Sel;
use crate::tui::theme::Ink;
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::Http;
use crate::wire::json::{Document, Value, visible};

use super::body::{Block, Body, Go, Pin, Text};
use super::payload;
use super::words;
use super::{Detail, Stamp};

pub(super) fn t(ink: Ink, text: impl Into<String>) -> (Ink, String) {
    (ink, text.into())
}

/// A message that was read for the panes.
pub(super) struct Loaded {
    pub(super) record: u32,
    pub(super) doc: Arc<Document>,
    /// Why its bytes could not be read.
    pub(super) lost: Option<String>,
}

impl Loaded {
    fn read(data: &Data<'_>, record: u32) -> Option<Loaded> {
        data.store.record(record)?;
        let (bytes, lost) = match data.message(record) {
            Ok(bytes) => (bytes, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        Some(Loaded { record, doc: Arc::new(Document::new(bytes)), lost })
    }

    pub(super) fn envelope(&self) -> Option<Envelope<'_>> {
        self.doc.doc().root().map(Envelope::read)
    }
}

pub(super) fn build(data: &Data<'_>, sel: Sel) -> Detail {
    let mut detail = Detail {
        sel,
        envelope: Body::default(),
        payload: Body::default(),
        findings: Body::default(),
        reason: None,
        stamp: Stamp::of(data, sel),
    };
    let store = data.store;
    match sel {
        Sel::Exchange(index) => {
            let Some(e) = store.exchanges.get(index as usize) else { return detail };
            let request = Loaded::read(data, e.request);
            let response = Loaded::read(data, e.response);
            let mut error = None;
            for (i, loaded) in [&request, &response].into_iter().flatten().enumerate() {
                if i > 0 {
                    detail.payload.blocks.push(Block::Blank);
                }
                message(data, &mut detail, loaded, Some(index));
                error = loaded.envelope().and_then(|e| failure_text(&e)).or(error);
            }
            if response.is_none() && e.request != NONE {
                no_answer(store, &mut detail, index);
            }
            steps(data, &mut detail.envelope, index);
            detail.reason = words::reason(store, index, error.as_deref());
        }
        Sel::Record(record) => {
            let Some(r) = store.record(record) else { return detail };
            match r.kind {
                RecordKind::Stderr => stderr(data, &mut detail, record),
                RecordKind::Event => {
                    let line = store.events.get(&record).map(|e| words::event(&e.kind)).unwrap_or_default();
                    let head = vec![t(Ink::Strong, "event"), t(Ink::Dim, format!("   t {}", seconds(r.t)))];
                    detail.envelope.blocks.push(Block::Line(head, None));
                    detail.payload.blocks.push(Block::Line(vec![t(Ink::Text, line)], None));
                }
                _ => {
                    if let Some(loaded) = Loaded::read(data, record) {
                        message(data, &mut detail, &loaded, None);
                    }
                    if r.exchange != NONE {
                        detail.envelope.blocks.push(Block::Blank);
                        let text = vec![t(Ink::Dim, "exchange "), t(Ink::Accent, format!("#{}", r.exchange + 1))];
                        detail.envelope.blocks.push(Block::Line(text, Some(Go::Sel(Sel::Exchange(r.exchange)))));
                    }
                }
            }
        }
    }
    findings(data, &mut detail);
    detail
}

/// `error.message`, or the first text of a result that failed.
fn failure_text(e: &Envelope<'_>) -> Option<String> {
    if let Some(message) = e.error_message() {
        return Some(message.into_owned());
    }
    let result = e.result?;
    if result.get("isError")?.as_bool() != Some(true) {
        return None;
    }
    let text = result.get("content")?.index(0)?.get("text")?.as_str()?;
    Some(text.lines().next().unwrap_or_default().chars().take(300).collect())
}

fn message(data: &Data<'_>, detail: &mut Detail, loaded: &Loaded, exchange: Option<u32>) {
    let store = data.store;
    let Some(r) = store.record(loaded.record) else { return };
    let env = loaded.envelope();
    let body = &mut detail.envelope;
    let part = body.add(loaded.doc.clone(), loaded.record);
    let (ink, arrow) = words::arrow(r.dir);
    let what = match r.kind {
        RecordKind::Request => "request",
        RecordKind::Notification => "notification",
        RecordKind::Response => "response",
        RecordKind::Error => "error response",
        RecordKind::Unrecognised => "no JSON-RPC message",
        RecordKind::Unreadable => "not JSON",
        RecordKind::Fragment => "part of a message",
        RecordKind::Http => "HTTP",
        RecordKind::Stderr => "stderr",
        RecordKind::Event => "event",
    };
    let mut head: Text = vec![t(ink, format!("{arrow} {what}"))];
    let method = store.name(r.method).map(str::to_owned);
    if let Some(method) = &method {
        head.push(t(Ink::Strong, format!("  {method}")));
    }
    if let Some(id) = env.as_ref().and_then(Envelope::id) {
        let kind = match id.kind {
            crate::wire::id::IdKind::Number => "number",
            crate::wire::id::IdKind::String => "string",
            crate::wire::id::IdKind::Null => "null",
            crate::wire::id::IdKind::Other => "no id",
        };
        head.push(t(Ink::Dim, "  id "));
        head.push(t(Ink::Strong, id.text.as_ref()));
        head.push(t(Ink::Dim, format!(" ({kind})")));
    }
    if r.kind.is_message() {
        let assumed = if r.judged.assumed { ", assumed" } else { "" };
        head.push(t(Ink::Dim, format!("  {}{assumed}", r.judged.revision)));
    }
    body.blocks.push(Block::Line(head, None));
    let mut facts: Text = vec![t(Ink::Dim, "  t "), t(Ink::Text, seconds(r.t))];
    let answers = exchange.and_then(|e| store.exchanges.get(e as usize)).filter(|e| e.response == loaded.record);
    if let Some(latency) = answers.and_then(|e| store.latency(e)) {
        facts.push(t(Ink::Dim, "  after "));
        facts.push(t(Ink::Strong, duration(latency)));
    }
    facts.push(t(Ink::Dim, "  "));
    facts.push(t(Ink::Text, size(loaded.doc.doc().bytes().len() as u64)));
    facts.push(t(Ink::Dim, format!(" bytes  frame {}", r.frame)));
    if r.line != 0 && r.line != r.frame {
        facts.push(t(Ink::Dim, format!(", line {}", r.line)));
    }
    body.blocks.push(Block::Line(facts, None));
    if let Some(lost) = &loaded.lost {
        body.blocks.push(Block::Line(vec![t(Ink::Error, "  its bytes cannot be read: "), t(Ink::Text, lost)], None));
    }
    if let Some(h) = store.http.get(&loaded.record) {
        http(body, h);
    }
    if let Some(env) = &env {
        envelope_members(body, part, env);
    }
    let response_head = answers.filter(|_| store.http.get(&loaded.record).is_none_or(|h| h.status.is_none()));
    if let Some(h) = response_head.and_then(|e| words::response_head(store, e.request)).and_then(|r| store.http.get(&r))
    {
        http(body, h);
    }
    let payload_part = detail.payload.add(loaded.doc.clone(), loaded.record);
    payload::sections(data, &mut detail.payload, payload_part, loaded, env.as_ref(), method.as_deref());
    pins(store, detail, part, payload_part, loaded, exchange);
}

fn field(body: &mut Body, name: &str, mut value: Text) {
    let mut line = vec![t(Ink::Dim, format!("  {name:<9} "))];
    line.append(&mut value);
    body.blocks.push(Block::Line(line, None));
}

fn http(body: &mut Body, h: &Http<'_>) {
    field(body, "http", vec![t(Ink::Strong, words::http(h)), t(Ink::Dim, format!("  exchange {}", h.stream))]);
    let mut all = String::from("{");
    for (name, value) in h.headers.iter().chain(&h.trailers) {
        let interesting = name.to_ascii_lowercase();
        if interesting.starts_with("mcp-") || interesting == "content-type" || interesting == "www-authenticate" {
            let line =
                vec![t(Ink::Dim, "    "), t(Ink::Key, name.as_ref()), t(Ink::Dim, ": "), t(Ink::Text, value.as_ref())];
            body.blocks.push(Block::Line(line, None));
        }
        if all.len() > 1 {
            all.push(',');
        }
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        all.push_str(&format!("{}:{}", quoted(name), quoted(value)));
    }
    if all.len() > 1 {
        // As an object they fold like everything else; order and repetition are kept.
        let doc = body.add(Arc::new(Document::new((all + "}").into_bytes())), NONE);
        let label = format!("headers {}", h.headers.len() + h.trailers.len());
        body.blocks.push(Block::Tree { doc, node: 0, label: Some(label), skip: &[], folded: true });
    }
    if let Some(bytes) = h.cut {
        field(body, "", vec![t(Ink::Warning, format!("{} bytes of the body were not recorded", size(bytes)))]);
    }
}

fn envelope_members(body: &mut Body, part: usize, env: &Envelope<'_>) {
    match env.jsonrpc {
        Some(v) if v.str_eq("2.0") => {}
        Some(v) => field(body, "jsonrpc", vec![t(Ink::Warning, visible(&v.raw_str()))]),
        None if env.kind != MessageKind::Unrecognised => {
            field(body, "jsonrpc", vec![t(Ink::Warning, "missing")]);
        }
        None => {}
    }
    if let Some(error) = env.error {
        let code = match error.get("code") {
            Some(code) => code.as_i64().map_or_else(|| visible(&code.raw_str()).into_owned(), words::code_name),
            None => "no code".to_owned(),
        };
        field(body, "error", vec![t(Ink::ProtocolError, code)]);
    }
    if let Some(result) = env.result {
        if let Some(kind) = result.get("resultType").and_then(Value::as_str) {
            let ink = if kind == "complete" { Ink::Text } else { Ink::Input };
            field(body, "result", vec![t(ink, kind)]);
        }
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            field(body, "isError", vec![t(Ink::ToolError, "true: the tool failed")]);
        }
    }
    for m in [env.params_meta(), env.result_meta()].into_iter().flatten() {
        let mut about = Vec::new();
        for (key, short) in [
            (meta::PROTOCOL_VERSION, ""),
            (meta::CLIENT_INFO, ""),
            (meta::SERVER_INFO, ""),
            (meta::PROGRESS_TOKEN, "progress "),
            (meta::SUBSCRIPTION_ID, "subscription "),
        ] {
            let Some(v) = m.get(key) else { continue };
            let text = match v.get("name").and_then(Value::as_str) {
                Some(name) => name.into_owned(),
                None => v.as_str().map_or_else(|| v.raw_str().into_owned(), |s| s.into_owned()),
            };
            about.push(format!("{short}{text}"));
        }
        let label = format!("_meta {}", about.join(" · "));
        body.blocks.push(Block::Tree { doc: part, node: m.node(), label: Some(label), skip: &[], folded: true });
    }
    if let Some((key, value)) = env.extra {
        let label = format!("{} (belongs to no message)", visible(&key.as_str()));
        body.blocks.push(Block::Tree { doc: part, node: value.node(), label: Some(label), skip: &[], folded: true });
    }
}

/// Pins findings to their values: in the payload where the value is shown there, else in the envelope.
fn pins(store: &Store, detail: &mut Detail, part: usize, payload_part: usize, loaded: &Loaded, _exchange: Option<u32>) {
    let doc = loaded.doc.doc();
    let covers = |body: &Body, own: usize, node: u32| {
        body.blocks.iter().any(|b| match b {
            Block::Tree { doc: d, node: root, .. } if *d == own => {
                doc.node(*root).is_some_and(|v| (v.node()..v.next_node()).contains(&node))
            }
            _ => false,
        })
    };
    for (index, f) in store.findings_of(loaded.record) {
        let (ink, _) = words::severity(f.severity);
        let pin = Pin {
            index,
            ink,
            message: f.message.to_string(),
            rule: f.rule,
            about: format!("{} · {}", f.layer.as_str(), f.owner.as_str()),
        };
        let node = f.pointer.as_deref().and_then(|p| place(doc.root()?, p)).map_or(0, |v| v.node());
        let in_payload = node > 0 && covers(&detail.payload, payload_part, node);
        let body = if in_payload { &mut detail.payload } else { &mut detail.envelope };
        let own = if in_payload { payload_part } else { part };
        let n = body.pins.len();
        if in_payload || covers(body, own, node) {
            body.pins.push(pin);
            body.parts[own].pins.push((node, n));
            body.parts[own].pins.sort_by_key(|(node, _)| *node);
        } else {
            // Nothing to pin it to: a line of its own in the envelope, under the message.
            let (ink, sign) = words::severity(f.severity);
            let line = vec![t(Ink::Dim, "  "), t(ink, format!("{sign} ")), t(ink, f.message.as_ref())];
            body.blocks.push(Block::Line(line, Some(Go::Rule(f.rule))));
        }
    }
}

/// The value that a pointer names, or the deepest one on its way: what is missing has no value of its own.
fn place<'a>(root: Value<'a>, pointer: &str) -> Option<Value<'a>> {
    let mut pointer = pointer;
    loop {
        if let Some(v) = root.at(pointer) {
            return Some(v);
        }
        // In a batch the pointer begins with the position of the message.
        let rest = pointer.get(1..).and_then(|p| p.split_once('/')).map(|(first, rest)| (first, rest.len()));
        if let Some((first, len)) = rest
            && first.bytes().all(|b| b.is_ascii_digit())
            && root.is_object()
        {
            pointer = &pointer[pointer.len() - len - 1..];
            continue;
        }
        pointer = &pointer[..pointer.rfind('/')?];
    }
}

fn no_answer(store: &Store, detail: &mut Detail, index: u32) {
    let Some(e) = store.exchanges.get(index as usize) else { return };
    let (ink, text) = match e.outcome {
        Outcome::Pending => (Ink::Pending, "no answer yet"),
        Outcome::Open => (Ink::Pending, "open by design: a subscription"),
        Outcome::Unanswered => (Ink::Odd, "never answered"),
        Outcome::Cancelled => (Ink::Cancelled, "cancelled, and not answered"),
        Outcome::Refused => (Ink::ProtocolError, "refused by HTTP, without a JSON-RPC reply"),
        _ => return,
    };
    for body in [&mut detail.envelope, &mut detail.payload] {
        body.blocks.push(Block::Blank);
        body.blocks.push(Block::Line(vec![t(ink, text)], None));
    }
    if let Some(h) = words::response_head(store, e.request).and_then(|r| store.http.get(&r)) {
        http(&mut detail.envelope, h);
    }
}

/// What belongs to the same operation: retries, cancellation, the request of a notification, an older use of the id.
fn steps(data: &Data<'_>, body: &mut Body, index: u32) {
    let store = data.store;
    let Some(e) = store.exchanges.get(index as usize) else { return };
    let mut lines: Vec<(&str, Sel, String)> = Vec::new();
    let name = |n: u32| {
        let (ink, words) = words::outcome(store, n, 0);
        let _ = ink;
        format!("#{} {words}", n + 1)
    };
    for (label, n) in
        [("retry of", e.retry_of), ("retried", e.retried_by), ("belongs to", e.parent), ("same id as", e.same_id)]
    {
        if n != NONE {
            lines.push((label, Sel::Exchange(n), name(n)));
        }
    }
    if let Some(r) = store.record(e.cancelled_by) {
        lines.push(("cancelled by", Sel::Record(e.cancelled_by), format!("frame {} at {}", r.frame, seconds(r.t))));
    }
    if !lines.is_empty() {
        body.blocks.push(Block::Blank);
    }
    for (label, sel, text) in lines {
        body.blocks
            .push(Block::Line(vec![t(Ink::Dim, format!("  {label} ")), t(Ink::Accent, text)], Some(Go::Sel(sel))));
    }
}

/// A burst of stderr lines, as it came.
fn stderr(data: &Data<'_>, detail: &mut Detail, first: u32) {
    let store = data.store;
    let Some(r) = store.record(first) else { return };
    let mut bytes = Vec::new();
    let mut n = 0;
    let mut last = r.t;
    for (i, record) in store.records.iter().enumerate().skip(first as usize).take(5_000) {
        if record.kind != RecordKind::Stderr || record.conn != r.conn || bytes.len() > 1 << 20 {
            break;
        }
        bytes.extend_from_slice(&data.frame(i as u32).unwrap_or_default());
        bytes.push(b'\n');
        n += 1;
        last = record.t;
    }
    let head = vec![
        t(Ink::Stderr, "! stderr"),
        t(Ink::Dim, format!("  {}  t {}", count(n, "line"), seconds(r.t))),
        t(Ink::Dim, if n > 1 { format!(" – {}", seconds(last)) } else { String::new() }),
    ];
    detail.envelope.blocks.push(Block::Line(head, None));
    detail
        .envelope
        .blocks
        .push(Block::Line(vec![t(Ink::Dim, "  written by the server for people; no peer reads it")], None));
    let doc = detail.payload.add(Arc::new(Document::new(bytes)), first);
    detail.payload.blocks.push(Block::Bytes { doc });
}

/// The findings of the selection, grouped by layer and owner.
fn findings(data: &Data<'_>, detail: &mut Detail) {
    let store = data.store;
    let mut all: Vec<(u32, &Finding)> = match detail.sel {
        Sel::Exchange(e) => {
            store.findings_of_exchange(e).into_iter().filter_map(|i| Some((i, store.finding(i)?))).collect()
        }
        Sel::Record(r) => store.findings_of(r).collect(),
    };
    all.sort_by_key(|(i, f)| (f.layer, f.owner, std::cmp::Reverse(f.severity), *i));
    let mut group = None;
    for (index, f) in all {
        if group != Some((f.layer, f.owner)) {
            group = Some((f.layer, f.owner));
            let line = vec![
                t(Ink::Strong, f.layer.as_str()),
                t(Ink::Dim, " · to be fixed by the "),
                t(Ink::Strong, f.owner.as_str()),
            ];
            detail.findings.blocks.push(Block::Line(line, None));
        }
        finding_lines(&mut detail.findings, index, f);
    }
}

fn finding_lines(body: &mut Body, _index: u32, f: &Finding) {
    let (ink, sign) = words::severity(f.severity);
    let go = Some(Go::Rule(f.rule));
    body.blocks.push(Block::Line(
        vec![t(ink, format!("  {sign} ")), t(Ink::Text, f.message.as_ref()), t(Ink::Dim, format!("  {}", f.rule))],
        go.clone(),
    ));
    let mut about: Text = vec![t(Ink::Dim, "    ")];
    if let Some(pointer) = f.pointer.as_deref().filter(|p| !p.is_empty()) {
        about.push(t(Ink::Key, pointer));
        about.push(t(Ink::Dim, "  "));
    }
    if let Some(expected) = &f.expected {
        about.push(t(Ink::Dim, "right would be "));
        about.push(t(Ink::Ok, expected.as_ref()));
        about.push(t(Ink::Dim, "  "));
    }
    if let Some(actual) = &f.actual {
        about.push(t(Ink::Dim, "sent was "));
        about.push(t(ink, actual.as_ref()));
        about.push(t(Ink::Dim, "  "));
    }
    if about.len() == 1 {
        about.push(t(Ink::Dim, catalogue::entry(f.rule).map_or("", |e| e.title.as_str())));
    }
    body.blocks.push(Block::Line(about, go));
}
