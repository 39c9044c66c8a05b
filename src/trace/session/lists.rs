//! The lists that the server has shown: tools, prompts, resources, templates and tasks, joined over their pages, with
//! how long they may be relied on. Bounded: what goes beyond the bounds is not kept, and the list says so.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::open::Open;
use crate::mcp::Method;
use crate::trace::message::Message;
use crate::wire::envelope::Envelope;
use crate::wire::frame::Micros;
use crate::wire::json::{Document, Value};

/// Entries of one listing that are kept.
const MAX_ITEMS: usize = 50_000;
/// Bytes of definitions of one listing that are kept.
const MAX_BYTES: usize = 64 << 20;
/// Cursors of one list that are remembered.
const MAX_CURSORS: usize = 100_000;
/// Pages of one listing that are remembered.
const MAX_PAGES: usize = 100_000;

/// One entry of a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What it is called by: `name` of tools and prompts, `uri`, `uriTemplate`, `taskId`.
    pub name: Box<str>,
    /// The entry as sent. Empty for tasks, which change all the time.
    pub definition: Arc<[u8]>,
    /// Record of the page that it stands on.
    pub record: u32,
    /// Which page: index into [`Listing::pages`].
    pub page: u32,
    input: Range<u32>,
    output: Range<u32>,
}

impl Listed {
    /// `inputSchema` as sent; `None` where there is none.
    pub fn input_schema(&self) -> Option<&[u8]> {
        self.part(&self.input)
    }

    /// `outputSchema` as sent; `None` where there is none.
    pub fn output_schema(&self) -> Option<&[u8]> {
        self.part(&self.output)
    }

    fn part(&self, span: &Range<u32>) -> Option<&[u8]> {
        self.definition.get(span.start as usize..span.end as usize).filter(|b| !b.is_empty())
    }
}

/// One page of a listing.
#[derive(Clone, Debug)]
pub struct Page {
    /// Record of the result.
    pub record: u32,
    /// When it came.
    pub t: Micros,
    /// `ttlMs` where it is a number.
    pub ttl_ms: Option<f64>,
    /// `nextCursor`.
    pub next: Option<Box<str>>,
    /// Hash of the cursor that asked for it; 0 for the first page.
    asked: u64,
}

impl Page {
    /// Whether its own hint says that it is out of date. A `ttlMs` of 0 says "do not keep this", not "do not use this".
    pub fn is_stale(&self, now: Micros) -> bool {
        self.ttl_ms.is_some_and(|ttl| ttl > 0.0 && (now - self.t) as f64 > ttl * 1000.0)
    }
}

/// What one walk over the pages gave.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The entries, in the order of the wire. Of entries with the same name all are here.
    pub items: Vec<Listed>,
    /// The pages seen.
    pub pages: Vec<Page>,
    /// The walk began with the first page.
    pub from_start: bool,
    /// More came than is kept: what is not in `items` may still exist.
    pub overflow: bool,
    /// `cacheScope` of the first page.
    pub scope: Option<Box<str>>,
    index: FxHashMap<Box<str>, u32>,
    bytes: usize,
    /// Cursors handed out in this walk, with the position of the page that they lead to.
    chain: FxHashMap<u64, u32>,
    /// Pages by the cursor that asked for them.
    by_cursor: FxHashMap<u64, u32>,
}

impl Listing {
    /// All pages from the first to the last were seen.
    pub fn complete(&self) -> bool {
        self.from_start && !self.overflow && self.pages.last().is_some_and(|p| p.next.is_none())
    }

    /// Record of the newest page.
    pub fn record(&self) -> u32 {
        self.pages.last().map_or(crate::trace::NONE, |p| p.record)
    }

    /// The entry of that name; of several the last one.
    pub fn find(&self, name: &str) -> Option<&Listed> {
        self.items.get(*self.index.get(name)? as usize)
    }

    /// The page that a cursor asked for (`None`: the first page).
    pub fn page(&self, cursor: Option<&str>) -> Option<&Page> {
        self.pages.get(*self.by_cursor.get(&cursor.map_or(0, hash))? as usize)
    }

    /// Where in the walk the page stands that a cursor leads to: 0 is the first page.
    pub fn position(&self, cursor: Option<&str>) -> Option<u32> {
        match cursor {
            None => self.from_start.then_some(0),
            Some(cursor) => self.chain.get(&hash(cursor)).copied(),
        }
    }

