//! `mcpscope check`: the analysis without a screen, for CI.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rustc_hash::FxHashSet;

use super::{Outcome, files};
use crate::analysis::incidents::{self, Incident};
use crate::config::{Level, Project};
use crate::error::{Failure, Result};
use crate::feed::{Loaded, load_as};
use crate::mcp::Revision;
use crate::paths::State;
use crate::query::Query;
use crate::report::{self, FindingView, Summary, text::Paint};
use crate::rules::{self, KnownTools, Options, catalogue};
use crate::trace::{Row, Severity};
use crate::wire::json::visible::visible;

/// Check traces for faults, and say who has to mend them.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  mcpscope check trace.jsonl\n  mcpscope check traces/ --format junit > report.xml\n  \
    mcpscope check last --fail-on warning --where 'tool = search'\n\n\
    A file mcpscope.toml in this folder or above sets severities, thresholds and exceptions with a reason.\n\n\
    Exit status: 0 nothing at the level asked, 1 findings at that level or nothing matches --where, 2 a file could not be read."
)]
pub struct CheckArgs {
    /// Traces or folders of traces: a path, `last`, a server's name, `NAME~1`; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Lowest severity that makes the exit status 1
    #[arg(long, value_enum, default_value = "error")]
    fail_on: FailOn,
    /// Only what this query selects
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    /// Only findings of this rule (repeatable)
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// Leave findings of this rule out (repeatable)
    #[arg(long, value_name = "ID")]
    ignore: Vec<String>,
    /// Judge everything by this revision instead of what each message shows
    #[arg(long, value_name = "auto|REV", default_value = "auto")]
    revision: String,
    /// Read the files as this format instead of what their content shows (see `mcpscope convert --help`)
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// List the exchanges too (JSON)
    #[arg(long)]
    exchanges: bool,
    /// Judge calls by the tools of this file (a tools/list result as JSON) where the trace shows no list; at most info
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The project file [default: mcpscope.toml in the working directory or above]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Without a project file
    #[arg(long)]
    no_config: bool,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For reading.
    Text,
    /// Everything, in a stable form.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// JUnit XML, for CI servers.
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn least(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        }
    }
}

/// One file with what is to be said of it.
struct Checked<'a> {
    loaded: &'a Loaded,
    name: String,
    findings: Vec<FindingView<'a>>,
    incidents: Vec<Incident>,
    summary: Summary,
    /// Exchanges that the query selects; all without one.
    selected: Option<FxHashSet<u32>>,
    /// Rows that the query selects.
    matched: usize,
    /// Findings left out, by exception of the project file.
    excepted: Vec<u32>,
}

/// Runs it.
///
/// # Errors
/// When a file cannot be read, a rule, a revision, a query or a project file cannot be understood.
pub fn run(args: &CheckArgs) -> Result<Outcome> {
    for id in args.rule.iter().chain(&args.ignore) {
        if rules::find(id).is_none() {
            let hint =
                catalogue::nearest(id).map_or("mcpscope rules lists them".to_owned(), |n| format!("did you mean {n}?"));
            return Err(Failure::new(format!("there is no rule {id}")).hint(hint));
        }
    }
    let revision = match args.revision.as_str() {
        "auto" => None,
        other => Some(Revision::parse(other).ok_or_else(|| {
            let all: Vec<&str> = Revision::ALL.into_iter().map(Revision::as_str).collect();
            Failure::new(format!("{other} is no revision")).hint(format!("known: auto, {}", all.join(", ")))
        })?),
    };
    let query = args.query.as_deref().map(files::query).transpose()?;
    let project = project(args)?;
    let options = project.as_ref().map_or_else(Options::default, |p| p.options(Options::default()));
    let tools = args.tools.as_deref().map(known_tools).transpose()?;
    let options = Options { revision, tools, ..options };
    let named = files::expand(&State::new(args.dir.as_deref()), &args.files)?;
    let loaded = load_all(&named, args.from.as_deref(), &options)?;
    let checked: Vec<Checked<'_>> = loaded.iter().map(|l| check(args, l, project.as_ref(), query.as_ref())).collect();
    let least = args.fail_on.least();
    let failed = checked.iter().any(|c| c.findings.iter().any(|v| least.is_some_and(|l| v.severity >= l)));
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    let reports: Vec<report::json::File<'_>> = checked.iter().map(|c| c.report(args.exchanges)).collect();
    let written = match args.format {
        Format::Json => report::json::write(&mut out, &reports),
        Format::Sarif => report::sarif::write(&mut out, &reports),
        Format::Junit => report::junit::write(&mut out, &reports, least),
        Format::Github => report::github::write(&mut out, &reports),
        Format::Text => text(&mut out, &checked, project.as_ref(), paint),
    };
    super::written(written.and_then(|()| out.flush()))?;
    let nothing = query.is_some() && checked.iter().all(|c| c.matched == 0);
    if nothing {
        eprintln!("mcpscope: nothing matches --where");
    }
    Ok(if failed || nothing { Outcome::No } else { Outcome::Fine })
}

