//! Queries over 1,000,000 exchanges: those that ask the store alone, and those that read bytes.
//!
//! `cargo bench --bench query [-- EXCHANGES]` makes a trace in the temporary folder, loads it, and prints milliseconds.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufWriter, Write as _};
use std::time::Instant;

use mcpscope::query::{EvalCx, Query};
use mcpscope::{feed, rules};

const QUERIES: &[&str] = &[
    "",
    "method = tools/call",
    "tool = search and latency > 5ms",
    "is:failed or is:pending",
    "outcome = ok and not tool:book and size > 100 and time >= 12.5",
    "id > 500000",
    "rule:tool",
    "is:finding owner = server",
    "needle-in-the-hay",
    "params.arguments.q = needle-in-the-hay",
    "result.content[0].text ~ \"^hit 99\"",
    "code = -32602",
];

fn main() {
    let n = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1_000_000);
    let file = tempfile::NamedTempFile::new().unwrap();
    make(n, file.path());
    let bytes = file.path().metadata().unwrap().len();
    let start = Instant::now();
    let loaded = feed::load(file.path(), rules::Options::default()).unwrap();
    println!("{n} exchanges, {} MB, loaded in {:.2} s", bytes / 1_000_000, start.elapsed().as_secs_f64());
    for text in QUERIES {
        let query = Query::parse(text).unwrap();
        let mut best = f64::INFINITY;
        let mut found = Vec::new();
        for _ in 0..3 {
            found.clear();
            let start = Instant::now();
            let cx = EvalCx::new(&loaded.store, Some(&loaded.source));
            query.select(&cx, 0..loaded.store.rows.len(), &mut found);
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let payload = if query.needs_payload() { "bytes" } else { "store" };
        println!("{best:8.1} ms  {payload}  {:>8} rows  {text}", found.len());
    }
}

fn make(n: usize, path: &std::path::Path) {
    let mut out = BufWriter::new(std::fs::File::create(path).unwrap());
    for i in 0..n {
        let t = i as f64 / 1000.0;
        let tool = ["search", "book", "list"][i % 3];
        let q = if i % 100_000 == 7 { "needle-in-the-hay" } else { "plain straw of usual length" };
        writeln!(
            out,
            "{{\"t\":{t:.6},\"dir\":\"c2s\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{i},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{{\"q\":\"{q}\"}}}}}}}}"
        )
        .unwrap();
        let t = t + 0.0004 + (i % 9) as f64 / 1000.0;
        let answer = match i % 50 {
            0 => r#""error":{"code":-32602,"message":"no"}"#.to_owned(),
            1 => r#""result":{"content":[{"type":"text","text":"failed"}],"isError":true}"#.to_owned(),
            _ => format!(r#""result":{{"content":[{{"type":"text","text":"hit {i}"}}]}}"#),
        };
        writeln!(out, "{{\"t\":{t:.6},\"dir\":\"s2c\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{i},{answer}}}}}").unwrap();
    }
    out.flush().unwrap();
}
