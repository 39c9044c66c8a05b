//! Looks of secrets beyond those that are warned about: keys of more providers, addresses of people, homes.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

fn regex(pattern: &str) -> Option<Regex> {
    let built = Regex::new(pattern);
    debug_assert!(built.is_ok(), "{pattern}");
    built.ok()
}

/// Kind and look; the first group is the secret where there is one.
static KNOWN: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    [
        ("webhook-url", r"https://hooks\.slack\.com/(services/[A-Za-z0-9/_+-]{20,})"),
        ("webhook-url", r"https://(?:[a-z]+\.)?discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{20,})"),
        ("telegram-token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}\b"),
        ("discord-token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b"),
        ("azure-secret", r"\b[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
        ("google-refresh-token", r"\b1//0[A-Za-z0-9_-]{30,}"),
        ("slack-token", r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
        ("mailgun-key", r"\bkey-[0-9a-f]{32}\b"),
        ("twilio-key", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
        ("aws-key", r"\b(?:ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|AROA)[A-Z0-9]{16}\b"),
        (
            "api-key",
            r"\b(?:glrt-|gldt-|glptt-|glcbt-|dckr_pat_|dckr_oat_|pscale_(?:tkn|pw|oauth)_|sntrys_|sntryu_|sbp_|rubygems_|shpss_|shpca_|shppa_|PMAK-|NRAK-|tskey-|xai-|r8_|doo_v1_|dor_v1_|lin_oauth_|ATATT3|ATCTT3|AKCp|sq0csp-|pplx-|fw_|tvly-|ops_eyJ|hvb\.|figo_|patch_|pat-na1-|phc_|phx_|CFPAT-|EAAC|EZAK|tfp_|cio_|nfp_|rdme_|duffel_(?:test|live)_|rzp_(?:live|test)_|glsoat-|gitea_|vercel_|fo1_|fm1r_|jina_|e2b_|lsv2_pt_|lsv2_sk_|sk-ant-|sk-proj-|sk-or-v1-)[A-Za-z0-9_=.+/-]{16,}",
        ),
        ("sas-signature", r"[?&]sig=([A-Za-z0-9%+/=_-]{20,})"),
        ("aws-signature", r"(?i)X-Amz-(?:Signature|Credential|Security-Token)=([A-Za-z0-9%+/=_.-]{16,})"),
        ("account-key", r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}={0,2})"),
        ("url-login", r"[A-Za-z][A-Za-z0-9+.-]{1,20}://(:?[^\s/?#@<>\\:']{0,80}:[^\s/?#<>\\']{1,120})@[A-Za-z0-9\[]"),
        ("url-login", r"https?://([A-Za-z0-9_-]{20,})@[A-Za-z0-9]"),
        ("private-key", r"(?s)-----BEGIN PGP PRIVATE KEY BLOCK-----.*?(?:-----END|\z)"),
        ("ssh-key", r"\b(?:PuTTY-User-Key-File-[23]|AGE-SECRET-KEY-1[A-Z0-9]{20,})"),
        ("wireguard-key", r"(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*([A-Za-z0-9+/]{42,43}=)"),
    ]
    .into_iter()
    .filter_map(|(kind, pattern)| Some((kind, regex(pattern)?)))
    .collect()
});

static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"[A-Za-z0-9._%+-]{0,63}[A-Za-z0-9_+-](?:@|%40)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.)(?:[A-Za-z0-9-]{1,63}\.){0,5}[A-Za-z]{2,24}\b",
    )
});

static HOME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"(?:/(?:home|Users)/|%2[Ff](?:home|Users)%2[Ff]|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}|\\Users\\)([^/\\\s"'`:;,<>|()\[\]{}?#%*&$!=]{1,64})"#,
    )
});

/// All secrets with a look of their own.
pub(super) fn each(text: &[u8], mut take: impl FnMut(&'static str, Range<usize>)) {
    for (kind, regex) in KNOWN.iter() {
        for found in regex.captures_iter(text) {
            if let Some(range) = found.get(1).or_else(|| found.get(0)) {
                take(kind, range.range());
            }
        }
    }
}

/// Names of files look like the ends of addresses (`icon@2x.png`).
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "ts", "mjs", "cjs", "json", "md", "py", "rs", "txt",
    "html", "css", "tgz", "zip", "service", "lock", "toml", "yaml", "yml",
];

/// Addresses of people.
pub(super) fn emails(text: &[u8], mut take: impl FnMut(Range<usize>)) {
    if memchr::memchr(b'@', text).is_none() && memchr::memmem::find(text, b"%40").is_none() {
        return;
    }
    let Some(regex) = EMAIL.as_ref() else { return };
    for found in regex.find_iter(text) {
        let address = found.as_bytes();
        let end = address.rsplit(|b| *b == b'.').next().unwrap_or_default();
        let is_file = FILES.iter().any(|f| end.eq_ignore_ascii_case(f.as_bytes()));
        // `git@host.com:owner/name` is the name of a repository.
        let is_git = address.starts_with(b"git@");
        // The user in a URL: `ssh://deploy@host.com`.
        let in_url = text[..found.start()].ends_with(b"://");
        let at = address.iter().position(|b| *b == b'@' || *b == b'%').unwrap_or(0);
        if !is_file && !is_git && !in_url && !super::pseudonym::is_replaced(&address[..at]) {
            take(found.range());
        }
    }
}

/// Names of users in the paths of their homes.
pub(super) fn homes(text: &[u8], mut take: impl FnMut(Range<usize>)) {
    let likely = memchr::memmem::find(text, b"home").is_some() || memchr::memmem::find(text, b"Users").is_some();
    let (true, Some(regex)) = (likely, HOME.as_ref()) else { return };
    for found in regex.captures_iter(text) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
        let windows = memchr::memchr2(b'\\', b':', all.as_bytes()).is_some();
        let before = &text[..all.start()];
        let rooted = windows
            || all.as_bytes().starts_with(b"%")
            || before.ends_with(b"//")
            || [&b"/mnt/c"[..], b"/c", b"/export", b"/var", b"/usr", b"/System/Volumes/Data", b"localhost"]
                .iter()
                .any(|p| before.ends_with(p))
            || before.last().is_none_or(|b| {
                !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'_' | b'~' | b'-' | b'}' | b')' | b'/')
            });
        let mut end = name.end();
        // A name with a blank in it, where a path goes on behind it.
        let rest = &text[end..text.len().min(end + 40)];
        if rest.first() == Some(&b' ')
            && let Some(slash) = rest.iter().position(|b| matches!(b, b'\\' | b'/'))
            && windows
            && rest[..slash].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'.' | b'-' | b'_'))
        {
            end += slash;
        }
        let is_nobody = ["shared", "public", "username", "default", "...", "..", "."]
            .iter()
            .any(|n| name.as_bytes().eq_ignore_ascii_case(n.as_bytes()));
        if rooted && !is_nobody {
            take(name.start()..end);
        }
    }
}
