//! Words of a command: options, their values, and what a shell makes of a text.

/// Options before the first word that is none, and what follows.
pub(super) struct Split<'a> {
    pub options: Vec<(&'a str, Option<&'a str>)>,
    pub rest: &'a [&'a str],
}

impl<'a> Split<'a> {
    /// `values`: the options that take the next word as their value. `-xVALUE` and `--x=VALUE` are understood.
    pub fn new(args: &'a [&'a str], values: &[&str]) -> Self {
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

    pub fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.options.iter().find(|(name, _)| names.contains(name)).and_then(|(_, value)| *value)
    }

    pub fn first(&self) -> Option<&'a str> {
        self.rest.first().copied()
    }
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
}

/// Words of a shell command, by blanks and quotes alone; `;` and `&&` count as words.
pub(super) fn split_words(text: &str) -> Vec<String> {
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
