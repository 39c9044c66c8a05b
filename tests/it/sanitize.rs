//! `sanitize`: nothing secret is left, nothing else is touched, and the trace shows what it showed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::format::native::Reader;
use mcpscope::rules::Options;
use mcpscope::sanitize::{Mode, Sanitizer};
use mcpscope::trace::Store;
use mcpscope::wire::json::{Document, Value};

fn sanitize_with(mode: Mode, key: Option<&[u8]>, bytes: &[u8]) -> Vec<u8> {
    let mut sanitizer = Sanitizer::new(mode, key);
    bytes.split(|b| *b == b'\n').for_each(|line| sanitizer.learn(line));
    sanitizer.learned();
    let mut out = Vec::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if i > 0 {
            out.push(b'\n');
        }
        sanitizer.line(line, &mut out);
    }
    out
}

fn sanitize(bytes: &[u8]) -> Vec<u8> {
    sanitize_with(Mode::Secrets, None, bytes)
}

/// Every trace that there is: recordings of real peers, rebuilt reports, the samples.
fn traces() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    let mut add = |folder: PathBuf| {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("{} is absent: not tested", folder.display());
            return;
        };
        for path in entries.map(|e| e.unwrap().path()) {
            let path = if path.is_dir() { path.join("wire.jsonl") } else { path };
            if path.extension().is_some_and(|e| e == "jsonl") && path.exists() {
                all.push(path);
            }
        }
    };
    add(root.join("sample-traces"));
    add(root.join("../shared/traces/raw"));
    add(root.join("../shared/cases"));
    all.sort();
    all
}

/// What was found: rule, line, severity, owner. Rules about secrets say of a sanitized trace that there are none.
fn findings(bytes: &[u8]) -> Vec<String> {
    let origin = if bytes.starts_with(b"{\"mcpscope_trace\"") { Origin::Native } else { Origin::Foreign };
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let mut analyzer = Analyzer::new(Options::default(), origin);
    reader.feed(bytes, &mut |item| analyzer.push(&mut store, item));
    reader.finish(&mut |item| analyzer.push(&mut store, item));
    analyzer.finish(&mut store);
    let mut all: Vec<String> = store
        .findings()
        .filter(|(_, f)| !f.rule.starts_with("secret-"))
        .map(|(_, f)| {
            let line = store.records[f.record as usize].line;
            format!("{} line {line} {:?} {:?}", f.rule, f.severity, f.owner)
        })
        .collect();
    all.extend(store.exchanges.iter().enumerate().map(|(i, e)| format!("#{} {}", i + 1, e.outcome.as_str())));
    all.sort();
    all
}

#[test]
fn findings_stay_and_a_second_time_changes_nothing() {
    let mut seen = 0;
    for path in traces() {
        let bytes = std::fs::read(&path).unwrap();
        let clean = sanitize(&bytes);
        assert_eq!(findings(&clean), findings(&bytes), "{}", path.display());
        let again = sanitize(&clean);
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&clean), "{}", path.display());
        let keyed = sanitize_with(Mode::Secrets, Some(b"k"), &bytes);
        assert_eq!(findings(&keyed), findings(&bytes), "{}", path.display());
        let again = sanitize_with(Mode::Secrets, Some(b"k"), &keyed);
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&keyed), "{}", path.display());
        seen += 1;
    }
    assert!(seen > 0);
}

/// Rules that read what a value says in words: with the words gone, they are silent or say the general thing.
const BY_WORDS: &[&str] = &[
    "json-lone-surrogate ",
    "json-replacement-char ",
    "tool-unknown-as-tool-error ",
    "tool-error-text ",
    "init-refused ",
];

