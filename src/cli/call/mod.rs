//! `mcpscope call`: one call from the shell, tapped like any other.

mod ask;
mod list;
mod output;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Outcome;
use super::dial::{Dial, Dialled};
use crate::error::{Failure, Result};
use crate::peer::client::{Answerer, CallError, Client, FormAnswers, Nobody, Options, Response, Tool, args};
use crate::wire::json::visible::visible;

/// Arguments of `call`.
#[derive(Args, Debug)]
#[command(
    override_usage = "mcpscope call [OPTIONS] TOOL [KEY=VALUE]... -- COMMAND [ARG]...\n       mcpscope call --list -- COMMAND [ARG]...",
    after_help = "Arguments are typed by the tool's inputSchema: days=3 is a number where the schema says so. A dot goes inside:\n\
        place.lat=60.4. What violates the schema is refused before it is sent, unless --anyway. In --list, ! stands\n\
        behind tools that are not marked read-only.\n\n\
        Exit status: 0 the call went well, 1 tool error or protocol error, 2 the tool was not reached.\n\n\
        Examples:\n  mcpscope call weather city=Oslo unit=celsius -- mcpscope demo-server\n  \
        mcpscope call --list -- npx -y @modelcontextprotocol/server-everything stdio\n  \
        mcpscope call --json @arguments.json search -- node server.js\n  \
        mcpscope call --list --url https://mcp.example.com/mcp"
)]
pub struct Call {
    /// The tool, then its arguments as KEY=VALUE.
    #[arg(value_name = "TOOL [KEY=VALUE]")]
    words: Vec<String>,
    /// The arguments as a JSON object, sent as it is; @FILE reads a file, - standard input.
    #[arg(long, value_name = "JSON|@FILE|-")]
    json: Option<String>,
    /// Lists what the server offers instead of calling.
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, default_missing_value = "tools", require_equals = true)]
    list: Option<What>,
    /// Gets the prompt TOOL instead of calling a tool.
    #[arg(long, conflicts_with_all = ["resource", "list"])]
    prompt: bool,
    /// Reads the resource (a URI in the place of TOOL) instead of calling a tool.
    #[arg(long, conflicts_with = "list")]
    resource: bool,
    /// Seconds to wait for the answer; then the call is cancelled.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    timeout: f64,
    /// Answers a form of the server; may be given several times. Without it a terminal is asked.
    #[arg(long, value_name = "KEY=VALUE")]
    answer: Vec<String>,
    /// Sends arguments that violate the schema, and names of tools that are not listed.
    #[arg(long)]
    anyway: bool,
    /// Calls tools that are not marked read-only without asking: all, or those named.
    #[arg(long, value_name = "TOOL", num_args = 0..=1, default_missing_value = "", require_equals = true, value_delimiter = ',')]
    allow_calls: Option<Vec<String>>,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Writes pictures, sounds and embedded files of the result into a folder.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Say on standard error where the trace is
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    dial: Dial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// One JSON object: the outcome and the whole answer as it came.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Tools,
    Prompts,
    Resources,
    Templates,
}

/// Runs `call`.
///
/// # Errors
/// Everything that keeps the tool from being reached: usage, no such server, no such tool, arguments that violate the
/// schema, no leave to call it, no answer.
pub fn run(call: &Call) -> Result<Outcome> {
    if !(call.timeout > 0.0 && call.timeout <= 1e9) {
        return Err(Failure::new("--timeout must be a number of seconds above 0"));
    }
    let (name, words) = match (call.words.split_first(), call.list) {
        (Some((name, words)), None) => (name.as_str(), words),
        (None, Some(_)) => ("", &[][..]),
        (Some(_), Some(_)) => return Err(Failure::new("--list takes no tool")),
        (None, None) => return Err(Failure::new("no tool was named").hint("--list shows what there is")),
    };
    let json = call.json.as_deref().map(read_json).transpose()?;
    let answerer: Arc<dyn Answerer> = if !call.answer.is_empty() {
        Arc::new(FormAnswers { words: call.answer.clone() })
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        Arc::new(ask::Terminal)
    } else {
        Arc::new(Nobody)
    };
    let timeout = Duration::from_secs_f64(call.timeout);
    let options = Options { timeout: Some(timeout), answerer, ..Options::default() };
    let Dialled { client, session } = call.dial.connect(options)?;

    let result = match call.list {
        Some(what) => list::print(&client, what, call.format),
        None if call.resource => read(call, &client, name, timeout),
        None if call.prompt => prompt(call, &client, name, words, json.as_deref(), timeout),
        None => tool(call, &client, name, words, json.as_deref(), timeout),
    };
    client.close();
    session.end();
    if let Some(trace) = session.trace().filter(|_| call.verbose) {
        eprintln!("mcpscope: recorded in {}", visible(&trace.to_string_lossy()));
    }
    result
}

/// The text of `--json`, checked to be an object and otherwise left alone.
fn read_json(given: &str) -> Result<String> {
    let text = match given.strip_prefix('@') {
        Some(file) => {
            std::fs::read_to_string(file).map_err(|failure| Failure::new(format!("cannot read {file}: {failure}")))?
        }
        None if given == "-" => {
            let mut text = String::new();
            io::stdin()
                .read_to_string(&mut text)
                .map_err(|failure| Failure::new(format!("cannot read standard input: {failure}")))?;
            text
        }
        None => given.to_owned(),
    };
    match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(value) if value.get().starts_with('{') => Ok(value.get().to_owned()),
        Ok(_) => Err(Failure::new("--json must be a JSON object")),
        Err(failure) => Err(Failure::new(format!("--json is not valid JSON: {failure}"))),
    }
}

