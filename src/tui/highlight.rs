//! Colours for code and Markdown inside payloads. The syntaxes are loaded when the first such text is shown; only what is
//! shown is coloured, and long texts only at their beginning.

use std::ops::Range;
use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::theme::Ink;

/// Bytes of a text that are coloured at most: about 10 ms of work.
const MOST: usize = 64 * 1024;
/// A longer line is not coloured: the engine's time grows with more than its length.
const LINE: usize = 2_000;

fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// What a scope of a grammar means to us. The first prefix that fits counts.
const MEANINGS: [(&str, Ink); 19] = [
    ("entity.name.section", Ink::Heading),
    ("markup.heading", Ink::Heading),
    ("markup.bold", Ink::Strong),
    ("markup.italic", Ink::Accent),
    ("markup.quote", Ink::Comment),
    ("markup.raw", Ink::Code),
    ("markup.underline.link", Ink::Accent),
    ("markup.inserted", Ink::Ok),
    ("markup.deleted", Ink::Error),
    ("comment", Ink::Comment),
    ("constant.numeric", Ink::Number),
    ("constant.language", Ink::Literal),
    ("constant.character.escape", Ink::Literal),
    ("string", Ink::String),
    ("keyword", Ink::Code),
    ("storage", Ink::Code),
    ("entity.name", Ink::Accent),
    ("support", Ink::Accent),
    ("variable.parameter", Ink::Text),
];

fn meanings() -> &'static [(Scope, Ink)] {
    static SCOPES: OnceLock<Vec<(Scope, Ink)>> = OnceLock::new();
    SCOPES.get_or_init(|| MEANINGS.iter().filter_map(|(name, ink)| Some((Scope::new(name).ok()?, *ink))).collect())
}

fn ink_of(stack: &ScopeStack) -> Ink {
    let found = stack
        .scopes
        .iter()
        .rev()
        .find_map(|scope| meanings().iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, ink)| *ink));
    found.unwrap_or(Ink::Text)
}

/// The grammar for a text: by its media type, else by its look.
fn syntax_for(mime: Option<&str>, text: &str) -> Option<&'static SyntaxReference> {
    let kind = mime.map(|m| m.split(';').next().unwrap_or(m).trim());
    let extension = match kind {
        Some("text/markdown" | "text/x-markdown") => "md",
        Some("text/html" | "application/xhtml+xml") => "html",
        Some("text/xml" | "application/xml" | "image/svg+xml") => "xml",
        Some("text/css") => "css",
        Some("text/x-python" | "application/x-python" | "text/x-script.python") => "py",
        Some("text/javascript" | "application/javascript") => "js",
        Some("text/x-rust") => "rs",
        Some("text/x-go") => "go",
        Some("text/x-java") => "java",
        Some("text/x-c" | "text/x-c++") => "cpp",
        Some("text/x-sh" | "application/x-sh") => "sh",
        Some("text/x-diff" | "text/x-patch") => "diff",
        Some("application/yaml" | "text/yaml" | "application/x-yaml") => "yaml",
        Some("application/sql" | "text/x-sql") => "sql",
        _ => looks_like(text)?,
    };
    syntaxes().find_syntax_by_extension(extension)
}

/// Text blocks of tools carry no type; Markdown and patches show by their lines.
fn looks_like(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().take(60);
    if text.starts_with("diff --git ") || text.starts_with("--- a/") {
        return Some("diff");
    }
    if text.starts_with("<!DOCTYPE html") || text.starts_with("<html") {
        return Some("html");
    }
    if text.starts_with("<?xml") {
        return Some("xml");
    }
    let marks = |l: &str| {
        let heading = l.starts_with('#') && l.trim_start_matches('#').starts_with(' ');
        heading || l.starts_with("```") || l.starts_with("- **") || l.starts_with("| --")
    };
    lines.any(marks).then_some("md")
}

/// Coloured ranges of a text, in order and without overlap; what is in none of them is ordinary text.
pub fn paint(mime: Option<&str>, text: &str) -> Vec<(Range<usize>, Ink)> {
    let head = &text[..text.floor_char_boundary(MOST.min(text.len()))];
    let Some(syntax) = syntax_for(mime, head) else { return Vec::new() };
    let set = syntaxes();
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut out = Vec::new();
    let mut at = 0;
    for line in head.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.len() > LINE {
            continue;
        }
        let Ok(ops) = state.parse_line(line, set) else { break };
        let mut from = 0;
        for (offset, op) in ops {
            push(&mut out, start + from..start + offset, &stack);
            from = offset;
            if stack.apply(&op).is_err() {
                return out;
            }
        }
        push(&mut out, start + from..start + line.len(), &stack);
    }
    out
}

fn push(out: &mut Vec<(Range<usize>, Ink)>, range: Range<usize>, stack: &ScopeStack) {
    if range.is_empty() {
        return;
    }
    let ink = ink_of(stack);
    if ink == Ink::Text {
        return;
    }
    match out.last_mut() {
        Some((last, same)) if *same == ink && last.end == range.start => last.end = range.end,
        _ => out.push((range, ink)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_code() {
        let text = "# Title\n\nplain **bold**\n\n```python\ndef f():\n    return 1\n```\n";
        let painted = paint(None, text);
        let ink_at = |needle: &str| {
            let at = text.find(needle).unwrap_or(usize::MAX);
            painted.iter().find(|(r, _)| r.contains(&at)).map(|(_, ink)| *ink)
        };
        assert_eq!(ink_at("Title"), Some(Ink::Heading));
        assert_eq!(ink_at("bold"), Some(Ink::Strong));
        assert_eq!(ink_at("plain"), None);
        for pair in painted.windows(2) {
            assert!(pair[0].0.end <= pair[1].0.start);
        }
    }

    #[test]
    fn plain_text_costs_nothing() {
        assert!(paint(None, "The index is being rebuilt.").is_empty());
        assert!(paint(Some("text/plain"), "a\nb").is_empty());
    }

    #[test]
    fn python_by_its_type() {
        let text = "# note\nx = 'a' + 1\n";
        let painted = paint(Some("text/x-python; charset=utf-8"), text);
        assert_eq!(painted.first().map(|p| p.1), Some(Ink::Comment));
    }
}
