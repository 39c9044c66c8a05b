//! `mcpscope rules [ID]`: the catalogue for people.

use std::io::{self, Write as _};

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::error::{Failure, Result};
use crate::rules::catalogue::{self, Entry};
use crate::rules::{self, page};
use crate::trace::Layer;

/// Columns at which prose is wrapped.
const WIDTH: usize = 88;

/// Arguments of `rules`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  mcpscope rules\n  mcpscope rules json-syntax\n  mcpscope rules --format json | jq '.rules[].id'"
)]
pub struct Rules {
    /// The rule to explain; without it, all of them are listed.
    id: Option<String>,
    /// How to print it.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For reading.
    Text,
    /// Everything that the catalogue says.
    Json,
    /// For documents.
    Markdown,
}

/// Prints the catalogue, or one rule of it.
///
/// # Errors
/// A rule that does not exist (the nearest one is named), or output that cannot be written.
pub fn run(arguments: &Rules) -> Result<Outcome> {
    let text = match &arguments.id {
        Some(id) => one(id, arguments.format)?,
        None => all(arguments.format),
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // Whoever read it has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Outcome::Fine),
        Err(e) => Err(Failure::new(format!("cannot write to stdout: {e}"))),
        Ok(()) => Ok(Outcome::Fine),
    }
}

fn one(id: &str, format: Format) -> Result<String> {
    let Some(entry) = catalogue::entry(id) else {
        let id: String = id.chars().take(80).collect();
        let failure = Failure::new(format!("there is no rule {:?}", id));
        return Err(match catalogue::nearest(&id) {
            Some(near) => failure.hint(format!("did you mean {near}? `mcpscope rules` lists all")),
            None => failure.hint("`mcpscope rules` lists all"),
        });
    };
    Ok(match format {
        Format::Text if rules::find(id).is_none() => {
            format!("{}\nThe catalogue has this rule; this version does not check it.\n", page::text(entry, WIDTH))
        }
        Format::Text => page::text(entry, WIDTH),
        Format::Json => pretty(&page::json(entry)),
        Format::Markdown => page::markdown(entry),
    })
}

fn all(format: Format) -> String {
    match format {
        Format::Text => list(),
        Format::Json => {
            let rules: Vec<_> = by_layer().flat_map(|(_, entries)| entries).map(page::json).collect();
            pretty(&serde_json::json!({ "rules": rules }))
        }
        Format::Markdown => document(),
    }
}

fn pretty(value: &serde_json::Value) -> String {
    // A value made here has only string keys: it can always be written.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The layers from the wire up, each with the rules that are checked, sorted by id.
fn by_layer() -> impl Iterator<Item = (Layer, Vec<&'static Entry>)> {
    Layer::ALL.into_iter().map(|layer| {
        let entries =
            catalogue::entries().filter(|e| e.layer == layer.as_str() && rules::find(&e.id).is_some()).collect();
        (layer, entries)
    })
}

/// What a layer judges, in a few words.
fn about(layer: Layer) -> &'static str {
    match layer {
        Layer::Transport => "framing on stdio, life of the process, HTTP heads and event streams",
        Layer::Json => "syntax and encoding inside one message",
        Layer::JsonRpc => "the envelope, and which answer belongs to which request",
        Layer::Mcp => "methods, params, results and state, by revision",
        Layer::Tool => "tools against their own list and schemas",
        Layer::Access => "refusals, and secrets that are seen",
    }
}

fn list() -> String {
    let width = catalogue::ids().map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    let mut count = 0;
    for (layer, entries) in by_layer() {
        if entries.is_empty() {
            continue;
        }
        out.push_str(&format!("{}: {}\n", layer.as_str(), about(layer)));
        for e in entries {
            count += 1;
            let other = e.severity_by_revision.is_empty() && e.severity_when.is_empty();
            let severity = format!("{}{}", e.severity, if other { "" } else { "*" });
            out.push_str(&format!("  {:width$}  {severity:<8}  {}\n", e.id, e.title));
        }
        out.push('\n');
    }
    out.push_str(&format!(
        "{count} rules. * another severity in some revisions or cases. `mcpscope rules ID` explains one.\n"
    ));
    out
}

fn document() -> String {
    let mut out = "# Rules\n".to_owned();
    for (layer, entries) in by_layer() {
        if entries.is_empty() {
            continue;
        }
        out.push_str(&format!("\n## {}: {}\n", layer.as_str(), about(layer)));
        for e in entries {
            out.push('\n');
            out.push_str(&page::markdown(e));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn unknown_rule_names_the_nearest() {
        let failure = one("json-sintax", Format::Text).unwrap_err();
        assert_eq!(failure.what, "there is no rule \"json-sintax\"");
        assert!(failure.hint.unwrap().starts_with("did you mean json-syntax?"));
        assert_eq!(one("\u{1b}[31m", Format::Text).unwrap_err().what, "there is no rule \"\\u{1b}[31m\"");
    }

    #[test]
    fn one_rule_in_each_format() {
        assert!(one("id-null", Format::Text).unwrap().contains("Who fixes it  "));
        assert!(one("id-null", Format::Markdown).unwrap().starts_with("### id-null\n"));
        let json: serde_json::Value = serde_json::from_str(&one("id-null", Format::Json).unwrap()).unwrap();
        assert_eq!(json["layer"], "jsonrpc");
    }

    #[test]
    fn the_list_holds_every_rule_that_is_checked_once() {
        let list = list();
        for rule in rules::all() {
            assert_eq!(list.matches(&format!("  {} ", rule.id)).count(), 1, "{}", rule.id);
        }
    }
}
