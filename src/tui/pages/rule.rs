//! A rule of the catalogue with its examples.

use crate::rules::catalogue;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;

use super::{blank, heading, line, wrap};

pub(super) fn lines(id: &str, width: usize) -> Option<(String, Vec<PageLine>)> {
    let e = catalogue::entry(id)?;
    let width = width.min(100);
    let ink = match e.severity.as_str() {
        "error" => Ink::Error,
        "warning" => Ink::Warning,
        _ => Ink::Info,
    };
    let mut lines = vec![
        line(vec![(Ink::Strong, e.title.clone())]),
        line(vec![
            (ink, e.severity.clone()),
            (Ink::Dim, "  layer ".into()),
            (Ink::Text, e.layer.clone()),
            (Ink::Dim, "  to be fixed by the ".into()),
            (Ink::Text, e.owner.clone()),
            (Ink::Dim, "  basis ".into()),
            (Ink::Text, e.basis.clone()),
        ]),
        line(vec![
            (Ink::Dim, "revisions ".into()),
            (Ink::Text, e.revisions.iter().map(|r| r.to_string()).collect::<Vec<_>>().join(", ")),
            (Ink::Dim, format!("  on {}", if e.wire == "any" { "stdio and HTTP" } else { &e.wire })),
        ]),
    ];
    for (revision, severity) in &e.severity_by_revision {
        lines.push(line(vec![(Ink::Dim, format!("in {revision} ")), (Ink::Text, severity.clone())]));
    }
    lines.push(blank());
    lines.extend(wrap(&e.explain, width).into_iter().map(|t| line(vec![(Ink::Text, t)])));
    lines.push(blank());
    lines.push(line(vec![(Ink::Dim, "looks at  ".into()), (Ink::Text, e.applies_to.clone())]));
    for (i, t) in wrap(&e.spec, width.saturating_sub(10)).into_iter().enumerate() {
        lines.push(line(vec![(Ink::Dim, if i == 0 { "spec      ".into() } else { " ".repeat(10) }), (Ink::Text, t)]));
    }
    for (name, value) in &e.defaults {
        lines.push(line(vec![(Ink::Dim, "limit     ".into()), (Ink::Text, format!("{name} = {value}"))]));
    }
    for (title, text, bad) in [("Wrong", &e.bad, Some(e.bad_line)), ("Right", &e.good, None)] {
        lines.push(blank());
        lines.push(heading(title));
        for (i, text) in text.trim_end().lines().enumerate() {
            let here = bad == Some(i as u32 + 1);
            lines.push(line(vec![
                (ink, if here { "✖ ".into() } else { "  ".into() }),
                (if here { Ink::Text } else { Ink::Dim }, text.to_owned()),
            ]));
        }
    }
    Some((format!("rule {id}"), lines))
}
