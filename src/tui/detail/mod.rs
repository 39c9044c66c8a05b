//! What the panes show of one selection: built once when it is selected, from the bytes as they came.

pub mod body;
#[cfg(test)]
mod body_tests;
mod build;
mod payload;
pub mod words;
mod wrap;

use crate::trace::{NONE, RecordKind};

use super::data::Data;
use super::list::Sel;
use body::Body;
use words::Reason;

/// The panes of one selection.
#[derive(Clone, Debug)]
pub struct Detail {
    /// Of what.
    pub sel: Sel,
    /// What JSON-RPC and MCP carry.
    pub envelope: Body,
    /// What the tool sees.
    pub payload: Body,
    /// Findings by layer and owner.
    pub findings: Body,
    /// Why it was refused or is stuck, in one line.
    pub reason: Option<Reason>,
    /// What it was built from; when these change it is built again.
    pub stamp: Stamp,
}

/// What a detail depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    response: u32,
    findings: usize,
    outcome: u8,
    lines: u32,
}

impl Stamp {
    /// The stamp of a selection as the store has it now.
    pub fn of(data: &Data<'_>, sel: Sel) -> Stamp {
        let store = data.store;
        match sel {
            Sel::Exchange(e) => match store.exchanges.get(e as usize) {
                Some(x) => Stamp {
                    response: x.response,
                    findings: store.findings_of_exchange(e).len(),
                    outcome: x.outcome as u8,
                    lines: if x.outcome.is_open() { store.records.len() as u32 } else { x.retried_by },
                },
                None => Stamp { response: NONE, findings: 0, outcome: 0, lines: 0 },
            },
            Sel::Record(r) => {
                let burst = match store.record(r) {
                    Some(record) if record.kind == RecordKind::Stderr => store.records.len() as u32,
                    _ => 0,
                };
                Stamp { response: NONE, findings: store.findings_of(r).count(), outcome: 0, lines: burst }
            }
        }
    }
}

impl Detail {
    /// Builds the panes of a selection. Reads payloads.
    pub fn build(data: &Data<'_>, sel: Sel) -> Detail {
        build::build(data, sel)
    }

    /// Takes folds and places over from the same selection as it was before.
    pub fn inherit(&mut self, old: Detail) {
        self.envelope.inherit(old.envelope);
        self.payload.inherit(old.payload);
        self.findings.inherit(old.findings);
    }
}
