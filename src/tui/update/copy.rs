//! What can be copied, and its text.

use crate::trace::NONE;
use crate::tui::data::{Data, seconds};
use crate::tui::detail::body::{Block, Body, Row};
use crate::tui::list::Sel;
use crate::tui::model::{Menu, Model, Pane, Pick};

/// Opens the menu for the place where the cursor is.
pub(super) fn menu(m: &mut Model) {
    let mut items = Vec::new();
    if m.page().is_some() {
        items.push(('p', "this page as text".to_owned(), Pick::CopyPage));
    } else {
        if m.focus != Pane::List && value(m).is_some() {
            items.push(('v', "value, as it came".to_owned(), Pick::CopyValue));
            items.push(('t', "its text, unescaped".to_owned(), Pick::CopyText));
            items.push(('p', "JSON pointer".to_owned(), Pick::CopyPointer));
        }
        items.push(('m', "message, as it came".to_owned(), Pick::CopyMessage));
        items.push(('e', "exchange, as lines of a trace".to_owned(), Pick::CopyExchange));
    }
    m.menu = Some(Menu { title: "copy".to_owned(), items, cursor: 0 });
}

fn body(m: &Model) -> Option<&Body> {
    m.body(if m.focus == Pane::List { Pane::Payload } else { m.focus })
}

fn value(m: &Model) -> Option<(usize, crate::wire::json::Value<'_>)> {
    let body = body(m)?;
    body.value_of(body.row()?)
}

/// The document that the row under the cursor belongs to.
fn part(body: &Body) -> Option<usize> {
    let own = |row: &Row| match row {
        Row::Node { doc, .. }
        | Row::More { doc, .. }
        | Row::Text { doc, .. }
        | Row::Raw { doc, .. }
        | Row::Hex { doc, .. } => Some(*doc),
        _ => None,
    };
    let mut part = body.rows[body.cursor.min(body.rows.len())..]
        .iter()
        .find_map(own)
        .or_else(|| body.rows.iter().rev().find_map(own))
        .or_else(|| body.blocks.iter().find_map(|b| if let Block::Tree { doc, .. } = b { Some(*doc) } else { None }))
        .or((!body.parts.is_empty()).then_some(0))?;
    while let Some((outer, _)) = body.parts.get(part)?.inside {
        part = outer;
    }
    Some(part)
}

/// The text of a menu entry.
pub(super) fn text(m: &Model, pick: Pick, d: &Data<'_>) -> Result<(&'static str, String), &'static str> {
    match pick {
        Pick::CopyPage => m.page().map(|p| ("page", p.text())).ok_or("no page is open"),
        Pick::CopyValue => {
            let (_, v) = value(m).ok_or("no value under the cursor")?;
            Ok(("value", v.raw_str().into_owned()))
        }
        Pick::CopyText => {
            let (_, v) = value(m).ok_or("no value under the cursor")?;
            Ok(("text", v.as_str().unwrap_or_else(|| v.raw_str()).into_owned()))
        }
        Pick::CopyPointer => {
            let body = body(m).ok_or("no message is shown")?;
            let (part, v) = value(m).ok_or("no value under the cursor")?;
            let mut pointer = v.pointer();
            let mut at = body.parts.get(part).and_then(|p| p.inside);
            while let Some((outer, node)) = at {
                let Some(v) = body.doc(outer).and_then(|d| d.node(node)) else { break };
                pointer = v.pointer() + &pointer;
                at = body.parts.get(outer).and_then(|p| p.inside);
            }
            Ok(("pointer", pointer))
        }
        Pick::CopyMessage => {
            let body = body(m).ok_or("no message is shown")?;
            let part = part(body).ok_or("no message is shown")?;
            let doc = body.doc(part).ok_or("no message is shown")?;
            Ok(("message", String::from_utf8_lossy(doc.bytes()).into_owned()))
        }
        Pick::CopyExchange => {
            let records = match m.list.selected(d.store).ok_or("nothing is selected")? {
                Sel::Exchange(e) => {
                    let e = d.store.exchanges.get(e as usize).ok_or("nothing is selected")?;
                    vec![e.request, e.response]
                }
                Sel::Record(r) => vec![r],
            };
            let detail = m.detail.as_ref().ok_or("it is still being read")?;
            let mut out = String::new();
            for record in records.into_iter().filter(|r| *r != NONE) {
                let Some(r) = d.store.record(record) else { continue };
                let found = detail.payload.parts.iter().find(|p| p.record == record && p.inside.is_none());
                let bytes = found.map(|p| p.doc.doc().bytes()).unwrap_or_default();
                let t = format!("{}{:03}", seconds(r.t), r.t.rem_euclid(1000));
                let head = format!("{{\"t\":{t},\"dir\":\"{}\"", r.dir.as_str());
                let whole = crate::format::native::grammar::is_one_value(bytes);
                match std::str::from_utf8(bytes) {
                    Ok(text) if whole && !text.contains('\n') => out.push_str(&format!("{head},\"msg\":{text}}}\n")),
                    text => {
                        let text = text.map_or_else(|_| String::from_utf8_lossy(bytes), Into::into);
                        let quoted = serde_json::to_string(&text).unwrap_or_default();
                        out.push_str(&format!("{head},\"text\":{quoted}}}\n"));
                    }
                }
            }
            Ok(("exchange", out))
        }
        Pick::Quit | Pick::Detach | Pick::Stay => Err("nothing to copy"),
    }
}
