//! The names of the language: fields and `is:` words.

/// A field of an exchange or line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// JSON-RPC method.
    Method,
    /// Name of the tool of a `tools/call`.
    Tool,
    /// Name of the prompt of a `prompts/get`.
    Prompt,
    /// Uri of a resource.
    Uri,
    /// Any of these three.
    Target,
    /// The id, with its type.
    Id,
    /// Who began it.
    Dir,
    /// Connection.
    Conn,
    /// The program that started the tap.
    Host,
    /// The client, as it calls itself.
    Client,
    /// The server, as it calls itself.
    Server,
    /// Revision that it is judged by.
    Revision,
    /// `modern` or `legacy`.
    Era,
    /// How it stands.
    Outcome,
    /// Code of a JSON-RPC error.
    Code,
    /// HTTP status of the answer.
    HttpStatus,
    /// A header of the request or the answer, by name.
    HttpHeader(String),
    /// From request to answer.
    Latency,
    /// Bytes of request and answer.
    Size,
    /// When it began.
    Time,
    /// Its number.
    N,
    /// Rule of a finding.
    Rule,
    /// Layer of a finding.
    Layer,
    /// Severity of a finding.
    Severity,
    /// Who has to mend it.
    Owner,
    /// A line of the server's standard error.
    Stderr,
    /// The bytes.
    Text,
}

/// What begins the name of a header field.
pub(super) const HEADER: &str = "http.header.";

impl Field {
    /// All fields with a fixed name, with what they are in a few words.
    pub const ALL: [(Field, &'static str, &'static str); 26] = [
        (Field::Method, "method", "JSON-RPC method"),
        (Field::Tool, "tool", "tool that is called"),
        (Field::Prompt, "prompt", "prompt that is asked for"),
        (Field::Uri, "uri", "resource that is asked for"),
        (Field::Target, "target", "tool, prompt or resource"),
        (Field::Id, "id", "7 the number, \"7\" the string"),
        (Field::Dir, "dir", "who began it: c2s, s2c, err"),
        (Field::Conn, "conn", "connection"),
        (Field::Host, "host", "program that started the tap"),
        (Field::Client, "client", "the client's own name"),
        (Field::Server, "server", "the server's own name"),
        (Field::Revision, "revision", "revision in force"),
        (Field::Era, "era", "modern or legacy"),
        (Field::Outcome, "outcome", "ok, tool_error, protocol_error …"),
        (Field::Code, "code", "JSON-RPC error code"),
        (Field::HttpStatus, "http.status", "HTTP status"),
        (Field::Latency, "latency", "from request to answer: 500ms, 2s"),
        (Field::Size, "size", "bytes of request and answer: 1.5k, 2M"),
        (Field::Time, "time", "seconds since the start, 12:03:04, RFC 3339"),
        (Field::N, "n", "its number"),
        (Field::Rule, "rule", "rule of a finding"),
        (Field::Layer, "layer", "layer of a finding"),
        (Field::Severity, "severity", "severity of a finding"),
        (Field::Owner, "owner", "who has to mend it: client, server"),
        (Field::Stderr, "stderr", "a line of the server's stderr"),
        (Field::Text, "text", "the bytes, any case"),
    ];

    /// The field of that name.
    pub fn find(name: &str) -> Option<Field> {
        if let Some(header) = name.strip_prefix(HEADER) {
            return (!header.is_empty()).then(|| Field::HttpHeader(header.to_ascii_lowercase()));
        }
        Field::ALL.iter().find(|(_, n, _)| *n == name).map(|(f, _, _)| f.clone())
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Field::HttpHeader(name) => format!("{HEADER}{name}"),
            other => Field::ALL.iter().find(|(f, _, _)| f == other).map_or_else(String::new, |(_, n, _)| (*n).into()),
        }
    }
}

/// A word behind `is:`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Is {
    /// Begun by a request.
    Request,
    /// A notification.
    Notification,
    /// A protocol error or a refusal.
    Error,
    /// A result with `isError`.
    ToolError,
    /// Any of these.
    Failed,
    /// In flight.
    Pending,
    /// Never answered.
    Unanswered,
    /// Cancelled.
    Cancelled,
    /// Answered after its cancellation.
    Late,
    /// A response to nothing.
    Orphan,
    /// No message.
    Unreadable,
    /// Something was found on it.
    Finding,
    /// A call of a tool that is marked read-only.
    ReadOnly,
    /// Of a tap that still runs.
    Live,
    /// Marked by the user.
    Marked,
}

impl Is {
    /// All words, with what they mean.
    pub const ALL: [(Is, &'static str, &'static str); 15] = [
        (Is::Request, "request", "begun by a request"),
        (Is::Notification, "notification", "a notification"),
        (Is::Error, "error", "protocol error or refusal"),
        (Is::ToolError, "tool-error", "result with isError"),
        (Is::Failed, "failed", "error or tool-error"),
        (Is::Pending, "pending", "in flight"),
        (Is::Unanswered, "unanswered", "never answered"),
        (Is::Cancelled, "cancelled", "cancelled by its sender"),
        (Is::Late, "late", "answered after it was cancelled"),
        (Is::Orphan, "orphan", "response to nothing"),
        (Is::Unreadable, "unreadable", "no message"),
        (Is::Finding, "finding", "something was found on it"),
        (Is::ReadOnly, "read-only", "call of a tool that is marked read-only"),
        (Is::Live, "live", "of a tap that still runs"),
        (Is::Marked, "marked", "marked by you"),
    ];

    /// The word that is written so.
    pub fn find(word: &str) -> Option<Is> {
        Is::ALL.iter().find(|(_, w, _)| *w == word).map(|(is, _, _)| *is)
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        Is::ALL[self as usize].1
    }
}
