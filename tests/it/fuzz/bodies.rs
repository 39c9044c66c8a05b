//! What must hold for any bytes, as plain functions: run by proptest and over the corpus in the tests, and by the fuzz
//! targets in `fuzz/`. They panic where it does not hold.

use std::sync::Arc;

use mcpscope::wire::json::Document;
use mcpscope::wire::json::fit::fit_bytes;
use mcpscope::wire::json::pretty::{Pretty, write};
use mcpscope::wire::json::tree::{Options, Tree};
use mcpscope::wire::json::visible::visible_bytes_marked;
use mcpscope::wire::lines::LineSplitter;
use mcpscope::wire::sse::{SseItem, SseParser, write_event};

/// Reads, walks, lays out: the verdict is `serde_json`'s, spans are inside, output is bounded.
pub fn json_parse(data: &[u8]) {
    let document = Arc::new(Document::new(data));
    let doc = document.doc();
    let faults = doc.faults();
    let valid = faults.syntax.is_none()
        && !faults.trailing
        && !faults.bom
        && faults.nan.is_none()
        && faults.invalid_utf8.is_none();
    let theirs = serde_json::from_slice::<&serde_json::value::RawValue>(data).is_ok();
    assert_eq!(valid, theirs, "{faults:?}");
    assert!(doc.end() <= data.len());
    for node in 0..doc.len() as u32 {
        let Some(value) = doc.node(node) else { panic!("a node below the count is a value") };
        assert!(value.span().start < value.span().end && value.span().end <= doc.end());
        assert!(value.next_node() > node && value.next_node() as usize <= doc.len());
        if let Some(text) = value.as_str() {
            assert!(value.str_eq(&text));
        }
        if let Some(key) = value.key() {
            assert!(key == *key.as_str());
        }
        assert_eq!(value.children().count(), value.len());
    }
    if faults.duplicate_key.is_none()
        && let Some(last) = doc.node((doc.len() as u32).wrapping_sub(1))
        && last.depth() < 100
    {
        assert_eq!(doc.root().and_then(|r| r.at(&last.pointer())).map(|v| v.node()), Some(last.node()));
    }
    let Some(root) = doc.root() else { return };
    let mut written = Vec::new();
    write(root, &mut written);
    if valid {
        assert!(serde_json::from_slice::<&serde_json::value::RawValue>(&written).is_ok());
        if let Some(value) = root.to_serde() {
            assert_eq!(serde_json::from_slice::<serde_json::Value>(&written).ok(), Some(value));
        }
    }
    let pretty = Pretty::new(document.clone(), 0);
    for line in pretty.lines(0..200, 40) {
        assert!(line.tokens.columns <= 40);
    }
    let mut tree = Tree::new(document.clone(), 0, Options { cap: 5, ..Options::default() });
    for turn in 0..10 {
        for i in 0..tree.len().min(100) {
            let Some(row) = tree.row(i) else { panic!("a row below the count exists") };
            assert!(row.summary(30).columns <= 30);
        }
        tree.toggle(data.get(turn).copied().unwrap_or(0) as usize % tree.len());
    }
}

/// Cuts bytes into chunks whose sizes depend on the bytes themselves.
fn chunks(data: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut rest = data;
    while let Some(&first) = rest.first() {
        let (head, tail) = rest.split_at((first as usize % 7 + 1).min(rest.len()));
        out.push(head);
        rest = tail;
    }
    out
}

/// The same lines from any chunks, and no byte lost.
pub fn lines(data: &[u8]) {
    let read = |chunks: &[&[u8]]| {
        let mut out = Vec::new();
        let mut splitter = LineSplitter::new();
        for chunk in chunks {
            splitter.push(chunk, |l| out.push((l.bytes.to_vec(), l.eol)));
        }
        splitter.finish(|l| out.push((l.bytes.to_vec(), l.eol)));
        out
    };
    let all = read(&[data]);
    assert_eq!(read(&chunks(data)), all);
    assert!(all.iter().all(|(bytes, _)| !bytes.contains(&b'\n')));
    let ends = data.iter().filter(|b| **b == b'\n').count();
    assert_eq!(all.len(), ends + usize::from(!data.is_empty() && !data.ends_with(b"\n")));
}

/// The same events from any chunks; a plain event is what the writer writes.
pub fn sse(data: &[u8]) {
    let read = |chunks: &[&[u8]]| {
        let mut out = Vec::new();
        let mut parser = SseParser::new();
        let mut take = |item: SseItem<'_>| {
            if let SseItem::Event(e) = &item
                && e.plain
                && !e.torn
            {
                let mut plain = Vec::new();
                write_event(&mut plain, e.event.as_deref(), e.id.as_deref(), e.retry, &e.data);
                assert_eq!(plain, [e.raw, b"\n"].concat());
            }
            out.push(format!("{item:?}"));
        };
        for chunk in chunks {
            parser.push(chunk, &mut take);
        }
        parser.finish(&mut take);
        out
    };
    assert_eq!(read(&chunks(data)), read(&[data]));
}

/// Nothing a terminal would act on comes out, the marks are inside, and cut text is no wider than asked.
pub fn visible(data: &[u8]) {
    let shown = visible_bytes_marked(data);
    for c in shown.text.chars() {
        assert!(
            !c.is_control()
                && !matches!(c, '\u{200B}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
        );
    }
    for mark in &shown.marks {
        assert!(shown.text.get(mark.clone()).is_some_and(|m| m.starts_with('\\')));
    }
    for columns in [0, 1, 2, 7, 40] {
        let cut = fit_bytes(data, columns);
        assert!(cut.columns <= columns);
        assert!(cut.cut || cut.visible == shown);
    }
}
