//! JSON Pointer (RFC 6901).

use std::borrow::Cow;

/// Escapes one reference token: `~` as `~0`, `/` as `~1` (section 3).
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.bytes().any(|b| matches!(b, b'~' | b'/')) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

/// Reads one reference token (section 4): `~1` first, so that `~01` is `~1`.
pub fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') { Cow::Owned(token.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(token) }
}

/// The tokens of a pointer, unescaped; `None` where it does not begin with `/` and is not empty.
pub fn tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let rest = match pointer.strip_prefix('/') {
        Some(rest) => Some(rest),
        None if pointer.is_empty() => None,
        None => return None,
    };
    Some(rest.into_iter().flat_map(|r| r.split('/')).map(unescape))
}

/// An array index: decimal digits without leading zeros (section 4).
pub fn array_index(token: &str) -> Option<usize> {
    let plain =
        token == "0" || (!token.starts_with('0') && !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()));
    if plain { token.parse().ok() } else { None }
}

/// Appends a token to a pointer.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&escape(token));
}
