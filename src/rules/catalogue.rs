//! The catalogue as data: titles, explanations and examples of every rule, from `assets/rules.toml`.
//!
//! What is needed while traffic is judged (id, layer, severity and so on) stands as constants in the rule files, and a
//! test holds both equal. The texts here are parsed one entry at a time, when somebody asks for one: a start of the
//! program reads none of them.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::mcp::{Revision, Revisions};

/// The whole catalogue file, as it is in the source tree.
pub const TEXT: &str = include_str!("../../assets/rules.toml");

/// Where a rule's block begins in the file.
const MARK: &str = "\n[[rule]]\nid = \"";

/// What the catalogue says of one rule.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Stable kebab-case name.
    pub id: String,
    /// `transport`, `json`, `jsonrpc`, `mcp`, `tool` or `access`.
    pub layer: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Revisions whose text is softer or stricter, with the severity there; oldest first.
    pub severity_by_revision: Vec<(Revision, String)>,
    /// Other severities with the condition, in words, under which they are used.
    pub severity_when: Vec<(String, String)>,
    /// `client`, `server`, `sender` or `responder`: who has to fix it.
    pub owner: String,
    /// Where it applies.
    pub revisions: Revisions,
    /// `any`, `stdio` or `http`.
    pub wire: String,
    /// `each` or `once`.
    pub report: String,
    /// 1, 2 or 3.
    pub tier: u8,
    /// What the check looks at.
    pub applies_to: String,
    /// How strong the source is: MUST, SHOULD, schema, heuristic and the like.
    pub basis: String,
    /// The rule in a few words.
    pub title: String,
    /// What it reports, why it matters, what to do.
    pub explain: String,
    /// The place in the specification.
    pub spec: String,
    /// Limits that a user may change, with their values as the file writes them.
    pub defaults: Vec<(String, String)>,
    /// Revision that the examples are in.
    pub example_revision: Revision,
    /// Traffic on which the rule is silent, as JSON Lines.
    pub good: String,
    /// Traffic on which it fires, as JSON Lines.
    pub bad: String,
    /// Line of `bad`, from 1, that the finding is pinned to.
    pub bad_line: u32,
    /// Other rules that `bad` fires too.
    pub also: Vec<String>,
    /// Rules that `good` fires too.
    pub good_also: Vec<String>,
}

impl Entry {
    /// The severity in a revision.
    pub fn severity_in(&self, revision: Revision) -> &str {
        self.severity_by_revision.iter().find(|(r, _)| *r == revision).map_or(&self.severity, |(_, s)| s)
    }
}

/// The file's own form of an entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    layer: String,
    severity: String,
    #[serde(default)]
    severity_by_revision: toml::Table,
    #[serde(default)]
    severity_when: toml::Table,
    owner: String,
    revisions: toml::Value,
    wire: String,
    report: String,
    tier: u8,
    applies_to: String,
    basis: String,
    title: String,
    explain: String,
    spec: String,
    #[serde(default)]
    defaults: toml::Table,
    example_revision: String,
    good: String,
    bad: String,
    bad_line: u32,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    good_also: Vec<String>,
}

impl Written {
    /// `None` where a revision is not one.
    fn entry(self) -> Option<Entry> {
        let text = |v: &toml::Value| v.as_str().map(str::to_owned);
        let revisions = match &self.revisions {
            toml::Value::Array(list) => {
                let list: Option<Vec<Revision>> = list.iter().map(|v| Revision::parse(v.as_str()?)).collect();
                Revisions::of(&list?)
            }
            all => (all.as_str()? == "all").then_some(Revisions::ALL)?,
        };
        let mut by_revision = self
            .severity_by_revision
            .iter()
            .map(|(r, s)| Some((Revision::parse(r)?, text(s)?)))
            .collect::<Option<Vec<_>>>()?;
        by_revision.sort();
        Some(Entry {
            severity_by_revision: by_revision,
            severity_when: self
                .severity_when
                .iter()
                .map(|(s, when)| Some((s.clone(), text(when)?)))
                .collect::<Option<_>>()?,
            revisions,
            defaults: self.defaults.iter().map(|(k, v)| (k.clone(), v.to_string())).collect(),
            example_revision: Revision::parse(&self.example_revision)?,
            id: self.id,
            layer: self.layer,
            severity: self.severity,
            owner: self.owner,
            wire: self.wire,
            report: self.report,
            tier: self.tier,
            applies_to: self.applies_to,
            basis: self.basis,
            title: self.title,
            explain: self.explain,
            spec: self.spec,
            good: self.good,
            bad: self.bad,
            bad_line: self.bad_line,
            also: self.also,
            good_also: self.good_also,
        })
    }
}

/// A block of the file: the rule's id, the text below `[[rule]]`, and the entry once it was asked for.
struct Block {
    id: &'static str,
    text: &'static str,
    entry: OnceLock<Option<Entry>>,
}

