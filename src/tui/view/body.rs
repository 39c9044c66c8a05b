//! A pane's rows: only those on the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::data::{size, thousands};
use crate::tui::detail::body::{Block, Body, Row, can_open};
use crate::tui::model::Model;
use crate::tui::theme::Ink;
use crate::wire::json::{Kind, Value};

use super::Pen;

pub(super) fn draw(m: &Model, body: &Body, area: Rect, focused: bool, buf: &mut Buffer) {
    for i in 0..area.height {
        let place = body.top + usize::from(i);
        let Some(row) = body.rows.get(place) else { break };
        let mut pen = Pen::new(buf, &m.theme, Rect { width: area.width.saturating_sub(1), ..area }, i);
        if place == body.cursor && focused {
            pen.fill(Ink::Cursor);
        }
        draw_row(body, row, &mut pen);
    }
    super::scroll_bar(m, area, body.top, body.rows.len(), buf);
}

fn indent(pen: &mut Pen<'_>, depth: u16) {
    pen.skip(1 + depth.min(40) * 2);
    if depth > 40 {
        pen.put(Ink::Note, &format!("({depth}) "));
    }
}

fn draw_row(body: &Body, row: &Row, pen: &mut Pen<'_>) {
    match row {
        Row::Blank => {}
        Row::Line(i) => {
            if let Some(Block::Line(text, _)) = body.blocks.get(*i) {
                pen.skip(1).text(text);
            }
        }
        Row::Node { doc, node, depth, label } => {
            let Some(value) = body.doc(*doc).and_then(|d| d.node(*node)) else { return };
            indent(pen, *depth);
            let label = label.and_then(|i| match body.blocks.get(i) {
                Some(Block::Tree { label, .. }) => label.as_deref(),
                _ => None,
            });
            node_row(body, *doc, value, label, pen);
        }
        Row::More { depth, hidden, of, .. } => {
            indent(pen, *depth);
            pen.put(Ink::Note, &format!("… {} more {of}", thousands(*hidden))).put(Ink::Dim, "  (enter)");
        }
        Row::Text { doc, node, depth, range, wrapped } => {
            indent(pen, *depth);
            pen.put(Ink::Rule, if *wrapped { "┊ " } else { "│ " });
            let line = body.text(*doc, *node).and_then(|t| t.get(range.clone())).unwrap_or_default();
            painted(line, range.start, body.paint(*doc, *node), pen);
        }
        Row::Pin { pin, depth } => {
            let Some(pin) = body.pins.get(*pin) else { return };
            indent(pen, depth.saturating_sub(1));
            pen.put(pin.ink, "╰ ").put(pin.ink, &pin.message).put(Ink::Dim, &format!("  {}  {}", pin.rule, pin.about));
        }
        Row::Raw { doc, range } => {
            let Some(doc) = body.doc(*doc) else { return };
            pen.skip(1).bytes(Ink::Text, doc.bytes().get(range.clone()).unwrap_or_default());
        }
        Row::Hex { doc, at } => {
            let Some(doc) = body.doc(*doc) else { return };
            let bytes = &doc.bytes()[*at..doc.bytes().len().min(at + 16)];
            pen.skip(1).put(Ink::Dim, &format!("{at:08x}  "));
            let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x} ")).collect::<String>();
            let (a, b) = bytes.split_at(bytes.len().min(8));
            pen.put(Ink::Text, &format!("{:<24} {:<24} ", hex(a), hex(b)));
            let text: String = bytes.iter().map(|b| if (0x20..0x7f).contains(b) { *b as char } else { '·' }).collect();
            pen.put(Ink::String, &text);
        }
    }
}

/// A line of text in its colours.
fn painted(line: &str, start: usize, paint: &[(std::ops::Range<usize>, Ink)], pen: &mut Pen<'_>) {
    let base = if paint.is_empty() { Ink::String } else { Ink::Text };
    let line = line.trim_end_matches(['\r', '\n']);
    let end = start + line.len();
    let mut at = start;
    let first = paint.partition_point(|(r, _)| r.end <= start);
    for (range, ink) in paint[first..].iter().take_while(|(r, _)| r.start < end) {
        let (a, b) = (range.start.max(at), range.end.min(end));
        pen.put(base, line.get(at - start..a - start).unwrap_or_default());
        pen.put(*ink, line.get(a - start..b - start).unwrap_or_default());
        at = b.max(at);
    }
    pen.put(base, line.get(at - start..).unwrap_or_default());
}

