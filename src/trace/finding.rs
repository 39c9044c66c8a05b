//! Findings: what a rule says about a record. A finding has one rule, one layer, one owner and at most one pointer.

use crate::wire::frame::Side;

/// The layers that are kept apart everywhere, because each has another owner and another proof.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// stdio framing, process life, HTTP heads and streams.
    Transport,
    /// Syntax and encoding inside one message.
    Json,
    /// Envelope and pairing.
    JsonRpc,
    /// Methods and shapes of a revision.
    Mcp,
    /// Tool names, arguments, results.
    Tool,
    /// Who may do what; secrets.
    Access,
}

impl Layer {
    /// The word in outputs and in the query language.
    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Transport => "transport",
            Layer::Json => "json",
            Layer::JsonRpc => "jsonrpc",
            Layer::Mcp => "mcp",
            Layer::Tool => "tool",
            Layer::Access => "access",
        }
    }

    /// All layers, from the wire up.
    pub const ALL: [Layer; 6] = [Layer::Transport, Layer::Json, Layer::JsonRpc, Layer::Mcp, Layer::Tool, Layer::Access];
}

/// How bad it is. Ordered: info is least.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth seeing.
    Info,
    /// Breaks a SHOULD, is deprecated, or is a likely bug.
    Warning,
    /// Breaks a MUST or the schema.
    Error,
}

impl Severity {
    /// The word in outputs and in the query language.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// As [`super::record::Record::worst`] holds it: 1 to 3.
    pub fn rank(self) -> u8 {
        self as u8 + 1
    }

    /// Back from a rank.
    pub fn from_rank(rank: u8) -> Option<Severity> {
        match rank {
            1 => Some(Severity::Info),
            2 => Some(Severity::Warning),
            3 => Some(Severity::Error),
            _ => None,
        }
    }
}

/// What a rule found.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// Its layer.
    pub layer: Layer,
    /// Its severity for the revision in force.
    pub severity: Severity,
    /// Who has to change something.
    pub owner: Side,
    /// The record that it is pinned to.
    pub record: u32,
    /// RFC 6901 pointer into the message, where it is about one place.
    pub pointer: Option<Box<str>>,
    /// One sentence: what is wrong here.
    pub message: Box<str>,
    /// What would be right.
    pub expected: Option<Box<str>>,
    /// What is there.
    pub actual: Option<Box<str>>,
    /// A record that shows why: the reply that could not be read, the end of the process. Findings on it come first.
    pub evidence: Option<u32>,
}
