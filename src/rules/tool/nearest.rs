//! The name that was probably meant: other case, other separators, a server's prefix, a slip of the finger.

/// Names that are compared at most.
const MAX: usize = 5_000;
/// How alike two names have to be, 0 to 1 (Damerau-Levenshtein, by length).
const ALIKE: f64 = 0.7;

fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The nearest of the names, if one is near.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.is_empty() || wanted.len() > 256 {
        return None;
    }
    let want = bare(wanted);
    let mut best: Option<(f64, &str)> = None;
    for name in names.take(MAX).filter(|n| *n != wanted && !n.is_empty() && n.len() <= 256) {
        let have = bare(name);
        let score = if !want.is_empty() && want == have {
            3.0
        } else if is_tail(wanted, name) || is_tail(name, wanted) {
            // The longer tail is the better one.
            2.0 + name.len().min(wanted.len()) as f64 / 1000.0
        } else {
            strsim::normalized_damerau_levenshtein(&want, &have)
        };
        if score >= ALIKE && best.is_none_or(|(s, _)| score > s) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// `server__add`, `server:add`, `server/add` and `server.add` end in `add`.
fn is_tail(long: &str, short: &str) -> bool {
    let rest = long.strip_suffix(short).filter(|r| !r.is_empty());
    rest.is_some_and(|r| r.ends_with(['_', ':', '/', '.', '-', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses() {
        let names = ["get_weather", "add", "list_files", "search"];
        for (wanted, want) in [
            ("get-weather", Some("get_weather")),
            ("getWeather", Some("get_weather")),
            ("Add", Some("add")),
            ("srv__add", Some("add")),
            ("mcp.list_files", Some("list_files")),
            ("serach", Some("search")),
            ("delete_everything", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names.into_iter()), want, "{wanted}");
        }
        assert_eq!(nearest("add", ["srv_add"].into_iter()), Some("srv_add"));
    }
}
