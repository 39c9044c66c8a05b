//! The list: which rows there are, which of them are shown, and where the cursor is.

use crate::trace::{RecordKind, Row, Store};
use crate::wire::frame::HttpKind;

use super::data::Data;
use super::filter::{Asker, Matcher};

/// What a row of the list stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// A request with what belongs to it.
    Exchanges,
    /// A single message or line.
    Messages,
}

/// What is selected, by identity and not by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sel {
    /// An exchange (index).
    Exchange(u32),
    /// A record (index).
    Record(u32),
}

/// One row of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Index into the store's rows (exchanges) or records (messages).
    pub at: u32,
    /// More than 1: a burst of lines of one kind, folded.
    pub count: u32,
}

/// The list.
#[derive(Clone, Debug)]
pub struct List {
    /// Exchanges or messages.
    pub mode: Mode,
    /// What is shown, in order.
    pub items: Vec<Item>,
    /// Rows (or records) of the store that have been looked at.
    pub scanned: usize,
    /// The selected item.
    pub cursor: usize,
    /// The first item on the screen.
    pub top: usize,
    /// The cursor stays on the last row when new ones arrive.
    pub follow: bool,
    /// Rows that arrived below since following was paused.
    pub fresh: usize,
    /// What is shown must match this.
    pub filter: Option<Matcher>,
    /// Rows that may still change their mind: they were in flight when they were looked at.
    open: Vec<u32>,
}

impl List {
    /// An empty list that follows.
    pub fn new(mode: Mode) -> List {
        List {
            mode,
            items: Vec::new(),
            scanned: 0,
            cursor: 0,
            top: 0,
            follow: true,
            fresh: 0,
            filter: None,
            open: Vec::new(),
        }
    }

    /// How many rows of the store there are to look at.
    pub fn total(&self, store: &Store) -> usize {
        match self.mode {
            Mode::Exchanges => store.rows.len(),
            Mode::Messages => store.records.len(),
        }
    }

    /// Everything has been looked at.
    pub fn is_whole(&self, store: &Store) -> bool {
        self.scanned >= self.total(store)
    }

    /// Begins again, with another mode or filter.
    pub fn restart(&mut self) {
        self.items.clear();
        self.open.clear();
        self.scanned = 0;
        self.fresh = 0;
    }

    /// Looks at up to `limit` more rows. With a filter this reads payloads.
    pub fn scan(&mut self, data: &Data<'_>, limit: usize) {
        let before = self.items.len();
        let end = self.total(data.store).min(self.scanned + limit);
        match self.filter.clone() {
            None => {
                for at in self.scanned..end {
                    self.look(data.store, at as u32, true);
                }
            }
            Some(filter) => filter.ask(data, |asker| {
                self.ask_again(data.store, asker);
                for at in self.scanned..end {
                    let row = row_of(data.store, self.mode, at as u32);
                    if is_open(data.store, row) {
                        self.open.push(at as u32);
                    }
                    self.look(data.store, at as u32, asker.matches(row));
                }
            }),
        }
        self.scanned = end;
        if !self.follow {
            self.fresh += self.items.len().saturating_sub(before);
        }
    }

    fn look(&mut self, store: &Store, at: u32, matches: bool) {
        if !matches || !shown(store, self.mode, at) {
            return;
        }
        if let Some(last) = self.items.last_mut()
            && last.at + last.count == at
            && is_burst(store, self.mode, at - 1, at)
        {
            last.count += 1;
            return;
        }
        self.items.push(Item { at, count: 1 });
    }

    /// Exchanges that were in flight may match now, or no longer.
    fn ask_again(&mut self, store: &Store, asker: &Asker<'_>) {
        let mut open = std::mem::take(&mut self.open);
        open.retain(|&at| {
            let row = row_of(store, self.mode, at);
            match (self.items.binary_search_by_key(&at, |i| i.at), asker.matches(row)) {
                (Err(place), true) => {
                    self.items.insert(place, Item { at, count: 1 });
                    if place <= self.cursor && self.items.len() > 1 {
                        self.cursor += 1;
                    }
                }
                (Ok(place), false) => {
                    self.items.remove(place);
                    if place < self.cursor {
                        self.cursor -= 1;
                    }
                }
                _ => {}
            }
            is_open(store, row)
        });
        self.open = open;
    }

