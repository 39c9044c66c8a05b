//! What a rule is: metadata as constants, hooks as plain functions. Texts for people are in `assets/rules.toml`.

use crate::mcp::{Revision, Revisions};
use crate::trace::{Layer, Severity};

use super::cx::Cx;
use super::out::Out;

/// Who has to change something, as the catalogue says it. Always resolved to client or server in output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The client, whoever sent what.
    Client,
    /// The server.
    Server,
    /// Who sent the message that the finding is pinned to.
    Sender,
    /// Who owes the answer to the request that the finding is pinned to.
    Responder,
}

/// On which transport a rule applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wire {
    /// Everywhere.
    Any,
    /// Lines on pipes.
    Stdio,
    /// Streamable HTTP and HTTP+SSE.
    Http,
}

/// How often a rule speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    /// Each time.
    Each,
    /// The first time for each connection and sender.
    Once,
}

/// When a rule is asked. All hooks of a message run before the message changes the session, so a rule sees the state
/// that the message met; [`Cx::pairing`] tells what it answers or whose id it repeats.
#[derive(Clone, Copy)]
pub enum On {
    /// Each line on stdio, and each HTTP body or SSE event that should hold a message; message or not.
    Text(Check),
    /// Each message.
    Message(Check),
    /// Each request (not a known notification that carries an id).
    Request(Check),
    /// Each notification, also a request that came without its id.
    Notification(Check),
    /// Each result response.
    Result(Check),
    /// Each error response.
    Error(Check),
    /// Each HTTP frame (heads, SSE events, ends), before the message in it.
    Http(Check),
    /// Each event of the trace.
    Event(Check),
    /// Each request that is still open when its session ends, with [`Cx::open`].
    Unanswered(Check),
    /// The end of a session's wire.
    End(Check),
}

/// A hook.
pub type Check = fn(&Cx<'_>, &mut Out<'_>);

/// One rule of the catalogue.
pub struct Rule {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Which layer it judges.
    pub layer: Layer,
    /// Severity where no other is said.
    pub severity: Severity,
    /// Revisions whose text is softer or stricter.
    pub severity_by_revision: &'static [(Revision, Severity)],
    /// Who has to change something.
    pub owner: Owner,
    /// Revisions that it applies to.
    pub revisions: Revisions,
    /// Transport that it applies to.
    pub wire: Wire,
    /// How often it speaks.
    pub report: Report,
    /// 1 core, 2 next, 3 last.
    pub tier: u8,
    /// When it is asked.
    pub hooks: &'static [On],
}

impl Rule {
    /// Its severity under a revision.
    pub fn severity_in(&self, revision: Revision) -> Severity {
        self.severity_by_revision.iter().find(|(r, _)| *r == revision).map_or(self.severity, |(_, s)| *s)
    }

    /// Judges 2026-07-28 and nothing else.
    pub fn only_modern(&self) -> bool {
        self.revisions == Revisions::MODERN
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("id", &self.id).finish_non_exhaustive()
    }
}
