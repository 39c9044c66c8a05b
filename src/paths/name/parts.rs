//! Names in packages, modules and paths.

/// Stems that say nothing: the folder around them is asked.
const GENERIC_STEMS: &[&str] = &[
    "index",
    "main",
    "server",
    "cli",
    "app",
    "__main__",
    "run",
    "start",
    "mcp",
    "stdio",
    "mcp_server",
    "mcp-server",
    "bin",
];

/// Folders that say nothing either.
const GENERIC_FOLDERS: &[&str] = &[
    "dist",
    "build",
    "src",
    "lib",
    "bin",
    "out",
    "target",
    "release",
    "debug",
    "cjs",
    "esm",
    "scripts",
    "app",
    "server",
    "mcp",
    "cmd",
    "tmp",
    "home",
    "Users",
    "opt",
    "usr",
    "root",
    "var",
    "srv",
    "workspace",
    "local",
    "share",
    "Desktop",
    "Documents",
    "Downloads",
    ".",
    "..",
    "",
];

/// File endings that are no part of a name.
pub(super) const ENDINGS: &[&str] = &[
    ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".pyz", ".rb", ".pl", ".php", ".sh", ".bash",
    ".lua", ".r", ".R", ".jl", ".exs", ".jar", ".dll", ".exe", ".cmd", ".bat", ".ps1", ".go", ".rs", ".git", ".tgz",
    ".whl", ".csproj",
];

/// A package as npm, PyPI or a URL names it: without scope, version and extras.
pub(super) fn package(spec: &str) -> String {
    let spec = ["npm:", "jsr:", "git+", "github:", "file:"].iter().fold(spec, |s, p| s.strip_prefix(p).unwrap_or(s));
    let spec = spec.split(['#', '?', ';', ' ']).next().unwrap_or(spec);
    let name = if spec.contains("://") {
        let path = spec.trim_end_matches('/');
        // A revision stands behind the last `@` of the path, not of a user name.
        last_segment(path).split('@').next().unwrap_or(path)
    } else if let Some(scoped) = spec.strip_prefix('@') {
        // `@scope/name/sub` does not exist: what follows the first slash is the name.
        let name = scoped.split_once('/').map_or(scoped, |(_, name)| name);
        name.split('@').next().unwrap_or(name)
    } else if spec.contains('/') || spec.starts_with('.') {
        return script(spec.split('@').next().unwrap_or(spec), None);
    } else {
        spec.split('@').next().unwrap_or(spec)
    };
    stem(name.split(['[', '=', '<', '>', '~', '!']).next().unwrap_or(name)).to_owned()
}

/// `pkg.sub.server` is run for what it is in: `sub`.
pub(super) fn module(name: &str, folder: Option<&str>) -> String {
    let telling = name.rsplit('.').find(|part| !GENERIC_STEMS.contains(part) && !part.is_empty());
    telling.or(folder).unwrap_or(name).to_owned()
}

/// A file: its stem, or the folder around it where the stem says nothing.
pub(super) fn script(path: &str, folder: Option<&str>) -> String {
    let parts = segments(path);
    if let Some(at) = parts.iter().rposition(|p| *p == "node_modules") {
        match parts.get(at + 1) {
            Some(&".bin") | None => {}
            Some(scope) if scope.starts_with('@') => {
                if let Some(name) = parts.get(at + 2) {
                    return (*name).to_owned();
                }
            }
            Some(name) => return (*name).to_owned(),
        }
    }
    let Some((file, folders)) = parts.split_last() else { return String::new() };
    let name = stem(file);
    if GENERIC_STEMS.contains(&name) {
        nearest_folder(folders).or_else(|| folder.map(str::to_owned)).unwrap_or_else(|| name.to_owned())
    } else {
        name.to_owned()
    }
}

/// The innermost folder that says something; a person's home does not.
pub(super) fn nearest_folder(folders: &[&str]) -> Option<String> {
    let at = folders.iter().rposition(|f| !GENERIC_FOLDERS.contains(f))?;
    let is_home = at > 0 && matches!(folders[at - 1], "home" | "Users") || folders[at].ends_with(':');
    (!is_home).then(|| stem(folders[at]).to_owned())
}

pub(super) fn segments(path: &str) -> Vec<&str> {
    path.trim_end_matches(['/', '\\']).split(['/', '\\']).collect()
}

pub(super) fn last_segment(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

pub(super) fn stem(file: &str) -> &str {
    let ending = ENDINGS.iter().find(|e| file.len() > e.len() && file.ends_with(**e));
    ending.map_or(file, |e| &file[..file.len() - e.len()])
}

pub(super) fn without_version(name: &str) -> String {
    let cut = name.as_bytes().windows(2).position(|w| w[0] == b'-' && w[1].is_ascii_digit());
    cut.map_or(name, |at| &name[..at]).to_owned()
}