    /// The selection.
    pub fn selected(&self, store: &Store) -> Option<Sel> {
        self.sel_at(store, self.cursor)
    }

    /// What a place of the list stands for.
    pub fn sel_at(&self, store: &Store, place: usize) -> Option<Sel> {
        let item = self.items.get(place)?;
        match self.mode {
            Mode::Messages => Some(Sel::Record(item.at)),
            Mode::Exchanges => Some(match store.rows.get(item.at as usize)? {
                Row::Exchange(e) => Sel::Exchange(*e),
                Row::Loose(r) => Sel::Record(*r),
            }),
        }
    }

    /// The place of something, or the nearest before it that is shown.
    pub fn place_of(&self, store: &Store, sel: Sel) -> Option<(usize, bool)> {
        if self.items.is_empty() {
            return None;
        }
        let at = at_of(store, self.mode, sel)?;
        let place = self.items.partition_point(|i| i.at <= at).saturating_sub(1);
        let item = self.items[place];
        Some((place, (item.at..item.at + item.count).contains(&at)))
    }

    /// Puts the cursor on a place and keeps it on the screen of `height` rows.
    pub fn go(&mut self, place: usize, height: usize) {
        self.cursor = place.min(self.items.len().saturating_sub(1));
        self.keep_in_view(height);
    }

    /// Scrolls so that the cursor is on the screen.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        self.cursor = self.cursor.min(self.items.len().saturating_sub(1));
        self.top = self.top.min(self.items.len().saturating_sub(height));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }

    /// The cursor is on the last row.
    pub fn at_end(&self) -> bool {
        self.cursor + 1 >= self.items.len()
    }
}

/// The row that a place of the store stands for.
pub fn row_of(store: &Store, mode: Mode, at: u32) -> Row {
    match mode {
        Mode::Messages => Row::Loose(at),
        Mode::Exchanges => store.rows.get(at as usize).copied().unwrap_or(Row::Loose(at)),
    }
}

/// The place in the store of something selected: rows are sorted by their first record.
pub fn at_of(store: &Store, mode: Mode, sel: Sel) -> Option<u32> {
    let record = match sel {
        Sel::Exchange(e) => store.exchanges.get(e as usize)?.first(),
        Sel::Record(r) => r,
    };
    match mode {
        Mode::Messages => Some(record),
        Mode::Exchanges => {
            let first = |row: &Row| match row {
                Row::Exchange(e) => store.exchanges.get(*e as usize).map_or(0, |e| e.first()),
                Row::Loose(r) => *r,
            };
            let target = match sel {
                Sel::Exchange(_) => record,
                // A message that belongs to an exchange stands on the exchange's row.
                Sel::Record(r) => match store.record(r).and_then(|r| store.exchanges.get(r.exchange as usize)) {
                    Some(e) => e.first(),
                    None => r,
                },
            };
            let place = store.rows.partition_point(|row| first(row) < target);
            Some((place.min(store.rows.len().saturating_sub(1))) as u32)
        }
    }
}

/// HTTP heads, ends and comments are framing: they are shown between single messages, and where they are all there is.
fn shown(store: &Store, mode: Mode, at: u32) -> bool {
    if mode == Mode::Messages {
        return true;
    }
    let Row::Loose(record) = row_of(store, mode, at) else { return true };
    match store.record(record).map(|r| r.kind) {
        Some(RecordKind::Http) => store.http.get(&record).is_some_and(|h| match h.kind {
            HttpKind::Request => h.method.as_deref() != Some("POST"),
            HttpKind::Response => h.status.is_some_and(|s| s >= 400),
            HttpKind::Sse | HttpKind::End => false,
        }),
        Some(RecordKind::Fragment) => false,
        _ => true,
    }
}

fn is_open(store: &Store, row: Row) -> bool {
    matches!(row, Row::Exchange(e) if store.exchanges.get(e as usize).is_some_and(|e| e.outcome.is_open()))
}

/// Two neighbours are one burst: stderr after stderr.
fn is_burst(store: &Store, mode: Mode, before: u32, at: u32) -> bool {
    let kind = |at| match row_of(store, mode, at) {
        Row::Loose(r) => store.record(r).map(|r| (r.kind, r.conn)),
        Row::Exchange(_) => None,
    };
    matches!(
        (kind(before), kind(at)),
        (Some((RecordKind::Stderr, a)), Some((RecordKind::Stderr, b))) if a == b
    )
}
