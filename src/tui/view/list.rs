//! The list: columns that fit the width, one line a row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::trace::{Exchange, NONE, Record, RecordKind, Severity};
use crate::tui::data::{Data, count, duration, seconds, size};
use crate::tui::detail::words;
use crate::tui::list::{Item, Mode, Sel};
use crate::tui::model::Model;
use crate::tui::theme::Ink;
use crate::wire::json::visible_bytes;

use super::Pen;

/// Widths of the columns for a width of the screen; 0 leaves one out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Columns {
    number: u16,
    time: u16,
    method: u16,
    target: u16,
    outcome: u16,
    latency: u16,
    size: u16,
    findings: u16,
}

impl Columns {
    /// For a width and the largest number in the list.
    pub(crate) fn new(width: u16, largest: usize) -> Columns {
        let number = (largest.max(1).ilog10() as u16 + 1).max(3);
        let mut c = Columns { number, time: 8, method: 12, target: 12, outcome: 15, latency: 8, size: 6, findings: 3 };
        if width < 60 {
            c.size = 0;
            c.time = 0;
        }
        if width < 48 {
            c.latency = 0;
        }
        if width >= 100 {
            c.outcome = 17;
            c.findings = 12;
        }
        if width >= 150 {
            c.time = 10;
            c.outcome = 20;
        }
        // Two columns before the number, one between columns, the arrow.
        let all = [c.number, c.time, 1, c.method, c.target, c.outcome, c.latency, c.size, c.findings];
        let used = all.iter().filter(|w| **w > 0).map(|w| w + 1).sum::<u16>() + 2;
        let spare = width.saturating_sub(used);
        let method = (spare / 3).min(22);
        c.method += method;
        c.target += spare - method;
        if c.target > 60 {
            c.findings += (c.target - 60).min(50);
            c.target -= (c.target - 60).min(50);
        }
        let mut over = used.saturating_sub(width);
        for (column, least) in [(&mut c.target, 4), (&mut c.method, 6), (&mut c.outcome, 6)] {
            let take = over.min(column.saturating_sub(least));
            *column -= take;
            over -= take;
        }
        c
    }
}

pub(super) fn draw(m: &Model, d: &Data<'_>, heads: Rect, area: Rect, focused: bool, buf: &mut Buffer) {
    let c = Columns::new(area.width, d.store.exchanges.len().max(d.store.records.len()));
    if heads.height > 0 {
        let mut pen = Pen::new(buf, &m.theme, heads, 0);
        pen.skip(2);
        let mut head = |width: u16, text: &str, right: bool| {
            if width > 0 {
                pen.column(Ink::Dim, text, width, right).skip(1);
            }
        };
        head(c.number, "#", true);
        head(c.time, "time", true);
        head(1, "", false);
        head(c.method, "method", false);
        head(c.target, "target", false);
        head(c.outcome, if m.list.mode == Mode::Exchanges { "outcome" } else { "id" }, false);
        head(c.latency, "latency", true);
        head(c.size, "size", true);
        head(c.findings, if c.findings > 6 { "findings" } else { "!" }, false);
    }
    if m.list.items.is_empty() {
        empty(m, d, area, buf);
        return;
    }
    for row in 0..area.height {
        let place = m.list.top + usize::from(row);
        let Some(item) = m.list.items.get(place) else { break };
        let selected = place == m.list.cursor;
        let mut pen = Pen::new(buf, &m.theme, area, row);
        if selected {
            pen.fill(if focused { Ink::Cursor } else { Ink::CursorIdle });
        }
        let Some(sel) = m.list.sel_at(d.store, place) else { continue };
        let marked = m.marks.iter().find(|(_, s)| **s == sel).map(|(c, _)| *c);
        match marked {
            Some(mark) => pen.put(Ink::Match, &mark.to_string()).skip(1),
            None => pen.put(Ink::Accent, if selected { "▌" } else { " " }).skip(1),
        };
        match sel {
            Sel::Exchange(e) => exchange(m, d, &c, e, &mut pen),
            Sel::Record(r) => record(d, &c, r, *item, &mut pen),
        }
    }
    super::scroll_bar(m, area, m.list.top, m.list.items.len(), buf);
}

