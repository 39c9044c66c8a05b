//! Secrets on the wire: keys and tokens with a known look, private keys, credentials in URLs, and values whose name says
//! what they are. Used to warn about them and to take them out. Nothing here keeps or prints a secret.
//!
//! The search over a payload costs one pass of a vectorised multi-pattern search; only where a known beginning stands is
//! the rest looked at.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, MatchKind};

use super::json::Value;

/// What a secret is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A key or token with the beginning that its provider gives it.
    Known(&'static str),
    /// A JSON Web Token.
    Jwt,
    /// A private key in PEM form.
    PrivateKey,
    /// A user name and password in a URL.
    UrlCredentials,
    /// A value with the name of a secret.
    Named,
    /// `name=value` in a text, with the name of a secret.
    Assigned,
    /// A bearer token or user and password, as in an `Authorization` header.
    Authorization,
}

impl Kind {
    /// For people: `a GitHub token`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Known(name) => name,
            Kind::Jwt => "a JSON Web Token",
            Kind::PrivateKey => "a private key",
            Kind::UrlCredentials => "a user name and password in a URL",
            Kind::Named => "a value with the name of a secret",
            Kind::Assigned => "an assignment of a secret",
            Kind::Authorization => "an authorization value",
        }
    }
}

/// A secret found in a text: where the secret part of it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// Bytes of the secret.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// Which characters go on after a known beginning, and how many there have to be.
#[derive(Clone, Copy)]
enum Tail {
    /// Letters, digits, `_` and `-`: at least so many.
    Word(usize),
    /// Letters and digits: at least so many.
    Alnum(usize),
    /// Capital letters and digits: exactly so many.
    Capitals(usize),
    /// Hexadecimal digits: exactly so many.
    Hex(usize),
    /// Two parts joined by a dot.
    Dotted,
    Jwt,
    Pem,
    Url,
    Bearer,
    Basic,
    /// The value after `=`; a password may be short, a token is long and mixed.
    Password,
    Token,
}

use Tail::{Alnum, Capitals, Hex, Word};

/// At most 64 with more than three bytes: beyond that the vectorised search is given up.
const PATTERNS: &[(&str, Tail, &str)] = &[
    ("AKIA", Capitals(16), "an AWS access key"),
    ("ASIA", Capitals(16), "an AWS session key"),
    ("ghp_", Alnum(30), "a GitHub token"),
    ("gho_", Alnum(30), "a GitHub token"),
    ("ghu_", Alnum(30), "a GitHub token"),
    ("ghs_", Alnum(30), "a GitHub token"),
    ("ghr_", Alnum(30), "a GitHub token"),
    ("github_pat_", Word(22), "a GitHub token"),
    ("glpat-", Word(20), "a GitLab token"),
    ("xoxb-", Word(16), "a Slack token"),
    ("xoxp-", Word(16), "a Slack token"),
    ("xoxa-", Word(16), "a Slack token"),
    ("xoxs-", Word(16), "a Slack token"),
    ("xapp-", Word(16), "a Slack token"),
    ("sk-", Word(20), "an API key"),
    ("sk_live_", Alnum(16), "a Stripe key"),
    ("sk_test_", Alnum(16), "a Stripe key"),
    ("rk_live_", Alnum(16), "a Stripe key"),
    ("whsec_", Alnum(24), "a webhook secret"),
    ("AIza", Word(35), "a Google API key"),
    ("ya29.", Word(20), "a Google access token"),
    ("GOCSPX-", Word(20), "a Google client secret"),
    ("npm_", Alnum(36), "an npm token"),
    ("pypi-", Word(60), "a PyPI token"),
    ("hf_", Alnum(30), "a Hugging Face token"),
    ("dop_v1_", Hex(64), "a DigitalOcean token"),
    ("shpat_", Hex(32), "a Shopify token"),
    ("SG.", Tail::Dotted, "a SendGrid key"),
    ("figd_", Word(20), "a Figma token"),
    ("lin_api_", Alnum(32), "a Linear key"),
    ("ntn_", Alnum(40), "a Notion token"),
    ("secret_", Alnum(40), "a Notion token"),
    ("dapi", Hex(32), "a Databricks token"),
    ("sq0atp-", Word(20), "a Square token"),
    ("glsa_", Word(32), "a Grafana token"),
    ("hvs.", Word(24), "a Vault token"),
    ("xkeysib-", Word(40), "a Brevo key"),
    ("gsk_", Alnum(40), "a Groq key"),
    ("nvapi-", Word(40), "an NVIDIA key"),
    ("AGE-SECRET-KEY-1", Alnum(40), "an age key"),
    // `{"a` of alg, `{"t` of typ, `{"k` of kid, `{"e` of enc.
    ("eyJh", Tail::Jwt, ""),
    ("eyJ0", Tail::Jwt, ""),
    ("eyJr", Tail::Jwt, ""),
    ("eyJl", Tail::Jwt, ""),
    ("-----BEGIN ", Tail::Pem, ""),
    ("://", Tail::Url, ""),
    ("Bearer ", Tail::Bearer, ""),
    ("Basic ", Tail::Basic, ""),
    ("password=", Tail::Password, ""),
    ("passwd=", Tail::Password, ""),
    ("PASSWORD=", Tail::Password, ""),
    ("api_key=", Tail::Token, ""),
    ("apikey=", Tail::Token, ""),
    ("API_KEY=", Tail::Token, ""),
    ("token=", Tail::Token, ""),
    ("TOKEN=", Tail::Token, ""),
    ("secret=", Tail::Token, ""),
    ("SECRET=", Tail::Token, ""),
];