#[test]
fn values_become_placeholders_that_still_fit() {
    let (mut same, mut other) = (0, Vec::new());
    for path in traces() {
        let bytes = std::fs::read(&path).unwrap();
        let clean = sanitize_with(Mode::Values, None, &bytes);
        let again = sanitize_with(Mode::Values, None, &clean);
        if let Some(at) = (0..clean.len()).find(|i| again.get(*i) != clean.get(*i)) {
            let cut = |b: &[u8]| String::from_utf8_lossy(&b[at.saturating_sub(60)..b.len().min(at + 60)]).into_owned();
            other.push(format!("{}: again {} -> {}", path.display(), cut(&clean), cut(&again)));
        }
        let (before, after) = (findings(&bytes), findings(&clean));
        let mut new: Vec<&String> = after.iter().filter(|f| !before.contains(f)).collect();
        let mut gone: Vec<&String> = before.iter().filter(|f| !after.contains(f)).collect();
        let by_words = gone.iter().any(|f| f.starts_with("tool-unknown-as-tool-error "));
        gone.retain(|f| !BY_WORDS.iter().any(|r| f.starts_with(r)));
        new.retain(|f| !(by_words && f.starts_with("tool-is-error ")));
        if new.is_empty() && gone.is_empty() {
            same += 1;
        } else {
            other.push(format!("{}: new {new:?}, gone {gone:?}", path.display()));
        }
    }
    assert!(same > 0 && other.is_empty(), "{same} same, {other:#?}");
}

