//! What a rule says, before the engine resolves owner and severity and applies precedence.

use crate::trace::Severity;
use crate::wire::frame::Side;
use crate::wire::json::Value;

use super::rule::Rule;

/// A finding in the making. Pinned to the message (or line, or HTTP frame, or event) that is being judged unless
/// [`Draft::on`] says otherwise.
pub struct Draft {
    pub(crate) rule: &'static Rule,
    pub(crate) message: Box<str>,
    pub(crate) pointer: Option<Box<str>>,
    pub(crate) expected: Option<Box<str>>,
    pub(crate) actual: Option<Box<str>>,
    pub(crate) record: Option<u32>,
    pub(crate) owner: Option<Side>,
    pub(crate) severity: Option<Severity>,
    pub(crate) evidence: Option<u32>,
}

impl Draft {
    /// The place in the message.
    pub fn at(&mut self, value: Value<'_>) -> &mut Draft {
        self.pointer = Some(value.pointer().into());
        self
    }

    /// The place in the message, as an RFC 6901 pointer.
    pub fn pointer(&mut self, pointer: impl Into<String>) -> &mut Draft {
        self.pointer = Some(pointer.into().into());
        self
    }

    /// The place where a member is missing: the object's pointer and the member's name.
    pub fn missing(&mut self, object: Value<'_>, member: &str) -> &mut Draft {
        let mut pointer = object.pointer();
        crate::wire::json::pointer::push(&mut pointer, member);
        self.pointer = Some(pointer.into());
        self.actual.get_or_insert_with(|| "missing".into());
        self
    }

    /// What would be right.
    pub fn expected(&mut self, text: impl Into<String>) -> &mut Draft {
        self.expected = Some(text.into().into());
        self
    }

    /// What is there. Never put a secret here.
    pub fn actual(&mut self, text: impl Into<String>) -> &mut Draft {
        self.actual = Some(text.into().into());
        self
    }

    /// Pins the finding to another record than the one being judged.
    pub fn on(&mut self, record: u32) -> &mut Draft {
        self.record = Some(record);
        self
    }

    /// Names a record that shows why, so that both are seen as one incident.
    pub fn because_of(&mut self, record: u32) -> &mut Draft {
        self.evidence = (record != crate::trace::NONE).then_some(record);
        self
    }

    /// Says who has to change something, where the rule's default is not it.
    pub fn owner(&mut self, side: Side) -> &mut Draft {
        self.owner = Some(side);
        self
    }

    /// Says how bad it is, where the rule's default is not it (`severity_when` of the catalogue).
    pub fn severity(&mut self, severity: Severity) -> &mut Draft {
        self.severity = Some(severity);
        self
    }
}

/// Where a hook puts what it has to say.
pub struct Out<'a> {
    pub(crate) rule: &'static Rule,
    pub(crate) drafts: &'a mut Vec<Draft>,
    pub(crate) not_judged: &'a mut Vec<(&'static str, Box<str>)>,
}

impl Out<'_> {
    /// Reports a finding: one sentence that says what is wrong here, without advice.
    pub fn say(&mut self, message: impl Into<String>) -> &mut Draft {
        let index = self.drafts.len();
        self.drafts.push(Draft {
            rule: self.rule,
            message: message.into().into(),
            pointer: None,
            expected: None,
            actual: None,
            record: None,
            owner: None,
            severity: None,
            evidence: None,
        });
        &mut self.drafts[index]
    }

    /// Says that the rule could neither pass nor fail this, and why (the same words for the same reason).
    pub fn not_judged(&mut self, why: impl Into<String>) {
        self.not_judged.push((self.rule.id, why.into().into()));
    }
}
