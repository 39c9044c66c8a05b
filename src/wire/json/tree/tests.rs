#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;
use crate::wire::json::tests::any_json;

fn tree(text: &str) -> Tree {
    Tree::new(Arc::new(Document::new(text.as_bytes())), 0, Options::default())
}

fn shown(tree: &Tree) -> Vec<String> {
    (0..tree.len())
        .map(|i| {
            let row = tree.row(i).unwrap();
            let fold = match row.fold {
                Fold::Leaf => ' ',
                Fold::Open => '-',
                Fold::Closed => '+',
            };
            let label = match row.label {
                _ if row.hidden.is_some() => String::new(),
                Label::Root => String::new(),
                Label::Key(k) => format!("{}: ", k.as_str()),
                Label::Index(n) => format!("{n}: "),
            };
            format!("{fold}{}{label}{}", "  ".repeat(row.depth as usize), row.summary(60).text())
        })
        .collect()
}

const CALL: &str = r#"{"id":7,"params":{"name":"x","_meta":{"v":"2026-07-28"},"list":[1,{}]},"text":"{\"a\":[true]}"}"#;

#[test]
fn folds_and_opens() {
    let mut t = tree(CALL);
    let all = [
        "-{} 3",
        "   id: 7",
        "-  params: {} 3",
        "     name: \"x\"",
        "+    _meta: {\"v\": \"2026-07-28\"}",
        "-    list: [] 2",
        "       0: 1",
        "       1: {}",
        "-  text: {} 1 in a string",
        "-    a: [] 1",
        "       0: true",
    ];
    assert_eq!(shown(&t), all);
    assert!(t.toggle(2));
    assert_eq!(shown(&t)[2], "+  params: {\"name\": \"x\", \"_meta\": {\"v\": \"2026-07-28\"}, \"list\": [1, {}]}");
    assert_eq!(t.len(), 6);
    assert!(t.toggle(2));
    assert_eq!(shown(&t), all);
    assert!(t.toggle(4));
    assert_eq!(shown(&t)[5], "       v: \"2026-07-28\"");
    assert!(!t.toggle(1) && !t.toggle(999));
    assert!(t.set_all(0, false));
    assert_eq!(t.len(), 1);
    assert!(t.toggle(0));
    assert_eq!(t.len(), 4);
    assert!(t.set_all(0, true));
    assert_eq!(t.len(), 12);
    assert_eq!(t.parent_row(5), Some(4));
}

#[test]
fn rows_know_where_they_are() {
    let mut t = tree(CALL);
    for i in 0..t.len() {
        let at = t.location(i).unwrap();
        assert_eq!(t.row(i).map(|r| r.inside.is_some()), Some(i == 8));
        let found = if at.inside.is_empty() { t.find(&at.pointer) } else { t.find_inside(&at.pointer, &at.inside[0]) };
        assert_eq!(found, Some(i));
    }
    assert_eq!(
        t.location(10).unwrap(),
        Location { pointer: "/text".into(), inside: vec!["/a/0".into()], span: 78..94 }
    );
    t.set_all(0, false);
    assert_eq!(t.find("/params/_meta/v"), Some(5));
    assert_eq!(t.find("/params/missing/x"), Some(2));
    t.set_all(0, false);
    let i = t.find_inside("/text", "/a/0").unwrap();
    assert_eq!(shown(&t)[i], "       0: true");
    assert_eq!(
        t.find_offset(CALL.find("2026").unwrap()).map(|i| t.location(i).unwrap().pointer).unwrap(),
        "/params/_meta/v"
    );
}

#[test]
fn long_arrays_are_capped_and_shown_on_demand() {
    let numbers: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let mut t = tree(&format!(r#"{{"n":[{}]}}"#, numbers.join(",")));
    assert_eq!(t.len(), 103);
    assert_eq!(shown(&t)[102], "     … 19,900 more");
    assert!(t.toggle(102));
    assert_eq!(t.len(), 1003);
    assert_eq!(shown(&t)[1001..], ["     999: 999".to_owned(), "     … 19,000 more".to_owned()]);
    let i = t.find("/n/15000").unwrap();
    assert_eq!(shown(&t)[i], "     15000: 15000");
    assert!(t.row(t.len() - 1).unwrap().hidden.is_some());
    assert_eq!(tree(&format!("[{}]", numbers[..110].join(","))).len(), 111);
}

#[test]
fn nothing_to_show_and_torn_text() {
    assert!(tree("").is_empty() && tree("Server started").is_empty());
    assert_eq!(shown(&tree("\"x\"")), [" \"x\""]);
    assert_eq!(shown(&tree(r#"{"a":[1,"to"#)), ["-{} 1", "-  a: [] 2", "     0: 1", "     1: \"to"]);
    assert_eq!(shown(&tree(r#"{"a":"[not json]"}"#)), ["-{} 1", "   a: \"[not json]\""]);
    assert_eq!(shown(&tree(r#""[1]""#)), ["-[] 1 in a string", "   0: 1"]);
}

#[test]
fn any_depth() {
    let mut t = tree(&format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000)));
    assert_eq!(t.len(), 9);
    t.set_all(0, true);
    assert_eq!(t.len(), 200_001);
    assert!(t.row(100_000).unwrap().summary(40).columns <= 40);
    assert!(t.toggle(1));
    assert_eq!(t.len(), 2);
    assert_eq!(t.location(1).unwrap().pointer, "/0");
}

proptest! {
    /// Any sequence of keys leaves rows that are those of a fresh layout with the same folds, in order of the text.
    #[test]
    fn rows_stay_consistent(value in any_json(), keys in proptest::collection::vec((0usize..60, 0u8..4), 0..20)) {
        let text = value.to_string();
        let options = Options { cap: 3, open_depth: 2, ..Options::default() };
        let mut t = Tree::new(Arc::new(Document::new(text.into_bytes())), 0, options);
        for (i, key) in keys {
            let i = i % t.len();
            match key {
                0 | 1 => _ = t.toggle(i),
                2 => _ = t.set_all(i, true),
                _ => _ = t.set_all(i, false),
            }
            let kept = t.rows.clone();
            t.lay();
            prop_assert_eq!(&kept, &t.rows);
            for i in 0..t.len() {
                let row = t.row(i).unwrap();
                prop_assert!(row.summary(30).columns <= 30);
                prop_assert!(t.location(i).is_some());
                prop_assert_eq!(i == 0, row.depth == 0);
            }
        }
    }
}
