//! What is printed of an answer. On a terminal hostile text is made visible; in a pipe the result is what it is.

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use base64::Engine as _;

use crate::error::{Failure, Result};
use crate::peer::client::{Progress, Response};
use crate::wire::json::visible::{visible, visible_bytes};
use crate::wire::json::{Value, pretty};

/// A line on stderr for each report, if somebody looks.
pub(super) fn progress(progress: Progress) {
    if io::stderr().is_terminal() {
        let total = progress.total.map(|total| format!("/{total}")).unwrap_or_default();
        let message = progress.message.unwrap_or_default();
        eprintln!("{}{total} {}", progress.progress, visible(&message));
    }
}

/// The outcome by the one list of outcomes.
fn outcome(response: &Response) -> &'static str {
    if response.error().is_some() || response.result().is_none() {
        "protocol_error"
    } else if response.is_input_required() {
        "input_required"
    } else if response.is_tool_error() {
        "tool_error"
    } else {
        "ok"
    }
}

/// One line: the outcome and the message as it came.
pub(super) fn json(response: &Response) -> io::Result<()> {
    let text = String::from_utf8_lossy(response.bytes());
    // What is no JSON by the standard (NaN, a byte order mark) would break the line it stands in: then it is a string.
    let message = match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(raw) => raw.get().replace(['\n', '\r'], " "),
        Err(_) => serde_json::Value::from(&*text).to_string(),
    };
    writeln!(io::stdout(), r#"{{"outcome":"{}","response":{message}}}"#, outcome(response))
}

/// For people: the texts of the content, else the structure, else the whole result.
pub(super) fn text(response: &Response) -> io::Result<()> {
    if let Some(error) = response.error() {
        eprintln!("mcpscope: protocol error {}: {}", error.code, visible(&error.message));
        if let Some(data) = &error.data {
            eprintln!("  data: {}", visible(data));
        }
        return Ok(());
    }
    let Some(result) = response.result() else {
        eprintln!("mcpscope: the answer has neither result nor error");
        return Ok(());
    };
    if response.is_input_required() {
        eprintln!("mcpscope: the server asks for input that was not given; --answer KEY=VALUE answers forms");
        return block(&mut io::stdout().lock(), &raw(result));
    }
    if response.is_tool_error() {
        eprintln!("mcpscope: the tool failed");
    }
    let mut out = io::stdout().lock();
    let parts: Vec<Value<'_>> = ["content", "contents", "messages"]
        .iter()
        .filter_map(|key| result.get(key))
        .flat_map(Value::elements)
        .collect();
    if parts.is_empty() {
        let shown = result.get("structuredContent").unwrap_or(result);
        return block(&mut out, &raw(shown));
    }
    for part in parts {
        if let Some(role) = part.get("role").and_then(Value::as_str) {
            writeln!(out, "{}:", visible(&role))?;
        }
        content(&mut out, part.get("content").unwrap_or(part))?;
    }
    Ok(())
}

fn raw(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    pretty::write(value, &mut out);
    out
}

fn content(out: &mut impl Write, part: Value<'_>) -> io::Result<()> {
    let inner = part.get("resource").unwrap_or(part);
    if let Some(text) = inner.get("text").and_then(Value::as_str) {
        return block(out, text.as_bytes());
    }
    let word = |key: &str| inner.get(key).and_then(Value::as_str).unwrap_or_default().into_owned();
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default().into_owned();
    let data = inner.get("data").or_else(|| inner.get("blob"));
    match data.and_then(Value::inner) {
        Some(data) => {
            let size = data.len() / 4 * 3;
            let line = format!("[{kind} {} about {size} bytes; --save FOLDER writes it]", word("mimeType"));
            writeln!(out, "{}", visible(&line))
        }
        None if kind == "resource_link" => writeln!(out, "[link {}]", visible(&word("uri"))),
        None => block(out, &raw(part)),
    }
}

/// Text with its own line ends; made safe, line by line, where a terminal would read it.
fn block(out: &mut impl Write, text: &[u8]) -> io::Result<()> {
    if io::stdout().is_terminal() {
        for line in text.split(|byte| *byte == b'\n') {
            writeln!(out, "{}", visible_bytes(line.strip_suffix(b"\r").unwrap_or(line)))?;
        }
        return Ok(());
    }
    out.write_all(text)?;
    if text.last() != Some(&b'\n') {
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes what is no text into the folder, numbered in order. A file that is there is not overwritten.
pub(super) fn save(response: &Response, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|failure| Failure::new(format!("cannot make {}: {failure}", folder.display())))?;
    let Some(result) = response.result() else { return Ok(()) };
    let parts = ["content", "contents"].iter().filter_map(|key| result.get(key)).flat_map(Value::elements);
    for (index, part) in parts.enumerate() {
        let inner = part.get("resource").unwrap_or(part);
        let Some(data) = inner.get("data").or_else(|| inner.get("blob")).and_then(Value::as_str) else { continue };
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(data.as_bytes())
            .map_err(|failure| Failure::new(format!("content {index} is not base64: {failure}")))?;
        let mime = inner.get("mimeType").and_then(Value::as_str).unwrap_or_default();
        let path = folder.join(format!("{index}.{}", extension(&mime)));
        let written = std::fs::File::options()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(&bytes));
        written.map_err(|failure| Failure::new(format!("cannot write {}: {failure}", path.display())))?;
        eprintln!("mcpscope: wrote {} ({} bytes)", path.display(), bytes.len());
    }
    Ok(())
}

/// The end of a file's name by its type; only letters and digits, whatever the server says.
fn extension(mime: &str) -> String {
    let sub = mime.split(['/', ';']).nth(1).unwrap_or("bin");
    let plain: String = sub.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    match plain.as_str() {
        "" | "octetstr" => "bin".to_owned(),
        "jpeg" => "jpg".to_owned(),
        "mpeg" => "mp3".to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_hold_nothing_that_a_server_chose() {
        assert_eq!(extension("image/png"), "png");
        assert_eq!(extension("image/jpeg; q=1"), "jpg");
        assert_eq!(extension("../../etc/passwd"), "bin");
        assert_eq!(extension("application/octet-stream"), "bin");
        assert_eq!(extension(""), "bin");
    }
}
