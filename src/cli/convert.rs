//! `mcpscope convert`: between formats.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rustc_hash::FxHashSet;

use super::{Outcome, files};
use crate::error::{Failure, Result};
use crate::feed::load::{self, Raw};
use crate::feed::{Loaded, load_as};
use crate::format::{self, Header, Imported, native};
use crate::paths::State;
use crate::query::Query;
use crate::report::show::Detail;
use crate::report::{Summary, csv, text, view};
use crate::rules::Options;
use crate::trace::Row;
use crate::wire::frame::{Dir, Event, EventKind, Frame, HttpKind, Item, Micros};
use crate::wire::json::visible::visible;

/// Arguments of `convert`.
#[derive(Args, Debug)]
#[command(
    long_about = "Makes a trace of other people's recordings and logs, and raw messages or a report of a trace. What a \
        source does not hold is written into the trace, so that it is not judged later either. Nothing is sanitized: \
        what was recorded is written.",
    after_help = formats_help(),
)]
pub struct Convert {
    /// What to read: a path, `last`, a server's name, `NAME~1`; `-` reads standard input
    file: PathBuf,
    /// Where to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to write [default: by the ending of the output: .md, .csv, else native]
    #[arg(long, value_enum)]
    to: Option<To>,
    /// Read the file as this format instead of what its content shows
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Only the exchanges that this query selects
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    /// Write over a file that exists
    #[arg(long)]
    force: bool,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    /// The native trace format.
    Native,
    /// The messages alone, one a line.
    Raw,
    /// A report for a ticket.
    Markdown,
    /// A line for each exchange.
    Csv,
}

fn formats_help() -> String {
    let mut text = String::from(
        "Examples:\n  mcpscope convert mcp-server-git.log -o git.jsonl\n  mcpscope convert last -o - --to raw | jq .method\n  \
         mcpscope convert last -o ticket.md --where 'is:failed'\n\nFormats that are read (--from):\n  native               \
         traces and bare recordings of mcpscope\n",
    );
    for format in format::FORMATS {
        text.push_str(&format!("  {:20} {}\n", format.name, format.about));
    }
    text.push_str("Compressed files (.gz, .zst) are read as what they hold.");
    text
}

/// Reports longer than this are of no use to a reader.
const MAX_REPORT: usize = 1000;

/// Runs `convert`.
///
/// # Errors
/// A file that cannot be read or written, a query that cannot be read.
pub fn run(args: &Convert) -> Result<Outcome> {
    let query = args.query.as_deref().map(files::query).transpose()?;
    let path = files::resolve(&State::new(args.dir.as_deref()), &args.file)?;
    let to = args.to.unwrap_or_else(|| match args.output.extension().and_then(|e| e.to_str()) {
        Some("md") => To::Markdown,
        Some("csv") => To::Csv,
        _ => To::Native,
    });
    if args.output == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        let (outcome, written) = write(args, &path, query.as_ref(), to, &mut out)?;
        super::written(written.and_then(|()| out.flush()))?;
        return Ok(outcome);
    }
    let name = args.output.display().to_string();
    let name = visible(&name);
    if args.output.exists() {
        let same = fs::canonicalize(&path).ok().is_some_and(|p| fs::canonicalize(&args.output).ok() == Some(p));
        if same {
            return Err(Failure::new(format!("{name} is the file that is read")).hint("write to another one"));
        }
        if !args.force {
            return Err(Failure::new(format!("{name} exists")).hint("--force writes over it"));
        }
    }
    let failed = |e: io::Error| Failure::new(format!("cannot write {name}: {e}"));
    // Beside it first: a conversion that fails leaves what was there.
    let mut part = args.output.clone().into_os_string();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let file = File::options().write(true).create_new(true).open(&part).map_err(failed)?;
    let mut out = BufWriter::new(file);
    let result = write(args, &path, query.as_ref(), to, &mut out).and_then(|(outcome, written)| {
        written.and_then(|()| out.flush()).and_then(|()| fs::rename(&part, &args.output)).map_err(failed)?;
        Ok(outcome)
    });
    if result.is_err() {
        // Nothing more can be done about it than to say why the conversion failed.
        let _ = fs::remove_file(&part);
    }
    result
}

