//! `call --list`: what the server offers.

use std::io::{self, Write};

use super::{Format, What, not_reached};
use crate::cli::Outcome;
use crate::error::{Failure, Result};
use crate::peer::client::{Client, List};
use crate::wire::json::visible::visible;
use crate::wire::json::{Document, fit};

/// Columns that the first line of a description may take.
const DESCRIPTION: usize = 80;

/// Prints a list: a line an item, or the items as they came, one JSON object a line.
pub(super) fn print(client: &Client, what: What, format: Format) -> Result<Outcome> {
    let list = match what {
        What::Tools => List::Tools,
        What::Prompts => List::Prompts,
        What::Resources => List::Resources,
        What::Templates => List::Templates,
    };
    let listing = client.list(list).map_err(not_reached)?;
    if let Some(why) = &listing.incomplete {
        eprintln!("mcpscope: the list may not be whole: {}", visible(why));
    }
    if let Some(error) = listing.error.filter(|_| listing.items.is_empty()) {
        eprintln!("mcpscope: {} was refused: {} {}", list.method(), error.code, visible(&error.message));
        return Ok(Outcome::No);
    }
    let mut out = io::stdout().lock();
    let written = listing.items.iter().try_for_each(|item| match format {
        Format::Json => {
            // An item of a message that came over several lines may hold line ends.
            let line: Vec<u8> =
                item.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect();
            out.write_all(&line).and_then(|()| out.write_all(b"\n"))
        }
        Format::Text => writeln!(out, "{}", line(item, list)),
    });
    written.map_err(|failure| Failure::new(format!("cannot write the list: {failure}")))?;
    Ok(Outcome::Fine)
}

fn line(item: &[u8], list: List) -> String {
    let document = Document::new(item);
    let Some(root) = document.doc().root() else { return String::new() };
    let text = |path: &[&str]| root.path(path).and_then(|value| value.as_str()).unwrap_or_default();
    let name = match list {
        List::Resources => text(&["uri"]),
        List::Templates => text(&["uriTemplate"]),
        List::Tools | List::Prompts => text(&["name"]),
    };
    // Required arguments first, as one would type them.
    let mut usage = String::new();
    match list {
        List::Tools => {
            let schema = root.get("inputSchema");
            let required: Vec<_> =
                schema.and_then(|s| s.get("required")).into_iter().flat_map(|r| r.elements()).collect();
            let is_required = |key: &str| required.iter().any(|name| name.str_eq(key));
            let keys: Vec<String> = schema
                .and_then(|schema| schema.get("properties"))
                .into_iter()
                .flat_map(|properties| properties.members())
                .map(|(key, _)| key.as_str().into_owned())
                .collect();
            for key in keys.iter().filter(|key| is_required(key)) {
                usage.push_str(&format!(" {key}="));
            }
            for key in keys.iter().filter(|key| !is_required(key)) {
                usage.push_str(&format!(" [{key}=]"));
            }
        }
        List::Prompts => {
            for argument in root.get("arguments").into_iter().flat_map(|arguments| arguments.elements()) {
                let key = argument.get("name").and_then(|name| name.as_str()).unwrap_or_default();
                let required = argument.get("required").and_then(|required| required.as_bool()) == Some(true);
                usage.push_str(&if required { format!(" {key}=") } else { format!(" [{key}=]") });
            }
        }
        List::Resources | List::Templates => {}
    }
    let mark = match list {
        List::Tools if root.path(&["annotations", "readOnlyHint"]).and_then(|hint| hint.as_bool()) != Some(true) => {
            " !"
        }
        _ => "",
    };
    let description = text(&["description"]);
    let first = fit(description.lines().next().unwrap_or_default(), DESCRIPTION);
    let dash = if first.columns == 0 { "" } else { "  # " };
    format!("{}{}{mark}{dash}{}", visible(&name), visible(&usage), first.visible.text)
}
