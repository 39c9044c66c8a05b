//! All findings of the trace, by layer and owner, one line a rule and the first places below it.

use std::collections::BTreeMap;

use crate::rules::catalogue;
use crate::trace::{Finding, Layer, NONE, Severity};
use crate::tui::data::{Data, count, seconds};
use crate::tui::detail::body::Go;
use crate::tui::detail::words;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;
use crate::wire::frame::Side;

use super::{blank, heading, line, link};

/// Places listed below a rule.
const PLACES: usize = 8;

pub(super) fn lines(d: &Data<'_>) -> (String, Vec<PageLine>) {
    type Group<'a> = BTreeMap<(std::cmp::Reverse<Severity>, &'static str), Vec<(u32, &'a Finding)>>;
    let mut groups: BTreeMap<(Layer, Side), Group<'_>> = BTreeMap::new();
    let mut all = 0;
    for (i, f) in d.store.findings() {
        all += 1;
        let rules = groups.entry((f.layer, f.owner)).or_default();
        rules.entry((std::cmp::Reverse(f.severity), f.rule)).or_default().push((i, f));
    }
    let title = format!("findings: {}", count(all, "finding"));
    let mut lines = Vec::new();
    if all == 0 {
        lines.push(line(vec![(Ink::Ok, "nothing to say about this trace".into())]));
    }
    for ((layer, owner), rules) in groups {
        if !lines.is_empty() {
            lines.push(blank());
        }
        let n: usize = rules.values().map(Vec::len).sum();
        lines.push(heading(format!("{} · to be fixed by the {} · {n}", layer.as_str(), owner.as_str())));
        for ((severity, rule), found) in rules {
            let (ink, sign) = words::severity(severity.0);
            let title = catalogue::entry(rule).map_or("", |e| e.title.as_str());
            lines.push(link(
                vec![
                    (ink, format!("{sign} {:>4}  ", found.len())),
                    (Ink::Accent, format!("{rule:<34} ")),
                    (Ink::Dim, title.to_owned()),
                ],
                Go::Rule(rule),
            ));
            for (index, f) in found.iter().take(PLACES) {
                let record = d.store.record(f.record);
                let exchange = record.map_or(NONE, |r| r.exchange);
                let number = if exchange == NONE { "   –".into() } else { format!("{:>4}", exchange + 1) };
                lines.push(link(
                    vec![
                        (Ink::Dim, format!("       {number} {:>9}  ", record.map_or(String::new(), |r| seconds(r.t)))),
                        (Ink::Text, f.message.to_string()),
                        (Ink::Dim, f.pointer.as_deref().map_or(String::new(), |p| format!("  {p}"))),
                    ],
                    Go::Finding(*index),
                ));
            }
            if found.len() > PLACES {
                lines.push(line(vec![(Ink::Note, format!("            … {} more", found.len() - PLACES))]));
            }
        }
    }
    if !d.store.not_judged.is_empty() {
        lines.push(blank());
        lines.push(heading("Not judged"));
        for (what, n) in &d.store.not_judged {
            lines.push(line(vec![
                (Ink::Dim, format!("{n:>6}  ")),
                (Ink::Accent, format!("{:<34} ", what.rule)),
                (Ink::Dim, what.why.to_string()),
            ]));
        }
    }
    (title, lines)
}
