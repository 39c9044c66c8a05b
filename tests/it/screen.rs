//! The screen in a real pseudo-terminal, read back through a terminal emulator: it comes up, takes keys, and leaves the
//! terminal as it was.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const MOST: Duration = Duration::from_secs(30);

struct Terminal {
    screen: vt100::Parser,
    output: Receiver<Vec<u8>>,
    input: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    _home: tempfile::TempDir,
}

impl Terminal {
    fn start(arguments: &[&str], columns: u16, rows: u16) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_mcpscope"));
        command.args(arguments);
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "NO_COLOR"] {
            command.env_remove(name);
        }
        command.cwd(home.path());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let (send, output) = channel();
        let mut reader = pair.master.try_clone_reader().unwrap();
        std::thread::spawn(move || {
            let mut block = [0; 8192];
            while let Ok(n) = reader.read(&mut block) {
                if n == 0 || send.send(block[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let input = pair.master.take_writer().unwrap();
        Terminal {
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            output,
            input,
            child,
            master: pair.master,
            _home: home,
        }
    }

    fn keys(&mut self, bytes: &str) {
        self.input.write_all(bytes.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    /// Reads until the screen is as wanted.
    fn until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + MOST;
        while !wanted(self.screen.screen()) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("{what} did not come:\n{}", self.screen.screen().contents());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    // The program printed and left: what it printed counts.
                    assert!(wanted(self.screen.screen()), "{what} did not come:\n{}", self.screen.screen().contents());
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.until(text, |s| s.contents().contains(text));
    }

    /// Waits for the end; the terminal must be as it was.
    fn ends(&mut self) -> u32 {
        self.until("the end of the alternate screen", |s| !s.alternate_screen());
        let screen = self.screen.screen();
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is still on");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still taken");
        self.child.wait().unwrap().exit_code()
    }
}

fn cells(n: u16) -> std::num::NonZero<u16> {
    n.try_into().unwrap()
}

fn talk() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/testdata/talk.jsonl").display().to_string()
}

#[test]
fn opens_takes_keys_resizes_and_leaves_the_terminal_as_it_was() {
    let mut t = Terminal::start(&["open", &talk()], 120, 40);
    t.text("15 exchanges");
    t.keys("eee");
    t.text("refused because");
    t.master.resize(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    t.screen.screen_mut().set_size(cells(24), cells(80));
    t.until("the hints on line 24", |s| s.rows(0, 80).nth(23).is_some_and(|l| l.contains("? keys")));
    t.keys("?");
    t.text("Five keys to begin with");
    t.keys("q");
    t.text("payload");
    t.keys("q");
    assert_eq!(t.ends(), 0);
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_as_it_was() {
    let mut t = Terminal::start(&["open", &talk()], 100, 30);
    t.text("15 exchanges");
    let pid = t.child.process_id().unwrap();
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(t.ends(), 128 + 15);
}

#[test]
fn the_start_screen_without_anything_recorded() {
    let mut t = Terminal::start(&[], 100, 30);
    t.text("nothing has been recorded yet");
    t.keys("q");
    assert_eq!(t.ends(), 0);
}

/// mcpscope is the client: a call is written, sent, and its answer comes in over the tapped wire.
#[test]
fn a_call_is_made_from_the_screen() {
    let server = env!("CARGO_BIN_EXE_mcpscope");
    let mut t = Terminal::start(&["attach", "--", server, "demo-server"], 140, 40);
    t.text("you are the client");
    t.text("add (reads only)");
    t.text("resources/list");
    t.keys("\r");
    t.text("call add");
    t.keys("\x13");
    t.text("structuredContent");
    t.text("sum: 0");
    t.keys("qqq");
    assert_eq!(t.ends(), 0);
    t.text("the trace is");
}
