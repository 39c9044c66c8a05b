//! Speed of the analysis with all rules, beside parsing each message into `serde_json::Value` and dropping it.

use divan::counter::{BytesCount, ItemsCount};
use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::format::native::Reader;
use mcpscope::rules::Options;
use mcpscope::trace::Store;

fn main() {
    divan::main();
}

/// A clean conversation on stdio as JSON Lines: calls of 300 bytes or so and their results.
fn trace(calls: usize) -> Vec<u8> {
    let mut out = String::new();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let info = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
    for i in 0..calls {
        let t = i as f64 / 1000.0;
        out += &format!(
            "{{\"t\":{t:.6},\"dir\":\"c2s\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{i},\"method\":\"tools/call\",\"params\":{{{meta},\"name\":\"get_weather\",\"arguments\":{{\"city\":\"Oslo\",\"days\":3}}}}}}}}\n"
        );
        out += &format!(
            "{{\"t\":{t:.6},\"dir\":\"s2c\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{i},\"result\":{{\"resultType\":\"complete\",\"content\":[{{\"type\":\"text\",\"text\":\"{{\\\"temperature\\\": 12.5, \\\"wind\\\": \\\"NW\\\"}}\\nIt will rain in the afternoon.\"}}],\"structuredContent\":{{\"temperature\":12.5,\"wind\":\"NW\",\"hours\":[9,12,15,18]}},\"isError\":false,{info}}}}}}}\n"
        );
    }
    out.into_bytes()
}

fn counted<'a, 'b>(bencher: divan::Bencher<'a, 'b>, trace: &[u8]) -> divan::Bencher<'a, 'b> {
    bencher
        .counter(BytesCount::new(trace.len()))
        .counter(ItemsCount::new(trace.iter().filter(|b| **b == b'\n').count()))
}

#[divan::bench(sample_count = 10)]
fn analyse(bencher: divan::Bencher<'_, '_>) {
    let bytes = trace(50_000);
    counted(bencher, &bytes).bench(|| {
        let mut store = Store::new();
        let mut analyzer = Analyzer::new(Options::default(), Origin::Foreign);
        let mut reader = Reader::new();
        reader.feed(&bytes, &mut |item| analyzer.push(&mut store, item));
        analyzer.finish(&mut store);
        assert_eq!(store.messages, 100_000);
        store.findings().count()
    });
}

#[divan::bench(sample_count = 10)]
fn read_only(bencher: divan::Bencher<'_, '_>) {
    let bytes = trace(50_000);
    counted(bencher, &bytes).bench(|| {
        let mut reader = Reader::new();
        let mut total = 0;
        reader.feed(&bytes, &mut |item| {
            if let mcpscope::wire::frame::Item::Frame(f) = item {
                total += f.payload.len();
            }
        });
        total
    });
}

#[divan::bench(sample_count = 10)]
fn serde_value(bencher: divan::Bencher<'_, '_>) {
    let bytes = trace(50_000);
    counted(bencher, &bytes).bench(|| {
        bytes
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
            .map(|line| serde_json::from_slice::<serde_json::Value>(line).map(|v| v.as_object().map_or(0, |o| o.len())))
            .filter(Result::is_ok)
            .count()
    });
}