/// Why there is nothing.
fn empty(m: &Model, d: &Data<'_>, area: Rect, buf: &mut Buffer) {
    let lines: &[&str] = if m.list.filter.is_some() {
        if m.list.is_whole(d.store) {
            &["nothing matches the filter", "\\ suspends it, esc takes it away"]
        } else {
            &["searching …"]
        }
    } else if d.facts.progress.is_some() {
        &["reading …"]
    } else if d.facts.live {
        &["no traffic yet: the tap is up, and rows appear as soon as the first line is on the wire"]
    } else {
        &["no traffic in this trace"]
    };
    for (i, line) in lines.iter().enumerate() {
        Pen::new(buf, &m.theme, area, i as u16 + 1).skip(3).put(Ink::Dim, line);
    }
}

fn lead(c: &Columns, number: Option<u32>, record: Option<&Record>, pen: &mut Pen<'_>) {
    pen.column(Ink::Dim, &number.map_or(String::new(), |n| n.to_string()), c.number, true).skip(1);
    if c.time > 0 {
        pen.column(Ink::Dim, &record.map_or(String::new(), |r| seconds(r.t)), c.time, true).skip(1);
    }
    let (ink, arrow) = record.map_or((Ink::Dim, " "), |r| words::arrow(r.dir));
    pen.column(ink, arrow, 1, false).skip(1);
}

fn exchange(m: &Model, d: &Data<'_>, c: &Columns, index: u32, pen: &mut Pen<'_>) {
    let store = d.store;
    let Some(e) = store.exchanges.get(index as usize) else { return };
    let first = store.record(e.first());
    lead(c, Some(index + 1), first, pen);
    let (mut method, mut target) = match first {
        Some(r) if e.request != NONE => words::names(store, r),
        _ => ("", ""),
    };
    let mut method_ink = Ink::Text;
    let owned;
    match first.map(|r| r.kind) {
        Some(RecordKind::Unreadable) => {
            (method, method_ink) = ("noise", Ink::Odd);
            owned = preview(d, e.first());
            target = &owned;
        }
        Some(RecordKind::Unrecognised) => {
            (method, method_ink) = ("no message", Ink::Odd);
            owned = preview(d, e.first());
            target = &owned;
        }
        Some(RecordKind::Notification) => method_ink = Ink::Dim,
        Some(RecordKind::Response | RecordKind::Error) if e.request == NONE => {
            (method, method_ink) = ("response", Ink::Odd);
            owned = store
                .id_text(first.map_or(crate::trace::IdRef::Absent, |r| r.id))
                .map_or(String::new(), |id| format!("id {id}"));
            target = &owned;
        }
        _ => {}
    }
    pen.column(method_ink, method, c.method, false).skip(1);
    pen.column(Ink::Accent, target, c.target, false).skip(1);
    let (ink, words) = words::outcome(store, index, m.now);
    pen.column(ink, &words, c.outcome, false).skip(1);
    if c.latency > 0 {
        let latency = store.latency(e).map_or(String::new(), duration);
        pen.column(Ink::Text, &latency, c.latency, true).skip(1);
    }
    if c.size > 0 {
        let bytes = |r: u32| store.record(r).map_or(0, bytes_of);
        pen.column(Ink::Dim, &size(bytes(e.request) + bytes(e.response)), c.size, true).skip(1);
    }
    findings(d, c, e, index, pen);
}

fn bytes_of(r: &Record) -> u64 {
    u64::from(if r.part_len > 0 { r.part_len } else { r.len })
}

/// The beginning of a line that is no message.
fn preview(d: &Data<'_>, record: u32) -> String {
    let Ok(bytes) = d.frame(record) else { return String::new() };
    visible_bytes(&bytes[..bytes.len().min(200)]).into_owned()
}

fn findings(d: &Data<'_>, c: &Columns, e: &Exchange, index: u32, pen: &mut Pen<'_>) {
    let store = d.store;
    let link = |pen: &mut Pen<'_>, a: u32, b: u32| {
        pen.put(Ink::Input, &format!("⟳ {}→{} ", a + 1, b + 1));
    };
    let wide = c.findings > 6;
    if let Some(worst) = store.worst_of_exchange(index) {
        let all = store.findings_of_exchange(index);
        let list = || all.iter().filter_map(|i| store.finding(*i));
        let of_worst: Vec<_> = list().filter(|f| f.severity == worst).collect();
        let (ink, sign) = words::severity(worst);
        if wide {
            let mut sides: Vec<&str> = of_worst.iter().map(|f| f.owner.as_str()).collect();
            sides.sort_unstable();
            sides.dedup();
            pen.put(ink, &format!("{sign} {} {} ", all.len(), sides.join("+")));
            if c.findings > 30 {
                if let Some(f) = of_worst.first() {
                    pen.put(Ink::Dim, f.rule);
                }
                pen.put(Ink::Dim, " ");
            }
        } else {
            pen.put(ink, &format!("{sign}{}", if all.len() > 9 { "+".to_owned() } else { all.len().to_string() }));
        }
    }
    if wide {
        if e.retried_by != NONE {
            link(pen, index, e.retried_by);
        } else if e.retry_of != NONE {
            link(pen, e.retry_of, index);
        } else if e.parent != NONE {
            pen.put(Ink::Dim, &format!("of {}", e.parent + 1));
        }
    }
}

