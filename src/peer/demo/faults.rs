//! The faults that the demo server can be told to commit: one table, from which help, the `misbehave` tool and tests live.

/// One fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Fault {
    /// Text that is no message on stdout.
    StdoutNoise,
    /// A modern result without `resultType`.
    MissingResultType,
    /// `resultType` with a value nobody defined.
    UnknownResultType,
    /// `structuredContent` that violates the tool's `outputSchema`.
    BadStructuredContent,
    /// A tool call that is never answered.
    NoAnswer,
    /// An error response without the id of its request.
    ErrorIdLost,
    /// A response whose id has another JSON type than the request's.
    IdTypeChanged,
    /// Another code for a missing resource than the revision's.
    WrongNotFoundCode,
    /// Progress for a request that was answered already.
    LateProgress,
    /// Two responses to one request.
    DuplicateResponse,
    /// A change notification that nobody subscribed to, or that was not announced.
    UnaskedChange,
    /// Half a message when the server ends.
    HalfLineAtExit,
    /// The process dies with requests open.
    Crash,
    /// Escape sequences, bidirectional overrides and zero-width text in results.
    HostileText,
    /// One message spread over several lines.
    PrettyJson,
    /// A byte order mark before the message.
    Bom,
    /// `NaN` in a result.
    NanLiteral,
    /// Tool arguments are not checked.
    AcceptInvalidArguments,
    /// `nextCursor` leads back to the same page.
    CursorLoop,
    /// A subscription that is never acknowledged.
    NoAcknowledge,
    /// A cancelled request is worked on and answered.
    IgnoreCancel,
    /// -32022 without the list of supported versions.
    VersionErrorBare,
    /// A request without the required `_meta` keys is served.
    MetaNotRequired,
    /// A response to a request that nobody sent.
    StrayResponse,
}

/// A row of [`FAULTS`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The fault.
    pub fault: Fault,
    /// Its name on the command line and in the `misbehave` tool.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// The rule of the catalogue that finds it in 2026-07-28; `None` where the protocol is not broken.
    pub rule: Option<&'static str>,
}

const fn row(fault: Fault, name: &'static str, rule: &'static str, help: &'static str) -> Row {
    Row { fault, name, help, rule: if rule.is_empty() { None } else { Some(rule) } }
}

/// Every fault, in the order of [`Fault`].
pub const FAULTS: &[Row] = &[
    row(Fault::StdoutNoise, "stdout-noise", "stdio-noise", "a line of plain text on stdout before each answer"),
    row(
        Fault::MissingResultType,
        "missing-result-type",
        "result-type-missing",
        "results of 2026-07-28 lack resultType",
    ),
    row(
        Fault::UnknownResultType,
        "unknown-result-type",
        "result-type-unknown",
        "results of 2026-07-28 have resultType \"done\"",
    ),
    row(
        Fault::BadStructuredContent,
        "bad-structured-content",
        "output-schema-violation",
        "structuredContent violates outputSchema",
    ),
    row(Fault::NoAnswer, "no-answer", "request-unanswered", "tool calls are never answered"),
    row(Fault::ErrorIdLost, "error-id-lost", "error-id-lost", "errors lose the id of their request"),
    row(
        Fault::IdTypeChanged,
        "id-type-changed",
        "id-type-changed",
        "answers to tool calls turn a number id into a string and back",
    ),
    row(
        Fault::WrongNotFoundCode,
        "wrong-not-found-code",
        "error-code-retired",
        "a missing resource gets the code of the other era",
    ),
    row(Fault::LateProgress, "late-progress", "progress-after-response", "progress is sent after the answer"),
    row(Fault::DuplicateResponse, "duplicate-response", "response-duplicate", "tool calls are answered twice"),
    row(
        Fault::UnaskedChange,
        "unasked-change",
        "change-without-subscription",
        "prompts/list_changed that nobody asked for, before each tool result",
    ),
    row(Fault::HalfLineAtExit, "half-line-at-exit", "truncated-at-eof", "the last line is cut off"),
    row(Fault::Crash, "crash", "stdio-server-exited", "a tool call ends the process with status 3"),
    row(Fault::HostileText, "hostile-text", "", "escape sequences and bidirectional overrides in tool results"),
    row(
        Fault::PrettyJson,
        "pretty-json",
        "json-embedded-newline",
        "answers to tool calls are spread over several lines",
    ),
    row(Fault::Bom, "bom", "json-bom", "a byte order mark before answers to tool calls"),
    row(Fault::NanLiteral, "nan", "json-nan-literal", "a NaN in tool results"),
    row(
        Fault::AcceptInvalidArguments,
        "accept-invalid-arguments",
        "tool-arguments-accepted-invalid",
        "tools run without a look at inputSchema",
    ),
    row(Fault::CursorLoop, "cursor-loop", "cursor-loop", "nextCursor leads back to the same page"),
    row(
        Fault::NoAcknowledge,
        "no-acknowledge",
        "subscription-before-ack",
        "subscriptions/listen is never acknowledged",
    ),
    row(Fault::IgnoreCancel, "ignore-cancel", "message-after-cancel", "cancelled calls go on and are answered"),
    row(Fault::VersionErrorBare, "version-error-bare", "version-error-data", "-32022 without data.supported"),
    row(
        Fault::MetaNotRequired,
        "meta-not-required",
        "meta-missing-accepted",
        "requests without the required _meta keys are served",
    ),
    row(
        Fault::StrayResponse,
        "stray-response",
        "response-unknown-id",
        "a response to a request that nobody sent, before each tool result",
    ),
];

/// The row of that name.
pub fn by_name(name: &str) -> Option<&'static Row> {
    FAULTS.iter().find(|row| row.name == name)
}

/// A set of faults.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FaultSet(u32);

impl FaultSet {
    /// No fault: the server is correct.
    pub const NONE: FaultSet = FaultSet(0);

    /// The set with `fault` in it.
    #[must_use]
    pub fn with(self, fault: Fault) -> FaultSet {
        FaultSet(self.0 | 1 << fault as u8)
    }

    /// The set without `fault`.
    #[must_use]
    pub fn without(self, fault: Fault) -> FaultSet {
        FaultSet(self.0 & !(1 << fault as u8))
    }

    /// The faults of both sets.
    #[must_use]
    pub fn union(self, other: FaultSet) -> FaultSet {
        FaultSet(self.0 | other.0)
    }

    /// Whether `fault` is to be committed.
    pub fn has(self, fault: Fault) -> bool {
        self.0 & 1 << fault as u8 != 0
    }
}

impl FromIterator<Fault> for FaultSet {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Self {
        faults.into_iter().fold(Self::NONE, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_its_names_are_unique() {
        for (index, row) in FAULTS.iter().enumerate() {
            assert_eq!(row.fault as usize, index, "{}", row.name);
            assert_eq!(by_name(row.name).map(|found| found.fault), Some(row.fault));
            assert!(!row.help.is_empty() && !row.help.ends_with('.'), "{}", row.name);
        }
        assert_eq!(Fault::StrayResponse as usize + 1, FAULTS.len());
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: FaultSet = [Fault::Bom, Fault::Crash].into_iter().collect();
        assert!(set.has(Fault::Bom) && set.has(Fault::Crash) && !set.has(Fault::NoAnswer));
        assert!(FaultSet::NONE.union(set).has(Fault::Bom));
    }
}