/// What was read, or why not; and what became of writing.
type Done = Result<(Outcome, io::Result<()>)>;

fn write(args: &Convert, path: &Path, query: Option<&Query>, to: To, out: &mut dyn Write) -> Done {
    let report = matches!(to, To::Markdown | To::Csv);
    if path == Path::new("-") && query.is_some() && !report {
        return Err(Failure::new("--where reads the input twice, which standard input does not allow")
            .hint("write it to a file first"));
    }
    if !report && query.is_none() {
        return items(args, path, None, to, out);
    }
    let loaded = load_as(path, args.from.as_deref(), Options::default())?;
    let rows: Vec<Row> = match query {
        Some(query) => files::select(&loaded, query),
        None => loaded.store.rows.clone(),
    };
    if query.is_some() && rows.is_empty() {
        eprintln!("mcpscope: nothing matches --where");
    }
    let outcome = if query.is_some() && rows.is_empty() { Outcome::No } else { Outcome::Fine };
    let written = match to {
        To::Csv => csv::write(out, &loaded.store, &rows),
        To::Markdown => markdown(out, &loaded, &rows)?,
        To::Native | To::Raw => {
            let (_, written) = items(args, path, Some(&frames_of(&loaded, &rows)), to, out)?;
            written
        }
    };
    Ok((outcome, written))
}

/// Numbers of the frames that belong to the rows.
fn frames_of(loaded: &Loaded, rows: &[Row]) -> FxHashSet<u32> {
    let (mut exchanges, mut loose) = (FxHashSet::default(), FxHashSet::default());
    for row in rows {
        match row {
            Row::Exchange(e) => exchanges.insert(*e),
            Row::Loose(r) => loose.insert(*r),
        };
    }
    let records = (0u32..).zip(&loaded.store.records);
    records.filter(|(i, r)| exchanges.contains(&r.exchange) || loose.contains(i)).map(|(_, r)| r.frame).collect()
}

/// Writes frames and events one by one.
fn items(args: &Convert, path: &Path, only: Option<&FxHashSet<u32>>, to: To, out: &mut dyn Write) -> Done {
    let mut kept: Option<Header> = None;
    let mut lines = Vec::new();
    let (mut number, mut frames, mut last) = (0u32, 0u64, 0 as Micros);
    let mut ended = false;
    // The header of a foreign file is known when it has been read: its lines wait.
    let raw = load::items(path, args.from.as_deref(), &mut |header| kept = header.cloned(), &mut |item| match item {
        Item::Frame(frame) => {
            number += 1;
            last = frame.t;
            if only.is_some_and(|only| !only.contains(&number)) {
                return;
            }
            frames += 1;
            match to {
                To::Raw => message(&frame, &mut lines),
                _ => native::write::frame(&frame, &mut lines),
            }
        }
        Item::Event(event) => {
            last = event.t;
            if to != To::Raw && only.is_none() {
                ended |= matches!(event.kind, EventKind::End { .. });
                native::write::event(&event, &mut lines);
            }
        }
    })?;
    notes(&raw, &visible(&path.display().to_string()));
    if to == To::Raw {
        return Ok((Outcome::Fine, out.write_all(&lines)));
    }
    let mut head = Vec::new();
    let mut header = kept.unwrap_or_default();
    let foreign = raw.format != "native";
    if foreign {
        header.imported = Some(Imported { from: raw.format.to_owned(), missing: raw.missing, excerpt: raw.excerpt });
    } else if header.version == 0 {
        header.imported = Some(Imported { from: "recording".into(), ..Imported::default() });
    }
    let made = foreign || header.version == 0;
    if made || only.is_some() || header.raw.is_empty() {
        if only.is_some() {
            let imported =
                header.imported.get_or_insert_with(|| Imported { from: "native".into(), ..Imported::default() });
            imported.excerpt = true;
        }
        native::write::header(&header, &mut head);
    } else {
        // As it stands in the file: with members that this version does not know.
        head.extend_from_slice(header.raw.trim_ascii_end());
        head.push(b'\n');
    }
    if made && !ended && only.is_none() {
        let end = Event { line: 0, t: last, conn: 1, kind: EventKind::End { frames: Some(frames) } };
        native::write::event(&end, &mut lines);
    }
    Ok((Outcome::Fine, out.write_all(&head).and_then(|()| out.write_all(&lines))))
}

