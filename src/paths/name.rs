//! What a server is called, from its command: the package or script that is run, never the interpreter that runs it.

/// Commands that start other commands may be nested (`sh -c "exec npx …"`); deeper than this nobody writes them.
const MAX_NESTING: usize = 8;

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
const ENDINGS: &[&str] = &[
    ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".pyz", ".rb", ".pl", ".php", ".sh", ".bash",
    ".lua", ".r", ".R", ".jl", ".exs", ".jar", ".dll", ".exe", ".cmd", ".bat", ".ps1", ".go", ".rs", ".git", ".tgz",
    ".whl", ".csproj",
];

/// Derives a server's name from the command that starts it; fit for a folder's name.
pub fn server_name<S: AsRef<str>>(command: &[S]) -> String {
    let words: Vec<&str> = command.iter().map(AsRef::as_ref).collect();
    folder_name(&of_command(&words, None, MAX_NESTING).unwrap_or_default())
}

/// Makes a name fit for one folder: no separators, nothing hidden, not endless, not empty.
pub fn folder_name(name: &str) -> String {
    let fit = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+') { c } else { '-' };
    let fitting: String = name.chars().map(fit).take(64).collect();
    let trimmed = fitting.trim_matches(['.', '-']);
    if trimmed.is_empty() { "server".to_owned() } else { trimmed.to_owned() }
}

/// Options before the first word that is none, and what follows.
struct Split<'a> {
    options: Vec<(&'a str, Option<&'a str>)>,
    rest: &'a [&'a str],
}

impl<'a> Split<'a> {
    /// `values`: the options that take the next word as their value. `-xVALUE` and `--x=VALUE` are understood.
    fn new(args: &'a [&'a str], values: &[&str]) -> Self {
        let mut options = Vec::new();
        let mut at = 0;
        while let Some(&word) = args.get(at) {
            if word == "--" {
                at += 1;
                break;
            }
            if !word.starts_with('-') || word == "-" {
                break;
            }
            at += 1;
            if let Some((name, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
                options.push((name, Some(value)));
            } else if values.contains(&word) {
                options.push((word, args.get(at).copied()));
                at += 1;
            } else if word.len() > 2
                && !word.starts_with("--")
                && word.is_char_boundary(2)
                && values.contains(&&word[..2])
            {
                options.push((&word[..2], Some(&word[2..])));
            } else {
                options.push((word, None));
            }
        }
        Split { options, rest: args.get(at..).unwrap_or_default() }
    }

    fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.options.iter().find(|(name, _)| names.contains(name)).and_then(|(_, value)| *value)
    }

    fn first(&self) -> Option<&'a str> {
        self.rest.first().copied()
    }
}

