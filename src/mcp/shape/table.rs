//! The shape tables of one revision, ready to be checked against.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::text::{Body, Definitions, Expr, Line, Part, read_all};
use crate::mcp::methods::Method;
use crate::mcp::revision::Revision;

/// Number of a type in its table.
pub(super) type TypeId = u16;

/// Sets of JSON types, one bit each.
pub(super) mod kinds {
    pub const NULL: u8 = 1;
    pub const BOOL: u8 = 2;
    pub const NUMBER: u8 = 4;
    /// A number without fractional part; [`NUMBER`] includes it.
    pub const INTEGER: u8 = 8;
    pub const STRING: u8 = 16;
    pub const ARRAY: u8 = 32;
    pub const OBJECT: u8 = 64;
}

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// Every value.
    Any,
    /// A value of one of these JSON types.
    Kinds(u8),
    /// An integer of at least 0.
    Count,
    /// A number from 0 to 1.
    Fraction,
    /// One of these strings.
    Enum(Vec<&'static str>),
    /// An array of these.
    Array(TypeId, Option<usize>),
    /// An object whose members are all like this.
    Map(TypeId),
    /// An object with known members.
    Object(Object),
    /// One of several types.
    Union(Union),
}

/// An object with known members.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub members: Vec<Member>,
    /// Bit i: member i has to be there.
    pub required: u64,
    /// What members that are not listed have to be; anything if `None`.
    pub rest: Option<TypeId>,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: &'static str,
    pub ty: TypeId,
}

/// One of several types, told apart by the kind of the value, and objects by a member if they have one for it.
#[derive(Clone, Debug)]
pub(super) struct Union {
    pub objects: Vec<TypeId>,
    pub others: Vec<TypeId>,
    pub tag: Option<Tag>,
}

/// The member whose value says which object it is.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub key: &'static str,
    /// Value, and the objects that it may mean.
    pub cases: Vec<(&'static str, Vec<TypeId>)>,
    /// The objects that it may be without the member.
    pub absent: Vec<TypeId>,
}

/// All types of a revision, and the types of its methods.
#[derive(Debug, Default)]
pub(super) struct Table {
    types: Vec<Type>,
    names: HashMap<&'static str, TypeId>,
    params: Vec<Option<(TypeId, bool)>>,
    results: Vec<Option<TypeId>>,
    tasks: Vec<Option<TypeId>>,
}

impl Table {
    /// The table of a revision; made when it is first asked for.
    pub(super) fn of(revision: Revision) -> &'static Table {
        static TABLES: [OnceLock<Table>; 5] = [const { OnceLock::new() }; 5];
        // A table that cannot be made is a fault of the assets, which a test finds; nothing is judged by it then.
        TABLES[revision as usize].get_or_init(|| Table::make(revision).unwrap_or_default())
    }

    pub(super) fn make(revision: Revision) -> Result<Table, String> {
        let definitions = read_all()?;
        let mut maker = Maker { definitions: &definitions, revision, table: Table::default(), open: Vec::new() };
        let names: Vec<&'static str> =
            definitions.defs.iter().filter(|d| d.revisions.has(revision)).map(|d| d.name).collect();
        for name in names {
            // A helper of another revision may name what this one lacks; the bindings decide what has to be there.
            let before = maker.table.types.len();
            if maker.named(name).is_err() {
                maker.open.clear();
                maker.table.types.truncate(before);
                maker.table.names.retain(|_, id| (*id as usize) < before);
            }
        }
        let count = Method::ALL.len();
        maker.table.params = vec![None; count];
        maker.table.results = vec![None; count];
        maker.table.tasks = vec![None; count];
        for b in definitions.bindings.iter().filter(|b| b.revisions.has(revision)) {
            let exists = b.method.is_in(revision)
                || b.method.extension(revision).is_some()
                || (revision.is_modern() && b.method.is_input_request());
            if !exists {
                continue;
            }
            let ty = maker.make(&b.ty).map_err(|e| format!("{} in {revision}: {e}", b.method.name()))?;
            let slot = b.method as usize;
            match b.part {
                Part::Params { required } => maker.table.params[slot] = Some((ty, required)),
                Part::Result => maker.table.results[slot] = Some(ty),
                Part::Task => maker.table.tasks[slot] = Some(ty),
            }
        }
        Ok(maker.table)
    }

    pub(super) fn get(&self, id: TypeId) -> &Type {
        // Ids come from this table alone; the fallback only avoids a panic.
        self.types.get(id as usize).unwrap_or(&Type::Any)
    }

    pub(super) fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&'static str, TypeId)> {
        self.names.iter().map(|(n, id)| (*n, *id))
    }

    pub(super) fn params(&self, method: Method) -> Option<(TypeId, bool)> {
        self.params.get(method as usize).copied().flatten()
    }

    pub(super) fn result(&self, method: Method) -> Option<TypeId> {
        self.results.get(method as usize).copied().flatten()
    }

    pub(super) fn task(&self, method: Method) -> Option<TypeId> {
        self.tasks.get(method as usize).copied().flatten()
    }
}

