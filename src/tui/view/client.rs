//! The client's part of the screen: the tools, and the editor of a call.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use crate::tui::client::{Client, Editor, State};
use crate::tui::layout::Area;
use crate::tui::model::Model;
use crate::tui::theme::Ink;

use super::Pen;

pub(super) fn tools(m: &Model, client: &Client, area: Area, focused: bool, buf: &mut Buffer) {
    if client.tools.is_empty() {
        let (ink, text) = match &client.state {
            State::Connecting => (Ink::Pending, "connecting …"),
            State::Ready => (Ink::Dim, "the server lists no tools"),
            State::Ended(why) => (Ink::Error, why.as_str()),
        };
        Pen::new(buf, &m.theme, area.body, 0).skip(1).put(ink, text);
        return;
    }
    for row in 0..area.body.height {
        let place = client.top + usize::from(row);
        let Some(tool) = client.tools.get(place) else { break };
        let mut pen = Pen::new(buf, &m.theme, area.body, row);
        if place == client.cursor {
            pen.fill(if focused { Ink::Cursor } else { Ink::CursorIdle });
        }
        pen.put(Ink::Accent, if place == client.cursor { "▌" } else { " " });
        pen.put(Ink::Text, &tool.name);
        if tool.read_only {
            pen.put(Ink::Dim, " (reads only)");
        }
        if let Some(text) = &tool.description {
            pen.put(Ink::Dim, "  ").put(Ink::Dim, text.lines().next().unwrap_or_default());
        }
    }
    super::scroll_bar(m, area.body, client.top, client.tools.len(), buf);
}

/// Where the editor stands.
fn place(size: (u16, u16), rows: usize) -> Rect {
    let (width, height) = size;
    let w = width.min(100.max(width * 2 / 3)).saturating_sub(2).max(1);
    // Room for the text to grow, not for more.
    let wanted = (rows as u16).saturating_add(12).clamp(16, 40);
    let h = height.saturating_sub(4).clamp(1, wanted);
    Rect { x: (width - w.min(width)) / 2, y: (height.saturating_sub(h)) / 2, width: w, height: h }
}

pub(super) fn editor(m: &Model, editor: &Editor, buf: &mut Buffer) {
    let area = place(m.size, editor.text.lines().len()).intersection(buf.area);
    super::popup::frame(m, area, &format!("call {}", editor.tool.name), buf);
    let inside = Rect {
        x: area.x + 2.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    };
    if inside.width < 4 || inside.height < 3 {
        return;
    }
    let mut top = 0;
    for text in editor.tool.description.iter().flat_map(|t| t.lines()).filter(|l| !l.trim().is_empty()).take(2) {
        Pen::new(buf, &m.theme, inside, top).put(Ink::Dim, text);
        top += 1;
    }
    let notes = (editor.violations.len() as u16).clamp(1, 5);
    let rows = inside.height.saturating_sub(top + notes + 2).max(1);
    let text_area = Rect { y: inside.y + top, height: rows.min(inside.height), ..inside };
    let mut text = editor.text.clone();
    text.set_style(m.theme.get(Ink::Popup).patch(m.theme.get(Ink::Text)));
    text.set_cursor_line_style(ratatui::style::Style::new());
    text.set_line_number_style(m.theme.get(Ink::Dim));
    (&text).render(text_area.intersection(buf.area), buf);
    let below = top + rows;
    super::rule(m, Rect { y: inside.y + below, height: 1, ..inside }, buf);
    let mut row = below + 1;
    let mut say = |ink: Ink, lead: &str, text: &str| {
        Pen::new(buf, &m.theme, inside, row).put(ink, lead).put(Ink::Text, text);
        row += 1;
    };
    match (&editor.unjudged, editor.violations.is_empty()) {
        (Some(why), _) => say(Ink::Warning, "not judged: ", why),
        (None, true) => say(Ink::Ok, "✓ ", "fits the tool's schema"),
        (None, false) => {
            for v in editor.violations.iter().take(usize::from(notes)) {
                let place = if v.pointer.is_empty() { String::new() } else { format!("{}: ", v.pointer) };
                say(Ink::Error, "✖ ", &format!("{place}{}", v.message));
            }
        }
    }
    let mut pen = Pen::new(buf, &m.theme, inside, inside.height - 1);
    if editor.refused && !editor.violations.is_empty() {
        pen.put(Ink::Warning, "the schema says no; ")
            .put(Ink::HintKey, "ctrl-x")
            .put(Ink::Hint, " sends it all the same");
    } else {
        pen.put(Ink::HintKey, "ctrl-s")
            .put(Ink::Hint, " send   ")
            .put(Ink::HintKey, "esc")
            .put(Ink::Hint, " keep and close");
    }
}