fn of_command(words: &[&str], folder: Option<&str>, depth: usize) -> Option<String> {
    let (&program, args) = words.split_first()?;
    let depth = depth.checked_sub(1)?;
    let file = last_segment(program).to_ascii_lowercase();
    let tool = if is_python(stem(&file)) { "python" } else { stem(&file) };
    let again = |rest: &[&str]| of_command(rest, folder, depth);
    match tool {
        "env" => {
            let split = Split::new(args, &["-u", "-C", "--unset", "--chdir"]);
            again(&split.rest[split.rest.iter().take_while(|w| w.contains('=')).count()..])
        }
        "nohup" | "setsid" | "time" | "exec" | "command" | "caffeinate" | "xvfb-run" => {
            again(Split::new(args, &[]).rest)
        }
        "nice" | "ionice" | "stdbuf" | "sudo" | "doas" => {
            again(Split::new(args, &["-n", "-c", "-u", "-g", "-p", "-i", "-o", "-e"]).rest)
        }
        "timeout" => again(Split::new(args, &["-s", "-k", "--signal", "--kill-after"]).rest.get(1..)?),
        "sh" | "bash" | "zsh" | "dash" | "ash" | "ksh" | "fish" => shell(args, folder, depth),
        "cmd" => again(&args[args.iter().take_while(|w| w.starts_with('/')).count()..]),
        "powershell" | "pwsh" => {
            let at =
                args.iter().position(|w| matches!(w.to_ascii_lowercase().as_str(), "-command" | "-c" | "-file"))?;
            let rest = split_words(&args.get(at + 1..)?.join(" "));
            again(&rest.iter().map(String::as_str).collect::<Vec<_>>())
        }
        "npx" | "pnpx" | "bunx" => node_package(args),
        "npm" | "pnpm" | "yarn" | "bun" => node_manager(args, folder),
        "uvx" => python_package(args),
        "pipx" => python_package(args.strip_prefix(&["run"])?),
        "uv" => uv(args, folder, depth),
        "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi" | "conda" | "mamba" | "micromamba" => {
            let before = Split::new(args, &["-C", "-P", "--directory", "--project", "-p"]);
            let named = before.value(&["-C", "-P", "--directory", "--project", "-p"]);
            let named = named.and_then(|dir| nearest_folder(&segments(dir)));
            let run = before.rest.strip_prefix(&["run"])?;
            let after = Split::new(run, &["-n", "-p", "--name", "--prefix", "-e", "--environment"]);
            of_command(after.rest, named.as_deref().or(folder), depth)
        }
        "python" => python(args, folder),
        "node" | "nodejs" | "tsx" | "ts-node" | "ruby" | "perl" | "php" | "rscript" | "lua" | "luajit" | "julia"
        | "elixir" => {
            let values = [
                "-r",
                "--require",
                "--import",
                "--loader",
                "--experimental-loader",
                "-C",
                "--conditions",
                "-e",
                "--eval",
                "-p",
                "-I",
                "--tsconfig",
                "-c",
                "-d",
            ];
            let split = Split::new(args, &values);
            split
                .first()
                .map(|path| script(path, folder))
                .or_else(|| split.value(&["-e", "--eval", "-p"]).map(|_| inline()))
        }
        "deno" => {
            let rest = args.strip_prefix(&["run"]).unwrap_or(args);
            let target = Split::new(rest, &["-c", "--config", "--import-map", "--env-file", "--ext"]).first()?;
            Some(if target.starts_with("npm:") || target.starts_with("jsr:") {
                package(target)
            } else {
                script(target, folder)
            })
        }
        "docker" | "podman" | "nerdctl" | "finch" | "container" => container(args),
        "cargo" => {
            let split =
                Split::new(args.strip_prefix(&["run"])?, &["-p", "--package", "--bin", "--example", "--manifest-path"]);
            let named = split.value(&["--bin", "--example", "-p", "--package"]).map(str::to_owned);
            named.or_else(|| {
                split.value(&["--manifest-path"]).and_then(|path| nearest_folder(segments(path).split_last()?.1))
            })
        }
        "go" => {
            let target =
                Split::new(args.strip_prefix(&["run"])?, &["-C", "-tags", "-mod", "-ldflags", "-exec"]).first()?;
            let target = target.split('@').next()?;
            let version = |s: &&&str| s.len() > 1 && s.starts_with('v') && s[1..].bytes().all(|c| c.is_ascii_digit());
            let parts = segments(target);
            let last = parts.iter().rev().find(|s| !version(s)).copied()?;
            if last == "." { folder.map(str::to_owned) } else { Some(script(last, folder)) }
        }
        "java" => {
            let values = ["-jar", "-cp", "-classpath", "--class-path", "-m", "--module", "-p", "--module-path"];
            let split = Split::new(args, &values);
            let jar = split.value(&["-jar"]).map(|jar| without_version(stem(last_segment(jar))));
            let class = split.value(&["-m", "--module"]).or(split.first());
            jar.or_else(|| class.and_then(|c| c.rsplit(['.', '/']).next()).map(str::to_owned))
        }
        "dotnet" => {
            let run = args.strip_prefix(&["run"]);
            let split =
                Split::new(run.unwrap_or(args), &["--project", "-p", "-c", "--configuration", "-f", "--framework"]);
            let project = split.value(&["--project", "-p"]);
            project.map(|p| script(p, folder)).or_else(|| split.first().map(|p| script(p, folder)))
        }
        "mcp" | "fastmcp" if args.len() > 1 && matches!(args[0], "run" | "dev") => {
            let target = Split::new(&args[1..], &["--with", "--transport", "-t", "-e", "-f", "--env"]).first()?;
            Some(script(target.split(':').next()?, folder))
        }
        "mcpscope" => {
            let args = args.strip_prefix(&["attach"]).unwrap_or(args);
            again(Split::new(args, &["--trace", "--name", "--dir", "--host", "--max-trace"]).rest)
        }
        _ => Some(script(program, folder)),
    }
}