    fn take(&mut self, result: Value<'_>, page: Page, member: &str) {
        let again = self.by_cursor.get(&page.asked).map(|n| *n as usize);
        let number = match again {
            Some(old) => {
                self.pages[old] = page;
                old
            }
            None => {
                self.by_cursor.insert(page.asked, self.pages.len() as u32);
                self.pages.push(page);
                self.pages.len() - 1
            }
        };
        let page = &self.pages[number];
        if let Some(next) = &page.next {
            let from = if page.asked == 0 { Some(0) } else { self.chain.get(&page.asked).copied() };
            let position = from.unwrap_or(number as u32) + 1;
            if self.chain.len() < MAX_CURSORS {
                self.chain.entry(hash(next)).or_insert(position);
            }
        }
        let record = page.record;
        let key = key_of(member);
        for value in result.get(member).into_iter().flat_map(Value::elements) {
            let Some(name) = value.get(key).and_then(Value::as_str) else { continue };
            let raw = if member == "tasks" { &[][..] } else { value.raw() };
            if self.items.len() >= MAX_ITEMS || self.bytes + raw.len() > MAX_BYTES {
                self.overflow = true;
                break;
            }
            self.bytes += raw.len();
            let start = value.span().start;
            let part = |name| {
                value.get(name).filter(|_| member == "tools").map_or(0..0, |v| {
                    let span = v.span();
                    (span.start - start) as u32..(span.end - start) as u32
                })
            };
            let item = Listed {
                name: name.as_ref().into(),
                definition: raw.into(),
                record,
                page: number as u32,
                input: part("inputSchema"),
                output: part("outputSchema"),
            };
            // A page that is read again brings its entries up to date in place.
            let known = self.index.get(name.as_ref()).map(|n| *n as usize).filter(|_| again.is_some());
            match known.and_then(|n| self.items.get_mut(n)).filter(|i| i.page == item.page) {
                Some(old) => *old = item,
                None => {
                    self.index.insert(item.name.clone(), self.items.len() as u32);
                    self.items.push(item);
                }
            }
        }
    }
}

/// One kind of list.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The newest walk over the pages.
    pub current: Option<Listing>,
    /// The walk before it, for comparison.
    pub previous: Option<Listing>,
    /// Record of a `list_changed` that came after the newest first page.
    pub changed: Option<u32>,
    /// The client has asked for the first page since the newest one came, or since it changed.
    pub asked_again: bool,
    /// An entry was used since the list changed or went stale: it was said already.
    pub used_changed: bool,
    /// The same for a list past its `ttlMs`.
    pub used_stale: bool,
    /// The newest cursor that a page offered was asked for.
    pub followed: bool,
    handed_out: FxHashMap<u64, ()>,
    forgetful: bool,
}

impl List {
    /// A list was seen.
    pub fn is_known(&self) -> bool {
        self.current.is_some()
    }

    /// The entry in force: of the newest walk, and while that goes on, of the one before.
    pub fn find(&self, name: &str) -> Option<&Listed> {
        let current = self.current.as_ref()?;
        current.find(name).or_else(|| self.previous.as_ref().filter(|_| !current.complete())?.find(name))
    }

    /// The entries in force are all that there are: every page was seen and nothing has changed since.
    pub fn is_settled(&self) -> bool {
        self.changed.is_none() && self.current.as_ref().is_some_and(Listing::complete)
    }

    /// Names in force, for "did you mean".
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.current.iter().flat_map(|l| l.items.iter().map(|i| i.name.as_ref()))
    }

    /// Whether this list has handed a cursor out; true as well once too many were seen to remember all.
    pub fn has_handed_out(&self, cursor: &str) -> bool {
        self.forgetful || self.handed_out.contains_key(&hash(cursor))
    }

    /// The page that an entry stands on (else the newest one), if it is past its `ttlMs`.
    pub fn stale_page(&self, name: Option<&str>, now: Micros) -> Option<&Page> {
        let listing = self.current.as_ref()?;
        let page = name.and_then(|n| listing.find(n)).and_then(|i| listing.pages.get(i.page as usize));
        page.or(listing.pages.last()).filter(|p| p.is_stale(now))
    }

    fn hand_out(&mut self, cursor: &str) {
        if self.handed_out.len() < MAX_CURSORS {
            self.handed_out.insert(hash(cursor), ());
        } else {
            self.forgetful = true;
        }
    }
}

/// All lists of a session.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// `tools/list`.
    pub tools: List,
    /// `prompts/list`.
    pub prompts: List,
    /// `resources/list`.
    pub resources: List,
    /// `resources/templates/list`.
    pub templates: List,
    /// `tasks/list` (2025-11-25).
    pub tasks: List,
}

