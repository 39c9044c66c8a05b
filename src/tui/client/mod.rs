//! mcpscope as the client: the tools of the server, and an editor for a call. Calls go to a worker thread; what comes
//! back is on the wire, which is tapped, so that it appears in the list like any other traffic.

pub mod worker;

use std::collections::HashMap;

use ratatui_textarea::TextArea;

use crate::mcp::Revision;
use crate::peer::client::Tool;
use crate::peer::client::args::{Violation, check, prefill};
use crate::wire::json::visible::is_hostile;

use super::model::Tone;

pub use worker::{Link, spawn};

/// What the worker is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Call a tool.
    Call {
        /// Its name.
        tool: String,
        /// Text of the arguments, on one line.
        arguments: String,
    },
    /// Read the lists again.
    Refresh,
}

/// What the worker tells.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// The handshake is done.
    Connected {
        /// Name and version.
        server: String,
        /// What is spoken.
        revision: Revision,
    },
    /// The tools.
    Tools(Vec<Tool>),
    /// A word about what it does.
    Say(Tone, String),
    /// A call was sent.
    Sent,
    /// A call has an end.
    Answered(Tone, String),
    /// There is no server any more, or there never was one.
    Ended(String),
}

/// How the connection stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// The server is being asked.
    Connecting,
    /// Calls can be made.
    Ready,
    /// Why none can be made.
    Ended(String),
}

/// The editor of one call.
#[derive(Clone, Debug)]
pub struct Editor {
    /// The tool.
    pub tool: Tool,
    /// The arguments as they are typed.
    pub text: TextArea<'static>,
    /// What the schema says about them.
    pub violations: Vec<Violation>,
    /// Why the schema says nothing.
    pub unjudged: Option<String>,
    /// The user has tried to send although the schema says no.
    pub refused: bool,
}

impl Editor {
    /// Begins with a text.
    pub fn new(tool: Tool, text: &str) -> Editor {
        let mut area = TextArea::new(escape(text).lines().map(str::to_owned).collect());
        area.set_tab_length(2);
        let mut editor = Editor { tool, text: area, violations: Vec::new(), unjudged: None, refused: false };
        editor.check();
        editor
    }

    /// The arguments as typed.
    pub fn arguments(&self) -> String {
        self.text.lines().join("\n")
    }

    /// Holds the arguments against the schema.
    pub fn check(&mut self) {
        match check(&self.tool.input_schema, &self.arguments()) {
            Ok(violations) => {
                self.violations = violations;
                self.unjudged = None;
            }
            Err(why) => {
                self.violations.clear();
                self.unjudged = Some(why.to_string());
            }
        }
    }
}

/// The client's part of the screen.
#[derive(Clone, Debug)]
pub struct Client {
    /// Name and version of the server.
    pub server: String,
    /// What is spoken.
    pub revision: Option<Revision>,
    /// How the connection stands.
    pub state: State,
    /// The server's tools.
    pub tools: Vec<Tool>,
    /// The selected one.
    pub cursor: usize,
    /// The first one on the screen.
    pub top: usize,
    /// Calls in flight.
    pub in_flight: usize,
    /// The editor, while a call is written.
    pub editor: Option<Editor>,
    /// What was last written for each tool.
    pub drafts: HashMap<String, String>,
}

impl Default for Client {
    fn default() -> Client {
        Client {
            server: String::new(),
            revision: None,
            state: State::Connecting,
            tools: Vec::new(),
            cursor: 0,
            top: 0,
            in_flight: 0,
            editor: None,
            drafts: HashMap::new(),
        }
    }
}

impl Client {
    /// A call is being written.
    pub fn is_editing(&self) -> bool {
        self.editor.is_some()
    }

    /// Opens the editor for the selected tool, with what was written for it before.
    pub fn edit(&mut self) -> bool {
        let Some(tool) = self.tools.get(self.cursor).cloned() else { return false };
        let text = self.drafts.get(&tool.name).cloned().unwrap_or_else(|| prefill(&tool.input_schema));
        self.editor = Some(Editor::new(tool, &text));
        true
    }

