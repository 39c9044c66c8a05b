//! The keys of the place where one is, made from the keymap.

use crate::tui::action::{ACTIONS, Ctx};
use crate::tui::keymap::Keymap;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;

use super::{blank, heading, line};

/// What to press first; shown on top of every help page.
const FIRST: &[(&str, &str)] = &[
    ("e", "the next thing that went wrong, with the reason above the panes"),
    ("tab", "from the list into the envelope, the payload and the findings"),
    ("/", "only what matches: a word, or is:error and tool = search"),
    ("i", "the rule behind a finding: what is wrong, why it matters, who has to fix it"),
    ("y", "copy a value, its pointer, the message or the exchange"),
];

pub(super) fn lines(keymap: &Keymap, contexts: &[Ctx]) -> (String, Vec<PageLine>) {
    let mut lines = vec![heading("Five keys to begin with")];
    for (keys, help) in FIRST {
        lines.push(line(vec![(Ink::HintKey, format!("  {keys:<18}")), (Ink::Text, (*help).to_owned())]));
    }
    for ctx in contexts {
        let title = match ctx {
            Ctx::Global => "Everywhere",
            Ctx::List => "In the list",
            Ctx::Body => "In a pane",
            Ctx::Page => "On a page",
            Ctx::Menu => "In a menu",
            Ctx::Prompt => "In an input line",
            Ctx::Home => "On the start screen",
            Ctx::Edit => "In the editor",
        };
        lines.push(blank());
        lines.push(heading(title));
        for info in ACTIONS {
            let keys: Vec<String> = keymap.of(*ctx).filter(|b| b.action == info.action).map(|b| b.text()).collect();
            if keys.is_empty() {
                continue;
            }
            lines.push(line(vec![
                (Ink::HintKey, format!("  {:<18}", keys.join("  "))),
                (Ink::Text, info.help.to_owned()),
                (Ink::Dim, format!("  {}", info.name)),
            ]));
        }
    }
    lines.push(blank());
    lines.push(heading("Signs"));
    for (ink, sign, what) in [
        (Ink::Client, "→", "client to server"),
        (Ink::Server, "←", "server to client"),
        (Ink::Error, "✖", "a finding: breaks a MUST or the schema"),
        (Ink::Warning, "▲", "a finding: breaks a SHOULD, is deprecated, or is a likely bug"),
        (Ink::Info, "●", "a finding: worth seeing"),
        (Ink::Input, "⟳", "asked for input, and the request that brought it"),
        (Ink::ToolError, "tool error", "the tool says that it failed (isError)"),
        (Ink::ProtocolError, "error", "JSON-RPC or HTTP says no"),
        (Ink::Hostile, "\\u{1b}", "a character that would do something to the terminal, written out"),
    ] {
        lines.push(line(vec![(ink, format!("  {sign:<18}")), (Ink::Text, what.to_owned())]));
    }
    ("keys".to_owned(), lines)
}
