//! The start screen: live taps, servers in the hosts' configuration, recent traces. What is listed is given by the
//! caller; a choice ends the screen and goes back to the caller.

use std::path::PathBuf;

/// A trace in the lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Where it is.
    pub path: PathBuf,
    /// The server's name.
    pub name: String,
    /// The host that started the tap.
    pub host: String,
    /// When it began, in words.
    pub when: String,
    /// Exchanges, where known.
    pub exchanges: Option<usize>,
    /// Findings that are errors, where known.
    pub findings: Option<usize>,
    /// Size in bytes.
    pub size: u64,
    /// Kept for ever.
    pub pinned: bool,
}

/// A server in a host's configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Server {
    /// The host.
    pub host: String,
    /// The server's name there.
    pub name: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// The tap is in its configuration.
    pub wrapped: bool,
    /// When it last ran, in words; empty if never seen.
    pub last: String,
}

/// Everything that the start screen lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lists {
    /// Taps that run now.
    pub live: Vec<Trace>,
    /// Servers of hosts.
    pub servers: Vec<Server>,
    /// Traces, newest first.
    pub recent: Vec<Trace>,
}

/// What the user chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Show a trace.
    Open(PathBuf),
    /// The demo.
    Demo,
    /// Put the tap into a host's configuration: host and server.
    Wrap(String, String),
    /// Keep a trace for ever, or no longer.
    Pin(PathBuf, bool),
}

/// One row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// A heading.
    Head(&'static str),
    /// A sentence.
    Text(&'static str),
    /// Nothing.
    Blank,
    /// A live tap.
    Live(usize),
    /// A server.
    Server(usize),
    /// A trace.
    Recent(usize),
}

impl Row {
    fn can_be_chosen(self) -> bool {
        matches!(self, Row::Live(_) | Row::Server(_) | Row::Recent(_))
    }
}

/// The start screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Home {
    /// What is listed.
    pub lists: Lists,
    /// The selected row.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl Home {
    /// With lists, on the first thing that can be chosen.
    pub fn new(lists: Lists) -> Home {
        let mut home = Home { lists, ..Home::default() };
        home.cursor = home.rows().iter().position(|r| r.can_be_chosen()).unwrap_or(0);
        home
    }

    /// Newer lists; the cursor stays on what it was on.
    pub fn refresh(&mut self, lists: Lists) {
        let key = |home: &Home, row: Option<Row>| match row {
            Some(Row::Live(i)) => home.lists.live.get(i).map(|t| t.path.clone()),
            Some(Row::Recent(i)) => home.lists.recent.get(i).map(|t| t.path.clone()),
            Some(Row::Server(i)) => home.lists.servers.get(i).map(|s| PathBuf::from(format!("{}/{}", s.host, s.name))),
            _ => None,
        };
        let old = key(self, self.rows().get(self.cursor).copied());
        self.lists = lists;
        let rows = self.rows();
        if let Some(place) = rows.iter().position(|r| r.can_be_chosen() && key(self, Some(*r)) == old) {
            self.cursor = place;
        } else {
            self.cursor = self.cursor.min(rows.len().saturating_sub(1));
            self.step(0);
        }
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> Vec<Row> {
        let l = &self.lists;
        let mut rows = vec![Row::Head("LIVE")];
        if l.live.is_empty() {
            rows.push(Row::Text("nothing is live: a tap shows up here as soon as a host starts a wrapped server"));
        }
        rows.extend((0..l.live.len()).map(Row::Live));
        // Who has not looked into the hosts' files does not say that there is nothing in them.
        if !l.servers.is_empty() {
            rows.extend([Row::Blank, Row::Head("SERVERS IN YOUR HOSTS")]);
            rows.extend((0..l.servers.len()).map(Row::Server));
        }
        rows.extend([Row::Blank, Row::Head("RECENT")]);
        if l.recent.is_empty() {
            rows.push(Row::Text("nothing has been recorded yet:"));
            if !l.servers.is_empty() {
                rows.push(Row::Text("  w  watch a server that your hosts already use"));
            }
            rows.push(Row::Text("  d  a demo with every outcome and some faults"));
            rows.push(Row::Text("  o  open a trace or log"));
            rows.push(Row::Text("     or start a server yourself: mcpscope attach -- ./server"));
            rows.push(Row::Text(
                "     or write mcpscope attach -- before a server's command in your host's configuration",
            ));
        }
        rows.extend((0..l.recent.len()).map(Row::Recent));
        rows
    }

    /// Moves the cursor, over what cannot be chosen.
    pub fn step(&mut self, by: isize) {
        let rows = self.rows();
        let target = self.cursor.saturating_add_signed(by).min(rows.len().saturating_sub(1));
        let down = (target..rows.len()).find(|i| rows[*i].can_be_chosen());
        let up = (0..=target.min(rows.len().saturating_sub(1))).rev().find(|i| rows[*i].can_be_chosen());
        let found = if by >= 0 { down.or(up) } else { up.or(down) };
        self.cursor = found.unwrap_or(0);
    }

    /// Scrolls so that the cursor is on the screen.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        let len = self.rows().len();
        self.top = self.top.min(len.saturating_sub(height));
        if self.cursor < self.top + 1 {
            // The heading above the first choice is shown with it.
            self.top = self.cursor.saturating_sub(1);
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }

    /// What `enter` chooses.
    pub fn choice(&self) -> Option<Choice> {
        match self.rows().get(self.cursor)? {
            Row::Live(i) => self.lists.live.get(*i).map(|t| Choice::Open(t.path.clone())),
            Row::Recent(i) => self.lists.recent.get(*i).map(|t| Choice::Open(t.path.clone())),
            Row::Server(i) => self.lists.servers.get(*i).map(|s| Choice::Wrap(s.host.clone(), s.name.clone())),
            _ => None,
        }
    }

    /// What `pin` changes.
    pub fn pin(&self) -> Option<Choice> {
        match self.rows().get(self.cursor)? {
            Row::Recent(i) => self.lists.recent.get(*i).map(|t| Choice::Pin(t.path.clone(), !t.pinned)),
            _ => None,
        }
    }

    /// The server that `watch` would put the tap into: the selected one, else the first that has none.
    pub fn wrap(&self) -> Option<Choice> {
        match self.choice() {
            Some(choice @ Choice::Wrap(..)) => Some(choice),
            _ => {
                let s = self.lists.servers.iter().find(|s| !s.wrapped)?;
                Some(Choice::Wrap(s.host.clone(), s.name.clone()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn trace(name: &str) -> Trace {
        Trace { path: name.into(), name: name.into(), ..Trace::default() }
    }

    #[test]
    fn the_cursor_stays_on_what_can_be_chosen() {
        let mut home = Home::new(Lists::default());
        assert_eq!(home.choice(), None);
        home.step(1);
        assert_eq!(home.choice(), None);
        home.refresh(Lists { recent: vec![trace("a"), trace("b")], ..Lists::default() });
        assert_eq!(home.choice(), Some(Choice::Open("a".into())));
        home.step(1);
        home.refresh(Lists { live: vec![trace("c")], recent: vec![trace("a"), trace("b")], ..Lists::default() });
        assert_eq!(home.choice(), Some(Choice::Open("b".into())));
        home.step(-100);
        assert_eq!(home.choice(), Some(Choice::Open("c".into())));
        home.step(100);
        assert_eq!(home.pin(), Some(Choice::Pin("b".into(), true)));
    }
}
