//! The thread that speaks to the server for the screen. The screen never waits for it: commands go in by a channel, news
//! come out by a list and a wake.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::peer::client::{CallError, Client, List, Progress, Response};
use crate::tui::model::Tone;
use crate::wire::json::Value;

use super::{Command, News};

/// Calls that may be in flight at once; each has a thread that waits for it.
const MOST: usize = 64;

/// The screen's end of the worker.
#[derive(Clone)]
pub struct Link {
    commands: Sender<Command>,
    news: Arc<Mutex<VecDeque<News>>>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    /// Asks for something. False when the worker is gone.
    pub fn send(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// What has happened since the last time.
    pub fn news(&self) -> Vec<News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

#[derive(Clone)]
struct Out {
    news: Arc<Mutex<VecDeque<News>>>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Out {
    fn tell(&self, news: News) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push_back(news);
        (self.wake)();
    }
}

/// Starts the worker. `connect` makes the connection, in the worker's thread; `wake` wakes the screen and returns at once.
pub fn spawn(
    connect: impl FnOnce() -> Result<Client, String> + Send + 'static,
    wake: impl Fn() + Send + Sync + 'static,
) -> Link {
    let (commands, inbox) = channel::<Command>();
    let news = Arc::new(Mutex::new(VecDeque::new()));
    let out = Out { news: Arc::clone(&news), wake: Arc::new(wake) };
    thread::spawn(move || {
        let client = match connect() {
            Ok(client) => Arc::new(client),
            Err(why) => return out.tell(News::Ended(why)),
        };
        let facts = client.facts();
        let server = facts.server.as_ref().map_or_else(String::new, |(name, version)| format!("{name} {version}"));
        out.tell(News::Connected { server, revision: facts.revision });
        lists(&client, &out);
        let busy = Arc::new(AtomicUsize::new(0));
        while let Ok(command) = inbox.recv() {
            match command {
                Command::Refresh => lists(&client, &out),
                Command::Call { tool, arguments } => {
                    if busy.load(Ordering::Relaxed) >= MOST {
                        out.tell(News::Say(Tone::Bad, format!("{MOST} calls are in flight: wait for one of them")));
                        continue;
                    }
                    busy.fetch_add(1, Ordering::Relaxed);
                    out.tell(News::Sent);
                    let (client, out, busy) = (Arc::clone(&client), out.clone(), Arc::clone(&busy));
                    thread::spawn(move || {
                        let progress = |p: Progress| out.tell(News::Say(Tone::Fine, progress_words(&tool, &p)));
                        let answer = client.call_tool(&tool, &arguments, None, progress);
                        busy.fetch_sub(1, Ordering::Relaxed);
                        let (tone, words) = words(&tool, answer);
                        out.tell(News::Answered(tone, words));
                        if !client.is_open() {
                            out.tell(News::Ended("the server has ended".into()));
                        }
                    });
                }
            }
        }
        // The screen is gone: the server sees the end of its input.
        client.close();
    });
    Link { commands, news }
}

/// Discovery and lists run by themselves; nothing else does.
fn lists(client: &Client, out: &Out) {
    match client.tools() {
        Ok((tools, listing)) => {
            out.tell(News::Tools(tools));
            if let Some(why) = listing.incomplete {
                out.tell(News::Say(Tone::Bad, format!("the list of tools may not be whole: {why}")));
            }
            if let Some(error) = listing.error {
                out.tell(News::Say(Tone::Bad, format!("tools/list was refused: {}", error.message)));
            }
        }
        Err(CallError::Closed) => return out.tell(News::Ended("the server has ended".into())),
        Err(error) => out.tell(News::Say(Tone::Bad, format!("tools/list: {error}"))),
    }
    let capabilities = crate::wire::json::Document::new(client.facts().capabilities.as_bytes());
    let has = |name: &str| capabilities.doc().root().and_then(|r| r.get(name)).is_some_and(Value::is_object);
    for (list, name) in [(List::Prompts, "prompts"), (List::Resources, "resources"), (List::Templates, "resources")] {
        if has(name) {
            // What comes back is on the wire; the catalogue reads it there.
            let _ = client.list(list);
        }
    }
}

fn progress_words(tool: &str, p: &Progress) -> String {
    let of = p.total.map_or(String::new(), |t| format!(" of {t}"));
    let message = p.message.as_deref().map_or(String::new(), |m| format!("  {m}"));
    format!("{tool}: {}{of}{message}", p.progress)
}

fn words(tool: &str, answer: Result<Response, CallError>) -> (Tone, String) {
    match answer {
        Ok(response) if response.is_input_required() => {
            (Tone::Bad, format!("{tool} asks for input; the answer is in the list"))
        }
        Ok(response) if response.is_tool_error() => (Tone::Bad, format!("{tool} failed; the answer is in the list")),
        Ok(response) => match response.error() {
            Some(error) => (Tone::Bad, format!("{tool} was refused: {}", error.message)),
            None => (Tone::Fine, format!("{tool} answered")),
        },
        Err(error) => (Tone::Bad, format!("{tool}: {error}")),
    }
}
