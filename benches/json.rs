//! Speed of the JSON parser, beside `serde_json::Value` in the same run: compare ratios, not runs.

use std::sync::Arc;

use divan::counter::BytesCount;
use mcpscope::wire::json::pretty::Pretty;
use mcpscope::wire::json::tree::{Options, Tree};
use mcpscope::wire::json::{Document, Parser, visible};
use mcpscope::wire::lines::LineSplitter;
use mcpscope::wire::sse::SseParser;

fn main() {
    divan::main();
}

/// Messages as clients and servers of the current revision send them, 300 bytes or so each.
fn small() -> Vec<Vec<u8>> {
    (0..100)
        .map(|i| {
            if i % 2 == 0 {
                format!(
                    r#"{{"jsonrpc":"2.0","id":{i},"method":"tools/call","params":{{"name":"get_weather","arguments":{{"city":"Oslo","days":3}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
                )
            } else {
                format!(
                    r#"{{"jsonrpc":"2.0","id":{i},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{{\"temperature\": 12.5, \"wind\": \"NW\"}}\nIt will rain in the afternoon."}}],"structuredContent":{{"temperature":12.5,"wind":"NW","hours":[9,12,15,18]}},"isError":false}}}}"#
                )
            }
            .into_bytes()
        })
        .collect()
}

/// 28 KB: one long string and two thousand integers.
fn medium() -> Vec<u8> {
    let numbers: Vec<String> = (1000..3000).map(|n| n.to_string()).collect();
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{}"}}],"structuredContent":{{"n":[{}]}}}}}}"#,
        "the quick brown fox ".repeat(900),
        numbers.join(",")
    )
    .into_bytes()
}

/// 20 MB on one line: rows of a table.
fn large() -> Vec<u8> {
    let rows: Vec<String> = (0..180_000)
        .map(|i| format!(r#"{{"id":{i},"name":"row number {i}","tags":["alpha","beta"],"score":{}.5,"note":"Größe \"{i}\"","ok":true}}"#, i % 100))
        .collect();
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":{{"rows":[{}]}}}}}}"#, rows.join(","))
        .into_bytes()
}

/// 20 MB in one string without escapes.
fn string() -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        "base64AAAA".repeat(2_000_000)
    )
    .into_bytes()
}

#[divan::bench]
fn small_ours(bencher: divan::Bencher<'_, '_>) {
    let all = small();
    let mut parser = Parser::new();
    bencher.counter(BytesCount::new(all.iter().map(Vec::len).sum::<usize>())).bench_local(|| {
        for message in &all {
            divan::black_box(parser.parse(message).root());
        }
    });
}

#[divan::bench]
fn small_serde(bencher: divan::Bencher<'_, '_>) {
    let all = small();
    bencher.counter(BytesCount::new(all.iter().map(Vec::len).sum::<usize>())).bench_local(|| {
        for message in &all {
            let _ = divan::black_box(serde_json::from_slice::<serde_json::Value>(message));
        }
    });
}

/// What an envelope needs: parse and look up the five members.
#[divan::bench]
fn small_ours_envelope(bencher: divan::Bencher<'_, '_>) {
    let all = small();
    let mut parser = Parser::new();
    bencher.counter(BytesCount::new(all.iter().map(Vec::len).sum::<usize>())).bench_local(|| {
        for message in &all {
            if let Some(root) = parser.parse(message).root() {
                for key in ["jsonrpc", "id", "method", "params", "result", "error"] {
                    divan::black_box(root.get(key));
                }
            }
        }
    });
}

#[divan::bench(args = ["medium", "large", "string"])]
fn ours(bencher: divan::Bencher<'_, '_>, which: &str) {
    let text = text(which);
    let mut parser = Parser::new();
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        divan::black_box(parser.parse(&text).root());
    });
}

#[divan::bench(args = ["medium", "large", "string"])]
fn serde(bencher: divan::Bencher<'_, '_>, which: &str) {
    let text = text(which);
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let _ = divan::black_box(serde_json::from_slice::<serde_json::Value>(&text));
    });
}

