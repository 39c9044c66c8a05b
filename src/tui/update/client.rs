//! Actions and news of the client's part of the screen.

use crossterm::event::KeyEvent;

use crate::tui::action::Action;
use crate::tui::client::News;
use crate::tui::data::Data;
use crate::tui::detail::body::Body;
use crate::tui::key::Key;
use crate::tui::model::{Model, Pane, Tone};
use crate::wire::json::pretty;

use super::Effect;

/// A key for the editor's text.
pub(super) fn key(m: &mut Model, key: Key) {
    let Some(editor) = m.client.as_mut().and_then(|c| c.editor.as_mut()) else { return };
    if editor.text.input(KeyEvent::new(key.code, key.mods)) {
        editor.refused = false;
        editor.check();
    }
}

/// Pasted text.
pub(super) fn paste(m: &mut Model, text: &str) {
    let Some(editor) = m.client.as_mut().and_then(|c| c.editor.as_mut()) else { return };
    let clean: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).take(1 << 20).collect();
    editor.text.insert_str(clean);
    editor.check();
}

/// Actions of the client; false for those that are not.
pub(super) fn act(m: &mut Model, action: Action, d: &Data<'_>, fx: &mut Vec<Effect>) -> bool {
    if m.client.is_none() {
        return false;
    }
    let editing = m.client.as_ref().is_some_and(crate::tui::client::Client::is_editing);
    match action {
        Action::Call => {
            m.pages.clear();
            if m.focus == Pane::Tools { open(m) } else { m.focus = Pane::Tools }
        }
        Action::Resend => resend(m, d),
        Action::Send | Action::SendAnyway if editing => send(m, action == Action::SendAnyway, d, fx),
        Action::Cancel | Action::Close if editing => {
            if let Some(client) = &mut m.client {
                client.close();
            }
        }
        Action::Redraw | Action::Suspend | Action::Quit if editing => return false,
        _ => return editing,
    }
    true
}

/// Opens the editor for the selected tool.
pub(super) fn open(m: &mut Model) {
    if let Some(client) = &mut m.client
        && !client.edit()
    {
        m.say(Tone::Bad, "there is no tool to call");
    }
}

fn send(m: &mut Model, insist: bool, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(client) = &mut m.client else { return };
    match client.send(insist) {
        Ok(command) => {
            m.focus = Pane::List;
            m.expect = Some(d.store.rows.len() as u32);
            fx.push(Effect::Client(command));
        }
        Err(why) => m.say(Tone::Bad, why),
    }
}

/// Writes the selected call again.
fn resend(m: &mut Model, d: &Data<'_>) {
    let tool = super::selected_exchange(m, d)
        .and_then(|e| d.store.exchanges.get(e as usize))
        .filter(|e| d.store.method_of(e) == Some("tools/call"))
        .and_then(|e| d.store.target_of(e))
        .map(str::to_owned);
    let Some(tool) = tool else { return m.say(Tone::Bad, "this is no call of a tool") };
    let arguments = m.detail.as_ref().and_then(|x| arguments(&x.payload)).unwrap_or_else(|| "{}".to_owned());
    if let Some(client) = &mut m.client {
        client.edit_with(&tool, &arguments);
    }
}

/// The arguments of the request that a payload pane shows, pretty.
fn arguments(payload: &Body) -> Option<String> {
    let value = payload.doc(0)?.root()?.path(&["params", "arguments"])?;
    let mut out = Vec::new();
    pretty::write(value, &mut out);
    String::from_utf8(out).ok()
}

/// Takes news from the worker.
pub(super) fn news(m: &mut Model, news: News) {
    let Some(client) = &mut m.client else { return };
    if let Some((tone, text)) = client.take(news) {
        m.say(tone, text);
    }
}
