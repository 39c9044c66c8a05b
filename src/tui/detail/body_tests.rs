//! Rows of bodies: members, folds, caps, text in strings.

#![allow(clippy::unwrap_used)]

use super::body::*;
use crate::wire::json::Document;
use std::sync::Arc;

fn body(json: &str) -> Body {
    let mut body = Body::default();
    let doc = body.add(Arc::new(Document::new(json.as_bytes())), 0);
    body.blocks.push(Block::Tree { doc, node: 0, label: None, skip: &["_meta"], folded: false });
    body.fit(40);
    body
}

fn keys(body: &Body) -> Vec<String> {
    body.rows
        .iter()
        .map(|r| match r {
            Row::Node { depth, .. } => {
                let (_, v) = body.value_of(r).unwrap();
                let key = v.key().map_or_else(|| v.position().unwrap_or(0).to_string(), |k| k.as_str().into());
                format!("{}{key}", "  ".repeat(usize::from(*depth)))
            }
            Row::More { hidden, of, .. } => format!("… {hidden} {of}"),
            Row::Text { range, .. } => format!("| {}", range.len()),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn members_elements_and_what_is_left_out() {
    let b = body(r#"{"_meta":{"a":1},"x":[1,{"y":2}],"z":{}}"#);
    assert_eq!(keys(&b), ["x", "  0", "  1", "    y", "z"]);
}

#[test]
fn folding_keeps_the_cursor() {
    let mut b = body(r#"{"x":[1,2],"z":3}"#);
    assert!(b.fold(false));
    assert_eq!(keys(&b), ["x", "z"]);
    assert!(!b.fold(false));
    assert!(b.fold(true));
    b.cursor = 2;
    assert_eq!(b.parent_row(), Some(0));
}

#[test]
fn long_arrays_are_capped() {
    let list: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let mut b = body(&format!("{{\"a\":[{}]}}", list.join(",")));
    assert_eq!(keys(&b), ["a"]);
    b.fold(true);
    assert_eq!(b.rows.len(), 102);
    assert_eq!(keys(&b)[101], "… 19900 elements");
    b.cursor = 101;
    assert!(b.show_more());
    assert_eq!(keys(&b).last().unwrap(), "… 19600 elements");
}

#[test]
fn json_in_a_string_is_opened() {
    let b = body(r#"{"text":"{\"total\":3,\"list\":[1]}"}"#);
    assert_eq!(keys(&b), ["text", "  total", "  list", "    0"]);
    assert_eq!(b.parts[1].inside, Some((0, 1)));
}

#[test]
fn deep_values_need_no_stack() {
    let json = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let mut b = body(&json);
    b.fold_all(true);
    assert!(b.rows.len() <= usize::from(DEPTH) + 2);
}

#[test]
fn bytes_as_they_came() {
    let mut b = body("{\"a\":\t1,\"é\":2}");
    b.set_look(Look::Hex);
    assert_eq!(b.rows.len(), 1);
    b.set_look(Look::Raw);
    assert_eq!(b.rows, [Row::Raw { doc: 0, range: 0..15 }]);
}
