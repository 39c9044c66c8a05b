//! The start screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::data::{count, size};
use crate::tui::home::{Home, Row, Trace};
use crate::tui::model::Model;
use crate::tui::theme::Ink;

use super::Pen;

pub(super) fn draw(m: &Model, home: &Home, area: Rect, buf: &mut Buffer) {
    let rows = home.rows();
    for i in 0..area.height {
        let place = home.top + usize::from(i);
        let Some(row) = rows.get(place) else { break };
        let mut pen = Pen::new(buf, &m.theme, area, i);
        let selected = place == home.cursor;
        let choosable = matches!(row, Row::Live(_) | Row::Server(_) | Row::Recent(_));
        if selected && choosable {
            pen.fill(Ink::Cursor).put(Ink::Accent, "▌");
        } else {
            pen.skip(1);
        }
        match *row {
            Row::Blank => {}
            Row::Head(text) => {
                pen.put(Ink::Heading, text);
            }
            Row::Text(text) => {
                pen.skip(1).put(Ink::Dim, text);
            }
            Row::Live(i) => {
                if let Some(t) = home.lists.live.get(i) {
                    pen.skip(1).put(Ink::Live, "● ");
                    trace(t, &mut pen);
                }
            }
            Row::Recent(i) => {
                if let Some(t) = home.lists.recent.get(i) {
                    pen.skip(1).put(Ink::Match, if t.pinned { "^" } else { " " }).skip(1);
                    trace(t, &mut pen);
                }
            }
            Row::Server(i) => {
                if let Some(s) = home.lists.servers.get(i) {
                    pen.skip(3).column(Ink::Accent, &s.name, 24, false).skip(1);
                    pen.column(Ink::Text, &s.host, 16, false).skip(1);
                    pen.column(Ink::Dim, &s.transport, 6, false).skip(1);
                    let (ink, word) = if s.wrapped { (Ink::Ok, "tapped") } else { (Ink::Dim, "not tapped (w)") };
                    pen.column(ink, word, 15, false).skip(1).put(Ink::Dim, &s.last);
                }
            }
        }
    }
    super::scroll_bar(m, area, home.top, rows.len(), buf);
}

fn trace(t: &Trace, pen: &mut Pen<'_>) {
    pen.column(Ink::Accent, &t.name, 24, false).skip(1);
    pen.column(Ink::Text, &t.host, 16, false).skip(1);
    pen.column(Ink::Text, &t.when, 20, false).skip(1);
    let exchanges = t.exchanges.map_or(String::new(), |n| count(n, "exchange"));
    pen.column(Ink::Text, &exchanges, 16, true).skip(1);
    let findings = t.findings.filter(|n| *n > 0).map_or(String::new(), |n| format!("✖ {n}"));
    pen.column(Ink::Error, &findings, 7, false).skip(1);
    pen.column(Ink::Dim, &size(t.size), 7, true);
}
