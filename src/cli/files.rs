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

/// What a file in a foreign format is, what it does not hold, and what follows from that.
pub(super) fn about(out: &mut dyn std::io::Write, name: &str, loaded: &Loaded) -> std::io::Result<()> {
    if loaded.missing == crate::trace::Missing::NONE && loaded.notes.is_empty() {
        return Ok(());
    }
    let lacks: Vec<&str> = loaded.missing.words().collect();
    let lacks = if lacks.is_empty() { String::new() } else { format!("; not in it: {}", lacks.join(", ")) };
    writeln!(out, "{name}: read as {}{lacks}", loaded.format)?;
    loaded.notes.iter().try_for_each(|note| writeln!(out, "{name}: note: {}", visible(note)))
}

/// A file to be read.
pub(super) struct Named {
    /// Where it is.
    pub path: PathBuf,
    /// It was found in a folder that was named: it may be something else.
    pub from_folder: bool,
}

/// Folders in each other that are looked into.
const MAX_DEPTH: usize = 32;

/// The files that are meant: each that is named, and those of each folder, sorted by name.
pub(super) fn expand(state: &State, named: &[PathBuf]) -> Result<Vec<Named>> {
    let mut all = Vec::new();
    for what in named {
        let path = resolve(state, what)?;
        if path.is_dir() {
            let mut found = Vec::new();
            walk(&path, 0, &mut found).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))?;
            if found.is_empty() {
                return Err(Failure::new(format!("{} holds no trace", path.display())));
            }
            all.extend(found.into_iter().map(|path| Named { path, from_folder: true }));
        } else {
            all.push(Named { path, from_folder: false });
        }
    }
    Ok(all)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|e| e.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        let hidden = path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with('.'));
        // A link may lead back to where it stands.
        let is_link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
        if hidden {
            continue;
        }
        if path.is_dir() {
            if !is_link && depth < MAX_DEPTH {
                walk(&path, depth + 1, found)?;
            }
        } else if super::check::may_be_trace(&path) {
            found.push(path);
        }
    }
    Ok(())
}
