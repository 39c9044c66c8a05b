//! Questions of the server, asked in the terminal.

use std::io;

use serde_json::{Map, Value};

use crate::peer::client::{Abilities, Answer, Answerer, Question, args};
use crate::wire::json::visible::visible;

/// Asks on stderr, reads from stdin.
pub(super) struct Terminal;

impl Answerer for Terminal {
    fn abilities(&self) -> Abilities {
        Abilities { form: true, ..Abilities::default() }
    }

    fn answer(&self, question: &Question<'_>) -> Answer {
        let params = question.read();
        if params["mode"].as_str().is_some_and(|mode| mode != "form") {
            return Answer::decline();
        }
        eprintln!("The server asks: {}", visible(&question.to_string()));
        eprintln!("(Enter leaves a field as it is, - declines, Ctrl-D goes away)");
        let schema = &params["requestedSchema"];
        let text = schema.to_string();
        loop {
            let mut words = Vec::new();
            let mut defaults = Map::new();
            for (key, field) in schema["properties"].as_object().into_iter().flatten() {
                eprint!("  {}: ", visible(&label(key, field, schema)));
                let mut line = String::new();
                match io::stdin().read_line(&mut line) {
                    Ok(0) | Err(_) => return Answer::dismiss(),
                    Ok(_) => {}
                }
                match line.trim_end_matches(['\r', '\n']) {
                    "-" => return Answer::decline(),
                    "" => {
                        if let Some(default) = field.get("default") {
                            defaults.insert(key.clone(), default.clone());
                        }
                    }
                    typed => words.push(format!("{key}={typed}")),
                }
            }
            let content = args::typed(&text, &words).ok().and_then(|content| match content {
                Value::Object(mut members) => {
                    members.extend(defaults);
                    Some(Value::Object(members))
                }
                _ => None,
            });
            let Some(content) = content else { return Answer::decline() };
            let violations = args::validate(&text, &content.to_string());
            if violations.is_empty() {
                return Answer::accept(&content);
            }
            for violation in violations {
                eprintln!("  {}: {}", visible(&violation.pointer), visible(&violation.message));
            }
        }
    }
}

/// Name, title, choices and default of a field.
fn label(key: &str, field: &Value, schema: &Value) -> String {
    let mut label = key.to_owned();
    if let Some(title) = field["title"].as_str().filter(|title| *title != key) {
        label.push_str(&format!(" ({title})"));
    }
    let choices: Vec<&str> = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !choices.is_empty() {
        label.push_str(&format!(" [{}]", choices.join("|")));
    }
    if let Some(default) = field.get("default") {
        label.push_str(&format!(" [{default}]"));
    } else if schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key)) {
        label.push_str(" (required)");
    }
    label
}
