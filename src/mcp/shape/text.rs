//! The language of the shape tables, read into definitions. `assets/shapes/common.txt` explains it.

use crate::mcp::methods::Method;
use crate::mcp::revision::{Revision, Revisions};

/// The tables.
pub(super) const FILES: [(&str, &str); 4] = [
    ("common.txt", include_str!("../../../assets/shapes/common.txt")),
    ("features.txt", include_str!("../../../assets/shapes/features.txt")),
    ("client.txt", include_str!("../../../assets/shapes/client.txt")),
    ("tasks.txt", include_str!("../../../assets/shapes/tasks.txt")),
];

/// A type as written.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// A builtin or a defined name.
    Name(&'static str),
    /// A string with just this value.
    Literal(&'static str),
    /// An array of these, with an upper bound if there is one.
    Array(Box<Expr>, Option<usize>),
    /// An object whose members are all like this.
    Map(Box<Expr>),
    /// One of these.
    Either(Vec<Expr>),
}

/// A line of an object.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// A member with its type.
    Member { name: &'static str, required: bool, ty: Expr },
    /// The type of all members that are not listed.
    Rest(Expr),
    /// The members of another object.
    Include(&'static str),
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// An object, line by line, each with the revisions that it holds in.
    Object(Vec<(Line, Revisions)>),
    /// Another type.
    Alias(Expr),
}

/// A name, where it is defined.
#[derive(Clone, Debug)]
pub(super) struct Def {
    pub name: &'static str,
    pub revisions: Revisions,
    pub body: Body,
}

/// Which part of a message a type is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The params; `required`: they may not be absent.
    Params { required: bool },
    /// A complete result.
    Result,
    /// The result that says that a task was made.
    Task,
}

/// The type of a part of a method's messages.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub part: Part,
    pub method: Method,
    pub revisions: Revisions,
    pub ty: Expr,
}

/// Everything that the files define.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    pub defs: Vec<Def>,
    pub bindings: Vec<Binding>,
}

/// Reads all files; an error names file, line and reason.
pub(super) fn read_all() -> Result<Definitions, String> {
    let mut out = Definitions::default();
    for (file, text) in FILES {
        for (n, line) in (1..).zip(text.lines()) {
            read_line(line, &mut out).map_err(|why| format!("{file}:{n}: {why}"))?;
        }
    }
    Ok(out)
}

fn read_line(line: &'static str, out: &mut Definitions) -> Result<(), String> {
    let inner = line.trim();
    if inner.is_empty() || inner.starts_with('#') {
        return Ok(());
    }
    let (inner, revisions) = qualifiers(inner)?;
    if line.starts_with(' ') {
        let Some(Def { body: Body::Object(lines), .. }) = out.defs.last_mut() else {
            return Err("a member without an object".to_owned());
        };
        lines.push((member(inner)?, revisions));
        return Ok(());
    }
    let (first, rest) = inner.split_once(' ').unwrap_or((inner, ""));
    let part = match first {
        "params" => Some(Part::Params { required: true }),
        "params?" => Some(Part::Params { required: false }),
        "result" => Some(Part::Result),
        "task" => Some(Part::Task),
        _ => None,
    };
    if let Some(part) = part {
        let (method, ty) = rest.trim().split_once(' ').ok_or("a method and a type are needed")?;
        let method = Method::lookup(method).ok_or_else(|| format!("unknown method {method}"))?;
        out.bindings.push(Binding { part, method, revisions, ty: expr(ty)? });
    } else if let Some((name, ty)) = inner.split_once('=') {
        out.defs.push(Def { name: name.trim(), revisions, body: Body::Alias(expr(ty)?) });
    } else if rest.is_empty() {
        out.defs.push(Def { name: first, revisions, body: Body::Object(Vec::new()) });
    } else {
        return Err(format!("cannot read {inner:?}"));
    }
    Ok(())
}

/// Cuts "from R", "until R" and "in R" off the end.
fn qualifiers(mut text: &'static str) -> Result<(&'static str, Revisions), String> {
    let mut revisions = Revisions::ALL;
    loop {
        let Some((before, last)) = text.rsplit_once(' ') else { return Ok((text, revisions)) };
        let Some(revision) = Revision::parse(last) else { return Ok((text, revisions)) };
        let before = before.trim_end();
        let (rest, word) = before.rsplit_once(' ').ok_or("a revision without from, until or in")?;
        revisions = revisions.and(match word {
            "from" => Revisions::since(revision),
            "until" => Revisions::until(revision),
            "in" => Revisions::of(&[revision]),
            _ => return Err(format!("{word} before a revision")),
        });
        text = rest.trim_end();
    }
}

fn member(text: &'static str) -> Result<Line, String> {
    let (name, ty) = text.split_once(' ').ok_or_else(|| format!("no type in {text:?}"))?;
    Ok(match name {
        "+" => Line::Include(ty.trim()),
        "*" => Line::Rest(expr(ty)?),
        _ => {
            let required = !name.ends_with('?');
            Line::Member { name: name.trim_end_matches('?'), required, ty: expr(ty)? }
        }
    })
}

fn expr(text: &'static str) -> Result<Expr, String> {
    // A bar inside brackets belongs to what is inside.
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    if let [one] = parts[..] {
        return single(one.trim());
    }
    Ok(Expr::Either(parts.into_iter().map(|p| single(p.trim())).collect::<Result<_, _>>()?))
}

fn single(text: &'static str) -> Result<Expr, String> {
    let within = |open, close| text.strip_prefix(open).and_then(|t: &str| t.strip_suffix(close));
    if let Some(inner) = within('[', ']') {
        let (of, max) = match inner.rsplit_once(';') {
            Some((of, max)) => (of, Some(max.parse().map_err(|_| format!("bad bound in {text:?}"))?)),
            None => (inner, None),
        };
        return Ok(Expr::Array(Box::new(expr(of)?), max));
    }
    if let Some(inner) = within('{', '}') {
        return Ok(Expr::Map(Box::new(expr(inner)?)));
    }
    if let Some(inner) = within('"', '"') {
        return Ok(Expr::Literal(inner));
    }
    if !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric()) {
        return Ok(Expr::Name(text));
    }
    Err(format!("no type: {text:?}"))
}