/// A shell: the command in `-c`, or the script.
fn shell(args: &[&str], folder: Option<&str>, depth: usize) -> Option<String> {
    let is_c = |w: &&str| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c');
    if let Some(at) = args.iter().position(|w| is_c(w)) {
        // What follows the last `&&` or `;` is what stays running; assignments and `exec` before it are no command.
        let words = split_words(args.get(at + 1)?);
        let last = words.iter().rposition(|w| matches!(w.as_str(), "&&" | ";" | "||" | "|")).map_or(0, |at| at + 1);
        let command: Vec<&str> =
            words[last..].iter().map(String::as_str).skip_while(|w| *w == "exec" || is_assignment(w)).collect();
        // Positional parameters: the script is somebody's `"$@"`.
        return if command.first().is_some_and(|w| w.starts_with('$')) {
            of_command(args.get(at + 3..)?, folder, depth)
        } else {
            of_command(&command, folder, depth).or_else(|| Some(inline()))
        };
    }
    Split::new(args, &["-o", "-O", "--rcfile", "--init-file"]).first().map(|path| script(path, folder))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
}

/// Words of a shell command, by blanks and quotes alone; `;` and `&&` count as words.
fn split_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut any) = (Vec::new(), String::new(), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => word.push(c),
            (None, '"' | '\'') => (quote, any) = (Some(c), true),
            (None, _) if c.is_whitespace() || c == ';' => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
                if c == ';' || c == '\n' {
                    words.push(";".to_owned());
                }
            }
            (None, _) => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    while words.last().is_some_and(|w| w == ";") {
        words.pop();
    }
    words
}

fn node_package(args: &[&str]) -> Option<String> {
    let split = Split::new(
        args,
        &["-p", "--package", "-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix"],
    );
    match split.first() {
        Some(name) => Some(package(name)),
        None => split.value(&["-p", "--package"]).map(package),
    }
}