/// Finds beginnings: by vector instructions where the machine has them.
enum Search {
    Packed(Box<Searcher>),
    Automaton(AhoCorasick),
    None,
}

/// Beginnings of three bytes are common in texts and slow the search for the others: each kind has its own.
static SEARCHES: LazyLock<[(Search, Vec<usize>); 2]> =
    LazyLock::new(|| [search(&|p| p.len() > 3), search(&|p| p.len() <= 3)]);

fn search(of: &dyn Fn(&str) -> bool) -> (Search, Vec<usize>) {
    let places: Vec<usize> = (0..PATTERNS.len()).filter(|i| of(PATTERNS[*i].0)).collect();
    let beginnings = || places.iter().map(|i| PATTERNS[*i].0);
    let config = packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).clone();
    if let Some(searcher) = config.builder().extend(beginnings()).build() {
        return (Search::Packed(Box::new(searcher)), places);
    }
    match AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(beginnings()) {
        Ok(automaton) => (Search::Automaton(automaton), places),
        Err(_) => (Search::None, places),
    }
}

/// Every secret with a known look in a text or in a raw JSON payload, in order.
pub fn hits(bytes: &[u8]) -> Vec<Hit> {
    let mut out: Vec<Hit> = Vec::new();
    for (search, places) in SEARCHES.iter() {
        let mut take = |found: aho_corasick::Match| {
            if out.last().is_none_or(|h| h.range.end <= found.start() || h.range.start > found.start()) {
                out.extend(verify(bytes, found.range(), places[found.pattern().as_usize()]));
            }
        };
        match search {
            Search::Packed(search) => search.find_iter(bytes).for_each(&mut take),
            Search::Automaton(search) => search.find_iter(bytes).for_each(&mut take),
            Search::None => {}
        }
    }
    if out.len() > 1 {
        out.sort_by_key(|h| (h.range.start, std::cmp::Reverse(h.range.end)));
        let mut end = 0;
        out.retain(|h| {
            let keep = h.range.start >= end;
            end = end.max(h.range.end);
            keep
        });
    }
    out
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

fn run(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().take_while(|b| is(**b)).count()
}

fn verify(bytes: &[u8], at: Range<usize>, pattern: usize) -> Option<Hit> {
    let (_, tail, name) = PATTERNS.get(pattern)?;
    let before = at.start.checked_sub(1).map(|i| bytes[i]);
    // In the middle of a word, or of a long Base64 text, it is no beginning. (`\n` before it is an escape.)
    let escape = at.start >= 2 && bytes[at.start - 2] == b'\\' && matches!(before, Some(b'n' | b't' | b'r'));
    let begins = escape || before.is_none_or(|b| !is_word(b) && b != b'+' && b != b'/');
    let from = at.end;
    let exactly = |n: usize, is: fn(u8) -> bool| {
        let len = run(bytes, from, is);
        (len == n && bytes.get(from + n).is_none_or(|b| !is_word(*b))).then_some(n)
    };
    let at_least = |n: usize, is: fn(u8) -> bool| Some(run(bytes, from, is)).filter(|len| *len >= n);
    let hit = |range, kind| Some(Hit { range, kind });
    let known = |len: Option<usize>| len.and_then(|n| hit(at.start..from + n, Kind::Known(name)));
    match tail {
        Tail::Url => {
            let rest = &bytes[from..bytes.len().min(from + 300)];
            let end =
                rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#' | b'"' | b'\\' | b'<' | b'>') || *b <= b' ');
            let authority = &rest[..end.unwrap_or(rest.len())];
            let user = &authority[..authority.iter().rposition(|b| *b == b'@')?];
            let colon = user.iter().position(|b| *b == b':')?;
            let password = &user[colon + 1..];
            if is_placeholder(password) {
                return None;
            }
            hit(from..from + user.len(), Kind::UrlCredentials)
        }
        Tail::Password | Tail::Token => {
            let end =
                run(bytes, from, |b| b > b' ' && !matches!(b, b'"' | b'\\' | b'&' | b';' | b',' | b'\'' | b'<' | b')'));
            let value = &bytes[from..from + end];
            let good = match tail {
                Tail::Password => value.len() >= 4 && !is_placeholder(value),
                _ => !is_paging(&bytes[..at.start]) && is_random(value),
            };
            if !good {
                return None;
            }
            hit(from..from + end, Kind::Assigned)
        }
        _ if !begins => None,
        Word(n) => {
            let len = at_least(*n, is_word)?;
            let value = &bytes[from..from + len];
            // `sk-learn-something-long` is a name.
            if !is_random(value) {
                return None;
            }
            known(Some(len))
        }
        Alnum(n) => known(at_least(*n, |b| b.is_ascii_alphanumeric())),
        Capitals(n) => known(exactly(*n, |b| b.is_ascii_uppercase() || b.is_ascii_digit())),
        Hex(n) => known(exactly(*n, |b| b.is_ascii_hexdigit())),
        Tail::Dotted => {
            let first = at_least(16, is_word)?;
            if bytes.get(from + first) != Some(&b'.') {
                return None;
            }
            let second = run(bytes, from + first + 1, is_word);
            known((second >= 16).then_some(first + 1 + second))
        }
        Tail::Jwt => {
            let first = at_least(8, is_word)?;
            let second = from + first + 1;
            if bytes.get(from + first) != Some(&b'.') || !bytes[second..].starts_with(b"eyJ") {
                return None;
            }
            let len = run(bytes, second, |b| is_word(b) || b == b'.');
            (len >= 12).then_some(())?;
            hit(at.start..second + len, Kind::Jwt)
        }
        Tail::Pem => {
            let line = &bytes[from..bytes.len().min(from + 60)];
            let end = memchr::memmem::find(line, b"PRIVATE KEY-----")?;
            let rest = from + end;
            let close = memchr::memmem::find(&bytes[rest..], b"-----END ").map_or(bytes.len(), |n| rest + n);
            hit(at.start..close, Kind::PrivateKey)
        }
        Tail::Bearer => {
            let len = run(bytes, from, |b| is_word(b) || matches!(b, b'.' | b'+' | b'/' | b'=' | b'~'));
            is_random(&bytes[from..from + len]).then_some(())?;
            hit(from..from + len, Kind::Authorization)
        }
        Tail::Basic => {
            use base64::Engine as _;
            let len = run(bytes, from, |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
            let text = base64::engine::general_purpose::STANDARD.decode(&bytes[from..from + len]).ok()?;
            let colon = text.iter().position(|b| *b == b':')?;
            (colon > 0 && colon + 1 < text.len() && std::str::from_utf8(&text).is_ok()).then_some(())?;
            hit(from..from + len, Kind::Authorization)
        }
    }
}

/// `next_token=` and the like lead to the next page, not to a secret.
fn is_paging(before: &[u8]) -> bool {
    let end = &before[before.len().saturating_sub(14)..];
    let lower = end.to_ascii_lowercase();
    ["page_", "page", "next_", "next", "continuation_", "continuation", "sync_", "sync", "progress", "csrf_"]
        .iter()
        .any(|w| lower.ends_with(w.as_bytes()))
}

/// Looks made by a machine: long, letters and digits mixed, many different characters, no words in a row.
fn is_random(value: &[u8]) -> bool {
    if value.len() < 16 || is_placeholder(value) {
        return false;
    }
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    letters > 0 && digits > 0 && entropy(value) >= 3.0
}

/// Shannon entropy in bits a byte, of the first 256 bytes.
fn entropy(value: &[u8]) -> f64 {
    let value = &value[..value.len().min(256)];
    let mut counts = [0u32; 256];
    for b in value {
        counts[usize::from(*b)] += 1;
    }
    let n = value.len() as f64;
    -counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / n).map(|p| p * p.log2()).sum::<f64>()
}

/// Stands for a secret and is none: `<token>`, `${TOKEN}`, `***`, `your-key-here`.
fn is_placeholder(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let lower = value[..value.len().min(64)].to_ascii_lowercase();
    let has = |w: &str| memchr::memmem::find(&lower, w.as_bytes()).is_some();
    matches!(first, b'<' | b'{' | b'$' | b'%' | b'[' | b'/')
        || value.iter().all(|b| b == first)
        || ["redacted", "placeholder", "your-", "your_", "****", "xxxx", "....", "masked", "hidden"]
            .iter()
            .any(|w| has(w))
        || ["string", "null", "none", "true", "false", "required", "optional", "undefined"]
            .iter()
            .any(|w| lower == w.as_bytes())
}

/// How sure a name makes one that its value is a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// `password`, `api_key`: any value is one.
    Strong,
    /// `token`, `secret`: a value that looks made by a machine is one.
    Weak,
}