fn record(d: &Data<'_>, c: &Columns, index: u32, item: Item, pen: &mut Pen<'_>) {
    let store = d.store;
    let Some(r) = store.record(index) else { return };
    lead(c, (r.exchange != NONE).then(|| r.exchange + 1), Some(r), pen);
    let rest = c.target + 1 + c.outcome;
    match r.kind {
        RecordKind::Stderr => {
            let many = if item.count > 1 { count(item.count as usize, "line") } else { "stderr".to_owned() };
            let label = if item.count > 1 { format!("stderr {many}") } else { many };
            pen.column(Ink::Stderr, &label, c.method, false).skip(1);
            pen.column(Ink::Stderr, &preview(d, index), rest + 1 + c.latency + 1, false);
        }
        RecordKind::Event => {
            let text = store.events.get(&index).map(|e| words::event(&e.kind)).unwrap_or_default();
            pen.column(Ink::Note, "event", c.method, false).skip(1);
            pen.column(Ink::Note, &text, rest + 1 + c.latency + 1, false);
        }
        RecordKind::Http => {
            let text = store.http.get(&index).map(|h| words::http(h)).unwrap_or_default();
            pen.column(Ink::Note, "http", c.method, false).skip(1);
            pen.column(Ink::Note, &text, rest + 1 + c.latency + 1, false);
        }
        RecordKind::Fragment | RecordKind::Unreadable | RecordKind::Unrecognised => {
            let what = if r.kind == RecordKind::Fragment { "fragment" } else { "no message" };
            pen.column(Ink::Odd, what, c.method, false).skip(1);
            pen.column(Ink::Odd, &preview(d, index), c.target, false).skip(1);
            pen.skip(c.outcome + 1 + c.latency + u16::from(c.latency > 0));
            tail(c, r, pen);
        }
        RecordKind::Request | RecordKind::Notification | RecordKind::Response | RecordKind::Error => {
            message(d, c, index, r, pen);
        }
    }
}

fn message(d: &Data<'_>, c: &Columns, index: u32, r: &Record, pen: &mut Pen<'_>) {
    let store = d.store;
    let exchange = store.exchanges.get(r.exchange as usize);
    let of_request = exchange.and_then(|e| store.record(e.request)).filter(|_| r.kind != RecordKind::Notification);
    let (method, target) = of_request.map_or_else(|| words::names(store, r), |q| words::names(store, q));
    let (ink, label) = match r.kind {
        RecordKind::Response => (Ink::Ok, format!("↳ {method}")),
        RecordKind::Error => (Ink::ProtocolError, format!("↳ {method}")),
        RecordKind::Notification => (Ink::Dim, method.to_owned()),
        _ => (Ink::Text, method.to_owned()),
    };
    pen.column(ink, &label, c.method, false).skip(1);
    pen.column(Ink::Accent, target, c.target, false).skip(1);
    let id = store.id_text(r.id).unwrap_or_default();
    pen.column(Ink::Text, &id, c.outcome, false).skip(1);
    if c.latency > 0 {
        let latency = exchange.filter(|e| e.response == index).and_then(|e| store.latency(e));
        pen.column(Ink::Text, &latency.map_or(String::new(), duration), c.latency, true).skip(1);
    }
    tail(c, r, pen);
    if let Some(worst) = Severity::from_rank(r.worst) {
        let (ink, sign) = words::severity(worst);
        let n = store.findings_of(index).count();
        pen.put(ink, &format!("{sign}{}{n}", if c.findings > 6 { " " } else { "" }));
    }
}

fn tail(c: &Columns, r: &Record, pen: &mut Pen<'_>) {
    if c.size > 0 {
        pen.column(Ink::Dim, &size(bytes_of(r)), c.size, true).skip(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_width_and_never_more() {
        for width in 20..400 {
            let c = Columns::new(width, 1_000_000);
            let all = [c.number, c.time, 1, c.method, c.target, c.outcome, c.latency, c.size, c.findings];
            let used = all.iter().filter(|w| **w > 0).map(|w| w + 1).sum::<u16>() + 2;
            assert!(used <= width.max(40), "{width}: {used} {c:?}");
        }
    }
}
