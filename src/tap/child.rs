//! Starting the server.
//!
//! On Linux the server is started through a second call of this program that does nothing but ask the kernel to end the
//! server when the tap ends, and then becomes the server: so no server outlives a tap that was killed without warning,
//! just as none would outlive its own kill. The server keeps the tap's process group and environment.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal};

/// First argument of the call that becomes the server. Not for people: it is no subcommand in any help.
pub const GUARD: &str = "__guard";

static GUARD_PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// A server's command.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Program and arguments; never empty.
    pub command: Vec<OsString>,
    /// Working directory, if not the tap's own.
    pub cwd: Option<PathBuf>,
    /// Variables beside the tap's own environment.
    pub env: Vec<(OsString, OsString)>,
    /// A process group of its own, so that Ctrl-C in the tap's terminal does not reach it.
    pub own_group: bool,
}

/// Why a server could not be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartError {
    /// Exit status as a shell gives it: 127 not found, 126 not executable.
    pub status: u8,
    /// In one line: what, and what to do.
    pub why: String,
}

impl Launch {
    /// The command as text, for names and headers.
    pub fn words(&self) -> Vec<String> {
        self.command.iter().map(|w| w.to_string_lossy().into_owned()).collect()
    }

    /// The search path that the server is given.
    pub fn path_variable(&self) -> Option<OsString> {
        let own = self.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        own.or_else(|| std::env::var_os("PATH"))
    }

    /// Starts it with three pipes.
    pub fn start(&self) -> Result<Child, StartError> {
        let Some((program, args)) = self.command.split_first() else {
            return Err(StartError { status: 127, why: "no command was given".into() });
        };
        let cwd = self.cwd.as_deref().unwrap_or(Path::new("."));
        check(program, self.path_variable().as_deref(), cwd)?;
        let mut command = match GUARD_PROGRAM.get() {
            Some(guard) => {
                let mut command = Command::new(guard);
                command.arg(GUARD).arg(std::process::id().to_string()).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(args).envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        if self.own_group {
            command.process_group(0);
        }
        command.spawn().map_err(|e| refused(program, &e))
    }
}

fn refused(program: &OsStr, error: &std::io::Error) -> StartError {
    let status = if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 };
    StartError { status, why: format!("cannot start {}: {error}", program.to_string_lossy()) }
}

/// Looks for the program as the system will, so that the reason can be told in words. What passes may still fail.
fn check(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Result<(), StartError> {
    let name = program.to_string_lossy();
    if program.as_encoded_bytes().contains(&b'/') {
        let file = cwd.join(program);
        if !file.exists() {
            return Err(StartError { status: 127, why: format!("cannot start {name}: there is no such file") });
        }
        return runnable(&file, &name);
    }
    // Without the variable the system has a path of its own.
    let Some(path) = path else { return Ok(()) };
    let mut refused = None;
    for folder in std::env::split_paths(path) {
        let file = cwd.join(folder).join(program);
        if file.is_file() {
            match runnable(&file, &name) {
                Ok(()) => return Ok(()),
                Err(e) => refused = refused.or(Some(e)),
            }
        }
    }
    Err(refused.unwrap_or_else(|| StartError {
        status: 127,
        why: format!(
            "cannot start {name}: it is in no folder of PATH ({}); give its full path, or set PATH for this server",
            path.to_string_lossy()
        ),
    }))
}

fn runnable(file: &Path, name: &str) -> Result<(), StartError> {
    let refuse = |why: String| Err(StartError { status: 126, why: format!("cannot start {name}: {why}") });
    let Ok(meta) = file.metadata() else { return Ok(()) };
    if meta.is_dir() {
        return refuse(format!("{} is a folder", file.display()));
    }
    if meta.permissions().mode() & 0o111 == 0 {
        return refuse(format!("{} is not executable (chmod +x)", file.display()));
    }
    // The interpreter of a script; what cannot be read here can still be executed.
    let mut head = [0; 128];
    let n = std::fs::File::open(file).and_then(|mut f| f.read(&mut head)).unwrap_or(0);
    if let Some(line) = head[..n].strip_prefix(b"#!") {
        let line = String::from_utf8_lossy(line.split(|c| *c == b'\n').next().unwrap_or_default()).into_owned();
        let interpreter = line.split_whitespace().next().unwrap_or_default();
        if interpreter.starts_with('/') && !interpreter.ends_with('\r') && !Path::new(interpreter).exists() {
            return refuse(format!("its interpreter {interpreter} does not exist"));
        }
    }
    Ok(())
}

/// Lets [`Launch::start`] go through this program. Called by the binary alone: in a test the running program is another.
pub fn install_guard() {
    if cfg!(target_os = "linux")
        && let Ok(program) = std::env::current_exe()
    {
        // A second call would say the same.
        let _ = GUARD_PROGRAM.set(program);
    }
}

/// The call that becomes the server: `args` are the tap's process id and the command.
pub fn guard_main(args: &[OsString]) -> ExitCode {
    let parent = args.first().and_then(|a| a.to_str()).and_then(|a| a.parse::<i32>().ok());
    let Some((program, rest)) = args.get(1..).and_then(<[OsString]>::split_first) else {
        return ExitCode::from(2);
    };
    #[cfg(target_os = "linux")]
    {
        // What cannot be asked for is done without: the server still sees its standard input end.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        // The tap may have ended before the kernel was asked.
        if rustix::process::getppid() != parent.and_then(Pid::from_raw) {
            return ExitCode::from(137);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (parent, Signal::KILL, Pid::INIT);
    let failure = refused(program, &Command::new(program).args(rest).exec());
    eprintln!("mcpscope: {}", failure.why);
    ExitCode::from(failure.status)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn why_a_program_cannot_be_started() {
        let temp = tempfile::tempdir().unwrap();
        let plain = temp.path().join("plain");
        fs::write(&plain, "x").unwrap();
        let script = temp.path().join("broken-script");
        fs::write(&script, "#!/no/such/interpreter -x\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([temp.path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let status = |name: &str| {
            check(OsStr::new(name), Some(&path), temp.path()).map_err(|e| (e.status, e.why)).err().unwrap_or_default()
        };
        assert_eq!(status("sh").0, 0);
        assert_eq!(status("./broken-script").0, 126);
        assert!(status("broken-script").1.contains("/no/such/interpreter"));
        assert!(status("plain").1.contains("not executable"));
        assert_eq!((status("plain").0, status("./plain").0), (126, 126));
        assert_eq!(status(temp.path().to_str().unwrap()).0, 126);
        assert_eq!((status("no-such-thing").0, status("./no-such-thing").0), (127, 127));
        assert!(status("no-such-thing").1.contains(temp.path().to_str().unwrap()));
        let none = Launch::default().start().unwrap_err();
        assert_eq!(none.status, 127);
    }
}
