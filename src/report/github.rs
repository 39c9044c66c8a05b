//! GitHub workflow commands: findings as annotations of the run.

use std::io::{self, Write};

use crate::trace::Severity;
use crate::wire::json::visible::visible;

use super::json::File;

/// Text of a command: a line end would begin another command.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command: commas and colons end it too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Writes one command a finding, and a line with the counts of each file.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, files: &[File<'_>]) -> io::Result<()> {
    for file in files {
        for v in file.findings {
            let f = v.finding;
            let command = match v.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            let line = v.line.map(|l| format!(",line={l}")).unwrap_or_default();
            let mut text = f.message.to_string();
            if let Some(pointer) = f.pointer.as_deref().filter(|p| !p.is_empty()) {
                text.push_str(&format!(" (at {pointer})"));
            }
            if let Some(expected) = &f.expected {
                text.push_str(&format!("; expected {expected}"));
            }
            writeln!(
                out,
                "::{command} file={}{line},title={}::{}",
                property(file.file),
                property(&format!("{} · {} · {}", f.rule, f.layer.as_str(), f.owner.as_str())),
                data(&text)
            )?;
        }
        writeln!(out, "{}: {}", visible(file.file), super::text::summary_line(file.store, &file.summary))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command() {
        assert_eq!(data("50% a\n::error::b"), "50%25 a\\n::error::b");
        assert_eq!(property("a,b:c\r"), "a%2Cb%3Ac\\r");
    }
}