struct Maker<'a> {
    definitions: &'a Definitions,
    revision: Revision,
    table: Table,
    /// Names being made: one that needs itself would have no end.
    open: Vec<&'static str>,
}

impl Maker<'_> {
    fn push(&mut self, ty: Type) -> Result<TypeId, String> {
        let id = TypeId::try_from(self.table.types.len()).map_err(|_| "too many types")?;
        self.table.types.push(ty);
        Ok(id)
    }

    fn named(&mut self, name: &'static str) -> Result<TypeId, String> {
        if let Some(id) = self.table.named(name) {
            return Ok(id);
        }
        let id = match name {
            "any" => self.push(Type::Any)?,
            "null" => self.push(Type::Kinds(kinds::NULL))?,
            "boolean" => self.push(Type::Kinds(kinds::BOOL))?,
            "number" => self.push(Type::Kinds(kinds::NUMBER | kinds::INTEGER))?,
            "integer" => self.push(Type::Kinds(kinds::INTEGER))?,
            "string" => self.push(Type::Kinds(kinds::STRING))?,
            "array" => self.push(Type::Kinds(kinds::ARRAY))?,
            "object" => self.push(Type::Kinds(kinds::OBJECT))?,
            "count" => self.push(Type::Count)?,
            "fraction" => self.push(Type::Fraction)?,
            _ => self.defined(name)?,
        };
        self.table.names.insert(name, id);
        Ok(id)
    }

    fn body(&self, name: &str) -> Result<&Body, String> {
        let mut found = self.definitions.defs.iter().filter(|d| d.name == name && d.revisions.has(self.revision));
        let first = found.next().ok_or_else(|| format!("{name} is not defined"))?;
        if found.next().is_some() {
            return Err(format!("{name} is defined twice"));
        }
        Ok(&first.body)
    }

    fn defined(&mut self, name: &'static str) -> Result<TypeId, String> {
        if self.open.contains(&name) {
            return Err(format!("{name} contains itself"));
        }
        self.open.push(name);
        let id = match self.body(name)?.clone() {
            Body::Alias(expr) => self.make(&expr)?,
            Body::Object(lines) => {
                let mut object = Object::default();
                self.members(&lines, &mut object)?;
                self.push(Type::Object(object))?
            }
        };
        self.open.pop();
        Ok(id)
    }

    fn members(
        &mut self,
        lines: &[(Line, crate::mcp::revision::Revisions)],
        object: &mut Object,
    ) -> Result<(), String> {
        for (line, revisions) in lines {
            if !revisions.has(self.revision) {
                continue;
            }
            match line {
                Line::Member { name, required, ty } => {
                    let ty = self.make(ty)?;
                    if object.members.iter().any(|m| m.name == *name) || object.members.len() == 64 {
                        return Err(format!("member {name} is there twice, or the 65th"));
                    }
                    object.required |= u64::from(*required) << object.members.len();
                    object.members.push(Member { name, ty });
                }
                Line::Rest(ty) => object.rest = Some(self.make(ty)?),
                Line::Include(name) => match self.body(name)?.clone() {
                    Body::Object(lines) => self.members(&lines, object)?,
                    Body::Alias(_) => return Err(format!("{name} is no object")),
                },
            }
        }
        Ok(())
    }

    fn make(&mut self, expr: &Expr) -> Result<TypeId, String> {
        match expr {
            Expr::Name(name) => self.named(name),
            Expr::Literal(text) => self.push(Type::Enum(vec![text])),
            Expr::Array(of, max) => {
                let of = self.make(of)?;
                self.push(Type::Array(of, *max))
            }
            Expr::Map(of) => {
                let of = self.make(of)?;
                self.push(Type::Map(of))
            }
            Expr::Either(list) => self.either(list),
        }
    }

    fn either(&mut self, list: &[Expr]) -> Result<TypeId, String> {
        let mut mask = 0;
        let mut words = Vec::new();
        let mut objects = Vec::new();
        let mut others = Vec::new();
        for part in list {
            if let Expr::Literal(text) = part {
                words.push(*text);
                continue;
            }
            let id = self.make(part)?;
            match self.table.get(id) {
                Type::Kinds(k) => mask |= k,
                Type::Object(_) => objects.push(id),
                Type::Union(u) => {
                    objects.extend_from_slice(&u.objects);
                    others.extend_from_slice(&u.others);
                }
                _ => others.push(id),
            }
        }
        if !words.is_empty() {
            let ty = Type::Enum(words);
            if list.iter().all(|p| matches!(p, Expr::Literal(_))) {
                return self.push(ty);
            }
            others.push(self.push(ty)?);
        }
        if mask != 0 {
            if objects.is_empty() && others.is_empty() {
                return self.push(Type::Kinds(mask));
            }
            others.push(self.push(Type::Kinds(mask))?);
        }
        let tag = self.tag(&objects);
        self.push(Type::Union(Union { objects, others, tag }))
    }

    /// The member that tells objects apart: each of them has it, with words of its own.
    fn tag(&self, objects: &[TypeId]) -> Option<Tag> {
        let object = |id: TypeId| match self.table.get(id) {
            Type::Object(o) => Some(o),
            _ => None,
        };
        let words = |o: &Object, key: &str| -> Option<(Vec<&'static str>, bool)> {
            let i = o.members.iter().position(|m| m.name == key)?;
            match self.table.get(o.members[i].ty) {
                Type::Enum(words) => Some((words.clone(), o.required & (1 << i) != 0)),
                _ => None,
            }
        };
        let first = object(*objects.first()?)?;
        let key = first
            .members
            .iter()
            .map(|m| m.name)
            .find(|key| objects.iter().all(|id| object(*id).is_some_and(|o| words(o, key).is_some())))?;
        let mut tag = Tag { key, cases: Vec::new(), absent: Vec::new() };
        for id in objects {
            let (words, required) = words(object(*id)?, key)?;
            for word in words {
                match tag.cases.iter_mut().find(|(w, _)| *w == word) {
                    Some((_, ids)) => ids.push(*id),
                    None => tag.cases.push((word, vec![*id])),
                }
            }
            if !required {
                tag.absent.push(*id);
            }
        }
        Some(tag)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tables_can_be_made_and_cover_every_method() {
        for revision in Revision::ALL {
            let table = Table::make(revision).unwrap();
            for m in Method::ALL {
                let has = m.is_in(revision)
                    || m.extension(revision).is_some()
                    || (revision.is_modern() && m.is_input_request());
                assert_eq!(table.params(*m).is_some(), has, "{} in {revision}", m.name());
                let request = m.kind() == crate::mcp::methods::Kind::Request;
                assert_eq!(table.result(*m).is_some(), has && request, "{} in {revision}", m.name());
                assert_eq!(table.task(*m).is_some(), m.may_become_task(revision), "{} in {revision}", m.name());
            }
        }
    }

    #[test]
    fn only_what_a_revision_lacks_is_left_out() {
        // Every definition that holds in the revision and is used by it was made: each binding succeeded above. Those
        // left out must be helpers whose own parts are of other revisions.
        let definitions = read_all().unwrap();
        for d in &definitions.defs {
            assert!(d.revisions.iter().any(|r| Table::of(r).named(d.name).is_some()), "{} is never usable", d.name);
        }
    }

    #[test]
    fn objects_are_told_apart_by_a_member() {
        let table = Table::of(Revision::V2025_11_25);
        let tag = |name| match table.get(table.named(name).unwrap()) {
            Type::Union(u) => u.tag.as_ref().map(|t| (t.key, t.cases.len(), t.absent.len())),
            other => panic!("{other:?}"),
        };
        assert_eq!(tag("Block"), Some(("type", 5, 0)));
        assert_eq!(tag("ElicitParams"), Some(("mode", 2, 1)));
        assert_eq!(tag("Contents"), None);
        assert_eq!(tag("Field"), Some(("type", 5, 0)));
    }
}