impl Lists {
    /// The list that a list method asks for.
    pub fn of(&self, method: Method) -> Option<&List> {
        Some(match method {
            Method::ToolsList => &self.tools,
            Method::PromptsList => &self.prompts,
            Method::ResourcesList => &self.resources,
            Method::TemplatesList => &self.templates,
            Method::TasksList => &self.tasks,
            _ => return None,
        })
    }

    fn of_mut(&mut self, method: Method) -> Option<&mut List> {
        Some(match method {
            Method::ToolsList => &mut self.tools,
            Method::PromptsList => &mut self.prompts,
            Method::ResourcesList => &mut self.resources,
            Method::TemplatesList => &mut self.templates,
            Method::TasksList => &mut self.tasks,
            _ => return None,
        })
    }

    /// The list that a call takes its target from.
    pub fn behind(&self, call: Method) -> Option<&List> {
        Some(match call {
            Method::ToolsCall => &self.tools,
            Method::PromptsGet => &self.prompts,
            Method::ResourcesRead => &self.resources,
            _ => return None,
        })
    }

    /// Notes a request: a page asked for, or an entry used.
    pub fn note_request(&mut self, message: &Message<'_>) {
        let Some(method) = message.method else { return };
        if let Some(list) = self.of_mut(method) {
            match message.params().and_then(|p| p.get("cursor")).and_then(Value::as_str) {
                None => list.asked_again = true,
                Some(cursor) => {
                    let next = list.current.as_ref().and_then(|l| l.pages.last()).and_then(|p| p.next.as_deref());
                    list.followed |= next == Some(cursor.as_ref());
                }
            }
            return;
        }
        let list = match method {
            Method::ToolsCall => &mut self.tools,
            Method::PromptsGet => &mut self.prompts,
            Method::ResourcesRead => &mut self.resources,
            _ => return,
        };
        list.used_changed |= list.changed.is_some();
        list.used_stale |= list.stale_page(message.target().as_deref(), message.t).is_some();
    }

    /// Notes a `list_changed`.
    pub fn note_notification(&mut self, message: &Message<'_>) {
        let list = match message.method {
            Some(Method::ToolsChanged) => &mut self.tools,
            Some(Method::PromptsChanged) => &mut self.prompts,
            Some(Method::ResourcesChanged) => &mut self.resources,
            _ => return,
        };
        if list.current.is_some() {
            list.changed = Some(message.record);
            list.asked_again = false;
            list.used_changed = false;
        }
    }

    /// Notes a page.
    pub fn note_result(&mut self, message: &Message<'_>, open: &Open) {
        let Some((method, member)) = open.method.and_then(|m| Some((m, m.list_member()?))) else { return };
        let Some(result) = message.result().filter(|r| r.get(member).is_some_and(Value::is_array)) else { return };
        let Some(list) = self.of_mut(method) else { return };
        let request = Document::new(open.bytes.clone());
        let cursor = request
            .doc()
            .root()
            .and_then(|r| Envelope::read(r).params)
            .and_then(|p| p.get("cursor"))
            .and_then(Value::as_str);
        let next = result.get("nextCursor").and_then(Value::as_str);
        if let Some(next) = &next {
            list.hand_out(next);
        }
        let page = Page {
            record: message.record,
            t: message.t,
            ttl_ms: result.get("ttlMs").and_then(Value::as_f64),
            next: next.map(|n| n.as_ref().into()),
            asked: cursor.as_deref().map_or(0, hash),
        };
        let fresh = match (&cursor, &list.current) {
            (None, _) | (_, None) => true,
            (Some(_), Some(l)) => l.pages.len() >= MAX_PAGES,
        };
        if fresh {
            list.previous = list.current.take().or(list.previous.take());
            let scope = result.get("cacheScope").and_then(Value::as_str).map(|s| s.as_ref().into());
            list.current = Some(Listing { from_start: cursor.is_none(), scope, ..Listing::default() });
            list.changed = None;
            list.asked_again = false;
            list.used_changed = false;
            list.used_stale = false;
        }
        list.followed = false;
        if let Some(listing) = &mut list.current {
            listing.take(result, page, member);
        }
    }
}

fn hash(cursor: &str) -> u64 {
    let mut hasher = FxHasher::default();
    cursor.hash(&mut hasher);
    hasher.finish() | 1
}

fn key_of(member: &str) -> &'static str {
    match member {
        "resources" => "uri",
        "resourceTemplates" => "uriTemplate",
        "tasks" => "taskId",
        _ => "name",
    }
}