/// The tools that a file lists.
fn known_tools(path: &Path) -> Result<Arc<KnownTools>> {
    let name = path.display();
    let text = std::fs::read(path).map_err(|e| Failure::new(format!("cannot read {name}: {e}")))?;
    let tools = KnownTools::read(name.to_string(), &text);
    if tools.is_empty() {
        return Err(Failure::new(format!("{name} lists no tools"))
            .hint("it should hold the result of tools/list as JSON, or the array in it"));
    }
    Ok(Arc::new(tools))
}

fn project(args: &CheckArgs) -> Result<Option<Project>> {
    match &args.config {
        Some(path) => Project::read(path).map(Some),
        None if args.no_config => Ok(None),
        None => match std::env::current_dir() {
            Ok(here) => Project::find(&here),
            Err(_) => Ok(None),
        },
    }
}

/// Loads what was named, in order; on a terminal with a line that says how far it is.
fn load_all(named: &[files::Named], from: Option<&str>, options: &Options) -> Result<Vec<Loaded>> {
    let stderr = io::stderr();
    let show = stderr.is_terminal() && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for (i, file) in named.iter().enumerate() {
        if show {
            let name = file.path.display().to_string();
            // A broken terminal is no reason to stop.
            let _ = write!(io::stderr(), "\r\x1b[Kchecking {}/{} {}", i + 1, named.len(), visible(&name));
        }
        let loaded = load_as(&file.path, from, options.clone());
        if show {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        match loaded {
            Ok(loaded) => all.push(loaded),
            // Something else that lies in the same folder.
            Err(failure) if file.from_folder => skipped.push(failure),
            Err(failure) => return Err(failure),
        }
    }
    for failure in skipped.iter().take(3) {
        eprintln!("mcpscope: skipped: {}", failure.what);
    }
    if skipped.len() > 3 {
        eprintln!("mcpscope: skipped: {} more that are no traces", skipped.len() - 3);
    }
    if all.is_empty() {
        return Err(Failure::new("there is no trace to check in what was named"));
    }
    Ok(all)
}

fn check<'a>(args: &CheckArgs, loaded: &'a Loaded, project: Option<&Project>, query: Option<&Query>) -> Checked<'a> {
    let store = &loaded.store;
    let mut findings = report::view::findings(store);
    findings.retain(|v| {
        (args.rule.is_empty() || args.rule.iter().any(|r| r == v.finding.rule))
            && !args.ignore.iter().any(|r| r == v.finding.rule)
    });
    let cx = files::cx(loaded);
    let mut excepted = Vec::new();
    if let Some(project) = project {
        report::view::adjust(&mut findings, |rule, severity| match project.level(rule) {
            Some(Level::Off) => None,
            Some(Level::At(severity)) => Some(severity),
            None => Some(severity),
        });
        excepted = vec![0; project.exceptions.len()];
        findings.retain(|v| {
            let found = project.exceptions.iter().position(|e| {
                e.covers(v.finding.rule, &loaded.path, &project.path)
                    && e.query.as_ref().is_none_or(|q| q.matches_record(&cx, v.finding.record))
            });
            if let Some(i) = found {
                excepted[i] += 1;
            }
            found.is_none()
        });
    }
    let mut selected = None;
    let mut matched = 0;
    if let Some(query) = query {
        let rows = files::select(loaded, query);
        matched = rows.len();
        let (mut exchanges, mut loose) = (FxHashSet::default(), FxHashSet::default());
        for row in rows {
            match row {
                Row::Exchange(e) => exchanges.insert(e),
                Row::Loose(r) => loose.insert(r),
            };
        }
        findings.retain(|v| match v.exchange {
            Some(n) => exchanges.contains(&(n - 1)),
            None => loose.contains(&v.finding.record),
        });
        selected = Some(exchanges);
    }
    let mut summary = Summary::of_exchanges(store, |e| selected.as_ref().is_none_or(|s| s.contains(&e)));
    for v in &findings {
        summary.count(v.severity);
    }
    let name = loaded.path.display().to_string();
    Checked { loaded, name, findings, incidents: incidents::group(store), summary, selected, matched, excepted }
}

