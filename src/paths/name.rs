//! What a server is called, from its command: the package or script that is run, never the interpreter that runs it.

mod parts;
mod words;

use parts::{ENDINGS, last_segment, module, nearest_folder, package, script, segments, stem, without_version};
use words::{Split, is_assignment, split_words};

/// Commands that start other commands may be nested (`sh -c "exec npx …"`); deeper than this nobody writes them.
const MAX_NESTING: usize = 8;

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
    if let Some(at) = args.iter().position(is_c) {
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

/// Code given on the command line has no name.
fn inline() -> String {
    "inline".to_owned()
}

#[cfg(test)]
mod tests;