fn node_manager(args: &[&str], folder: Option<&str>) -> Option<String> {
    let values = ["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "-F", "--filter"];
    let split = Split::new(args, &values);
    let (&verb, rest) = split.rest.split_first()?;
    let after = Split::new(rest, &values);
    let folder = split
        .value(&values[..4])
        .or(after.value(&values[..4]))
        .and_then(|dir| nearest_folder(&segments(dir)))
        .or(folder.map(str::to_owned));
    match verb {
        "exec" | "x" | "dlx" => node_package(rest),
        "start" => folder,
        "run" | "run-script" => {
            let target = after.first()?;
            if ENDINGS.iter().any(|e| target.ends_with(e)) {
                Some(script(target, folder.as_deref()))
            } else {
                folder.or(Some(target.to_owned()))
            }
        }
        // `bun server.ts`, `yarn some-tool`.
        _ => Some(script(verb, folder.as_deref())),
    }
}

fn python_package(args: &[&str]) -> Option<String> {
    let values = [
        "--from",
        "--with",
        "-w",
        "--with-editable",
        "--with-requirements",
        "--python",
        "-p",
        "--index-url",
        "-i",
        "--extra-index-url",
        "--index",
        "--default-index",
        "--refresh-package",
        "--spec",
        "--directory",
        "--project",
        "--env-file",
        "-c",
        "--constraints",
        "--overrides",
        "--prerelease",
        "--resolution",
        "--cache-dir",
        "--pip-args",
    ];
    let split = Split::new(args, &values);
    split.first().or(split.value(&["--from", "--spec"])).map(package)
}

fn uv(args: &[&str], folder: Option<&str>, depth: usize) -> Option<String> {
    let values = [
        "--with",
        "-w",
        "--with-editable",
        "--with-requirements",
        "--directory",
        "--project",
        "--python",
        "-p",
        "--extra",
        "--group",
        "--only-group",
        "--no-group",
        "--package",
        "--env-file",
        "-m",
        "--module",
        "--index-url",
        "-i",
        "--extra-index-url",
        "--index",
        "--default-index",
        "--cache-dir",
        "--config-file",
        "--prerelease",
        "--resolution",
    ];
    let before = Split::new(args, &values);
    if let Some(rest) = before.rest.strip_prefix(&["tool", "run"]) {
        return python_package(rest);
    }
    let run = before.rest.strip_prefix(&["run"])?;
    let after = Split::new(run, &values);
    let places = ["--directory", "--project"];
    let named = before.value(&places).or(after.value(&places)).and_then(|dir| nearest_folder(&segments(dir)));
    let folder = named.as_deref().or(folder);
    match after.value(&["-m", "--module"]) {
        Some(name) => Some(module(name, folder)),
        None => of_command(after.rest, folder, depth),
    }
}

fn is_python(tool: &str) -> bool {
    let base = tool.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(base, "python" | "pythonw" | "pypy" | "py")
}

fn python(args: &[&str], folder: Option<&str>) -> Option<String> {
    // `-um server` is `-u -m server`.
    let joined = |w: &&&str| w.len() > 2 && !w.starts_with("--") && w.starts_with('-') && w.ends_with('m');
    if let Some(at) = args.iter().position(|w| joined(&w)).filter(|at| args[..*at].iter().all(|w| w.starts_with('-'))) {
        return args.get(at + 1).map(|name| module(name, folder));
    }
    let split = Split::new(args, &["-m", "-c", "-W", "-X", "--check-hash-based-pycs"]);
    // Everything behind `-m` or `-c` belongs to the program.
    match split.options.iter().find(|(name, _)| matches!(*name, "-m" | "-c")) {
        Some(("-m", Some(name))) => Some(module(name, folder)),
        Some(_) => Some(inline()),
        None => split.first().map(|path| if path == "-" { inline() } else { script(path, folder) }),
    }
}

fn container(args: &[&str]) -> Option<String> {
    let flags = [
        "-i",
        "-t",
        "-it",
        "-ti",
        "-d",
        "--rm",
        "--init",
        "--privileged",
        "--interactive",
        "--tty",
        "--detach",
        "--read-only",
        "-P",
        "--publish-all",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--sig-proxy",
        "--quiet",
        "-q",
        "-T",
        "--build",
        "--no-deps",
        "--service-ports",
        "--remove-orphans",
    ];
    let (&verb, rest) = Split::new(args, &["-H", "--host", "-c", "--context", "--config", "-l"]).rest.split_first()?;
    let rest = if verb == "compose" {
        let compose = Split::new(
            rest,
            &["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"],
        );
        compose.rest.get(1..)?
    } else {
        rest
    };
    // Unlike elsewhere most options take a value here, so the list is of those that take none.
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|w| w.starts_with('-')) {
        at += if flags.contains(word) || word.contains('=') { 1 } else { 2 };
    }
    let image = rest.get(at)?.split('@').next()?;
    let name = last_segment(image);
    Some(name.split(':').next().unwrap_or(name).to_owned())
}

/// A package as npm, PyPI or a URL names it: without scope, version and extras.
fn package(spec: &str) -> String {
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
fn module(name: &str, folder: Option<&str>) -> String {
    let telling = name.rsplit('.').find(|part| !GENERIC_STEMS.contains(part) && !part.is_empty());
    telling.or(folder).unwrap_or(name).to_owned()
}

/// A file: its stem, or the folder around it where the stem says nothing.
fn script(path: &str, folder: Option<&str>) -> String {
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
fn nearest_folder(folders: &[&str]) -> Option<String> {
    let at = folders.iter().rposition(|f| !GENERIC_FOLDERS.contains(f))?;
    let is_home = at > 0 && matches!(folders[at - 1], "home" | "Users") || folders[at].ends_with(':');
    (!is_home).then(|| stem(folders[at]).to_owned())
}

fn segments(path: &str) -> Vec<&str> {
    path.trim_end_matches(['/', '\\']).split(['/', '\\']).collect()
}

fn last_segment(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

fn stem(file: &str) -> &str {
    let ending = ENDINGS.iter().find(|e| file.len() > e.len() && file.ends_with(**e));
    ending.map_or(file, |e| &file[..file.len() - e.len()])
}

fn without_version(name: &str) -> String {
    let cut = name.as_bytes().windows(2).position(|w| w[0] == b'-' && w[1].is_ascii_digit());
    cut.map_or(name, |at| &name[..at]).to_owned()
}

/// Code given on the command line has no name.
fn inline() -> String {
    "inline".to_owned()
}

#[cfg(test)]
mod tests;
