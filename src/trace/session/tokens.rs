//! Progress tokens: which request each belongs to, and how far it has come.

use rustc_hash::FxHashMap;

use crate::wire::frame::Dir;

/// A progress token and its request.
#[derive(Clone, Debug)]
pub struct Token {
    /// The exchange that asked for progress.
    pub exchange: u32,
    /// The last `progress` value.
    pub last: Option<f64>,
    /// The request was answered with a task: the token lives on.
    pub task: bool,
}

/// All tokens of a session, by direction of the request and JSON text of the token (`1` and `"1"` differ).
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    c2s: FxHashMap<Box<str>, Token>,
    s2c: FxHashMap<Box<str>, Token>,
}

impl Tokens {
    fn of(&self, requests: Dir) -> &FxHashMap<Box<str>, Token> {
        if requests == Dir::C2s { &self.c2s } else { &self.s2c }
    }

    /// The token that requests of that direction handed out.
    pub fn get(&self, requests: Dir, text: &str) -> Option<&Token> {
        self.of(requests).get(text)
    }

    /// To note progress.
    pub fn get_mut(&mut self, requests: Dir, text: &str) -> Option<&mut Token> {
        if requests == Dir::C2s { self.c2s.get_mut(text) } else { self.s2c.get_mut(text) }
    }

    /// A request hands a token out.
    pub fn insert(&mut self, requests: Dir, text: Box<str>, exchange: u32) {
        let token = Token { exchange, last: None, task: false };
        if requests == Dir::C2s {
            self.c2s.insert(text, token)
        } else {
            self.s2c.insert(text, token)
        };
    }
}
