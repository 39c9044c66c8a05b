//! What the commands that read traces share: which file is meant, loading it, asking it a query.

use std::path::{Path, PathBuf};

use crate::error::{Failure, Result};
use crate::feed::Loaded;
use crate::paths::{self, State};
use crate::query::{EvalCx, Query};
use crate::trace::Row;
use crate::wire::json::visible::visible;

/// The file that is meant: `-`, a path, `last`, a server's name, `NAME~1`.
pub(super) fn resolve(state: &State, what: &Path) -> Result<PathBuf> {
    match what.to_str() {
        Some("-") | None => Ok(what.to_owned()),
        Some(text) => paths::resolve(state, text),
    }
}

/// Reads a query, or says where it is wrong.
pub(super) fn query(text: &str) -> Result<Query> {
    Query::parse(text).map_err(|e| {
        let failure = Failure::new(format!("--where, column {}: {}", e.column, visible(&e.message)));
        match e.nearest {
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None if e.expected.is_empty() => failure,
            None => failure.hint(format!("expected {}", e.expected)),
        }
    })
}

/// The surroundings of a query on a loaded trace; times of day are local.
pub(super) fn cx(loaded: &Loaded) -> EvalCx<'_> {
    let header = loaded.header.as_ref();
    let host = header.and_then(|h| h.host.as_ref()).and_then(|h| h.name.as_deref());
    let mut cx =
        EvalCx::new(&loaded.store, Some(&loaded.source)).with_origin(host, header.and_then(|h| h.created.as_deref()));
    cx.zone = jiff::tz::TimeZone::system();
    cx.live = paths::is_live(&loaded.path);
    cx
}

/// The rows that a query selects.
pub(super) fn select(loaded: &Loaded, query: &Query) -> Vec<Row> {
    let mut found = Vec::new();
    query.select(&cx(loaded), 0..loaded.store.rows.len(), &mut found);
    found.into_iter().map(|i| loaded.store.rows[i as usize]).collect()
}