/// Whether a member, parameter or variable of this name holds a secret. Case and separators do not count.
pub fn name(text: &[u8]) -> Option<Name> {
    if !(3..=40).contains(&text.len()) {
        return None;
    }
    let mut buffer = [0u8; 40];
    let mut len = 0;
    for b in text.iter().filter(|b| b.is_ascii_alphanumeric()) {
        buffer[len] = b.to_ascii_lowercase();
        len += 1;
    }
    let n = &buffer[..len];
    let ends = |list: &[&str]| list.iter().any(|w| n.ends_with(w.as_bytes()));
    match n.last()? {
        b'd' | b'y' | b'e' | b'n' | b't' => {}
        _ => return None,
    }
    if ends(&[
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "secretkey",
        "clientsecret",
        "privatekey",
        "secretaccesskey",
    ]) || ends(&["accesstoken", "authtoken", "refreshtoken", "bearertoken", "apitoken", "authorization"])
        || n == b"pwd"
    {
        return Some(Name::Strong);
    }
    (n == b"token" || ends(&["secret", "sessiontoken", "usertoken", "bottoken", "accesskey", "idtoken"]))
        .then_some(Name::Weak)
}

/// Whether a value with that name is a secret.
pub fn is_named_secret(key: Name, value: &[u8]) -> bool {
    match key {
        Name::Strong => value.len() >= 3 && !is_placeholder(value) && !value.contains(&b' '),
        Name::Weak => is_random(value) && !value.contains(&b' '),
    }
}

