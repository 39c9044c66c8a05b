//! Speed of the JSON parser, beside `serde_json::Value` in the same run: compare ratios, not runs.

use divan::counter::BytesCount;
use mcpscope::wire::json::{Document, Parser};

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