    /// Opens the editor for a tool with given arguments.
    pub fn edit_with(&mut self, name: &str, arguments: &str) {
        let known = self.tools.iter().find(|t| t.name == name).cloned();
        // A tool that is not listed can be called all the same: that is a test too.
        let tool = known.unwrap_or_else(|| Tool {
            name: name.to_owned(),
            description: None,
            input_schema: "{}".to_owned(),
            read_only: false,
        });
        self.editor = Some(Editor::new(tool, arguments));
    }

    /// Closes the editor and keeps what was written.
    pub fn close(&mut self) {
        if let Some(editor) = self.editor.take() {
            let text = editor.arguments();
            self.drafts.insert(editor.tool.name, text);
        }
    }

    /// The call, if the schema agrees or the user insists. `Err` says why it is not sent.
    ///
    /// # Errors
    /// What the user can do about it.
    pub fn send(&mut self, insist: bool) -> Result<Command, &'static str> {
        match &self.state {
            State::Ready => {}
            State::Connecting => return Err("not connected yet"),
            State::Ended(_) => return Err("the server has ended"),
        }
        let Some(editor) = &mut self.editor else { return Err("no call is open") };
        editor.check();
        if !editor.violations.is_empty() && !insist {
            editor.refused = true;
            return Err("the schema says no; ctrl-x sends it all the same");
        }
        // On stdio a line feed ends a message. Between tokens a blank means the same; inside strings none is legal.
        let arguments = editor.arguments().replace(['\n', '\r'], " ");
        let command = Command::Call { tool: editor.tool.name.clone(), arguments };
        self.close();
        Ok(command)
    }

    /// Takes news. Returns what to tell the user.
    pub fn take(&mut self, news: News) -> Option<(Tone, String)> {
        match news {
            News::Connected { server, revision } => {
                self.server = server;
                self.revision = Some(revision);
                self.state = State::Ready;
                None
            }
            News::Tools(tools) => {
                let selected = self.tools.get(self.cursor).map(|t| t.name.clone());
                self.tools = tools;
                let place = selected.and_then(|name| self.tools.iter().position(|t| t.name == name));
                self.cursor = place.unwrap_or(0);
                None
            }
            News::Say(tone, text) => Some((tone, text)),
            News::Sent => {
                self.in_flight += 1;
                None
            }
            News::Answered(tone, text) => {
                self.in_flight = self.in_flight.saturating_sub(1);
                Some((tone, text))
            }
            News::Ended(why) => {
                self.in_flight = 0;
                let text = why.clone();
                self.state = State::Ended(why);
                Some((Tone::Bad, text))
            }
        }
    }
}

/// JSON text with hostile characters as escapes, so that an editor shows them: the value stays the same.
fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let mut one = [0u8; 4];
        if c == '\n' || !is_hostile(c.encode_utf8(&mut one)) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn client() -> Client {
        let mut client = Client::default();
        client.take(News::Connected { server: "demo 1".into(), revision: Revision::NEWEST });
        client.take(News::Tools(vec![Tool {
            name: "get_weather".into(),
            description: None,
            input_schema: r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}"#.into(),
            read_only: true,
        }]));
        client
    }

    #[test]
    fn a_call_is_checked_and_sent_on_one_line() {
        let mut c = client();
        assert!(c.edit());
        assert_eq!(c.editor.as_ref().unwrap().arguments(), "{\n  \"city\": \"\"\n}");
        assert_eq!(
            c.send(false),
            Ok(Command::Call { tool: "get_weather".into(), arguments: "{   \"city\": \"\" }".into() })
        );
        assert!(!c.is_editing());
        c.edit_with("get_weather", "{\"city\": 7}");
        assert!(c.send(false).unwrap_err().contains("ctrl-x"));
        assert!(c.is_editing());
        assert!(matches!(c.send(true), Ok(Command::Call { .. })));
        // What was written is there again.
        c.edit();
        assert_eq!(c.editor.as_ref().unwrap().arguments(), "{\"city\": 7}");
    }

    #[test]
    fn hostile_text_is_escaped_in_the_editor() {
        assert_eq!(escape("\"a\u{202e}b\u{1b}\""), "\"a\\u202eb\\u001b\"");
    }

    #[test]
    fn nothing_is_sent_without_a_server() {
        let mut c = client();
        c.edit();
        c.take(News::Ended("gone".into()));
        assert!(c.send(true).is_err());
    }
}