/// Looks at one text, with the name that it has, if it has one.
pub fn find(text: &str, key: Option<&str>) -> Option<Kind> {
    if let Some(hit) = hits(text.as_bytes()).first() {
        return Some(hit.kind);
    }
    let named = key.and_then(|k| name(k.as_bytes()))?;
    is_named_secret(named, text.as_bytes()).then_some(Kind::Named)
}

/// Every value below this one whose name says that it is a secret, with its kind; at most `max`.
pub fn named<'a>(root: Value<'a>, max: usize) -> Vec<Value<'a>> {
    let mut out = Vec::new();
    let doc = root.doc();
    for value in (root.node()..root.next_node()).filter_map(|n| doc.node(n)) {
        let (Some(key), Some(inner)) = (value.key(), value.inner()) else { continue };
        let Some(named) = name(key.inner()) else { continue };
        if is_named_secret(named, inner) {
            out.push(value);
            if out.len() >= max {
                break;
            }
        }
    }
    out
}

/// Whether a header carries a credential.
pub fn is_secret_header(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "api-key",
        "x-auth-token",
        "x-access-token",
    ];
    NAMES.iter().any(|n| name.eq_ignore_ascii_case(n))
}

/// The query parameter (or `user:password`) of a URL that is a credential.
pub fn in_url(url: &str) -> Option<&str> {
    if let Some((scheme, _)) = url.split_once("://") {
        let start = scheme.len();
        if verify(url.as_bytes(), start..start + 3, pattern_of("://")?).is_some() {
            return Some("user:password");
        }
    }
    let query = url.split_once('?')?.1.split('#').next()?;
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let lower = key.to_ascii_lowercase();
        let secret = match lower.as_str() {
            "access_token" | "api_key" | "apikey" | "api-key" | "token" | "auth_token" | "password"
            | "client_secret" | "id_token" | "refresh_token" => !is_placeholder(value.as_bytes()),
            // An authorization code; short ones are country codes and the like.
            "code" => value.len() >= 16 && is_random(value.as_bytes()),
            _ => false,
        };
        secret.then_some(key)
    })
}

fn pattern_of(beginning: &str) -> Option<usize> {
    PATTERNS.iter().position(|p| p.0 == beginning)
}

#[cfg(test)]
mod tests;
