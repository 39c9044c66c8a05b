//! Names that say what their value is: of members, variables, parameters, headers and flags. Wider than what is warned
//! about: here a doubt goes to the side of the reader who must not see it.

use crate::wire::secrets::{self, Name};

/// Ends of names, in lower case without separators, whose value is a secret whatever it looks like.
const STRONG: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "apikey",
    "secretkey",
    "clientsecret",
    "privatekey",
    "secretaccesskey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "bearertoken",
    "apitoken",
    "authorization",
    "sharedsecret",
    "appsecret",
    "signingsecret",
    "webhooksecret",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "sharedaccesskey",
    "subscriptionkey",
    "licensekey",
    "deploykey",
    "servicerolekey",
    "mnemonic",
    "seedphrase",
    "codeverifier",
    "clientassertion",
    "personalaccesstoken",
    "securitytoken",
    "connectionstring",
    "setcookie",
    "pgpassword",
    "xsrftoken",
    "sessioncookie",
    "jwtsecret",
    "secretvalue",
    "githubtoken",
    "npmtoken",
    "slacktoken",
    "botpassword",
    "dbpass",
];

/// Names that are secrets as a whole only.
const STRONG_WHOLE: &[&str] =
    &["pwd", "pass", "jwt", "bearer", "otp", "totp", "pat", "apppassword", "cookie", "xapikey"];

/// Ends of names whose value is a secret if it looks made by a machine.
const WEAK: &[&str] = &[
    "token",
    "secret",
    "accesskey",
    "accesskeyid",
    "credential",
    "credentials",
    "sessionid",
    "sessionkey",
    "signature",
    "sastoken",
    "cookie",
    "authkey",
    "pat",
    "jwt",
    "assertion",
    "authcode",
    "hmac",
    "servicekey",
    "hookurl",
    "auth",
    "dsn",
];

/// Names as a whole whose value is a secret if it looks made by a machine.
const WEAK_WHOLE: &[&str] = &["sig", "code", "sid", "nonce"];

/// Tokens that lead on, count or confirm, and are no secrets.
const HARMLESS: &[&str] = &[
    "progresstoken",
    "nexttoken",
    "pagetoken",
    "nextpagetoken",
    "continuationtoken",
    "synctoken",
    "cancellationtoken",
    "maxtoken",
    "stoptoken",
    "starttoken",
    "endtoken",
    "cursortoken",
    "publickey",
    "primarykey",
    "foreignkey",
];

/// What a name says of its value.
pub(super) fn name(text: &[u8]) -> Option<Name> {
    if text.len() < 2 || text.len() > 60 {
        return None;
    }
    let n: Vec<u8> = text.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    let ends = |list: &[&str]| list.iter().any(|w| n.ends_with(w.as_bytes()));
    let is = |list: &[&str]| list.iter().any(|w| n == w.as_bytes());
    if ends(HARMLESS) {
        None
    } else if ends(STRONG) || is(STRONG_WHOLE) {
        Some(Name::Strong)
    } else if ends(WEAK) || is(WEAK_WHOLE) {
        Some(Name::Weak)
    } else {
        secrets::name(text)
    }
}

/// Whether a header holds a credential.
pub(super) fn is_secret_header(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(secrets::is_secret_header)
        || (name.contains(&b'-') && self::name(name) == Some(Name::Strong))
        || [&b"x-csrf-token"[..], b"private-token", b"x-amz-security-token", b"x-vault-token", b"x-gitlab-token"]
            .iter()
            .any(|n| name.eq_ignore_ascii_case(n))
}

/// The kind in the replacement, by the name.
pub(super) fn kind(name: &[u8]) -> &'static str {
    let n: Vec<u8> = name.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    let has = |w: &str| memchr::memmem::find(&n, w.as_bytes()).is_some();
    [
        ("pass", "password"),
        ("pwd", "password"),
        ("cookie", "cookie"),
        ("session", "session"),
        ("auth", "authorization"),
        ("sig", "signature"),
        ("token", "token"),
        ("key", "key"),
        ("secret", "secret"),
    ]
    .iter()
    .find(|(w, _)| has(w))
    .map_or("named", |(_, kind)| kind)
}
