//! JSON: every string and every name in it, each with what its surroundings say of it.

use super::edit::{Edit, Mapped};
use super::keys;
use super::pseudonym::{Form, is_replaced};
use super::text::Finder;
use crate::wire::json::{Kind, Parser, Value};
use crate::wire::secrets::Name;

/// One replacement at the top: where, and what.
pub(super) struct Found {
    /// Node of the value in the document.
    pub pointer: String,
    /// Kinds of what went.
    pub kinds: Vec<&'static str>,
}

impl Finder {
    /// The edits of a document, also of a broken one; or of a text that only looks like one.
    pub fn document(&mut self, bytes: &[u8], depth: u8) -> Vec<Edit> {
        self.walk(bytes, depth, None)
    }

    /// As [`Finder::document`], and says what was found where.
    pub fn located(&mut self, bytes: &[u8], found: &mut Vec<Found>) -> Vec<Edit> {
        self.walk(bytes, 0, Some(found))
    }

    fn walk(&mut self, bytes: &[u8], depth: u8, mut found: Option<&mut Vec<Found>>) -> Vec<Edit> {
        let mut parser = Parser::new();
        let doc = parser.parse(bytes);
        let mut edits = Vec::new();
        let mut note = |finder: &mut Finder, value: Option<Value<'_>>| {
            if let Some(found) = found.as_deref_mut()
                && !finder.kinds.is_empty()
            {
                let pointer = value.map(Value::pointer).unwrap_or_default();
                found.push(Found { pointer, kinds: std::mem::take(&mut finder.kinds) });
            }
        };
        if let Some(root) = doc.root().filter(|r| r.is_string()) {
            self.string(root, None, depth, &mut edits);
            note(self, Some(root));
        }
        for container in (0..doc.len() as u32).filter_map(|n| doc.node(n)).filter(|v| v.kind().is_container()) {
            let mut before: Option<Value<'_>> = None;
            for value in container.children() {
                if let Some(key) = value.key().filter(|k| k.inner().len() >= 8) {
                    let mapped = Mapped::new(key.inner());
                    let inner = self.text(&mapped.text, depth);
                    push(&mapped, key.span().start + 1, inner, &mut edits);
                    note(self, Some(container));
                }
                if matches!(value.kind(), Kind::String | Kind::Number) {
                    let name = name_of(container, value, before);
                    match value.kind() {
                        Kind::String => self.string(value, name.as_deref(), depth, &mut edits),
                        _ => self.number(value, name.as_deref(), &mut edits),
                    }
                    note(self, Some(value));
                }
                before = Some(value);
            }
        }
        if let Some(values) = self.values.as_mut()
            && let Some(root) = doc.root()
        {
            values.learn(root);
            let message = if root.get("dir").is_some() { root.get("msg") } else { Some(root) };
            let messages =
                message.into_iter().flat_map(|m| std::iter::once(m).chain(m.elements())).filter(|m| m.is_object());
            let mut more = Vec::new();
            messages.for_each(|m| values.message(m, &mut more));
            // What a placeholder stands for needs no other.
            edits.retain(|e: &Edit| !more.iter().any(|m| e.range.start < m.range.end && m.range.start < e.range.end));
            more.retain(|e| bytes[e.range.clone()] != e.with[..]);
            if !more.is_empty() {
                self.kinds.extend(std::iter::repeat_n("value", more.len()));
                note(self, message);
                edits.append(&mut more);
            }
        }
        edits.sort_by_key(|e| e.range.start);
        // What could not be read as JSON is read as a text.
        if doc.root().is_none() || doc.faults().syntax.is_some() || doc.faults().trailing {
            let more = self.text(bytes, depth);
            note(self, None);
            let free = |e: &Edit| !edits.iter().any(|o| o.range.start < e.range.end && e.range.start < o.range.end);
            let more: Vec<Edit> = more.into_iter().filter(free).collect();
            edits.extend(more);
            edits.sort_by_key(|e| e.range.start);
        }
        edits
    }

    fn string(&mut self, value: Value<'_>, name: Option<&[u8]>, depth: u8, edits: &mut Vec<Edit>) {
        let Some(inner) = value.inner() else { return };
        let start = value.span().start + 1;
        if !value.has_escapes() {
            let found = self.leaf(inner, name, depth);
            edits.extend(
                found.into_iter().map(|e| Edit { range: start + e.range.start..start + e.range.end, with: e.with }),
            );
            return;
        }
        let mapped = Mapped::new(inner);
        let found = self.leaf(&mapped.text, name, depth);
        push(&mapped, start, found, edits);
    }

    /// A number with the name of a secret stays a number.
    fn number(&mut self, value: Value<'_>, name: Option<&[u8]>, edits: &mut Vec<Edit>) {
        let raw = value.raw();
        let digits = raw.len() >= 4 && raw.iter().all(u8::is_ascii_digit);
        if digits && !is_replaced(raw) && name.and_then(keys::name) == Some(Name::Strong) {
            self.kinds.push("number");
            edits.push(Edit { range: value.span(), with: self.names.name("number", raw, Form::Number) });
        }
    }
}

fn push(mapped: &Mapped, start: usize, found: Vec<Edit>, edits: &mut Vec<Edit>) {
    edits.extend(found.into_iter().map(|e| {
        let range = mapped.source(&e.range);
        Edit { range: start + range.start..start + range.end, with: e.with }
    }));
}

/// The name of a value: its key; the flag or header name before it; the `name` beside a `value`; the key of its list.
fn name_of(container: Value<'_>, value: Value<'_>, before: Option<Value<'_>>) -> Option<Vec<u8>> {
    if let Some(key) = value.key() {
        let own = key.as_str();
        // A pattern or a reference of a schema is no value.
        if ["pattern", "$ref", "$schema"].contains(&own.as_ref()) {
            return None;
        }
        if ["value", "val", "Value"].contains(&own.as_ref())
            && let Some(name) = ["name", "key", "header", "Name", "Key"].iter().find_map(|n| container.get(n)?.as_str())
        {
            return Some(name.into_owned().into_bytes());
        }
        return Some(own.into_owned().into_bytes());
    }
    if let Some(name) = before.and_then(Value::as_str) {
        // `curl -u name:password`; `docker run -u 1000:1000` is none.
        let login = value.inner().is_some_and(|v| v.contains(&b':') && v.iter().any(u8::is_ascii_alphabetic));
        if login && ["-u", "--user", "--proxy-user"].contains(&name.as_ref()) {
            return Some(b"authorization".to_vec());
        }
        // `--api-key`, `VALUE`
        if let Some(flag) = name.strip_prefix('-')
            && keys::name(flag.trim_start_matches('-').as_bytes()).is_some()
        {
            return Some(flag.trim_start_matches('-').as_bytes().to_vec());
        }
        let is_pair = container.len() == 2 && name.len() >= 3 && !name.contains(' ');
        let is_header = keys::is_secret_header(name.as_bytes()) || name.eq_ignore_ascii_case("mcp-session-id");
        if is_pair && (is_header || keys::name(name.as_bytes()).is_some()) {
            return Some(name.into_owned().into_bytes());
        }
    }
    let list = container.key()?.as_str();
    Some(list.strip_suffix('s')?.as_bytes().to_vec())
}