/// Fresh buffers: what opening a reply on the screen costs.
#[divan::bench(args = ["large", "string"])]
fn open(bencher: divan::Bencher<'_, '_>, which: &str) {
    let text = text(which);
    bencher.counter(BytesCount::new(text.len())).with_inputs(|| text.clone()).bench_local_values(Document::new);
}

fn text(which: &str) -> Vec<u8> {
    match which {
        "medium" => medium(),
        "large" => large(),
        _ => string(),
    }
}

/// From bytes to the first screen of the tree: the goal is 50 ms for 20 MB.
#[divan::bench(args = ["large", "string"])]
fn open_tree(bencher: divan::Bencher<'_, '_>, which: &str) {
    let text = text(which);
    bencher.with_inputs(|| text.clone()).bench_local_values(|text| {
        let tree = Tree::new(Arc::new(Document::new(text)), 0, Options::default());
        screen(&tree, 0);
        tree
    });
}

/// One screen of a tree whose rows are all open.
#[divan::bench]
fn scroll_tree(bencher: divan::Bencher<'_, '_>) {
    let options = Options { cap: u32::MAX, ..Options::default() };
    let mut tree = Tree::new(Arc::new(Document::new(large())), 0, options);
    tree.set_all(0, true);
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7919) % tree.len();
        screen(&tree, at);
    });
}

/// Folding and opening the container with the most rows.
#[divan::bench]
fn fold_tree(bencher: divan::Bencher<'_, '_>) {
    let options = Options { cap: u32::MAX, ..Options::default() };
    let mut tree = Tree::new(Arc::new(Document::new(large())), 0, options);
    bencher.bench_local(|| tree.toggle(0));
}

fn screen(tree: &Tree, from: usize) {
    for i in from..from + 60 {
        if let Some(row) = tree.row(i) {
            divan::black_box(row.summary(200));
        }
    }
}

/// Finding where the lines of the pretty form are.
#[divan::bench]
fn lay_pretty(bencher: divan::Bencher<'_, '_>) {
    let document = Arc::new(Document::new(large()));
    bencher.bench_local(|| Pretty::new(document.clone(), 0));
}

/// One screen of pretty lines anywhere.
#[divan::bench]
fn scroll_pretty(bencher: divan::Bencher<'_, '_>) {
    let pretty = Pretty::new(Arc::new(Document::new(large())), 0);
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7919) % pretty.len();
        divan::black_box(pretty.lines(at..at + 60, 200).count());
    });
}

#[divan::bench]
fn visible_ascii(bencher: divan::Bencher<'_, '_>) {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    bencher.counter(BytesCount::new(text.len())).bench(|| visible(divan::black_box(&text)).len());
}

#[divan::bench]
fn visible_text(bencher: divan::Bencher<'_, '_>) {
    let text = "Größe, 日本語, naïve \u{1b}[0m. ".repeat(20);
    bencher.counter(BytesCount::new(text.len())).bench(|| visible(divan::black_box(&text)).len());
}

/// A megabyte of messages in chunks of 64 KiB.
#[divan::bench]
fn lines(bencher: divan::Bencher<'_, '_>) {
    let text: Vec<u8> = small().iter().flat_map(|m| [m, &b"\n"[..]].concat()).collect::<Vec<u8>>().repeat(40);
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let mut n = 0;
        let mut splitter = LineSplitter::new();
        for chunk in text.chunks(1 << 16) {
            splitter.push(chunk, |_| n += 1);
        }
        n
    });
}

#[divan::bench]
fn events(bencher: divan::Bencher<'_, '_>) {
    let event = |m: &Vec<u8>| [b"event: message\ndata: ", &m[..], b"\n\n"].concat();
    let text: Vec<u8> = small().iter().flat_map(event).collect::<Vec<u8>>().repeat(40);
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let mut n = 0;
        let mut parser = SseParser::new();
        for chunk in text.chunks(1 << 16) {
            parser.push(chunk, |_| n += 1);
        }
        n
    });
}
