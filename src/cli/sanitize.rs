//! `mcpscope sanitize`: a trace that may be shown to others.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Outcome, files};
use crate::error::{Failure, Result};
use crate::feed;
use crate::format::native::Reader;
use crate::paths::State;
use crate::sanitize::{Mode, Replaced, Sanitizer};
use crate::wire::json::visible::visible;

/// Arguments of `sanitize`.
#[derive(Args, Debug)]
#[command(
    long_about = "Writes a trace without its secrets: tokens, keys, passwords, cookies, private keys, e-mail addresses and \
        the names in home paths, wherever they stand (JSON in strings, URLs, headers, command lines, stderr, Base64). \
        Only their bytes are replaced, equal ones by equal words, so that the trace still shows what it showed: check \
        finds the same.",
    after_help = "Examples:\n  mcpscope sanitize last -o fixture.jsonl\n  mcpscope sanitize trace.jsonl --dry-run\n  \
        mcpscope sanitize trace.jsonl -o - --key team.key > fixture.jsonl\n\n\
        Exit status: 0 written, 2 the file could not be read or written. No tool knows every secret: look at the result \
        before you publish it."
)]
pub struct SanitizeArgs {
    /// A trace: a path, `last`, a server's name, `NAME~1` (the run before); `-` reads standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where to write it; `-` is standard output
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// How much goes
    #[arg(long, value_enum, default_value = "secrets")]
    mode: ModeArg,
    /// A file or a text: with the same key, equal secrets are equal in all files
    #[arg(long, value_name = "FILE|TEXT")]
    key: Option<String>,
    /// List what would go, by kind and place (never the value), and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ModeArg {
    /// Secrets, e-mail addresses, names in home paths.
    Secrets,
    /// Also every value in arguments and content: a placeholder of the same type and length stands in its place.
    Values,
}

/// Runs `sanitize`.
///
/// # Errors
/// A file that cannot be read or written, or is no trace of the native format.
pub fn run(args: &SanitizeArgs) -> Result<Outcome> {
    let state = State::new(args.dir.as_deref());
    let path = files::resolve(&state, &args.input)?;
    let bytes = feed::read_all(&path)?;
    if !Reader::sniff(&bytes) {
        return Err(Failure::new(format!("{} is no trace in the native format", path.display()))
            .hint("convert it first: mcpscope convert IN -o OUT"));
    }
    let key = args.key.as_deref().map(key).transpose()?;
    let mode = match args.mode {
        ModeArg::Secrets => Mode::Secrets,
        ModeArg::Values => Mode::Values,
    };
    let mut sanitizer = Sanitizer::new(mode, key.as_deref());
    let mut out = Vec::with_capacity(bytes.len());
    whole(&mut sanitizer, &bytes, &mut out);
    if args.dry_run {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        let done = summary(&mut stdout, sanitizer.replaced(), "would be replaced")
            .and_then(|()| places(&mut stdout, sanitizer.replaced()))
            .and_then(|()| stdout.flush());
        super::written(done)?;
        return Ok(Outcome::Fine);
    }
    let Some(output) = &args.output else { return Ok(Outcome::Fine) };
    if output == Path::new("-") {
        super::written(io::stdout().lock().write_all(&out))?;
        let _ = summary(&mut io::stderr().lock(), sanitizer.replaced(), "replaced");
    } else {
        write(&path, output, &out)?;
        super::written(summary(&mut io::stdout().lock(), sanitizer.replaced(), "replaced"))?;
    }
    Ok(Outcome::Fine)
}

/// Sanitizes a whole file in memory: once to learn its secrets, once to replace them.
fn whole(sanitizer: &mut Sanitizer, bytes: &[u8], out: &mut Vec<u8>) {
    for line in bytes.split(|b| *b == b'\n') {
        sanitizer.learn(line);
    }
    sanitizer.learned();
    let mut lines = bytes.split(|b| *b == b'\n').peekable();
    while let Some(line) = lines.next() {
        sanitizer.line(line, out);
        if lines.peek().is_some() {
            out.push(b'\n');
        }
    }
}

/// A key is the content of a file, or the text itself where there is no such file.
fn key(what: &str) -> Result<Vec<u8>> {
    let key = match std::fs::read(what) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound && !what.contains('/') => what.as_bytes().to_vec(),
        Err(e) => return Err(Failure::new(format!("cannot read the key {what}: {e}"))),
    };
    if key.is_empty() { Err(Failure::new("the key is empty")) } else { Ok(key) }
}

fn write(input: &Path, output: &Path, bytes: &[u8]) -> Result<()> {
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if same(input, output) {
        return Err(Failure::new(format!("{} is the trace itself", output.display())).hint("write to another file"));
    }
    let failed = |e: io::Error| Failure::new(format!("cannot write {}: {e}", output.display()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(output).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(failed)
}

fn summary(out: &mut dyn Write, replaced: &[Replaced], word: &str) -> io::Result<()> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for r in replaced {
        *counts.entry(&r.kind).or_default() += 1;
    }
    writeln!(out, "{} {word}", replaced.len())?;
    for (kind, n) in counts {
        writeln!(out, "{n:>6}  {kind}")?;
    }
    Ok(())
}

fn places(out: &mut dyn Write, replaced: &[Replaced]) -> io::Result<()> {
    for r in replaced {
        writeln!(out, "line {}  {}  {}", r.place.line, r.kind, visible(&r.place.pointer))?;
    }
    Ok(())
}
