//! Two calls compared: lines of their pretty text, with words inside changed lines.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::trace::NONE;
use crate::tui::data::{Data, duration};
use crate::tui::detail::words;
use crate::tui::list::Sel;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;

use super::schema::pretty_lines;
use super::{blank, heading, line};

/// A coarser result is better than waiting.
const MOST: Duration = Duration::from_millis(200);
/// Equal lines around a change.
const AROUND: usize = 3;

fn records(d: &Data<'_>, sel: Sel) -> Option<[u32; 2]> {
    match sel {
        Sel::Exchange(e) => d.store.exchanges.get(e as usize).map(|e| [e.request, e.response]),
        Sel::Record(r) => Some([r, NONE]),
    }
}

fn name(d: &Data<'_>, sel: Sel) -> String {
    match sel {
        Sel::Exchange(e) => {
            let (_, outcome) = words::outcome(d.store, e, 0);
            let latency = d
                .store
                .exchanges
                .get(e as usize)
                .and_then(|x| d.store.latency(x))
                .map_or(String::new(), |l| format!(", {}", duration(l)));
            format!("#{} ({outcome}{latency})", e + 1)
        }
        Sel::Record(r) => format!("frame {}", d.store.record(r).map_or(0, |r| r.frame)),
    }
}

pub(super) fn lines(d: &Data<'_>, left: Sel, right: Sel) -> Option<(String, Vec<PageLine>)> {
    let (a, b) = (records(d, left)?, records(d, right)?);
    let mut lines = vec![line(vec![
        (Ink::Error, "- ".into()),
        (Ink::Text, name(d, left)),
        (Ink::Ok, "   + ".into()),
        (Ink::Text, name(d, right)),
    ])];
    for (title, old, new) in [("Request", a[0], b[0]), ("Response", a[1], b[1])] {
        if old == NONE && new == NONE {
            continue;
        }
        lines.push(blank());
        lines.push(heading(title));
        let text = |record: u32| {
            let bytes = d.message(record).unwrap_or_default();
            pretty_lines(&bytes, &[]).join("\n") + "\n"
        };
        compare(&text(old), &text(new), &mut lines);
    }
    Some((format!("difference {} → {}", name(d, left), name(d, right)), lines))
}

fn compare(old: &str, new: &str, lines: &mut Vec<PageLine>) {
    if old == new {
        lines.push(line(vec![(Ink::Ok, "  equal".into())]));
        return;
    }
    let diff = TextDiff::configure().timeout(MOST).diff_lines(old, new);
    for (i, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if i > 0 {
            lines.push(line(vec![(Ink::Note, "  …".into())]));
        }
        for op in group {
            for change in diff.iter_inline_changes(op) {
                let (sign, ink, quiet) = match change.tag() {
                    ChangeTag::Delete => ("- ", Ink::Error, false),
                    ChangeTag::Insert => ("+ ", Ink::Ok, false),
                    ChangeTag::Equal => ("  ", Ink::Dim, true),
                };
                let mut text = vec![(ink, sign.to_owned())];
                for (changed, piece) in change.iter_strings_lossy() {
                    let piece = piece.trim_end_matches('\n').to_owned();
                    let ink = if quiet {
                        Ink::Dim
                    } else if changed {
                        ink
                    } else {
                        Ink::Text
                    };
                    text.push((ink, piece));
                }
                lines.push(line(text));
            }
        }
    }
}
