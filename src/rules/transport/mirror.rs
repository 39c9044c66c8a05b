//! Headers that mirror the body (2026-07-28 basic/transports/streamable-http#value-encoding, #server-validation).

use crate::mcp::headers::{self, ValueFault};
use crate::wire::frame::Http;

/// Rules that say that a mirrored header is missing, wrong or badly written.
pub(super) const RULES: &[&str] = &[
    "http-version-header-missing",
    "http-version-header-mismatch",
    "http-method-header",
    "http-name-header",
    "http-param-header",
    "http-header-encoding",
];

/// How a header stands to the value that it mirrors.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Mirror {
    /// It is the same.
    Same,
    /// It is not there.
    Missing,
    /// It says something else; what, decoded.
    Differs(String),
    /// It is not written as it has to be, and why.
    Encoding(&'static str),
}

/// Compares a header with the text that it mirrors.
pub(super) fn compare(http: &Http<'_>, name: &str, value: &str) -> Mirror {
    let Some(header) = http.header(name) else { return Mirror::Missing };
    let plain = header.trim_matches([' ', '\t']);
    if !headers::is_plain(value) && plain == value.trim_matches([' ', '\t']) {
        return Mirror::Encoding("the value has to be sent in its Base64 form");
    }
    match headers::decode(header) {
        Ok(text) if text == value => Mirror::Same,
        Ok(text) => Mirror::Differs(text),
        Err(fault) => Mirror::Encoding(why(fault)),
    }
}

/// What is wrong with the way a header value is written.
pub(super) fn why(fault: ValueFault) -> &'static str {
    match fault {
        ValueFault::Base64 => "between the markers stands no standard Base64",
        ValueFault::Utf8 => "the Base64 form holds bytes that are not UTF-8",
        ValueFault::Character => "characters outside of printable ASCII have to be sent in the Base64 form",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::HttpKind;

    #[test]
    fn headers_against_values() {
        let mut http = Http::new(HttpKind::Request, 1);
        let mut check = |header: &str, value: &str| {
            http.headers = vec![("Mcp-Name".into(), header.to_owned().into())];
            compare(&http, headers::NAME, value)
        };
        assert_eq!(check("add  ", "add"), Mirror::Same);
        assert_eq!(check("=?base64?Z3LDtsOfZQ==?=", "größe"), Mirror::Same);
        assert!(matches!(check("größe", "größe"), Mirror::Encoding(_)));
        assert!(matches!(check("add", " add"), Mirror::Encoding(_)));
        assert!(matches!(check("=?base64?eA==?=", "=?base64?eA==?="), Mirror::Encoding(_)));
        assert!(matches!(check("=?base64?eA?=", "x"), Mirror::Encoding(_)));
        assert_eq!(check("Add", "add"), Mirror::Differs("Add".to_owned()));
        assert_eq!(compare(&http, headers::METHOD, "x"), Mirror::Missing);
    }
}