fn arguments(schema: &str, words: &[String], json: Option<&str>) -> Result<String> {
    match json {
        Some(_) if !words.is_empty() => Err(Failure::new("KEY=VALUE and --json exclude each other")),
        Some(json) => Ok(json.to_owned()),
        None => Ok(args::typed(schema, words)?.to_string()),
    }
}

fn tool(
    call: &Call,
    client: &Client,
    name: &str,
    words: &[String],
    json: Option<&str>,
    timeout: Duration,
) -> Result<Outcome> {
    let (tools, listing) = client.tools().map_err(not_reached)?;
    if let Some(why) = &listing.incomplete {
        eprintln!("mcpscope: tools/list may not be whole: {}", visible(why));
    }
    let found = tools.iter().find(|tool| tool.name == name);
    if found.is_none() && !call.anyway {
        let near = tools.iter().map(|tool| tool.name.as_str()).max_by(|a, b| {
            let near = |other: &str| strsim::jaro_winkler(name, other);
            near(a).total_cmp(&near(b))
        });
        let hint = match near.filter(|near| strsim::jaro_winkler(name, near) > 0.8) {
            Some(near) => format!("did you mean `{}`? --anyway calls it all the same", visible(near)),
            None => "--list shows the tools; --anyway calls it all the same".to_owned(),
        };
        return Err(Failure::new(format!("the server lists no tool `{}`", visible(name))).hint(hint));
    }
    let schema = found.map_or("{}", |tool| tool.input_schema.as_str());
    let arguments = arguments(schema, words, json)?;
    if !call.anyway {
        check(schema, &arguments)?;
    }
    permit(call, name, found, &arguments)?;
    let answer = client.call_tool(name, &arguments, Some(timeout), output::progress);
    finish(call, answer)
}

fn check(schema: &str, arguments: &str) -> Result<()> {
    match args::check(schema, arguments) {
        Ok(violations) if violations.is_empty() => Ok(()),
        Ok(violations) => {
            let lines: Vec<String> = violations
                .iter()
                .map(|violation| {
                    let place = if violation.pointer.is_empty() { "arguments" } else { &violation.pointer };
                    format!("{}: {}", visible(place), visible(&violation.message))
                })
                .collect();
            let what = format!("the arguments violate inputSchema: {}", lines.join("; "));
            Err(Failure::new(what).hint("--anyway sends them all the same"))
        }
        Err(why) => {
            eprintln!("mcpscope: the arguments are not checked: {}", visible(&why.to_string()));
            Ok(())
        }
    }
}

/// Only tools that are marked read-only are called without leave.
fn permit(call: &Call, name: &str, tool: Option<&Tool>, arguments: &str) -> Result<()> {
    let allowed = call.allow_calls.as_ref().is_some_and(|names| {
        let names: BTreeSet<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        names.is_empty() || names.contains(name)
    });
    if allowed || tool.is_some_and(|tool| tool.read_only) {
        return Ok(());
    }
    let what = format!("{} {}", visible(name), visible(arguments));
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        eprint!("`{}` is not marked read-only. Call {what}? [y/N] ", visible(name));
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        if read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes") {
            return Ok(());
        }
        return Err(Failure::new("not called"));
    }
    Err(Failure::new(format!("not called, because the tool is not marked read-only: {what}"))
        .hint("--allow-calls permits it"))
}

fn prompt(
    call: &Call,
    client: &Client,
    name: &str,
    words: &[String],
    json: Option<&str>,
    timeout: Duration,
) -> Result<Outcome> {
    // Arguments of prompts are strings, whatever they look like.
    let mut strings = serde_json::Map::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(Failure::new(format!("`{word}` is no argument")).hint("write KEY=VALUE, or use --json"));
        };
        strings.insert(key.to_owned(), value.into());
    }
    let arguments = match json {
        Some(_) if !strings.is_empty() => return Err(Failure::new("KEY=VALUE and --json exclude each other")),
        Some(json) => json.to_owned(),
        None => serde_json::Value::Object(strings).to_string(),
    };
    let name = serde_json::Value::from(name).to_string();
    let members = [("name", name.as_str()), ("arguments", arguments.as_str())];
    finish(call, client.complete("prompts/get", &members, Some(timeout), output::progress))
}

fn read(call: &Call, client: &Client, uri: &str, timeout: Duration) -> Result<Outcome> {
    let uri = serde_json::Value::from(uri).to_string();
    finish(call, client.complete("resources/read", &[("uri", &uri)], Some(timeout), output::progress))
}

fn not_reached(failure: CallError) -> Failure {
    Failure::new(visible(&failure.to_string()).into_owned())
}

fn finish(call: &Call, answer: std::result::Result<Response, CallError>) -> Result<Outcome> {
    let response = answer.map_err(not_reached)?;
    match call.format {
        Format::Json => output::json(&response),
        Format::Text => output::text(&response),
    }
    .map_err(|failure| Failure::new(format!("cannot write the result: {failure}")))?;
    if let Some(folder) = &call.save {
        output::save(&response, folder)?;
    }
    Ok(if response.is_ok() { Outcome::Fine } else { Outcome::No })
}
