//! Latency, errors and traffic, by method and target.

use std::collections::HashMap;

use crate::trace::{Layer, Outcome, Severity, Sym};
use crate::tui::data::{Data, count, duration, seconds, size, thousands};
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;
use crate::wire::frame::Side;

use super::{blank, heading, line};

#[derive(Default)]
struct Group {
    calls: usize,
    errors: usize,
    tool_errors: usize,
    open: usize,
    bytes: u64,
    latencies: Vec<i64>,
}

const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

fn percentile(sorted: &[i64], percent: usize) -> String {
    if sorted.is_empty() {
        return "–".to_owned();
    }
    duration(sorted[(sorted.len() - 1) * percent / 100])
}

pub(super) fn lines(d: &Data<'_>, width: usize) -> (String, Vec<PageLine>) {
    let store = d.store;
    let mut groups: HashMap<(Sym, Sym, bool), Group> = HashMap::new();
    let mut all = Vec::new();
    for e in &store.exchanges {
        let Some(request) = store.record(e.request) else { continue };
        if matches!(e.outcome, Outcome::Notification | Outcome::Unreadable) {
            continue;
        }
        let key = (request.method, request.target, e.dir.sender() == Side::Server);
        let g = groups.entry(key).or_default();
        g.calls += 1;
        match e.outcome {
            Outcome::ProtocolError | Outcome::Refused => g.errors += 1,
            Outcome::ToolError => g.tool_errors += 1,
            Outcome::Unanswered | Outcome::Pending => g.open += 1,
            _ => {}
        }
        g.bytes +=
            [e.request, e.response].into_iter().filter_map(|r| store.record(r)).map(|r| u64::from(r.len)).sum::<u64>();
        if let Some(latency) = store.latency(e).filter(|_| e.outcome != Outcome::Open) {
            g.latencies.push(latency);
            all.push(latency);
        }
    }
    let mut lines = vec![heading("By method and target"), head()];
    let mut sorted: Vec<_> = groups.into_iter().collect();
    sorted.sort_by(|a, b| b.1.calls.cmp(&a.1.calls).then(a.0.0.cmp(&b.0.0)).then(a.0.1.cmp(&b.0.1)));
    for ((method, target, from_server), mut g) in sorted.into_iter().take(200) {
        g.latencies.sort_unstable();
        let number = |n: usize, ink: Ink| (if n > 0 { ink } else { Ink::Dim }, format!("{:>7}", thousands(n)));
        let arrow = if from_server { (Ink::Server, "← ".to_owned()) } else { (Ink::Client, "→ ".to_owned()) };
        lines.push(line(vec![
            arrow,
            (Ink::Text, padded(store.name(method).unwrap_or("?"), 22)),
            (Ink::Accent, padded(store.name(target).unwrap_or_default(), 24)),
            (Ink::Text, format!("{:>7}", thousands(g.calls))),
            number(g.errors, Ink::ProtocolError),
            number(g.tool_errors, Ink::ToolError),
            number(g.open, Ink::Odd),
            (Ink::Text, format!("{:>10}", percentile(&g.latencies, 50))),
            (Ink::Text, format!("{:>10}", percentile(&g.latencies, 95))),
            (Ink::Text, format!("{:>10}", percentile(&g.latencies, 100))),
            (Ink::Dim, format!("{:>9}", size(g.bytes))),
        ]));
    }
    all.sort_unstable();
    lines.push(blank());
    lines.push(heading("Latency"));
    histogram(&all, width, &mut lines);
    lines.push(blank());
    lines.push(heading("Findings by layer and owner"));
    findings(d, &mut lines);
    lines.push(blank());
    lines.push(heading("Traffic over time"));
    traffic(d, width, &mut lines);
    (format!("statistics: {}", count(all.len(), "answer")), lines)
}

fn padded(text: &str, width: usize) -> String {
    let fitted = crate::wire::json::fit(text, width - 1);
    format!("{}{}", fitted.visible.text, " ".repeat(width - fitted.columns))
}

fn head() -> PageLine {
    line(vec![(
        Ink::Dim,
        format!(
            "  {:<22}{:<24}{:>7}{:>7}{:>7}{:>7}{:>10}{:>10}{:>10}{:>9}",
            "method", "target", "calls", "error", "tool", "open", "p50", "p95", "max", "bytes"
        ),
    )])
}

