//! Fast search for the bytes that end the plain part of a string.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Offset of the first quote, backslash or control character at or after `from`; the length where there is none.
///
/// Short strings are the rule: two words of eight bytes are looked at in place, then a function is called.
#[inline(always)]
pub(super) fn special(bytes: &[u8], from: usize) -> usize {
    let mut i = from;
    for _ in 0..2 {
        let Some(word) = bytes.get(i..).and_then(|rest| rest.first_chunk::<8>()) else { break };
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return i + (found.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    long(bytes, i)
}

/// Some words more, then blocks that the compiler turns into vector code.
#[inline(never)]
fn long(bytes: &[u8], from: usize) -> usize {
    let mut i = from;
    for words in [4, usize::MAX] {
        for _ in 0..words {
            let Some(word) = bytes.get(i..).and_then(|rest| rest.first_chunk::<8>()) else { return tail(bytes, i) };
            let found = marks(u64::from_le_bytes(*word));
            if found != 0 {
                return i + (found.trailing_zeros() / 8) as usize;
            }
            i += 8;
        }
        while let Some(block) = bytes.get(i..).and_then(|rest| rest.first_chunk::<64>()) {
            if block.iter().fold(false, |hit, &b| hit | is_special(b)) {
                break;
            }
            i += 64;
        }
    }
    tail(bytes, i)
}

fn tail(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|&b| is_special(b)).unwrap_or(rest.len())
}

fn is_special(b: u8) -> bool {
    (b == b'"') | (b == b'\\') | (b < 0x20)
}

/// High bit set in each special byte. Bytes above a marked one may be marked wrongly (borrow); the lowest is exact.
fn marks(word: u64) -> u64 {
    let zero = |w: u64| w.wrapping_sub(ONES) & !w;
    let quote = zero(word ^ (ONES * 0x22));
    let backslash = zero(word ^ (ONES * 0x5c));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_special_byte_wherever_it_stands() {
        for len in [0, 1, 7, 8, 9, 31, 32, 33, 40, 95, 96, 97, 100, 200] {
            let plain: Vec<u8> = (0..len).map(|i| if i % 3 == 0 { 0xC3 } else { 0x7F - (i % 5) as u8 }).collect();
            assert_eq!(special(&plain, 0), len, "nothing to find in {len}");
            for at in 0..len {
                for bad in [b'"', b'\\', 0, 0x1F] {
                    let mut text = plain.clone();
                    text[at] = bad;
                    if at + 1 < len {
                        text[at + 1] = b'"';
                    }
                    assert_eq!(special(&text, 0), at, "{bad:#x} at {at} of {len}");
                    assert_eq!(special(&text, at), at);
                }
            }
        }
        assert_eq!(special(b"abc", 3), 3);
    }
}
