//! `mcpscope check`: the analysis without a screen, for CI.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::analysis::incidents;
use crate::error::{Failure, Result};
use crate::feed::load;
use crate::mcp::Revision;
use crate::report::{self, FindingView, Summary, text::Paint};
use crate::rules::{self, Options, catalogue};
use crate::trace::Severity;

use super::Outcome;

/// Check traces for faults, and say who has to mend them.
#[derive(Args, Debug)]
#[command(after_help = "Example: mcpscope check --fail-on warning trace.jsonl\n\n\
    Exit status: 0 nothing at the level asked, 1 findings at that level, 2 a file could not be read.")]
pub struct CheckArgs {
    /// Traces; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Lowest severity that makes the exit status 1
    #[arg(long, value_enum, default_value = "error")]
    fail_on: FailOn,
    /// Only findings of this rule (repeatable)
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// Leave findings of this rule out (repeatable)
    #[arg(long, value_name = "ID")]
    ignore: Vec<String>,
    /// Judge everything by this revision instead of what each message shows
    #[arg(long, value_name = "auto|REV", default_value = "auto")]
    revision: String,
    /// List the exchanges too (JSON)
    #[arg(long)]
    exchanges: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

/// Runs it.
///
/// # Errors
/// When a file cannot be read, a rule or a revision is unknown.
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
    let options = Options { revision, ..Options::default() };
    let mut loaded = Vec::new();
    for file in &args.files {
        loaded.push(load(file, options.clone())?);
    }
    let mut failed = false;
    let mut files = Vec::new();
    for l in &loaded {
        let mut findings = report::view::findings(&l.store);
        findings.retain(|v| {
            (args.rule.is_empty() || args.rule.iter().any(|r| r == v.finding.rule))
                && !args.ignore.iter().any(|r| r == v.finding.rule)
        });
        let mut summary = Summary::of(&l.store);
        (summary.error, summary.warning, summary.info) = (0, 0, 0);
        for v in &findings {
            summary.count(v.finding.severity);
        }
        failed |= fails(&findings, args.fail_on);
        files.push((l, l.path.display().to_string(), findings, incidents::group(&l.store), summary));
    }
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    let written = match args.format {
        Format::Json => {
            let reports: Vec<report::json::File<'_>> = files
                .iter()
                .map(|(l, name, findings, incidents, summary)| report::json::File {
                    file: name,
                    format: l.format,
                    store: &l.store,
                    findings,
                    incidents,
                    summary: *summary,
                    exchanges: args.exchanges,
                })
                .collect();
            report::json::write(&mut out, &reports)
        }
        Format::Text => {
            let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
            files.iter().try_for_each(|(l, name, findings, _, summary)| {
                for fault in &l.faults {
                    writeln!(out, "{name}: {fault}")?;
                }
                for v in findings {
                    report::text::finding(&mut out, name, v, paint)?;
                }
                for (n, count) in &l.store.not_judged {
                    writeln!(out, "{}", paint.dim(&format!("{name}: not judged {} ({count}): {}", n.rule, n.why)))?;
                }
                writeln!(out, "{name}: {}", report::text::summary_line(&l.store, summary))
            })
        }
    };
    super::written(written.and_then(|()| out.flush()))?;
    Ok(if failed { Outcome::No } else { Outcome::Fine })
}

fn fails(findings: &[FindingView<'_>], level: FailOn) -> bool {
    let least = match level {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
        FailOn::Never => return false,
    };
    findings.iter().any(|v| v.finding.severity >= least)
}
