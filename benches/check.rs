//! `check --format json` of a large trace against parsing each line into `serde_json::Value` and dropping it, in one run.
//!
//! `cargo bench --bench check [-- FILE]`: without a file it makes a trace of 200,000 messages. Prints seconds of each and
//! the ratio; below 1 the analysis with all rules is faster than a bare parse.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::Instant;

use mcpscope::{feed, report, rules};

const ROUNDS: usize = 5;

fn main() {
    let named = std::env::args().skip(1).find(|a| !a.starts_with("--")).map(PathBuf::from);
    let made = tempfile::NamedTempFile::new().unwrap();
    let path = named.unwrap_or_else(|| {
        std::fs::write(made.path(), make(200_000)).unwrap();
        made.path().to_path_buf()
    });
    let mut ratios = Vec::new();
    for round in 1..=ROUNDS {
        let start = Instant::now();
        let findings = check(&path);
        let ours = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let lines = parse_and_drop(&path);
        let theirs = start.elapsed().as_secs_f64();
        ratios.push(ours / theirs);
        println!(
            "round {round}: check {ours:.3} s ({findings} findings), parse and drop {theirs:.3} s ({lines} lines), ratio {:.2}",
            ours / theirs
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[ROUNDS / 2]);
}

fn check(path: &std::path::Path) -> usize {
    let loaded = feed::load(path, rules::Options::default()).unwrap();
    let findings = report::view::findings(&loaded.store);
    let incidents = mcpscope::analysis::incidents::group(&loaded.store);
    let mut out = Vec::new();
    let file = report::json::File {
        file: "bench",
        format: loaded.format,
        store: &loaded.store,
        findings: &findings,
        incidents: &incidents,
        summary: report::Summary::of(&loaded.store),
        exchanges: false,
        selected: None,
    };
    report::json::write(&mut out, &[file]).unwrap();
    assert!(!out.is_empty());
    findings.len()
}

fn parse_and_drop(path: &std::path::Path) -> usize {
    let file = BufReader::with_capacity(1 << 20, std::fs::File::open(path).unwrap());
    let mut lines = 0;
    for line in file.split(b'\n') {
        let value: serde_json::Value = serde_json::from_slice(&line.unwrap()).unwrap();
        drop(std::hint::black_box(value));
        lines += 1;
    }
    lines
}

/// A trace of 2026-07-28 tool calls whose results hold JSON of mixed size.
fn make(messages: usize) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let server = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench-server","version":"1.0.0"}}"#;
    let mut out = String::from(
        "{\"mcpscope_trace\":1,\"created\":\"2026-11-30T00:00:00.000000Z\",\"tool\":\"bench\",\"name\":\"bench\",\"transport\":\"stdio\"}\n",
    );
    let mut t = 0.0;
    let mut line = |dir: &str, msg: String| {
        t += 0.001;
        let _ = writeln!(out, "{{\"t\":{t:.6},\"dir\":\"{dir}\",\"msg\":{msg}}}");
    };
    line("c2s", format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{{{meta}}}}}"#));
    let tools: Vec<String> = (0..20)
        .map(|i| {
            format!(
                r#"{{"name":"tool_{i}","description":"bench tool","inputSchema":{{"type":"object","properties":{{"field0":{{"type":"string"}},"field1":{{"type":"integer"}},"filter":{{"type":"object","properties":{{"any":{{"type":"array","items":{{"type":"string"}},"maxItems":20}}}},"additionalProperties":false}}}},"required":["field0","field1"],"additionalProperties":false}}}}"#
            )
        })
        .collect();
    line(
        "s2c",
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"resultType":"complete","ttlMs":600000000,"cacheScope":"public",{server},"tools":[{}]}}}}"#,
            tools.join(",")
        ),
    );
    for id in 1..messages / 2 {
        line(
            "c2s",
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"tool_{}","arguments":{{"field0":"order invoice total {id}","field1":{id},"filter":{{"any":["north","south","batch"]}}}},{meta}}}}}"#,
                id % 20
            ),
        );
        let rows: Vec<String> = (0..[1, 2, 4, 12][id % 4])
            .map(|r| format!(r#"{{\"id\":{},\"state\":\"shipped\",\"total\":{}.25}}"#, id * 31 + r, r * 17))
            .collect();
        line(
            "s2c",
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"[{}]"}}],{server}}}}}"#,
                rows.join(",")
            ),
        );
    }
    out.push_str("{\"t\":9999.0,\"event\":\"exit\",\"status\":0}\n");
    out
}