#[test]
fn no_value_is_left() {
    let trace = concat!(
        r#"{"t":0.1,"dir":"s2c","msg":{"id":1,"result":{"tools":[{"name":"t","inputSchema":{"properties":{"n":{"minimum":18,"maximum":99},"#,
        r#""m":{"enum":["fast","slow"]}}}}]}}}"#,
        "\n",
        r#"{"t":0.2,"dir":"c2s","msg":{"id":2,"method":"tools/call","params":{"name":"t","arguments":{"n":42,"m":"fast","s":"Zoë \"1\"","d":"2026-11-30","b":true,"u":"https://a.io/x"}}}}"#,
        "\n",
        r#"{"t":0.3,"dir":"s2c","msg":{"id":2,"result":{"content":[{"type":"text","text":"{\"k\":7,\"w\":\"Wien\"}"}],"structuredContent":{"k":7,"w":"Wien"}}}}"#,
    );
    let clean = String::from_utf8(sanitize_with(Mode::Values, None, trace.as_bytes())).unwrap();
    let lines: Vec<&str> = clean.lines().collect();
    assert!(
        lines[1].contains(r#"{"n":18,"m":"fast","s":"Xxx '1'","d":"2000-01-01","b":true,"u":"https://x.xx/x"}"#),
        "{clean}"
    );
    assert!(
        lines[2].contains(r#""text":"{\"k\":1,\"w\":\"Xxxx\"}"}],"structuredContent":{"k":1,"w":"Xxxx"}"#),
        "{clean}"
    );
}

fn leaves(value: Value<'_>, pointer: &str, out: &mut BTreeMap<String, Vec<u8>>) {
    if value.kind().is_container() {
        for (i, child) in value.children().enumerate() {
            leaves(child, &format!("{pointer}/{i}"), out);
        }
    } else if let Some(text) = value.as_str().filter(|t| t.starts_with('{')) {
        // A recording keeps the message in a string.
        let inner = Document::new(text.into_owned().into_bytes());
        match inner.doc().root() {
            Some(root) => leaves(root, &format!("{pointer}!"), out),
            None => drop(out.insert(pointer.to_owned(), value.raw().to_vec())),
        }
    } else {
        out.insert(pointer.to_owned(), value.raw().to_vec());
    }
}

/// Planted in the recordings, or personal: these are to go.
const DUE: &[&str] =
    &["FAKE-", "ada@example.org", "session-1796032234637", "00000000-0000-4000-8000-00000000000", "/home/"];

#[test]
fn fewer_than_one_leaf_in_a_thousand_goes_without_need() {
    let (mut all, mut needless) = (0usize, Vec::new());
    for path in traces() {
        let bytes = std::fs::read(&path).unwrap();
        let clean = sanitize(&bytes);
        let lines = |b: &[u8]| b.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        for (old, new) in lines(&bytes).into_iter().zip(lines(&clean)) {
            let (old, new) = (Document::new(old), Document::new(new));
            let (Some(a), Some(b)) = (old.doc().root(), new.doc().root()) else { continue };
            let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
            leaves(a, "", &mut before);
            leaves(b, "", &mut after);
            assert_eq!(before.len(), after.len() - usize::from(a.len() < b.len()), "{}", path.display());
            for (pointer, was) in before {
                all += 1;
                let is = &after[&pointer];
                let text = String::from_utf8_lossy(&was).into_owned();
                if *is != was
                    && !DUE.iter().any(|d| text.contains(d))
                    && !String::from_utf8_lossy(is).contains("\"secrets\"")
                {
                    needless.push(format!("{}: {text} -> {}", path.display(), String::from_utf8_lossy(is)));
                }
            }
        }
    }
    assert!(needless.len() * 1000 < all.max(1), "{} of {all}: {needless:#?}", needless.len());
}

/// A run of characters that looks random and is always the same.
fn noise(seed: usize, len: usize, alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut x = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    let mut out = String::new();
    for _ in 0..len {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        out.push(alphabet[(x >> 33) as usize % alphabet.len()]);
    }
    out
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A kind, the name that a program gives it, whether it is known by its look alone, and the n-th of them.
type Maker = (&'static str, &'static str, bool, fn(usize) -> String);

const KINDS: &[Maker] = &[
    ("github", "GITHUB_TOKEN", true, |n| format!("ghp_{}", noise(n, 36, ALNUM))),
    ("github-oauth", "token", true, |n| format!("gho_{}", noise(n, 36, ALNUM))),
    ("github-fine", "GH_PAT", true, |n| format!("github_pat_{}9a_{}", noise(n, 20, ALNUM), noise(n + 1, 59, ALNUM))),
    ("gitlab", "gitlab_token", true, |n| format!("glpat-{}4x", noise(n, 18, ALNUM))),
    ("slack-bot", "SLACK_BOT_TOKEN", true, |n| format!("xoxb-{}-{}", noise(n, 11, "0123456789"), noise(n, 24, ALNUM))),
    ("slack-app", "appToken", true, |n| format!("xapp-1-{}-{}", noise(n, 11, CAPITALS), noise(n, 32, HEX))),
    ("slack-hook", "hook", true, |n| {
        format!(
            "https://hooks.slack.com/services/T{}/B{}/{}",
            noise(n, 8, CAPITALS),
            noise(n, 9, CAPITALS),
            noise(n, 24, ALNUM)
        )
    }),
    ("openai", "OPENAI_API_KEY", true, |n| format!("sk-proj-{}7q", noise(n, 46, ALNUM))),
    ("anthropic", "ANTHROPIC_API_KEY", true, |n| {
        format!("sk-ant-api03-{}5-{}", noise(n, 40, ALNUM), noise(n, 9, ALNUM))
    }),
    ("stripe", "stripe_key", true, |n| format!("sk_live_{}", noise(n, 24, ALNUM))),
    ("stripe-hook", "endpoint_secret", true, |n| format!("whsec_{}", noise(n, 32, ALNUM))),
    ("google-api", "GOOGLE_API_KEY", true, |n| format!("AIza{}9x", noise(n, 33, ALNUM))),
    ("google-access", "access_token", true, |n| format!("ya29.a0A{}8", noise(n, 60, ALNUM))),
    ("google-client", "client_secret", true, |n| format!("GOCSPX-{}7a", noise(n, 26, ALNUM))),
    ("google-refresh", "refresh_token", true, |n| format!("1//0{}", noise(n, 60, ALNUM))),
    ("aws-id", "aws_access_key_id", true, |n| format!("AKIA{}", noise(n, 16, CAPITALS))),
    ("aws-session-id", "accessKeyId", true, |n| format!("ASIA{}", noise(n, 16, CAPITALS))),
    ("aws-secret", "aws_secret_access_key", false, |n| noise(n, 40, ALNUM)),
    ("npm", "NPM_TOKEN", true, |n| format!("npm_{}", noise(n, 36, ALNUM))),
    ("pypi", "TWINE_PASSWORD", true, |n| format!("pypi-AgEIcHlwaS5vcmc{}1", noise(n, 80, ALNUM))),
    ("huggingface", "HF_TOKEN", true, |n| format!("hf_{}", noise(n, 34, ALNUM))),
    ("digitalocean", "DO_TOKEN", true, |n| format!("dop_v1_{}", noise(n, 64, HEX))),
    ("shopify", "shop_token", true, |n| format!("shpat_{}", noise(n, 32, HEX))),
    ("sendgrid", "SENDGRID_API_KEY", true, |n| format!("SG.{}.{}", noise(n, 22, ALNUM), noise(n, 43, ALNUM))),
    ("mailgun", "mailgun_key", true, |n| format!("key-{}", noise(n, 32, HEX))),
    ("twilio", "twilio_key", true, |n| format!("SK{}", noise(n, 32, HEX))),
    ("telegram", "BOT_TOKEN", true, |n| format!("{}:AA{}", 100_000_000 + n, noise(n, 33, ALNUM))),
    ("jwt", "id_token", true, |n| {
        let part = |t: String| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(t);
        format!(
            "{}.{}.{}",
            part(r#"{"alg":"HS256","typ":"JWT"}"#.into()),
            part(format!(r#"{{"sub":"{n}"}}"#)),
            noise(n, 43, ALNUM)
        )
    }),
    ("databricks", "databricks_token", true, |n| format!("dapi{}", noise(n, 32, HEX))),
    ("grafana", "grafana_token", true, |n| format!("glsa_{}_1{}", noise(n, 32, ALNUM), noise(n, 8, HEX))),
    ("vault", "VAULT_TOKEN", true, |n| format!("hvs.CAESI{}3", noise(n, 80, ALNUM))),
    ("linear", "linear_key", true, |n| format!("lin_api_{}", noise(n, 40, ALNUM))),
    ("notion", "NOTION_API_KEY", true, |n| format!("ntn_{}", noise(n, 43, ALNUM))),
    ("figma", "figma_token", true, |n| format!("figd_{}4", noise(n, 40, ALNUM))),
    ("groq", "GROQ_API_KEY", true, |n| format!("gsk_{}", noise(n, 52, ALNUM))),
    ("age", "identity", true, |n| format!("AGE-SECRET-KEY-1{}", noise(n, 58, CAPITALS))),
    ("postgres-url", "DATABASE_URL", true, |n| format!("postgres://app:{}@db.internal:5432/main", noise(n, 14, ALNUM))),
    ("password", "db_password", false, |n| format!("Tr0ub4dor&{}", noise(n, 5, ALNUM)).replace('&', "-")),
    ("api-key", "x-api-key", false, |n| noise(n, 32, HEX)),
    ("session", "session_token", false, |n| format!("{}4f", noise(n, 38, ALNUM))),
    ("oauth-verifier", "code_verifier", false, |n| format!("{}2", noise(n, 42, ALNUM))),
    ("signing", "signing_secret", false, |n| format!("{}0a", noise(n, 30, HEX))),
    ("email", "contact", true, |n| format!("{}.{}@corp{n}.io", noise(n, 6, "abcdefgh"), noise(n + 3, 7, "ijklmnop"))),
    ("home", "folder", true, |n| format!("/home/{}/projects/x", noise(n, 8, "abcdefghijklmnop"))),
    ("mac-home", "folder", true, |n| format!("/Users/{}/Library", noise(n, 8, "abcdefghijklmnop"))),
    ("windows-home", "folder", true, |n| format!("C:\\Users\\{}\\AppData", noise(n, 8, "abcdefghijklmnop"))),
    ("private-key", "key", true, |n| {
        format!(
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE{}\n{}\n-----END RSA PRIVATE KEY-----",
            noise(n, 60, ALNUM),
            noise(n + 7, 64, ALNUM)
        )
    }),
];

/// The part of a secret that must not be seen.
fn core(kind: &str, secret: &str) -> String {
    let between = |a: &str, b: char| secret.split(a).nth(1).unwrap().split(b).next().unwrap().to_owned();
    match kind {
        "home" => between("/home/", '/'),
        "mac-home" => between("/Users/", '/'),
        "windows-home" => between("Users\\", '\\'),
        "postgres-url" => between("app:", '@'),
        "private-key" => secret.lines().nth(1).unwrap().to_owned(),
        "slack-hook" => secret.rsplit('/').next().unwrap().to_owned(),
        _ => secret.to_owned(),
    }
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A line with a secret in one of the places where secrets are.
fn plant(place: usize, name: &str, known: bool, secret: &str) -> Option<String> {
    let message = |arguments: String| {
        format!(
            r#"{{"t":0.1,"dir":"c2s","msg":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}}}"#
        )
    };
    let stderr = |text: &str| format!(r#"{{"t":0.1,"dir":"err","text":{}}}"#, json(text));
    let b64 = |t: &str| base64::engine::general_purpose::STANDARD.encode(t);
    let b64url = |t: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(t);
    let one_line = !secret.contains('\n');
    let simple = one_line && !secret.contains('\\') && !secret.contains("://");
    let named = format!("{{{}:{}}}", json(name), json(secret));
    Some(match place {
        0 => message(named),
        1 => message(format!(r#"{{"config":{}}}"#, json(&named))),
        2 => message(format!(r#"{{"config":{}}}"#, json(&format!(r#"{{"deep":{}}}"#, json(&named))))),
        3 => message(format!(r#"{{"blob":"{}"}}"#, b64(&named))),
        4 => message(format!(r#"{{"blob":"{}"}}"#, b64url(&named))),
        5 if one_line => stderr(&format!("starting with {name}={secret} now")),
        6 if one_line => stderr(&format!("config: {named} loaded")),
        7 if simple && known => message(format!(r#"{{"text":"please use {secret}, thanks"}}"#)),
        8 if simple => message(format!(r#"{{"url":"https://api.host.io/v1/items?page=2&{name}={secret}&x=1"}}"#)),
        9 if simple => format!(
            r#"{{"mcpscope_trace":1,"created":"2026-11-30T09:31:08Z","command":["npx","server","--{}",{},"--verbose"]}}"#,
            name.to_lowercase().replace('_', "-"),
            json(secret)
        ),
        10 if one_line => message(format!(r#"{{"env":[{{"name":{},"value":{}}}]}}"#, json(name), json(secret))),
        11 if simple => format!(
            r#"{{"t":0.1,"dir":"c2s","http":{{"kind":"request","stream":1,"method":"POST","path":"/mcp?{name}={secret}","headers":[["Authorization","Bearer {secret}"],["X-Api-Key","{secret}"],["Cookie","theme=dark; sid={secret}"]]}}}}"#
        ),
        12 => format!(r#"{{"t":0.1,"dir":"s2c","b64":"{}"}}"#, b64(&format!("\u{1}\u{2} {named}"))),
        13 if one_line => stderr(&format!("{{\"level\":\"info\",\"{name}\": {}, broken", json(secret))),
        14 if one_line => message(format!(r#"{{"env":[{}]}}"#, json(&format!("{name}={secret}")))),
        15 if one_line => format!(
            r#"{{"t":0.1,"dir":"err","raw":{}}}"#,
            json(&format!("\u{1b}[31m{name}: {}\u{1b}[0m", json(secret)))
        ),
        16 if known => {
            message(format!(r#"{{"text":{}}}"#, json(&format!("é\t\"{secret}\"\n😀")).replace('😀', "\\ud83d\\ude00")))
        }
        _ => return None,
    })
}

#[test]
fn no_planted_secret_is_left() {
    let (mut planted, mut left) = (0, Vec::new());
    let mut kinds = BTreeSet::new();
    for (k, (kind, name, known, make)) in KINDS.iter().enumerate() {
        for place in 0..17 {
            let secret = make(k * 100 + place + 1);
            let Some(line) = plant(place, name, *known, &secret) else { continue };
            planted += 1;
            kinds.insert(kind);
            let clean = sanitize(line.as_bytes());
            let core = core(kind, &secret);
            if seen_in(&clean, &core) {
                left.push(format!("{kind} place {place}: {}", String::from_utf8_lossy(&clean)));
            }
            assert!(serde_json::from_slice::<serde_json::Value>(&clean).is_ok(), "{}", String::from_utf8_lossy(&clean));
            assert_eq!(String::from_utf8_lossy(&sanitize(&clean)), String::from_utf8_lossy(&clean));
        }
    }
    assert!(planted >= 150 && kinds.len() >= 40, "{planted} of {} kinds", kinds.len());
    assert!(left.is_empty(), "{} of {planted}: {left:#?}", left.len());
}

/// Whether a text is in a line, in any of the ways in which it may be written there.
fn seen_in(line: &[u8], core: &str) -> bool {
    let has = |b: &[u8], t: &str| b.windows(t.len()).any(|w| w == t.as_bytes());
    if has(line, core) {
        return true;
    }
    let text = String::from_utf8_lossy(line);
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"+/-_=".contains(c)).filter(|run| run.len() >= 12).any(|run| {
        let run = run.trim_end_matches('=');
        [base64::engine::general_purpose::STANDARD_NO_PAD, base64::engine::general_purpose::URL_SAFE_NO_PAD]
            .iter()
            .any(|e| e.decode(run).is_ok_and(|plain| has(&plain, core)))
    })
}

#[test]
fn a_private_key_over_many_lines_of_stderr() {
    let mut trace = String::new();
    let lines = [
        "-----BEGIN PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "Jm4tC1x5vZf0",
        "-----END PRIVATE KEY-----",
        "done",
    ];
    for line in lines {
        trace += &format!("{{\"t\":0.1,\"dir\":\"err\",\"text\":{}}}\n", json(line));
    }
    let clean = String::from_utf8(sanitize(trace.as_bytes())).unwrap();
    assert!(!clean.contains("MIIEvQ") && !clean.contains("Jm4tC1"), "{clean}");
    assert!(clean.contains("done") && clean.lines().count() == 5, "{clean}");
}

#[test]
fn equal_secrets_stay_equal_and_are_found_where_nothing_names_them() {
    let trace = concat!(
        r#"{"t":0.1,"dir":"err","text":"signed in with correct-horse-7 today"}"#,
        "\n",
        r#"{"t":0.2,"dir":"c2s","msg":{"params":{"arguments":{"password":"correct-horse-7","pin_password":48151623,"n":1.0e2}}}}"#,
    );
    let clean = String::from_utf8(sanitize(trace.as_bytes())).unwrap();
    assert_eq!(
        clean,
        concat!(
            r#"{"t":0.1,"dir":"err","text":"signed in with <<secret:password:1>> today"}"#,
            "\n",
            r#"{"t":0.2,"dir":"c2s","msg":{"params":{"arguments":{"password":"<<secret:password:1>>","pin_password":777000002,"n":1.0e2}}}}"#,
        )
    );
    let keyed = |t: &str| String::from_utf8(sanitize_with(Mode::Secrets, Some(b"k"), t.as_bytes())).unwrap();
    let (one, two) = (keyed(r#"{"a":1,"password":"hunter2x"}"#), keyed(r#"{"b":"x@y.org","password":"hunter2x"}"#));
    assert_eq!(one.split("password").nth(1), two.split("password").nth(1));
}
