//! Asks the rules that apply, resolves severity and owner of what they say, applies precedence, and puts the findings
//! into the store.

use rustc_hash::FxHashSet;

use crate::mcp::Revision;
use crate::rules::{self, Cx, Draft, On, Out, Owner, Report, Rule, Wire, precedence, rule::Check};
use crate::trace::{Finding, Layer, Missing, Severity, Store};
use crate::wire::frame::Side;

/// The moments at which rules are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    Text,
    Message,
    Request,
    Notification,
    Result,
    Error,
    Http,
    Event,
    Unanswered,
    End,
}

const MOMENTS: usize = 10;

type Hooks = Vec<(&'static Rule, Check)>;

/// The rules by revision, transport and moment, and what they have said already.
pub(super) struct Engine {
    tables: Vec<[Hooks; MOMENTS]>,
    said: FxHashSet<(&'static str, u32, Side)>,
    drafts: Vec<Draft>,
    not_judged: Vec<(&'static str, Box<str>)>,
}

fn slot(revision: Revision, http: bool) -> usize {
    revision as usize * 2 + usize::from(http)
}

impl Engine {
    pub fn new(missing: Missing) -> Engine {
        let mut tables = Vec::new();
        for revision in Revision::ALL {
            for http in [false, true] {
                let mut hooks: [Hooks; MOMENTS] = Default::default();
                for rule in rules::all() {
                    let wire = match rule.wire {
                        Wire::Any => true,
                        Wire::Stdio => !http,
                        Wire::Http => http,
                    };
                    if !wire || !rule.revisions.has(revision) || rules::needs::unmet(rule, missing).is_some() {
                        continue;
                    }
                    for on in rule.hooks {
                        let (moment, check) = match *on {
                            On::Text(c) => (Moment::Text, c),
                            On::Message(c) => (Moment::Message, c),
                            On::Request(c) => (Moment::Request, c),
                            On::Notification(c) => (Moment::Notification, c),
                            On::Result(c) => (Moment::Result, c),
                            On::Error(c) => (Moment::Error, c),
                            On::Http(c) => (Moment::Http, c),
                            On::Event(c) => (Moment::Event, c),
                            On::Unanswered(c) => (Moment::Unanswered, c),
                            On::End(c) => (Moment::End, c),
                        };
                        hooks[moment as usize].push((rule, check));
                    }
                }
                tables.push(hooks);
            }
        }
        Engine { tables, said: FxHashSet::default(), drafts: Vec::new(), not_judged: Vec::new() }
    }

    /// Asks all rules of a moment. What they say waits until [`Engine::commit`].
    pub fn ask(&mut self, moment: Moment, cx: &Cx<'_>) {
        let hooks = &self.tables[slot(cx.revision, cx.is_http())][moment as usize];
        let cut = cx.message.is_some_and(|m| m.cut);
        for (rule, check) in hooks {
            // Of a message that was cut off, what its sender left out is not known.
            if cut && matches!(rule.layer, Layer::Mcp | Layer::Tool | Layer::Access) {
                continue;
            }
            let mut out = Out { rule, drafts: &mut self.drafts, not_judged: &mut self.not_judged };
            check(cx, &mut out);
        }
    }

    /// Puts what the rules said into the store; `kept` gets the indices of the findings. True if any rule said anything.
    pub fn commit(&mut self, store: &mut Store, record: u32, revision: Revision, kept: &mut Vec<u32>) -> bool {
        let spoke = !self.drafts.is_empty() || !self.not_judged.is_empty();
        for (rule, why) in self.not_judged.drain(..) {
            store.count_not_judged(rule, &why);
        }
        if self.drafts.is_empty() {
            return spoke;
        }
        let drafts = std::mem::take(&mut self.drafts);
        for draft in drafts {
            let on = draft.record.unwrap_or(record);
            let Some(pinned) = store.record(on) else { continue };
            let sender = pinned.dir.sender();
            let owner = draft.owner.unwrap_or(match draft.rule.owner {
                Owner::Client => Side::Client,
                Owner::Server => Side::Server,
                Owner::Sender => sender,
                Owner::Responder => sender.other(),
            });
            let conn = pinned.conn;
            if draft.rule.report == Report::Once && self.said.contains(&(draft.rule.id, conn, sender)) {
                continue;
            }
            let severity = draft.severity.unwrap_or_else(|| draft.rule.severity_in(revision));
            let finding = Finding {
                rule: draft.rule.id,
                layer: draft.rule.layer,
                severity,
                owner,
                record: on,
                pointer: draft.pointer,
                message: draft.message,
                expected: draft.expected,
                actual: draft.actual,
                evidence: draft.evidence,
            };
            if let Some(index) = add(store, finding) {
                if draft.rule.report == Report::Once {
                    self.said.insert((draft.rule.id, conn, sender));
                }
                kept.push(index);
            }
        }
        spoke
    }
}

/// Adds a finding unless one that is there replaces it; takes back those that it replaces.
fn add(store: &mut Store, finding: Finding) -> Option<u32> {
    let mut replaced = Vec::new();
    for (index, other) in store.findings_of(finding.record) {
        if replaces(other, &finding) {
            return None;
        }
        if replaces(&finding, other) {
            replaced.push(index);
        }
    }
    for index in replaced {
        store.retract_finding(index);
    }
    Some(store.add_finding(finding))
}

fn replaces(a: &Finding, b: &Finding) -> bool {
    if precedence::GENERAL.contains(&b.rule) && !precedence::GENERAL.contains(&a.rule) {
        return !precedence::BESIDE.contains(&a.rule)
            && a.severity >= Severity::Warning
            && matches!(a.layer, Layer::Mcp | Layer::Tool | Layer::JsonRpc);
    }
    precedence::replaces(a.rule, b.rule)
}