impl Checked<'_> {
    fn report(&self, exchanges: bool) -> report::json::File<'_> {
        report::json::File {
            file: &self.name,
            format: self.loaded.format,
            store: &self.loaded.store,
            findings: &self.findings,
            incidents: &self.incidents,
            summary: self.summary,
            exchanges,
            selected: self.selected.as_ref(),
        }
    }
}

/// The report for people: findings, what belongs together, what could not be judged, counts.
fn text(out: &mut dyn Write, checked: &[Checked<'_>], project: Option<&Project>, paint: Paint) -> io::Result<()> {
    let mut total = Summary::default();
    let (mut exchanges, mut messages) = (0, 0);
    for c in checked {
        let name = visible(&c.name);
        files::about(out, &name, c.loaded)?;
        for fault in &c.loaded.faults {
            writeln!(out, "{name}: {fault}")?;
        }
        let more = c.loaded.fault_count.saturating_sub(c.loaded.faults.len() as u64);
        if more > 0 {
            writeln!(out, "{name}: {more} more lines that are no records")?;
        }
        for v in &c.findings {
            report::text::finding(out, &c.name, v, paint)?;
        }
        let shown: Vec<u32> = c.findings.iter().map(|v| v.index).collect();
        report::text::incidents(out, &c.name, &c.loaded.store, &c.incidents, &shown, paint)?;
        let not_judged: u32 = c.loaded.store.not_judged.values().sum();
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (n, count) in &c.loaded.store.not_judged {
            if rules::find(n.rule).is_some_and(|r| rules::needs::unmet(r, c.loaded.missing) == Some(&*n.why)) {
                by_reason.entry(&n.why).or_default().push(n.rule);
                continue;
            }
            let line = format!("{name}: not judged: {} ({count}): {}", n.rule, visible(&n.why));
            writeln!(out, "{}", paint.dim(&line))?;
        }
        for (why, rules) in by_reason {
            // Of an outline hardly any rule can be judged: a list of all the others would hide what can.
            let list = if rules.len() > 20 { format!("{} rules", rules.len()) } else { rules.join(", ") };
            writeln!(out, "{}", paint.dim(&format!("{name}: not judged: {list}: {why}")))?;
        }
        if let Some(project) = project {
            for (exception, count) in project.exceptions.iter().zip(&c.excepted).filter(|(_, n)| **n > 0) {
                let rules = exception.rules.join(", ");
                let line = format!("{name}: {count} accepted: {rules}: {}", visible(&exception.reason));
                writeln!(out, "{}", paint.dim(&line))?;
            }
        }
        let mut line = report::text::summary_line(&c.loaded.store, &c.summary);
        if not_judged > 0 {
            line.push_str(&format!(", {not_judged} not judged"));
        }
        writeln!(out, "{name}: {line}")?;
        total.add(&c.summary);
        exchanges += c.loaded.store.exchanges.len();
        messages += c.loaded.store.messages as usize;
    }
    if let Some(project) = project {
        for (i, exception) in project.exceptions.iter().enumerate() {
            if checked.iter().all(|c| c.excepted.get(i).is_none_or(|n| *n == 0)) {
                let line = format!(
                    "{}: the exception for {} accepts nothing",
                    project.path.display(),
                    exception.rules.join(", ")
                );
                writeln!(out, "{}", paint.dim(&line))?;
            }
        }
    }
    if checked.len() > 1 {
        let line = report::text::counts_line(exchanges, messages, &total);
        writeln!(out, "{} files: {line}", checked.len())?;
    }
    Ok(())
}

/// Whether a path is one that [`files::expand`] looks at in a folder.
pub(super) fn may_be_trace(path: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["jsonl", "ndjson", "json", "har", "log", "gz", "zst", "mitm"];
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| ENDINGS.contains(&e))
}
