//! Declared capabilities, flattened to paths so that a rule can ask in one look-up.

use rustc_hash::FxHashMap;

use crate::wire::json::{Kind, Value};

/// A capabilities object: every member path (`tools`, `tools.listChanged`) with whether it counts as declared.
#[derive(Clone, Debug, Default)]
pub struct Caps {
    paths: FxHashMap<Box<str>, bool>,
    extensions: Vec<Box<str>>,
}

impl Caps {
    /// Flattens a capabilities object. Deep vendor settings are of no interest: three levels are kept.
    pub fn read(value: Value<'_>) -> Caps {
        let mut caps = Caps::default();
        caps.walk(value, "", 0);
        if let Some(extensions) = value.get("extensions") {
            caps.extensions = extensions.members().take(200).map(|(k, _)| k.as_str().as_ref().into()).collect();
        }
        caps
    }

    fn walk(&mut self, value: Value<'_>, prefix: &str, depth: usize) {
        if value.kind() != Kind::Object || depth > 3 {
            return;
        }
        for (key, child) in value.members().take(200) {
            let key = key.as_str();
            if depth == 0 && matches!(key.as_ref(), "experimental" | "extensions") {
                continue;
            }
            let path = if prefix.is_empty() { key.into_owned() } else { format!("{prefix}.{key}") };
            self.walk(child, &path, depth + 1);
            // `false` and `null` say "no"; an object or `true` says "yes".
            let yes = !(child.is_null() || child.as_bool() == Some(false));
            self.paths.insert(path.into(), yes);
        }
    }

    /// Whether a path such as `tools.listChanged` is declared.
    pub fn has(&self, path: &str) -> bool {
        self.paths.get(path).copied().unwrap_or(false)
    }

    /// Whether a path given as its members is declared.
    pub fn has_path(&self, path: &[&str]) -> bool {
        match path {
            [one] => self.has(one),
            _ => self.has(&path.join(".")),
        }
    }

    /// Whether an extension (`io.modelcontextprotocol/tasks`) is listed.
    pub fn has_extension(&self, id: &str) -> bool {
        self.extensions.iter().any(|e| e.as_ref() == id)
    }
}
