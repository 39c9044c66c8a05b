//! Exchanges on a time axis: what ran beside what, and who waited. Long silences are drawn short.

use crate::trace::{NONE, Outcome};
use crate::tui::data::{Data, duration, seconds};
use crate::tui::detail::body::Go;
use crate::tui::detail::words;
use crate::tui::list::Sel;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;

use super::{blank, line, link};

/// Exchanges drawn at most: the newest.
const MOST: usize = 400;

/// Time to columns: silences longer than a fifth of what happened take two columns.
struct Axis {
    /// Start, end, first column, columns.
    pieces: Vec<(i64, i64, f64, f64)>,
}

impl Axis {
    fn new(mut spans: Vec<(i64, i64)>, columns: f64) -> Axis {
        spans.sort_unstable();
        let mut busy: Vec<(i64, i64)> = Vec::new();
        let total: i64 = spans.iter().map(|(a, b)| (b - a).max(1)).sum();
        let silence = (total / 5).max(20_000);
        for (a, b) in spans {
            match busy.last_mut() {
                Some(last) if a - last.1 <= silence => last.1 = last.1.max(b),
                _ => busy.push((a, b)),
            }
        }
        let gaps = 2.0 * busy.len().saturating_sub(1) as f64;
        let time: i64 = busy.iter().map(|(a, b)| (b - a).max(1)).sum();
        let scale = (columns - gaps).max(busy.len() as f64) / time.max(1) as f64;
        let mut x = 0.0;
        let mut pieces = Vec::new();
        for (a, b) in busy {
            let width = (b - a).max(1) as f64 * scale;
            pieces.push((a, b, x, width));
            x += width + 2.0;
        }
        Axis { pieces }
    }

    fn column(&self, t: i64) -> usize {
        let i = self.pieces.partition_point(|p| p.0 <= t).saturating_sub(1);
        let Some((a, b, x, width)) = self.pieces.get(i) else { return 0 };
        let part = (t.min(*b) - a) as f64 / (b - a).max(1) as f64;
        (x + part.max(0.0) * width) as usize
    }
}

pub(super) fn lines(d: &Data<'_>, width: usize) -> (String, Vec<PageLine>) {
    let store = d.store;
    let end = store.records.last().map_or(0, |r| r.t);
    let asked: Vec<u32> = store
        .exchanges
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, e)| e.request != NONE && !matches!(e.outcome, Outcome::Notification | Outcome::Unreadable))
        .map(|(i, _)| i as u32)
        .take(MOST)
        .collect();
    let span = |i: u32| {
        let e = &store.exchanges[i as usize];
        let from = store.record(e.request).map_or(0, |r| r.t);
        let cancelled = store.record(e.cancelled_by).map(|r| r.t);
        let to = store.record(e.response).map(|r| r.t).or(cancelled).unwrap_or(end);
        (from, to.max(from))
    };
    let label = 34.min(width / 3);
    let columns = width.saturating_sub(label + 14).max(20);
    let axis = Axis::new(asked.iter().map(|i| span(*i)).collect(), columns as f64);
    let mut lines = Vec::new();
    let mut last_start = None;
    for i in asked.iter().rev() {
        let e = &store.exchanges[*i as usize];
        let Some(request) = store.record(e.request) else { continue };
        let (method, target) = words::names(store, request);
        let (from, to) = span(*i);
        let (a, b) = (axis.column(from), axis.column(to));
        let piece = axis.pieces.partition_point(|p| p.0 <= from);
        if last_start.is_some_and(|p| p != piece) {
            lines.push(line(vec![(Ink::Rule, format!("{:>w$}", "┈", w = label + a))]));
        }
        last_start = Some(piece);
        let (ink, outcome) = words::outcome(store, *i, end);
        let bar = if b > a { format!("├{}┤", "─".repeat(b - a - 1)) } else { "│".to_owned() };
        let open = matches!(e.outcome, Outcome::Pending | Outcome::Open | Outcome::Unanswered);
        let bar = if open { bar.replace('┤', "╌") } else { bar };
        let (arrow_ink, arrow) = words::arrow(e.dir);
        let what = if target.is_empty() { method } else { target };
        let fitted = crate::wire::json::fit(what, label.saturating_sub(9));
        let pad = " ".repeat(label.saturating_sub(9 + fitted.columns));
        lines.push(link(
            vec![
                (Ink::Dim, format!("{:>5} ", i + 1)),
                (arrow_ink, format!("{arrow} ")),
                (Ink::Accent, format!("{}{pad} ", fitted.visible.text)),
                (ink, format!("{}{bar}", " ".repeat(a))),
                (Ink::Dim, format!(" {}", duration(to - from))),
                (ink, if e.outcome == Outcome::Ok { String::new() } else { format!(" {outcome}") }),
            ],
            Go::Sel(Sel::Exchange(*i)),
        ));
    }
    if lines.is_empty() {
        lines.push(line(vec![(Ink::Dim, "no requests in this trace".into())]));
    } else {
        lines.push(blank());
        lines.push(line(vec![(
            Ink::Dim,
            format!(
                "from {} to {}; silences are drawn short (┈)",
                seconds(axis.pieces.first().map_or(0, |p| p.0)),
                seconds(end)
            ),
        )]));
    }
    ("lanes".to_owned(), lines)
}