fn blocks() -> &'static [Block] {
    static BLOCKS: OnceLock<Vec<Block>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let starts: Vec<usize> = memchr::memmem::find_iter(TEXT.as_bytes(), MARK).collect();
        let ends = starts.iter().copied().skip(1).chain([TEXT.len()]);
        starts
            .iter()
            .zip(ends)
            .filter_map(|(start, end)| {
                let text = TEXT.get(start + "\n[[rule]]\n".len()..end)?;
                let id = TEXT.get(start + MARK.len()..end)?.split('"').next()?;
                Some(Block { id, text, entry: OnceLock::new() })
            })
            .collect()
    })
}

/// The ids of all rules, sorted.
pub fn ids() -> impl Iterator<Item = &'static str> {
    blocks().iter().map(|b| b.id)
}

/// What the catalogue says of a rule.
pub fn entry(id: &str) -> Option<&'static Entry> {
    let i = blocks().binary_search_by(|b| b.id.cmp(id)).ok()?;
    let block = &blocks()[i];
    block.entry.get_or_init(|| toml::from_str::<Written>(block.text).ok()?.entry()).as_ref()
}

/// Everything, sorted by id. Parses the whole file the first time.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ids().filter_map(entry)
}

/// The id that a mistyped one most likely meant: the nearest by edits, or one that holds it.
pub fn nearest(id: &str) -> Option<&'static str> {
    let id = id.to_ascii_lowercase().replace(['_', ' '], "-");
    if id.len() > 100 {
        return None;
    }
    let by_edits = ids()
        .map(|known| (strsim::damerau_levenshtein(&id, known), known))
        .filter(|(d, known)| *d <= 4 && *d * 2 < known.len())
        .min_by_key(|(d, _)| *d)
        .map(|(_, known)| known);
    by_edits.or_else(|| (id.len() >= 3).then(|| ids().find(|known| known.contains(&id)))?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_block_is_an_entry_sorted_and_unique() {
        let ids: Vec<_> = ids().collect();
        assert_eq!(ids.len(), TEXT.matches("\n[[rule]]\n").count());
        for pair in ids.windows(2) {
            assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
        }
        for id in ids {
            let e = entry(id).unwrap_or_else(|| {
                panic!(
                    "{id} cannot be read: {:?}",
                    toml::from_str::<Written>(blocks().iter().find(|b| b.id == id).unwrap().text).err()
                )
            });
            assert_eq!(e.id, id);
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(id.chars().all(kebab), "{id}");
            assert!(["transport", "json", "jsonrpc", "mcp", "tool", "access"].contains(&e.layer.as_str()), "{id}");
            let severities =
                e.severity_by_revision.iter().map(|(_, s)| s).chain(e.severity_when.iter().map(|(s, _)| s));
            for s in severities.chain([&e.severity]) {
                assert!(["error", "warning", "info"].contains(&s.as_str()), "{id}");
            }
            assert!(["client", "server", "sender", "responder"].contains(&e.owner.as_str()), "{id}");
            assert!(["any", "stdio", "http"].contains(&e.wire.as_str()), "{id}");
            assert!(["each", "once"].contains(&e.report.as_str()), "{id}");
            assert!((1..=3).contains(&e.tier), "{id}");
            assert!(e.revisions.has(e.example_revision), "{id}: the examples are in a revision that it does not judge");
            assert!(!e.revisions.is_empty() && e.severity_by_revision.iter().all(|(r, _)| e.revisions.has(*r)), "{id}");
            assert!(
                !e.title.is_empty() && !e.title.ends_with('.') && e.explain.ends_with(['.', ')']) && !e.spec.is_empty(),
                "{id}"
            );
            assert!((1..=e.bad.lines().count()).contains(&(e.bad_line as usize)), "{id}");
            for other in e.also.iter().chain(&e.good_also) {
                assert!(entry(other).is_some() && other != id, "{id} names {other}");
            }
        }
    }

    #[test]
    fn whole_file_is_toml() {
        let table: toml::Table = TEXT.parse().unwrap();
        assert_eq!(table["rule"].as_array().unwrap().len(), blocks().len());
    }

    #[test]
    fn severity_by_revision() {
        let e = entry("capability-client-undeclared").unwrap();
        assert_eq!(e.severity_in(Revision::V2024_11_05), "warning");
        assert_eq!(e.severity_in(Revision::V2025_11_25), "error");
        assert_eq!(entry("message-oversize").unwrap().defaults, [("max_bytes".to_owned(), "1048576".to_owned())]);
    }

    #[test]
    fn nearest_id() {
        assert_eq!(nearest("json-sintax"), Some("json-syntax"));
        assert_eq!(nearest("JSON_SYNTAX"), Some("json-syntax"));
        assert_eq!(nearest("surrogate"), Some("json-lone-surrogate"));
        assert_eq!(nearest("zzzzzzzz"), None);
    }
}