/// Powers of two, so that a millisecond and a minute stand on one scale.
fn histogram(sorted: &[i64], width: usize, lines: &mut Vec<PageLine>) {
    if sorted.is_empty() {
        lines.push(line(vec![(Ink::Dim, "  nothing was answered".into())]));
        return;
    }
    lines.push(line(vec![
        (Ink::Dim, "  p50 ".into()),
        (Ink::Strong, percentile(sorted, 50)),
        (Ink::Dim, "   p90 ".into()),
        (Ink::Strong, percentile(sorted, 90)),
        (Ink::Dim, "   p99 ".into()),
        (Ink::Strong, percentile(sorted, 99)),
        (Ink::Dim, "   max ".into()),
        (Ink::Strong, percentile(sorted, 100)),
    ]));
    let bucket = |t: i64| (t.max(1) as u64).ilog2() as usize;
    let (first, last) = (bucket(sorted[0]), bucket(sorted[sorted.len() - 1]));
    let mut counts = vec![0usize; last - first + 1];
    for t in sorted {
        counts[bucket(*t) - first] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let room = width.saturating_sub(34).clamp(10, 80);
    for (i, n) in counts.into_iter().enumerate() {
        let from = 1i64 << (i + first);
        let eighths = n * room * 8 / most;
        let mut bar = "█".repeat(eighths / 8);
        bar.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]);
        lines.push(line(vec![
            (Ink::Dim, format!("  {:>9} – {:<9} ", duration(from), duration(from * 2))),
            (Ink::Ok, bar),
            (Ink::Text, if n > 0 { format!(" {}", thousands(n)) } else { String::new() }),
        ]));
    }
}

fn findings(d: &Data<'_>, lines: &mut Vec<PageLine>) {
    let mut counts: HashMap<(Layer, Side, Severity), usize> = HashMap::new();
    for (_, f) in d.store.findings() {
        *counts.entry((f.layer, f.owner, f.severity)).or_default() += 1;
    }
    lines.push(line(vec![(Ink::Dim, format!("  {:<12}{:>24}{:>27}", "", "client", "server"))]));
    for layer in Layer::ALL {
        let mut text = vec![(Ink::Text, format!("  {:<12}", layer.as_str()))];
        for owner in [Side::Client, Side::Server] {
            for (severity, ink) in
                [(Severity::Error, Ink::Error), (Severity::Warning, Ink::Warning), (Severity::Info, Ink::Info)]
            {
                let n = counts.get(&(layer, owner, severity)).copied().unwrap_or(0);
                let (_, sign) = crate::tui::detail::words::severity(severity);
                let cell = if n > 0 { format!("{sign}{n}") } else { "·".to_owned() };
                text.push((if n > 0 { ink } else { Ink::Dim }, format!("{cell:>9}")));
            }
        }
        lines.push(line(text));
    }
}

/// Messages in each direction, one column a slice of time.
fn traffic(d: &Data<'_>, width: usize, lines: &mut Vec<PageLine>) {
    let store = d.store;
    let times = store.records.iter().filter(|r| r.kind.is_message());
    let (first, last) = (store.records.first().map_or(0, |r| r.t), store.records.last().map_or(0, |r| r.t));
    let columns = width.saturating_sub(10).clamp(10, 160);
    let span = (last - first).max(1);
    let mut counts = [vec![0usize; columns], vec![0usize; columns]];
    for r in times {
        let at = ((r.t - first).clamp(0, span) as i128 * (columns as i128 - 1) / i128::from(span)) as usize;
        counts[usize::from(r.dir.sender() == Side::Server)][at] += 1;
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1);
    for (side, ink, sign) in [(0, Ink::Client, "→"), (1, Ink::Server, "←")] {
        let bars: String =
            counts[side].iter().map(|n| if *n == 0 { BARS[0] } else { BARS[1 + n * 7 / most] }).collect();
        lines.push(line(vec![(ink, format!("  {sign} ")), (ink, bars)]));
    }
    lines.push(line(vec![(
        Ink::Dim,
        format!("    {:<w$}{}", seconds(first), seconds(last), w = columns.saturating_sub(seconds(last).len())),
    )]));
}
