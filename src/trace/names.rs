//! Interned strings: method and tool names repeat a million times.

use rustc_hash::FxHashMap;

/// A string of [`Names`]; `Sym::NONE` stands for "no name".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sym(pub u32);

impl Sym {
    /// No name.
    pub const NONE: Sym = Sym(u32::MAX);

    /// Whether there is a name.
    pub fn is_some(self) -> bool {
        self != Sym::NONE
    }
}

/// The interner.
#[derive(Default, Debug)]
pub struct Names {
    by_text: FxHashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Names {
    /// The symbol of a text, made if it is new.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(&n) = self.by_text.get(text) {
            return Sym(n);
        }
        let n = self.texts.len() as u32;
        self.texts.push(text.into());
        self.by_text.insert(text.into(), n);
        Sym(n)
    }

    /// The symbol of a text, if it was ever seen.
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.by_text.get(text).copied().map(Sym)
    }

    /// The text of a symbol.
    pub fn get(&self, sym: Sym) -> Option<&str> {
        self.texts.get(sym.0 as usize).map(AsRef::as_ref)
    }

    /// All texts, in the order in which they were first seen.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }
}
