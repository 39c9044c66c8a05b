//! The fuzz targets' functions over the corpus and over random input.

#![allow(clippy::unwrap_used)]

mod bodies;

use proptest::prelude::*;

/// Runs one function over the files of its corpus.
fn corpus(target: &str, body: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not here", folder.display());
        return;
    };
    let mut count = 0;
    for file in files {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        body(&bytes);
        for cut in 0..bytes.len().min(300) {
            body(&bytes[..cut]);
        }
        count += 1;
    }
    assert!(count > 0, "{} holds no files", folder.display());
}

#[test]
fn corpora() {
    corpus("json_parse", bodies::json_parse);
    corpus("lines", bodies::lines);
    corpus("sse", bodies::sse);
    corpus("visible", bodies::visible);
}

/// Recordings of real peers: each line is JSON and holds JSON.
#[test]
fn recordings() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/traces/raw"));
    let Ok(files) = std::fs::read_dir(folder) else {
        eprintln!("skipped: {} is not here", folder.display());
        return;
    };
    for file in files {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bodies::lines(&bytes[..bytes.len().min(100_000)]);
        for line in bytes.split(|b| *b == b'\n').filter(|l| l.len() < 20_000).take(40) {
            bodies::json_parse(line);
            bodies::visible(line);
        }
    }
}

proptest! {
    #[test]
    fn json_parse(data in r#"([\[\]{},: \n\t"\\/.eE+-]|[0-9]|\\u[0-9a-f]{4}|"[a-c]"|"[a-c]":|null|true|NaN|"\{\\"a\\":1\}"|\PC){0,40}"#) {
        bodies::json_parse(data.as_bytes());
    }

    #[test]
    fn any_bytes(data in proptest::collection::vec(any::<u8>(), 0..120)) {
        bodies::json_parse(&data);
        bodies::lines(&data);
        bodies::sse(&data);
        bodies::visible(&data);
    }

    #[test]
    fn lines(data in "[a\r\n\0]{0,60}") {
        bodies::lines(data.as_bytes());
    }

    #[test]
    fn sse(data in "(data|event|id|retry|: |:|\n|\r|\r\n|7|x|\u{FEFF}){0,60}") {
        bodies::sse(data.as_bytes());
    }

    #[test]
    fn visible(data in "([\u{0}-\u{a0}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{2069}\u{fe0f}\u{e0020}-\u{e007f}\u{301}]|👩|🏴|日|می|\\PC){0,60}") {
        bodies::visible(data.as_bytes());
    }
}
