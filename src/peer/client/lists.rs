//! Lists, page by page.

use std::borrow::Cow;

use super::Client;
use super::message::RpcError;
use super::pending::CallError;
use crate::wire::json::{Document, Value};

/// Pages that are read at most: a server that never ends is stopped here, and said so.
const MAX_PAGES: usize = 1000;

/// What can be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// tools/list
    Tools,
    /// prompts/list
    Prompts,
    /// resources/list
    Resources,
    /// resources/templates/list
    Templates,
}

impl List {
    /// The method.
    pub fn method(self) -> &'static str {
        match self {
            List::Tools => "tools/list",
            List::Prompts => "prompts/list",
            List::Resources => "resources/list",
            List::Templates => "resources/templates/list",
        }
    }

    /// The member of the result that holds the items.
    pub fn member(self) -> &'static str {
        match self {
            List::Tools => "tools",
            List::Prompts => "prompts",
            List::Resources => "resources",
            List::Templates => "resourceTemplates",
        }
    }
}

/// All items that were listed.
#[derive(Debug, Default)]
pub struct Listing {
    /// The items, as they came.
    pub items: Vec<Vec<u8>>,
    /// Pages read.
    pub pages: usize,
    /// Why the list may not be whole: an error on a later page, a cursor that leads back, too many pages.
    pub incomplete: Option<String>,
    /// The error of the first page, if there was one.
    pub error: Option<RpcError>,
}

impl Client {
    /// Reads a whole list. A JSON-RPC error is in the [`Listing`].
    ///
    /// # Errors
    /// [`CallError`] if a page did not come at all.
    pub fn list(&self, list: List) -> Result<Listing, CallError> {
        let mut listing = Listing::default();
        let mut cursor: Option<String> = None;
        let mut seen = Vec::new();
        loop {
            let members: Vec<(&str, &str)> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
            let response = self.request(list.method(), &members)?;
            listing.pages += 1;
            if let Some(error) = response.error() {
                if listing.pages > 1 {
                    listing.incomplete = Some(format!("page {}: {}", listing.pages, error.message));
                }
                listing.error = Some(error);
                return Ok(listing);
            }
            let result = response.result();
            let items = result.and_then(|result| result.get(list.member()));
            listing.items.extend(items.into_iter().flat_map(Value::elements).map(|item| item.raw().to_vec()));
            // A cursor is sent back as the text that came.
            let next = result.and_then(|result| result.get("nextCursor")).filter(|next| !next.is_null());
            let Some(next) = next.map(|next| next.raw_str().into_owned()) else { return Ok(listing) };
            if seen.contains(&next) {
                listing.incomplete = Some("nextCursor leads back to a page that was read".to_owned());
                return Ok(listing);
            }
            if listing.pages == MAX_PAGES {
                listing.incomplete = Some(format!("stopped after {MAX_PAGES} pages"));
                return Ok(listing);
            }
            seen.push(next.clone());
            cursor = Some(next);
        }
    }

    /// The tools, read as far as a caller needs it.
    ///
    /// # Errors
    /// As [`Client::list`].
    pub fn tools(&self) -> Result<(Vec<Tool>, Listing), CallError> {
        let listing = self.list(List::Tools)?;
        Ok((listing.items.iter().filter_map(|item| Tool::read(item)).collect(), listing))
    }
}

/// A listed tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it says it does.
    pub description: Option<String>,
    /// `inputSchema`, as it came; `{}` if it has none.
    pub input_schema: String,
    /// `annotations.readOnlyHint` is true: it may be called without asking.
    pub read_only: bool,
}

impl Tool {
    /// Reads an item of tools/list; `None` if it has no name.
    pub fn read(item: &[u8]) -> Option<Tool> {
        let document = Document::new(item);
        let root = document.doc().root()?;
        let text = |key: &str| root.get(key).and_then(Value::as_str).map(Cow::into_owned);
        Some(Tool {
            name: text("name")?,
            description: text("description"),
            input_schema: root.get("inputSchema").map_or_else(|| "{}".into(), |schema| schema.raw_str().into_owned()),
            read_only: root.path(&["annotations", "readOnlyHint"]).and_then(Value::as_bool) == Some(true),
        })
    }
}