fn node_row(body: &Body, doc: usize, value: Value<'_>, label: Option<&str>, pen: &mut Pen<'_>) {
    let openable = can_open(value);
    let open = openable && body.is_open(doc, value);
    pen.put(
        Ink::Dim,
        if !openable {
            "  "
        } else if open {
            "▾ "
        } else {
            "▸ "
        },
    );
    if let Some(label) = label {
        pen.put(Ink::Accent, label).put(Ink::Dim, "  ");
    } else if let Some(key) = value.key() {
        pen.bytes(Ink::Key, key.inner()).put(Ink::Dim, ": ");
    } else if value.parent().is_some() {
        pen.put(Ink::Dim, &format!("{}: ", value.position().unwrap_or(0)));
    }
    match value.kind() {
        Kind::Object | Kind::Array => container(value, open, pen),
        Kind::String => string(body, doc, value, open, label.is_some(), pen),
        Kind::Number => {
            pen.bytes(Ink::Number, value.raw());
        }
        Kind::Bool | Kind::Null => {
            pen.bytes(Ink::Literal, value.raw());
        }
    }
    if value.is_open() {
        pen.put(Ink::Error, " ✖ ends here");
    }
}

fn container(value: Value<'_>, open: bool, pen: &mut Pen<'_>) {
    let (a, b) = if value.is_array() { ("[", "]") } else { ("{", "}") };
    if value.is_empty() {
        pen.put(Ink::Dim, a).put(Ink::Dim, b);
        return;
    }
    if open {
        if value.is_array() {
            pen.put(Ink::Dim, &format!("[{}]", thousands(value.len())));
        }
        return;
    }
    if value.is_array() || value.len() > 12 {
        pen.put(Ink::Dim, &format!("{a}{}{b} ", thousands(value.len())));
    }
    preview(value, pen);
}

/// A folded value on one line, as far as there is room.
fn preview(root: Value<'_>, pen: &mut Pen<'_>) {
    enum Step<'a> {
        Value(Value<'a>),
        Punct(&'static str),
    }
    let mut stack = vec![Step::Value(root)];
    let mut steps = 0;
    while let Some(step) = stack.pop() {
        steps += 1;
        if pen.room() == 0 || steps > 400 {
            break;
        }
        match step {
            Step::Punct(text) => {
                pen.put(Ink::Dim, text);
            }
            Step::Value(v) => {
                if v.node() != root.node()
                    && let Some(key) = v.key()
                {
                    pen.bytes(Ink::Key, key.inner()).put(Ink::Dim, ": ");
                }
                match v.kind() {
                    Kind::Object | Kind::Array => {
                        let (a, b) = if v.is_array() { ("[", "]") } else { ("{", "}") };
                        pen.put(Ink::Dim, a);
                        stack.push(Step::Punct(b));
                        let some: Vec<_> = v.children().take(30).collect();
                        for (i, child) in some.into_iter().enumerate().rev() {
                            stack.push(Step::Value(child));
                            if i > 0 {
                                stack.push(Step::Punct(", "));
                            }
                        }
                    }
                    Kind::String => {
                        pen.bytes(Ink::String, v.raw());
                    }
                    Kind::Number => {
                        pen.bytes(Ink::Number, v.raw());
                    }
                    Kind::Bool | Kind::Null => {
                        pen.bytes(Ink::Literal, v.raw());
                    }
                }
            }
        }
    }
}

fn string(body: &Body, doc: usize, value: Value<'_>, open: bool, labelled: bool, pen: &mut Pen<'_>) {
    if let Some(what) = binary(value) {
        pen.put(Ink::Note, &what);
        return;
    }
    if open {
        let note = match (body.embedded(doc, value.node()), body.text(doc, value.node())) {
            (Some(_), _) => "JSON in text".to_owned(),
            (None, Some(text)) => match text.lines().count() {
                0 | 1 if labelled => String::new(),
                n => format!("{} lines", thousands(n)),
            },
            _ => String::new(),
        };
        pen.put(Ink::Note, &note);
        return;
    }
    pen.bytes(Ink::String, value.raw());
}

/// What base64 data is, by the media type beside it and its first bytes.
fn binary(value: Value<'_>) -> Option<String> {
    let key = value.key()?;
    if !(key == *"data" || key == *"blob") || value.raw().len() < 24 {
        return None;
    }
    let mime = value.parent()?.get("mimeType")?.as_str()?;
    let raw = value.inner()?;
    let head = &raw[..raw.len().min(44) / 4 * 4];
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, head).ok()?;
    let padding = raw.iter().rev().take_while(|b| **b == b'=').count();
    let decoded = (raw.len() / 4 * 3).saturating_sub(padding) as u64;
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', _, _, _, _, _, _, _, _, b'I', b'H', b'D', b'R', a, b, c, d, e, f, g, h, ..] => {
            format!("PNG {}×{}", u32::from_be_bytes([*a, *b, *c, *d]), u32::from_be_bytes([*e, *f, *g, *h]))
        }
        [b'G', b'I', b'F', b'8', _, _, a, b, c, d, ..] => {
            format!("GIF {}×{}", u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]))
        }
        [0xFF, 0xD8, 0xFF, ..] => "JPEG".to_owned(),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "WebP".to_owned(),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "WAVE".to_owned(),
        [b'%', b'P', b'D', b'F', ..] => "PDF".to_owned(),
        _ => "bytes".to_owned(),
    };
    Some(format!("{kind}, {} bytes, sent as {mime} ({} bytes of base64)", size(decoded), size(raw.len() as u64)))
}