/// A message on a line of its own; what is none (stderr, HTTP heads, comments) is left out.
fn message(frame: &Frame<'_>, out: &mut Vec<u8>) {
    let part = frame.http.as_ref();
    let none = part.is_some_and(|h| h.comment || h.kind == HttpKind::End);
    if frame.dir == Dir::Err || none || frame.payload.is_empty() {
        return;
    }
    match format::import::one_line(frame.payload) {
        Some(line) => out.extend_from_slice(&line),
        None => out.extend_from_slice(frame.payload),
    }
    out.push(b'\n');
}

/// What the user should know, beside the output.
fn notes(raw: &Raw, name: &str) {
    let lacks: Vec<&str> = raw.missing.words().collect();
    if !lacks.is_empty() {
        eprintln!("mcpscope: {name}: read as {}; not in it: {}", raw.format, lacks.join(", "));
    }
    for note in &raw.notes {
        eprintln!("mcpscope: {name}: {}", visible(note));
    }
    if raw.faults > 0 {
        eprintln!("mcpscope: {name}: {} lines that are no records were left out", raw.faults);
    }
}

/// A report: what was checked, and each exchange in full.
fn markdown(out: &mut dyn Write, loaded: &Loaded, rows: &[Row]) -> Result<io::Result<()>> {
    let store = &loaded.store;
    let exchanges: Vec<u32> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Exchange(e) => Some(*e),
            Row::Loose(_) => None,
        })
        .collect();
    if exchanges.len() > MAX_REPORT {
        return Err(Failure::new(format!("a report of {} exchanges would be too long", exchanges.len()))
            .hint("select some: --where 'is:failed'"));
    }
    let name = loaded.path.display().to_string();
    let selected: FxHashSet<u32> = exchanges.iter().copied().collect();
    let mut summary = Summary::of_exchanges(store, |e| selected.contains(&e));
    let mut findings = BTreeMap::new();
    for v in view::findings(store) {
        let Some(exchange) = v.exchange.filter(|e| selected.contains(&(e - 1))) else { continue };
        summary.count(v.severity);
        findings.entry(exchange - 1).or_insert_with(Vec::new).push(v);
    }
    let mut head = || -> io::Result<()> {
        writeln!(out, "# {}\n", visible(&name).replace(['`', '<', '>'], " "))?;
        writeln!(out, "{}\n", text::summary_line(store, &summary))?;
        let lacks: Vec<&str> = loaded.missing.words().collect();
        if !lacks.is_empty() {
            writeln!(out, "Read as {}; not in it: {}.\n", loaded.format, lacks.join(", "))?;
        }
        Ok(())
    };
    if let Err(e) = head() {
        return Ok(Err(e));
    }
    for index in exchanges {
        let detail = Detail::read(store, &loaded.source, &name, index, findings.remove(&index).unwrap_or_default())
            .map_err(|e| Failure::new(format!("cannot read {} again: {e}", visible(&name))))?;
        if let Err(e) = detail.write_markdown(out).and_then(|()| out.write_all(b"\n")) {
            return Ok(Err(e));
        }
    }
    Ok(Ok(()))
}
